// SPDX-License-Identifier: MIT
#include <arenascope/trace/tuning_note.h>

#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace arenascope::trace {
namespace {

constexpr std::string_view kOver = " over ", kGroups = ": groups of ", kWay = ": way ", kFastest = ", the fastest of ",
                           kRule = ", by rule", kLevel = ", level ", kRemembered = ", remembered";

// Takes a word off the front of `text`.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

template <class T>
bool take_number(std::string_view& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

}  // namespace

std::string sentence(const TuningNote& n) {
  std::string out = fmt::format("{}{}{}", n.kernel, kOver, n.sizes);
  out += n.way >= 0 ? fmt::format("{}{}", kWay, n.way)
                    : fmt::format("{}{}x{}x{}", kGroups, n.local[0], n.local[1], n.local[2]);
  out += n.tried > 0 ? fmt::format("{}{} ({:.4g} ms)", kFastest, n.tried, n.seconds * 1e3) : std::string(kRule);
  out += fmt::format("{}{}", kLevel, n.level);
  if (n.remembered) out += kRemembered;
  return out;
}

std::optional<TuningNote> tuning_note(std::string_view text) {
  TuningNote n;
  const size_t level_at = text.rfind(kLevel);
  const size_t over_at = text.find(kOver);
  if (level_at == std::string_view::npos || over_at == std::string_view::npos) return std::nullopt;
  const size_t groups_at = text.find(kGroups), way_at = text.find(kWay), choice_at = std::min(groups_at, way_at);
  if (choice_at >= level_at || choice_at < over_at + kOver.size()) return std::nullopt;
  n.kernel = text.substr(0, over_at);
  n.sizes = text.substr(over_at + kOver.size(), choice_at - over_at - kOver.size());
  std::string_view rest = text.substr(choice_at);
  if (take(rest, kWay)) {
    if (!take_number(rest, n.way) || n.way < 0) return std::nullopt;
  } else {
    if (!take(rest, kGroups) || !take_number(rest, n.local[0]) || !take(rest, "x") || !take_number(rest, n.local[1]) ||
        !take(rest, "x") || !take_number(rest, n.local[2]))
      return std::nullopt;
  }
  if (take(rest, kFastest)) {
    double ms = 0;
    if (!take_number(rest, n.tried) || n.tried <= 0 || !take(rest, " (") || !take_number(rest, ms) ||
        !std::isfinite(ms) || ms < 0 || !take(rest, " ms)"))
      return std::nullopt;
    n.seconds = ms / 1e3;
  } else if (!take(rest, kRule)) {
    return std::nullopt;
  }
  if (!take(rest, kLevel)) return std::nullopt;
  const size_t end = std::min(rest.find(','), rest.size());
  n.level = rest.substr(0, end);
  rest.remove_prefix(end);
  n.remembered = take(rest, kRemembered);
  if (!rest.empty() || n.level.empty()) return std::nullopt;
  return n;
}

}  // namespace arenascope::trace
