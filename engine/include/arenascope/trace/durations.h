// SPDX-License-Identifier: MIT
// Durations of a node over its runs, or of the spans with the same label, and their histogram.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <stop_token>
#include <vector>

namespace arenascope::trace {

// Quantile of sorted values, interpolated linearly. `share` is 0 to 1; 0 without values.
Nanoseconds quantile(const std::vector<Nanoseconds>& sorted, double share);

struct Durations {
  std::vector<Nanoseconds> values;  // ascending
  std::vector<SpanRef> spans;       // parallel to `values`; empty for a node, whose values are of runs
};
// The durations of all spans with the label of this one. Empty if it was stopped.
Durations durations_of_label(const Snapshot& snapshot, const SpanRef& span, const std::stop_token& stop = {});

struct DurationBin {  // half-open; the last bin includes its end
  double begin = 0, end = 0;
  size_t first = 0, count = 0;  // in the values
};
struct DurationHistogram {
  std::vector<DurationBin> bins;  // adjacent, of equal width, or of equal ratio if `logarithmic`
  bool logarithmic = false;       // durations span more than a factor of 30
  Nanoseconds p50 = 0, p90 = 0, p99 = 0;
};
// `sorted` ascending. At most `bins` bins; none without values.
DurationHistogram histogram_of(const std::vector<Nanoseconds>& sorted, size_t bins = 40);

}  // namespace arenascope::trace
