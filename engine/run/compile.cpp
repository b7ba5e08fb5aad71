// SPDX-License-Identifier: MIT
#include <arenascope/run/compile.h>

#include <algorithm>

#include <arenascope/planner/clock.h>
#include <arenascope/run/transform_model.h>

#include <fmt/format.h>

#include "engine/run/rewrite_program.h"
#include "engine/run/transforms.h"

namespace arenascope {
namespace {

struct CompiledPlan {
  Graph graph;
  std::vector<Tensor> outputs;
  std::vector<MemorySaving> savings;
  MemoryPlan memory;
};

// Reduces a plan that exceeds the capacity to the plan, and possibly the graph, that what_if() finds.
Status fit(CompiledPlan& compiled, const Program& program, const CompileOptions& given, const MemoryPlanOptions& plan) {
  const Bytes capacity = *given.capacity;
  WhatIfOptions options;
  options.capacity = capacity;
  options.planner = given.planner;
  options.plan = plan;
  options.in_place = given.strategy == MemoryStrategy::Planned;
  if (program.backend->runs_on_host_threads() && !given.fuse) {
    options.fuse = program.backend.get();
    options.fusion.keep = given.watched;
  }
  auto answer = what_if(compiled.graph, compiled.memory.order, compiled.memory.order_name, options);
  if (!answer) return answer.error();
  if (!answer->fits) return Error{fmt::format("the memory plan does not fit in {} bytes: {}", capacity, answer->why)};
  for (Tensor& output : compiled.outputs)
    if (const NodeId node = compiled.graph.find_node(*output); node.valid()) output = answer->node_map[node.index()];
  compiled.graph = answer->graph;
  compiled.savings = std::move(answer->steps);
  compiled.memory = std::move(answer->plan);
  return {};
}

// Completes the program with a memory plan of its transformed graph.
Status use_plan(Program& program, const CompileOptions& options, MemoryPlan memory) {
  CompiledPlan compiled{program.transformed, program.transformed_outputs, {}, std::move(memory)};
  if (options.capacity && compiled.memory.arena_bytes > *options.capacity) {
    if (options.progress) options.progress("making it fit");
    if (auto ok = fit(compiled, program, options, memory_plan_options(options, *program.backend)); !ok) return ok;
  }
  const int host_threads = options.threads > 0 ? options.threads : usable_processors();
  const int threads = program.backend->runs_on_host_threads() || program.host ? host_threads : 1;
  auto plan = ExecutionPlan::make(compiled.graph, std::move(compiled.memory), *program.backend, threads,
                                  options.execution, program.host.get());
  if (!plan) return plan.error();
  program.plan = std::move(*plan);
  program.threads = threads;
  program.strategy = options.strategy;
  program.outputs = std::move(compiled.outputs);
  program.savings = std::move(compiled.savings);
  return {};
}

// `plan` receives the memory plan of the transformed graph if one was made.
Result<Program> transform(const models::Model& model, const Devices& devices, const CompileOptions& options,
                          std::optional<MemoryPlan>& plan) {
  Program program;
  program.transformed = model.graph;
  for (const models::ValueInfo& output : model.outputs) program.transformed_outputs.push_back(output.tensor);
  if (options.rewrite)
    if (auto ok = rewrite_program(program, model, *devices.main, options); !ok) return ok.error();
  if (auto ok = transform_for(program, devices, options, plan); !ok) return ok.error();
  return program;
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
  std::optional<MemoryPlan> plan;
  return transform(model, devices, options, plan);
}

Result<Program> compile(const models::Model& model, const Devices& devices, const CompileOptions& given) {
  if (!model.runnable())
    return Error{fmt::format("{} cannot be run: {}", model.path.empty() ? model.name : model.path.string(),
                             model.why_not_runnable())};
  CompileOptions options = given;
  if (options.threads == 0) options.threads = usable_processors();
  std::optional<MemoryPlan> plan;
  auto program = transform(model, devices, options, plan);
  if (!program) return program.error();
  const Status planned = plan ? use_plan(*program, options, std::move(*plan)) : replan(*program, options);
  if (!planned) return Error{fmt::format("{}: {}", model.name, planned.error().message)};
  return program;
}

Result<MemoryPlan> plan_graph(const Graph& graph, const Backend& backend, const CompileOptions& options) {
  if (options.progress) options.progress("planning");
  auto memory =
      plan_memory(graph, options.planner, options.order, memory_plan_options(options, backend), order_options(options));
  if (options.stop.stop_requested()) return Error{"planning was cancelled"};
  return memory;
}

Status replan(Program& program, const CompileOptions& options) {
  auto memory = plan_graph(program.transformed, *program.backend, options);
  if (!memory) return memory.error();
  return use_plan(program, options, std::move(*memory));
}

}  // namespace arenascope
