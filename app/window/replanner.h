// SPDX-License-Identifier: GPL-3.0-or-later
// Plans graphs as they were described, off the UI thread: of a model that runs meanwhile, or of a recording. It touches
// no run. One job at a time: a new one stops the one before.
#pragma once
#include <arenascope/trace/info.h>
#include <views/planners/replan_panel.h>

#include <QObject>
#include <thread>

namespace arenascope::app {

class Replanner : public QObject {
  Q_OBJECT
 public:
  explicit Replanner(QObject* parent = nullptr) : QObject(parent) {}
  ~Replanner() override;

  // `at_hand` may be null; its alignment is kept. Answered by planned() or failed(), then finished().
  void plan(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> at_hand,
            const views::ReplanWish& wish);
  // Every planner with every order; planned() for each.
  void plan_all(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> at_hand,
                const views::ReplanWish& wish);
  void stop();  // takes what there is so far
  bool busy() const { return busy_; }

 Q_SIGNALS:
  void progressed(double seconds, qint64 arena, qint64 bound);
  void trying(int number, int all, const QString& planner, const QString& order);
  void planned(std::shared_ptr<const arenascope::trace::PlanInfo> plan, bool one_of_all);
  void failed(const QString& sentence);
  void finished();

 private:
  using Job = std::function<void(std::stop_token)>;
  void begin(Job job);
  void tell(int number, std::function<void()> f);

  std::jthread thread_;
  bool busy_ = false;
  int number_ = 0;
};

}  // namespace arenascope::app
