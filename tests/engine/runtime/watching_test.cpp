// SPDX-License-Identifier: MIT
// Observation changes nothing: a run that is recorded or has a control attached has the same barriers, order, threads,
// addresses and kernels as one without.
#include <arenascope/graph/builder.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <map>
#include <mutex>
#include <thread>

#include "support/toy_backend.h"

using namespace arenascope;

namespace {

intptr_t address(const void* p) { return reinterpret_cast<intptr_t>(p); }

// Records the computations of each thread in order, and the addresses of the results.
class WatchedBackend final : public StatelessBackend {
 public:
  struct Call {
    std::string node;
    int part, parts;
    intptr_t offset;
    bool operator==(const Call&) const = default;
  };
  std::string_view name() const override { return "watched"; }
  Device device() const override { return {}; }
  std::string description() const override { return "a toy that is looked at"; }
  bool runs_on_host_threads() const override { return true; }
  Status supports(const TensorImpl& node) const override { return toy_.supports(node); }
  int tasks(const TensorImpl& node, int threads) const override { return toy_.tasks(node, threads); }
  Bytes work_bytes(const TensorImpl&, int) const override { return 0; }
  Status compute(const TensorImpl& node, const ComputeParams& p) override {
    {
      std::lock_guard lock(mutex_);
      calls_[std::this_thread::get_id()].push_back({node.name.str(), p.ith, p.nth, address(node.data())});
    }
    return toy_.compute(node, p);
  }
  // By the part that a thread computes where all take part; since the last call.
  std::map<int, std::vector<Call>> take_calls() {
    std::map<int, std::vector<Call>> out;
    for (auto& [thread, calls] : calls_) {
      int rank = 0;
      for (const Call& call : calls) rank = std::max(rank, call.part);
      out[rank] = std::move(calls);
    }
    calls_.clear();
    return out;
  }

 private:
  test::ToyBackend toy_;
  std::mutex mutex_;
  std::map<std::thread::id, std::vector<Call>> calls_;
};

constexpr int64_t kElements = 64;

// Branches that do not depend on each other, and rows of tiny nodes.
struct Branches {
  Context context;
  Graph graph;
  Tensor output;
  std::vector<float> data = std::vector<float>(kElements, 1.5f), small = std::vector<float>(4, -2.0f);

  Branches() {
    context = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
    GraphBuilder b(context);
    Tensor x = b.input("x", {kElements}), tiny = b.input("tiny", {4});
    Tensor left = x, right = x;
    for (int i = 0; i < 6; ++i) {
      left = b.op(Op::Relu, {left}, {}, "left " + std::to_string(i));
      right = b.add(right, x, "right " + std::to_string(i));
      tiny = b.op(Op::Relu, {tiny}, {}, "tiny " + std::to_string(i));
    }
    const Tensor sum = b.add(left, right, "sum");
    output = b.add(sum, x, "out");
    b.output(output);
    b.output(tiny);
    REQUIRE(b.ok());
    graph = *context.new_graph(64);
    REQUIRE(graph.expand(output).ok());
    REQUIRE(graph.expand(tiny).ok());
    for (TensorImpl* leaf : graph.leafs())
      leaf->storage =
          leaf->name == "x" ? *Storage::borrow(data.data(), kElements * 4) : *Storage::borrow(small.data(), 16);
  }
};

std::unique_ptr<Executor> prepared(Branches& g, Backend& backend, trace::Recorder* recorder, bool independent,
                                   MemoryStrategy strategy = MemoryStrategy::Planned) {
  auto memory = plan_memory(g.graph, "none", "breadth-first");
  REQUIRE(memory.ok());
  auto plan = ExecutionPlan::make(g.graph, *memory, backend, 2, {true, false, independent});
  REQUIRE(plan.ok());
  ExecutorOptions options;
  options.threads = 2;
  options.strategy = strategy;
  options.recorder = recorder;
  options.force_multithreaded = true;
  auto executor = Executor::create(backend, make_cpu_context(), options);
  REQUIRE(executor.ok());
  REQUIRE((*executor)->prepare(std::move(*plan)).ok());
  return std::move(*executor);
}

struct Recorded {
  trace::Recorder recorder;
  std::shared_ptr<trace::Session> session = std::make_shared<trace::Session>();
  Recorded() { recorder.add_sink(session); }
  std::shared_ptr<const trace::Snapshot> snapshot() {
    recorder.drain();
    recorder.drain();
    return session->snapshot();
  }
};

// All spans of a kind, over all threads.
std::vector<trace::Event> spans(const trace::Snapshot& snapshot, trace::EventKind kind) {
  std::vector<trace::Event> out;
  for (const auto& track : snapshot.tracks)
    for (size_t i = 0; i < track.lanes[0].rows.size(); ++i)
      if (track.lanes[0].rows[i].kind() == kind) out.push_back(track.lanes[0].rows[i]);
  return out;
}

}  // namespace

TEST_CASE("recorded, watched and timed runs have the same barriers, order, threads, offsets and kernels") {
  std::map<MemoryStrategy, int64_t> with_all;  // barriers, where none is dropped
  for (const bool independent : {false, true})
    for (auto strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager, MemoryStrategy::None}) {
      CAPTURE(independent);
      CAPTURE(std::string(name(strategy)));
      Branches g;
      WatchedBackend backend;
      std::map<int, std::vector<WatchedBackend::Call>> alone;
      int64_t barriers = -1;
      for (const bool is_recorded : {false, true})
        for (const bool controlled : {false, true})
          for (const bool timed : {false, true}) {
            Recorded recorded;
            auto executor = prepared(g, backend, is_recorded ? &recorded.recorder : nullptr, independent, strategy);
            RunControl control;
            RunOptions options;
            options.timed = timed;
            if (controlled) options.control = &control;
            auto report = executor->run(options);
            REQUIRE(report.ok());
            auto calls = backend.take_calls();
            // Each executor has its own arena: offsets are relative to its begin.
            for (auto& [thread, list] : calls)
              for (auto& call : list)
                call.offset = strategy == MemoryStrategy::Planned ? call.offset - address(executor->arena()) : 0;
            CHECK(report->threads == 2);
            CHECK_FALSE(report->stepped);
            if (barriers < 0) {
              barriers = report->barriers;
              alone = calls;
              CHECK(calls.size() == 2);
              CHECK(barriers > 0);
            }
            CHECK(report->barriers == barriers);
            CHECK(calls == alone);
            if (!is_recorded) continue;
            const auto snapshot = recorded.snapshot();
            CHECK(static_cast<int64_t>(snapshot->barriers.size()) == barriers);
            CHECK(snapshot->runs[0].info.threads == 2);
            CHECK_FALSE(snapshot->runs[0].info.stepped);
          }
      if (!independent) with_all[strategy] = barriers;
      CHECK((barriers < with_all[strategy]) == (independent && strategy != MemoryStrategy::Eager));
    }
}

TEST_CASE("steps and slices are derived from spans and the bound plan") {
  Branches g;
  WatchedBackend backend;
  Recorded recorded;
  auto executor = prepared(g, backend, &recorded.recorder, true);
  REQUIRE(executor->run().ok());
  REQUIRE(executor->run().ok());
  const auto snapshot = recorded.snapshot();
  REQUIRE(snapshot->runs.size() == 2);
  const trace::PlanInfo& plan = *snapshot->plan(executor->trace_plan());
  REQUIRE(plan.slices.size() > 0);
  for (const trace::SliceInfo& slice : plan.slices) {
    const TensorImpl& node = g.graph.node(NodeId(static_cast<int32_t>(slice.tensor.index())));
    CHECK(slice.bound);
    CHECK(slice.bound_offset == node.data() - executor->arena());
  }
  CHECK(snapshot->open_slices.empty());
  CHECK(snapshot->slices.size() == 2 * plan.slices.size());
  for (size_t i = 0; i < snapshot->slices.size(); ++i) CHECK(snapshot->slices[i].derived);
  for (const trace::Run* run : {&snapshot->runs[0], &snapshot->runs[1]}) {
    const trace::StepMap steps = snapshot->steps(run->info.id);
    CHECK(static_cast<size_t>(steps.steps()) == executor->plan().steps.size());
    for (int32_t step = 0; step < steps.steps(); ++step) {
      const auto live = snapshot->slices_live(run->info.id, Step(step));
      CHECK(live.size() == trace::Snapshot::plan_slices_live(plan, Step(step)).size());
    }
    for (const trace::StepMark& mark : steps.marks()) {
      CHECK(mark.time >= run->info.begin);
      CHECK(mark.time <= run->end);
    }
  }
  CHECK(snapshot->seen.size() == 0);  // accesses were not observed
}

TEST_CASE("a recording names the device of a run") {
  Branches g;
  WatchedBackend backend;
  Recorded recorded;
  auto executor = prepared(g, backend, &recorded.recorder, false);
  REQUIRE(executor->run().ok());
  const trace::RunInfo info = recorded.snapshot()->runs[0].info;
  CHECK(info.threads == 2);
  CHECK(info.threads_requested == 2);
  CHECK(info.lead == executor->rings()[0]->track());
  CHECK(info.affinity.size() > 0);
  CHECK(info.build.find("arenascope") != std::string::npos);
  CHECK(info.load >= 0);
}

TEST_CASE("pauses do not count as waits, and stepped runs are excluded from statistics") {
  Branches g;
  WatchedBackend backend;
  Recorded recorded;
  auto executor = prepared(g, backend, &recorded.recorder, true);
  RunControl control;
  control.pause();
  RunOptions options;
  options.control = &control;
  std::thread runner([&] { CHECK(executor->run(options).ok()); });
  const auto wait_pause = [&] {
    for (int i = 0; i < 5000 && !control.paused(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(control.paused());
  };
  wait_pause();
  control.resume();
  runner.join();
  auto snapshot = recorded.snapshot();
  CHECK_FALSE(snapshot->runs[0].info.stepped);
  const auto paused = spans(*snapshot, trace::EventKind::Between);
  REQUIRE(paused.size() == 1);
  CHECK((paused[0].b & trace::kPaused) != 0);
  const int64_t barriers = static_cast<int64_t>(snapshot->barriers.size());
  const NodeId out = g.graph.find_node(*g.output);
  CHECK(snapshot->stats(executor->trace_graph(), out).parts == 2);

  RunOptions looking;
  int nodes = 0;
  looking.after_node = [&](NodeId, Step) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ++nodes > 0;
  };
  auto stepped = executor->run(looking);
  REQUIRE(stepped.ok());
  CHECK(stepped->stepped);
  CHECK(stepped->barriers > barriers);
  snapshot = recorded.snapshot();
  CHECK(snapshot->runs[1].info.stepped);
  CHECK(snapshot->stats(executor->trace_graph(), out).runs == 1);  // the first only
  const auto between = spans(*snapshot, trace::EventKind::Between);
  CHECK(static_cast<int>(between.size()) > nodes / 2);
  for (const trace::Event& wait : spans(*snapshot, trace::EventKind::Wait))
    for (const trace::Event& section : between) CHECK((wait.end() <= section.begin() || section.end() <= wait.begin()));
}

TEST_CASE("a step stops after the next node even without a barrier") {
  Branches g;
  WatchedBackend backend;
  auto executor = prepared(g, backend, nullptr, true);
  RunControl control;
  control.step();
  std::vector<int32_t> stops;
  control.set_on_pause([&](Step next, bool paused) {
    if (paused) stops.push_back(next.value);
  });
  RunOptions options;
  options.control = &control;
  bool stepped = false;
  std::thread runner([&] {
    auto report = executor->run(options);
    stepped = report.ok() && report->stepped;
  });
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 5000 && !control.paused(); ++j) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(control.paused());
    if (i < 3) control.step();
    for (int j = 0; i < 3 && j < 5000 && static_cast<int>(stops.size()) < i + 2; ++j)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  control.resume();
  runner.join();
  CHECK(stepped);
  REQUIRE(stops.size() == 4);
  for (int i = 0; i < 4; ++i) CHECK(stops[static_cast<size_t>(i)] == i + 1);
}
