// SPDX-License-Identifier: MIT
// A row of a micro-benchmark: the measurement, its baseline and its target.
#pragma once
#include <string>

namespace arenascope {

struct BenchRow {
  std::string name;
  double value = 0;
  std::string unit;
  std::string peer;       // "" without a baseline
  double peer_value = 0;  // in `unit`; 0 without a baseline
  double ratio = 0;       // value ÷ peer_value; 0 without a baseline
  double target = 0;      // bound of `ratio` if there is a baseline, else of `value`
  bool passed = false;
};

}  // namespace arenascope
