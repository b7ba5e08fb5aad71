// SPDX-License-Identifier: MIT
// A session's view of a run's memory, in every strategy, compared with an allocator that records every call.
#include <arenascope/graph/builder.h>
#include <arenascope/memory/cpu_caching_allocator.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "support/toy_backend.h"

using namespace arenascope;

namespace {

struct Notes {
  std::vector<Bytes> active;  // after each call, of all allocators together
  Bytes now = 0;
  void add(Bytes bytes) { active.push_back(now += bytes); }
};

// A caching allocator that records its calls.
class NotingAllocator final : public Allocator {
 public:
  explicit NotingAllocator(std::shared_ptr<Notes> notes) : notes_(std::move(notes)) {}
  Result<void*> allocate(Bytes bytes, size_t alignment) override {
    auto memory = cache_.allocate(bytes, alignment);
    if (memory) notes_->add(bytes);
    return memory;
  }
  void deallocate(void* pointer, Bytes bytes) noexcept override {
    notes_->add(-bytes);
    cache_.deallocate(pointer, bytes);
  }
  Bytes release_cached() override { return cache_.release_cached(); }
  Device device() const override { return {}; }
  MemoryStats stats() const override { return cache_.stats(); }

 protected:
  void on_attach(const AllocatorHooks& hooks) override { cache_.attach(hooks); }

 private:
  std::shared_ptr<Notes> notes_;
  CpuCachingAllocator cache_;
};

struct Chain {
  Context context = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
  Graph graph;
  std::vector<float> data = std::vector<float>(4096, 1.0f);

  Chain() {
    GraphBuilder b(context);
    Tensor input = b.input("x", {4096}), last = input;
    for (int i = 0; i < 12; ++i) {
      const Tensor left = b.op(Op::Relu, {last}, {}, "left" + std::to_string(i));
      last = b.add(left, last, "sum" + std::to_string(i));
    }
    b.output(last);
    REQUIRE(b.ok());
    graph = *context.new_graph(64);
    REQUIRE(graph.expand(last).ok());
    input->storage = *Storage::borrow(data.data(), 4096 * 4);
  }
};

}  // namespace

TEST_CASE("in every strategy the slices of all spaces sum to the allocator's bytes at every event") {
  for (const auto strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager, MemoryStrategy::None}) {
    CAPTURE(std::string(name(strategy)));
    Chain g;
    test::ToyBackend backend;
    trace::Recorder recorder;
    auto session = std::make_shared<trace::Session>();
    recorder.add_sink(session);
    const auto notes = std::make_shared<Notes>();
    {
      auto context = std::make_shared<ExecutionContext>();
      const auto allocations = make_allocation_recorder(recorder);
      context->set_observer(allocations);
      for (const MemoryKind kind : {MemoryKind::Default, MemoryKind::Workspace})
        REQUIRE(context->register_allocator(kind, std::make_shared<NotingAllocator>(notes)).ok());
      auto memory = plan_memory(g.graph, "two-level", "depth-first", {});
      REQUIRE(memory.ok());
      auto plan = ExecutionPlan::make(g.graph, *memory, backend, 1);
      REQUIRE(plan.ok());
      ExecutorOptions options;
      options.threads = 1;
      options.strategy = strategy;
      options.recorder = &recorder;
      options.binding_observer = allocations;
      auto executor = Executor::create(backend, context, options);
      REQUIRE(executor.ok());
      REQUIRE((*executor)->prepare(std::move(*plan)).ok());
      for (int run = 0; run < 3; ++run) REQUIRE((*executor)->run().ok());
      for (TensorImpl* node : g.graph.nodes()) node->storage = Storage();
    }
    recorder.drain();
    recorder.drain();
    const auto s = session->snapshot();
    CHECK(s->lost == 0);
    // Allocation events come from one thread and have the order of the calls.
    std::vector<std::pair<Nanoseconds, Bytes>> seen;
    Bytes now = 0;
    for (size_t i = 0; i < s->memory_events.size(); ++i) {
      const trace::Event& e = s->event(s->memory_events[i]);
      if (e.kind() == trace::EventKind::Alloc) seen.emplace_back(e.time, now += e.b);
      if (e.kind() == trace::EventKind::Free) seen.emplace_back(e.time, now -= e.b);
    }
    REQUIRE(seen.size() == notes->active.size());
    size_t wrong = 0;
    for (size_t i = 0; i < seen.size(); ++i) {
      wrong += seen[i].second == notes->active[i] ? 0 : 1;
      if (i + 1 < seen.size() && seen[i + 1].first == seen[i].first) continue;
      Bytes sum = 0;
      for (const trace::SpaceAllocation& slice : s->space_slices_in(seen[i].first, seen[i].first + 1, SIZE_MAX))
        sum += slice.bytes;
      wrong += sum == notes->active[i] ? 0 : 1;
    }
    CHECK(wrong == 0);
    // The tensors that the memory is bound to.
    std::set<trace::TensorRef> binding_observer;
    size_t own = 0;
    for (size_t i = 0; i < s->space_slices.size(); ++i) {
      const trace::SpaceAllocation& slice = s->space_slices[i];
      if (!slice.tensor.valid()) continue;
      ++own;
      binding_observer.insert(slice.tensor);
      const trace::TensorInfo* tensor = s->tensor(slice.graph, slice.tensor);
      REQUIRE(tensor != nullptr);
      CHECK(tensor->bytes <= slice.bytes);
    }
    if (strategy == MemoryStrategy::Planned) CHECK(own == 0);  // they are in the arena
    if (strategy != MemoryStrategy::Planned) CHECK(binding_observer.size() > 5);
    if (strategy == MemoryStrategy::Eager) CHECK(own >= 2 * binding_observer.size());
  }
}

namespace {

// A planned run of the chain with poisoned memory: unused bytes are overwritten between steps.
struct Poisoned {
  Chain g;
  test::ToyBackend backend;
  trace::Recorder recorder;
  std::shared_ptr<trace::Session> session = std::make_shared<trace::Session>();
  std::unique_ptr<Executor> executor;
  size_t steps = 0;

  Poisoned() {
    recorder.add_sink(session);
    auto memory = plan_memory(g.graph, "two-level", "depth-first", {});
    REQUIRE(memory.ok());
    auto plan = ExecutionPlan::make(g.graph, *memory, backend, 1);
    REQUIRE(plan.ok());
    steps = plan->steps.size();
    ExecutorOptions options;
    options.threads = 1;
    options.recorder = &recorder;
    auto made = Executor::create(backend, make_cpu_context(), options);
    REQUIRE(made.ok());
    executor = std::move(*made);
    REQUIRE(executor->prepare(std::move(*plan)).ok());
  }
  std::span<std::byte> arena() { return {const_cast<std::byte*>(executor->arena()), size_t(executor->arena_bytes())}; }
  std::vector<float> output() {
    const TensorImpl* last = g.graph.nodes().back();
    return {last->data_as<float>(), last->data_as<float>() + 4096};
  }
  // The arena allocations observed in the first run.
  std::vector<trace::ArenaAllocation> seen() {
    recorder.drain();
    recorder.drain();
    const auto s = session->snapshot();
    return s->slices_in(s->time.begin, s->time.end + 1, SIZE_MAX);
  }
};

void poison(std::span<std::byte> bytes, std::byte with) { std::fill(bytes.begin(), bytes.end(), with); }

}  // namespace

TEST_CASE("allocator statistics are recorded after each run that changes them") {
  trace::Recorder recorder;
  const auto session = std::make_shared<trace::Session>();
  recorder.add_sink(session);
  const auto allocations = make_allocation_recorder(recorder);
  const auto context = make_cpu_context();
  context->set_observer(allocations);
  Chain chain;
  test::ToyBackend backend;
  ExecutorOptions options;
  options.strategy = MemoryStrategy::Eager;
  options.recorder = &recorder;
  options.binding_observer = allocations;
  auto memory = plan_memory(chain.graph, "two-level", "depth-first", {});
  REQUIRE(memory.ok());
  auto plan = ExecutionPlan::make(chain.graph, *memory, backend, 1);
  REQUIRE(plan.ok());
  auto executor = Executor::create(backend, context, options);
  REQUIRE(executor.ok());
  REQUIRE((*executor)->prepare(std::move(*plan)).ok());
  int64_t hits = -1;
  for (int run = 0; run < 3; ++run) {
    REQUIRE((*executor)->run().ok());
    recorder.drain();
    const auto snapshot = session->snapshot();
    const MemoryStats stats = context->stats({}, MemoryKind::Workspace);
    int found = 0;
    for (const trace::AllocatorState& state : snapshot->allocator_states) {
      if (snapshot->allocator(state.allocator)->kind != trace::MemoryKind::Workspace) continue;
      ++found;
      CHECK(state.hits == stats.hits);
      CHECK(state.misses == stats.misses);
      CHECK(state.cached == stats.cached);
      CHECK(state.waste == stats.waste());
      CHECK(state.largest_free <= state.cached);
      CHECK(state.hits > hits);
      hits = state.hits;
    }
    CHECK(found == 1);
  }
}

TEST_CASE("the bytes a step accesses, found by poisoning the arena, are those of the observed slices") {
  Poisoned p;
  REQUIRE(p.executor->run().ok());
  const std::vector<float> expected = p.output();
  const auto slices = p.seen();
  REQUIRE(slices.size() == p.steps);
  for (const std::byte with : {std::byte{0x5a}, std::byte{0xa5}}) {
    poison(p.arena(), with);
    std::vector<std::byte> image(p.arena().begin(), p.arena().end());
    size_t wrong = 0;
    RunOptions options;
    options.after_node = [&](NodeId, Step step) {
      // Written: what is no longer as it was left.
      size_t low = image.size(), high = 0, touched = 0;
      for (size_t i = 0; i < image.size(); ++i) {
        if (p.arena()[i] == image[i]) continue;
        low = std::min(low, i), high = i + 1, ++touched;
      }
      std::vector<bool> needed(image.size(), false);
      for (const trace::ArenaAllocation& s : slices) {
        if (s.first == step)
          wrong += low == size_t(s.offset) && high == size_t(s.offset + s.bytes) && touched == size_t(s.bytes) ? 0 : 1;
        if (s.first.value > step.value || s.last.value <= step.value + 1) continue;
        std::fill_n(needed.begin() + s.offset, s.bytes, true);
      }
      for (size_t i = 0; i < image.size(); ++i)
        if (!needed[i] && size_t(step.value) + 1 < p.steps) p.arena()[i] = with;
      image.assign(p.arena().begin(), p.arena().end());
      return true;
    };
    REQUIRE(p.executor->run(options).ok());
    CHECK(wrong == 0);
    CHECK(p.output() == expected);  // all needed bytes are in a slice
  }
  // And each is needed up to its last step: without it there the result is another one.
  for (const trace::ArenaAllocation& s : slices) {
    if (size_t(s.last.value) >= p.steps) continue;
    CAPTURE(s.tensor.value);
    RunOptions options;
    options.after_node = [&](NodeId, Step step) {
      if (step.value + 2 == s.last.value) poison(p.arena().subspan(size_t(s.offset), size_t(s.bytes)), std::byte{0x41});
      return true;
    };
    REQUIRE(p.executor->run(options).ok());
    CHECK(p.output() != expected);
  }
}
