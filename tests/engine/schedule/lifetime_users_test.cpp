// SPDX-License-Identifier: MIT
// Everybody who needs to know when a tensor's bytes are needed knows the same: orders, intervals, plans, rewriting.
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <arenascope/graph/order.h>
#include <arenascope/graph/order_peak.h>
#include <arenascope/schedule/quick_plan.h>
#include <arenascope/transform/partition.h>
#include <arenascope/transform/rematerialisation.h>

#include "engine/graph/slow_lifetime.h"

namespace arenascope {
namespace {

std::vector<NodeId> as_built(const Graph& graph) { return *depth_first_order(graph, {}); }

// The most bytes needed at once where a pair in place shares its bytes in the step that makes one of the other.
Bytes most_in_place(std::span<const Lifetime> lives, size_t steps) {
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
  CHECK(order_peak(graph, order, keep) == test::SlowLifetimes(graph, order, keep).most_live());
  CHECK(Rematerialisation(graph, order, keep, false).profile().peak == order_peak(graph, order, keep));
  CHECK(Rematerialisation(graph, order, keep, true).profile().peak ==
        most_in_place(find_lifetimes(graph, order, {.keep_outputs = keep, .in_place = true}), order.size()));
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
    return node.is_view() ? Side::Either : std::array{Side::Main, Side::Other, Side::Either}[random() % 3];
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
  std::vector<Tensor> twins;
  auto made = rewrite.make_graph(twins);
  REQUIRE_MESSAGE(made, (made ? "" : made.error().message));
  const Graph graph_made = *made;
  const auto order = as_built(graph_made);
  CHECK(rewrite.profile().peak == order_peak(graph_made, order, keep));  // what was promised
  return graph_made;
}

}  // namespace

TEST_CASE("orders, plans and rewriting agree about when bytes are needed, whatever was done to the graph") {
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
