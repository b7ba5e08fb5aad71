// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plan_what_if.h"

#include <filesystem>
#include <unordered_set>

#include <arenascope/base/output_file.h>
#include <arenascope/planner/csv.h>
#include <arenascope/run/backends.h>
#include <fmt/format.h>

#include "app/common/format.h"

namespace arenascope::cli {
namespace {

Json step_json(const MemorySaving& step) {
  Json out{{"method", name(step.method)},
           {"bytes", step.bytes},
           {"peak_before_bytes", step.peak_before},
           {"peak_after_bytes", step.peak_after},
           {"description", sentence(step)}};
  if (is_free(step.method)) {
    for (const Saving other : step.with) out["with"].push_back(name(other));
    if (!step.name.empty()) out["name"] = step.name;
    if (step.count > 0) out["count"] = step.count;
    out["of"] = step.of_arena ? "arena" : "live";
    return out;
  }
  out["tensor"] = step.name;
  out["from_step"] = step.from.value;
  out["to_step"] = step.to.value;
  out["at_step"] = step.at.value;
  out["extra_flops"] = step.extra_flops;
  out["extra_bytes"] = step.extra_bytes;
  return out;
}

Json plan_json(const MemoryPlan& plan) {
  return {{"planner", plan.planner},
          {"order", plan.order_name},
          {"arena_bytes", plan.arena_bytes},
          {"lower_bound_bytes", plan.lower_bound},
          {"ratio", plan.ratio()}};
}

}  // namespace

// Names each interval after its node; ambiguous names get the node's index.
void name_intervals(GraphIntervals& intervals, const Graph& graph) {
  std::unordered_set<std::string> seen;
  intervals.problem.ids.clear();
  for (NodeId owner : intervals.owners) {
    std::string id = graph.node(owner).name.str();
    if (id.empty() || !seen.insert(id).second) {
      id = fmt::format("{}#{}", id, owner.value);
      seen.insert(id);
    }
    intervals.problem.ids.push_back(std::move(id));
  }
}

Status export_plan(const std::string& path, const planner::Problem& problem, const planner::Plan& plan) {
  const bool csv = std::filesystem::path(path).extension() == ".csv";
  return OutputFile::write_all(path, csv ? planner::write_csv(problem, &plan) : planner::plan_to_json(problem, plan));
}

int plan_what_if(const Context& context, const models::Model& model, const WhatIfArguments& arguments) {
  WhatIfOptions options;
  options.capacity = arguments.capacity;
  options.planner = arguments.planner;
  options.plan = arguments.plan_options;
  options.plan.planner = arguments.planner_options;
  auto cpu = open_backend("cpu");
  if (!cpu) return fail(kFailed, cpu.error().message);
  if (!arguments.fused) options.fuse = cpu->get();
  auto answer = what_if(model.graph, arguments.sequence, arguments.order, options);
  if (!answer) return fail(kFailed, fmt::format("{}: {}", model.name, answer.error().message));
  if (!arguments.export_file.empty()) {
    MemoryPlanOptions as_planned = options.plan;
    as_planned.in_place = answer->in_place;
    GraphIntervals intervals = graph_intervals(answer->graph, answer->plan.order, as_planned);
    name_intervals(intervals, answer->graph);
    planner::Plan plan;
    plan.planner = answer->plan.planner;
    plan.arena_bytes = answer->plan.arena_bytes;
    plan.lower_bound = answer->plan.lower_bound;
    for (const PlannedTensor& tensor : answer->plan.tensors) plan.offsets.push_back(tensor.offset);
    if (auto ok = export_plan(arguments.export_file, intervals.problem, plan); !ok)
      return fail(kFailed, ok.error().message);
  }
  if (context.json) {
    Json steps = Json::array();
    for (const MemorySaving& step : answer->steps) steps.push_back(step_json(step));
    print_json(context, {{"model", model.name},
                         {"capacity_bytes", arguments.capacity},
                         {"fits", answer->fits},
                         {"why", answer->why},
                         {"extra_flops", answer->extra_flops},
                         {"extra_bytes", answer->extra_bytes},
                         {"before", plan_json(answer->before)},
                         {"after", plan_json(answer->plan)},
                         {"steps", steps}});
  } else {
    cli::print("{}: {} by {} over {}; the capacity is {}\n", model.name, app::format_bytes(answer->before.arena_bytes),
               arguments.planner, arguments.order, app::format_bytes(arguments.capacity));
    for (const MemorySaving& step : answer->steps) cli::print("  {}\n", sentence(step));
    if (answer->extra_flops == 0 && answer->extra_bytes == 0)
      cli::print("It then needs {} without additional computation.\n", app::format_bytes(answer->plan.arena_bytes));
    else
      cli::print("It then needs {}, at the cost of {:.3g} GFLOP and {} of traffic.\n",
                 app::format_bytes(answer->plan.arena_bytes), static_cast<double>(answer->extra_flops) / 1e9,
                 app::format_bytes(answer->extra_bytes));
  }
  if (answer->fits) return kDone;
  return fail(kFailed, fmt::format("{}: does not fit: {}", model.name, answer->why));
}

}  // namespace arenascope::cli
