// SPDX-License-Identifier: GPL-3.0-or-later
// The durations that a selection refers to, with their histogram. Pure functions without widgets.
#pragma once
#include <arenascope/trace/durations.h>
#include <views/common/selection.h>
#include <views/common/session_source.h>

#include <QCoreApplication>
#include <QString>

#include <memory>
#include <stop_token>

namespace arenascope::views {

enum class DurationsOf : uint8_t { None, Runs, Node, Spans };

struct DurationsData {
  DurationsOf of = DurationsOf::None;
  QString title;  // of the node or span
  trace::Durations durations;
  trace::DurationHistogram histogram;
  Nanoseconds marked = -1;                // duration of the selected span; negative: none
  bool cold = false, incomplete = false;  // only such runs are available
};
using DurationsDataPtr = std::shared_ptr<const DurationsData>;

// The times of the selected node over the runs, or of all spans with the selected span's name. Without either: of the runs
// of the graph.
DurationsDataPtr durations_of(const trace::Snapshot& snapshot, trace::GraphId graph, const Selection& selection,
                              const std::stop_token& stop = {});

struct DurationsText {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::DurationsText)
 public:
  static QString heading(const DurationsData& data);  // what is counted, and how often
  static QString summary(const DurationsData& data);  // "p50 1.2 ms · p90 …"
  static QString bin(const DurationsData& data, size_t bin);
  static QString to_csv(const DurationsData& data);  // one line per bin
};

}  // namespace arenascope::views
