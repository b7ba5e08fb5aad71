// SPDX-License-Identifier: MIT
// Nodes prepared for a device. Each holds its prepared weights, and the run holds its recorded command buffers.
#pragma once
#include <optional>

#include <arenascope/runtime/prepared.h>
#include "engine/backends/opencl/node_weights.h"
#include "engine/backends/opencl/replay.h"

namespace arenascope::opencl {

class QueuedRun;

// State shared by a backend and its prepared nodes.
struct Queueing {
  KernelContext ctx;
  QueuedRun* running = nullptr;  // the run that began last, until it is destroyed
  bool checks = false;           // an op that can meet an invalid index was queued

  std::optional<trace::ReplayInfo> replay_state() const;  // state of the run that began last
};

class QueuedRun final : public PreparedGraph {
 public:
  // `replays`: queued work may be recorded. `queueing` must outlive it.
  QueuedRun(Queueing& queueing, bool replays) : queueing_(queueing), replay_(queueing.ctx.runtime, replays) {}
  ~QueuedRun() override;

  void add(const TensorImpl& node, std::shared_ptr<const NodeWeights> weights);
  Status begin_run(SubmitMode mode) override;
  bool interruptible() const override { return replay_.direct(); }
  void abort_run() override { replay_.abort_run(); }
  trace::ReplayInfo replay_info() const { return replay_.info(); }
  // All nodes of the run have been computed.
  Status end() { return replay_.end(); }

 private:
  class Node;
  Queueing& queueing_;
  Replay replay_;
  std::vector<const TensorImpl*> given_;
  const std::byte* work_ = nullptr;  // scratch of the node computed last
};

}  // namespace arenascope::opencl
