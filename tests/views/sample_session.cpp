// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_session.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace arenascope::test {

using namespace trace;

GraphInfo sample_graph(const SampleOptions& options) {
  GraphInfo g;
  g.id = GraphId(0);
  g.model = "sample residual network";
  g.waits = options.waits;
  const auto leaf = [&](std::string name, std::vector<int64_t> shape, uint32_t flags) {
    TensorInfo t;
    t.name = std::move(name);
    t.dtype = "f32";
    t.bytes = 4;
    for (const int64_t d : shape) t.bytes *= d;
    t.shape = std::move(shape);
    t.flags = flags;
    g.leafs.push_back(t);
    return TensorRef::leaf(LeafId(g.leafs.size() - 1));
  };
  const auto node = [&](std::string name, std::string op, std::string layer, std::vector<int64_t> shape,
                        std::vector<TensorRef> sources) {
    TensorInfo t;
    t.name = std::move(name);
    t.op = std::move(op);
    t.layer = std::move(layer);
    t.dtype = "f32";
    t.bytes = 4;
    for (const int64_t d : shape) t.bytes *= d;
    t.flops = t.bytes * 64;
    t.shape = std::move(shape);
    t.sources = std::move(sources);
    t.backend = "cpu";
    t.tasks = options.threads;
    g.nodes.push_back(t);
    return TensorRef::node(NodeId(g.nodes.size() - 1));
  };
  int64_t channels = 64, side = 112;
  TensorRef x = leaf("data", {1, 3, 224, 224}, kInput);
  TensorRef w = leaf("conv1.weight", {64, 3, 7, 7}, kWeight);
  x = node("conv1", "CONV_2D", "stem", {1, channels, side, side}, {x, w});
  x = node("relu1", "RELU", "stem", {1, channels, side, side}, {x});
  side = 56;
  x = node("pool1", "POOL_2D", "stem", {1, channels, side, side}, {x});
  for (int b = 0; b < options.blocks; ++b) {
    const std::string layer = options.around + "block " + std::to_string(b), base = "b" + std::to_string(b) + ".";
    if (b > 0 && b % 3 == 0) {
      side = std::max<int64_t>(side / 2, 7);
      channels = std::min<int64_t>(channels * 2, 1 << 20);  // more would exceed 64 bits
    }
    const std::vector<int64_t> shape = {1, channels, side, side}, narrow = {1, channels / 2, side, side};
    w = leaf(base + "conv_a.weight", {channels / 2, channels, 1, 1}, kWeight);
    const TensorRef a = node(base + "conv_a", "CONV_2D", layer, narrow, {x, w});
    const TensorRef ar = node(base + "relu_a", "RELU", layer, narrow, {a});
    const TensorRef c = node(base + "conv_b", "CONV_2D", layer, narrow, {ar, w});
    const TensorRef cr = node(base + "relu_b", "RELU", layer, narrow, {c});
    const TensorRef d = node(base + "conv_c", "CONV_2D", layer, shape, {cr, w});
    const TensorRef shortcut = b % 3 == 0 ? node(base + "shortcut", "CONV_2D", layer, shape, {x, w}) : x;
    const TensorRef sum = node(base + "add", "ADD", layer, shape, {d, shortcut});
    x = node(base + "relu", "RELU", layer, shape, {sum});
  }
  x = node("pool5", "POOL_2D", "head", {1, channels, 1, 1}, {x});
  x = node("fc1000", "MUL_MAT", "head", {1, 1000}, {x, leaf("fc.weight", {1000, channels}, kWeight)});
  x = node("prob", "SOFT_MAX", "head", {1, 1000}, {x});
  g.nodes.back().flags = kOutput;
  for (const TensorInfo& t : g.nodes) g.edges += static_cast<int64_t>(t.sources.size());
  return g;
}

PlanInfo sample_plan(const GraphInfo& graph) {
  PlanInfo p;
  p.id = PlanId(0);
  p.graph = graph.id;
  p.planner = "greedy by size";
  p.order_name = "as built";
  p.alignment = 64;
  const int n = static_cast<int>(graph.nodes.size());
  for (int i = 0; i < n; ++i) p.order.emplace_back(i);
  std::vector<int> last(static_cast<size_t>(n), 0);
  int input_last = 1;
  for (int i = 0; i < n; ++i) {
    last[static_cast<size_t>(i)] = std::max(last[static_cast<size_t>(i)], i + 1);
    for (const TensorRef s : graph.nodes[static_cast<size_t>(i)].sources) {
      if (s.is_node()) last[s.index()] = i + 1;
      if (s.is_leaf() && s.index() == 0) input_last = i + 1;
    }
  }
  last.back() = n;
  const auto slice = [&](TensorRef t, Bytes bytes, int from, int to) {
    SliceInfo s;
    s.tensor = t;
    s.size = (bytes + 63) / 64 * 64;
    s.first = Step(from);
    s.last = Step(to);
    p.slices.push_back(s);
  };
  slice(TensorRef::leaf(LeafId(0)), graph.leafs[0].bytes, 0, input_last);
  for (int i = 0; i < n; ++i) {
    const TensorInfo& t = graph.nodes[static_cast<size_t>(i)];
    slice(TensorRef::node(NodeId(i)), t.bytes, i, last[static_cast<size_t>(i)]);
    if (t.op == "RELU") p.slices.back().in_place_of = t.sources[0];
  }
  // Greedy by size: largest first, each at the lowest free offset; in-place tensors follow their source.
  const auto index_of = [&](TensorRef t) { return t.is_leaf() ? size_t{0} : t.index() + 1; };
  std::vector<size_t> by_size(p.slices.size());
  for (size_t i = 0; i < by_size.size(); ++i) by_size[i] = i;
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](size_t a, size_t b) { return p.slices[a].size > p.slices[b].size; });
  struct Placed {
    Bytes lo, hi;
    int first, last;
  };
  std::vector<Placed> placed;
  std::vector<std::pair<Bytes, int>> block_of_offset;
  for (const size_t i : by_size) {
    SliceInfo& s = p.slices[i];
    if (s.in_place_of.valid()) continue;
    int to = s.last.value;  // including in-place successors
    for (TensorRef t = s.tensor;;) {
      TensorRef next;
      for (const SliceInfo& o : p.slices) {
        if (o.in_place_of.valid() && o.in_place_of == t) next = o.tensor, to = std::max(to, o.last.value);
      }
      if (!next.valid()) break;
      t = next;
    }
    std::vector<Placed> beside;
    for (const Placed& q : placed) {
      if (q.first < to && s.first.value < q.last) beside.push_back(q);
    }
    std::sort(beside.begin(), beside.end(), [](const Placed& a, const Placed& b) { return a.lo < b.lo; });
    Bytes at = 0;
    for (const Placed& q : beside) {
      if (at + s.size <= q.lo) break;
      at = std::max(at, q.hi);
    }
    s.offset = at;
    placed.push_back({at, at + s.size, s.first.value, to});
    p.arena_bytes = std::max(p.arena_bytes, at + s.size);
    size_t block = 0;
    while (block < block_of_offset.size() && block_of_offset[block].first != at) ++block;
    if (block == block_of_offset.size()) block_of_offset.emplace_back(at, 0);
    s.block = BlockId(block);
    s.level = std::min(block_of_offset[block].second++, 2);
  }
  for (SliceInfo& s : p.slices) {
    if (!s.in_place_of.valid()) continue;
    const SliceInfo& source = p.slices[index_of(s.in_place_of)];
    s.offset = source.offset;
    s.block = source.block;
    s.level = 1;
  }
  for (const Bytes b : Snapshot::occupancy(p)) p.lower_bound_bytes = std::max(p.lower_bound_bytes, b);
  p.capacity_bytes = p.arena_bytes + p.arena_bytes / 5;
  p.seconds = 0.0021;
  return p;
}

std::shared_ptr<Session> sample_session(const SampleOptions& options) {
  auto session = std::make_shared<Session>();
  const auto graph = std::make_shared<GraphInfo>(sample_graph(options));
  const auto plan = std::make_shared<PlanInfo>(sample_plan(*graph));
  session->describe(std::shared_ptr<const GraphInfo>(graph));
  session->describe(std::shared_ptr<const PlanInfo>(plan));
  for (int t = 0; t < options.threads; ++t) {
    session->describe(ThreadInfo{TrackId(t), "worker " + std::to_string(t)});
  }
  const TrackId copies(options.threads);
  session->describe(DeviceInfo{DeviceId(0), "CPU", "cpu", "", 8ll << 30});
  session->describe(DeviceInfo{DeviceId(1), "GPU 0", "opencl", "", 4ll << 30});
  session->describe(ThreadInfo{copies, "copy engine", TrackKind::CopyEngine, DeviceId(1)});
  session->describe(AllocatorInfo{0, "weights", MemoryKind::Persistent});
  session->describe(AllocatorInfo{1, "arena", MemoryKind::Workspace});
  std::mt19937 random(7);
  std::uniform_real_distribution<double> jitter(0.85, 1.25);
  Nanoseconds now = 1'000'000'000;
  const auto say = [&](int track, const Event& e) { session->events(TrackId(track), std::array{e}); };
  Bytes weights = 0;
  for (const TensorInfo& t : graph->leafs) {
    if (!(t.flags & kWeight)) continue;
    say(0, reserve(now += 1000, MemoryKind::Persistent, 0x100000u + static_cast<uint64_t>(weights), t.bytes, 0, 0));
    say(0, alloc(now += 2000, MemoryKind::Persistent, 0x100000u + static_cast<uint64_t>(weights), t.bytes, 0, 0));
    weights += t.bytes;
  }
  say(0, reserve(now += 1000, MemoryKind::Workspace, 0x2a0000, plan->arena_bytes, 1, 1));
  say(0, alloc(now += 1000, MemoryKind::Workspace, 0x2a0000, plan->arena_bytes, 1, 1));
  int64_t generation = 0;
  for (int r = 0; r < options.runs; ++r) {
    now += 40000;
    const RunId run(r);
    session->describe(RunInfo{run, graph->id, plan->id, now, options.threads, "cpu", "planned"});
    const int n = static_cast<int>(graph->nodes.size());
    const bool cut = options.unfinished && r + 1 == options.runs;
    const int until = cut ? n / 2 : n;
    for (int i = 0; i < until; ++i) {
      const NodeId id(i);
      const TensorInfo& t = graph->nodes[static_cast<size_t>(i)];
      say(0, step(run, now, Step(i), id));
      for (const SliceInfo& s : plan->slices) {
        if (s.last.value == i) say(0, slice_dead(run, now, s.tensor, s.offset, s.size, Step(i)));
      }
      for (const SliceInfo& s : plan->slices) {
        if (s.first.value == i) say(0, slice_live(run, now, s.tensor, s.offset, s.size, Step(i)));
      }
      const double cost = 6000 + static_cast<double>(t.bytes) / (t.op == "CONV_2D" ? 4.0 : 24.0);
      if (i == 12) {
        say(copies.value, copy(id, now + 500, now + static_cast<Nanoseconds>(cost), t.bytes, DeviceId(0), DeviceId(1)));
      }
      std::vector<Nanoseconds> ends;
      for (int k = 0; k < options.threads; ++k) {
        ends.push_back(now + static_cast<Nanoseconds>(cost / options.threads * jitter(random)));
      }
      const Nanoseconds last = *std::max_element(ends.begin(), ends.end());
      for (int k = 0; k < options.threads; ++k) {
        say(k, work(run, id, now + 200 * k, ends[static_cast<size_t>(k)], k));
        say(k, wait(run, id, ends[static_cast<size_t>(k)], last + 300, generation));
      }
      if (options.seen) {
        for (const SliceInfo& s : plan->slices) {
          if (s.tensor == TensorRef::node(id)) say(0, arena_write(run, last, s.tensor, s.offset, t.bytes, Step(i)));
          for (const TensorRef src : t.sources) {
            if (s.tensor == src) say(0, arena_read(run, last, src, s.offset, s.size, Step(i)));
          }
        }
      }
      ++generation;
      now = last + 700;
    }
    if (!cut) {
      for (const SliceInfo& s : plan->slices) {
        if (s.last.value == n) say(0, slice_dead(run, now, s.tensor, s.offset, s.size, Step(n)));
      }
      session->describe(RunEnd{run, now, RunStatus::Done});
    }
  }
  return session;
}

std::shared_ptr<Session> span_session(int64_t spans, int threads) {
  auto session = std::make_shared<Session>();
  auto graph = std::make_shared<GraphInfo>();
  graph->id = GraphId(0);
  graph->model = "spans";
  const int64_t per_thread =
      std::max<int64_t>(spans / threads / 2, 1);  // per thread, a node has one work span and one wait
  const int nodes = static_cast<int>(std::min<int64_t>(per_thread, 2000));
  graph->nodes.resize(static_cast<size_t>(nodes));
  for (int i = 0; i < nodes; ++i) {
    graph->nodes[static_cast<size_t>(i)].name = "node_" + std::to_string(i);
    graph->nodes[static_cast<size_t>(i)].op = i % 3 ? "ADD" : "MUL_MAT";
  }
  session->describe(std::shared_ptr<const GraphInfo>(graph));
  for (int t = 0; t < threads; ++t) session->describe(ThreadInfo{TrackId(t), "worker " + std::to_string(t)});
  std::mt19937 random(11);
  std::uniform_int_distribution<int> length(800, 9000);
  Nanoseconds now = 5'000'000'000;
  std::vector<std::vector<Event>> batch(static_cast<size_t>(threads));
  int64_t generation = 0;
  for (int64_t done = 0; done < per_thread;) {
    const RunId run(static_cast<int32_t>(done / nodes));
    session->describe(RunInfo{run, graph->id, PlanId(), now, threads, "cpu", "eager"});
    for (int i = 0; i < nodes && done < per_thread; ++i, ++done, ++generation) {
      batch[0].push_back(step(run, now, Step(i), NodeId(i)));
      Nanoseconds last = now;
      std::vector<Nanoseconds> ends;
      for (int t = 0; t < threads; ++t) ends.push_back(now + length(random)), last = std::max(last, ends.back());
      for (int t = 0; t < threads; ++t) {
        batch[static_cast<size_t>(t)].push_back(work(run, NodeId(i), now, ends[static_cast<size_t>(t)], t));
        batch[static_cast<size_t>(t)].push_back(
            wait(run, NodeId(i), ends[static_cast<size_t>(t)], last + 150, generation));
      }
      now = last + 200;
    }
    for (int t = 0; t < threads; ++t) {
      session->events(TrackId(t), batch[static_cast<size_t>(t)]);
      batch[static_cast<size_t>(t)].clear();
    }
    session->describe(RunEnd{run, now, RunStatus::Done});
    now += 3000;
  }
  return session;
}

}  // namespace arenascope::test
