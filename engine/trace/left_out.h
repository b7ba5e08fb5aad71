// SPDX-License-Identifier: MIT
// Counts what a trace contains and is not shown, or not as it was recorded, and reports it once by category.
#pragma once
#include <arenascope/trace/info.h>

#include <cstdint>
#include <string>
#include <vector>

namespace arenascope::trace {

class LeftOut {
 public:
  // "1 counter event without a value: not read", "12,345 counter events without a value: not read".
  struct Category {
    const char *singular, *plural, *consequence;
    Severity severity = Severity::Warning;  // Note: nothing is wrong with the file
  };
  // Categories are reported in the order in which they are first counted.
  void add(const Category& category, int64_t count = 1);
  // A fact that is not a count.
  void add(std::string fact, Severity severity);

  bool empty() const { return counts_.empty() && facts_.empty(); }
  Severity severity() const;     // the worst one
  std::string sentence() const;  // all of them, separated by semicolons; "" if empty

 private:
  struct Count {
    const Category* category;
    int64_t count;
  };
  std::vector<Count> counts_;
  std::vector<std::string> facts_;
  Severity worst_fact_ = Severity::Note;
};

// "12,345"
std::string grouped(int64_t number);

}  // namespace arenascope::trace
