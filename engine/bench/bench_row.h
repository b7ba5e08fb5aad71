// SPDX-License-Identifier: MIT
// One line of a micro-benchmark: what was measured, against which peer, and what was wanted.
#pragma once
#include <string>

namespace arenascope {

struct BenchRow {
  std::string name;
  double value = 0;
  std::string unit;
  std::string peer;       // "" if the figure stands alone
  double peer_value = 0;  // in `unit`; 0 without a peer
  double ratio = 0;       // value ÷ peer_value; 0 without a peer
  double wanted = 0;      // the bound on `ratio` if there is a peer, else on `value`
  bool met = false;
};

}  // namespace arenascope
