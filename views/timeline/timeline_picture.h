// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's data, prepared: for each track its spans as rectangles, merged where they would share a pixel.
#pragma once
#include <views/common/plot_view.h>
#include <views/timeline/timeline_layers.h>

#include <set>

namespace arenascope::views {

enum TimelineStyle : uint32_t {
  kSpanWork0,  // three tints in turn by node
  kSpanWork1,
  kSpanWork2,
  kSpanWait,
  kSpanCopy,
  kSpanNamed0,                       // eight for named spans, by name
  kSpanDenseWork = kSpanNamed0 + 8,  // merged: the share of the pixel that was work, from below
  kSpanDenseWait,                    // and on top of it the share that was waiting
  kSpanDenseOther,
  kSpanStep0,  // the row of steps, two tints in turn
  kSpanStep1,
  kTimelineStyles,
};

struct TimelineRow {
  trace::TrackId track;  // none: the row of steps, or of layers
  int lanes = 1;
  double top = 0, height = 1;  // in units of rows, from above
  trace::BusyShare share;      // of the run that is looked at, whatever is visible
  bool other = false;          // of what is compared with: its track
  bool pinned = false;         // it was put before the others
  bool layers = false;         // each depth a lane
  std::string program{};       // a heading over the rows of a process, of several; "": it is none
};

struct TimelineItem {  // what a rectangle's tag means
  trace::SpanCell cell;
  Step step;           // in the row of steps; of a layer the first
  bool other = false;  // `cell` refers to what is compared with
  std::shared_ptr<const LayerStretch> layer = nullptr;
};

struct BarrierMark {  // who came last
  double x = 0;       // of the last arrival
  double from_x = 0;  // of the first arrival
  uint32_t row = 0;   // of the last arriver
  trace::Barrier barrier;
};

struct PauseMark {  // somebody held the run
  double x0 = 0, x1 = 0;
  Nanoseconds time = 0;
};

struct TimelinePicture : Prepared {
  SnapshotPtr snapshot;  // that the cells refer to
  SnapshotPtr other;     // that those of the rows compared with refer to; null: there are none
  std::vector<TimelineRow> rows;
  double height = 0;  // of all rows
  std::shared_ptr<const RectSet> spans;
  double pinned_height = 0;               // of the rows that stay in sight, from above, down to the last pinned one
  std::shared_ptr<const RectSet> pinned;  // those of `spans` that lie there; null: none are pinned
  std::vector<TimelineItem> items;
  std::vector<PauseMark> pauses;
  std::vector<BarrierMark> barriers;  // by x; none where they lie too dense
  Nanoseconds wait_sum = 0;           // of the barriers in `barriers`
};

// `pinned`: names of tracks whose rows come first.
std::shared_ptr<const TimelinePicture> prepare_timeline(const PrepareInput& input, const std::stop_token& stop,
                                                        const std::set<std::string>& pinned = {});

}  // namespace arenascope::views
