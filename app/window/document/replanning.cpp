// SPDX-License-Identifier: GPL-3.0-or-later
#include "replanning.h"

#include <views/common/format.h>

namespace arenascope::app {

using namespace views;

Replanning::Replanning(SessionSource* source, RunController* runner, TaskList* tasks)
    : source_(source), runner_(runner), replanner_(tasks) {
  connect(&replanner_, &Replanner::progressed, this, [this](double seconds, qint64 arena, qint64 bound) {
    if (arena > 0) progress_.points.push_back({seconds, arena, bound});
    Q_EMIT changed();
  });
  connect(&replanner_, &Replanner::trying, this,
          [this](int number, int all, const QString& planner, const QString& order) {
            set_status(tr("%1 of %2: %3, %4").arg(number).arg(all).arg(planner, order));
          });
  connect(&replanner_, &Replanner::advised, this, [this](const QString& text) { advice_ = text; });
  connect(&replanner_, &Replanner::planned, this, &Replanning::on_planned);
  connect(&replanner_, &Replanner::failed, this, [this](const QString& message) {
    set_status(message);
    Q_EMIT failed(message);
  });
  connect(&replanner_, &Replanner::finished, this, &Replanning::finish);
  connect(&replanner_.task(), &Task::cancelled, this, [this] {
    best_ = nullptr;
    set_status(tr("Cancelled."));
  });
  connect(source_, &SessionSource::session_replaced, this, [this] {
    replanner_.task().discard();
    progress_ = {};
    set_status({});
  });
}

void Replanning::set_status(const QString& text) {
  status_ = text;
  Q_EMIT changed();
}

void Replanning::set_request(const PlanRequest& request) {
  if (request == request_) return;
  request_ = request;
  Q_EMIT changed();
}

void Replanning::set_fit_under(Bytes bytes) {
  PlanRequest request = request_;
  request.fit_under = bytes;
  set_request(request);
  // Other orders have other lower bounds, so this is not an error, but the search is known to fail.
  const auto plan = shown_plan();
  if (bytes > 0 && plan && plan->lower_bound_bytes > bytes)
    set_status(tr("%1 is below the lower bound of this order, %2; a smaller arena needs another order.")
                   .arg(format_bytes(bytes), format_bytes(plan->lower_bound_bytes)));
}

std::shared_ptr<const trace::PlanInfo> Replanning::shown_plan() const {
  if (source_->shown_plan()) return source_->shown_plan();
  const auto& plans = source_->snapshot()->plans;
  const trace::PlanId id = source_->plan_id();
  return id.valid() && id.index() < plans.size() ? plans[id.index()] : nullptr;
}

std::shared_ptr<const trace::GraphInfo> Replanning::graph() const {
  const auto& graphs = source_->snapshot()->graphs;
  const trace::GraphId id = source_->graph_id();
  return id.valid() && id.index() < graphs.size() ? graphs[id.index()] : nullptr;
}

void Replanning::plan(const PlanRequest& request) {
  if (!graph()) return;
  best_ = nullptr;
  advice_.clear();
  fit_under_ = request.fit_under;
  request_.planner = request.planner;
  request_.order = request.order;
  progress_ = {{}, request.budget_seconds, -1};
  replanner_.plan(graph(), shown_plan(), request);
  set_status(tr("Planning…"));
}

void Replanning::plan_all() {
  if (!graph()) return;
  best_ = nullptr;
  tried_ = 0;
  progress_ = {{}, request_.budget_seconds, -1};
  replanner_.plan_all(graph(), shown_plan(), request_);
  Q_EMIT changed();
}

void Replanning::show_plan(std::shared_ptr<const trace::PlanInfo> plan) {
  if (!plan) return source_->show_plan(nullptr);
  auto kept = runner_->add_plan(*plan);
  source_->refresh();
  source_->show_plan(kept ? kept : plan);
}

void Replanning::finish() {
  if (best_) {
    set_status(tr("%n plan(s); smallest: %1 by %2, %3.", nullptr, tried_)
                   .arg(format_bytes(best_->arena_bytes), QString::fromStdString(best_->planner),
                        QString::fromStdString(best_->order_name)));
    source_->refresh();
  }
  best_ = nullptr;
  Q_EMIT changed();
  Q_EMIT finished();
}

void Replanning::on_planned(const std::shared_ptr<const trace::PlanInfo>& plan, bool one_of_all) {
  if (one_of_all) {
    ++tried_;
    runner_->add_plan(*plan);
    source_->refresh();
    if (!best_ || plan->arena_bytes < best_->arena_bytes) best_ = plan;
    return;
  }
  progress_.ended = plan->seconds;
  const std::shared_ptr<const trace::PlanInfo> before = shown_plan();
  show_plan(plan);
  QString text = summary_of(*plan, before.get());
  if (!advice_.isEmpty()) text += QStringLiteral(" ") + advice_;
  set_status(text);
}

QString Replanning::summary_of(const trace::PlanInfo& plan, const trace::PlanInfo* before) const {
  QString text = tr("%1, %2: %3")
                     .arg(QString::fromStdString(plan.planner), QString::fromStdString(plan.order_name),
                          format_bytes(plan.arena_bytes));
  if (before && before->arena_bytes != plan.arena_bytes) {
    const Bytes less = before->arena_bytes - plan.arena_bytes;
    text += less > 0 ? tr(", %1 less than before").arg(format_bytes(less))
                     : tr(", %1 more than before").arg(format_bytes(-less));
  }
  if (fit_under_ > 0)
    text += plan.arena_bytes <= fit_under_ ? tr("; it fits")
            : plan.lower_bound_bytes > fit_under_
                ? tr("; no plan with this order fits: the lower bound is %1").arg(format_bytes(plan.lower_bound_bytes))
                : tr("; it does not fit");
  return text + QStringLiteral(".");
}

}  // namespace arenascope::app
