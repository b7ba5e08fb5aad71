// SPDX-License-Identifier: MIT
// The share of one task of a node: its rows, and its bytes of the work buffer.
#pragma once
#include <arenascope/base/ids.h>

#include <cstdint>

namespace arenascope::cpu {

struct TaskShare {
  int64_t first_row = 0, last_row = 0;  // half-open
  Bytes work_offset = 0, work_bytes = 0;
};

// Task ith of nth of a node with `rows` rows, which are split at multiples of `unit`. Each task needs `scratch` bytes,
// rounded up to a cache line.
TaskShare task_share(int64_t rows, int ith, int nth, int64_t unit, Bytes scratch);

}  // namespace arenascope::cpu
