// SPDX-License-Identifier: MIT
// What the client header costs a program that carries it.
#pragma once
#include <vector>

#include "engine/bench/bench_row.h"

namespace arenascope::attach {

// Takes a second, and attaches this process to /dev/null. No rows where that is not possible.
std::vector<BenchRow> bench_attach();

}  // namespace arenascope::attach
