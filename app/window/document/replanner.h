// SPDX-License-Identifier: GPL-3.0-or-later
// Plans described graphs in the background, of a running model or a recording. It does not touch the run. A new job
// stops the previous one.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/info.h>
#include <views/common/task.h>
#include <views/planners/plan_request.h>

#include <QObject>

namespace arenascope::app {

class Replanner : public QObject {
  Q_OBJECT
 public:
  explicit Replanner(views::TaskList* tasks);

  // `current_plan` may be null; its alignment is used. Emits planned() or failed(), then finished().
  void plan(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> current_plan,
            const views::PlanRequest& request);
  // Tries every planner with every order; emits planned() for each.
  void plan_all(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> current_plan,
                const views::PlanRequest& request);
  views::Task& task() { return task_; }  // stop() uses the best plan so far
  const views::Task& task() const { return task_; }

 Q_SIGNALS:
  void progressed(double seconds, qint64 arena, qint64 bound);
  void trying(int number, int all, const QString& planner, const QString& order);
  void planned(std::shared_ptr<const arenascope::trace::PlanInfo> plan, bool one_of_all);
  // If the plan exceeds the memory limit: possible changes and their result.
  void advised(const QString& text);
  void failed(const QString& message);
  void finished();

 private:
  using Described = std::shared_ptr<const trace::GraphInfo>;
  using Current = std::shared_ptr<const trace::PlanInfo>;
  // On the worker thread; `self` is used in reports only, since it may be destroyed meanwhile.
  static void plan_once(Replanner* self, const views::TaskRun& run, const Described& graph, const Current& current,
                        const views::PlanRequest& request);
  static void try_all(Replanner* self, const views::TaskRun& run, const Described& graph, const Current& current,
                      const views::PlanRequest& request);
  static void fail(Replanner* self, const views::TaskRun& run, const Error& error);

  views::Task task_;
};

}  // namespace arenascope::app
