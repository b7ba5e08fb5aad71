// SPDX-License-Identifier: MIT
#include "engine/lesson/strings.h"

#include <cctype>
#include <charconv>
#include <cmath>

#include <arenascope/base/trimmed.h>

namespace arenascope::lesson {

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> tokens;
  while (true) {
    const size_t begin = text.find_first_not_of(separators);
    if (begin == text.npos) return tokens;
    text.remove_prefix(begin);
    const size_t end = text.find_first_of(separators);
    tokens.emplace_back(text.substr(0, end));
    if (end == text.npos) return tokens;
    text.remove_prefix(end);
  }
}

std::string join(const std::vector<std::string>& tokens, std::string_view between) {
  std::string out;
  for (const std::string& token : tokens) out.append(out.empty() ? "" : between).append(token);
  return out;
}

std::string trimmed(std::string_view text) { return std::string(arenascope::trimmed(text)); }

std::optional<int64_t> parse_integer(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<double> number_with_unit(std::string_view text) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"B", 1.0}, {"%", 1.0}};
  if (text.starts_with("0x") || text.starts_with("0X")) {  // as tables show offsets
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(static_cast<double>(value))
                                                                    : std::nullopt;
  }
  double factor = 1;
  for (const auto& [unit, times] : kUnits)
    if (text.size() > unit.size() && text.ends_with(unit)) {
      factor = times;
      text.remove_suffix(unit.size());
      while (text.ends_with(' ')) text.remove_suffix(1);
      break;
    }
  const auto value = number(text);
  if (!value) return std::nullopt;
  return *value * factor;
}

std::string stray_digits(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') {  // a name begins with a letter
      const size_t end = text.find('`', i + 1);
      if (end != text.npos && end > i + 1 && !digit(text[i + 1])) i = end;
    } else if (text[i] == ']' && i + 1 < text.size() && text[i + 1] == '(') {
      const size_t end = text.find(')', i);
      if (end != text.npos) i = end;
    } else if (digit(text[i])) {
      size_t end = i;
      while (end < text.size() && (digit(text[end]) || text[end] == '.')) ++end;
      return std::string(text.substr(i, end - i));
    }
  }
  return "";
}

}  // namespace arenascope::lesson
