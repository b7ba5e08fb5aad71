// SPDX-License-Identifier: MIT
// The calls of this program that launch OpenCL kernels: they are logged, and passed on to the ICD loader. The log is
// independent of the backend, which calls the same functions as in every other program.
#pragma once
#include <string>
#include <vector>

namespace arenascope::test {

// Kernels that were queued since the last call, in order: name, sizes and arguments. Those of a command buffer are
// preceded by an entry for the buffer.
std::vector<std::string> take_opencl_launches();

}  // namespace arenascope::test
