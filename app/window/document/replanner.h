// SPDX-License-Identifier: GPL-3.0-or-later
// Plans described graphs in the background, of a running model or a recording. It does not touch the run. A new job
// stops the previous one.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/info.h>
#include <views/planners/replan_panel.h>

#include <QObject>
#include <QPointer>
#include <stop_token>

namespace arenascope::app {

class Replanner : public QObject {
  Q_OBJECT
 public:
  explicit Replanner(QObject* parent = nullptr) : QObject(parent) {}
  ~Replanner() override;  // does not wait for a job

  // `current_plan` may be null; its alignment is used. Emits planned() or failed(), then finished().
  void plan(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> current_plan,
            const views::PlanRequest& request);
  // Tries every planner with every order; emits planned() for each.
  void plan_all(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> current_plan,
                const views::PlanRequest& request);
  void stop();     // uses the best plan so far
  void discard();  // stops without a result
  bool busy() const { return busy_; }

 Q_SIGNALS:
  void progressed(double seconds, qint64 arena, qint64 bound);
  void trying(int number, int all, const QString& planner, const QString& order);
  void planned(std::shared_ptr<const arenascope::trace::PlanInfo> plan, bool one_of_all);
  // If the plan exceeds the memory limit: possible changes and their result.
  void advised(const QString& text);
  void failed(const QString& message);
  void finished();

 private:
  // Reports of a job, delivered on the UI thread unless a newer job was started or the replanner was destroyed.
  struct Notifier {
    QPointer<Replanner> self;
    int number;
    void operator()(std::function<void(Replanner&)> f) const;
    void failed(const Error& error) const;
    void finished() const;
  };
  using Job = std::function<void(const Notifier&, std::stop_token)>;
  void begin(Job job);

  std::stop_source stop_;
  bool busy_ = false;
  int number_ = 0;
};

}  // namespace arenascope::app
