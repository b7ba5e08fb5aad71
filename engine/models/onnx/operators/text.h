// SPDX-License-Identifier: MIT
// What operators over strings ask of libraries: letters' case (ICU) and regular expressions (RE2). A build without one of
// them says so.
#pragma once
#include <arenascope/base/result.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace arenascope::models {

// UTF-8 in upper or lower case, the same in every locale. Errors: it is no UTF-8 or beyond 2^28 bytes; letters beyond
// ASCII, and no ICU.
Result<std::string> change_case(std::string_view text, bool upper);

// In RE2's language, which takes time in proportion to the text whatever the pattern.
class Regex {
 public:
  struct Match {
    size_t begin = 0, end = 0;
  };
  // `longest`: of the matches that begin at one place the longest one, not the first alternative. Errors: what is wrong with the
  // pattern; no RE2.
  static Result<std::unique_ptr<Regex>> make(const std::string& pattern, bool longest = false);
  virtual ~Regex() = default;
  virtual bool matches_all_of(std::string_view text) const = 0;
  // The first one that begins at `from` or behind it.
  virtual std::optional<Match> find(std::string_view text, size_t from) const = 0;
};

}  // namespace arenascope::models
