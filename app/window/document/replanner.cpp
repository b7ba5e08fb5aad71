// SPDX-License-Identifier: GPL-3.0-or-later
#include "replanner.h"

#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>

#include <views/common/background.h>
#include <QCoreApplication>
#include <QThreadPool>

namespace arenascope::app {
namespace {

QString words(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

MemoryPlanOptions options_of(const views::ReplanWish& wish, const trace::PlanInfo* at_hand, std::stop_token stop) {
  MemoryPlanOptions options;
  if (at_hand && at_hand->alignment > 0) options.alignment = at_hand->alignment;
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
    auto plan = plan_memory(*restored, wish.planner.toStdString(), wish.order.toStdString(), options, order_options);
    if (!plan) return fail(plan.error());
    tell([info = std::shared_ptr<const trace::PlanInfo>(described(*plan, *graph, wish)),
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
