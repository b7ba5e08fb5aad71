// SPDX-License-Identifier: MIT
// The comparison of two recordings: totals, and the parts that explain each change.
#include <arenascope/trace/bind_event.h>
#include <arenascope/trace/call_site.h>
#include <arenascope/trace/difference.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

using namespace arenascope;
using namespace arenascope::trace;

namespace {

struct Sizes {
  Bytes first = 1000, second = 2000;
  Nanoseconds second_node = 120;
  bool third_node = false;
};

void describe(Session& session, const Sizes& sizes) {
  session.describe(ThreadInfo{TrackId(0), "worker 0"});
  session.describe(ThreadInfo{TrackId(1), "allocations", TrackKind::Other});
  session.describe(AllocatorInfo{.id = 1, .name = "caching", .kind = MemoryKind::Workspace});
  auto graph = std::make_shared<GraphInfo>();
  graph->id = GraphId(0);
  for (int i = 0; i < (sizes.third_node ? 3 : 2); ++i)
    graph->nodes.push_back({.name = "n" + std::to_string(i), .op = "ADD", .dtype = "f32", .shape = {4}});
  session.describe(std::shared_ptr<const GraphInfo>(graph));
  auto plan = std::make_shared<PlanInfo>();
  plan->id = PlanId(0);
  plan->graph = GraphId(0);
  plan->planner = "search";
  plan->order = {NodeId(0), NodeId(1)};
  plan->arena_bytes = sizes.first + sizes.second + 64;
  plan->slices = {
      {.tensor = TensorRef::node(NodeId(0)), .offset = 0, .size = sizes.first, .first = Step(0), .last = Step(2)},
      {.tensor = TensorRef::node(NodeId(1)),
       .offset = sizes.first,
       .size = sizes.second,
       .first = Step(1),
       .last = Step(2)}};
  session.describe(std::shared_ptr<const PlanInfo>(plan));
}

void add_memory(Session& session, const Sizes& sizes) {
  std::vector<Event> events{reserve(5, MemoryKind::Workspace, 0x1000, 8 * sizes.second, 1, 0)};
  const Bytes bytes[] = {sizes.first, sizes.second};
  for (int32_t i = 0; i < 2; ++i) {
    const uint64_t address = 0x1000 + static_cast<uint64_t>(i) * 0x10000;
    events.push_back(alloc(10 + i, MemoryKind::Workspace, address, bytes[i], 1, static_cast<uint32_t>(i + 1)));
    events.push_back(owner(10 + i, address, bytes[i], 1, GraphId(0), TensorRef::node(NodeId(i))));
  }
  session.events(TrackId(1), events);
}

// Runs of two nodes in sequence; the first run is cold.
void add_runs(Session& session, const Sizes& sizes, int runs) {
  for (int i = 0; i < runs; ++i) {
    const Nanoseconds begin = 1000 + 1000 * i, middle = begin + 100;
    const RunId id(i);
    session.describe(RunInfo{.id = id, .graph = GraphId(0), .plan = PlanId(0), .begin = begin, .threads = 1});
    const Event events[] = {work(id, NodeId(0), begin, middle, 0),
                            work(id, NodeId(1), middle, middle + sizes.second_node, 0)};
    session.events(TrackId(0), events);
    session.describe(RunEnd{id, middle + sizes.second_node, RunStatus::Done});
  }
}

std::shared_ptr<const Snapshot> recorded(const Sizes& sizes, int runs = 3) {
  Session session;
  describe(session, sizes);
  add_memory(session, sizes);
  add_runs(session, sizes, runs);
  auto snapshot = session.snapshot();
  CHECK(snapshot->problems.empty());
  return snapshot;
}

}  // namespace

TEST_CASE("equal recordings have no difference") {
  const auto a = recorded({}), b = recorded({});
  const Difference d = compare(*a, *b);
  REQUIRE(d.metrics.size() == kMetrics);
  for (const MetricChange& metric : d.metrics) {
    CAPTURE(name(metric.metric));
    CHECK(metric.known());
    CHECK(metric.change() == 0);
    CHECK(metric.contributions.empty());
  }
  CHECK(d.of(Metric::Peak).a == 3000);
  CHECK(d.of(Metric::Reserved).a == 16000);
  CHECK(d.of(Metric::Arena).a == 3064);
  CHECK(d.of(Metric::NodeTime).a == 220);
  CHECK(d.of(Metric::RunTime).a == 220);
  CHECK(d.only_a.empty());
  CHECK(d.only_b.empty());
}

TEST_CASE("each difference is explained by the tensors, allocators and nodes that changed") {
  const auto a = recorded({}), b = recorded({.first = 1000, .second = 2500, .second_node = 300, .third_node = true});
  const Difference d = compare(*a, *b);
  for (const Metric metric : {Metric::Peak, Metric::Arena}) {
    CAPTURE(name(metric));
    CHECK(d.of(metric).change() == 500);
    REQUIRE(d.of(metric).contributions.size() == 1);
    const Contribution& tensor = d.of(metric).contributions[0];
    CHECK(tensor.name == "n1");
    CHECK(tensor.a == 2000);
    CHECK(tensor.b == 2500);
  }
  REQUIRE(d.of(Metric::Reserved).contributions.size() == 1);
  CHECK(d.of(Metric::Reserved).contributions[0].name == "caching");
  CHECK(d.of(Metric::Reserved).contributions[0].change() == 4000);
  CHECK(d.of(Metric::NodeTime).change() == 180);
  REQUIRE(d.of(Metric::NodeTime).contributions.size() == 1);
  CHECK(d.of(Metric::NodeTime).contributions[0].name == "n1");
  CHECK(d.of(Metric::RunTime).change() == 180);
  CHECK(d.only_a.empty());
  CHECK(d.only_b == std::vector<std::string>{"n2"});
}

TEST_CASE("the cold run is left out of the median where others exist") {
  const auto one = recorded({}, 1), many = recorded({}, 4);
  CHECK(compare(*one, *many).of(Metric::RunTime).known());
}

TEST_CASE("a metric that was not recorded is missing, not zero") {
  const auto a = recorded({});
  Session empty;
  const Difference d = compare(*a, *empty.snapshot());
  for (const MetricChange& metric : d.metrics) {
    CAPTURE(name(metric.metric));
    CHECK(metric.a);
    CHECK_FALSE(metric.b);
    CHECK_FALSE(metric.known());
    CHECK(metric.contributions.empty());
  }
}

TEST_CASE("metric names are parsed as they are printed") {
  for (size_t i = 0; i < kMetrics; ++i) {
    const auto metric = static_cast<Metric>(i);
    CHECK(parse_metric(name(metric)) == metric);
  }
  CHECK_FALSE(parse_metric("speed"));
}

TEST_CASE("a call site is the innermost frame of the user's own code") {
  Session session;
  std::vector<std::string> texts;
  const auto name_id = [&](const char* text) {
    texts.emplace_back(text);
    const NameId id(texts.size() - 1);
    session.describe(NameInfo{id, text});
    return id;
  };
  const auto frame = [&](const char* function, const char* file, int line) {
    return StackFrame{name_id(function), name_id(file), line};
  };
  const StackFrame allocate =
      frame("c10::cuda::CUDACachingAllocator::malloc(unsigned long)", "CUDACachingAllocator.cpp", 0);
  const StackFrame package = frame("einsum", "/venv/lib/python3.12/site-packages/torch/functional.py", 407);
  const StackFrame interpreter = frame("_PyEval_EvalFrameDefault", "/src/python-3.12.3/Python/bytecodes.c", 2706);
  const StackFrame own = frame("step", "/home/user/optimizer.py", 78);
  const StackFrame extension = frame("my_op(at::Tensor)", "/home/user/my_op.cpp", 12);
  const auto site = [&](std::vector<StackFrame> frames) {
    const StackInfo stack{std::move(frames), {}};
    return call_site(*session.snapshot(), &stack);
  };
  CHECK(site({allocate, package, interpreter, own}) == "step optimizer.py:78");
  CHECK(site({allocate, extension, interpreter, own}) == "step optimizer.py:78");
  CHECK(site({allocate, extension, interpreter}) == "my_op my_op.cpp:12");
  const StackFrame apply = frame("torch::autograd::generated::SoftmaxBackward0::apply(c10::ArrayRef)", "??", 0);
  const StackFrame thread = frame("execute_native_thread_routine", "thread48.o", 0);
  CHECK(site({allocate, apply, thread}) == "SoftmaxBackward0::apply");
  const StackFrame nearby = frame("pthread_condattr_setpshared", "??", 0), outer = frame("__xmknodat", "??", 0);
  CHECK(site({allocate, apply, thread, nearby, outer}) == "SoftmaxBackward0::apply");
  CHECK(site({allocate, extension, thread, nearby, outer}) == "my_op my_op.cpp:12");
  CHECK(site({package, interpreter}) == "einsum functional.py:407");
  CHECK(call_site(*session.snapshot(), nullptr).empty());
}
