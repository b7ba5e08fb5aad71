// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/execution/cuda_run.h"

#include <algorithm>

namespace arenascope::cuda {

class CudaBackend::Run::Node final : public PreparedNode {
 public:
  Node(Run& run, size_t index) : run_(run), index_(index) {}
  Status compute(const ComputeParams& params) override { return run_.compute(index_, params); }

 private:
  Run& run_;
  const size_t index_;
};

CudaBackend::Run::Run(CudaBackend& backend, std::span<const TensorImpl* const> nodes)
    : backend_(backend), given_(nodes.begin(), nodes.end()) {
  for (size_t i = 0; i < given_.size(); ++i) nodes_.push_back(std::make_unique<Node>(*this, i));
  // An eager run binds its memory node by node.
  const bool bound = std::all_of(given_.begin(), given_.end(),
                                 [](const TensorImpl* node) { return node->element_count() == 0 || node->data(); });
  if (backend_.options_.chains && bound)
    parts_ = Chains(given_).parts();
  else
    for (size_t i = 0; i < given_.size(); ++i) parts_.push_back({i, 1});
  part_of_.assign(given_.size(), 0);
  for (size_t p = 0; p < parts_.size(); ++p)
    for (size_t i = 0; i < parts_[p].count; ++i) part_of_[parts_[p].first + i] = p;
}

CudaBackend::Run::~Run() {
  if (backend_.running_ == this) backend_.running_ = nullptr;
  if (!graph_ || !backend_.driver_->alive()) return;
  [[maybe_unused]] const Status through = backend_.driver_->synchronize_stream(backend_.compute_);
  forget_graph();
}

void CudaBackend::Run::forget_graph() {
  if (graph_) backend_.driver_->destroy_graph(graph_);
  graph_ = 0;
}

const TensorImpl* CudaBackend::Run::find(unsigned long long number) const {
  return number > 0 && number <= given_.size() ? given_[static_cast<size_t>(number) - 1] : nullptr;
}

LaunchRequest CudaBackend::Run::request(size_t index, const ComputeParams& params) const {
  return {*given_[index],    *backend_.queue_, reinterpret_cast<char*>(params.work),
          params.work_bytes, index + 1,        backend_.fault_};
}

Status CudaBackend::Run::queue_node(size_t index, const ComputeParams& params) {
  const TensorImpl& node = *given_[index];
  backend_.may_fault_ = backend_.may_fault_ || info(node.op).reads_indices();
  return backend_.timeline_->around(&node, backend_.compute_, 0, false, [&] { return lower(request(index, params)); });
}

Status CudaBackend::Run::queue_part(size_t part, const ComputeParams& params) {
  const auto [first, count] = parts_[part];
  if (count == 1) return queue_node(first, params);
  return lower_chain(std::span<const TensorImpl* const>(given_).subspan(first, count), request(first, params));
}

Status CudaBackend::Run::compute(size_t index, const ComputeParams& params) {
  backend_.running_ = this;
  if (replaying_) return {};
  if (auto ok = backend_.compute_waits_for_copies(); !ok) {
    as_one_ = false;
    return ok;
  }
  if (!as_one_) return queue_node(index, params);
  work_ = params;
  const auto [first, count] = parts_[part_of_[index]];
  if (index + 1 < first + count) return {};
  queued_parts_.push_back(part_of_[index]);
  Status queued = queue_part(part_of_[index], params);
  if (!queued) as_one_ = false;  // the nodes queued so far are no complete run
  return queued;
}

void CudaBackend::Run::end() {
  if (as_one_ && !queued_parts_.empty()) whole_run_ = std::move(queued_parts_);
  queued_parts_.clear();
  replaying_ = as_one_ = false;  // until the next run begins
}

Status CudaBackend::Run::begin_run(SubmitMode shape) {
  backend_.running_ = this;
  as_one_ = shape == SubmitMode::WholeGraph && !backend_.timeline_->keeps();
  // The first execution is queued normally, so that libraries load their modules outside a capture.
  if (!as_one_ || !backend_.options_.graphs || graph_failed_ || whole_run_.empty()) return {};
  const uint64_t now = places();
  if (now != graph_fingerprint_) forget_graph();
  if (auto ok = backend_.compute_waits_for_copies(); !ok) return ok;
  if (!graph_) {
    if (auto ok = capture(); !ok) {
      graph_failed_ = true;  // queued node by node from now on
      backend_.why_no_graph_ = ok.error().message;
      return {};
    }
    graph_fingerprint_ = now;
  }
  backend_.may_fault_ = backend_.may_fault_ || graph_may_fault_;
  if (auto ok = backend_.driver_->launch_graph(graph_, backend_.compute_); !ok) return ok;
  replaying_ = true;
  ++backend_.replays_;
  return {};
}

Status CudaBackend::Run::capture() {
  Driver& driver = *backend_.driver_;
  const bool before = backend_.may_fault_;
  backend_.may_fault_ = false;
  if (auto ok = driver.begin_capture(backend_.compute_); !ok) return ok;
  Status queued;
  for (size_t i = 0; i < whole_run_.size() && queued.ok(); ++i) queued = queue_part(whole_run_[i], work_);
  auto graph = driver.end_capture(backend_.compute_);
  graph_may_fault_ = backend_.may_fault_;
  backend_.may_fault_ = backend_.may_fault_ || before;
  if (!graph) return queued ? Status(graph.error()) : queued;
  if (queued)
    graph_ = *graph;
  else
    driver.destroy_graph(*graph);
  return queued;
}

}  // namespace arenascope::cuda
