// SPDX-License-Identifier: MIT
#include "engine/runtime/run_trace.h"

#include <algorithm>

#include <fmt/format.h>

#include <arenascope/schedule/describe.h>

#include "engine/runtime/machine.h"

namespace arenascope {

RunTrace::RunTrace(Backend& backend, const ExecutorOptions& options) : backend_(backend), options_(options) {
  const auto threads = static_cast<size_t>(options.threads);
  if (!on()) {
    rings_.resize(threads);
    return;
  }
  rings_ = options.rings;
  rings_.resize(std::min(rings_.size(), threads));
  while (rings_.size() < threads)
    rings_.push_back(options.recorder->register_thread(fmt::format("worker {}", rings_.size())));
  if (!backend.runs_on_host_threads()) add_device_rows(backend);
}

// Tracks of the device: executed work, waiting work, copies.
void RunTrace::add_device_rows(Backend& backend) {
  backend.enable_profiling(true);
  trace::DeviceInfo info;
  info.name = backend.description();
  info.backend = backend.name();
  device_ = options_.recorder->describe(info);
  if (options_.rings.size() == rings_.size() + Executor::kDeviceRows) {
    rings_ = options_.rings;
    return;
  }
  const std::string name = to_string(backend.device());
  rings_.push_back(options_.recorder->register_thread(name, trace::TrackKind::DeviceQueue, device_));
  rings_.push_back(options_.recorder->register_thread(name + " waiting", trace::TrackKind::Other, device_));
  rings_.push_back(options_.recorder->register_thread(name + " copies", trace::TrackKind::CopyEngine, device_));
}

void RunTrace::describe(const ExecutionPlan& plan, const StepList& steps, const Storage& arena) {
  trace::Recorder& recorder = *options_.recorder;
  const auto nodes = plan.graph.nodes();
  auto graph = describe_graph(plan);
  graph.model = options_.model;
  graph.continuation_of = options_.previous_graph;
  graph.waits = options_.deferred_nodes;
  graph.nodes.shrink_to_fit();
  for (size_t i = 0; i < graph.nodes.size(); ++i) graph.nodes[i].backend = steps.backend_of(*nodes[i]).name();
  // The span of a joint launch belongs to its last node.
  for (const std::vector<NodeId>& launch : steps.joint_launches())
    for (const NodeId id : launch) {
      const trace::TensorInfo& part = graph.nodes[id.index()];
      graph.nodes[launch.back().index()].parts.push_back({part.op, part.op_number, part.name});
    }
  run_info_ = {};
  run_info_.graph = recorder.describe(std::move(graph));
  auto described = describe_plan(plan.memory);
  described.graph = run_info_.graph;
  for (trace::SliceInfo& slice : described.slices) {
    const TensorImpl& node = *nodes[slice.tensor.index()];
    if (!arena.allocated() || !node.storage.allocated()) continue;
    const std::byte *begin = arena.data(), *end = begin + arena.bytes(), *data = node.data();
    slice.bound = data >= begin && data + node.byte_span() <= end;
    slice.bound_offset = slice.bound ? data - begin : 0;
  }
  run_info_.plan = recorder.describe(std::move(described));
  recorder.describe(describe_context(plan.graph.context()));
  run_info_.backend = backend_.name();
  run_info_.strategy = name(options_.strategy);
  run_info_.lead = rings_[0]->track();
  run_info_.steps_derived = true;
  run_info_.threads_requested = options_.threads;
  run_info_.processor = processor_name();
  const auto& processors = options_.pool.processors;
  run_info_.affinity =
      processors.empty() ? allowed_processors() : std::vector<int32_t>(processors.begin(), processors.end());
  run_info_.build = build_text();
  load_known_ = 0;
}

trace::RunId RunTrace::begin(int threads, bool stepped) {
  constexpr Nanoseconds kLoadLasts = 100'000'000;
  const trace::Clock& clock = options_.recorder->clock();
  const Nanoseconds now = clock.now();
  if (load_known_ == 0 || now - load_known_ > kLoadLasts) {
    run_info_.load = std::max(machine_load(), 0.0);
    load_known_ = now;
  }
  run_info_.threads = threads;
  run_info_.stepped = stepped;
  run_info_.begin = clock.now();
  return options_.recorder->begin_run(run_info_);
}

void RunTrace::end(const trace::RunEnd& end, std::span<const DeviceSpan> spans, const Graph& graph) {
  if (!backend_.runs_on_host_threads()) {
    record_spans(end.id, spans, graph);
    record_diagnostics(end.id);
  }
  options_.recorder->end_run(end);
}

void RunTrace::record_spans(trace::RunId run, std::span<const DeviceSpan> spans, const Graph& graph) {
  const auto first = static_cast<size_t>(options_.threads);
  if (rings_.size() < first + Executor::kDeviceRows) return;
  trace::Recorder& recorder = *options_.recorder;
  const auto host = trace::DeviceId::none();
  const trace::NameId queued = recorder.name("queued"), submitted = recorder.name("submitted");
  // A span without its own kernel name bears the name of the op, which is known from the node.
  const auto kernel = [&](const DeviceSpan& span) {
    const bool has_name = !span.what.empty() && span.what != name(span.node->op);
    return has_name ? recorder.name(span.what) : trace::NameId::none();
  };
  for (const DeviceSpan& span : spans) {
    const NodeId node = span.node ? graph.find_node(*span.node) : NodeId::none();
    if (span.copied > 0)
      rings_[first + 2]->record(trace::copy(node, span.begin, span.end, span.copied, span.to_device ? host : device_,
                                            span.to_device ? device_ : host));
    else if (!node.valid())  // queued before the run to prepare weights, or replayed without times of its nodes
      rings_[first]->record(trace::slice(span.begin, span.end, recorder.name(span.what), 0));
    else
      rings_[first]->record(trace::work(run, node, span.begin, span.end, 0, kernel(span)));
    rings_[first + 1]->record(trace::slice(span.queued, span.submitted, queued, 0));
    rings_[first + 1]->record(trace::slice(span.submitted, span.begin, submitted, 0));
  }
}

void RunTrace::record_diagnostics(trace::RunId run) {
  trace::Recorder& recorder = *options_.recorder;
  BackendDiagnostics notes = backend_.drain_diagnostics();
  for (trace::Problem& problem : notes.problems) {
    problem.time = recorder.now();
    problem.run = run;
    recorder.problem(std::move(problem));
  }
  if (notes.clock_error) recorder.describe(trace::ClockInfo{device_, *notes.clock_error, recorder.now()});
  if (notes.replay) {
    trace::ReplayInfo replay = *notes.replay;
    replay.device = device_;
    replay.run = run;
    replay.time = recorder.now();
    recorder.describe(replay);
  }
  if (std::vector<trace::PoolBlockInfo> blocks = backend_.pool_blocks(); !blocks.empty() && blocks != pool_blocks_) {
    pool_blocks_ = blocks;
    recorder.describe(trace::PoolInfo{device_, std::move(blocks), run, recorder.now()});
  }
  for (trace::TuningInfo& tuning : notes.tunings) {
    tuning.time = recorder.now();
    tuning.run = run;
    recorder.describe(std::move(tuning));
  }
}

}  // namespace arenascope
