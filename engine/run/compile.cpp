// SPDX-License-Identifier: MIT
#include <arenascope/run/compile.h>

#include <algorithm>
#include <iterator>

#include <arenascope/planner/clock.h>
#include <arenascope/run/transform_model.h>

#include <fmt/format.h>

#include "engine/run/pass.h"

namespace arenascope {
namespace {

// Transforms the model's graph. `context` receives the memory plan of the result if a pass made one.
Status transform(PassContext& context) {
  auto reports = run_passes(context, PassStage::Transform);
  if (!reports) return reports.error();
  context.program.passes = std::move(*reports);
  return {};
}

// Plans the transformed graph of the program; replaces the reports of an earlier plan.
Status plan(PassContext& context) {
  auto reports = run_passes(context, PassStage::Plan);
  if (!reports) return reports.error();
  auto& passes = context.program.passes;
  std::erase_if(passes, [&](const PassReport& report) { return report.pass >= reports->front().pass; });
  passes.insert(passes.end(), std::make_move_iterator(reports->begin()), std::make_move_iterator(reports->end()));
  return {};
}

}  // namespace

planner::Options planner_options(const CompileOptions& options) {
  planner::Options out;
  out.budget_seconds = options.budget_seconds;
  out.budget_steps = options.budget_steps;
  out.threads = options.threads;
  out.stop = options.stop;
  return out;
}

MemoryPlanOptions memory_plan_options(const CompileOptions& options, const Backend& backend) {
  MemoryPlanOptions out;
  out.alignment = std::max(backend.alignment(), options.alignment);
  out.in_place = options.in_place && options.strategy == MemoryStrategy::Planned;
  out.join = options.strategy == MemoryStrategy::Planned;
  out.capacity = options.capacity;
  out.planner = planner_options(options);
  return out;
}

OrderOptions order_options(const CompileOptions& options) {
  OrderOptions out;
  out.by_clock = options.budget_steps <= 0;
  out.budget_seconds =
      out.by_clock ? options.budget_seconds : static_cast<double>(options.budget_steps) / planner::kStepsPerSecond;
  out.stop = options.stop;
  return out;
}

std::string graph_form(const Program& program) {
  std::string form = program.rewrites.empty() ? "" : "rewritten";
  for (const LayoutCandidate& candidate : program.layout_candidates)
    if (candidate.chosen) form += (form.empty() ? "" : ", ") + std::string(candidate.name);
  return form.empty() ? "as written" : form;
}

Result<Program> transform_model(const models::Model& model, const Devices& devices, const CompileOptions& options) {
  Program program;
  PassContext context{program, options, &model, &devices};
  if (auto ok = transform(context); !ok) return ok.error();
  return program;
}

Result<Program> compile(const models::Model& model, const Devices& devices, const CompileOptions& given) {
  if (!model.runnable())
    return Error{fmt::format("{} cannot be run: {}", model.path.empty() ? model.name : model.path.string(),
                             model.why_not_runnable())};
  CompileOptions options = given;
  if (options.threads == 0) options.threads = usable_processors();
  Program program;
  PassContext context{program, options, &model, &devices};
  if (auto ok = transform(context); !ok) return ok.error();
  if (auto ok = plan(context); !ok) return Error{fmt::format("{}: {}", model.name, ok.error().message)};
  return program;
}

Status replan(Program& program, const CompileOptions& options) {
  PassContext context{program, options};
  return plan(context);
}

Result<MemoryPlan> plan_graph(const Graph& graph, const Backend& backend, const CompileOptions& options) {
  if (options.progress) options.progress("planning");
  auto memory =
      plan_memory(graph, options.planner, options.order, memory_plan_options(options, backend), order_options(options));
  if (options.stop.stop_requested()) return Error{"planning was cancelled"};
  return memory;
}

Result<std::string> make_memory_plan(PassContext& context) {
  if (!context.memory) {
    auto memory = plan_graph(context.graph(), context.backend(), context.options);
    if (!memory) return memory.error();
    context.memory = std::move(*memory);
  }
  const MemoryPlan& memory = *context.memory;
  return fmt::format("arena {} bytes, lower bound {} bytes, by {} over {}", memory.arena_bytes, memory.lower_bound,
                     memory.planner, memory.order_name);
}

// Replaces the plan, and possibly the graph, by the smaller one that what_if() finds.
Result<std::string> fit_capacity(PassContext& context) {
  const CompileOptions& given = context.options;
  if (given.progress) given.progress("making it fit");
  WhatIfOptions options;
  options.capacity = *given.capacity;
  options.planner = given.planner;
  options.plan = memory_plan_options(given, context.backend());
  options.in_place = given.strategy == MemoryStrategy::Planned;
  if (context.backend().runs_on_host_threads() && !given.fuse) {
    options.fuse = &context.backend();
    options.fusion.keep = given.watched;
  }
  const Bytes before = context.memory->arena_bytes;
  auto answer = what_if(context.graph(), context.memory->order, context.memory->order_name, options);
  if (!answer) return answer.error();
  if (!answer->fits)
    return Error{fmt::format("the memory plan does not fit in {} bytes: {}", *given.capacity, answer->why)};
  context.reduced_outputs = context.program.transformed_outputs;
  for (Tensor& output : context.reduced_outputs)
    if (const NodeId node = context.graph().find_node(*output); node.valid()) output = answer->node_map[node.index()];
  context.reduced = answer->graph;
  context.savings = std::move(answer->steps);
  context.memory = std::move(answer->plan);
  return fmt::format("arena {} bytes instead of {}, by {} measures", context.memory->arena_bytes, before,
                     context.savings.size());
}

Result<std::string> make_execution_plan(PassContext& context) {
  Program& program = context.program;
  const CompileOptions& options = context.options;
  const int host_threads = options.threads > 0 ? options.threads : usable_processors();
  const int threads = program.backend->runs_on_host_threads() || program.host ? host_threads : 1;
  auto made = ExecutionPlan::make(context.graph(), std::move(*context.memory), *program.backend, threads,
                                  options.execution, program.host.get());
  if (!made) return made.error();
  program.plan = std::move(*made);
  program.threads = threads;
  program.strategy = options.strategy;
  program.outputs = context.reduced.defined() ? std::move(context.reduced_outputs) : program.transformed_outputs;
  program.savings = std::move(context.savings);
  const auto waits = std::count_if(program.plan.steps.begin(), program.plan.steps.end(), [](const PlannedStep& step) {
    return step.tasks > 0 && step.sync_after == SyncAfter::Barrier;
  });
  return fmt::format("{} steps with {} barriers on {} threads", program.plan.steps.size(), waits, threads);
}

}  // namespace arenascope
