// SPDX-License-Identifier: MIT
// A balance over time: bytes that come and go.
#pragma once
#include <arenascope/base/ids.h>

#include <algorithm>
#include <vector>

namespace arenascope::audit {

class Balance {
 public:
  void add(Nanoseconds time, Bytes change) { changes_.push_back({time, change}); }
  void add_before(Bytes bytes) { before_ += bytes; }
  Bytes before() const { return before_; }
  bool empty() const { return changes_.empty(); }
  int64_t changes() const { return static_cast<int64_t>(changes_.size()); }

  struct Result {
    Bytes peak = 0, end = 0;
    Nanoseconds peak_at = 0;  // the first time of it
  };
  // A recording stores events thread by thread; they are sorted by time.
  Result sum() const {
    std::vector<Change> sorted = changes_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
    Result r;
    r.peak = r.end = before_;
    if (!sorted.empty()) r.peak_at = sorted.front().time;
    for (const Change& c : sorted) {
      r.end += c.bytes;
      if (r.end > r.peak) r.peak = r.end, r.peak_at = c.time;
    }
    return r;
  }

 private:
  struct Change {
    Nanoseconds time;
    Bytes bytes;
  };
  Bytes before_ = 0;
  std::vector<Change> changes_;
};

}  // namespace arenascope::audit
