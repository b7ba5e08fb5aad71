// SPDX-License-Identifier: GPL-3.0-or-later
#include "document.h"

#include <arenascope/trace/recording.h>
#include <views/common/format.h>
#include <views/common/plan_peak.h>
#include <QPointer>

#include <algorithm>

#include "annotations.h"
#include "note_settings.h"
#include "saved_mark.h"

namespace arenascope::app {

using namespace views;

DocumentModels::DocumentModels(Theme* theme)
    : theme_(theme), debugger_({&source_, &selection_, &axis_, theme}, runner_.get(), &messages_) {}

Document::Document(Theme* theme) : DocumentModels(theme) {
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
    // A selected node moves the playhead to its step.
    const int32_t step = step_of(source_, selected_node(context()));
    if (step >= 0 && runner_->state() != RunState::Running) axis_.set_current(Step(step));
  });
}

Document::~Document() { disconnect(); }

void Document::close_async(std::unique_ptr<Document> document) {
  Document* discarded = document.release();  // it may be the sender of the current signal
  discarded->disconnect();
  discarded->runner_->disconnect(discarded);
  discarded->source_.disconnect();  // also observers outside, before its tasks report that they ended
  discarded->selection_.disconnect(discarded);
  discarded->content_.stop();
  discarded->settle_timer_.stop();
  discarded->source_.set_live(false);
  discarded->debugger_.stop_playing();
  for (Task* task : discarded->tasks_.running())
    if (task != &discarded->jobs_.saver->task()) task->discard();
  Saver::close_async(std::move(discarded->jobs_.saver));
  RunController::close_async(std::move(discarded->runner_));
  discarded->deleteLater();
}

void Document::connect_runner() {
  RunController* r = runner_.get();
  connect(r, &RunController::opened, this, &Document::on_opened);
  connect(r, &RunController::failed, this, &Document::failed);
  connect(r, &RunController::values, this, &Document::values);
  connect(r, &RunController::session_grew, this, [this] { source_.refresh(); });
  connect(r, &RunController::planned, this, &Document::on_plans_added);
  connect(r, &RunController::paused_at, this, &Document::pause_at);
  connect(r, &RunController::state_changed, this, &Document::on_state_changed);
  connect(r, &RunController::noted, this, [this](const Message& note) {
    messages_.post(note.kind, note.text);
    Q_EMIT noted(note);
  });
  connect(this, &Document::failed, &messages_, &Messages::fail);
}

void Document::connect_jobs() {
  connect(&jobs_.replanning, &Replanning::failed, this, &Document::failed);
  connect(&tasks_, &TaskList::changed, this, &Document::tasks_changed);
  connect(&jobs_.replanning, &Replanning::finished, &debugger_, &Debugger::update_steps);
  connect(&jobs_.comparing, &CompareLoader::failed, this, &Document::failed);
  connect(&jobs_.comparing, &CompareLoader::loaded, this, &Document::compare_with);
  connect(&source_, &SessionSource::session_replaced, &jobs_.queries, &QueryJob::forget);
  connect(&source_, &SessionSource::changed, this, &Document::tell_of_older_runs);
  connect(&source_, &SessionSource::changed, this, &Document::settle_playhead);
  connect(&notes_, &PinnedNotes::changed, this, [this] {
    if (!notes_of_.isEmpty()) remember_notes(notes_of_, notes_.all());
  });
  connect(&debugger_, &Debugger::breakpoints_changed, this, [this] {
    if (!breakpoints_key_.isEmpty()) remember_breakpoints(breakpoints_key_, debugger_.breakpoints());
  });
  connect(jobs_.saver.get(), &Saver::saved, &messages_, &Messages::note);
  connect(jobs_.saver.get(), &Saver::failed, this, &Document::failed);
  // Runs of a generation are shown from its first token on.
  connect(&jobs_.generation, &GenerationJob::session_begun, this, &Document::show_session);
  connect(&jobs_.generation, &GenerationJob::changed, &source_, &SessionSource::refresh);
}

void Document::open(const QString& spec, const RunSettings& settings) {
  requested_ = spec;
  runner_->open(spec, settings);
}

void Document::show_session(std::shared_ptr<trace::Session> session, const QString& title) {
  title_ = title;
  debugger_.stop_playing();
  selection_.forget();
  discard_reported_ = false;
  ViewState kept;  // entered by the user, whatever the document has
  kept.tables = view_state_.tables;
  kept.search = view_state_.search;
  kept.query = view_state_.query;
  view_state_ = kept;
  jobs_.other_form.forget();
  history_.forget();
  source_.show_plan(nullptr);
  notes_of_.clear();
  source_.set_session(std::move(session));
  notes_.set(remembered_notes(spec()).value_or(std::vector<PinnedNote>()));
  notes_of_ = spec();
  if (!runner_->has_model()) restore_breakpoints();
  debugger_.update_steps();
  Q_EMIT opened();
}

void Document::on_opened(const QString& title) {
  messages_.clear();
  requested_.clear();
  show_session(runner_->session(), title);
  const QString assumed = sizes_text(runner_->input_sizes());
  if (!assumed.isEmpty())
    messages_.post(MessageKind::Warning, tr("Unspecified input sizes were assumed: %1.").arg(assumed),
                   QStringLiteral("file.sizes"));
  if (!runner_->has_model()) return;
  to_peak_ = true;
  runner_->run(false);  // so that every view has content
}

void Document::on_plans_added() {
  source_.show_plan(nullptr);
  source_.set_plan_before(std::exchange(plan_before_, nullptr));
  source_.refresh();
  debugger_.update_steps();
  if (!to_peak_) plan_other_form(true);
}

// Shown once per session: the size of a live recording is limited, and the limit is a preference.
void Document::tell_of_older_runs() {
  const bool discarded = source_.snapshot()->forgotten > 0;
  if (discarded && !std::exchange(discard_reported_, discarded))
    messages_.post(MessageKind::Warning,
                   tr("The oldest runs were discarded. A live recording keeps at most %1.")
                       .arg(format_bytes(static_cast<Bytes>(runner_->settings().recording_limit_bytes()))),
                   QStringLiteral("edit.preferences"));
}

// A non-finite result is selected after its node, while its values can still be read.
void Document::pause_at(int step, BreakReason reason, NodeId node) {
  source_.refresh();
  const auto& runs = source_.snapshot()->runs;
  if (!runs.empty() &&
      source_.run() != trace::RunId(runs.size() - 1)) {  // in an iteration of a loop or a deferred subgraph
    shows_paused_ = true;
    source_.choose_run(trace::RunId(runs.size() - 1));
  }
  const trace::GraphInfo* graph = source_.graph();
  const trace::PlanInfo* plan = source_.plan();
  if (graph != nullptr && plan != nullptr && static_cast<size_t>(step) < plan->order.size()) {
    const NodeId next = plan->order[static_cast<size_t>(step)];
    if (next.index() < graph->nodes.size()) paused_before_ = QString::fromStdString(graph->nodes[next.index()].name);
    const NodeId shown = reason == BreakReason::NotFinite && node.index() < graph->nodes.size() ? node : next;
    if (!debugger_.shows_parts_of_paused()) selection_.select(Selection::node(source_.graph_id(), shown));
  }
  axis_.set_current(Step(step));
  Q_EMIT state_changed();
  const auto* named =
      graph != nullptr && node.valid() ? source_.snapshot()->tensor(graph->id, trace::TensorRef::node(node)) : nullptr;
  if (reason != BreakReason::None && named != nullptr)
    messages_.note(pause_message(reason, QString::fromStdString(named->name)));
}

void Document::on_state_changed() {
  const RunState state = runner_->state();
  if (state != RunState::Paused && std::exchange(shows_paused_, false)) source_.choose_run({});
  axis_.set_follow(state != RunState::Paused);  // paused before the next node, which has no event yet
  if (state == RunState::Running || state == RunState::Paused)
    source_.set_live(true);
  else
    settle_timer_.start();  // the last events of a run arrive with a delay
  if (state == RunState::Ready) source_.refresh();
  settle_playhead();
  if (state == RunState::Running) {
    debugger_.stop_playing();
    messages_.drop_notes();  // such as the position of the pause
  }
  Q_EMIT state_changed();
}

// After a run the playhead stops following it: it returns to its previous step, or goes to the peak after the first
// run of a model. The end of a run may appear in a snapshot some time after the runner is ready.
void Document::settle_playhead() {
  if (runner_->state() != RunState::Ready) return;
  const auto& runs = source_.snapshot()->runs;
  if (runs.empty() || !runs.back().finished) return;
  axis_.restore_position();
  if (!std::exchange(to_peak_, false)) return;
  restore_breakpoints();  // only now: the first run must not pause
  plan_other_form(false);
  if (const Step peak = peak_of(source_.plan()).step; peak.valid()) axis_.set_current(peak);
}

// Only for models that are read in a moment; after the first run, which it would slow down.
void Document::plan_other_form(bool replanned) {
  constexpr Bytes kMaxWeights = Bytes{1} << 30;
  const RunSettings& settings = runner_->settings();
  const trace::GraphInfo* graph = source_.graph();
  if (settings.from_lesson || settings.backend != u"cpu" || graph == nullptr) return;
  Bytes weights = 0;
  for (const trace::TensorInfo& leaf : graph->leafs) weights += leaf.bytes;
  if (weights <= kMaxWeights) jobs_.other_form.plan(spec(), settings, replanned);
}

// Saved breakpoints of the file; a lesson has its own.
void Document::restore_breakpoints() {
  if (spec().isEmpty() || runner_->settings().from_lesson || breakpoints_key_ == spec()) return;
  const std::vector<Breakpoint> kept = remembered_breakpoints(spec());
  breakpoints_key_ = spec();
  if (!debugger_.breakpoints().empty())
    remember_breakpoints(spec(), debugger_.breakpoints());
  else if (!kept.empty())
    debugger_.set_breakpoints(kept);
}

void Document::replan(const RunSettings& settings) {
  if (!runner_->has_model()) {
    PlanRequest request = jobs_.replanning.request();
    request.planner = settings.planner;
    request.order = settings.order;
    return jobs_.replanning.plan(request);
  }
  const auto& plans = source_.snapshot()->plans;
  const trace::PlanInfo* now = source_.shown_plan() ? source_.ghost_plan() : source_.plan();
  plan_before_ = now && now->id.valid() && now->id.index() < plans.size() ? plans[now->id.index()] : nullptr;
  runner_->replan(settings);
}

bool Document::will_be_kept() const {
  if (jobs_.generation.will_be_kept()) return true;
  const SavedMark* saved = runner_->saved_mark();
  if (saved == nullptr || !runner_->session()) return false;
  const auto snapshot = runner_->session()->snapshot();
  return worth_keeping(*snapshot, runner_->has_model()) && !saved->covers(*snapshot, runner_->has_model());
}

ViewState Document::whole_view_state() {
  ViewState state = view_state_;
  state.axis = axis_.mode();
  state.by_runs = axis_.frame().by_runs();
  if (!(axis_.range() == axis_.limits())) state.range = axis_.range();
  if (const auto* selected = selection_.current().get<NodeSelection>()) state.selected = *selected;
  return state;
}

void Document::show_notes_of_file(const std::vector<PinnedNote>& notes) {
  if (remembered_notes(spec()) || !notes_.all().empty()) return;
  const QString key = std::exchange(notes_of_, {});  // not stored
  notes_.set(notes);
  notes_of_ = key;
  history_.set_notes(notes);
}

void Document::save_recording(const QString& path) {
  auto annotated = std::make_shared<trace::Snapshot>(*source_.snapshot());
  annotated->annotations.json = Annotations{notes_.all(), whole_view_state()}.to_json();
  const SnapshotPtr snapshot = std::move(annotated);
  // A recording may replace itself: it is written atomically, and mapped data stays.
  std::vector<std::filesystem::path> inputs;
  if (runner_->has_model()) inputs.emplace_back(spec().toStdString());
  jobs_.saver->save(
      path,
      [snapshot, to = path.toStdString(), inputs](const Saver::Progress& progress) {
        return trace::save_recording(*snapshot, to, progress, inputs);
      },
      tr("The recording was saved to %1.").arg(path),
      [alive = QPointer<Document>(this), snapshot, session = source_.session()] {
        if (!alive || !alive->runner_ || !session) return;  // closed in the meantime
        if (SavedMark* saved = alive->runner_->saved_mark(); saved != nullptr && session == alive->runner_->session())
          saved->set(*snapshot);
        if (session == alive->jobs_.generation.session()) alive->jobs_.generation.mark_saved(*snapshot);
      });
}

void Document::compare_with(std::shared_ptr<const ComparisonSide> other) {
  if (!other) jobs_.comparing.cancel();
  source_.compare_with(other);
  const ComparisonPtr& c = source_.comparison();
  if (other && c && c->other.graph && source_.graph())
    messages_.note(tr("Comparing with %1 (shown as B): %2 nodes match, %3 only in A, %4 only in B.")
                       .arg(other->title, format_count(static_cast<int64_t>(c->match.matched_nodes())),
                            format_count(static_cast<int64_t>(c->only_ours)),
                            format_count(static_cast<int64_t>(c->only_theirs))));
  Q_EMIT compared();
}

void Document::deactivate() {
  debugger_.stop_playing();
  runner_->pause();
}

}  // namespace arenascope::app
