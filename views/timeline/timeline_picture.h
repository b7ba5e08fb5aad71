// SPDX-License-Identifier: GPL-3.0-or-later
// Prepared data of the timeline: the spans of each track as rectangles, merged if they share a pixel.
#pragma once
#include <views/common/prepare_input.h>
#include <views/common/prepared.h>
#include <views/common/rect_set.h>
#include <views/timeline/counter_curve.h>
#include <views/timeline/timeline_colours.h>
#include <views/timeline/timeline_layers.h>

#include <set>

namespace arenascope::views {

enum TimelineStyle : uint32_t {
  kSpanWork0,  // three alternating tints, by node
  kSpanWork1,
  kSpanWork2,
  kSpanWait,
  kSpanCopy,
  kSpanNamed0,                                     // eight categories: named spans by name, or as in TimelineColour
  kSpanDenseWork = kSpanNamed0 + kSpanCategories,  // merged: fraction of the pixel that was work, from the bottom
  kSpanDenseWait,                                  // stacked on it: the fraction that was waiting
  kSpanDenseOther,
  kSpanShade0,                             // by duration
  kSpanStep0 = kSpanShade0 + kSpanShades,  // the row of steps, two alternating tints
  kSpanStep1,
  kTimelineStyles,
};

struct TimelineRow {
  trace::TrackId track;  // invalid: the row of steps, of layers or of a counter
  int lanes = 1;
  double top = 0, height = 1;  // in rows, from the top
  trace::BusyShare share;      // share in the whole current run
  bool other = false;          // a track of the other side of the comparison
  bool pinned = false;         // moved to the top by the user
  bool layers = false;         // one lane per depth
  trace::CounterId counter{};  // valid: its curve is in this row
  std::string program{};  // heading above the rows of a process, if there are several processes; empty: not a heading
};

struct TimelineItem {  // the item that a rectangle's tag refers to
  trace::SpanCell cell;
  Step step;           // in the row of steps; the first step of a layer
  bool other = false;  // `cell` belongs to the other side of the comparison
  std::shared_ptr<const LayerStretch> layer = nullptr;
};

struct BarrierMark {  // the last arriver at a barrier
  double x = 0;       // position of the last arrival
  double from_x = 0;  // position of the first arrival
  uint32_t row = 0;   // row of the last arriver
  trace::Barrier barrier;
};

struct PauseMark {  // the run was held
  double x0 = 0, x1 = 0;
  Nanoseconds time = 0;
};

struct TimelinePicture : Prepared {
  SnapshotPtr snapshot;  // snapshot of the cells
  SnapshotPtr other;     // snapshot of the other side's cells; null: no comparison
  std::vector<TimelineRow> rows;
  double height = 0;  // total height of all rows
  std::shared_ptr<const RectSet> spans;
  double pinned_height = 0;               // height of the pinned rows from the top
  std::shared_ptr<const RectSet> pinned;  // subset of `spans` in pinned rows; null: none are pinned
  std::vector<TimelineItem> items;
  std::vector<TimelineMeaning> meanings;  // of the colours, unless they are by activity
  std::vector<CounterCurve> curves;       // of traces of other programs
  std::vector<PauseMark> pauses;
  std::vector<BarrierMark> barriers;  // by x; empty if they are too dense
  Nanoseconds wait_sum = 0;           // total wait at the barriers in `barriers`
};

// `pinned`: names of tracks whose rows come first.
std::shared_ptr<const TimelinePicture> prepare_timeline(const PrepareInput& input, const std::stop_token& stop,
                                                        const std::set<std::string>& pinned = {},
                                                        TimelineColour colour = TimelineColour::Activity);

}  // namespace arenascope::views
