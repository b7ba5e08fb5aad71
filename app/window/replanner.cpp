// SPDX-License-Identifier: GPL-3.0-or-later
#include "replanner.h"

#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>

#include <QMetaObject>

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

Replanner::~Replanner() {
  ++number_;
  thread_.request_stop();
}

void Replanner::stop() { thread_.request_stop(); }

void Replanner::begin(Job job) {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();  // within some ms of the request
  ++number_;
  busy_ = true;
  thread_ = std::jthread([job = std::move(job)](std::stop_token stop) { job(std::move(stop)); });
}

// On the UI thread, unless another job was begun meanwhile.
void Replanner::tell(int number, std::function<void()> f) {
  QMetaObject::invokeMethod(
      this,
      [this, number, f = std::move(f)] {
        if (number == number_) f();
      },
      Qt::QueuedConnection);
}

void Replanner::plan(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> at_hand,
                     const views::ReplanWish& wish) {
  begin([this, graph, at_hand, wish, number = number_ + 1](std::stop_token stop) {
    const auto fail = [&](const std::string& sentence) {
      tell(number, [this, text = QString::fromStdString(sentence)] {
        busy_ = false;
        Q_EMIT failed(text);
        Q_EMIT finished();
      });
    };
    auto restored = restore_graph(*graph);
    if (!restored) return fail(restored.error().message);
    MemoryPlanOptions options = options_of(wish, at_hand.get(), stop);
    options.planner.on_progress = [&](const planner::Progress& p) {
      tell(number, [this, p] { Q_EMIT progressed(p.seconds, p.arena_bytes, p.lower_bound); });
    };
    OrderOptions order_options;
    order_options.budget_seconds = wish.budget_seconds;
    order_options.stop = stop;
    auto plan = plan_memory(*restored, wish.planner.toStdString(), wish.order.toStdString(), options, order_options);
    if (!plan) return fail(plan.error().message);
    tell(number, [this, info = std::shared_ptr<const trace::PlanInfo>(described(*plan, *graph, wish)),
                  seconds = plan->seconds] {
      busy_ = false;
      Q_EMIT progressed(seconds, info->arena_bytes, info->lower_bound_bytes);
      Q_EMIT planned(info, false);
      Q_EMIT finished();
    });
  });
}

void Replanner::plan_all(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> at_hand,
                         const views::ReplanWish& wish) {
  begin([this, graph, at_hand, wish, number = number_ + 1](std::stop_token stop) {
    const auto end = [&] {
      tell(number, [this] {
        busy_ = false;
        Q_EMIT finished();
      });
    };
    auto restored = restore_graph(*graph);
    if (!restored) {
      tell(number, [this, text = QString::fromStdString(restored.error().message)] { Q_EMIT failed(text); });
      return end();
    }
    MemoryPlanOptions options = options_of(wish, at_hand.get(), stop);
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
        tell(number, [this, done, all, planner = words(p->name()), name = words(order.name)] {
          Q_EMIT trying(done, all, planner, name);
        });
        auto plan = plan_memory(*restored, *nodes, order.name, *p, options);
        if (!plan) continue;
        tell(number, [this, info = std::shared_ptr<const trace::PlanInfo>(described(*plan, *graph, wish))] {
          Q_EMIT planned(info, true);
        });
      }
    }
    end();
  });
}

}  // namespace arenascope::app
