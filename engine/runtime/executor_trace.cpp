// SPDX-License-Identifier: MIT
// What an executor tells a recorder, and what it reports of a run: before it and behind it, never on the way.
#include <arenascope/runtime/executor.h>

#include <algorithm>
#include <unordered_map>

#include <arenascope/schedule/describe.h>

#include "engine/runtime/executor_shared.h"
#include "engine/runtime/machine.h"

namespace arenascope {

// Graph, plan and what all runs have in common. Where the tensors lie is read from what was bound.
void Executor::describe() {
  trace::Recorder& recorder = *options_.recorder;
  const auto nodes = plan_.graph.nodes();
  auto graph = describe_graph(plan_);
  graph.model = options_.model;
  graph.nodes.shrink_to_fit();
  for (size_t i = 0; i < graph.nodes.size(); ++i) graph.nodes[i].backend = backend_of(*nodes[i]).name();
  trace_graph_ = recorder.describe(std::move(graph));
  auto described = describe_plan(plan_.memory);
  described.graph = trace_graph_;
  for (trace::SliceInfo& slice : described.slices) {
    const TensorImpl& node = *nodes[slice.tensor.index()];
    if (!arena_.allocated() || !node.storage.allocated()) continue;
    const std::byte *begin = arena_.data(), *end = begin + arena_.bytes(), *data = node.data();
    slice.bound = data >= begin && data + node.byte_span() <= end;
    slice.bound_offset = slice.bound ? data - begin : 0;
  }
  trace_plan_ = recorder.describe(std::move(described));
  recorder.describe(describe_context(plan_.graph.context()));
  note_owners();
  run_info_ = {};
  run_info_.graph = trace_graph_;
  run_info_.plan = trace_plan_;
  run_info_.backend = backend_.name();
  run_info_.strategy = name(options_.strategy);
  run_info_.lead = rings_[0]->track();
  run_info_.steps_derived = true;
  run_info_.threads_asked = options_.threads;
  run_info_.processor = processor_name();
  const auto& processors = options_.pool.processors;
  run_info_.affinity =
      processors.empty() ? allowed_processors() : std::vector<int32_t>(processors.begin(), processors.end());
  run_info_.build = build_text();
  load_known_ = 0;
}

const Backend& Executor::backend_of(const TensorImpl& node) const {
  return host_ && node.placement == Placement::Host && node.op != Op::Copy ? *host_ : backend_;
}

// Whose the memory is that was bound before the run: weights, inputs, and results with memory of their own.
void Executor::note_owners() const {
  const auto leafs = plan_.graph.leafs(), nodes = plan_.graph.nodes();
  for (size_t i = 0; i < leafs.size(); ++i) note_owner(*leafs[i], trace::TensorRef::leaf(LeafId(i)));
  for (size_t i = 0; i < nodes.size(); ++i) note_owner(*nodes[i], trace::TensorRef::node(NodeId(i)));
}

void Executor::note_owner(const TensorImpl& tensor, trace::TensorRef ref) const {
  const BlockPtr& block = tensor.storage.block();
  if (!options_.owners || !trace_graph_.valid() || !block || tensor.is_view() || block == arena_.block()) return;
  if (tensor.storage.bytes() != block->bytes()) return;  // one of several in it
  options_.owners->on_own(*block, trace_graph_, ref);
}

void Executor::begin_recording(Shared& shared) {
  constexpr Nanoseconds kLoadLasts = 100'000'000;
  const Nanoseconds now = shared.clock.now();
  if (load_known_ == 0 || now - load_known_ > kLoadLasts) {
    run_info_.load = std::max(machine_load(), 0.0);
    load_known_ = now;
  }
  run_info_.threads = shared.threads_used();
  run_info_.stepped = shared.stepped;
  run_info_.begin = shared.clock.now();
  shared.run = options_.recorder->begin_run(run_info_);
}

void Executor::end_recording(Shared& shared, std::span<const DeviceSpan> spans, Nanoseconds end) {
  if (!backend_.runs_on_host_threads()) trace_device(shared.run, spans);
  const auto status = !shared.error.ok() ? trace::RunStatus::Failed
                      : shared.aborted   ? trace::RunStatus::Aborted
                                         : trace::RunStatus::Done;
  options_.recorder->end_run({shared.run, end, status, shared.stepped, shared.threads_used()});
}

// Rows of the device's own: what ran, what waited to run, what was copied.
void Executor::add_device_rows() {
  const trace::DeviceId id = trace_device_;
  const std::string name = to_string(backend_.device());
  rings_.push_back(options_.recorder->register_thread(name, trace::TrackKind::DeviceQueue, id));
  rings_.push_back(options_.recorder->register_thread(name + " waiting", trace::TrackKind::Other, id));
  rings_.push_back(options_.recorder->register_thread(name + " copies", trace::TrackKind::CopyEngine, id));
}

void Executor::trace_device(trace::RunId run, std::span<const DeviceSpan> spans) {
  trace::Recorder& recorder = *options_.recorder;
  const size_t first = static_cast<size_t>(options_.threads);
  if (rings_.size() < first + kDeviceRows) return;
  const auto host = trace::DeviceId::none(), device = trace_device_;
  const trace::NameId queued = recorder.name("queued"), submitted = recorder.name("submitted");
  for (const DeviceSpan& span : spans) {
    const NodeId node = span.node ? plan_.graph.find_node(*span.node) : NodeId::none();
    if (span.copied > 0)
      rings_[first + 2]->record(trace::copy(node, span.begin, span.end, span.copied, span.to_device ? host : device,
                                            span.to_device ? device : host));
    else
      rings_[first]->record(trace::work(run, node, span.begin, span.end));
    rings_[first + 1]->record(trace::slice(span.queued, span.submitted, queued, 0));
    rings_[first + 1]->record(trace::slice(span.submitted, span.begin, submitted, 0));
  }
  BackendNotes notes = backend_.take_notes();
  for (trace::Problem& problem : notes.problems) {
    problem.time = recorder.now();
    problem.run = run;
    recorder.problem(std::move(problem));
  }
  if (notes.clock_error) recorder.describe(trace::ClockInfo{device, *notes.clock_error, recorder.now()});
  for (trace::TuningInfo& tuning : notes.tunings) {
    tuning.time = recorder.now();
    tuning.run = run;
    recorder.describe(std::move(tuning));
  }
}

void Executor::fill_times(const Shared& shared, std::span<const DeviceSpan> spans, RunReport& report) const {
  const size_t threads = shared.threads;
  report.nodes.resize(plan_.steps.size());
  for (const Item& item : items_) {
    const auto* row = &shared.times[item.step * threads];
    if (row[0].leave == 0) continue;
    NodeTime& time = report.nodes[item.step];
    Nanoseconds first = row[0].begin, last = row[0].arrive;
    for (size_t t = 0; t < (shared.by_itself ? 1 : threads); ++t) {
      if (t < static_cast<size_t>(item.tasks))
        first = std::min(first, row[t].begin), last = std::max(last, row[t].arrive);
      time.barrier_wait_nanoseconds += row[t].leave - row[t].arrive;
    }
    time.nanoseconds = last - first;
  }
  // Where a device tells its own times, those are what the nodes took, not what it took to queue them.
  std::unordered_map<const TensorImpl*, Nanoseconds> told;
  for (const DeviceSpan& span : spans)
    if (span.node) told[span.node] += span.end - span.begin;
  for (size_t step = 0; step < plan_.steps.size() && !told.empty(); ++step) {
    const auto found = told.find(&plan_.graph.node(plan_.steps[step].node));
    if (found != told.end()) report.nodes[step].nanoseconds = found->second;
  }
}

}  // namespace arenascope
