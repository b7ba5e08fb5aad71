// SPDX-License-Identifier: MIT
#include "engine/audit/onnxruntime_profile.h"

#include <algorithm>

namespace arenascope::audit {

bool OnnxRuntimeProfile::add(const std::string& category, const std::string& event, Kernel kernel) {
  constexpr std::string_view kKernel = "_kernel_time";
  if (category == "Session" && event == "model_run")
    runs_.push_back({kernel.thread, kernel.begin, kernel.end, true, {}});
  if (category != "Node" || !event.ends_with(kKernel)) return false;
  kernel.name = event.substr(0, event.size() - kKernel.size());
  kernels_.push_back(std::move(kernel));
  return true;
}

// The run that had begun and not ended when a kernel began; of several one of the kernel's thread, or the newest.
OnnxRuntimeProfile::ModelRun* OnnxRuntimeProfile::run_of(const Kernel& kernel, size_t known) {
  ModelRun *newest = nullptr, *same_thread = nullptr;
  for (size_t i = 0; i < known; ++i) {
    ModelRun& run = runs_[i];
    if (kernel.begin < run.begin || run.end < kernel.begin) continue;
    newest = &run;
    if (run.thread == kernel.thread) same_thread = &run;
  }
  return same_thread != nullptr ? same_thread : newest;
}

// Kernels outside the "model_run" events belong to runs whose end is missing: one each time between two of these events.
// Without any such event, they are one whole run.
void OnnxRuntimeProfile::find_runs() {
  const auto by_begin = [](const auto& a, const auto& b) { return a.begin < b.begin; };
  std::stable_sort(kernels_.begin(), kernels_.end(), by_begin);
  std::stable_sort(runs_.begin(), runs_.end(), by_begin);
  const size_t known = runs_.size();
  std::map<size_t, size_t> without_end;  // by the number of runs that had begun
  for (const Kernel& k : kernels_) {
    ModelRun* run = run_of(k, known);
    if (run == nullptr) {
      size_t begun = 0;
      while (begun < known && runs_[begun].begin <= k.begin) ++begun;
      const auto [at, fresh] = without_end.try_emplace(begun, runs_.size());
      if (fresh) runs_.push_back({k.thread, k.begin, k.end, known == 0, {}});
      run = &runs_[at->second];
    }
    run->end = std::max(run->end, k.end);
    run->kernels.push_back(&k);
  }
  std::stable_sort(runs_.begin(), runs_.end(), by_begin);
}

namespace {

void add_run(Raw& raw, size_t number, Nanoseconds begin, Nanoseconds end, bool ended) {
  RawRun& run = raw.runs[static_cast<int32_t>(number)];
  run.info.id = run.end.id = trace::RunId(number);
  run.info.graph = trace::GraphId(0);
  run.info.begin = begin;
  run.info.threads = 1;
  run.ended = true;
  run.end.end = end;
  run.end.status = ended ? trace::RunStatus::Done : trace::RunStatus::Aborted;
}

}  // namespace

// A node has a name or an index. One without both is the first, second, … one of its op in a run.
void OnnxRuntimeProfile::put(Raw& raw, Tables& tables) {
  if (kernels_.empty()) return;
  raw.format = "ONNX Runtime profile";
  raw.has_bodies = true;
  raw.graphs[0].id = trace::GraphId(0);
  std::vector<trace::TensorInfo>& nodes = raw.graphs[0].nodes;
  const auto row_of = [&](const Kernel& k) {
    const std::string row = "kernels, thread " + k.thread;
    return tables.track(row, row);
  };
  for (const Kernel& k : kernels_) row_of(k);  // rows are numbered in the order of the file
  find_runs();
  std::map<std::string, int32_t> numbers;
  for (size_t r = 0; r < runs_.size(); ++r) {
    add_run(raw, r, runs_[r].begin, runs_[r].end, runs_[r].ended);
    std::map<std::string, int> nameless;  // by op
    for (const Kernel* k : runs_[r].kernels) {
      std::string key = k->index + "/" + k->op + "/" + k->name;
      if (k->name.empty() && k->index.empty()) key += "/" + std::to_string(nameless[k->op]++);
      const auto [node, fresh] = numbers.try_emplace(key, static_cast<int32_t>(nodes.size()));
      if (fresh) nodes.push_back({.name = k->name, .op = k->op.empty() ? "unknown" : k->op});
      RawSpan s;
      s.kind = SpanKind::Work;
      s.track = row_of(*k);
      s.run = static_cast<int32_t>(r);
      s.node = node->second;
      s.begin = k->begin;
      s.end = k->end;
      raw.spans.push_back(std::move(s));
      raw.cover(k->begin, k->end);
    }
  }
}

}  // namespace arenascope::audit
