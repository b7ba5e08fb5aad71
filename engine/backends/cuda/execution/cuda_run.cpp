// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/execution/cuda_run.h"

#include <algorithm>
#include <utility>

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
  if (!backend_.driver_->alive()) return;
  if (plain_.graph || timed_.graph) [[maybe_unused]]
    const Status through = backend_.driver_->synchronize_stream(backend_.compute_);
  forget(plain_);
  forget(timed_);
}

void CudaBackend::Run::forget(Captured& captured) noexcept {
  if (captured.graph) backend_.driver_->destroy_graph(captured.graph);
  captured.graph = 0;
  backend_.timeline_->drop(captured.pieces);
}

size_t CudaBackend::Run::nodes_of_launch(size_t i) const {
  const auto [first, count] = parts_[part_of_[i]];
  const auto chain = std::span<const TensorImpl* const>(given_).subspan(first, count);
  const bool has_own = count > 1 && is_convolution(*chain[0]) && !is_one_library_call(chain, *backend_.queue_);
  const size_t own = has_own ? 1 : 0;
  if (i < first + own) return 1;
  return i + 1 == first + count ? count - own : 0;
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
  return timed(node, [&] { return lower(request(index, params)); });
}

Status CudaBackend::Run::queue_part(size_t part, const ComputeParams& params) {
  const auto [first, count] = parts_[part];
  if (count == 1) return queue_node(first, params);
  return lower_chain(std::span<const TensorImpl* const>(given_).subspan(first, count), request(first, params),
                     [&](const TensorImpl& node, const auto& queue) { return timed(node, queue); });
}

Status CudaBackend::Run::timed(const TensorImpl& node, const std::function<Status()>& queue) {
  return backend_.timeline_->around(&node, backend_.compute_, 0, false, queue);
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

// The nodes queued so far are no complete run.
void CudaBackend::Run::abort_run() {
  as_one_ = false;
  queued_parts_.clear();
}

void CudaBackend::Run::end() {
  if (as_one_ && !queued_parts_.empty()) whole_run_ = std::move(queued_parts_);
  queued_parts_.clear();
  replaying_ = as_one_ = false;  // until the next run begins
}

Status CudaBackend::Run::begin_run(SubmitMode mode) {
  backend_.running_ = this;
  as_one_ = mode == SubmitMode::WholeGraph;
  // The first execution is queued normally, so that libraries load their modules outside a capture.
  if (!as_one_ || !backend_.options_.graphs || whole_run_.empty()) return {};
  if (auto ok = backend_.compute_waits_for_copies(); !ok) return ok;
  Captured* const captured = graph_to_launch();
  if (!captured) return {};
  backend_.may_fault_ = backend_.may_fault_ || captured->may_fault;
  if (auto ok = backend_.timeline_->launch(
          captured->pieces, backend_.compute_,
          [&] { return backend_.driver_->launch_graph(captured->graph, backend_.compute_); });
      !ok)
    return ok;
  replaying_ = true;
  ++backend_.replays_;
  return {};
}

// Null: no graph can be captured, and nodes are queued one by one from now on. If only the one with timers cannot, the
// other one is launched and its nodes are not timed.
CudaBackend::Run::Captured* CudaBackend::Run::graph_to_launch() {
  if (plain_.failed) return nullptr;
  const uint64_t now = places();
  for (Captured* captured : {&timed_, &plain_}) {
    const bool timed = captured == &timed_;
    if (captured->failed || (timed && !backend_.timeline_->needs_timers_in_graphs())) continue;
    if (captured->graph && captured->fingerprint == now) return captured;
    forget(*captured);
    captured->fingerprint = now;
    const Status done = capture(*captured);
    if (done) return captured;
    forget(*captured);
    captured->failed = true;
    (timed ? backend_.why_no_timed_graph_ : backend_.why_no_graph_) = done.error().message;
  }
  return nullptr;
}

Status CudaBackend::Run::capture(Captured& captured) {
  Driver& driver = *backend_.driver_;
  if (auto ok = driver.begin_capture(backend_.compute_); !ok) return ok;
  const bool before = std::exchange(backend_.may_fault_, false);
  Status queued;
  backend_.timeline_->capture_into(&captured.pieces, &captured == &timed_);
  for (size_t i = 0; i < whole_run_.size() && queued.ok(); ++i) queued = queue_part(whole_run_[i], work_);
  backend_.timeline_->capture_into(nullptr, false);
  auto graph = driver.end_capture(backend_.compute_);
  captured.may_fault = backend_.may_fault_;
  backend_.may_fault_ = backend_.may_fault_ || before;
  if (!graph) return queued ? Status(graph.error()) : queued;
  if (queued)
    captured.graph = *graph;
  else
    driver.destroy_graph(*graph);
  return queued;
}

}  // namespace arenascope::cuda
