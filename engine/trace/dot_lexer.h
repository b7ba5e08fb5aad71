// SPDX-License-Identifier: MIT
// Tokens of Graphviz' DOT language. Comments and blanks are skipped.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace arenascope::trace {

enum class DotTokenKind : uint8_t { End, Id, Arrow, Symbol };

struct DotToken {
  DotTokenKind kind = DotTokenKind::End;
  std::string text;  // of an id; a symbol has one character
  bool quoted = false;
  bool is(char symbol) const { return kind == DotTokenKind::Symbol && text[0] == symbol; }
  bool is_keyword(std::string_view keyword) const;  // in any case
};

class DotLexer {
 public:
  // The text of a token is at most 64 KiB long.
  explicit DotLexer(std::string_view text) : text_(text) {}

  // Quoted strings keep their escapes, except for that of the quote, and are joined by '+'. HTML is text without its tags.
  DotToken next();
  int line() const { return line_; }
  const std::string& problem() const { return problem_; }  // empty: none

 private:
  void step();
  bool starts_with(std::string_view prefix) const { return text_.substr(position_).starts_with(prefix); }
  void skip_line();
  void skip_blanks();
  void append(std::string& to, char c);
  void read_string(std::string& to);
  bool skip_plus();
  DotToken quoted();
  DotToken html();
  DotToken plain();

  std::string_view text_;
  size_t position_ = 0;
  int line_ = 1;
  std::string problem_;
};

}  // namespace arenascope::trace
