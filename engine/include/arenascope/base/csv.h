// SPDX-License-Identifier: MIT
// Fields of CSV records as in RFC 4180.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <arenascope/base/printable.h>

namespace arenascope {

// A field with commas, quotes or line breaks is quoted. A text that a spreadsheet would interpret as a formula begins
// with an apostrophe (csv_guarded()).
inline std::string csv_field(std::string_view text) {
  const std::string field = csv_guarded(text);
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// The text of a field: the inverse of csv_field(). Nothing for a quoted field that does not end with its closing quote.
inline std::optional<std::string> csv_text(std::string_view field) {
  if (!field.starts_with('"')) return std::string(csv_unguarded(field));
  std::string text;
  for (size_t i = 1; i < field.size(); ++i) {
    if (field[i] == '"' && (++i == field.size() || field[i] != '"')) {  // a single quote closes the field
      if (i == field.size()) return std::string(csv_unguarded(text));
      return std::nullopt;
    }
    text += field[i];
  }
  return std::nullopt;
}

// The end of the first field of `text`: the position of the comma or line break after it, or the size. Those in quotes are
// part of the field.
inline size_t csv_field_end(std::string_view text) {
  size_t at = text.find_first_not_of(' ');
  if (at != std::string_view::npos && text[at] == '"') {
    for (++at; at < text.size(); ++at) {
      if (text[at] != '"') continue;
      if (at + 1 == text.size() || text[at + 1] != '"') break;
      ++at;
    }
  }
  return at == std::string_view::npos ? text.size() : std::min(text.find_first_of(",\n", at), text.size());
}

}  // namespace arenascope
