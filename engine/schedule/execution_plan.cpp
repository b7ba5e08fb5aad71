// SPDX-License-Identifier: MIT
#include <arenascope/schedule/execution_plan.h>

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

namespace arenascope {
namespace {

// Maximum scratch memory for more chunks than threads; above it a node has one chunk per thread.
constexpr Bytes kMaxStealingWork = Bytes{4} << 20;

// The bytes that a node reads and writes, by owner and arena range. Leaf tensors count only if a node writes them.
struct Touched {
  struct Slice {
    const TensorImpl* owner;
    Bytes begin, end;  // in the arena; empty outside it
    bool written;
  };
  std::vector<Slice> slices;
  bool work = false;

  bool conflicts(const Touched& other) const {
    if (work && other.work) return true;
    for (const Slice& a : slices)
      for (const Slice& b : other.slices) {
        if (!a.written && !b.written) continue;
        if (a.owner == b.owner || (a.begin < b.end && b.begin < a.end)) return true;
      }
    return false;
  }
  void add(const Touched& other) {
    slices.insert(slices.end(), other.slices.begin(), other.slices.end());
    work = work || other.work;
  }
};

class Dependencies {
 public:
  explicit Dependencies(const ExecutionPlan& plan)
      : plan_(plan), lives_(find_owners(plan.graph)), ranges_(lives_.size(), {0, 0}) {
    for (const PlannedTensor& t : plan.memory.tensors) ranges_[t.node.index()] = {t.offset, t.offset + t.size};
    for (const TensorImpl* node : plan.graph.nodes())
      if (info(node->op).writes_source()) written_.insert(&base_of(*node));
  }
  Touched of(const PlannedStep& step) const {
    Touched out;
    out.work = step.work_bytes > 0;
    const TensorImpl& node = plan_.graph.node(step.node);
    add(out, node, true);
    for (const TensorImpl* source : node.sources) add(out, *source, false);
    return out;
  }

 private:
  void add(Touched& to, const TensorImpl& tensor, bool written) const {
    const NodeId node = plan_.graph.find_node(tensor);
    const NodeId owner = node.valid() ? lives_[node.index()].owner : NodeId::none();
    if (owner.valid()) {
      const auto [begin, end] = ranges_[owner.index()];
      return to.slices.push_back({&plan_.graph.node(owner), begin, end, written});
    }
    if (written_.count(&base_of(tensor))) to.slices.push_back({&base_of(tensor), 0, 0, written});
  }
  const ExecutionPlan& plan_;
  const std::vector<Lifetime> lives_;
  std::vector<std::pair<Bytes, Bytes>> ranges_;    // by owner; empty outside the arena
  std::unordered_set<const TensorImpl*> written_;  // leaf tensors that a node writes
};

void find_single_thread_runs(ExecutionPlan& plan) {
  PlannedStep* before = nullptr;
  for (PlannedStep& step : plan.steps) {
    if (step.tasks == 0) continue;
    if (before && before->tasks == 1 && step.tasks == 1) before->sync_after = SyncAfter::SameThread;
    before = &step;
  }
}

// Groups of steps without a barrier in between: no two steps of a group conflict. There is no work stealing inside a
// group because a thread may be a step ahead.
void find_independent(ExecutionPlan& plan) {
  constexpr int kMaxGroupSize = 16;
  const Dependencies dependencies(plan);
  PlannedStep* before = nullptr;
  Touched group;   // since the last barrier
  Touched others;  // the part of `group` before the current row of steps of the first thread
  int count = 0;
  for (PlannedStep& step : plan.steps) {
    if (step.tasks == 0) continue;
    const Touched own = dependencies.of(step);
    const bool row = before && before->sync_after == SyncAfter::SameThread && !others.conflicts(own);
    if (row ||
        (before && before->sync_after != SyncAfter::SameThread && count < kMaxGroupSize && !group.conflicts(own))) {
      if (!row) {
        before->sync_after = SyncAfter::None;
        before->parts = before->tasks;
        step.parts = step.tasks;
        others = group;
        ++count;
      }
      group.add(own);
    } else {
      if (before) before->sync_after = SyncAfter::Barrier;
      group = own;
      others = {};
      count = 1;
    }
    before = &step;
  }
}

StepKind kind_of(const TensorImpl& node, const Capabilities& backend, bool partitioned) {
  if (backend.runs_on_host_threads()) return StepKind::Main;
  const bool on_host = node.placement == Placement::Host;
  const StepKind own_side = on_host ? StepKind::Host : StepKind::Main;
  if (node.op != Op::Copy) return own_side;
  // Leaf tensors are located where they are read; the executor handles those that are read by a copy.
  const TensorImpl& source = *node.sources[0];
  if (source.op == Op::None) return partitioned ? StepKind::Transfer : own_side;
  return on_host == (source.placement == Placement::Host) ? own_side : StepKind::Transfer;
}

// Sets how the step is computed. Error: its backend cannot compute it.
Status plan_step(PlannedStep& step, const TensorImpl& node, const Capabilities& on, int threads,
                 const ExecutionPlanOptions& options) {
  if (auto ok = on.supports(node); !ok)
    return Error{
        fmt::format("node {} '{}' cannot run on {}: {}", step.node.value, node.name, on.name(), ok.error().message)};
  step.tasks = std::clamp(on.tasks(node, threads), 1, threads);
  step.parts = step.tasks;
  step.work_bytes = on.work_bytes(node, step.tasks);
  if (!options.stealing || step.tasks == 1) return {};
  const int parts = std::clamp(on.parts(node, step.tasks), step.tasks, 64 * step.tasks);
  const Bytes work = parts > step.tasks ? on.work_bytes(node, parts) : 0;
  if (parts > step.tasks && work <= std::max(kMaxStealingWork, step.work_bytes))
    step.parts = parts, step.work_bytes = work;
  return {};
}

}  // namespace

Result<ExecutionPlan> ExecutionPlan::make(const Graph& graph, MemoryPlan memory, const Capabilities& backend,
                                          int threads, const ExecutionPlanOptions& options, const Capabilities* host) {
  if (threads < 1 || threads > kMaxThreads)
    return Error{fmt::format("cannot run on {} threads: expected 1 to {}", threads, kMaxThreads)};
  ExecutionPlan plan;
  plan.graph = graph;
  plan.threads = backend.runs_on_host_threads() || host ? threads : 1;
  plan.steps.reserve(memory.order.size());
  std::vector<uint8_t> joined(graph.nodes().size(), 0);
  for (NodeId id : memory.joined) joined[id.index()] = 1;
  for (NodeId id : memory.order) {
    const TensorImpl& node = graph.node(id);
    PlannedStep step{.node = id, .joined = joined[id.index()] != 0};
    if (has_work(node)) {
      step.kind = kind_of(node, backend, host != nullptr);
      const bool on_host = step.kind == StepKind::Host;
      if (on_host && !host)
        return Error{fmt::format("node {} '{}' is the host's, and no backend computes for it", id.value, node.name)};
      if (step.kind == StepKind::Transfer) {
        step.tasks = step.parts = 1;
      } else {
        const int most = on_host || backend.runs_on_host_threads() ? plan.threads : 1;
        if (auto ok = plan_step(step, node, on_host ? *host : backend, most, options); !ok) return ok.error();
      }
      Bytes& work = on_host ? plan.host_work_bytes : plan.work_bytes;
      work = std::max(work, step.work_bytes);
    }
    plan.steps.push_back(step);
  }
  if (plan.work_bytes > 0) plan.work_bytes += 64 * plan.threads;
  if (plan.host_work_bytes > 0) plan.host_work_bytes += 64 * plan.threads;
  plan.memory = std::move(memory);
  if (options.rows || plan.threads == 1) find_single_thread_runs(plan);
  if (options.independent && plan.threads > 1) find_independent(plan);
  return plan;
}

}  // namespace arenascope
