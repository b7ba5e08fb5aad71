// SPDX-License-Identifier: MIT
#include "engine/trace/json_repair.h"

#include <arenascope/base/printable.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace arenascope::trace {

namespace {

constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";

bool is_in_token(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
         c == '.' || c == '_';
}

// NaN and the infinities as Python, JavaScript and C print them.
bool is_not_finite(std::string_view token) {
  if (!token.empty() && (token[0] == '-' || token[0] == '+')) token.remove_prefix(1);
  const auto is = [&](std::string_view word) {
    return std::equal(token.begin(), token.end(), word.begin(), word.end(),
                      [](char x, char y) { return (x | 0x20) == y; });
  };
  return is("nan") || is("inf") || is("infinity");
}

// A number that a double cannot hold, such as 1e400.
bool is_out_of_range(std::string_view token) {
  const size_t exponent = token.find_first_of("eE");
  if (exponent == std::string_view::npos && token.size() < 300) return false;
  if (exponent != std::string_view::npos && token.find('-', exponent) != std::string_view::npos) return false;
  double value = 0;
  return std::from_chars(token.data(), token.data() + token.size(), value).ec == std::errc::result_out_of_range;
}

std::optional<uint32_t> four_hex_digits(std::string_view text, size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  uint32_t code = 0;
  const char* const end = text.data() + at + 4;
  const auto read = std::from_chars(text.data() + at, end, code, 16);
  return read.ptr == end ? std::optional(code) : std::nullopt;
}

}  // namespace

// Returns the text up to the next character that may need a repair, or that character's replacement.
std::string_view JsonRepair::outside() {
  const size_t begin = at_;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c != ',' && c != '"' && !is_in_token(c)) continue;
    if (at_ > begin) break;
    if (c == ',') return comma();
    if (c != '"') return token();
    in_string_ = true;
    return text_.substr(at_++, 1);
  }
  return text_.substr(begin, at_ - begin);
}

std::string_view JsonRepair::comma() {
  const size_t next = text_.find_first_not_of(" \t\r\n", ++at_);
  const bool trailing = next != std::string_view::npos && (text_[next] == '}' || text_[next] == ']');
  return trailing ? " " : ",";
}

std::string_view JsonRepair::token() {
  const size_t begin = at_;
  while (at_ < text_.size() && is_in_token(text_[at_])) ++at_;
  const std::string_view token = text_.substr(begin, at_ - begin);
  return is_not_finite(token) || is_out_of_range(token) ? "null" : token;
}

std::string_view JsonRepair::in_string() {
  const size_t begin = at_;
  while (at_ < text_.size()) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    const bool plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
    if (const size_t bytes = plain ? 1 : c < 0x80 ? 0 : utf8_length(text_, at_); bytes > 0) {
      at_ += bytes;
      continue;
    }
    if (at_ > begin) break;
    if (c == '\\') return escape();
    ++at_;
    if (c < 0x20) return control_character(c);
    if (c != '"') return kReplacementCharacter;
    in_string_ = false;
    return text_.substr(begin, 1);
  }
  return text_.substr(begin, at_ - begin);
}

// A valid escape sequence is kept; a backslash that begins none stands for itself.
std::string_view JsonRepair::escape() {
  const size_t begin = at_;
  const auto keep = [&](size_t bytes) {
    at_ += bytes;
    return text_.substr(begin, bytes);
  };
  const std::string_view letter = text_.substr(begin + 1, 1);
  if (!letter.empty() && std::string_view("\"\\/bfnrt").find(letter) != std::string_view::npos) return keep(2);
  const auto code = letter == "u" ? four_hex_digits(text_, begin + 2) : std::nullopt;
  if (!code) {
    ++at_;
    return "\\\\";
  }
  if (*code < 0xd800 || *code >= 0xe000) return keep(6);
  const bool pair = *code < 0xdc00 && text_.substr(begin + 6, 2) == "\\u";
  const auto low = pair ? four_hex_digits(text_, begin + 8) : std::nullopt;
  if (low && *low >= 0xdc00 && *low < 0xe000) return keep(12);
  at_ += 6;
  return kReplacementCharacter;
}

std::string_view JsonRepair::control_character(unsigned char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  const char escaped[] = {'\\', 'u', '0', '0', kDigits[c >> 4], kDigits[c & 0xf]};
  std::copy(std::begin(escaped), std::end(escaped), escaped_);
  return {escaped_, sizeof escaped};
}

}  // namespace arenascope::trace
