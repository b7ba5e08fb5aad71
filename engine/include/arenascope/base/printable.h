// SPDX-License-Identifier: MIT
// Names in files are untrusted. Every name that is printed, or written to JSON or a table, passes one of these functions: they
// make everything visible that a terminal, parser or spreadsheet would interpret.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace arenascope {

// The size in bytes of the well-formed UTF-8 character at text[at]; 0 if it is malformed.
inline size_t utf8_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char c = byte(at);
  const size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
  if (n == 0 || at + n > text.size()) return 0;
  for (size_t k = 1; k < n; ++k)
    if ((byte(at + k) & 0xc0) != 0x80) return 0;
  if (c == 0xe0 && byte(at + 1) < 0xa0) return 0;
  if (c == 0xed && byte(at + 1) >= 0xa0) return 0;  // a surrogate
  if (c == 0xf0 && byte(at + 1) < 0x90) return 0;
  if (c == 0xf4 && byte(at + 1) >= 0x90) return 0;
  return n;
}

// Invisible characters that affect others: C0 and C1 controls, bidirectional marks, line separators, zero-width spaces.
constexpr bool is_unprintable(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x180e || c == 0x200b || c == 0x200e ||
         c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
         (c >= 0xfff9 && c <= 0xfffb);
}

namespace detail {

// Calls one function per character: unchanged, to be escaped as \uXXXX, or invalid bytes.
template <class Keep, class Bad>
std::string escaped(std::string_view text, Keep&& keep, Bad&& bad) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const size_t n = utf8_length(text, i);
    if (n == 0) {
      bad(out, first);
      ++i;
      continue;
    }
    uint32_t c = n == 1 ? first : first & (0xffU >> (n + 1));
    for (size_t k = 1; k < n; ++k) c = c << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
    if (is_unprintable(c) && !keep(c)) {
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[c >> shift & 0xf];
    } else {
      out += text.substr(i, n);
    }
    i += n;
  }
  return out;
}

}  // namespace detail

// Multi-line text for a terminal: line ends and tabs are kept, unprintable characters become \u001b, invalid UTF-8 \x9b. The
// meaning of a JSON document is unchanged.
inline std::string printable_lines(std::string_view text) {
  return detail::escaped(
      text, [](uint32_t c) { return c == '\n' || c == '\t'; },
      [](std::string& out, unsigned char byte) {
        constexpr char kDigits[] = "0123456789abcdef";
        out += "\\x";
        out += kDigits[byte >> 4];
        out += kDigits[byte & 0xf];
      });
}

// The same for a name, as one line.
inline std::string printable(std::string_view text) {
  std::string out = printable_lines(text);
  for (size_t at = 0; (at = out.find_first_of("\n\t", at)) != std::string::npos; at += 2)
    out.replace(at, 1, out[at] == '\n' ? "\\n" : "\\t");
  return out;
}

// A JSON string with quotes, valid for any bytes; unprintable characters are escaped.
inline std::string json_string(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size() + 2);
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  std::string out(1, '"');
  out += detail::escaped(
      quoted, [](uint32_t) { return false; }, [](std::string& to, unsigned char) { to += "\\ufffd"; });
  out += '"';
  return out;
}

// Prefixes a cell that a spreadsheet would interpret as a formula with an apostrophe, which spreadsheets hide. Numbers are
// unchanged.
inline bool is_formula(std::string_view cell) {
  if (cell.empty() || std::string_view("=+-@\t\r").find(cell.front()) == std::string_view::npos) return false;
  if (cell.front() != '+' && cell.front() != '-') return true;
  const std::string number(cell);
  char* end = nullptr;
  (void)std::strtod(number.c_str(), &end);
  return end != number.c_str() + number.size();
}

inline std::string csv_guarded(std::string_view cell) {
  std::string out;
  if (is_formula(cell)) out += '\'';
  out += cell;
  return out;
}

// The inverse of csv_guarded().
inline std::string_view csv_unguarded(std::string_view cell) {
  return cell.starts_with('\'') && is_formula(cell.substr(1)) ? cell.substr(1) : cell;
}

}  // namespace arenascope
