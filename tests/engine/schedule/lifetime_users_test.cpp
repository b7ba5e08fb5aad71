// SPDX-License-Identifier: MIT
// Everybody who needs to know when a tensor's bytes are needed knows the same: orders, intervals, plans, rewriting.
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <arenascope/graph/order.h>
#include <arenascope/graph/order_peak.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/quick_plan.h>
#include <arenascope/schedule/restore.h>
#include <arenascope/transform/partition.h>
#include <arenascope/transform/rematerialisation.h>

#include "engine/graph/slow_lifetime.h"

namespace arenascope {
namespace {

std::vector<NodeId> as_built(const Graph& graph) { return *depth_first_order(graph, {}); }

// The most bytes needed at once where a pair in place shares its bytes in the step that makes one of the other.
Bytes peak_in_place(std::span<const Lifetime> lives, size_t steps) {
  std::vector<Bytes> live(steps, 0);
  for (size_t i = 0; i < lives.size(); ++i) {
    if (lives[i].owner != NodeId(i) || !lives[i].in_arena()) continue;
    for (size_t s = lives[i].first.index(); s < lives[i].last.index(); ++s) live[s] += lives[i].bytes;
    if (lives[i].in_place_of.valid()) live[lives[i].first.index()] -= lives[i].bytes;
  }
  return live.empty() ? 0 : *std::max_element(live.begin(), live.end());
}

// Plans, orders and rewriting by the lifetimes, which are checked against the slow ones.
void check_users(const Graph& graph, std::span<const NodeId> order, bool keep) {
  for (const bool join : {false, true})
    for (const bool in_place : {false, true}) {
      test::check_lifetimes(graph, order, {keep, join, in_place, 64});
      MemoryPlanOptions options;
      options.keep_outputs = keep;
      options.join = join;
      options.in_place = in_place;
      const auto lives = find_lifetimes(graph, order, {keep, join, in_place, 64});
      const GraphIntervals intervals = graph_intervals(graph, order, options);
      size_t elsewhere = 0, parts = 0, pairs = 0, planned = 0;
      for (size_t i = 0; i < lives.size(); ++i) {
        if (lives[i].owner != NodeId(i) || lives[i].bytes == 0) continue;
        elsewhere += !lives[i].in_arena();
        planned += lives[i].in_arena();
        parts += lives[i].part_of.valid();
        pairs += lives[i].in_place_of.valid();
      }
      REQUIRE(intervals.owners.size() == planned);
      CHECK(intervals.elsewhere.size() == elsewhere);
      CHECK(intervals.problem.attachments.size() == parts);
      CHECK(intervals.problem.in_place.size() == pairs);
      for (size_t i = 0; i < planned; ++i) {
        const Lifetime& life = lives[intervals.owners[i].index()];
        CHECK(intervals.problem.intervals[i].lower == life.first.value);
        CHECK(intervals.problem.intervals[i].upper == life.last.value);
        CHECK(intervals.problem.intervals[i].size == life.bytes);
      }
      for (const Lifetime& life : intervals.elsewhere) CHECK(life == lives[life.owner.index()]);
      const auto plan =
          plan_memory(graph, {order.begin(), order.end()}, "given", *planner::find_planner("greedy-by-size"), options);
      REQUIRE_MESSAGE(plan, (plan ? "" : plan.error().message));
    }
  CHECK(order_peak(graph, order, keep) == test::SlowLifetimes(graph, order, keep).peak_live_bytes());
  CHECK(Rematerialisation(graph, order, keep, false).profile().peak == order_peak(graph, order, keep));
  CHECK(Rematerialisation(graph, order, keep, true).profile().peak ==
        peak_in_place(find_lifetimes(graph, order, {.keep_outputs = keep, .in_place = true}), order.size()));
}

void check_quick_plan(const Graph& graph, bool keep) {
  const auto order = as_built(graph);
  const auto quick = quick_plan(graph, 64, keep);
  REQUIRE(quick);
  const GraphIntervals intervals = graph_intervals(graph, order, {.keep_outputs = keep, .join = false});
  REQUIRE(quick->tensors.size() == intervals.owners.size());
  for (size_t i = 0; i < quick->tensors.size(); ++i) {
    CHECK(quick->tensors[i].node == intervals.owners[i]);
    CHECK(quick->tensors[i].first.value == intervals.problem.intervals[i].lower);
    CHECK(quick->tensors[i].last.value == intervals.problem.intervals[i].upper);
  }
  CHECK(quick->elsewhere == intervals.elsewhere);
  CHECK(quick->lower_bound == order_peak(graph, order, keep));
}

Graph partitioned(std::mt19937& random, const Graph& graph) {
  const auto sides = choose_sides(graph, [&](const TensorImpl& node) {
    return node.is_view() ? PartitionSide::Either
                          : std::array{PartitionSide::Main, PartitionSide::Other, PartitionSide::Either}[random() % 3];
  });
  auto made = partition_graph(graph, sides);
  REQUIRE_MESSAGE(made, (made ? "" : made.error().message));
  return made->graph;
}

// Some results computed again, or moved to the host and back.
Graph rewritten(std::mt19937& random, const Graph& graph, bool keep) {
  Rematerialisation rewrite(graph, as_built(graph), keep, false);
  for (int change = 0; change < 4 && !graph.nodes().empty(); ++change) {
    const Rematerialisation::Profile p = rewrite.profile();
    const auto id = static_cast<int32_t>(random() % p.life.size());
    const Rematerialisation::Life& life = p.life[static_cast<size_t>(id)];
    if (life.first < 0 || life.last - life.first < 3 || life.kept || rewrite.bytes(id) == 0) continue;
    const std::vector<int32_t> uses = rewrite.uses(id, p);
    if (uses.size() < 2) continue;
    Rematerialisation::Change cost;
    const size_t gap = random() % (uses.size() - 1);
    (void)(random() % 2 ? rewrite.rematerialise(id, uses[gap + 1], p, cost)
                        : rewrite.offload(id, uses[gap], uses[gap + 1], p, cost));
  }
  std::vector<Tensor> node_map;
  auto made = rewrite.make_graph(node_map);
  REQUIRE_MESSAGE(made, (made ? "" : made.error().message));
  const Graph graph_made = *made;
  const auto order = as_built(graph_made);
  CHECK(rewrite.profile().peak == order_peak(graph_made, order, keep));  // what was promised
  return graph_made;
}

// A recorded plan equals the plan.
void check_described(const MemoryPlan& plan) {
  const trace::PlanInfo info = describe_plan(plan);
  REQUIRE(info.slices.size() == plan.tensors.size());
  for (size_t i = 0; i < info.slices.size(); ++i) {
    const auto ref = [](NodeId node) { return node.valid() ? trace::TensorRef::node(node) : trace::TensorRef::none(); };
    CHECK(info.slices[i].tensor == ref(plan.tensors[i].node));
    CHECK(info.slices[i].first == plan.tensors[i].first);
    CHECK(info.slices[i].last == plan.tensors[i].last);
    CHECK(info.slices[i].size == plan.tensors[i].size);
    CHECK(info.slices[i].part_of == ref(plan.tensors[i].part_of));
    CHECK(info.slices[i].in_place_of == ref(plan.tensors[i].in_place_of));
    CHECK(info.slices[i].placement == trace::Placement::Arena);
  }
  REQUIRE(info.elsewhere.size() == plan.elsewhere.size());
  for (size_t i = 0; i < info.elsewhere.size(); ++i) {
    CHECK(info.elsewhere[i].tensor == trace::TensorRef::node(plan.elsewhere[i].owner));
    CHECK(info.elsewhere[i].last == plan.elsewhere[i].last);
    CHECK(static_cast<int>(info.elsewhere[i].placement) == static_cast<int>(plan.elsewhere[i].placement));
  }
}

}  // namespace

TEST_CASE("a restored graph is planned and searched like the recorded graph") {
  std::mt19937 random(8);
  int joined = 0, in_place = 0, elsewhere = 0;
  for (int round = 0; round < 80; ++round) {
    const Graph given = test::random_sharing_graph(random, 5 + round % 25, round % 4 == 1);
    const Graph graph = round % 2 ? partitioned(random, given) : given;
    const auto made = restore_graph(describe_graph(graph));
    REQUIRE(made);
    const Graph& restored = *made;
    REQUIRE(restored.nodes().size() == graph.nodes().size());
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      CHECK(restored.nodes()[i]->strides == graph.nodes()[i]->strides);
      CHECK(restored.nodes()[i]->view_offset == graph.nodes()[i]->view_offset);
      CHECK(restored.nodes()[i]->offset == graph.nodes()[i]->offset);
    }
    for (const OrderInfo& info : all_orders()) {
      const auto order = info.make(graph, {.budget_seconds = 0.01});
      const auto again = info.make(restored, {.budget_seconds = 0.01});
      REQUIRE((order && again));
      REQUIRE(*order == *again);
      MemoryPlanOptions options;
      options.in_place = round % 3 == 0;
      CHECK(find_lifetimes(graph, *order, {true, true, options.in_place, 64}) ==
            find_lifetimes(restored, *order, {true, true, options.in_place, 64}));
      const auto& planner = *planner::find_planner("greedy-by-size");
      const auto plan = plan_memory(graph, *order, info.name, planner, options);
      const auto same = plan_memory(restored, *order, info.name, planner, options);
      REQUIRE_MESSAGE(plan, (plan ? "" : plan.error().message));
      REQUIRE_MESSAGE(same, (same ? "" : same.error().message));
      trace::PlanInfo a = describe_plan(*plan), b = describe_plan(*same);
      a.seconds = b.seconds = 0;
      CHECK(a == b);
      check_described(*plan);
      joined += static_cast<int>(plan->joined.size());
      elsewhere += static_cast<int>(plan->elsewhere.size());
      for (const PlannedTensor& tensor : plan->tensors) in_place += tensor.in_place_of.valid();
    }
  }
  CHECK(joined > 20);
  CHECK(in_place > 20);
  CHECK(elsewhere > 50);
}

TEST_CASE("the first source of a restored view is its base, which contains it") {
  trace::GraphInfo info;
  for (int i = 0; i < 3; ++i) {
    trace::TensorInfo t;
    t.name = "t" + std::to_string(i);
    t.op = "NEG";
    t.dtype = "f32";
    t.shape = {4, 4};
    t.strides = {16, 4};
    t.bytes = 64;
    info.nodes.push_back(t);
  }
  trace::TensorInfo& view = info.nodes[2];
  view.op = "VIEW";
  view.sources = {trace::TensorRef::node(NodeId(0))};
  view.view_source = trace::TensorRef::node(NodeId(1));
  view.strides = {4, 16};
  auto graph = restore_graph(info);
  REQUIRE(graph);
  CHECK(graph->nodes()[2]->sources[0] == graph->nodes()[1]);
  CHECK_FALSE(graph->nodes()[2]->contiguous());
  CHECK_FALSE(check_order(*graph, std::vector{NodeId(0), NodeId(2), NodeId(1)}).ok());
  for (const std::vector<int64_t>& strides :
       {std::vector<int64_t>{4, 20}, {-4, 16}, {INT64_MAX / 4 * 4, 4}, {INT64_MIN, 4}, {16, 3}, {16}}) {
    info.nodes[2].strides = strides;
    graph = restore_graph(info);
    REQUIRE(graph);
    CHECK(graph->nodes()[2]->contiguous());  // the described strides are impossible
  }
  info.nodes[2].strides = {16, 4};
  for (const Bytes offset : {Bytes{4}, Bytes{-4}, Bytes{INT64_MAX}, Bytes{INT64_MIN}}) {
    info.nodes[2].view_offset = offset;
    graph = restore_graph(info);
    REQUIRE(graph);
    CHECK(graph->nodes()[2]->view_offset == 0);
  }
}

TEST_CASE("orders, plans and rewriting agree on lifetimes after every transform") {
  std::mt19937 random(3);
  int elsewhere = 0, more = 0;
  for (int round = 0; round < 120; ++round) {
    const bool keep = round % 3 != 0;
    const Graph given = test::random_sharing_graph(random, 5 + round % 25, round % 4 == 1);
    const Graph parted = round % 2 ? partitioned(random, given) : given;
    const Graph graph = round % 3 ? rewritten(random, parted, keep) : parted;
    more += graph.nodes().size() > parted.nodes().size();
    elsewhere += !graph_intervals(graph, as_built(graph), {}).elsewhere.empty();
    check_quick_plan(graph, keep);
    for (const char* name : {"depth-first", "breadth-first", "least-peak-first"}) {
      const auto order = find_order(name)->make(graph, {.keep_outputs = keep});
      REQUIRE(order);
      check_users(graph, *order, keep);
    }
  }
  CHECK(elsewhere > 30);
  CHECK(more > 20);
}

}  // namespace arenascope
