// SPDX-License-Identifier: GPL-3.0-or-later
#include "replan_desk.h"

#include <arenascope/planner/csv.h>

#include <views/common/format.h>
#include <QFile>
#include <QSaveFile>
#include <QSet>

namespace arenascope::app {

using namespace views;

Status export_plan(const trace::PlanInfo& plan, const trace::GraphInfo* graph, const QString& path) {
  planner::Problem problem;
  planner::Plan answer;
  problem.alignment = std::max<Bytes>(plan.alignment, 1);
  answer.planner = plan.planner;
  answer.arena_bytes = plan.arena_bytes;
  answer.lower_bound = plan.lower_bound_bytes;
  answer.optimal = plan.arena_bytes == plan.lower_bound_bytes;
  QSet<QString> used;
  const bool blocks =
      std::all_of(plan.slices.begin(), plan.slices.end(), [](const auto& s) { return s.block.valid(); });
  const bool csv = path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive);
  for (const trace::SliceInfo& s : plan.slices) {
    planner::Interval interval;
    interval.lower = s.first.value;
    interval.upper = s.last.value;
    interval.size = s.size;
    // What lies in the bytes of another that lives with it (a source of a concatenation, what works in place) is there
    // twice; in a table of places the time that they share is the larger's, or the later's.
    for (const trace::SliceInfo& other : plan.slices) {
      if (!csv || &other == &s || other.first >= s.last || s.first >= other.last) continue;
      const bool inside = s.offset >= other.offset && s.offset + s.size <= other.offset + other.size;
      const bool around = other.offset >= s.offset && other.offset + other.size <= s.offset + s.size;
      if (inside && s.first < other.first)
        interval.upper = std::min<int64_t>(interval.upper, other.first.value);
      else if (inside && (!around || (s.first == other.first && &s > &other)))
        interval.lower = std::max<int64_t>(interval.lower, other.last.value);
    }
    if (interval.lower >= interval.upper) continue;
    problem.intervals.push_back(interval);
    answer.offsets.push_back(s.offset);
    if (blocks) {
      answer.blocks.push_back(s.block);
      answer.reuse_level.push_back(static_cast<uint8_t>(std::clamp(s.level, 0, 255)));
    }
    QString name;
    if (graph) {
      const auto& list = s.tensor.is_leaf() ? graph->leafs : graph->nodes;
      if (s.tensor.index() < list.size()) name = QString::fromStdString(list[s.tensor.index()].name);
    }
    // The name's number where it is not its alone; a tensor that is cut in two has two lines.
    QString id = name.isEmpty() ? QStringLiteral("#%1").arg(s.tensor.index()) : name;
    for (int n = 2; used.contains(id); ++n)
      id = QStringLiteral("%1#%2").arg(name).arg(s.tensor.index()) + (n > 2 ? QStringLiteral(".%1").arg(n) : QString());
    used.insert(id);
    problem.ids.push_back(id.toStdString());
  }
  const std::string text = csv ? planner::write_csv(problem, &answer) : planner::plan_to_json(problem, answer);
  QSaveFile file(path);
  const auto size = static_cast<qint64>(text.size());
  if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), size) != size || !file.commit())
    return Error{ReplanDesk::tr("%1 cannot be written: %2.").arg(path, file.errorString()).toStdString()};
  return {};
}

ReplanDesk::ReplanDesk(SessionSource* source, OccupancyView* occupancy, ReplanPanel* panel, Keep keep, QObject* parent)
    : QObject(parent), source_(source), occupancy_(occupancy), panel_(panel), keep_(std::move(keep)) {
  connect(panel_, &ReplanPanel::plan_wanted, this, [this] { plan(panel_->wish()); });
  connect(panel_, &ReplanPanel::all_wanted, this, &ReplanDesk::plan_all);
  connect(panel_, &ReplanPanel::stop_wanted, &replanner_, &Replanner::stop);
  connect(panel_, &ReplanPanel::export_wanted, this, &ReplanDesk::export_wanted);
  connect(panel_, &ReplanPanel::fit_under_changed, occupancy_, &OccupancyView::set_fit_under);
  connect(panel_, &ReplanPanel::fit_under_changed, this, &ReplanDesk::warn_below_bound);
  connect(occupancy_, &OccupancyView::fit_under_dragged, panel_, &ReplanPanel::set_fit_under);
  connect(occupancy_, &OccupancyView::fit_under_dropped, this, [this](Bytes bytes) {
    panel_->set_fit_under(bytes);
    if (graph()) plan(panel_->wish());  // what was dragged is to be met
  });
  connect(&replanner_, &Replanner::progressed, this, [this](double seconds, qint64 arena, qint64 bound) {
    if (arena > 0) panel_->curve()->add({seconds, arena, bound});
  });
  connect(&replanner_, &Replanner::trying, this,
          [this](int number, int all, const QString& planner, const QString& order) {
            panel_->say(tr("%1 of %2: %3, %4").arg(number).arg(all).arg(planner, order));
          });
  connect(&replanner_, &Replanner::planned, this, &ReplanDesk::take);
  connect(&replanner_, &Replanner::failed, this, [this](const QString& sentence) {
    panel_->say(sentence);
    Q_EMIT failed(sentence);
  });
  connect(&replanner_, &Replanner::finished, this, [this] {
    panel_->set_busy(false);
    if (best_) {
      panel_->say(tr("%n plan(s); the smallest: %1 by %2, %3.", nullptr, tried_)
                      .arg(format_bytes(best_->arena_bytes), QString::fromStdString(best_->planner),
                           QString::fromStdString(best_->order_name)));
      source_->refresh();
    }
    best_ = nullptr;
    Q_EMIT finished();
  });
  connect(source_, &SessionSource::session_replaced, this, [this] {
    replanner_.stop();
    panel_->say({});
  });
  connect(source_, &SessionSource::changed, this, [this] { panel_->set_can_plan(source_->graph() != nullptr); });
}

std::shared_ptr<const trace::PlanInfo> ReplanDesk::shown_plan() const {
  if (source_->shown_plan()) return source_->shown_plan();
  const auto& plans = source_->snapshot()->plans;
  const trace::PlanId id = source_->plan_id();
  return id.valid() && id.index() < plans.size() ? plans[id.index()] : nullptr;
}

std::shared_ptr<const trace::GraphInfo> ReplanDesk::graph() const {
  const auto& graphs = source_->snapshot()->graphs;
  const trace::GraphId id = source_->graph_id();
  return id.valid() && id.index() < graphs.size() ? graphs[id.index()] : nullptr;
}

void ReplanDesk::plan(const ReplanWish& wish) {
  if (!graph()) return;
  best_ = nullptr;
  wanted_ = wish.fit_under;
  panel_->choose(wish.planner, wish.order);
  panel_->curve()->begin(wish.budget_seconds);
  panel_->set_busy(true);
  panel_->say(tr("Planning…"));
  replanner_.plan(graph(), shown_plan(), wish);
}

void ReplanDesk::plan_all() {
  if (!graph()) return;
  best_ = nullptr;
  tried_ = 0;
  ReplanWish wish = panel_->wish();
  wish.budget_seconds = std::min(wish.budget_seconds, 0.5);  // there are many
  panel_->curve()->begin(wish.budget_seconds);
  panel_->set_busy(true);
  replanner_.plan_all(graph(), shown_plan(), wish);
}

void ReplanDesk::set_fit_under(Bytes bytes) {
  panel_->set_fit_under(bytes);
  occupancy_->set_fit_under(bytes);
  warn_below_bound(bytes);
  warn_below_bound(bytes);
}

// Other orders have other bounds: it is no error, but nobody should have to find out by waiting.
void ReplanDesk::warn_below_bound(Bytes bytes) {
  const auto plan = shown_plan();
  if (bytes <= 0 || !plan || plan->lower_bound_bytes <= bytes) return;
  panel_->say(tr("%1 is below the lower bound of this order, %2: only another order can fit under it.")
                  .arg(format_bytes(bytes), format_bytes(plan->lower_bound_bytes)));
}

void ReplanDesk::show_plan(std::shared_ptr<const trace::PlanInfo> plan) {
  if (!plan) return source_->show_plan(nullptr);
  auto kept = keep_(*plan);
  source_->refresh();
  source_->show_plan(kept ? kept : plan);
}

void ReplanDesk::take(const std::shared_ptr<const trace::PlanInfo>& plan, bool one_of_all) {
  if (one_of_all) {
    ++tried_;
    keep_(*plan);
    source_->refresh();
    if (!best_ || plan->arena_bytes < best_->arena_bytes) best_ = plan;
    return;
  }
  panel_->curve()->end(plan->seconds);
  const std::shared_ptr<const trace::PlanInfo> before = shown_plan();
  show_plan(plan);
  QString text = tr("%1, %2: %3")
                     .arg(QString::fromStdString(plan->planner), QString::fromStdString(plan->order_name),
                          format_bytes(plan->arena_bytes));
  if (before && before->arena_bytes != plan->arena_bytes) {
    const Bytes less = before->arena_bytes - plan->arena_bytes;
    text += less > 0 ? tr(", %1 less than before").arg(format_bytes(less))
                     : tr(", %1 more than before").arg(format_bytes(-less));
  }
  if (wanted_ > 0)
    text +=
        plan->arena_bytes <= wanted_ ? tr("; it fits")
        : plan->lower_bound_bytes > wanted_
            ? tr("; no plan of this order can fit: the lower bound is %1").arg(format_bytes(plan->lower_bound_bytes))
            : tr("; it does not fit");
  panel_->say(text + QStringLiteral("."));
}

}  // namespace arenascope::app
