// SPDX-License-Identifier: MIT
#include "watched_run.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <doctest/doctest.h>

#include <arenascope/models/weight_store.h>
#include <arenascope/runtime/device_transfer.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/transform/partition.h>

namespace arenascope::test {
namespace {

void allocate(TensorImpl& leaf, std::mt19937& random) {
  auto storage = Storage::allocate(*make_cpu_context(), {}, MemoryKind::Default, leaf.byte_count());
  REQUIRE(storage);
  leaf.storage = std::move(*storage);
  for (int64_t i = 0; i < leaf.element_count(); ++i)
    leaf.data_as<float>()[i] = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 1000;
}

struct Network final : Subject {
  Context context = *Context::create({.mem_size = 1 << 18, .no_alloc = true});
};

struct Partitioned final : Subject {
  std::unique_ptr<Subject> original;
  PartitionedGraph parts;
};

struct ZooModel final : Subject {
  models::Model model;
  std::shared_ptr<ExecutionContext> memory = make_cpu_context();
};

// Grows a network from one input by random operators.
class Growth {
 public:
  Growth(GraphBuilder& builder, uint32_t seed) : b_(builder), random_(seed), images_(random_() % 3 == 0) {
    made_.push_back(images_ ? b_.input("x", {1, 8, 8, 8}) : b_.input("x", {4, 16}));
  }
  Tensor grow() {
    for (uint32_t left = 4 + random_() % 16; left > 0; --left) made_.push_back(next());
    return b_.op(Op::Relu, {made_.back()}, {}, "out");
  }

 private:
  std::string name(const char* of) { return of + std::to_string(made_.size()); }
  const Tensor& recent() { return made_[made_.size() - 1 - random_() % std::min<size_t>(made_.size(), 3)]; }
  // Another tensor of the same shape, or a weight.
  Tensor partner(const Tensor& of) {
    for (int tries = 0; tries < 4; ++tries)
      if (const Tensor& other = made_[random_() % made_.size()]; other.sizes() == of.sizes()) return other;
    return b_.weight(name("w"), of.sizes());
  }
  Tensor next() {
    const Tensor from = recent();
    switch (random_() % 10) {
      case 0: return b_.add(from, partner(from), name("add"));
      case 1: return b_.mul(from, partner(from), name("mul"));
      case 2: return b_.op(Op::Tanh, {from}, {}, name("tanh"));
      case 3: return b_.op(Op::Sigmoid, {from}, {}, name("sigmoid"));
      case 4: return b_.scale(from, 0.5f, 0.25f, name("scale"));
      case 5: return images_ ? convolution(from) : matmul(from);
      case 6: return images_ ? pool(from) : b_.soft_max(from, 1, 1, {}, name("soft_max"));
      case 7: return images_ ? b_.op(Op::Relu, {from}, {}, name("relu")) : halves(from);
      default: return b_.op(Op::Relu, {from}, {}, name("relu"));
    }
  }
  Tensor convolution(const Tensor& from) {
    const int64_t channels = from.sizes()[1];
    const int kernel = random_() % 2 ? 3 : 1;
    return b_.conv2d(from, b_.weight(name("w"), {8, channels, kernel, kernel}), b_.weight(name("bias"), {8}), 1,
                     kernel / 2, 1, 1, name("conv"));
  }
  Tensor pool(const Tensor& from) {
    return from.sizes()[2] < 4 ? b_.scale(from, 2, 0, name("scale"))
                               : b_.pool2d(Op::MaxPool, from, 2, 2, 0, name("pool"));
  }
  Tensor matmul(const Tensor& from) {
    const int64_t columns = random_() % 2 ? 16 : 32;
    return b_.mul_mat(b_.weight(name("w"), {columns, from.sizes()[1]}), from, {}, name("matmul"));
  }
  Tensor halves(const Tensor& from) {
    const Tensor parts[] = {b_.slice(from, 1, from.sizes()[1] / 2, from.sizes()[1]), from};
    return from.sizes()[1] > 64 ? b_.cont(parts[0], name("half")) : b_.concat(parts, 1, name("concat"));
  }

  GraphBuilder& b_;
  std::mt19937 random_;
  const bool images_;
  std::vector<Tensor> made_;
};

std::unique_ptr<Subject> partitioned(std::unique_ptr<Subject> network, const std::vector<uint8_t>& sides,
                                     const PartitionOptions& options) {
  auto split = partition_graph(network->graph, sides, options);
  REQUIRE_MESSAGE(split.ok(), (split ? "" : split.error().message));
  auto out = std::make_unique<Partitioned>();
  out->graph = split->graph;
  for (const Tensor& output : network->outputs)
    out->outputs.push_back(split->node_map[network->graph.find_node(*output).index()]);
  out->device_leafs = options.leafs_on_main ? network->device_leafs : split->main_leafs;
  out->parts = std::move(*split);
  out->original = std::move(network);
  return out;
}

// The offset of each tensor in the arena, or the first tensor with the same address.
std::vector<std::string> placement_of(const Graph& graph, const std::byte* arena, Bytes arena_bytes) {
  std::vector<std::string> out;
  std::map<const std::byte*, size_t> first;
  for (const auto& list : {graph.leafs(), graph.nodes()})
    for (const TensorImpl* tensor : list) {
      const std::byte* at = tensor->data();
      const bool inside = arena && at >= arena && at < arena + arena_bytes;
      out.push_back(tensor->name.str() +
                    (inside ? " +" + std::to_string(at - arena)
                            : " as " + std::to_string(first.try_emplace(at, out.size()).first->second)));
    }
  return out;
}

struct Recording {
  trace::Recorder recorder;
  std::shared_ptr<trace::Session> session = std::make_shared<trace::Session>();
  Recording() { recorder.add_sink(session); }
};

void check_equal(const Observation& alone, const Observation& watched) {
  CHECK(watched.placement == alone.placement);
  REQUIRE(watched.runs.size() == alone.runs.size());
  for (size_t run = 0; run < alone.runs.size(); ++run) {
    CAPTURE(run);
    const ObservedRun &a = alone.runs[run], &w = watched.runs[run];
    for (size_t i = 0; i < std::min(a.launches.size(), w.launches.size()); ++i) {
      CAPTURE(i);
      REQUIRE(w.launches[i] == a.launches[i]);
    }
    CHECK(w.launches.size() == a.launches.size());
    CHECK(w.barriers == a.barriers);
    CHECK(w.threads == a.threads);
    CHECK(w.stepped == a.stepped);
    CHECK(w.results == a.results);
    // A time that was not measured is missing.
    for (size_t step = 0; step < w.times.size(); ++step)
      if (watched.plan.steps[step].tasks > 0) CHECK(w.times[step].nanoseconds != 0);
  }
}

}  // namespace

void give_memory(Subject& subject, uint32_t seed) {
  std::mt19937 random(seed);
  for (TensorImpl* leaf : subject.graph.leafs()) {
    allocate(*leaf, random);
    subject.device_leafs.push_back(leaf);
  }
}

std::unique_ptr<Executor> prepare(Backend& backend, const std::shared_ptr<ExecutionContext>& context, Subject& subject,
                                  ExecutorOptions options) {
  options.threads = backend.runs_on_host_threads() || subject.host ? 2 : 1;
  options.force_multithreaded = true;
  options.host = subject.host;
  REQUIRE(move_to_device(backend, *context, subject.device_leafs, MemoryKind::Persistent).ok());
  MemoryPlanOptions plan_options;
  plan_options.alignment = backend.alignment();
  auto memory = plan_memory(subject.graph, "two-level", "depth-first", plan_options);
  REQUIRE(memory);
  auto plan = ExecutionPlan::make(subject.graph, std::move(*memory), backend, options.threads, {}, subject.host);
  REQUIRE_MESSAGE(plan.ok(), (plan ? "" : plan.error().message));
  auto executor = Executor::create(backend, context, options);
  REQUIRE(executor);
  const Status prepared = (*executor)->prepare(std::move(*plan));
  REQUIRE_MESSAGE(prepared.ok(), (prepared ? "" : prepared.error().message));
  return std::move(*executor);
}

std::unique_ptr<Subject> random_network(uint32_t seed) {
  auto out = std::make_unique<Network>();
  GraphBuilder b(out->context);
  out->outputs = {Growth(b, seed).grow()};
  b.output(out->outputs[0]);
  REQUIRE_MESSAGE(b.ok(), (b.ok() ? "" : b.status().error().message));
  out->graph = *out->context.new_graph(128);
  REQUIRE(out->graph.expand(out->outputs[0]).ok());
  give_memory(*out, seed);
  return out;
}

std::unique_ptr<Subject> partly_on_host(std::unique_ptr<Subject> network, Backend& host) {
  const auto sides = choose_sides(network->graph, [](const TensorImpl& node) {
    return node.op == Op::Sigmoid ? PartitionSide::Other : has_work(node) ? PartitionSide::Main : PartitionSide::Either;
  });
  auto out = partitioned(std::move(network), sides, {});
  out->host = &host;
  return out;
}

std::unique_ptr<Subject> packed_in_images(std::unique_ptr<Subject> network, const Backend& backend) {
  const PartitionOptions options{
      Placement::Packed, " (packed)", " (plain)",
      [&](const TensorImpl& node, int source) { return backend.packing(node, source) == PartitionSide::Other; }, true};
  const auto sides = choose_sides(
      network->graph,
      [&](const TensorImpl& node) {
        return node.is_view() || node.has(kFlagOutput) ? PartitionSide::Main : backend.packing(node, -1);
      },
      options);
  return partitioned(std::move(network), sides, options);
}

std::unique_ptr<Subject> zoo_model(const models::ZooEntry& entry, int64_t max_flops) {
  auto out = std::make_unique<ZooModel>();
  auto opened = models::open_zoo(entry.name);
  REQUIRE(opened);
  out->model = std::move(*opened);
  int64_t sum = 0;
  for (const TensorImpl* node : out->model.graph.nodes()) sum += flops(*node);
  if (sum > max_flops || !out->model.runnable() || !out->model.graph.context().no_alloc()) return nullptr;
  out->graph = out->model.graph;
  REQUIRE(models::WeightStore().load(out->model, *out->memory).ok());
  for (const models::ValueInfo& input : out->model.inputs) {
    TensorImpl& leaf = *input.tensor;
    auto storage = Storage::allocate(*out->memory, {}, MemoryKind::Default, leaf.byte_count());
    REQUIRE(storage);
    leaf.storage = std::move(*storage);
    REQUIRE(input.write_default);
    REQUIRE(input.write_default(leaf.data()).ok());
  }
  for (const models::ValueInfo& output : out->model.outputs) out->outputs.push_back(output.tensor);
  for (TensorImpl* leaf : out->graph.leafs())
    if (leaf->op == Op::None) out->device_leafs.push_back(leaf);
  return out;
}

Observation observe(ObservedBackend& on, Subject& subject, const Watch& watch, int runs) {
  Recording recording;
  Backend& backend = on.backend();
  const auto context = make_cpu_context();
  ExecutorOptions options;
  options.strategy = watch.strategy;
  if (watch.recorded) {
    const auto allocations = make_allocation_recorder(recording.recorder);
    context->set_observer(allocations);
    options.recorder = &recording.recorder;
    options.binding_observer = allocations;
  }
  backend.enable_profiling(false);  // from an earlier observation
  REQUIRE(backend.register_memory(*context).ok());
  const auto executor = prepare(backend, context, subject, options);
  on.take_launches(nullptr);
  RunControl control;
  control.set_on_pause([](Step, bool) { FAIL("a pause without a request"); });
  Observation out;
  for (int i = 0; i < runs; ++i) {
    RunOptions run_options;
    run_options.timed = watch.timed;
    if (watch.controlled) run_options.control = &control;
    auto report = executor->run(run_options);
    REQUIRE_MESSAGE(report.ok(), (report ? "" : report.error().message));
    ObservedRun& run = out.runs.emplace_back();
    run.launches = on.take_launches(executor->arena());
    run.barriers = report->barriers;
    run.threads = report->threads;
    run.stepped = report->stepped;
    run.times = report->nodes;
    for (const Tensor& output : subject.outputs) {
      auto bytes = read_tensor(backend, *output);
      REQUIRE(bytes);
      run.results.push_back(std::move(*bytes));
    }
    on.take_launches(nullptr);  // launches that read the results
  }
  out.placement = placement_of(subject.graph, executor->arena(), executor->arena_bytes());
  out.plan = executor->plan();
  if (watch.recorded) {
    recording.recorder.drain();
    recording.recorder.drain();
    out.recording = recording.session->snapshot();
  }
  return out;
}

Observation check_watching(const std::function<std::unique_ptr<ObservedBackend>()>& open, const MakeSubject& make,
                           const std::vector<Watch>& watches) {
  const auto observe_once = [&](const Watch& watch) {
    const auto on = open();
    const auto subject = make(on->backend());
    return observe(*on, *subject, watch);
  };
  Observation last;
  const Observation alone = observe_once({.strategy = watches.front().strategy});
  for (const Watch& watch : watches) {
    CAPTURE(watch.recorded);
    CAPTURE(watch.controlled);
    CAPTURE(watch.timed);
    last = observe_once(watch);
    check_equal(alone, last);
  }
  return last;
}

std::vector<Watch> all_watches(MemoryStrategy strategy) {
  std::vector<Watch> out;
  for (int bits = 1; bits < 8; ++bits) out.push_back({(bits & 4) != 0, (bits & 2) != 0, (bits & 1) != 0, strategy});
  return out;
}

std::vector<Watch> two_watches() { return {{.controlled = true, .timed = true}, {true, true, true}}; }

uint32_t random_graphs(uint32_t in_suite) { return std::getenv("ARENASCOPE_LONG_TESTS") ? 1000 : in_suite; }

}  // namespace arenascope::test
