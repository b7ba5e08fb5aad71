// SPDX-License-Identifier: MIT
#include "engine/trace/dot_lexer.h"

#include <algorithm>
#include <cctype>

namespace arenascope::trace {

namespace {

constexpr size_t kMaxDotText = 64 << 10;

bool is_dot_id_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '.' || byte >= 0x80;
}

}  // namespace

bool DotToken::is_keyword(std::string_view keyword) const {
  return kind == DotTokenKind::Id && !quoted && std::ranges::equal(text, keyword, [](char c, char expected) {
           return std::tolower(static_cast<unsigned char>(c)) == expected;
         });
}

DotToken DotLexer::next() {
  skip_blanks();
  if (position_ >= text_.size()) return {};
  const char c = text_[position_];
  if (c == '"') return quoted();
  if (c == '<') return html();
  if (starts_with("->") || starts_with("--")) {
    position_ += 2;
    return {DotTokenKind::Arrow, {}};
  }
  const bool is_negative = c == '-' && position_ + 1 < text_.size() && is_dot_id_char(text_[position_ + 1]);
  if (is_dot_id_char(c) || is_negative) return plain();
  step();
  return {DotTokenKind::Symbol, std::string(1, c)};
}

void DotLexer::step() {
  if (text_[position_] == '\n') ++line_;
  ++position_;
}

void DotLexer::skip_line() {
  while (position_ < text_.size() && text_[position_] != '\n') ++position_;
}

void DotLexer::skip_blanks() {
  while (position_ < text_.size()) {
    const bool begins_line = position_ == 0 || text_[position_ - 1] == '\n';
    const char c = text_[position_];
    if (starts_with("//") || (begins_line && c == '#')) {
      skip_line();
    } else if (starts_with("/*")) {
      position_ += 2;
      while (position_ < text_.size() && !starts_with("*/")) step();
      position_ = std::min(position_ + 2, text_.size());
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\0') {
      step();
    } else {
      return;
    }
  }
}

void DotLexer::append(std::string& to, char c) {
  if (to.size() < kMaxDotText)
    to += c;
  else
    problem_ = "a text is longer than 65536 bytes";
}

// From the opening quote to the character after the closing one.
void DotLexer::read_string(std::string& to) {
  step();
  while (position_ < text_.size() && text_[position_] != '"') {
    if (starts_with("\\\n")) {  // the string continues on the next line
      step();
      step();
      continue;
    }
    if (starts_with("\\\"")) {
      step();
    } else if (starts_with("\\\\")) {
      append(to, '\\');
      step();
    }
    append(to, text_[position_]);
    step();
  }
  if (position_ >= text_.size())
    problem_ = "a quoted text has no end";
  else
    step();
}

// True if a '+' and another quoted string follow.
bool DotLexer::skip_plus() {
  const size_t end = position_;
  const int line = line_;
  skip_blanks();
  if (position_ < text_.size() && text_[position_] == '+') {
    step();
    skip_blanks();
    if (position_ < text_.size() && text_[position_] == '"') return true;
  }
  position_ = end;
  line_ = line;
  return false;
}

DotToken DotLexer::quoted() {
  DotToken token{DotTokenKind::Id, {}, true};
  do read_string(token.text);
  while (problem_.empty() && skip_plus());
  return token;
}

DotToken DotLexer::html() {
  DotToken token{DotTokenKind::Id, {}, true};
  int depth = 0;
  for (; position_ < text_.size(); step()) {
    const char c = text_[position_];
    if (c == '<') ++depth;
    if (depth == 1 && c != '<' && c != '>') append(token.text, c);
    if (c == '>') {
      if (depth == 2 && !token.text.empty() && token.text.back() != ' ') append(token.text, ' ');
      if (--depth == 0) break;
    }
  }
  if (position_ >= text_.size())
    problem_ = "an HTML label has no end";
  else
    step();
  return token;
}

DotToken DotLexer::plain() {
  DotToken token{DotTokenKind::Id, {}};
  do append(token.text, text_[position_++]);
  while (position_ < text_.size() && is_dot_id_char(text_[position_]));
  return token;
}

}  // namespace arenascope::trace
