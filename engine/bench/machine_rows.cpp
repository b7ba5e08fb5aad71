// SPDX-License-Identifier: MIT
// The machine's limits on one thread: rows without a target, for comparison with the others.
#include "engine/bench/peers.h"

namespace arenascope::cpu_bench {

void machine_rows(Table& table) {
  constexpr int64_t kFloats = int64_t{16} << 20;
  const auto alone = [&](const std::string& name, const std::string& unit, double amount, const Peer& loop) {
    if (loop.run) table.against(name, {unit, amount, 0}, loop.run, {});
  };
  alone("machine: multiply-add peak", "GFLOP/s", 2, multiply_add_loop(2e9));
  alone("machine: int8 matmul", "GFLOP/s", 2.0 * 1.073741824, onednn_gemm(Number::I8, 1024, 1024, 1024));
  alone("machine: read 64 MiB", "GB/s", 4e-9 * kFloats, read_loop(kFloats));
  alone("machine: copy 64 MiB, reads and writes", "GB/s", 8e-9 * kFloats, copy_loop(kFloats));
  alone("machine: add two arrays of 64 MiB", "GB/s", 12e-9 * kFloats, combine_loop(kFloats));
}

}  // namespace arenascope::cpu_bench
