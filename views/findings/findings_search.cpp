// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/findings/findings_search.h>

namespace arenascope::views {

FindingsSearch::FindingsSearch(SessionSource* source, TaskList* tasks) : source_(source), task_(tasks) {
  connect(source_, &SessionSource::session_replaced, this, [this] {
    task_.discard();
    searched_graph_ = searched_plan_ = nullptr;
    searched_ = searched_with_run_ = false;
    findings_.clear();
    about_ = {};
    Q_EMIT changed();
  });
  connect(&task_, &Task::changed, this, &FindingsSearch::changed);
  connect(&task_, &Task::finished, this, &FindingsSearch::found);
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
  task_.discard();
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
  task_.start(tr("Searching for savings…"), [this, in, budget_seconds](const TaskRun& execution) {
    const auto report = [this, &execution](const std::vector<Finding>& found, double done) {
      execution.post([this, found] { findings_ = found; });
      execution.progress(done);
    };
    FindingsOptions options;
    options.budget_seconds = budget_seconds;
    options.stop = execution.stop();
    options.progress = report;
    report(find_savings(in, options), 1);
  });
}

}  // namespace arenascope::views
