// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/delta_net_loop.h"
#include <fmt/format.h>
#include "engine/models/onnx/operators/decompose.h"
#include "engine/models/onnx/operators/long_recurrence.h"

#include <utility>

namespace arenascope::models {
namespace {

enum Source : size_t { kQueries, kKeys, kValues, kDecay = 4, kBeta, kState };

std::vector<int64_t> numbers_of(const Dims& sizes) { return {sizes.begin(), sizes.end()}; }

}  // namespace

void leave_delta(OpCall& c, const DeltaCall& call) {
  if (!c.ok()) return;
  LongRecurrence all;
  all.steps = call.steps;
  all.states.push_back(call.state);
  std::vector<std::pair<size_t, Tensor>> given{{kQueries, call.q}, {kKeys, call.k}, {kValues, call.v}};
  if (call.decay) given.emplace_back(kDecay, call.decay);
  if (call.beta) given.emplace_back(kBeta, call.beta);
  for (const auto& [i, x] : given) all.sources.push_back({x, 1});
  all.results.push_back({call.v.sizes(), 1});
  all.make = [&](Steps& steps) {
    std::vector<std::string> sources(kState + 1);
    for (size_t i = 0; i < given.size(); ++i) sources[given[i].first] = steps.sources[i];
    sources[kState] = steps.states[0];
    steps.results = {steps.n.name("read")}, steps.next = {steps.n.name("state_after")};
    ir::Node node =
        same_node(c, std::move(sources), {steps.results[0], steps.next[0]},
                  {"qk_l2_norm", "gate_activation", "gate_lower_bound", "beta_activation", "state_update_capacity"});
    node.attributes["scale"] = float_attribute(call.scale);
    steps.n.all().push_back(std::move(node));
  };
  const std::string update = name_tensor(c, call.update, ":update");
  all.end = [&](Nodes& n, const std::vector<std::string>& results, const std::vector<std::string>& states) {
    std::string x = results[0];
    if (!call.indices.empty()) {
      const Dims& s = call.v.sizes();
      const std::string rows = n.add("Reshape", {x, n.numbers({s[0] * s[1], s[2] * s[3]}, "row_sizes")}, "rows");
      x = n.add("Gather", {rows, n.numbers(call.indices, "places")}, "rows_there", ir::subgraph::along(0));
    }
    x = n.add("Reshape", {x, n.numbers(numbers_of(call.results), "sizes")}, "tokens");
    Value f32;
    give_result(c, n, 0, x, c.value(0));
    give_result(c, n, 1, states[0], f32);
    if (!update.empty()) give_result(c, n, 2, update, f32);
  };
  leave_steps(c, all);
}

}  // namespace arenascope::models
