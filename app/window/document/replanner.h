// SPDX-License-Identifier: GPL-3.0-or-later
// Plans graphs as they were described, off the UI thread: of a model that runs meanwhile, or of a recording. It touches
// no run. One job at a time: a new one stops the one before.
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
  ~Replanner() override;  // waits for nobody

  // `at_hand` may be null; its alignment is kept. Answered by planned() or failed(), then finished().
  void plan(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> at_hand,
            const views::ReplanWish& wish);
  // Every planner with every order; planned() for each.
  void plan_all(std::shared_ptr<const trace::GraphInfo> graph, std::shared_ptr<const trace::PlanInfo> at_hand,
                const views::ReplanWish& wish);
  void stop();  // takes what there is so far
  void drop();  // and tells nothing of it
  bool busy() const { return busy_; }

 Q_SIGNALS:
  void progressed(double seconds, qint64 arena, qint64 bound);
  void trying(int number, int all, const QString& planner, const QString& order);
  void planned(std::shared_ptr<const arenascope::trace::PlanInfo> plan, bool one_of_all);
  // Where the plan misses the bytes to fit under: what could be done, and what it would come to.
  void advised(const QString& text);
  void failed(const QString& sentence);
  void finished();

 private:
  // What a job tells: on the UI thread, unless another one was begun meanwhile or nobody is there to hear it.
  struct Voice {
    QPointer<Replanner> self;
    int number;
    void operator()(std::function<void(Replanner&)> f) const;
    void failed(const Error& error) const;
    void finished() const;
  };
  using Job = std::function<void(const Voice&, std::stop_token)>;
  void begin(Job job);

  std::stop_source stop_;
  bool busy_ = false;
  int number_ = 0;
};

}  // namespace arenascope::app
