// SPDX-License-Identifier: GPL-3.0-or-later
// Synthetic sessions for the tests of the views: a small residual network that was planned and run, and a large one
// with spans only. They are determined by their arguments.
#pragma once
#include <arenascope/trace/session.h>

#include <memory>
#include <string>

namespace arenascope::test {

struct SampleOptions {
  int blocks = 8;  // residual blocks: 7 nodes each
  int threads = 3;
  int runs = 2;
  bool unfinished = false;  // the last run ends in the middle
  bool seen = true;         // with events for accessed bytes
  std::string around = {};  // "Loop y / ": the layer around its blocks
  int64_t waits = 0;        // number of operators in deferred subgraphs
};

// The graph of the network, with nodes in execution order.
trace::GraphInfo sample_graph(const SampleOptions& options);
// Its memory plan, packed greedily by size, with blocks and levels.
trace::PlanInfo sample_plan(const trace::GraphInfo& graph);
std::shared_ptr<trace::Session> sample_session(const SampleOptions& options = {});

// `spans` spans in total on `threads` tracks: alternating work and waits, with steps.
std::shared_ptr<trace::Session> span_session(int64_t spans, int threads = 8);

}  // namespace arenascope::test
