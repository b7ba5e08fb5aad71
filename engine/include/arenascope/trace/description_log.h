// SPDX-License-Identifier: MIT
// The descriptions that a sink needs which is added after them, or that begin the next file of a recording. It holds the
// newest state of what is described again, and the newest runs, so that its size does not grow with the number of runs.
#pragma once
#include <arenascope/trace/info.h>

#include <vector>

namespace arenascope::trace {

class DescriptionLog {
 public:
  static constexpr int32_t kKeptRuns = 1024;

  void reserve(size_t more);  // after it, add() of so many cannot fail
  void add(Description description);
  void clear() { list_.clear(); }

  std::vector<Description>::const_iterator begin() const { return list_.begin(); }
  std::vector<Description>::const_iterator end() const { return list_.end(); }

 private:
  bool replace(Description& description);
  void forget_runs();

  std::vector<Description> list_;  // in the order in which they came
  size_t runs_ = 0;                // begins and ends of runs among them
};

}  // namespace arenascope::trace
