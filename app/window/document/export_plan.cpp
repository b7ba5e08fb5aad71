// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/planner/csv.h>

#include <QSaveFile>
#include <QSet>

#include "replanning.h"

namespace arenascope::app {

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
    return Error{Replanning::tr("%1 cannot be written: %2.").arg(path, file.errorString()).toStdString()};
  return {};
}

}  // namespace arenascope::app
