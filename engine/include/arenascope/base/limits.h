// SPDX-License-Identifier: MIT
// Bounds that several rooms share.
#pragma once

namespace arenascope {

inline constexpr int kMaxThreads = 1024;  // that may take part in a run

}  // namespace arenascope
