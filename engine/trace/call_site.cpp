// SPDX-License-Identifier: MIT
#include <arenascope/trace/call_site.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace arenascope::trace {

namespace {

// Beginnings of the names of functions that allocate for others.
constexpr auto kLibraryFunctions = std::to_array<std::string_view>({"torch::",
                                                                    "c10::",
                                                                    "at::",
                                                                    "caffe2::",
                                                                    "std::",
                                                                    "__gnu_cxx::",
                                                                    "operator new",
                                                                    "malloc",
                                                                    "calloc",
                                                                    "realloc",
                                                                    "aligned_alloc",
                                                                    "posix_memalign",
                                                                    "memalign",
                                                                    "__libc",
                                                                    "_start",
                                                                    "start_thread",
                                                                    "clone",
                                                                    "__clone",
                                                                    "execute_native_thread",
                                                                    "_Py",
                                                                    "cfunction_"});
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

// The outermost frame of a function in a namespace; null if there is none.
const StackFrame* outermost(const Snapshot& snapshot, const StackInfo& stack, std::string_view scope) {
  const auto found = std::find_if(stack.frames.rbegin(), stack.frames.rend(), [&](const StackFrame& frame) {
    return snapshot.name(frame.function).starts_with(scope);
  });
  return found == stack.frames.rend() ? nullptr : &*found;
}

constexpr auto kOperators = std::to_array<std::string_view>({"torch::autograd::generated::", "at::_ops::"});

// A C++ function without its arguments and the namespaces of PyTorch's operators.
std::string short_function(std::string_view function) {
  for (const std::string_view scope : kOperators)
    if (function.starts_with(scope)) function.remove_prefix(scope.size());
  for (size_t at = function.find('('); at != std::string_view::npos; at = function.find('(', at + 1))
    if (!function.substr(at).starts_with("(anonymous")) return std::string(function.substr(0, at));
  return std::string(function);
}

// The outermost function of a std::thread that is not the C library's. Without debug symbols the frames around it have
// the names of exported functions nearby, such as "pthread_condattr_setpshared".
constexpr std::string_view kThreadEntry = "execute_native_thread";

}  // namespace

const StackFrame* call_site_frame(const Snapshot& snapshot, const StackInfo& stack) {
  const StackFrame *native = nullptr, *any = nullptr;
  for (const StackFrame& frame : stack.frames) {
    const std::string_view function = snapshot.name(frame.function), file = snapshot.name(frame.file);
    if (function.empty() && file.empty()) continue;
    if (function.starts_with(kThreadEntry)) break;
    if (any == nullptr) any = &frame;
    if (file.ends_with(".py")) {
      if (!is_library({}, file)) return &frame;
    } else if (native == nullptr && !is_library(function, file)) {
      native = &frame;
    }
  }
  if (native != nullptr) return native;
  // A backward pass runs in a thread of PyTorch without frames of the user's code.
  for (const std::string_view scope : kOperators)
    if (const StackFrame* op = outermost(snapshot, stack, scope)) return op;
  return any;
}

bool is_library_frame(const Snapshot& snapshot, const StackFrame& frame) {
  return is_library(snapshot.name(frame.function), snapshot.name(frame.file));
}

std::string frame_text(const Snapshot& snapshot, const StackFrame& frame) {
  const std::string_view path = snapshot.name(frame.file), file = path.substr(path.rfind('/') + 1);
  std::string text = short_function(snapshot.name(frame.function));
  if (file.empty() || file == "??") return text;
  if (!text.empty()) text += ' ';
  text += file;
  return frame.line > 0 ? text + ':' + std::to_string(frame.line) : text;
}

std::string call_site(const Snapshot& snapshot, const StackInfo* stack) {
  const StackFrame* frame = stack == nullptr ? nullptr : call_site_frame(snapshot, *stack);
  return frame == nullptr ? std::string() : frame_text(snapshot, *frame);
}

}  // namespace arenascope::trace
