// SPDX-License-Identifier: MIT
// Names in Graphviz' DOT language. Names are untrusted: no character of one ends its quotes or its field.
#pragma once
#include <arenascope/base/printable.h>

#include <string>
#include <string_view>

namespace arenascope {

inline constexpr std::string_view kDotRecordSymbols = "|{}<>";  // separate and nest the fields of a record label

// `text` escaped for a quoted label. Line ends become "\n", other control characters blanks, and bytes that are not valid
// UTF-8 question marks. Characters of `symbols` are escaped too.
inline std::string dot_escape(std::string_view text, std::string_view symbols = {}) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const size_t length = utf8_length(text, i);
    if (c == '\n') {
      out += "\\n";
    } else if (length == 0) {
      out += '?';
    } else if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)) {
      out += ' ';
    } else {
      if (c == '"' || c == '\\' || symbols.find(c) != std::string_view::npos) out += '\\';
      out += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return out;
}

}  // namespace arenascope
