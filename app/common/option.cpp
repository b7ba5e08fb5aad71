// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/option.h"

#include <charconv>

namespace arenascope::app {

std::vector<std::string> split_list(const std::string& text, bool by_comma) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == '\n' || (by_comma && c == ','))
      out.emplace_back();
    else if (c != '\r')
      out.back() += c;
  }
  std::erase_if(out, [](const std::string& s) { return s.find_first_not_of(' ') == std::string::npos; });
  return out;
}

Result<int64_t> parse_integer(const std::string& text, int64_t min, int64_t max) {
  int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() || value < min || value > max)
    return Error{fmt::format("expected an integer from {} to {}, found '{}'", min, max, text)};
  return value;
}

Result<double> parse_real(const std::string& text, double min, double max) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() ||
      !(value >= min && value <= max))
    return Error{fmt::format("expected a number from {} to {}, found '{}'", min, max, text)};
  return value;
}

Result<bool> parse_flag(const std::string& value) {
  if (value == "on" || value == "off") return value == "on";
  return Error{fmt::format("expected 'on' or 'off', found '{}'", value)};
}

}  // namespace arenascope::app
