// SPDX-License-Identifier: MIT
#include "engine/trace/import_onnxruntime.h"

#include <arenascope/trace/event_sorter.h>

#include <algorithm>
#include <map>

namespace arenascope::trace {

namespace {
constexpr std::string_view kKernelTime = "_kernel_time";
constexpr size_t kMaxRuns = (size_t{1} << 24) - 2;
}  // namespace

bool OnnxRuntimeNodes::add(const std::string& category, const std::string& name, const std::string& op,
                           const std::string& index, const std::string& thread, Nanoseconds begin, Nanoseconds end) {
  if (category == "Session" && name == "model_run" && runs_.size() < kMaxRuns) runs_.push_back({begin, end, thread});
  if (category != "Node" || !name.ends_with(kKernelTime)) return false;
  Node node{name.substr(0, name.size() - kKernelTime.size()), op, index};
  const std::string key = node.index + '\x1f' + node.op + '\x1f' + node.name;
  const auto [identity, is_new] = identity_of_.try_emplace(key, static_cast<int32_t>(identities_.size()));
  if (is_new) identities_.push_back(std::move(node));
  const auto [row, is_new_thread] = thread_of_.try_emplace(thread, threads_.size());
  if (is_new_thread) threads_.push_back(thread);
  kernels_.push_back({begin, end, identity->second, row->second});
  return true;
}

std::vector<size_t> OnnxRuntimeNodes::add_tracks(ImportBuilder& builder) const {
  std::vector<size_t> tracks;
  for (const std::string& thread : threads_) {
    tracks.push_back(builder.track("kernels, " + thread));
    builder.info(tracks.back()).kind = TrackKind::Worker;
  }
  return tracks;
}

// A kernel belongs to the run during which it began: of several concurrent runs to the one of its thread, or else to the
// newest. Kernels outside all runs that follow each other form one run.
void OnnxRuntimeNodes::assign_runs() {
  std::stable_sort(kernels_.begin(), kernels_.end(),
                   [](const Kernel& x, const Kernel& y) { return x.begin < y.begin; });
  const auto by_begin = [](const ModelRun& x, const ModelRun& y) { return x.begin < y.begin; };
  std::stable_sort(runs_.begin(), runs_.end(), by_begin);
  const size_t known = runs_.size();
  std::vector<size_t> open;
  size_t next = 0, outside = SIZE_MAX;  // the run of the kernels outside all runs; SIZE_MAX: none since the last run
  for (size_t k = 0; k < kernels_.size(); ++k) {
    const Kernel& kernel = kernels_[k];
    for (; next < known && runs_[next].begin <= kernel.begin; outside = SIZE_MAX) open.push_back(next++);
    std::erase_if(open, [&](size_t r) { return runs_[r].end < kernel.begin; });
    auto own =
        std::find_if(open.rbegin(), open.rend(), [&](size_t r) { return runs_[r].thread == threads_[kernel.thread]; });
    if (own == open.rend()) own = open.rbegin();
    if (open.empty() && outside == SIZE_MAX && (runs_.size() < kMaxRuns || runs_.empty())) {
      outside = runs_.size();
      runs_.push_back({kernel.begin, kernel.end, threads_[kernel.thread], known == 0});
    }
    ModelRun& run = !open.empty() ? runs_[*own] : outside != SIZE_MAX ? runs_[outside] : runs_.back();
    run.end = std::max(run.end, kernel.end);
    run.kernels.push_back(k);
  }
  std::stable_sort(runs_.begin(), runs_.end(), by_begin);
}

TensorInfo OnnxRuntimeNodes::described(const Node& node) {
  TensorInfo info;
  info.name = node.name;
  info.op = node.op.empty() ? "unknown" : node.op;  // DirectML records none
  return info;
}

// The node of each kernel of each run, numbered by first use. Nodes that have neither a name nor an index are
// distinguished by their position among those of their op in a run.
std::vector<std::vector<int32_t>> OnnxRuntimeNodes::find_nodes(GraphInfo& graph) const {
  std::map<std::pair<int32_t, int32_t>, int32_t> node_of;  // by identity and position
  std::vector<std::vector<int32_t>> nodes;
  for (const ModelRun& run : runs_) {
    std::unordered_map<int32_t, int32_t> met;  // by identity, in this run
    std::vector<int32_t>& own = nodes.emplace_back();
    for (const size_t k : run.kernels) {
      const int32_t identity = kernels_[k].identity;
      const Node& node = identities_[static_cast<size_t>(identity)];
      const int32_t position = node.name.empty() && node.index.empty() ? met[identity]++ : 0;
      const auto [at, is_new] = node_of.try_emplace({identity, position}, static_cast<int32_t>(graph.nodes.size()));
      if (is_new) graph.nodes.push_back(described(node));
      own.push_back(at->second);
    }
  }
  return nodes;
}

void OnnxRuntimeNodes::replay(const std::string& model, const std::vector<size_t>& tracks, Sink& sink) {
  if (kernels_.empty()) return;
  assign_runs();
  auto graph = std::make_shared<GraphInfo>();
  graph->id = GraphId(0);
  graph->model = model;
  const std::vector<std::vector<int32_t>> nodes = find_nodes(*graph);
  sink.describe(std::shared_ptr<const GraphInfo>(std::move(graph)));

  std::vector<std::vector<Event>> batches(threads_.size());
  EventSorter sorter;
  for (size_t r = 0; r < runs_.size(); ++r) {
    const RunId id(r);
    RunInfo run;
    run.id = id;
    run.graph = GraphId(0);
    run.begin = runs_[r].begin;
    run.threads = 1;
    run.backend = "onnxruntime";
    sink.describe(run);
    for (size_t i = 0; i < nodes[r].size(); ++i) {
      const Kernel& k = kernels_[runs_[r].kernels[i]];
      std::vector<Event>& batch = batches[k.thread];
      batch.push_back(step(id, k.begin, Step(static_cast<int32_t>(i)), NodeId(nodes[r][i])));
      batch.push_back(work(id, NodeId(nodes[r][i]), k.begin, k.end));
    }
    for (size_t t = 0; t < batches.size(); ++t) {
      sorter.add(TrackId(tracks[t]), batches[t]);
      batches[t].clear();
    }
    sorter.drain_all(sink);
    sink.describe(RunEnd{id, runs_[r].end, runs_[r].ended ? RunStatus::Done : RunStatus::Aborted});
  }
}

}  // namespace arenascope::trace
