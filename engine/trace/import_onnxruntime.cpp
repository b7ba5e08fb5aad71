// SPDX-License-Identifier: MIT
#include "engine/trace/import_onnxruntime.h"

#include <algorithm>

namespace arenascope::trace {

namespace {
constexpr std::string_view kKernelTime = "_kernel_time";
constexpr size_t kMaxRuns = (size_t{1} << 24) - 2;
}  // namespace

bool OnnxRuntimeNodes::add(const std::string& category, const std::string& name, const std::string& op,
                           const std::string& index, const std::string& thread, Nanoseconds begin, Nanoseconds end) {
  if (category == "Session" && name == "model_run") runs_.emplace_back(begin, end);
  if (category != "Node" || op.empty() || !name.ends_with(kKernelTime)) return false;
  const std::string node_name = name.substr(0, name.size() - kKernelTime.size());
  const auto [node, new_node] = node_of_.try_emplace(index + '\x1f' + node_name, static_cast<int32_t>(nodes_.size()));
  if (new_node) {
    nodes_.emplace_back();
    nodes_.back().name = node_name;
    nodes_.back().op = op;
  }
  const auto [row, new_thread] = thread_of_.try_emplace(thread, threads_.size());
  if (new_thread) threads_.push_back(thread);
  kernels_.push_back({begin, end, node->second, row->second});
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

void OnnxRuntimeNodes::replay(const std::string& model, const std::vector<size_t>& tracks, Sink& sink) {
  if (kernels_.empty()) return;
  auto graph = std::make_shared<GraphInfo>();
  graph->id = GraphId(0);
  graph->model = model;
  graph->nodes = std::move(nodes_);
  sink.describe(std::shared_ptr<const GraphInfo>(std::move(graph)));

  std::stable_sort(kernels_.begin(), kernels_.end(),
                   [](const Kernel& x, const Kernel& y) { return x.begin < y.begin; });
  std::sort(runs_.begin(), runs_.end());
  if (runs_.size() > kMaxRuns) runs_.resize(kMaxRuns);
  if (runs_.empty() || runs_[0].first > kernels_[0].begin)
    runs_.insert(runs_.begin(), {kernels_[0].begin, kernels_[0].begin});
  size_t next = 0;
  std::vector<std::vector<Event>> batches(threads_.size());
  for (size_t r = 0; r < runs_.size(); ++r) {
    const RunId id(r);
    RunInfo run;
    run.id = id;
    run.graph = GraphId(0);
    run.begin = runs_[r].first;
    run.threads = 1;
    run.backend = "onnxruntime";
    sink.describe(run);
    Nanoseconds end = runs_[r].second;
    for (int32_t at = 0; next < kernels_.size() && (r + 1 == runs_.size() || kernels_[next].begin < runs_[r + 1].first);
         ++next, ++at) {
      const Kernel& k = kernels_[next];
      batches[k.thread].push_back(step(id, k.begin, Step(at), NodeId(k.node)));
      batches[k.thread].push_back(work(id, NodeId(k.node), k.begin, k.end));
      end = std::max(end, k.end);
    }
    for (size_t t = 0; t < batches.size(); ++t) {
      if (!batches[t].empty()) sink.events(TrackId(tracks[t]), batches[t]);
      batches[t].clear();
    }
    sink.describe(RunEnd{id, end, RunStatus::Done});
  }
}

}  // namespace arenascope::trace
