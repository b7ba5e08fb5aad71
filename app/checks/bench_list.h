// SPDX-License-Identifier: GPL-3.0-or-later
// Every benchmark by name. To add one: a function that returns rows, and a line in bench_list.cpp.
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
  std::string data;                    // the folder of test data; empty: ARENASCOPE_DATA or ../shared/data
  std::string model = "zoo:resnet50";  // for what runs a model
  std::string only;                    // for cpu: rows whose names contain it; empty: all
  int threads = 0;                     // 0: as many as there are processors
  bool processor_time = false;         // for planning: budgets count the time this process was at work
  int pairs = 0;                       // for record: of runs in turn; 0: as many as it takes
  bool quick = false;                  // smaller budgets: to see that it works
  std::function<void(const std::string&)> progress;  // what is measured now
};

// The folder of test data: told, or ARENASCOPE_DATA, or beside the checkout that one stands in.
std::filesystem::path data_folder(const BenchOptions& options);

struct Bench {
  const char* name;
  const char* description;
  Result<std::vector<BenchRow>> (*run)(const BenchOptions& options);
};

std::span<const Bench> all_benches();
const Bench* find_bench(std::string_view name);

}  // namespace arenascope::app
