// SPDX-License-Identifier: GPL-3.0-or-later
#include "replanner.h"

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>
#include <arenascope/schedule/spread_plan.h>

#include "saving_text.h"

namespace arenascope::app {
namespace {

QString to_qstring(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

MemoryPlanOptions options_of(const views::PlanRequest& request, const trace::PlanInfo* current_plan,
                             std::stop_token stop) {
  MemoryPlanOptions options;
  if (current_plan && current_plan->alignment > 0) options.alignment = current_plan->alignment;
  if (request.alignment > 0) options.alignment = request.alignment;
  options.in_place = request.in_place;
  if (request.fit_under > 0) options.capacity = request.fit_under;
  options.planner.budget_seconds = request.budget_seconds;
  options.planner.stop = std::move(stop);
  return options;
}

std::shared_ptr<trace::PlanInfo> described(const MemoryPlan& plan, const trace::GraphInfo& graph,
                                           const views::PlanRequest& request) {
  auto info = std::make_shared<trace::PlanInfo>(describe_plan(plan));
  info->graph = graph.id;
  info->capacity_bytes = request.fit_under;
  if (request.in_place) info->planner += ", in place";
  return info;
}

// Plans with the requested planner and order, for several streams or banks if requested.
Result<MemoryPlan> plan_as_requested(const Graph& graph, const views::PlanRequest& request,
                                     const MemoryPlanOptions& options, const OrderOptions& order_options) {
  const std::string planner = request.planner.toStdString(), order = request.order.toStdString();
  if (request.streams <= 1 && request.banks.isEmpty())
    return plan_memory(graph, planner, order, options, order_options);
  const OrderInfo* info = find_order(order);
  const planner::Planner* by = planner::find_planner(planner);
  if (info == nullptr || by == nullptr)
    return plan_memory(graph, planner, order, options, order_options);  // reports the error
  auto sequence = info->make(graph, order_options);
  if (!sequence) return sequence.error();
  if (request.banks.isEmpty()) {
    auto spread = plan_over_streams(graph, std::move(*sequence), order, request.streams, options);
    if (!spread) return spread.error();
    return std::move(spread->plan);
  }
  auto banks = parse_banks(request.banks.toStdString());
  if (!banks) return banks.error();
  auto spread = plan_over_banks(graph, std::move(*sequence), order, *by, *banks, options);
  if (!spread) return spread.error();
  return std::move(spread->plan);
}

// Tries to bring the plan under the memory limit: in-place ops, other orders, other planners.
Result<WhatIf> fit_under(const Graph& graph, MemoryPlan& plan, views::PlanRequest& request,
                         const MemoryPlanOptions& options) {
  WhatIfOptions what_if_options;
  what_if_options.capacity = request.fit_under;
  what_if_options.planner = request.planner.toStdString();
  what_if_options.plan = options;
  what_if_options.rematerialise = what_if_options.offload = false;  // a described graph cannot be rewritten
  auto answer = what_if(graph, plan.order, plan.order_name, what_if_options);
  if (!answer) return answer;
  if (!answer->steps.empty()) {
    plan = answer->plan;
    request.in_place = answer->in_place;
  }
  return answer;
}

// The result with fusion if the graph would then fit and runs on the CPU. Fusion changes the graph, so the model must
// be reopened for it.
std::optional<WhatIf> fit_fused(const Graph& graph, const trace::GraphInfo& described, const MemoryPlan& plan,
                                const views::PlanRequest& request, const MemoryPlanOptions& options) {
  for (const trace::TensorInfo& node : described.nodes)
    if (!node.backend.empty() && node.backend != "cpu") return std::nullopt;
  const auto cpu = cpu::make_cpu_backend();
  WhatIfOptions what_if_options;
  what_if_options.capacity = request.fit_under;
  what_if_options.planner = request.planner.toStdString();
  what_if_options.plan = options;
  what_if_options.rematerialise = what_if_options.offload = false;
  what_if_options.fuse = cpu.get();
  auto answer = what_if(graph, plan.order, plan.order_name, what_if_options);
  if (!answer || !answer->fits) return std::nullopt;
  return std::move(*answer);
}

}  // namespace

Replanner::Replanner(views::TaskList* tasks) : task_(tasks) {
  connect(&task_, &views::Task::finished, this, &Replanner::finished);
}

void Replanner::fail(Replanner* self, const views::TaskRun& run, const Error& error) {
  run.post([self, text = QString::fromStdString(error.message)] { Q_EMIT self->failed(text); });
}

void Replanner::plan(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> current_plan,
                     const views::PlanRequest& request) {
  task_.start(tr("Planning…"), [this, graph, current_plan, request](const views::TaskRun& run) {
    plan_once(this, run, graph, current_plan, request);
  });
  task_.set_expected(request.budget_seconds);
}

void Replanner::plan_once(Replanner* self, const views::TaskRun& run, const Described& graph, const Current& current,
                          const views::PlanRequest& request) {
  auto restored = restore_graph(*graph);
  if (!restored) return fail(self, run, restored.error());
  MemoryPlanOptions options = options_of(request, current.get(), run.stop());
  options.planner.on_progress = [&](const planner::Progress& p) {
    run.post([self, p] { Q_EMIT self->progressed(p.seconds, p.arena_bytes, p.lower_bound); });
  };
  OrderOptions order_options;
  order_options.budget_seconds = request.budget_seconds;
  order_options.stop = run.stop();
  auto plan = plan_as_requested(*restored, request, options, order_options);
  if (!plan) return fail(self, run, plan.error());
  views::PlanRequest made = request;
  const bool one_arena = request.streams <= 1 && request.banks.isEmpty();
  if (!one_arena) made.in_place = false;
  if (one_arena && request.fit_under > 0 && plan->arena_bytes > request.fit_under && !run.stop().stop_requested()) {
    options.planner.on_progress = {};
    auto answer = fit_under(*restored, *plan, made, options);
    if (!answer) return fail(self, run, answer.error());
    QString text = what_if_text(*answer, request.fit_under);
    if (!answer->fits)
      if (const auto fused = fit_fused(*restored, *graph, answer->before, request, options))
        text += QLatin1Char(' ') + fused_text(*fused);
    run.post([self, text] { Q_EMIT self->advised(text); });
  }
  run.post(
      [self, info = std::shared_ptr<const trace::PlanInfo>(described(*plan, *graph, made)), seconds = plan->seconds] {
        Q_EMIT self->progressed(seconds, info->arena_bytes, info->lower_bound_bytes);
        Q_EMIT self->planned(info, false);
      });
}

void Replanner::plan_all(std::shared_ptr<const trace::GraphInfo> graph,
                         std::shared_ptr<const trace::PlanInfo> current_plan, const views::PlanRequest& request) {
  task_.start(tr("Planning…"), [this, graph, current_plan, request](const views::TaskRun& run) {
    try_all(this, run, graph, current_plan, request);
  });
}

void Replanner::try_all(Replanner* self, const views::TaskRun& run, const Described& graph, const Current& current,
                        const views::PlanRequest& request) {
  auto restored = restore_graph(*graph);
  if (!restored) return fail(self, run, restored.error());
  const MemoryPlanOptions options = options_of(request, current.get(), run.stop());
  const auto planners = planner::all_planners();
  const auto orders = all_orders();
  const int all = static_cast<int>(planners.size() * orders.size());
  int done = 0;
  for (const OrderInfo& order : orders) {
    OrderOptions order_options;
    order_options.budget_seconds = request.budget_seconds;
    order_options.stop = run.stop();
    auto nodes = order.make(*restored, order_options);
    for (const planner::Planner* p : planners) {
      ++done;
      if (!nodes || run.stop().stop_requested()) continue;
      run.progress(static_cast<double>(done - 1) / all);
      run.post([self, done, all, planner = to_qstring(p->name()), name = to_qstring(order.name)] {
        Q_EMIT self->trying(done, all, planner, name);
      });
      auto plan = plan_memory(*restored, *nodes, order.name, *p, options);
      if (!plan) continue;
      run.post([self, info = std::shared_ptr<const trace::PlanInfo>(described(*plan, *graph, request))] {
        Q_EMIT self->planned(info, true);
      });
    }
  }
}

}  // namespace arenascope::app
