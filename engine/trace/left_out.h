// SPDX-License-Identifier: MIT
// Counts what a trace contains and is not shown, or not as it was recorded, and reports it once by category.
#pragma once
#include <arenascope/trace/import.h>
#include "engine/trace/import_builder.h"

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
  // Adds a fact that has no count.
  void add(std::string fact, Severity severity);

  // Adds them, if there are any, to the report of the file and to the recording.
  void put(const std::string& file, OpenReport& report, ImportBuilder& builder) const;

 private:
  Severity severity() const;     // the worst one
  std::string sentence() const;  // all of them, separated by semicolons
  struct Count {
    const Category* category;
    int64_t count;
  };
  std::vector<Count> counts_;
  std::vector<std::string> facts_;
  Severity worst_fact_ = Severity::Note;
};

}  // namespace arenascope::trace
