// SPDX-License-Identifier: MIT
// Call sites of allocations: the frame of a call stack that its reader knows. Allocations are grouped by it.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <string>

namespace arenascope::trace {

// The innermost frame outside PyTorch, the C++ library, the C library and the interpreter; a Python frame is preferred to one
// of native code. If all frames belong to these: PyTorch's operator, else the innermost frame. Null: an empty stack.
const StackFrame* call_site_frame(const Snapshot& snapshot, const StackInfo& stack);
// True for a frame of PyTorch, the C++ library, the C library or the interpreter.
bool is_library_frame(const Snapshot& snapshot, const StackFrame& frame);
// "step optimizer.py:78"; functions of C++ without their arguments.
std::string frame_text(const Snapshot& snapshot, const StackFrame& frame);
// The text of the call site's frame; empty for an unknown or empty stack.
std::string call_site(const Snapshot& snapshot, const StackInfo* stack);

}  // namespace arenascope::trace
