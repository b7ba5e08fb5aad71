// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX files whose graphs are partly known only at run time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/temp_folder.h"

namespace arenascope::test {

inline constexpr int64_t kLoopSize = 8;

// A loop that adds 1 to the elements of x [1, kLoopSize] up to a limit; optionally in a branch.
void write_loop(const std::string& path, float limit, bool in_a_branch);

// One model per reason why a plan omits or assumes something; returns their paths.
std::vector<std::string> write_incomplete_models(const TempFolder& folder);

}  // namespace arenascope::test
