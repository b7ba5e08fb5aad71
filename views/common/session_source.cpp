// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/session_source.h>
#include <views/common/shown_graph.h>

#include <utility>

namespace arenascope::views {

namespace {
constexpr qint64 kPatience = 300;     // ms after which an unfinished run is shown instead of the last finished one
constexpr size_t kSearchedRuns = 64;  // number of runs searched
}  // namespace

SessionSource::SessionSource(QObject* parent) : QObject(parent), snapshot_(std::make_shared<trace::Snapshot>()) {
  timer_.setTimerType(Qt::PreciseTimer);
  connect(&timer_, &QTimer::timeout, this, &SessionSource::tick);
  connect(&worker_, &Background::done, this, [this](const Background::Result& result) {
    auto snapshot = std::static_pointer_cast<const trace::Snapshot>(result);
    // refresh() may have taken a later one in the meantime.
    if (snapshot->generation >= snapshot_->generation && is_old()) take(std::move(snapshot));
  });
}

namespace {

// Replanning describes the graph again: the same nodes with the same numbers.
bool same_graph(const trace::Snapshot& s, trace::GraphId a, trace::GraphId b) {
  if (a == b) return true;
  if (!a.valid() || !b.valid() || a.index() >= s.graphs.size() || b.index() >= s.graphs.size()) return false;
  const trace::GraphInfo &x = *s.graphs[a.index()], &y = *s.graphs[b.index()];
  if (x.nodes.size() != y.nodes.size() || x.leafs.size() != y.leafs.size()) return false;
  for (size_t i = 0; i < x.nodes.size(); ++i)
    if (x.nodes[i].name != y.nodes[i].name || x.nodes[i].bytes != y.nodes[i].bytes) return false;
  return true;
}

}  // namespace

void SessionSource::set_session(std::shared_ptr<const trace::Session> session) {
  session_ = std::move(session);
  worker_.cancel();
  chosen_ = run_ = going_on_ = {};
  chosen_graph_ = {};
  live_step_ = {};
  snapshot_ = std::make_shared<trace::Snapshot>();
  graph_ = nullptr;
  plan_ = ghost_ = nullptr;
  shown_ = before_ = nullptr;
  wants_file_graph_ = false;
  Q_EMIT session_replaced();
  SnapshotPtr first = session_ ? session_->try_snapshot() : nullptr;
  take(first ? std::move(first) : snapshot_);
  refresh();
}

void SessionSource::set_live(bool live, int interval) {
  if (live) {
    timer_.start(interval);
  } else {
    timer_.stop();
  }
  refresh();
}

void SessionSource::choose_graph(trace::GraphId graph) {
  chosen_ = {};
  chosen_graph_ = graph;
  const auto& runs = snapshot_->runs;
  for (size_t i = runs.size(); i-- > 0 && !chosen_.valid() && graph.valid();)
    if (runs[i].info.graph == graph) chosen_ = trace::RunId(i);
  if (chosen_.valid()) chosen_graph_ = {};
  take(snapshot_);
}

void SessionSource::choose_run(trace::RunId run) {
  chosen_ = run;
  chosen_graph_ = {};
  take(snapshot_);
}

void SessionSource::show_plan(std::shared_ptr<const trace::PlanInfo> plan) {
  shown_ = std::move(plan);
  take(snapshot_);
  Q_EMIT plan_shown();
}

void SessionSource::set_plan_before(std::shared_ptr<const trace::PlanInfo> plan) {
  before_ = std::move(plan);
  take(snapshot_);
}

void SessionSource::compare_with(std::shared_ptr<const ComparisonSide> other) {
  other_ = std::move(other);
  comparison_ = nullptr;
  take(snapshot_);
  Q_EMIT comparison_changed();
}

bool SessionSource::is_old() const {
  const bool waiting = going_on_.valid() && run_ != going_on_ && going_on_for_.hasExpired(kPatience);
  return session_ && (waiting || session_->generation() != snapshot_->generation);
}

void SessionSource::refresh() {
  if (!is_old() || waiting_) return;
  if (SnapshotPtr snapshot = session_->try_snapshot()) return take(std::move(snapshot));
  waiting_ = true;
  QTimer::singleShot(1, this, [this] {
    waiting_ = false;
    refresh();
  });
}

void SessionSource::tick() {
  if (!is_old() || worker_.busy()) return;
  worker_.request([session = session_](std::stop_token) -> Background::Result { return session->snapshot(); });
}

trace::RunId SessionSource::default_run() const {
  const auto& runs = snapshot_->runs;
  if (runs.empty()) return {};
  const trace::RunId newest(runs.size() - 1);
  if (runs.back().finished || (going_on_ == newest && going_on_for_.hasExpired(kPatience))) return newest;
  for (size_t i = runs.size() - 1; i-- > 0 && i + kSearchedRuns > runs.size();) {
    if (runs[i].finished && runs[i].marks > 0) return trace::RunId(i);
  }
  return newest;
}

// For a run of deferred subgraphs: the first part, which is the model as opened.
trace::RunId SessionSource::first_part(trace::RunId run) const {
  while (run.valid()) {
    const trace::GraphInfo* graph = snapshot_->graph_of(run);
    if (!graph || !graph->continuation_of.valid()) return run;
    size_t before = run.index();
    while (before-- > snapshot_->forgotten_runs && snapshot_->runs[before].info.graph != graph->continuation_of) {
    }
    // That run or its events were discarded: show the most recent part.
    if (before >= run.index() || snapshot_->runs[before].evicted) return run;
    run = trace::RunId(before);
  }
  return run;
}

void SessionSource::show_file_graph(bool on) {
  if (std::exchange(wants_file_graph_, on) != on) take(snapshot_);
}

// The graph and the plan of the run; without a run those chosen or the default ones.
void SessionSource::select_graph(const trace::GraphInfo* chosen) {
  graph_ = run_.valid() ? snapshot_->graph_of(run_) : nullptr;
  plan_ = run_.valid() ? snapshot_->plan_of(run_) : nullptr;
  if (!graph_) graph_ = chosen != nullptr ? chosen : default_graph(*snapshot_).get();
  if (!run_.valid()) plan_ = default_plan(*snapshot_, graph_).get();
  const trace::GraphInfo* of_file = file_graph(*snapshot_).get();
  if (!of_file || (!wants_file_graph_ && graph_ && !graph_->nodes.empty())) return;
  graph_ = of_file;
  plan_ = nullptr;
}

void SessionSource::take(SnapshotPtr snapshot) {
  snapshot_ = std::move(snapshot);
  const auto& runs = snapshot_->runs;
  const trace::RunId newest = runs.empty() ? trace::RunId() : trace::RunId(runs.size() - 1);
  if (newest.valid() && !runs.back().finished) {
    if (going_on_ != newest) {
      going_on_ = newest;
      going_on_for_.start();
    }
    const trace::Run& run = runs.back();
    const size_t marks_end = run.first_mark + run.marks, gone = snapshot_->marks_base;
    live_step_ = run.marks > 0 && marks_end > gone ? snapshot_->marks[marks_end - 1 - gone].step : Step();
  } else {
    going_on_ = {};
    live_step_ = {};
  }
  const trace::GraphInfo* const chosen_graph = snapshot_->graph(chosen_graph_);
  run_ = chosen_graph != nullptr ? trace::RunId() : snapshot_->run(chosen_) ? chosen_ : first_part(default_run());
  select_graph(chosen_graph);
  ghost_ = nullptr;
  if (shown_ && !shows_file_graph())
    ghost_ = std::exchange(plan_, shown_.get());
  else if (before_ && plan_ && before_->id != plan_->id && same_graph(*snapshot_, before_->graph, plan_->graph))
    ghost_ = before_.get();
  if (!other_) {
    comparison_ = nullptr;
  } else if (!comparison_ || compared_graph_ != graph_ || compared_plan_ != plan_) {
    comparison_ = Comparison::make(*other_, graph_, plan_);
    compared_graph_ = graph_;
    compared_plan_ = plan_;
  }
  Q_EMIT changed();
}

}  // namespace arenascope::views
