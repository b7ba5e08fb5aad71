// SPDX-License-Identifier: GPL-3.0-or-later
// Where a run is to pause: on a node, an op, a name pattern, results of some size, or NaN and infinities in a result.
#pragma once
#include <arenascope/trace/info.h>
#include <arenascope/trace/snapshot.h>

#include <QString>
#include <QStringList>

#include <optional>
#include <set>
#include <vector>

namespace arenascope::app {

struct Breakpoint {
  enum class Kind : uint8_t { Node, Op, Name, Bytes, NaN };
  Kind kind = Kind::Node;
  QString text;     // node's or op's name; a pattern with * and ?
  Bytes bytes = 0;  // at least so many
  bool on = true;
  bool operator==(const Breakpoint&) const = default;
  QString describe() const;
  // "op=CONV", "name=blk.1.*", "bytes>=1048576", "nan", "node=conv1": what settings keep.
  QString to_setting() const;
  static std::optional<Breakpoint> from_setting(const QString& text);
};

// The nodes before which a run of this graph pauses. NaN is not among them: it is looked for in results.
std::set<NodeId> nodes_to_break(const trace::GraphInfo& graph, const std::vector<Breakpoint>& breakpoints);
bool wants_nan(const std::vector<Breakpoint>& breakpoints);

// What a run that looks for NaN notes of the node's result, and the nodes of which a recording says so.
trace::Problem not_finite(NodeId node, trace::RunId run, const std::string& name);
std::set<NodeId> nodes_not_finite(const trace::Snapshot& snapshot);

}  // namespace arenascope::app
