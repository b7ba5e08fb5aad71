// SPDX-License-Identifier: MIT
// Shared by the writers of text formats: formatted output and the names of event kinds.
#pragma once
#include <arenascope/trace/convert.h>
#include <fmt/format.h>

#include <iterator>

namespace arenascope::trace {

template <class... T>
void print(TextOut& out, fmt::format_string<T...> format, T&&... args) {
  fmt::memory_buffer buffer;
  fmt::format_to(std::back_inserter(buffer), format, std::forward<T>(args)...);
  out.put({buffer.data(), buffer.size()});
}

inline constexpr const char* kKindNames[] = {
    "none",  "work",           "wait",       "alloc",      "free",      "reserve", "release", "?",
    "?",     "context object", "copy",       "step",       "layer",     "counter", "?",       "?",
    "slice", "slice live",     "slice dead", "seen write", "seen read", "between", "owner"};
static_assert(std::size(kKindNames) == kLastEventKind + 1);

inline const char* kind_name(EventKind kind) {
  return static_cast<size_t>(kind) < std::size(kKindNames) ? kKindNames[static_cast<size_t>(kind)] : "?";
}

}  // namespace arenascope::trace
