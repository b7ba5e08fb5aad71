// SPDX-License-Identifier: MIT
// Nodes made ready for a device: each holds its weights as images need them, and their run holds what was recorded of it.
#pragma once
#include <optional>

#include <arenascope/runtime/prepared.h>
#include "engine/backends/opencl/node_weights.h"
#include "engine/backends/opencl/replay.h"

namespace arenascope::opencl {

class QueuedRun;

// What a backend and the nodes that it prepared share.
struct Queueing {
  Station station;
  QueuedRun* running = nullptr;  // which began last, until it goes
  bool checks = false;           // an op that can meet a wrong index was queued

  std::optional<trace::ReplayInfo> replay_state() const;  // of the run that began last
};

class QueuedRun final : public PreparedRun {
 public:
  // `replays`: what is queued may be recorded. `queueing` outlives it.
  QueuedRun(Queueing& queueing, bool replays) : queueing_(queueing), replay_(queueing.station.runtime, replays) {}
  ~QueuedRun() override;

  void add(const TensorImpl& node, std::shared_ptr<const NodeWeights> weights);
  Status begin_run(RunShape shape) override;
  void break_off() override { replay_.break_off(); }
  trace::ReplayInfo replay_info() const { return replay_.info(); }
  // All nodes of the run were computed.
  Status end() { return replay_.end(); }

 private:
  class Node;
  Queueing& queueing_;
  Replay replay_;
  std::vector<const TensorImpl*> given_;
  const std::byte* work_ = nullptr;  // of the node that was computed last
};

}  // namespace arenascope::opencl
