// SPDX-License-Identifier: MIT
// The overhead of the client header in a program that includes it.
#pragma once
#include <vector>

#include "engine/bench/bench_row.h"

namespace arenascope::attach {

// Takes a second, and attaches this process to /dev/null. Returns no rows if that fails.
std::vector<BenchRow> bench_attach();

}  // namespace arenascope::attach
