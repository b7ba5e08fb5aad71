// SPDX-License-Identifier: MIT
// Limits shared by several modules.
#pragma once

namespace arenascope {

inline constexpr int kMaxThreads = 1024;  // maximum number of threads of a run

}  // namespace arenascope
