// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/findings/findings_search.h>

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

namespace arenascope::views {

FindingsSearch::~FindingsSearch() { stopping_.request_stop(); }

FindingsSearch::FindingsSearch(SessionSource* source, QObject* parent) : QObject(parent), source_(source) {
  connect(source_, &SessionSource::session_replaced, this, [this] {
    stop();
    searched_graph_ = searched_plan_ = nullptr;
    searched_ = searched_with_run_ = false;
    findings_.clear();
    about_ = {};
    Q_EMIT changed();
  });
}

bool FindingsSearch::out_of_date() const {
  // A plan shown in place of the run's usually comes from a finding; it is not searched.
  if (source_->shown_plan()) return false;
  const trace::Snapshot& s = *source_->snapshot();
  if (source_->graph() == nullptr && s.event_count == 0) return false;  // nothing to search
  const trace::Run* run = s.run(source_->run());
  const bool with_run = run && run->finished;
  return !searched_ || source_->graph() != searched_graph_ || source_->plan() != searched_plan_ ||
         (with_run && !searched_with_run_);
}

void FindingsSearch::start(double budget_seconds) {
  stop();
  const SnapshotPtr& s = source_->snapshot();
  const trace::GraphInfo* graph = source_->graph();
  const trace::PlanInfo* plan = source_->shown_plan() ? source_->ghost_plan() : source_->plan();
  searched_graph_ = graph;
  searched_plan_ = plan;
  const trace::Run* run = s->run(source_->run());
  searched_with_run_ = run && run->finished;
  searched_ = true;
  FindingsInput in{s, nullptr, nullptr, source_->run()};
  if (graph && graph->id.valid() && graph->id.index() < s->graphs.size()) in.graph = s->graphs[graph->id.index()];
  if (plan && plan->id.valid() && plan->id.index() < s->plans.size()) in.plan = s->plans[plan->id.index()];
  about_ = in;
  if (!in.graph && s->event_count == 0) return Q_EMIT changed();
  busy_ = true;
  done_ = 0;
  stopping_ = std::stop_source();
  const int number = ++number_;
  // Results are delivered on the UI thread, and only while this object exists.
  const auto report = [self = QPointer<FindingsSearch>(this), number](std::vector<Finding> found, double done) {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, found = std::move(found), done, number]() mutable {
          if (self) self->receive(std::move(found), done, number);
        },
        Qt::QueuedConnection);
  };
  FindingsOptions options;
  options.budget_seconds = budget_seconds;
  options.stop = stopping_.get_token();
  options.progress = [report](const std::vector<Finding>& found, double done) { report(found, done); };
  background_pool()->start([in, options, report] { report(find_savings(in, options), 2); });
  Q_EMIT changed();
}

void FindingsSearch::stop() {
  stopping_.request_stop();
  if (!busy_) return;
  ++number_;
  busy_ = false;
  Q_EMIT changed();
}

void FindingsSearch::receive(std::vector<Finding> findings, double done, int number) {
  if (number != number_) return;
  findings_ = std::move(findings);
  done_ = std::min(done, 1.0);
  busy_ = done <= 1;
  Q_EMIT changed();
  if (!busy_) Q_EMIT found();
}

}  // namespace arenascope::views
