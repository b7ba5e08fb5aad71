// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions built by hand for the views' tests: a small residual network that was planned and run, and a big one of
// nothing but spans. Everything in them follows from the arguments.
#pragma once
#include <arenascope/trace/session.h>

#include <memory>
#include <string>

namespace arenascope::test {

struct SampleOptions {
  int blocks = 8;  // residual blocks: 7 nodes each
  int threads = 3;
  int runs = 2;
  bool unfinished = false;  // the last run stops in the middle
  bool seen = true;         // says which bytes were touched
  std::string around = {};  // "Loop y / ": the layer that its blocks lie in
  int64_t waits = 0;        // operators that are opened behind it
};

// The network's graph; nodes in the order in which they run.
trace::GraphInfo sample_graph(const SampleOptions& options);
// Its intervals, packed greedily by size; blocks and levels told.
trace::PlanInfo sample_plan(const trace::GraphInfo& graph);
std::shared_ptr<trace::Session> sample_session(const SampleOptions& options = {});

// `spans` spans on `threads` tracks in all: work and waits in turn, with steps.
std::shared_ptr<trace::Session> span_session(int64_t spans, int threads = 8);

}  // namespace arenascope::test
