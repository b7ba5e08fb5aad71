// SPDX-License-Identifier: MIT
// The CUDA backend over a simulated device: streams, staging, captured graphs, times and failures, with the real
// kernels run on the host.
#include <arenascope/trace/session.h>
#include <arenascope/transform/partition.h>
#include "engine/backends/cuda/execution/absence.h"

#include "engine/backends/cuda/random_program.h"
#include "engine/backends/cuda/simulated_fixture.h"
#include "tests/support/built_case.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

// New inputs and what is to come out; the device's copy is overwritten.
std::vector<std::byte> new_inputs(Network& net, OnDevice& on, uint32_t seed) {
  Network same;
  fill(same.x, seed);
  fill(same.indices, seed, Network::kEntries);
  const auto expected = expected_of(same);
  REQUIRE(write_tensor(*on.backend, *net.x, bytes_of(*same.x)).ok());
  REQUIRE(write_tensor(*on.backend, *net.indices, bytes_of(*same.indices)).ok());
  return expected;
}

// An executor of the graph, whose tensors are on the device.
std::unique_ptr<Executor> prepared_executor(const Graph& graph, CudaBackend& backend,
                                            const std::shared_ptr<ExecutionContext>& memory) {
  MemoryPlanOptions options;
  options.alignment = backend.alignment();
  auto planned = plan_memory(graph, "two-level", "depth-first", options);
  REQUIRE(planned);
  auto plan = ExecutionPlan::make(graph, *planned, backend, 1);
  REQUIRE(plan);
  auto executor = Executor::create(backend, memory, {});
  REQUIRE(executor);
  REQUIRE((*executor)->prepare(std::move(*plan)).ok());
  return std::move(*executor);
}

void check_all_given_back(const SimulatedDriver& driver) {
  CHECK(driver.complaint() == "");
  CHECK(driver.held_memory() == 0);
  CHECK(driver.held_events() == 0);
  CHECK(driver.held_graphs() == 0);
  CHECK(driver.held_pages() == 0);
}

}  // namespace

TEST_CASE("a network agrees with the reference for all stream orders, and is replayed from its second run") {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    SimulatedOptions simulated;
    simulated.seed = seed;
    simulated.pins = seed % 3 != 0;
    CudaOptions options;
    options.chains = seed % 2 == 0;
    options.queue.libraries = seed % 4 < 2;
    const auto driver = std::make_shared<SimulatedDriver>(simulated);
    {
      Network net;
      net.in_place = seed % 8 >= 4;
      auto on = OnDevice::open(net, driver, options);
      REQUIRE_MESSAGE(on.ok(), (on ? "" : on.error().message));
      for (uint32_t run = 0; run < 4; ++run) {
        CAPTURE(run);
        const auto expected = new_inputs(net, *on, 100 + run);
        auto got = on->run(net);
        REQUIRE_MESSAGE(got.ok(), (got ? "" : got.error().message));
        CHECK(difference(net, *got, expected) < 1e-5);
      }
      CHECK(on->backend->replays() == 3);
      CHECK(driver->held_graphs() == 1);
    }
    check_all_given_back(*driver);
  }
}

TEST_CASE("op cases agree with the reference through device memory") {
  const auto driver = std::make_shared<SimulatedDriver>();
  const auto reference = reference::make_reference_backend();
  {
    auto backend = CudaBackend::make(driver, {});
    REQUIRE(backend);
    const auto memory = make_cpu_context();
    REQUIRE((*backend)->register_memory(*memory).ok());
    size_t number = 0;
    for (const OpCase& c : op_cases()) {
      if (number++ % 5 != 0) continue;  // the kernels themselves are tested case by case elsewhere
      CAPTURE(c.name);
      const Built b = build(c);
      const TensorImpl& node = *b.built.output;
      if (is_cpu_only(node)) continue;
      REQUIRE(compute_in_parts(*reference, node, 1).ok());
      const std::vector<std::byte> expected = bytes_of(node);
      const Built again = build(c);  // a node may have written its input
      auto got = compute_on_device(**backend, *memory, again.built);
      REQUIRE_MESSAGE(got.ok(), (got ? "" : got.error().message));
      const Difference d = compare_elements(node.dtype, got->data(), expected.data(), node.element_count());
      CHECK_MESSAGE(d.relative() <= c.tolerance, c.name << ": " << d.largest_error << " of " << d.largest_value);
    }
    CHECK(number > 400);
  }
  check_all_given_back(*driver);
}

TEST_CASE("a replayed run is one launch, and fused chains are fewer kernels") {
  int kernels[2];
  for (const bool chains : {false, true}) {
    const auto driver = std::make_shared<SimulatedDriver>();
    Network net;
    CudaOptions options;
    options.chains = chains;
    auto on = OnDevice::open(net, driver, options);
    REQUIRE(on.ok());
    REQUIRE(on->run(net).ok());
    REQUIRE(on->run(net).ok());  // captures
    const int before = driver->kernels(), queued = driver->queue_calls();
    REQUIRE(on->executor->run().ok());
    CHECK(driver->queue_calls() - queued == 2);  // the graph, and reading the word for wrong indices
    kernels[chains] = driver->kernels() - before;
  }
  CHECK(kernels[true] < kernels[false]);
}

TEST_CASE("without capture, nodes are queued one by one, as in eager and timed runs") {
  SimulatedOptions simulated;
  simulated.captures = false;
  Network nets[3];
  OnDevice on[3];
  const auto drivers = {std::make_shared<SimulatedDriver>(simulated), std::make_shared<SimulatedDriver>(),
                        std::make_shared<SimulatedDriver>()};
  CudaOptions no_graphs;
  no_graphs.graphs = false;
  on[0] = OnDevice::open(nets[0], drivers.begin()[0]).value();
  on[1] = OnDevice::open(nets[1], drivers.begin()[1], {}, MemoryStrategy::Eager).value();
  on[2] = OnDevice::open(nets[2], drivers.begin()[2], no_graphs).value();
  for (int k = 0; k < 3; ++k)
    for (uint32_t run = 0; run < 3; ++run) {
      const auto expected = new_inputs(nets[k], on[k], run);
      auto got = on[k].run(nets[k]);
      REQUIRE(got.ok());
      if (k != 1) CHECK(difference(nets[k], *got, expected) < 1e-5);
      CHECK(on[k].backend->replays() == 0);
      CHECK(on[k].driver->complaint() == "");
    }
}

TEST_CASE("a graph is captured again after an address change and after prepare()") {
  const auto driver = std::make_shared<SimulatedDriver>();
  Network net;
  auto on = OnDevice::open(net, driver);
  REQUIRE(on.ok());
  for (int run = 0; run < 2; ++run) REQUIRE(on->run(net).ok());
  const Storage before = net.x->storage;
  net.x->storage =
      Storage::allocate(*on->context, on->backend->device(), MemoryKind::Default, net.x->byte_count()).value();
  auto expected = new_inputs(net, *on, 55);
  auto got = on->run(net);
  REQUIRE(got.ok());
  CHECK(difference(net, *got, expected) < 1e-5);
  CHECK(on->backend->replays() == 2);
  CHECK(driver->held_graphs() == 1);
  REQUIRE(on->executor->prepare(net.plan(*on->backend).value()).ok());
  CHECK(driver->held_graphs() == 0);
  for (uint32_t run = 0; run < 2; ++run) {
    expected = new_inputs(net, *on, 60 + run);
    got = on->run(net);
    REQUIRE(got.ok());
    CHECK(difference(net, *got, expected) < 1e-5);
  }
  CHECK(on->backend->replays() == 3);
}

TEST_CASE("an index out of range is reported once with the node's name, also when replayed") {
  const auto driver = std::make_shared<SimulatedDriver>();
  Network net;
  auto on = OnDevice::open(net, driver);
  REQUIRE(on.ok());
  for (uint32_t run = 0; run < 4; ++run) {
    CAPTURE(run);
    const int64_t wrong[4] = {1, run % 2 ? 2 : 77, 3, 0};
    const auto expected = new_inputs(net, *on, run);
    REQUIRE(write_tensor(*on->backend, *net.indices, std::as_bytes(std::span(wrong))).ok());
    auto got = on->run(net);
    CHECK(got.ok() == (run % 2 == 1));
    if (!got) CHECK_MESSAGE(got.error().message.find("77") != std::string::npos, got.error().message);
    if (!got) CHECK_MESSAGE(got.error().message.find("rows") != std::string::npos, got.error().message);
  }
  CHECK(on->backend->replays() == 3);
}

namespace {

// A graph of one node that reads indices, the last of its inputs.
struct IndexGraph {
  Context nodes = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
  std::vector<Tensor> inputs;
  Tensor out;

  explicit IndexGraph(Op op) {
    GraphBuilder b(nodes);
    const auto input = [&](std::initializer_list<int64_t> sizes, DType type = DType::F32) {
      return inputs.emplace_back(b.input("in" + std::to_string(inputs.size()), sizes, type));
    };
    if (op == Op::Gather || op == Op::GatherElements) {
      const Tensor table = input({5, 8});
      const Tensor at = op == Op::Gather ? input({2}, DType::I64) : input({2, 8}, DType::I64);
      out = b.op_with(op, {table, at}, AxisParams{0}, "indexed");
    } else if (op == Op::SetRows) {
      const Tensor to = input({5, 8}), from = input({2, 8}), at = input({2}, DType::I64);
      out = b.op_with(op, {to, from, at}, SetRowsParams{0, true}, "indexed");
    } else if (op == Op::GatherBack) {
      const Tensor dy = input({2, 8}), at = input({2}, DType::I64);
      out = b.op_with(op, {dy, at}, GatherBackParams{5}, "indexed");
    } else if (op == Op::MulMatId) {
      const Tensor experts = input({5, 8, 8}), x = input({2, 8}), at = input({2, 1}, DType::I64);
      out = b.op(op, {experts, x, at}, {}, "indexed");
    }
    if (out.defined()) b.output(out);
  }
};

}  // namespace

TEST_CASE("every op that reads indices reports one out of range, alone in its graph") {
  for (int i = 0; i < kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    if (!info(op).reads_indices()) continue;
    CAPTURE(name(op));
    const auto driver = std::make_shared<SimulatedDriver>();
    IndexGraph net(op);
    REQUIRE_MESSAGE(net.out.defined(), "no case for the op");
    Graph graph = *net.nodes.new_graph(16);
    REQUIRE(graph.expand(net.out).ok());
    auto backend = CudaBackend::make(driver, {});
    REQUIRE(backend);
    const auto memory = make_cpu_context();
    REQUIRE((*backend)->register_memory(*memory).ok());
    std::vector<TensorImpl*> inputs;
    for (const Tensor& t : net.inputs) {
      fill(t, 1, 5);
      inputs.push_back(t.impl());
    }
    REQUIRE(move_to_device(**backend, *memory, inputs, MemoryKind::Default).ok());
    const auto executor = prepared_executor(graph, **backend, memory);
    const Tensor& at = net.inputs.back();
    for (const int64_t index : {4, 77, 0}) {
      std::vector<int64_t> indices(static_cast<size_t>(at->element_count()), 1);
      indices.back() = index;
      REQUIRE(write_tensor(**backend, *at, std::as_bytes(std::span(indices))).ok());
      const auto report = executor->run();
      CHECK(report.ok() == (index < 5));
      if (report) continue;
      CHECK_MESSAGE(report.error().message.find("'indexed'") != std::string::npos, report.error().message);
      CHECK_MESSAGE(report.error().message.find("77") != std::string::npos, report.error().message);
    }
  }
}

TEST_CASE(
    "rows written by a graph stay on the device between runs, also when replayed; an index out of range is reported") {
  const auto driver = std::make_shared<SimulatedDriver>();
  {
    Context nodes = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
    GraphBuilder b(nodes);
    const Tensor state = b.weight("state", {5, 8}), x = b.input("x", {2, 8}), at = b.input("at", {2}, DType::I64);
    const Tensor written = b.op_with(Op::SetRows, {state, b.scale(x, 2), at}, SetRowsParams{0, true}, "written");
    const Tensor out = b.op(Op::Neg, {written}, {}, "out");
    b.output(out);
    Graph graph = *nodes.new_graph(16);
    REQUIRE(graph.expand(out).ok());
    for (const Tensor& t : {state, x}) fill(t, 1);
    fill(at, 1, 5);
    std::vector<float> expected(state.data_as<float>(), state.data_as<float>() + 40);

    auto backend = CudaBackend::make(driver, {});
    REQUIRE(backend);
    const auto memory = make_cpu_context();
    REQUIRE((*backend)->register_memory(*memory).ok());
    TensorImpl* const cache[] = {state.impl()};
    TensorImpl* const inputs[] = {x.impl(), at.impl()};
    REQUIRE(move_to_device(**backend, *memory, cache, MemoryKind::KVCache).ok());
    REQUIRE(move_to_device(**backend, *memory, inputs, MemoryKind::Default).ok());
    const auto executor = prepared_executor(graph, **backend, memory);
    for (int64_t run = 0; run < 6; ++run) {
      CAPTURE(run);
      const bool wrong = run == 3;
      const int64_t rows[] = {wrong ? 5 : run % 5, run % 2 ? -1 : (run + 1) % 5};
      float fresh[16];
      for (int i = 0; i < 16; ++i) fresh[i] = static_cast<float>(run * 100 + i);
      for (int r = 0; r < 2; ++r)
        for (int i = 0; i < 8 && rows[r] >= 0 && rows[r] < 5; ++i)
          expected[static_cast<size_t>(rows[r] * 8 + i)] = 2 * fresh[r * 8 + i];
      REQUIRE(write_tensor(**backend, *x, std::as_bytes(std::span(fresh))).ok());
      REQUIRE(write_tensor(**backend, *at, std::as_bytes(std::span(rows))).ok());
      const auto report = executor->run();
      CHECK(report.ok() == !wrong);
      if (!report) {
        CHECK_MESSAGE(report.error().message.find("'written' on cuda: row index 5 is out of range for 5 rows") !=
                          std::string::npos,
                      report.error().message);
        continue;
      }
      const auto got = read_tensor(**backend, *out), kept = read_tensor(**backend, *state);
      REQUIRE(got);
      REQUIRE(kept);
      CHECK(std::memcmp(kept->data(), expected.data(), 160) == 0);
      for (size_t i = 0; i < 40; ++i) CHECK(reinterpret_cast<const float*>(got->data())[i] == -expected[i]);
    }
    CHECK((*backend)->replays() == 5);
  }
  check_all_given_back(*driver);
}

TEST_CASE("weights larger than the staging buffer are uploaded, with and without pinned pages") {
  for (const bool pins : {true, false}) {
    SimulatedOptions simulated;
    simulated.pins = pins;
    const auto driver = std::make_shared<SimulatedDriver>(simulated);
    {
      auto backend = CudaBackend::make(driver, {});
      REQUIRE(backend);
      const auto context = make_cpu_context();
      REQUIRE((*backend)->register_memory(*context).ok());
      const Bytes bytes = 5 * cuda::Staging::kBytes / 2 + 3;
      std::vector<std::byte> data(static_cast<size_t>(bytes));
      std::mt19937 random(3);
      for (std::byte& b : data) b = static_cast<std::byte>(random());
      auto storage = Storage::allocate(*context, (*backend)->device(), MemoryKind::Persistent, bytes);
      REQUIRE(storage);
      const std::vector<std::byte> kept = data;
      REQUIRE((*backend)->upload(*storage, data.data(), bytes).ok());
      std::fill(data.begin(), data.end(), std::byte{0});  // the caller's bytes may go at once
      std::vector<std::byte> back(static_cast<size_t>(bytes));
      REQUIRE((*backend)->download(back.data(), *storage, bytes).ok());
      CHECK(back == kept);
      CHECK((driver->held_pages() > 0) == pins);
      CHECK(!(*backend)->upload(*storage, data.data(), bytes + 4096));
      CHECK(!(*backend)->download(back.data(), *storage, bytes + 4096));
    }
    check_all_given_back(*driver);
  }
}

// The kernel of a later node computes it.
static bool is_inside_chain(const TensorImpl& node) {
  const std::string_view name = node.name;
  return name == "sum" || name == "relu" || name == "scale" || name == "join";
}

TEST_CASE("times of nodes and copies are inside the run, from timers and from activity records") {
  for (const bool activities : {false, true}) {
    CAPTURE(activities);
    SimulatedOptions simulated;
    simulated.activities = activities;
    const auto driver = std::make_shared<SimulatedDriver>(simulated);
    {
      Network net;
      auto on = OnDevice::open(net, driver);
      REQUIRE(on.ok());
      REQUIRE(on->run(net).ok());
      const auto now = [] { return trace::Clock::monotonic() + 5'000'000'000; };  // a host's clock of its own
      on->backend->enable_profiling(true);
      const Nanoseconds begin = now();
      const auto expected = new_inputs(net, *on, 5);
      auto got = on->run(net);
      REQUIRE(got.ok());
      CHECK(difference(net, *got, expected) < 1e-5);
      CHECK(on->backend->replays() == 1);
      const auto spans = on->backend->drain_spans(now);
      const Nanoseconds end = now();
      std::map<const TensorImpl*, int> nodes;
      Bytes in = 0, out = 0;
      Nanoseconds last = begin;
      constexpr Nanoseconds kSlack = 2'000'000;  // what ties the clocks together is no better on a busy machine
      for (const DeviceSpan& span : spans) {
        CHECK(span.begin >= begin - kSlack);
        CHECK(span.end >= span.begin);
        CHECK(span.end <= end + kSlack);
        CHECK(!span.what.empty());
        if (span.node) ++nodes[span.node];
        if (span.node) CHECK(span.begin >= last - kSlack);  // one stream, in order
        if (span.node) last = span.begin;
        (span.to_device ? in : out) += span.copied;
      }
      for (const PlannedStep& step : on->executor->plan().steps)
        if (step.tasks > 0) {
          const TensorImpl& node = on->executor->plan().graph.node(step.node);
          CHECK((nodes[&node] > 0) == !is_inside_chain(node));
        }
      CHECK(in == net.x->byte_count() + net.indices->byte_count());
      CHECK(out >= net.output->byte_count());
      CHECK(on->backend->drain_spans(now).empty());
      on->backend->enable_profiling(false);
      REQUIRE(on->run(net).ok());
      CHECK(on->backend->drain_spans(now).empty());
    }
    check_all_given_back(*driver);
  }
}

TEST_CASE("a timed run measures device time, not queueing time") {
  const auto driver = std::make_shared<SimulatedDriver>();
  Network net;
  auto on = OnDevice::open(net, driver);
  REQUIRE(on.ok());
  REQUIRE(on->executor->run().ok());
  RunOptions options;
  options.timed = true;
  auto report = on->executor->run(options);
  REQUIRE(report.ok());
  for (const PlannedStep& step : on->executor->plan().steps)
    if (step.tasks > 0) {
      const auto time = report->nodes[static_cast<size_t>(&step - on->executor->plan().steps.data())].nanoseconds;
      CHECK(time.has_value() == !is_inside_chain(on->executor->plan().graph.node(step.node)));
      if (time) CHECK(*time > 0);
    }
  REQUIRE(on->executor->run().ok());
  CHECK(on->backend->replays() == 2);  // both runs after the first
}

TEST_CASE(
    "a failure of any driver call gives an error or the correct result, leaks nothing, and the next run is correct") {
  const auto now = [] { return trace::Clock::monotonic(); };
  int failed = 0, survived = 0;
  for (const bool profiled : {false, true}) {
    CAPTURE(profiled);
    int calls = 0;
    {
      const auto driver = std::make_shared<SimulatedDriver>();
      Network net;
      auto on = OnDevice::open(net, driver);
      REQUIRE(on.ok());
      on->backend->enable_profiling(profiled);
      for (int run = 0; run < 3; ++run) {
        REQUIRE(on->run(net).ok());
        on->backend->drain_spans(now);
      }
      calls = driver->calls();
    }
    for (int at = 0; at < calls; ++at) {
      CAPTURE(at);
      const auto driver = std::make_shared<SimulatedDriver>();
      {
        Network net;
        const auto expected = expected_of(net);
        driver->fail_after(at, 1 + at % 3);
        auto on = OnDevice::open(net, driver);
        if (on) on->backend->enable_profiling(profiled);
        bool all = on.ok();
        for (int run = 0; on.ok() && run < 3; ++run) {
          auto got = on->run(net);
          if (got)
            CHECK(difference(net, *got, expected) < 1e-5);
          else
            CHECK(!got.error().message.empty());
          all = all && got.ok();
          on->backend->drain_spans(now);
        }
        driver->fail_after(-1);
        if (on) {
          auto got = on->run(net);
          REQUIRE_MESSAGE(got.ok(), (got ? "" : got.error().message));
          CHECK(difference(net, *got, expected) < 1e-5);
        }
        ++(all ? survived : failed);
      }
      check_all_given_back(*driver);
    }
    MESSAGE(calls << " calls");
  }
  CHECK(failed > 20);
  CHECK(survived > 0);
  MESSAGE(survived << " failures survived by other means");
}

TEST_CASE("a device lost during a run: every later call is an error, and nothing is freed") {
  int calls = 0;
  {
    const auto driver = std::make_shared<SimulatedDriver>();
    Network net;
    auto on = OnDevice::open(net, driver);
    REQUIRE(on.ok());
    for (int run = 0; run < 3; ++run) REQUIRE(on->run(net).ok());
    calls = driver->calls();
  }
  for (int at = 0; at < calls; at += 3) {
    CAPTURE(at);
    SimulatedOptions simulated;
    simulated.pins = at % 2 == 0;
    const auto driver = std::make_shared<SimulatedDriver>(simulated);
    {
      Network net;
      const auto expected = expected_of(net);
      driver->lose_after(at);
      auto on = OnDevice::open(net, driver);
      for (int run = 0; on.ok() && run < 4; ++run) {
        auto got = on->run(net);
        if (got)
          CHECK(difference(net, *got, expected) < 1e-5);
        else
          CHECK(!got.error().message.empty());
        if (driver->lost()) CHECK(!on->run(net));  // and it does not come back
      }
      if (on) on->backend->enable_profiling(true);
      if (on) CHECK(on->backend->drain_spans([] { return Nanoseconds{0}; }).empty());
      if (!on) CHECK(on.error().message.find("lost") != std::string::npos);
    }
    CHECK(driver->lost());
    CHECK(driver->complaint() == "");
  }
}

TEST_CASE("notes for the user are given once") {
  SimulatedOptions simulated;
  simulated.captures = false;
  simulated.pins = false;
  Network net;
  auto on = OnDevice::open(net, std::make_shared<SimulatedDriver>(simulated));
  REQUIRE(on.ok());
  for (int run = 0; run < 2; ++run) REQUIRE(on->run(net).ok());
  std::string all;
  std::set<trace::ProblemKind> kinds;
  for (const trace::Problem& note : on->backend->drain_diagnostics().problems) {
    all += note.sentence + "\n";
    kinds.insert(note.kind);
  }
  for (const auto kind :
       {trace::ProblemKind::NotReplayed, trace::ProblemKind::NotPinned, trace::ProblemKind::Fragmentation})
    CHECK(kinds.contains(kind));
  CHECK_MESSAGE(all.find("because capturing failed: cuda:0 could not begin a capture") != std::string::npos, all);
  CHECK_MESSAGE(all.find("cannot pin ") != std::string::npos, all);
  CHECK_MESSAGE(all.find("cuda:0 holds 2097152 bytes in 1 segments") != std::string::npos, all);
  CHECK(on->backend->drain_diagnostics().problems.empty());
}

TEST_CASE("a missing device is reported with its reason") {
  using cuda::DriverAnswer;
  using cuda::why_no_device;
  CHECK(why_no_device({0, 13000, DriverAnswer::Devices, 0, ""}) ==
        "no NVIDIA driver found on this machine (libcuda.so.1 is missing)");
  CHECK(why_no_device({0, 13000, DriverAnswer::TooOld, 0, ""}) ==
        "no NVIDIA driver found on this machine (libcuda.so.1 is missing)");
  CHECK(why_no_device({12040, 13000, DriverAnswer::TooOld, 0, ""}) ==
        "the NVIDIA driver supports CUDA 12.4, but this module requires 13.0");
  CHECK(why_no_device({13000, 13000, DriverAnswer::NoDevice, 0, ""}) == "the NVIDIA driver found no GPU");
  CHECK(why_no_device({13000, 13000, DriverAnswer::Devices, 0, ""}) == "the NVIDIA driver found no GPU");
  CHECK(why_no_device({0, 13000, DriverAnswer::StubLibrary, 0, ""}).find("link stub") != std::string::npos);
  CHECK(why_no_device({13010, 13000, DriverAnswer::Failed, 0, "unknown error"}) ==
        "the NVIDIA driver failed to initialise: unknown error");
  CHECK(why_no_device({13010, 13000, DriverAnswer::Devices, 2, ""}).empty());
  CHECK(cuda::why_not_this_device(1, "an old GPU", 7, 0) ==
        "cuda:1 (an old GPU) has compute capability 7.0, but 7.5 or newer is required");
  CHECK(cuda::why_not_this_device(0, "a GPU", 7, 5).empty());
  CHECK(cuda::why_not_this_device(0, "a GPU", 12, 0).empty());
}

TEST_CASE("a graph partitioned between device and host agrees, and its copies are visible nodes") {
  const auto driver = std::make_shared<SimulatedDriver>();
  {
    Network net;
    const auto expected = expected_of(net);
    auto made = CudaBackend::make(driver, {});
    REQUIRE(made);
    CudaBackend& device = **made;
    const auto sides = choose_sides(net.graph, [](const TensorImpl& node) {
      return node.op == Op::Relu || node.op == Op::Tanh ? PartitionSide::Other : PartitionSide::Main;
    });
    auto split = partition_graph(net.graph, sides);
    REQUIRE(split);
    CHECK(split->copies == 4);
    const auto host = reference::make_reference_backend();
    const auto context = make_cpu_context();
    trace::Recorder recorder;
    auto session = std::make_shared<trace::Session>();
    recorder.add_sink(session);
    REQUIRE(device.register_memory(*context).ok());
    REQUIRE(move_to_device(device, *context, split->main_leafs, MemoryKind::Persistent).ok());
    MemoryPlanOptions options;
    options.alignment = device.alignment();
    auto memory = plan_memory(split->graph, "two-level", "depth-first", options);
    REQUIRE(memory);
    auto plan = ExecutionPlan::make(split->graph, *memory, device, 2, {}, host.get());
    REQUIRE_MESSAGE(plan.ok(), (plan ? "" : plan.error().message));
    auto executor = Executor::create(device, context, {.threads = 2, .recorder = &recorder, .host = host.get()});
    REQUIRE(executor);
    REQUIRE((*executor)->prepare(std::move(*plan)).ok());
    for (int run = 0; run < 3; ++run) {
      auto report = (*executor)->run();
      REQUIRE_MESSAGE(report.ok(), (report ? "" : report.error().message));
      const Tensor& out = split->node_map[net.graph.find_node(*net.output).index()];
      auto got = read_tensor(device, *out);
      REQUIRE(got);
      CHECK(difference(net, *got, expected) < 1e-5);
    }
    int copies = 0;
    for (const TensorImpl* node : split->graph.nodes()) copies += node->op == Op::Copy;
    CHECK(copies == split->copies);
    recorder.drain();
    const auto seen = session->snapshot();
    int of_nodes = 0;  // the others read the result
    for (size_t i = 0; i < seen->copies.size(); ++i) {
      const trace::SpanRef at = seen->copies[i];
      const NodeId node = seen->tracks[at.track.index()].lanes[at.lane].rows[at.row].node();
      of_nodes += node.valid();
      if (node.valid()) CHECK(split->graph.node(node).op == Op::Copy);
    }
    CHECK(of_nodes == 3 * copies);
  }
  check_all_given_back(*driver);
}

TEST_CASE("a full device is an error, and a lost one is not called again") {
  SimulatedOptions small;
  small.memory = 4096;
  const auto full = std::make_shared<SimulatedDriver>(small);
  {
    Network net;
    auto on = OnDevice::open(net, full);
    REQUIRE(!on.ok());
    CHECK_MESSAGE(on.error().message.find("cuda:0 could not allocate") != std::string::npos, on.error().message);
  }
  check_all_given_back(*full);
  const auto gone = std::make_shared<SimulatedDriver>();
  {
    Network net;
    auto on = OnDevice::open(net, gone);
    REQUIRE(on.ok());
    for (int run = 0; run < 2; ++run) REQUIRE(on->run(net).ok());
    on->backend->enable_profiling(true);
    REQUIRE(on->run(net).ok());
    gone->kill();
  }
  CHECK(gone->complaint() == "");
}

TEST_CASE("random programs of the allocator keep their data across streams") {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    CAPTURE(seed);
    SimulatedOptions simulated;
    simulated.pins = true;
    const auto driver = std::make_shared<SimulatedDriver>(simulated);
    RandomProgram(driver, seed).run(600);
    CHECK(driver->complaint() == "");
  }
}

TEST_CASE("a device shared with other programs keeps the configured reserve free") {
  SimulatedOptions simulated;
  simulated.memory = 24 * kMiB;
  const auto driver = std::make_shared<SimulatedDriver>(simulated);
  for (const Bytes left : {0 * kMiB, 2 * kMiB, 8 * kMiB}) {
    const Hog hog(driver, left);
    auto taken = driver->take_memory(left + kMiB);
    CHECK(!taken.ok());
    if (left > 0) {
      taken = driver->take_memory(left / 2);
      REQUIRE(taken.ok());
      driver->give_memory(*taken, left / 2);
    }
  }
  check_all_given_back(*driver);
}

TEST_CASE("backend options") {
  const auto ok = cuda::read_options({{"tf32", "1"}, {"device", "1"}, {"graphs", "0"}}, 2);
  REQUIRE(ok);
  CHECK(ok->queue.tf32);
  CHECK(ok->device == 1);
  CHECK(!ok->graphs);
  CHECK(ok->chains);
  CHECK(cuda::read_options({{"device", "2"}}, 2).error().message == "no device cuda:2; found 2");
  CHECK(cuda::read_options({{"precision", "normal"}}, 1)->queue.tf32);
  CHECK(!cuda::read_options({{"precision", "low"}}, 1)->queue.tf32);
  CHECK(!cuda::read_options({{"precision", "lowest"}}, 1));
  CHECK(!cuda::read_options({{"device", "-1"}}, 2));
  CHECK(!cuda::read_options({{"device", "0x"}}, 2));
  CHECK(!cuda::read_options({{"tf32", "yes"}}, 2));
  CHECK(!cuda::read_options({{"turbo", "1"}}, 2));
}
