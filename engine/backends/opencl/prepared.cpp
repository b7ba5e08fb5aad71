// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/prepared.h"

#include "engine/backends/opencl/queue_node.h"

namespace arenascope::opencl {

class QueuedRun::Node final : public PreparedNode {
 public:
  Node(QueuedRun& run, const TensorImpl& node, std::shared_ptr<const NodeWeights> weights)
      : run_(run), node_(node), weights_(std::move(weights)) {}

  Status compute(const ComputeParams& params) override {
    if (!has_work(node_) || params.ith != 0) return {};
    Queueing& queueing = run_.queueing_;
    queueing.checks = queueing.checks || info(node_.op).reads_indices();
    run_.work_ = params.work;
    if (run_.replay_.replaying()) return {};
    Runtime& runtime = queueing.ctx.runtime;
    runtime.set_node(&node_);
    Status status = queue_node(queueing.ctx, node_, params, weights_.get());
    runtime.set_node(nullptr);
    return status;
  }

 private:
  QueuedRun& run_;
  const TensorImpl& node_;
  const std::shared_ptr<const NodeWeights> weights_;
};

std::optional<trace::ReplayInfo> Queueing::replay_state() const {
  return running ? std::optional(running->replay_info()) : std::nullopt;
}

QueuedRun::~QueuedRun() {
  if (queueing_.running == this) queueing_.running = nullptr;
}

void QueuedRun::add(const TensorImpl& node, std::shared_ptr<const NodeWeights> weights) {
  given_.push_back(&node);
  nodes_.push_back(std::make_unique<Node>(*this, node, std::move(weights)));
}

Status QueuedRun::begin_run(SubmitMode mode) {
  queueing_.running = this;
  if (mode == SubmitMode::PerNode)
    replay_.begin_inspected();
  else
    replay_.begin(address_fingerprint(given_, work_));
  return {};
}

}  // namespace arenascope::opencl
