// SPDX-License-Identifier: MIT
// Another project: it describes a graph, orders it and plans five buffers with what was installed.
#include <cstdio>

#include <arenascope/graph/builder.h>
#include <arenascope/graph/graph.h>
#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>

int main() {
  using namespace arenascope;
  auto context = Context::create({1 << 16, nullptr, true});
  if (!context) return 1;
  GraphBuilder b(*context);
  const Tensor x = b.input("x", {3, 2}), w = b.weight("w", {4, 2});
  const Tensor y = b.mul_mat(w, x);
  auto graph = context->new_graph(8);
  if (!b.ok() || !graph || !graph->expand(y).ok() || !(y.sizes() == Dims{3, 4})) return 2;
  auto order = find_order("search")->make(*graph, {});
  if (!order || order->size() != 1) return 3;

  planner::Problem problem;
  problem.intervals = {{1, 3, 1024}, {2, 5, 2048}, {3, 5, 1024}, {4, 6, 512}, {5, 7, 4096}};
  const planner::Planner* planner = planner::find_planner("two-level");
  if (!planner) return 4;
  auto plan = planner->plan(problem, {});
  if (!plan || plan->arena_bytes != 4608) return 5;
  std::printf("an arena of %lld bytes\n", static_cast<long long>(plan->arena_bytes));
}
