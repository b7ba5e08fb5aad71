// SPDX-License-Identifier: MIT
// A small made-up run, fed to any sink: four nodes on two threads, three tensors in an arena of 3000 bytes.
#pragma once
#include <arenascope/trace/event_sorter.h>

#include <array>

namespace arenascope::test {
using namespace trace;

inline constexpr Nanoseconds kRunLength = 1000;

// Runs, with the events of `sorter` between theirs: node k begins at 200 k; thread 0 works 100 ns, thread 1 120 ns; both
// leave 5 ns after the last.
inline void fill_runs(Sink& sink, int first, int count, EventSorter sorter = {}) {
  for (int run = first; run < first + count; ++run) {
    const Nanoseconds start = 10'000 + run * kRunLength;
    const RunId id(run);
    sink.describe(RunInfo{.id = id,
                          .graph = GraphId(0),
                          .plan = PlanId(0),
                          .begin = start,
                          .threads = 2,
                          .backend = "cpu",
                          .strategy = "planned"});
    std::vector<Event> t0, t1;
    const std::array<std::array<Bytes, 4>, 3> slices{{{0, 1000, 0, 3}, {1000, 2000, 1, 4}, {0, 0, 0, 0}}};
    for (int k = 0; k < 4; ++k) {
      const Nanoseconds t = start + 200 * k;
      t0.push_back(step(id, t, Step(k), NodeId(k)));
      for (size_t i = 0; i < 2; ++i) {
        if (slices[i][2] == k) {
          const TensorRef tensor = TensorRef::node(NodeId(static_cast<int32_t>(i)));
          t0.push_back(slice_live(id, t, tensor, slices[i][0], slices[i][1], Step(k)));
          t0.push_back(arena_write(id, t + 50, tensor, slices[i][0], slices[i][1], Step(k)));
        }
        if (slices[i][3] == k) {
          t0.push_back(
              slice_dead(id, t, TensorRef::node(NodeId(static_cast<int32_t>(i))), slices[i][0], slices[i][1], Step(k)));
        }
      }
      if (k == 3) {
        t0.push_back(slice_live(id, t, TensorRef::node(NodeId(2)), 0, 0, Step(3)));
        t0.push_back(arena_write(id, t, TensorRef::node(NodeId(2)), 0, 0, Step(3)));
      }
      t0.push_back(work(id, NodeId(k), t, t + 100, 0));
      t1.push_back(work(id, NodeId(k), t, t + 120, 1));
      t0.push_back(wait(id, NodeId(k), t + 100, t + 125, run * 4 + k));
      t1.push_back(wait(id, NodeId(k), t + 120, t + 125, run * 4 + k));
    }
    t0.push_back(slice_dead(id, start + 800, TensorRef::node(NodeId(1)), 1000, 2000, Step(4)));
    t0.push_back(slice_dead(id, start + 800, TensorRef::node(NodeId(2)), 0, 0, Step(4)));
    sorter.add(TrackId(0), t0);
    sorter.add(TrackId(1), t1);
    sorter.add(RunEnd{id, start + 800, RunStatus::Done});
    sorter.drain_all(sink);
    sink.flush();
  }
  sorter.drain_all(sink);
}

struct SampleOptions {
  int runs = 1;
};

inline void fill(Sink& sink, SampleOptions options) {
  sink.describe(ThreadInfo{TrackId(0), "worker 0"});
  sink.describe(ThreadInfo{TrackId(1), "worker 1"});
  sink.describe(DeviceInfo{.id = DeviceId(0), .name = "CPU", .backend = "cpu", .memory_bytes = 1 << 30});
  sink.describe(AllocatorInfo{.id = 1, .name = "caching", .kind = MemoryKind::Workspace});
  sink.describe(CounterInfo{CounterId(0), "load", "%"});
  sink.describe(NameInfo{NameId(0), "layer 0"});
  auto graph = std::make_shared<GraphInfo>();
  graph->id = GraphId(0);
  graph->model = "sample";
  for (int i = 0; i < 4; ++i) {
    TensorInfo n{.name = "n" + std::to_string(i),
                 .op = "ADD",
                 .layer = "layer 0",
                 .dtype = "f32",
                 .shape = {25, 10},
                 .strides = {40, 4},
                 .bytes = 1000,
                 .flops = 250};
    n.sources = {i == 0 ? TensorRef::leaf(LeafId(0)) : TensorRef::node(NodeId(i - 1))};
    n.tasks = 2;
    if (i == 2) n.placement = Placement::Packed;
    graph->nodes.push_back(std::move(n));
  }
  graph->leafs.push_back({.name = "input", .dtype = "f32", .shape = {25, 10}, .bytes = 1000, .flags = kInput});
  graph->edges = 4;
  sink.describe(std::shared_ptr<const GraphInfo>(graph));
  auto plan = std::make_shared<PlanInfo>();
  plan->id = PlanId(0);
  plan->graph = GraphId(0);
  plan->planner = "greedy";
  plan->order_name = "as built";
  plan->arena_bytes = plan->lower_bound_bytes = 3000;
  plan->alignment = 64;
  for (int i = 0; i < 4; ++i) plan->order.push_back(NodeId(i));
  plan->slices.push_back({TensorRef::node(NodeId(0)), 0, 1000, Step(0), Step(3), BlockId(0), 0, TensorRef::none()});
  plan->slices.push_back({TensorRef::node(NodeId(1)), 1000, 2000, Step(1), Step(4), BlockId(1), 0, TensorRef::none()});
  plan->slices.push_back({TensorRef::node(NodeId(2)), 0, 0, Step(3), Step(4), BlockId(0), 1, TensorRef::none()});
  plan->slices[0].part_of = plan->slices[1].tensor;
  plan->elsewhere.push_back({.tensor = TensorRef::node(NodeId(2)),
                             .size = 500,
                             .first = Step(3),
                             .last = Step(4),
                             .placement = Placement::Packed});
  sink.describe(std::shared_ptr<const PlanInfo>(plan));
  auto context = std::make_shared<ContextInfo>();
  context->id = ContextId(0);
  context->name = "pool";
  context->mem_size = 4096;
  context->used_mem = 512;
  context->objects.push_back({32, 224, 0, 32, "tensor", 1, "n0"});
  context->objects.push_back({288, 224, 256, 32, "tensor", -1, "n1"});
  sink.describe(std::shared_ptr<const ContextInfo>(context));
  EventSorter sorter;
  sorter.add(TrackId(0), std::array{reserve(9'990, MemoryKind::Workspace, 0x1000, 4096, 1, 0),
                                    alloc(9'995, MemoryKind::Workspace, 0x1000, 1000, 1, 1),
                                    alloc(10'200, MemoryKind::Workspace, 0x2000, 2000, 1, 2),
                                    free(10'600, MemoryKind::Workspace, 0x1000, 1000, 1, 1),
                                    free(10'801, MemoryKind::Workspace, 0x2000, 2000, 1, 2),
                                    counter(10'000, CounterId(0), 12.5), layer(RunId(0), 10'000, NameId(0), 0),
                                    copy(NodeId(0), 9'996, 9'999, 1000, DeviceId(0), DeviceId(0)),
                                    context_object(9'000, ContextId(0), 32, 224, 1)});
  fill_runs(sink, 0, options.runs, std::move(sorter));
}

}  // namespace arenascope::test
