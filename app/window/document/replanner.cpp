// SPDX-License-Identifier: GPL-3.0-or-later
#include "replanner.h"

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>
#include <arenascope/schedule/spread_plan.h>

#include <views/common/background.h>
#include <QCoreApplication>
#include <QThreadPool>

#include "saving_text.h"

namespace arenascope::app {
namespace {

QString words(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

MemoryPlanOptions options_of(const views::ReplanWish& wish, const trace::PlanInfo* at_hand, std::stop_token stop) {
  MemoryPlanOptions options;
  if (at_hand && at_hand->alignment > 0) options.alignment = at_hand->alignment;
  if (wish.alignment > 0) options.alignment = wish.alignment;
  options.in_place = wish.in_place;
  if (wish.fit_under > 0) options.capacity = wish.fit_under;
  options.planner.budget_seconds = wish.budget_seconds;
  options.planner.stop = std::move(stop);
  return options;
}

std::shared_ptr<trace::PlanInfo> described(const MemoryPlan& plan, const trace::GraphInfo& graph,
                                           const views::ReplanWish& wish) {
  auto info = std::make_shared<trace::PlanInfo>(describe_plan(plan));
  info->graph = graph.id;
  info->capacity_bytes = wish.fit_under;
  if (wish.in_place) info->planner += ", in place";
  return info;
}

// The plan by planner and order, over several streams or banks where that is wished.
Result<MemoryPlan> plan_as_wished(const Graph& graph, const views::ReplanWish& wish, const MemoryPlanOptions& options,
                                  const OrderOptions& order_options) {
  const std::string planner = wish.planner.toStdString(), order = wish.order.toStdString();
  if (wish.streams <= 1 && wish.banks.isEmpty()) return plan_memory(graph, planner, order, options, order_options);
  const OrderInfo* info = find_order(order);
  const planner::Planner* by = planner::find_planner(planner);
  if (info == nullptr || by == nullptr)
    return plan_memory(graph, planner, order, options, order_options);  // it says so
  auto sequence = info->make(graph, order_options);
  if (!sequence) return sequence.error();
  if (wish.banks.isEmpty()) {
    auto spread = plan_over_streams(graph, std::move(*sequence), order, wish.streams, options);
    if (!spread) return spread.error();
    return std::move(spread->plan);
  }
  auto banks = parse_banks(wish.banks.toStdString());
  if (!banks) return banks.error();
  auto spread = plan_over_banks(graph, std::move(*sequence), order, *by, *banks, options);
  if (!spread) return spread.error();
  return std::move(spread->plan);
}

// What brings the plan under the bytes to fit under, or nearer: ops in place, another order, another planner.
Result<WhatIf> fit_under(const Graph& graph, MemoryPlan& plan, views::ReplanWish& wish,
                         const MemoryPlanOptions& options) {
  WhatIfOptions wanted;
  wanted.capacity = wish.fit_under;
  wanted.planner = wish.planner.toStdString();
  wanted.plan = options;
  wanted.rematerialise = wanted.offload = false;  // a described graph cannot be written anew
  auto answer = what_if(graph, plan.order, plan.order_name, wanted);
  if (!answer) return answer;
  if (!answer->steps.empty()) {
    plan = answer->plan;
    wish.in_place = answer->in_place;
  }
  return answer;
}

// Whether the graph that is shown would fit with fused chains, where they are the CPU's: what that comes to. They make
// another graph, which is for whoever opens the model so.
std::optional<WhatIf> fit_fused(const Graph& graph, const trace::GraphInfo& described, const MemoryPlan& plan,
                                const views::ReplanWish& wish, const MemoryPlanOptions& options) {
  for (const trace::TensorInfo& node : described.nodes)
    if (!node.backend.empty() && node.backend != "cpu") return std::nullopt;
  const auto cpu = cpu::make_cpu_backend();
  WhatIfOptions wanted;
  wanted.capacity = wish.fit_under;
  wanted.planner = wish.planner.toStdString();
  wanted.plan = options;
  wanted.rematerialise = wanted.offload = false;
  wanted.fuse = cpu.get();
  auto answer = what_if(graph, plan.order, plan.order_name, wanted);
  if (!answer || !answer->fits) return std::nullopt;
  return std::move(*answer);
}

}  // namespace

Replanner::~Replanner() { stop_.request_stop(); }

void Replanner::stop() { stop_.request_stop(); }

void Replanner::drop() {
  stop();
  ++number_;
  busy_ = false;
}

void Replanner::begin(Job job) {
  drop();
  busy_ = true;
  stop_ = std::stop_source();
  views::long_jobs()->start(
      [job = std::move(job), voice = Voice{this, number_}, stop = stop_.get_token()] { job(voice, stop); });
}

void Replanner::Voice::operator()(std::function<void(Replanner&)> f) const {
  QMetaObject::invokeMethod(
      QCoreApplication::instance(),
      [self = self, number = number, f = std::move(f)] {
        if (self && number == self->number_) f(*self);
      },
      Qt::QueuedConnection);
}

void Replanner::Voice::failed(const Error& error) const {
  (*this)([text = QString::fromStdString(error.message)](Replanner& r) { Q_EMIT r.failed(text); });
}

void Replanner::Voice::finished() const {
  (*this)([](Replanner& r) {
    r.busy_ = false;
    Q_EMIT r.finished();
  });
}

void Replanner::plan(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> at_hand,
                     const views::ReplanWish& wish) {
  begin([graph, at_hand, wish](const Voice& tell, std::stop_token stop) {
    const auto fail = [&](const Error& error) {
      tell.failed(error);
      tell.finished();
    };
    auto restored = restore_graph(*graph);
    if (!restored) return fail(restored.error());
    MemoryPlanOptions options = options_of(wish, at_hand.get(), stop);
    options.planner.on_progress = [&](const planner::Progress& p) {
      tell([p](Replanner& r) { Q_EMIT r.progressed(p.seconds, p.arena_bytes, p.lower_bound); });
    };
    OrderOptions order_options;
    order_options.budget_seconds = wish.budget_seconds;
    order_options.stop = stop;
    auto plan = plan_as_wished(*restored, wish, options, order_options);
    if (!plan) return fail(plan.error());
    views::ReplanWish made = wish;
    const bool one_arena = wish.streams <= 1 && wish.banks.isEmpty();
    if (!one_arena) made.in_place = false;
    if (one_arena && wish.fit_under > 0 && plan->arena_bytes > wish.fit_under && !stop.stop_requested()) {
      options.planner.on_progress = {};
      auto answer = fit_under(*restored, *plan, made, options);
      if (!answer) return fail(answer.error());
      QString text = what_if_text(*answer, wish.fit_under);
      if (!answer->fits)
        if (const auto fused = fit_fused(*restored, *graph, answer->before, wish, options))
          text += QLatin1Char(' ') + fused_text(*fused);
      tell([text](Replanner& r) { Q_EMIT r.advised(text); });
    }
    tell([info = std::shared_ptr<const trace::PlanInfo>(described(*plan, *graph, made)),
          seconds = plan->seconds](Replanner& r) {
      Q_EMIT r.progressed(seconds, info->arena_bytes, info->lower_bound_bytes);
      Q_EMIT r.planned(info, false);
    });
    tell.finished();
  });
}

void Replanner::plan_all(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> at_hand,
                         const views::ReplanWish& wish) {
  begin([graph, at_hand, wish](const Voice& tell, std::stop_token stop) {
    auto restored = restore_graph(*graph);
    if (!restored) {
      tell.failed(restored.error());
      return tell.finished();
    }
    const MemoryPlanOptions options = options_of(wish, at_hand.get(), stop);
    const auto planners = planner::all_planners();
    const auto orders = all_orders();
    const int all = static_cast<int>(planners.size() * orders.size());
    int done = 0;
    for (const OrderInfo& order : orders) {
      OrderOptions order_options;
      order_options.budget_seconds = wish.budget_seconds;
      order_options.stop = stop;
      auto nodes = order.make(*restored, order_options);
      for (const planner::Planner* p : planners) {
        ++done;
        if (!nodes || stop.stop_requested()) continue;
        tell([done, all, planner = words(p->name()), name = words(order.name)](Replanner& r) {
          Q_EMIT r.trying(done, all, planner, name);
        });
        auto plan = plan_memory(*restored, *nodes, order.name, *p, options);
        if (!plan) continue;
        tell([info = std::shared_ptr<const trace::PlanInfo>(described(*plan, *graph, wish))](Replanner& r) {
          Q_EMIT r.planned(info, true);
        });
      }
    }
    tell.finished();
  });
}

}  // namespace arenascope::app
