// SPDX-License-Identifier: MIT
// Fields of CSV records as in RFC 4180.
#pragma once
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

}  // namespace arenascope
