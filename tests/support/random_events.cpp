// SPDX-License-Identifier: MIT
#include "support/random_events.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>

namespace arenascope::test {

using namespace trace;

namespace {

constexpr Bytes kGrain = 16;

class Maker {
 public:
  Maker(uint64_t seed, RandomEvents options) : random_(seed), options_(options) {}

  Stream make() {
    describe_allocators();
    const int executors = number(1, 3);
    for (int e = 0; e < executors; ++e) add_executor();
    const int runs = number(1, 8);
    for (int r = 0; r < runs; ++r) add_run(static_cast<size_t>(number(0, executors - 1)));
    add_allocations();
    if (!options_.whole && number(0, 2) == 0) lose_some();
    drain(true);
    return std::move(stream_);
  }

 private:
  struct Executor {
    std::vector<TrackId> threads;
    std::shared_ptr<PlanInfo> plan;
    Nanoseconds now = 0;
    uint32_t generation = 1;
  };

  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  void describe_allocators() {
    describe(Description(DeviceInfo{.id = DeviceId(0), .name = "CPU", .backend = "cpu"}));
    for (uint32_t a = 0; a < 2; ++a)
      describe(Description(AllocatorInfo{a, "allocator " + std::string(1, static_cast<char>('A' + a)),
                                         MemoryKind::Workspace, DeviceId(0)}));
    memory_track_ = thread("allocating");
  }

  void describe(Description description) { stream_.entries.push_back({std::move(description), TrackId(), {}}); }

  TrackId thread(std::string name) {
    const TrackId id(tracks_++);
    describe(Description(ThreadInfo{.id = id, .name = std::move(name)}));
    return id;
  }

  void add_executor() {
    Executor e;
    const int threads = number(1, 3), nodes = number(2, 7);
    for (int t = 0; t < threads; ++t) e.threads.push_back(thread("worker " + std::to_string(tracks_)));
    auto graph = std::make_shared<GraphInfo>();
    graph->id = GraphId(executors_.size());
    for (int n = 0; n < nodes; ++n)
      graph->nodes.push_back(
          {.name = "node " + std::to_string(n), .op = "ADD", .flops = number(0, 1000), .tasks = threads});
    describe(Description(std::shared_ptr<const GraphInfo>(graph)));
    e.plan = plan(graph->id, nodes);
    describe(Description(std::shared_ptr<const PlanInfo>(e.plan)));
    e.now = 1000 + number(0, 300);
    executors_.push_back(std::move(e));
  }

  // First fit, in the order of the steps; a tensor may reuse the bytes of one that ends where it begins.
  std::shared_ptr<PlanInfo> plan(GraphId graph, int nodes) {
    auto p = std::make_shared<PlanInfo>();
    p->id = PlanId(graph.value);
    p->graph = graph;
    p->planner = "first fit";
    for (int n = 0; n < nodes; ++n) {
      p->order.push_back(NodeId(n));
      SliceInfo s;
      s.tensor = TensorRef::node(NodeId(n));
      s.size = kGrain * number(1, 12);
      s.first = Step(n);
      s.last = Step(std::min(nodes, n + number(1, 4)));
      s.block = BlockId(n);
      bool fits = false;
      for (; !fits; s.offset += fits ? 0 : kGrain) {
        fits = true;
        for (const SliceInfo& o : p->slices)
          if (o.first < s.last && s.first < o.last && o.offset < s.offset + s.size && s.offset < o.offset + o.size)
            fits = false;
      }
      p->arena_bytes = std::max(p->arena_bytes, s.offset + s.size);
      p->slices.push_back(s);
    }
    p->lower_bound_bytes = p->arena_bytes - kGrain * number(0, 2);
    return p;
  }

  void add_run(size_t executor) {
    Executor& e = executors_[executor];
    const RunId run(runs_++);
    e.now += number(0, 200);
    describe(Description(RunInfo{.id = run,
                                 .graph = e.plan->graph,
                                 .plan = e.plan->id,
                                 .begin = e.now,
                                 .threads = static_cast<int32_t>(e.threads.size()),
                                 .backend = "cpu",
                                 .strategy = "planned"}));
    e.now += number(1, 9);
    const int nodes = static_cast<int>(e.plan->order.size());
    const int stops_at = options_.whole || number(0, 4) != 0 ? nodes : number(0, nodes);
    for (int step = 0; step < stops_at; ++step) add_step(e, run, step);
    if (stops_at == nodes) slices(e, run, nodes, false);
    if (stops_at == nodes || number(0, 1) == 0)
      ends_.push_back(RunEnd{run, ++e.now, stops_at == nodes ? RunStatus::Done : RunStatus::Aborted});
    if (number(0, 1) == 0) drain(false);
  }

  void slices(Executor& e, RunId run, int step, bool begin) {
    for (const SliceInfo& s : e.plan->slices) {
      if ((begin ? s.first : s.last).value != step) continue;
      const Event event = begin ? slice_live(run, e.now, s.tensor, s.offset, s.size, Step(step))
                                : slice_dead(run, e.now, s.tensor, s.offset, s.size, Step(step));
      pending_[e.threads[0]].push_back(event);
    }
    ++e.now;
  }

  void add_step(Executor& e, RunId run, int step) {
    const NodeId node(step);
    slices(e, run, step, false);
    slices(e, run, step, true);
    pending_[e.threads[0]].push_back(trace::step(run, e.now, Step(step), node));
    Nanoseconds last = ++e.now;
    std::vector<Nanoseconds> arrived;
    for (size_t t = 0; t < e.threads.size(); ++t) {
      Nanoseconds now = e.now + number(0, 3);
      const int parts = t == 0 ? number(1, 2) : number(0, 2);
      for (int part = 0; part < parts; ++part) {
        const Nanoseconds took = number(1, 40);
        pending_[e.threads[t]].push_back(work(run, node, now, now + took, part));
        now += took + number(0, 2);
      }
      arrived.push_back(now);
      last = std::max(last, now);
    }
    e.now = last;
    for (size_t t = 0; t < e.threads.size() && e.threads.size() > 1; ++t) {
      const Nanoseconds leave = last + number(1, 4);
      pending_[e.threads[t]].push_back(wait(run, node, arrived[t], leave, e.generation));
      e.now = std::max(e.now, leave);
    }
    ++e.generation;
  }

  // Blocks that come and go, of two allocators and three kinds; at a nanosecond of its own each.
  void add_allocations() {
    struct Block {
      MemoryKind kind;
      uint64_t address;
      Bytes bytes;
      uint32_t allocator;
    };
    std::vector<Block> held;
    Nanoseconds now = 900;
    uint64_t address = 0x10000;
    const int events = number(0, 60);
    for (int i = 0; i < events; ++i) {
      now += number(1, 60);
      if (!held.empty() && number(0, 2) == 0) {
        const size_t which = static_cast<size_t>(number(0, static_cast<int>(held.size()) - 1));
        const Block b = held[which];
        held.erase(held.begin() + static_cast<ptrdiff_t>(which));
        pending_[memory_track_].push_back(free(now, b.kind, b.address, b.bytes, b.allocator, 0));
        continue;
      }
      const Block b{static_cast<MemoryKind>(number(0, 2)), address, number(1, 5000),
                    static_cast<uint32_t>(number(0, 1))};
      address += 0x10000;
      held.push_back(b);
      pending_[memory_track_].push_back(alloc(now, b.kind, b.address, b.bytes, b.allocator, 0));
    }
  }

  void lose_some() {
    for (auto& [track, events] : pending_) {
      const auto before = events.size();
      std::erase_if(events, [this](const Event&) { return number(0, 9) == 0; });
      if (before != events.size())
        describe(Description(Loss{track, static_cast<int64_t>(before - events.size()), 5000}));
    }
  }

  // Thread by thread, as a recorder drains them; the end of a run follows its events.
  void drain(bool last) {
    for (auto& [track, events] : pending_) {
      if (track == memory_track_ && !last) continue;
      if (!events.empty()) stream_.entries.push_back({std::nullopt, track, std::move(events)});
      events.clear();
    }
    for (const RunEnd& end : ends_) describe(Description(end));
    ends_.clear();
  }

  std::mt19937_64 random_;
  const RandomEvents options_;
  Stream stream_;
  std::vector<Executor> executors_;
  std::map<TrackId, std::vector<Event>> pending_;
  std::vector<RunEnd> ends_;
  TrackId memory_track_;
  int tracks_ = 0, runs_ = 0;
};

}  // namespace

void Stream::play(Sink& sink) const {
  for (const Entry& entry : entries) {
    if (entry.description)
      sink.describe(*entry.description);
    else
      sink.events(entry.track, entry.events);
  }
  sink.flush();
}

Stream random_events(uint64_t seed, RandomEvents options) { return Maker(seed, options).make(); }

}  // namespace arenascope::test
