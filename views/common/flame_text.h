// SPDX-License-Identifier: GPL-3.0-or-later
// Names, values and selections of the frames of a flame tree (arenascope/trace/flame_tree.h), for the view and its table.
#pragma once
#include <arenascope/trace/flame_tree.h>
#include <views/common/selection.h>

#include <QCoreApplication>
#include <QString>

namespace arenascope::views {

struct FlameText {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::FlameText)
 public:
  static QString weight(trace::FlameWeight weight);                   // "Live bytes at the peak"
  static QString value(double value, trace::FlameUnit unit);          // "1.2 MiB"
  static QString count(int64_t count, trace::FlameKind kind);         // "3 allocations"
  static QString name(const trace::FlameTree& tree, uint32_t frame);  // as displayed
};

// The weight that a document is most likely opened for; none: it has no data for any.
std::optional<trace::FlameWeight> preferred_weight(const trace::Snapshot& snapshot);

// The node, layer, span or allocation of a frame; empty for a track, a graph and the root.
Selection selection_of(const trace::Snapshot& snapshot, const trace::FlameTree& tree, uint32_t frame);
// selection_of() == selection, without the nodes of a layer.
bool is_selected(const trace::Snapshot& snapshot, const trace::FlameTree& tree, uint32_t frame,
                 const Selection& selection);

}  // namespace arenascope::views
