// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/call_sites.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

namespace arenascope::views {

namespace {

// Beginnings of the names of functions that allocate for others.
constexpr auto kLibraryFunctions = std::to_array<std::string_view>(
    {"torch::", "c10::", "at::", "caffe2::", "std::", "__gnu_cxx::", "operator new", "malloc", "calloc", "realloc",
     "aligned_alloc", "posix_memalign", "memalign", "__libc", "_start", "_Py", "cfunction_"});
// Parts of the paths of their files.
constexpr auto kLibraryFiles =
    std::to_array<std::string_view>({"-packages/torch/", "/torch/_", "torchinductor", "libtorch", "libc10", "libc.so",
                                     "libc-start", "libstdc++", "CUDACachingAllocator", "libpython", "<frozen"});

// "void at::native::f()": the result type comes before the name.
bool is_library_function(std::string_view function) {
  const auto begins_with = [&](std::string_view text) {
    return std::ranges::any_of(kLibraryFunctions, [&](std::string_view name) { return text.starts_with(name); });
  };
  const std::string_view head = function.substr(0, function.find('('));
  for (size_t at = 0; at != head.npos; at = head.find(' ', at)) {
    if (at > 0) ++at;
    if (begins_with(head.substr(at))) return true;
  }
  // "PyObject_Call", but not "Pyramid".
  const bool python = function.size() > 2 && function.starts_with("Py") &&
                      (function[2] == '_' || (function[2] >= 'A' && function[2] <= 'Z'));
  return python || function.starts_with("(anonymous namespace)::") || begins_with(function);
}

bool is_library(std::string_view function, std::string_view file) {
  return std::ranges::any_of(kLibraryFiles, [&](std::string_view part) { return file.find(part) != file.npos; }) ||
         is_library_function(function);
}

}  // namespace

const trace::StackFrame* call_site_of(const trace::Snapshot& snapshot, const trace::StackInfo& stack) {
  const trace::StackFrame *native = nullptr, *any = nullptr;
  for (const trace::StackFrame& frame : stack.frames) {
    const std::string_view function = snapshot.name(frame.function), file = snapshot.name(frame.file);
    if (function.empty() && file.empty()) continue;
    if (any == nullptr) any = &frame;
    if (file.ends_with(".py")) {
      if (!is_library({}, file)) return &frame;
    } else if (native == nullptr && !is_library(function, file)) {
      native = &frame;
    }
  }
  return native != nullptr ? native : any;
}

std::string frame_text(const trace::Snapshot& snapshot, const trace::StackFrame& frame) {
  const std::string_view function = snapshot.name(frame.function), path = snapshot.name(frame.file);
  const std::string_view file = path.substr(path.rfind('/') + 1);
  std::string text(function);
  if (file.empty() || file == "??") return text;
  if (!text.empty()) text += ' ';
  text += file;
  return frame.line > 0 ? text + ':' + std::to_string(frame.line) : text;
}

CallSites::CallSites(const trace::Snapshot& snapshot) {
  std::unordered_map<std::string, uint32_t> sites;
  for (size_t i = 0; i < snapshot.stacks.size(); ++i) {
    const trace::StackInfo& stack = snapshot.stacks[i];
    const trace::StackFrame* frame = call_site_of(snapshot, stack);
    if (frame == nullptr) continue;
    std::string text = frame_text(snapshot, *frame);
    const auto [site, added] = sites.try_emplace(std::move(text), static_cast<uint32_t>(names_.size()));
    if (added) names_.push_back(site->first);
    for (const uint32_t allocation : stack.allocations) site_of_.emplace_back(allocation, site->second);
  }
  std::ranges::sort(site_of_);
}

uint32_t CallSites::of(uint32_t allocation) const {
  const auto found = std::ranges::lower_bound(site_of_, allocation, {}, &std::pair<uint32_t, uint32_t>::first);
  return found != site_of_.end() && found->first == allocation ? found->second : kUnknown;
}

}  // namespace arenascope::views
