// SPDX-License-Identifier: MIT
#include "engine/schedule/findings_run.h"

#include <algorithm>
#include <map>

namespace arenascope {
namespace {

constexpr int64_t kFewBarriers = 8;       // fewer are not significant
constexpr size_t kMaxBarriers = 400'000;  // only the newest are analysed
constexpr size_t kNodes = 3;              // number of nodes with the worst balance to report

void add_late_threads(const FindingsInput& in, std::vector<Finding>& found) {
  struct Late {
    int64_t times = 0;
    Nanoseconds cost = 0;
  };
  std::map<int32_t, Late> by_track;
  int64_t barriers = 0;
  int32_t threads = 0;
  const auto& all = in.snapshot->barriers;
  for (size_t i = all.size() > kMaxBarriers ? all.size() - kMaxBarriers : 0; i < all.size(); ++i) {
    const trace::Barrier& b = all[i];
    if (b.threads < 2 || !b.last_arriver.valid()) continue;
    ++barriers;
    threads = std::max(threads, b.threads);
    Late& late = by_track[b.last_arriver.value];
    ++late.times;
    late.cost += b.wait_sum;
  }
  if (barriers < kFewBarriers || threads < 2) return;
  const auto runs = static_cast<int64_t>(std::max<size_t>(in.snapshot->recorded_runs(), 1));
  for (const auto& [track, late] : by_track) {
    const double share = static_cast<double>(late.times) / static_cast<double>(barriers);
    // Under a uniform distribution each thread is last equally often.
    if (share < 1.4 / threads || share < 0.4) continue;
    Finding f;
    f.kind = Finding::Kind::LateThread;
    f.track = trace::TrackId(track);
    f.share = share;
    f.count = barriers;
    f.time = late.cost / runs;
    found.push_back(f);
  }
}

void add_imbalance(const FindingsInput& in, std::vector<Finding>& found) {
  if (!in.graph) return;
  std::vector<Finding> worst;
  const std::vector<trace::NodeStats> stats = in.snapshot->stats(in.graph->id);
  for (size_t i = 0; i < std::min(stats.size(), in.graph->nodes.size()); ++i) {
    const trace::NodeStats& s = stats[i];
    if (s.barriers == 0 || s.wait <= 0) continue;
    const double share = s.wait / (s.wait + s.busy);
    if (share < 0.25) continue;
    Finding f;
    f.kind = Finding::Kind::Imbalance;
    f.tensors = {trace::TensorRef::node(NodeId(i))};
    f.share = share;
    f.count = in.graph->nodes[i].tasks;
    f.time = static_cast<Nanoseconds>(s.wait);
    f.track = s.most_frequent_last;
    worst.push_back(f);
  }
  std::sort(worst.begin(), worst.end(), [](const Finding& a, const Finding& b) { return a.time > b.time; });
  worst.resize(std::min(worst.size(), kNodes));
  found.insert(found.end(), worst.begin(), worst.end());
}

void add_copies(const FindingsInput& in, std::vector<Finding>& found) {
  struct Copies {
    int64_t count = 0;
    Bytes bytes = 0;
    Nanoseconds time = 0;
  };
  const trace::Snapshot& s = *in.snapshot;
  const trace::Run* run = s.run(in.run);
  if (!run || !in.graph) return;
  std::map<std::pair<int32_t, uint32_t>, Copies> by_node;  // and devices
  for (size_t i = 0; i < s.copies.size(); ++i) {
    const trace::Event& e = s.event(s.copies[i]);
    if (e.begin() < run->info.begin || e.begin() >= run->end || !e.node().valid()) continue;
    Copies& c = by_node[{e.node().value, e.extra()}];
    ++c.count;
    c.bytes += e.b;
    c.time += e.end() - e.begin();
  }
  for (const auto& [key, c] : by_node) {
    if (c.count < 2 || static_cast<size_t>(key.first) >= in.graph->nodes.size()) continue;
    Finding f;
    f.kind = Finding::Kind::CopyAgain;
    f.tensors = {trace::TensorRef::node(NodeId(key.first))};
    f.count = c.count;
    f.bytes = c.bytes - c.bytes / c.count;
    f.time = c.time - c.time / c.count;
    found.push_back(f);
  }
}

}  // namespace

void add_run_findings(const FindingsInput& in, std::vector<Finding>& found) {
  if (!in.snapshot) return;
  add_late_threads(in, found);
  add_imbalance(in, found);
  add_copies(in, found);
}

}  // namespace arenascope
