// SPDX-License-Identifier: MIT
// Options of the runners that a runner opens for its deferred subgraphs and loop bodies.
#pragma once
#include <arenascope/run/runner.h>

namespace arenascope {

struct SegmentContext {
  // To continue the recording of another runner: rings of its threads, and the graph whose values this one was compiled for.
  std::vector<trace::ThreadRing*> rings;
  trace::GraphId previous_graph;
  const Runner* weight_source = nullptr;  // shares the weights of this runner and its subgraphs; null: the first runner
  std::shared_ptr<ThreadPool> shared_pool;  // of the first runner
  std::shared_ptr<uint64_t> random_calls;   // number of random inputs generated so far in the run of the first runner
};

struct SegmentOptions : RunnerOptions {
  SegmentContext segment;
};

}  // namespace arenascope
