// SPDX-License-Identifier: MIT
// Library functions for string operators: case mapping (ICU) and regular expressions (RE2). A build without a library
// reports its functions as unsupported.
#pragma once
#include <arenascope/base/result.h>

#include <memory>
#include <string>
#include <string_view>

namespace arenascope::models {

// Maps UTF-8 to upper or lower case, independent of the locale. Errors: invalid UTF-8, more than 2^28 bytes; characters
// beyond ASCII in a build without ICU.
Result<std::string> change_case(std::string_view text, bool upper);

// A regular expression in RE2's syntax, with linear time for every pattern.
class Regex {
 public:
  // Errors: an invalid pattern; no RE2.
  static Result<std::unique_ptr<Regex>> make(const std::string& pattern);
  virtual ~Regex() = default;
  virtual bool matches_all_of(std::string_view text) const = 0;
};

}  // namespace arenascope::models
