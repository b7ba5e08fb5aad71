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
    looked_graph_ = looked_plan_ = nullptr;
    looked_ = looked_with_run_ = false;
    findings_.clear();
    about_ = {};
    Q_EMIT changed();
  });
}

bool FindingsSearch::out_of_date() const {
  // What is shown in place of the plan at hand is a finding's own more often than not: it is not looked through.
  if (source_->shown_plan()) return false;
  const trace::Snapshot& s = *source_->snapshot();
  if (source_->graph() == nullptr && s.event_count == 0) return false;  // there is nothing
  const trace::Run* run = s.run(source_->run());
  const bool with_run = run && run->finished;
  return !looked_ || source_->graph() != looked_graph_ || source_->plan() != looked_plan_ ||
         (with_run && !looked_with_run_);
}

void FindingsSearch::look(double budget_seconds) {
  stop();
  const SnapshotPtr& s = source_->snapshot();
  const trace::GraphInfo* graph = source_->graph();
  const trace::PlanInfo* plan = source_->shown_plan() ? source_->ghost_plan() : source_->plan();
  looked_graph_ = graph;
  looked_plan_ = plan;
  const trace::Run* run = s->run(source_->run());
  looked_with_run_ = run && run->finished;
  looked_ = true;
  FindingsInput in{s, nullptr, nullptr, source_->run()};
  if (graph && graph->id.valid() && graph->id.index() < s->graphs.size()) in.graph = s->graphs[graph->id.index()];
  if (plan && plan->id.valid() && plan->id.index() < s->plans.size()) in.plan = s->plans[plan->id.index()];
  about_ = in;
  if (!in.graph && s->event_count == 0) return Q_EMIT changed();
  busy_ = true;
  done_ = 0;
  stopping_ = std::stop_source();
  const int number = ++number_;
  // What is told comes on the UI thread, and only while somebody is there to hear it.
  const auto tell = [self = QPointer<FindingsSearch>(this), number](std::vector<Finding> found, double done) {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, found = std::move(found), done, number]() mutable {
          if (self) self->take(std::move(found), done, number);
        },
        Qt::QueuedConnection);
  };
  FindingsOptions options;
  options.budget_seconds = budget_seconds;
  options.stop = stopping_.get_token();
  options.progress = [tell](const std::vector<Finding>& found, double done) { tell(found, done); };
  long_jobs()->start([in, options, tell] { tell(find_savings(in, options), 2); });
  Q_EMIT changed();
}

void FindingsSearch::stop() {
  stopping_.request_stop();
  if (!busy_) return;
  ++number_;
  busy_ = false;
  Q_EMIT changed();
}

void FindingsSearch::take(std::vector<Finding> findings, double done, int number) {
  if (number != number_) return;
  findings_ = std::move(findings);
  done_ = std::min(done, 1.0);
  busy_ = done <= 1;
  Q_EMIT changed();
  if (!busy_) Q_EMIT found();
}

}  // namespace arenascope::views
