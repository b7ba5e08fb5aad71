// SPDX-License-Identifier: MIT
// Compilation is a fixed sequence of passes. The first ones transform the graph, the last ones plan its execution.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope {

struct PassInfo {
  const char* name;      // "rewrite"
  const char* contract;  // one sentence
};

// In execution order.
std::span<const PassInfo> compile_passes();
// Null: there is no such pass.
const PassInfo* find_pass(std::string_view name);

// The effect of a pass on a program. A pass that does not apply has no report.
struct PassReport {
  const PassInfo* pass = nullptr;
  int64_t nodes_before = 0, nodes_after = 0;
  std::string change;  // "layer norm: 4 times", "3 tensors in images"; empty: nothing changed
  double seconds = 0;
};

}  // namespace arenascope
