// SPDX-License-Identifier: GPL-3.0-or-later
// All benchmarks by name. To add one, write a function that returns rows and add a line in bench_list.cpp.
#pragma once
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/base/result.h>
#include "engine/bench/bench_row.h"

namespace arenascope::app {

struct BenchOptions {
  std::string data;                    // directory of test data; empty: ARENASCOPE_DATA or ../shared/data
  std::string model = "zoo:resnet50";  // for benchmarks that run a model
  std::string only;                    // for cpu: substring of row names; empty: all
  int threads = 0;                     // 0: one per CPU
  bool processor_time = false;         // for planning: budgets count CPU time
  int pairs = 0;                       // for record: interleaved pairs of runs; 0: until the result is stable
  bool quick = false;                  // smaller budgets, as a smoke test
  std::function<void(const std::string&)> progress;  // called with the name of the current measurement
};

// The directory of test data: the given one, ARENASCOPE_DATA, or the one next to the checkout.
std::filesystem::path data_folder(const BenchOptions& options);

struct Bench {
  const char* name;
  const char* description;
  Result<std::vector<BenchRow>> (*run)(const BenchOptions& options);
};

std::span<const Bench> all_benches();
const Bench* find_bench(std::string_view name);

}  // namespace arenascope::app
