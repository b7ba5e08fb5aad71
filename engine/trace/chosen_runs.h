// SPDX-License-Identifier: MIT
// The runs of a graph that its statistics include: warm complete ones, otherwise cold ones, otherwise incomplete ones.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <cstdint>
#include <vector>

namespace arenascope::trace {

struct ChosenRuns {
  std::vector<const RunTable*> tables;
  const RunTable* first = nullptr;  // the first cold run
  int64_t left_out = 0;
  bool cold = false, incomplete = false;
};

// The tables belong to the snapshot.
ChosenRuns choose_runs(const Snapshot& snapshot, GraphId graph);

}  // namespace arenascope::trace
