// SPDX-License-Identifier: GPL-3.0-or-later
#include "document.h"

#include <views/common/format.h>
#include <views/common/plan_peak.h>

#include <algorithm>

#include "note_memory.h"

namespace arenascope::app {

using namespace views;

DocumentParts::DocumentParts(Theme* theme)
    : theme_(theme), debugger_({&source_, &selection_, &axis_, theme}, runner_.get(), &messages_) {}

Document::Document(Theme* theme) : DocumentParts(theme) {
  settle_timer_.setSingleShot(true);
  settle_timer_.setInterval(250);
  connect(&settle_timer_, &QTimer::timeout, this, [this] {
    const RunState state = runner_->state();
    if (state != RunState::Running && state != RunState::Paused) source_.set_live(false);
    source_.refresh();
  });
  connect_runner();
  connect_jobs();
  connect(&selection_, &SelectionModel::current_changed, this, [this] {
    // What was selected by hand shows its step in every view.
    const int32_t step = step_of(source_, selected_node(context()));
    if (step >= 0 && runner_->state() != RunState::Running) axis_.set_current(Step(step));
  });
}

Document::~Document() { disconnect(); }

void Document::retire(std::unique_ptr<Document> document) {
  Document* gone = document.release();  // it may be what has just told of a failure
  gone->disconnect();
  gone->runner_->disconnect(gone);
  gone->source_.disconnect(gone);
  gone->selection_.disconnect(gone);
  gone->settle_timer_.stop();
  gone->source_.set_live(false);
  gone->debugger_.stop_playing();
  gone->replanning_.cancel();
  gone->findings_.stop();
  gone->comparing_.cancel();
  Writing::retire(std::move(gone->writing_));
  Learning::retire(std::move(gone->learning_));
  AllocatorReplays::retire(std::move(gone->replays_));
  Saver::retire(std::move(gone->saver_));
  RunController::retire(std::move(gone->runner_));
  gone->deleteLater();
}

void Document::connect_runner() {
  RunController* r = runner_.get();
  connect(r, &RunController::opened, this, &Document::take_opened);
  connect(r, &RunController::failed, this, &Document::failed);
  connect(r, &RunController::values, this, &Document::values);
  connect(r, &RunController::progress, this, &Document::set_progress);
  connect(r, &RunController::read_on, this, [this] { source_.refresh(); });
  connect(r, &RunController::planned, this, &Document::take_plans);
  connect(r, &RunController::paused_at, this, &Document::pause_at);
  connect(r, &RunController::state_changed, this, &Document::take_state);
  connect(this, &Document::failed, &messages_, &Messages::fail);
}

void Document::connect_jobs() {
  connect(&replanning_, &Replanning::failed, this, &Document::failed);
  connect(&replanning_, &Replanning::changed, this, &Document::progress_changed);
  connect(&findings_, &FindingsSearch::changed, this, &Document::progress_changed);
  connect(&replanning_, &Replanning::finished, &debugger_, &Debugger::look_again);
  connect(&comparing_, &CompareLoader::progress, this, &Document::set_progress);
  connect(&comparing_, &CompareLoader::failed, this, &Document::failed);
  connect(&comparing_, &CompareLoader::loaded, this, &Document::compare_with);
  connect(&source_, &SessionSource::changed, this, &Document::tell_of_older_runs);
  connect(&source_, &SessionSource::changed, this, &Document::settle_playhead);
  connect(&notes_, &PinnedNotes::changed, this, [this] {
    if (!notes_of_.isEmpty()) remember_notes(notes_of_, notes_.all());
  });
  connect(&debugger_, &Debugger::breakpoints_changed, this, [this] {
    if (!breakpoints_of_.isEmpty()) remember_breakpoints(breakpoints_of_, debugger_.breakpoints());
  });
  connect(saver_.get(), &Saver::saved, &messages_, &Messages::note);
  connect(saver_.get(), &Saver::failed, this, &Document::failed);
  for (BackgroundJob* job :
       std::initializer_list<BackgroundJob*>{saver_.get(), writing_.get(), learning_.get(), replays_.get()})
    connect(job, &BackgroundJob::changed, this, &Document::progress_changed);
  // The runs of what writes are what the views show, from its first token on.
  connect(writing_.get(), &Writing::session_begun, this, &Document::show_session);
  connect(writing_.get(), &Writing::changed, &source_, &SessionSource::refresh);
}

void Document::set_progress(const QString& text, double share) {
  if (progress_.isEmpty()) progress_since_.start();
  progress_ = text;
  progress_share_ = share;
  Q_EMIT progress_changed();
}

double Document::progress_seconds() const {
  return progress_.isEmpty() ? 0 : static_cast<double>(progress_since_.elapsed()) / 1e3;
}

void Document::show_session(std::shared_ptr<trace::Session> session, const QString& title) {
  title_ = title;
  debugger_.stop_playing();
  selection_.forget();
  older_gone_ = false;
  looks_ = {};
  history_.forget();
  source_.show_plan(nullptr);
  notes_of_.clear();
  source_.set_session(std::move(session));
  notes_.set(remembered_notes(spec()));
  notes_of_ = spec();
  if (!runner_->has_model()) restore_breakpoints();
  debugger_.look_again();
  Q_EMIT opened();
}

void Document::take_opened(const QString& title) {
  messages_.clear();
  show_session(runner_->session(), title);
  const QString assumed = sizes_text(runner_->input_sizes());
  if (!assumed.isEmpty())
    messages_.say(MessageKind::Warning, tr("Sizes that the file leaves open were assumed: %1.").arg(assumed),
                  QStringLiteral("file.sizes"));
  if (!runner_->has_model()) return;
  to_peak_ = true;
  runner_->run_once();  // so that every view has something to show
}

void Document::take_plans() {
  source_.show_plan(nullptr);
  source_.set_plan_before(std::exchange(plan_before_, nullptr));
  source_.refresh();
  debugger_.look_again();
}

// Once a session: what is kept of a live one is bounded, and the user can say by how much.
void Document::tell_of_older_runs() {
  const bool gone = source_.snapshot()->forgotten > 0;
  if (gone && !std::exchange(older_gone_, gone))
    messages_.say(MessageKind::Warning,
                  tr("The oldest runs were let go: at most %1 of a live recording are kept.")
                      .arg(format_bytes(static_cast<Bytes>(runner_->settings().kept_bytes()))),
                  QStringLiteral("edit.preferences"));
}

// What is looked for and found in a result is selected: behind its node, where its numbers can still be read.
void Document::pause_at(int step, BreakReason reason, const QString& node) {
  source_.refresh();
  const auto& runs = source_.snapshot()->runs;
  if (!runs.empty() && source_.run() != trace::RunId(runs.size() - 1)) {  // in a turn of a loop, behind the first graph
    shows_paused_ = true;
    source_.choose_run(trace::RunId(runs.size() - 1));
  }
  const trace::GraphInfo* graph = source_.graph();
  const trace::PlanInfo* plan = source_.plan();
  if (graph != nullptr && plan != nullptr && static_cast<size_t>(step) < plan->order.size()) {
    const NodeId next = plan->order[static_cast<size_t>(step)];
    if (next.index() < graph->nodes.size()) paused_before_ = QString::fromStdString(graph->nodes[next.index()].name);
    NodeId shown = next;
    for (size_t i = 0; reason == BreakReason::NotFinite && i < graph->nodes.size(); ++i)
      if (graph->nodes[i].name == node.toStdString()) shown = NodeId(i);
    if (!debugger_.shows_parts_of_paused()) selection_.select(Selection::node(source_.graph_id(), shown));
  }
  axis_.set_current(Step(step));
  Q_EMIT state_changed();
  if (reason != BreakReason::None) messages_.note(pause_sentence(reason, node));
}

void Document::take_state() {
  const RunState state = runner_->state();
  if (state != RunState::Paused && std::exchange(shows_paused_, false)) source_.choose_run({});
  axis_.set_follow(state != RunState::Paused);  // it stands before the node that comes next, which left no event yet
  if (state == RunState::Running || state == RunState::Paused)
    source_.set_live(true);
  else
    settle_timer_.start();  // the last events of a run come a moment behind it
  if (state == RunState::Ready) source_.refresh();
  settle_playhead();
  if (state == RunState::Running) {
    debugger_.stop_playing();
    messages_.drop_notes();  // where it was paused, say
  }
  Q_EMIT state_changed();
}

// When a run is through, the playhead no longer follows it: it stands where it stood before, behind the first run of a
// model where most is live. The end of a run may be known only some snapshots after the runner is ready.
void Document::settle_playhead() {
  if (runner_->state() != RunState::Ready) return;
  const auto& runs = source_.snapshot()->runs;
  if (runs.empty() || !runs.back().finished) return;
  axis_.come_back();
  if (!std::exchange(to_peak_, false)) return;
  restore_breakpoints();  // not before: the run that fills the views shall not pause at them
  if (const Step peak = peak_of(source_.plan()).step; peak.valid()) axis_.set_current(peak);
}

// Those of a file when it was looked at last; a lesson brings its own.
void Document::restore_breakpoints() {
  if (spec().isEmpty() || runner_->settings().pinned || breakpoints_of_ == spec()) return;
  const std::vector<Breakpoint> kept = remembered_breakpoints(spec());
  breakpoints_of_ = spec();
  if (!debugger_.breakpoints().empty())
    remember_breakpoints(spec(), debugger_.breakpoints());
  else if (!kept.empty())
    debugger_.set_breakpoints(kept);
}

void Document::replan(const RunSettings& settings) {
  if (!runner_->has_model()) {
    ReplanWish wish = replanning_.wish();
    wish.planner = settings.planner;
    wish.order = settings.order;
    return replanning_.plan(wish);
  }
  const auto& plans = source_.snapshot()->plans;
  const trace::PlanInfo* now = source_.shown_plan() ? source_.ghost_plan() : source_.plan();
  plan_before_ = now && now->id.valid() && now->id.index() < plans.size() ? plans[now->id.index()] : nullptr;
  runner_->replan(settings);
}

void Document::compare_with(std::shared_ptr<const Other> other) {
  if (!other) comparing_.cancel();
  source_.compare_with(other);
  const ComparisonPtr& c = source_.comparison();
  if (other && c && c->other.graph && source_.graph())
    messages_.note(
        tr("Compared with %1, which is B in every view: %2 nodes are the same, %3 are only here, %4 only there.")
            .arg(other->title, format_count(static_cast<int64_t>(c->match.matched_nodes())),
                 format_count(static_cast<int64_t>(c->only_ours)), format_count(static_cast<int64_t>(c->only_theirs))));
  Q_EMIT compared();
}

void Document::look_away() {
  debugger_.stop_playing();
  runner_->pause();
}

}  // namespace arenascope::app
