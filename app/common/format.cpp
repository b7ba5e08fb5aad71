// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/format.h"

#include <fmt/format.h>

namespace arenascope::app {

std::string format_nanoseconds(Nanoseconds time) {
  const double value = static_cast<double>(time);
  if (time < 1000) return fmt::format("{} ns", time);
  if (time < 1000000) return fmt::format("{:.1f} µs", value / 1e3);
  if (time < 1000000000) return fmt::format("{:.2f} ms", value / 1e6);
  return fmt::format("{:.3f} s", value / 1e9);
}

std::string counted(int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string markdown_code(std::string_view name) {
  std::string out = "`";
  for (const char c : name) out += c == '`' ? '\'' : c == '|' ? '/' : c == '\n' ? ' ' : c;
  return out + "`";
}

}  // namespace arenascope::app
