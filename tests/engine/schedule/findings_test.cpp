// SPDX-License-Identifier: MIT
// Graphs restored from their descriptions plan as they did, and each saving that is promised is one of a real plan.
#include <arenascope/graph/builder.h>
#include <arenascope/graph/op_params.h>
#include <arenascope/planner/planner.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/finding_sentence.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>
#include <arenascope/trace/bind_event.h>
#include <arenascope/trace/session.h>
#include <arenascope/trace/space_use.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace arenascope;
using Kind = Finding::Kind;

namespace {

Graph random_graph(uint32_t seed, int nodes) {
  std::mt19937 random(seed);
  Context context = *Context::create({.mem_size = 4 << 20, .no_alloc = true});
  GraphBuilder b(context);
  std::vector<Tensor> made{b.input("x", {8, 96})};
  for (int i = 0; i < nodes; ++i) {
    const Tensor p = made[made.size() - 1 - random() % std::min<size_t>(made.size(), 6)];
    const Tensor q = made[made.size() - 1 - random() % std::min<size_t>(made.size(), 6)];
    const std::string name = "n" + std::to_string(i);
    if (random() % 4 == 0)
      made.push_back(b.op(Op::Relu, {p}, {}, name));
    else if (random() % 4 == 0)
      made.push_back(b.reshape(b.reshape(p, {96, 8}), {8, 96}, name));
    else
      made.push_back(b.add(p, q, name));
  }
  b.output(made.back());
  REQUIRE(b.ok());
  Graph graph = *context.new_graph(4 * static_cast<size_t>(nodes));
  REQUIRE(graph.expand(made.back()).ok());
  return graph;
}

// Buffers by name and bytes, with the nodes that each reads; the last one is the output.
struct Line {
  const char* name;
  Bytes bytes;
  std::vector<int> sources;
  const char* op = "MUL_MAT";
};

FindingsInput input_of(const std::vector<Line>& lines, const char* planner = "greedy-by-size",
                       const char* order = "depth-first") {
  auto g = std::make_shared<trace::GraphInfo>();
  g->id = trace::GraphId(0);
  for (const Line& line : lines) {
    trace::TensorInfo t;
    t.name = line.name;
    t.op = line.op;
    t.dtype = "i8";
    t.shape = {line.bytes};
    t.bytes = line.bytes;
    for (int s : line.sources) t.sources.push_back(trace::TensorRef::node(NodeId(s)));
    g->nodes.push_back(t);
  }
  g->nodes.back().flags = trace::kOutput;
  auto graph = restore_graph(*g);
  REQUIRE(graph.ok());
  MemoryPlanOptions options;
  options.join = false;  // as plans of others, that copy into their concatenations
  auto plan = plan_memory(*graph, planner, order, options);
  REQUIRE(plan.ok());
  auto info = std::make_shared<trace::PlanInfo>(describe_plan(*plan));
  info->graph = g->id;
  return {std::make_shared<trace::Snapshot>(), g, info, {}};
}

const Finding* find(const std::vector<Finding>& list, Kind kind) {
  for (const Finding& f : list)
    if (f.kind == kind) return &f;
  return nullptr;
}

void check_savings(const FindingsInput& input, const std::vector<Finding>& list) {
  Bytes before = INT64_MAX;
  for (const Finding& f : list) {
    CHECK(f.saved <= before);
    before = f.saved;
    if (!f.plan) {
      CHECK(f.saved == 0);
      continue;
    }
    CHECK(f.saved == input.plan->arena_bytes - f.plan->arena_bytes);
    // Tensors that are live at the same time do not overlap, except for in-place reuse and aliasing into concatenations.
    const auto& slices = f.plan->slices;
    for (size_t i = 0; i < slices.size(); ++i) {
      CHECK(slices[i].offset + slices[i].size <= f.plan->arena_bytes);
      for (size_t j = i + 1;
           j < slices.size() && f.kind != Kind::InPlace && f.kind != Kind::InPlaceAll && f.kind != Kind::Concat; ++j) {
        const bool together = slices[i].first < slices[j].last && slices[j].first < slices[i].last;
        const bool meet = slices[i].offset < slices[j].offset + slices[j].size &&
                          slices[j].offset < slices[i].offset + slices[i].size;
        CHECK_FALSE((together && meet));
      }
    }
  }
}

}  // namespace

TEST_CASE("a restored graph has the plans of the original graph") {
  for (uint32_t seed = 0; seed < 6; ++seed) {
    const Graph graph = random_graph(seed, 40);
    const trace::GraphInfo info = describe_graph(graph);
    const auto restored = restore_graph(info);
    REQUIRE(restored.ok());
    REQUIRE(restored->nodes().size() == graph.nodes().size());
    REQUIRE(restored->leafs().size() == graph.leafs().size());
    trace::GraphInfo again = describe_graph(*restored);
    for (size_t i = 0; i < again.nodes.size(); ++i) {
      CHECK(again.nodes[i].name == info.nodes[i].name);
      CHECK(again.nodes[i].op == info.nodes[i].op);
      CHECK(again.nodes[i].bytes == info.nodes[i].bytes);
      CHECK(again.nodes[i].sources == info.nodes[i].sources);
      CHECK(again.nodes[i].view_source == info.nodes[i].view_source);
    }
    for (const char* order : {"depth-first", "breadth-first", "ge", "least-peak-first"}) {
      for (const bool in_place : {false, true}) {
        MemoryPlanOptions options;
        options.in_place = in_place;
        const auto a = plan_memory(graph, "greedy-by-size", order, options);
        const auto b = plan_memory(*restored, "greedy-by-size", order, options);
        REQUIRE((a.ok() && b.ok()));
        CHECK(a->order == b->order);
        CHECK(a->arena_bytes == b->arena_bytes);
        CHECK(a->lower_bound == b->lower_bound);
      }
    }
  }
}

TEST_CASE("a restored graph joins concatenations like the original graph") {
  Context context = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
  GraphBuilder b(context);
  const Tensor x = b.input("x", {1, 16, 8, 8});
  const Tensor left = b.op(Op::Relu, {x}, {}, "left"), right = b.op(Op::Sigmoid, {x}, {}, "right");
  OpParams channels, rows;
  channels.set(AxisParams{1});
  rows.set(AxisParams{2});
  const Tensor whole = b.op(Op::Concat, {left, right}, channels, "whole");
  const Tensor apart = b.op(Op::Concat, {whole, whole}, rows, "apart");  // along rows: its parts are not contiguous
  b.output(apart);
  REQUIRE(b.ok());
  Graph graph = *context.new_graph(16);
  REQUIRE(graph.expand(apart).ok());
  trace::GraphInfo info = describe_graph(graph);
  const auto live = plan_memory(graph, "greedy-by-size", "depth-first", {});
  REQUIRE(live.ok());
  REQUIRE(live->joined.size() == 1);
  auto restored = restore_graph(info);
  REQUIRE(restored.ok());
  const auto again = plan_memory(*restored, "greedy-by-size", "depth-first", {});
  REQUIRE(again.ok());
  CHECK(again->joined == live->joined);
  CHECK(again->arena_bytes == live->arena_bytes);
  CHECK(again->lower_bound == live->lower_bound);
  // Axes that are missing or contradict the sizes give no aliasing.
  for (const std::optional<int32_t> axis :
       {std::optional<int32_t>(), std::optional(7), std::optional(-1), std::optional(0), std::optional(INT32_MAX)}) {
    for (trace::TensorInfo& node : info.nodes)
      if (op_of(node) == Op::Concat) node.axis = axis;
    restored = restore_graph(info);
    REQUIRE(restored.ok());
    const auto copied = plan_memory(*restored, "greedy-by-size", "depth-first", {});
    REQUIRE(copied.ok());
    CHECK(copied->joined.empty());
  }
}

TEST_CASE("an invalid description is an error with its reason") {
  trace::GraphInfo info;
  trace::TensorInfo a;
  a.name = "a";
  a.op = "ADD";
  a.bytes = 64;
  a.sources = {trace::TensorRef::node(NodeId(1))};
  info.nodes = {a, a};
  auto bad = restore_graph(info);
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.error().message.find("'a'") != std::string::npos);
  info.nodes[0].sources = {trace::TensorRef::leaf(LeafId(7))};
  CHECK_FALSE(restore_graph(info).ok());
  info.nodes[0].sources.clear();
  info.nodes[0].bytes = info.nodes[1].bytes = INT64_MAX;
  CHECK_FALSE(restore_graph(info).ok());
  CHECK(restore_graph({}).ok());
}

TEST_CASE("damaged descriptions give a graph or an error") {
  const trace::GraphInfo good = describe_graph(random_graph(3, 30));
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    trace::GraphInfo g = good;
    for (int k = 0; k < 3; ++k) {
      trace::TensorInfo& t = g.nodes[random() % g.nodes.size()];
      switch (random() % 6) {
        case 0: t.sources.assign(random() % 3, trace::TensorRef{static_cast<uint32_t>(random())}); break;
        case 1: t.view_source = {static_cast<uint32_t>(random() % 40)}; break;
        case 2: t.op = random() % 2 ? "VIEW" : "no such op"; break;
        case 3: t.bytes = static_cast<Bytes>(uint64_t{random()} * uint64_t{random()} - 77); break;
        case 4: t.flags = random() % 64; break;
        default: t.shape.assign(random() % 12, static_cast<int64_t>(random()) - 100);
      }
    }
    auto graph = restore_graph(g);
    if (!graph) {
      CHECK_FALSE(graph.error().message.empty());
      continue;
    }
    CHECK(graph->nodes().size() == g.nodes.size());
    (void)plan_memory(*graph, "greedy-by-size", "least-peak-first");
  }
}

TEST_CASE("a tensor used at both ends is reported, rematerialised and offloaded") {
  // `long` waits while the wide middle runs.
  const FindingsInput input = input_of({{"long", 1 << 20, {}},
                                        {"b", 4096, {0}},
                                        {"c", 1 << 20, {1}},
                                        {"d", 1 << 20, {2}},
                                        {"e", 4096, {3}},
                                        {"out", 4096, {4, 0}}});
  const auto found = find_savings(input);
  check_savings(input, found);
  const Finding* peak = find(found, Kind::AtPeak);
  REQUIRE(peak);
  CHECK(peak->bytes >= Bytes{3} << 20);
  CHECK(peak->tensors.size() >= 3);
  for (const Kind kind : {Kind::Rematerialise, Kind::Offload}) {
    const Finding* f = find(found, kind);
    REQUIRE(f);
    CHECK(f->tensors == std::vector{trace::TensorRef::node(NodeId(0))});
    CHECK(f->saved >= (Bytes{1} << 20) - 8192);
    CHECK(f->count == 3);
  }
}

// As ExecuTorch plans: the input is in the arena too, as long as it is read.
TEST_CASE("plans that are compared with one that places its inputs place them too") {
  FindingsInput input = input_of({{"y", 4096, {}}, {"z", 4096, {0}}, {"out", 64, {1}}});
  auto graph = std::make_shared<trace::GraphInfo>(*input.graph);
  trace::TensorInfo given = graph->nodes[0];
  given.name = "given", given.flags = trace::kInput;
  graph->leafs = {given};
  graph->nodes[0].sources = graph->nodes[1].sources = {trace::TensorRef::leaf(LeafId(0))};
  graph->nodes[1].sources.push_back(trace::TensorRef::node(NodeId(0)));
  auto plan = std::make_shared<trace::PlanInfo>(*input.plan);
  trace::SliceInfo slice;
  slice.tensor = trace::TensorRef::leaf(LeafId(0));
  slice.offset = plan->arena_bytes;
  slice.size = 4096;
  slice.first = Step(0);
  slice.last = Step(2);
  plan->slices.push_back(slice);
  plan->arena_bytes += 4096 + 1024;  // a kilobyte more than is necessary
  input.graph = graph;
  input.plan = plan;
  const auto found = find_savings(input);
  check_savings(input, found);
  const Finding* peak = find(found, Kind::AtPeak);
  REQUIRE(peak);
  CHECK(peak->bytes == 3 * 4096);
  CHECK(std::ranges::find(peak->tensors, slice.tensor) != peak->tensors.end());
  REQUIRE(find(found, Kind::Planner));
  for (const Finding& f : found) CHECK((f.plan == nullptr || f.plan->arena_bytes >= 3 * 4096));
}

// `long` is computed from a weight that is written by `gradient`, as large as it, before `long` is needed again.
TEST_CASE("sources of updates are kept for rematerialised nodes") {
  for (const bool writes : {false, true}) {
    Context context = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
    GraphBuilder b(context);
    constexpr int64_t kWide = 1 << 18;
    const Tensor x = b.input("x", {kWide}), w = b.input("w", {kWide});
    const Tensor kept = b.op(Op::Mul, {x, w}, {}, "long"), gradient = b.op(Op::Neg, {kept}, {}, "gradient");
    OpParams all;
    all.set(SetRowsParams{0, false});
    const Tensor written = writes ? b.op(Op::SetRows, {w, gradient}, all, "update") : b.op(Op::Relu, {gradient});
    const Tensor small = b.reduce(Op::ReduceSum, writes ? gradient : written, {0}, true, "small");
    const Tensor wide = b.op(Op::Add, {x, small});
    const Tensor middle = b.op(Op::Add, {b.op(Op::Exp, {wide}), b.op(Op::Neg, {wide})}, {}, "middle");
    const Tensor end =
        b.op(Op::Add, {b.reduce(Op::ReduceSum, middle, {0}, true), b.reduce(Op::ReduceSum, kept, {0}, true)});
    b.output(end);
    if (writes) b.output(written);
    REQUIRE_MESSAGE(b.ok(), (b.ok() ? "" : b.status().error().message));
    Graph graph = *context.new_graph(64);
    if (writes) REQUIRE(graph.expand(written).ok());
    REQUIRE(graph.expand(end).ok());
    auto plan = plan_memory(graph, "greedy-by-size", "depth-first", {});
    REQUIRE(plan.ok());
    auto info = std::make_shared<trace::GraphInfo>(describe_graph(graph));
    info->id = trace::GraphId(0);
    auto described = std::make_shared<trace::PlanInfo>(describe_plan(*plan));
    described->graph = info->id;
    const auto found = find_savings({std::make_shared<trace::Snapshot>(), info, described, {}});
    CHECK((find(found, Kind::Rematerialise) != nullptr) == !writes);
    CHECK(find(found, Kind::Offload));
  }
}

TEST_CASE("findings: order, planner, in-place ops, alignment") {
  std::vector<Line> lines{{"x", 64, {}}};
  // Two wide branches that each end small: depth first is fine, side by side is not.
  lines.push_back({"a1", 1 << 20, {0}});
  lines.push_back({"b1", 1 << 20, {0}});
  lines.push_back({"a2", 64, {1}});
  lines.push_back({"b2", 64, {2}});
  lines.push_back({"out", 64, {3, 4}, "ADD"});
  FindingsInput input = input_of(lines, "none", "breadth-first");
  auto found = find_savings(input);
  check_savings(input, found);
  const Finding* planner = find(found, Kind::Planner);
  REQUIRE(planner);
  CHECK(planner->plan->order_name == "breadth-first");
  input = input_of(lines, "greedy-by-size", "breadth-first");
  found = find_savings(input);
  check_savings(input, found);
  const Finding* order = find(found, Kind::Order);
  REQUIRE(order);
  CHECK(order->saved >= (Bytes{1} << 20) - 256);
  CHECK(order->plan->planner == "greedy-by-size");

  input = input_of({{"x", 1 << 20, {}}, {"y", 1 << 20, {0}, "RELU"}, {"out", 64, {1}}});
  found = find_savings(input);
  check_savings(input, found);
  REQUIRE(find(found, Kind::InPlaceAll));
  CHECK(find(found, Kind::InPlaceAll)->saved == (Bytes{1} << 20) - 64);  // the output is next to it
  REQUIRE(find(found, Kind::InPlace));

  std::vector<Line> small{{"x", 1, {}}};
  for (int i = 1; i < 20; ++i) small.push_back({"s", 1, {0}});
  small.push_back({"out", 1, {}});
  for (int i = 0; i < 20; ++i) small.back().sources.push_back(i);
  input = input_of(small);
  found = find_savings(input);
  check_savings(input, found);
  REQUIRE(find(found, Kind::Alignment));
  CHECK(find(found, Kind::Alignment)->saved > 15 * 48);
}

TEST_CASE("copies avoided by in-place concatenation") {
  const FindingsInput input =
      input_of({{"a", 4096, {}}, {"b", 8192, {}}, {"ab", 12288, {0, 1}, "CONCAT"}, {"out", 64, {2}}});
  const auto found = find_savings(input);
  check_savings(input, found);
  const Finding* f = find(found, Kind::Concat);
  REQUIRE(f);
  CHECK(f->bytes == 12288);
  CHECK(f->saved == 12288 - 64);
  // There is no finding if the plan already aliases them.
  FindingsInput joined = input;
  joined.plan = f->plan;
  for (const Finding& other : find_savings(joined)) CHECK(other.kind != Kind::Concat);
}

TEST_CASE("the last thread at barriers is named, with its cost") {
  trace::Session session;
  FindingsInput input = input_of({{"a", 64, {}}, {"b", 64, {0}}});
  auto graph = std::make_shared<trace::GraphInfo>(*input.graph);
  session.describe(trace::Description(std::shared_ptr<const trace::GraphInfo>(graph)));
  for (int t = 0; t < 2; ++t) {
    trace::ThreadInfo thread;
    thread.id = trace::TrackId(t);
    thread.name = "worker " + std::to_string(t);
    session.describe(trace::Description(thread));
  }
  for (int r = 0; r < 20; ++r) {
    trace::RunInfo run;
    run.id = trace::RunId(r);
    run.graph = trace::GraphId(0);
    run.begin = r * 1000;
    run.threads = 2;
    session.describe(trace::Description(run));
    std::array<trace::Event, 2> fast{trace::work(run.id, NodeId(0), r * 1000, r * 1000 + 100),
                                     trace::wait(run.id, NodeId(0), r * 1000 + 100, r * 1000 + 900, r)};
    std::array<trace::Event, 2> slow{trace::work(run.id, NodeId(0), r * 1000, r * 1000 + 900),
                                     trace::wait(run.id, NodeId(0), r * 1000 + 900, r * 1000 + 901, r)};
    session.events(trace::TrackId(0), fast);
    session.events(trace::TrackId(1), slow);
  }
  input.snapshot = session.snapshot();
  input.run = trace::RunId(0);
  const auto found = find_savings(input);
  const Finding* late = find(found, Kind::LateThread);
  REQUIRE(late);
  CHECK(late->track == trace::TrackId(1));
  CHECK(late->share == doctest::Approx(1.0));
  CHECK(late->time > 700);
  const Finding* imbalance = find(found, Kind::Imbalance);
  REQUIRE(imbalance);
  CHECK(imbalance->tensors[0] == trace::TensorRef::node(NodeId(0)));
}

TEST_CASE("the sentence of each kind has a value for each placeholder, and a count where it needs one") {
  FindingsInput about{std::make_shared<trace::Snapshot>(), nullptr, nullptr, {}};
  std::set<std::string> texts, names;
  for (int kind = 0; kind <= static_cast<int>(Kind::Packed); ++kind)
    for (const size_t tensors : {1, 2}) {
      Finding f;
      f.kind = static_cast<Kind>(kind);
      f.count = 3;
      f.saved = 64;
      f.tensors.assign(tensors, trace::TensorRef::node(NodeId(0)));
      const FindingSentence sentence = finding_sentence(f, about);
      const std::string text = sentence.text;
      CAPTURE(text);
      for (size_t i = 1; i <= 9; ++i)
        CHECK((text.find("%" + std::to_string(i)) != std::string::npos) == (i <= sentence.values.size()));
      CHECK((text.find("%n") != std::string::npos) == (sentence.count >= 0));
      texts.insert(text);
      names.insert(name(f.kind));
    }
  CHECK(names.size() == static_cast<size_t>(Kind::Packed) + 1);
  CHECK(texts.size() == names.size() + 2);  // idle tensors have another sentence for several
}

TEST_CASE("findings can be stopped and are reported as they are found") {
  const FindingsInput input = input_of({{"long", 1 << 20, {}},
                                        {"b", 4096, {0}},
                                        {"c", 1 << 20, {1}},
                                        {"d", 1 << 20, {2}},
                                        {"e", 4096, {3}},
                                        {"out", 4096, {4, 0}}});
  FindingsOptions options;
  double last = 0;
  size_t most = 0;
  options.progress = [&](const std::vector<Finding>& found, double done) {
    CHECK(done >= last);
    CHECK(found.size() >= most);
    last = done;
    most = found.size();
  };
  (void)find_savings(input, options);
  CHECK(last == 1.0);
  std::stop_source stop;
  stop.request_stop();
  options.stop = stop.get_token();
  options.progress = nullptr;
  CHECK(find_savings(input, options).size() <= 2);
}

TEST_CASE("without recorded reservations there are no findings about reserved memory") {
  trace::Session session;
  session.describe(trace::ThreadInfo{trace::TrackId(0), "allocations", trace::TrackKind::Other});
  constexpr Bytes kMiB = 1 << 20;
  for (int i = 0; i < 4; ++i) {  // in sequence, each at a separate address
    const uint64_t address = static_cast<uint64_t>(i + 1) << 24;
    for (const trace::Event& e : {trace::alloc(2 * i, trace::MemoryKind::Default, address, kMiB, 0, i),
                                  trace::free(2 * i + 3, trace::MemoryKind::Default, address, kMiB, 0, i)})
      session.events(trace::TrackId(0), {&e, 1});
  }
  FindingsInput input;
  input.snapshot = session.snapshot();
  const trace::SpaceTotals totals = trace::space_totals(*input.snapshot, {0, 100}, {});
  CHECK_FALSE(totals.reserved_known);
  CHECK(totals.peak > 0);
  const auto found = find_savings(input);
  CHECK(find(found, Kind::SpacesAtPeak));
  CHECK_FALSE(find(found, Kind::Packed));
  CHECK_FALSE(find(found, Kind::Fragmentation));
}

TEST_CASE("without a plan, findings are based on allocator blocks") {
  trace::Session session;
  session.describe(trace::ThreadInfo{trace::TrackId(0), "allocations", trace::TrackKind::Other});
  constexpr auto kind = trace::MemoryKind::Default;
  const auto say = [&](const trace::Event& e) { session.events(trace::TrackId(0), {&e, 1}); };
  constexpr Bytes kMiB = 1 << 20;
  say(trace::reserve(0, kind, 1 << 30, 8 * kMiB, 0, 0));
  say(trace::alloc(1, kind, 1 << 30, 2 * kMiB, 0, 0));
  say(trace::owner(1, 1 << 30, kMiB, 0, trace::GraphId::none(), trace::TensorRef::none()));
  say(trace::alloc(2, kind, (1 << 30) + 4 * kMiB, kMiB, 0, 1));
  say(trace::free(3, kind, 1 << 30, 2 * kMiB, 0, 0));
  say(trace::alloc(4, kind, 1 << 30, kMiB, 0, 2));
  FindingsInput input;
  input.snapshot = session.snapshot();
  const auto found = find_savings(input);
  const Finding* packed = find(found, Kind::Packed);
  REQUIRE(packed);
  CHECK(packed->bytes == 2 * kMiB);  // as requested, two at a time
  CHECK(packed->saved == 6 * kMiB);
  const Finding* peak = find(found, Kind::SpacesAtPeak);
  REQUIRE(peak);
  CHECK(peak->bytes == 3 * kMiB);
  CHECK(peak->count == 2);
  REQUIRE(peak->slices.size() == 2);
  CHECK(peak->slices[0].bytes == 2 * kMiB);
  const Finding* waste = find(found, Kind::Waste);
  REQUIRE(waste);
  CHECK(waste->bytes == kMiB);
  const Finding* free = find(found, Kind::Fragmentation);
  REQUIRE(free);
  CHECK(free->bytes == 8 * kMiB);  // before the first allocation
}
