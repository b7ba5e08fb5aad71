// SPDX-License-Identifier: GPL-3.0-or-later
#include "replanning.h"

#include <views/common/format.h>

namespace arenascope::app {

using namespace views;

Replanning::Replanning(SessionSource* source, RunController* runner) : source_(source), runner_(runner) {
  connect(&replanner_, &Replanner::progressed, this, [this](double seconds, qint64 arena, qint64 bound) {
    if (arena > 0) progress_.points.push_back({seconds, arena, bound});
    Q_EMIT changed();
  });
  connect(&replanner_, &Replanner::trying, this,
          [this](int number, int all, const QString& planner, const QString& order) {
            trying_ = number - 1;
            tries_ = all;
            say(tr("%1 of %2: %3, %4").arg(number).arg(all).arg(planner, order));
          });
  connect(&replanner_, &Replanner::advised, this, [this](const QString& text) { advice_ = text; });
  connect(&replanner_, &Replanner::planned, this, &Replanning::take);
  connect(&replanner_, &Replanner::failed, this, [this](const QString& sentence) {
    say(sentence);
    Q_EMIT failed(sentence);
  });
  connect(&replanner_, &Replanner::finished, this, &Replanning::finish);
  connect(source_, &SessionSource::session_replaced, this, [this] {
    replanner_.drop();
    progress_ = {};
    say({});
  });
}

void Replanning::say(const QString& text) {
  said_ = text;
  Q_EMIT changed();
}

void Replanning::set_wish(const ReplanWish& wish) {
  if (wish == wish_) return;
  wish_ = wish;
  Q_EMIT changed();
}

void Replanning::set_fit_under(Bytes bytes) {
  ReplanWish wish = wish_;
  wish.fit_under = bytes;
  set_wish(wish);
  // Other orders have other bounds: it is no error, but nobody should have to find out by waiting.
  const auto plan = shown_plan();
  if (bytes > 0 && plan && plan->lower_bound_bytes > bytes)
    say(tr("%1 is below the lower bound of this order, %2: only another order can fit under it.")
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

void Replanning::begin() {
  trying_ = tries_ = 0;
  since_.start();
}

std::pair<double, double> Replanning::done() const {
  const double elapsed = busy() ? static_cast<double>(since_.elapsed()) / 1e3 : 0;
  if (tries_ > 0) return {static_cast<double>(trying_) / tries_, elapsed};
  return {progress_.budget_seconds > 0 ? std::min(elapsed / progress_.budget_seconds, 1.0) : -1, elapsed};
}

void Replanning::plan(const ReplanWish& wish) {
  if (!graph()) return;
  best_ = nullptr;
  advice_.clear();
  wanted_ = wish.fit_under;
  wish_.planner = wish.planner;
  wish_.order = wish.order;
  progress_ = {{}, wish.budget_seconds, -1};
  begin();
  replanner_.plan(graph(), shown_plan(), wish);
  say(tr("Planning…"));
}

void Replanning::plan_all() {
  if (!graph()) return;
  best_ = nullptr;
  tried_ = 0;
  progress_ = {{}, wish_.budget_seconds, -1};
  begin();
  replanner_.plan_all(graph(), shown_plan(), wish_);
  Q_EMIT changed();
}

void Replanning::show_plan(std::shared_ptr<const trace::PlanInfo> plan) {
  if (!plan) return source_->show_plan(nullptr);
  auto kept = runner_->add_plan(*plan);
  source_->refresh();
  source_->show_plan(kept ? kept : plan);
}

void Replanning::cancel() {
  if (!busy()) return;
  replanner_.drop();
  best_ = nullptr;
  say(tr("Cancelled."));
}

void Replanning::finish() {
  if (best_) {
    say(tr("%n plan(s); the smallest: %1 by %2, %3.", nullptr, tried_)
            .arg(format_bytes(best_->arena_bytes), QString::fromStdString(best_->planner),
                 QString::fromStdString(best_->order_name)));
    source_->refresh();
  }
  best_ = nullptr;
  Q_EMIT changed();
  Q_EMIT finished();
}

void Replanning::take(const std::shared_ptr<const trace::PlanInfo>& plan, bool one_of_all) {
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
  say(text);
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
  if (wanted_ > 0)
    text += plan.arena_bytes <= wanted_ ? tr("; it fits")
            : plan.lower_bound_bytes > wanted_
                ? tr("; no plan of this order can fit: the lower bound is %1").arg(format_bytes(plan.lower_bound_bytes))
                : tr("; it does not fit");
  return text + QStringLiteral(".");
}

}  // namespace arenascope::app
