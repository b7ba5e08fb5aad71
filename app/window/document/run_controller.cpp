// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_controller.h"

#include <arenascope/trace/recorder.h>

#include <QCoreApplication>
#include <QThreadPool>

#include "run_worker.h"

namespace arenascope::app {

namespace {

// The first breakpoint after `step` in the newest run; invalid: none. A run that began without breakpoints does not check
// before each node, which would change its execution.
Step breakpoint_after(const trace::Session* session, const std::vector<Breakpoint>& breakpoints, Step step) {
  if (!step.valid() || session == nullptr) return {};
  const auto snapshot = session->snapshot();
  if (snapshot->runs.empty()) return {};
  const trace::RunId run(snapshot->runs.size() - 1);
  const trace::GraphInfo* graph = snapshot->graph_of(run);
  const trace::PlanInfo* plan = snapshot->plan_of(run);
  if (graph == nullptr || plan == nullptr) return {};
  const auto nodes = nodes_to_break(*graph, breakpoints);
  for (size_t s = step.index() + 1; s < plan->order.size(); ++s)
    if (nodes.contains(plan->order[s])) return Step(s);
  return {};
}

}  // namespace

RunController::RunController(views::TaskList* tasks)
    : WorkerThread(this, nullptr),
      opening_(tasks, views::Task::OnCancel::Keep),
      planning_(tasks, views::Task::OnCancel::Keep),
      looping_(tasks, views::Task::OnCancel::Keep) {
  connect(this, &WorkerThread::state_changed, this, [this] {
    if (state() == RunState::Paused) return;
    value_reader_ = nullptr;
    reading_.cancel();
  });
  connect(&reading_, &views::Background::done, this, [this](const views::Background::Result& result) {
    const auto& answer = *std::static_pointer_cast<const ValuesAnswer>(result);
    Q_EMIT values(answer.values, answer.title);
  });
  // Before anything is shown the document returns to its state at once; the worker stops at its next check.
  connect(&opening_, &views::Task::cancelled, this, [this] {
    if (state() != RunState::Opening) return;
    opening_.discard();
    on_failed(QCoreApplication::translate("arenascope::app::Opener", "Opening was cancelled."));
  });
  connect(&planning_, &views::Task::changed, this, &WorkerThread::state_changed);
  connect(&looping_, &views::Task::cancelled, this, &RunController::stop);
}

RunController::~RunController() { value_reader_ = nullptr; }

void RunController::request_quit() {
  value_reader_ = nullptr;
  opening_.discard();
  planning_.discard();
  WorkerThread::request_quit();
}

// --- requests of the window

void RunController::open(const QString& spec, const RunSettings& settings) {
  const views::TaskRun task = opening_.begin(tr("Opening %1…").arg(spec));
  leave_pause();
  set_state(RunState::Opening);
  const auto job = [this, spec, settings, task](RunWorker& worker) {
    const auto problem = worker.open(spec, settings, task);
    if (problem) task.post([this, problem] { on_failed(*problem); });
    task.finish();
  };
  submit(job, true);
}

SavedMark* RunController::saved_mark() const { return autosaved_ ? &shared().saved : nullptr; }

void RunController::replan(const RunSettings& settings) {
  if (!has_model_) return;
  const views::TaskRun task = planning_.begin(tr("Planning memory…"));  // stops a planning in progress
  submit([settings, task](RunWorker& worker) { worker.replan(settings, task); }, true);
}

void RunController::run(bool repeatedly) {
  if (!has_model_) return;
  stop_ = repeatedly && state() == RunState::Paused ? breakpoint_after(session_.get(), breakpoints_, next_) : Step();
  leave_pause();
  if (stop_.valid())
    shared().control.run_to(stop_);
  else
    shared().control.resume();  // before the job: after it, a breakpoint may already have paused the new run
  submit([repeatedly](RunWorker& w) { w.run(repeatedly); }, false);
  if (state() == RunState::Ready) set_state(RunState::Running);
}

void RunController::pause() {
  if (state() == RunState::Running) shared().control.pause();
}

void RunController::step() {
  if (!has_model_) return;
  stop_ = {};
  leave_pause();
  shared().control.step();
  if (state() == RunState::Ready) submit([](RunWorker& w) { w.run(true); }, false);
}

void RunController::run_to(Step step) {
  if (!has_model_) return;
  stop_ = {};
  leave_pause();
  shared().control.run_to(step);
  if (state() == RunState::Ready) submit([](RunWorker& w) { w.run(true); }, false);
}

void RunController::stop() {
  if (has_model_) submit([](RunWorker& w) { w.stop(); }, true);
}

void RunController::set_breakpoints(std::vector<Breakpoint> breakpoints) {
  breakpoints_ = breakpoints;
  shared().breakpoints.push(std::move(breakpoints));
  if (state() != RunState::Running || !stop_.valid()) return;
  // The breakpoint that the run was sent to may be disabled now: then it continues to the next one.
  const Step stop = breakpoint_after(session_.get(), breakpoints_, Step(stop_.value - 1));
  if (stop == stop_) return;
  stop_ = stop;
  if (stop.valid())
    shared().control.run_to(stop);
  else
    shared().control.resume();
}

void RunController::read_values(trace::TensorRef tensor) {
  if (!has_model_ || !tensor.valid()) return;
  if (state() == RunState::Paused && value_reader_) {
    const auto channel = shared_channel();
    reading_.request([channel, read = value_reader_, tensor,
                      epoch = channel->resume_epoch.load()](std::stop_token) -> views::Background::Result {
      const std::lock_guard lock(channel->reading);
      return channel->resume_epoch == epoch ? std::make_shared<const ValuesAnswer>(read(tensor)) : nullptr;
    });
  } else if (state() == RunState::Ready) {
    submit([tensor](RunWorker& w) { w.read(tensor); }, false);
  }
}

std::shared_ptr<const trace::PlanInfo> RunController::add_plan(trace::PlanInfo plan) {
  if (!session_) return nullptr;
  const auto kept = std::make_shared<trace::PlanInfo>(std::move(plan));
  if (recorder_) {
    kept->id = recorder_->describe(*kept);
    views::background_pool()->start([recorder = recorder_, tell = shared().tell] {
      recorder->drain();
      tell([](RunController& c) { Q_EMIT c.session_grew(); });
    });
  } else {  // a recording has no other writer
    kept->id = trace::PlanId(session_->snapshot()->plans.size());
    session_->describe(trace::Description(std::shared_ptr<const trace::PlanInfo>(kept)));
  }
  return kept;
}

// --- reports of the worker

void RunController::on_opened(const OpenResult& result) {
  has_model_ = result.can_run;
  spec_ = result.spec;
  settings_ = result.settings;
  session_ = result.session;
  sizes_ = result.sizes;
  recorder_ = result.recorder;
  autosaved_ = result.autosaved;
  set_state(has_model_ ? RunState::Ready : RunState::Recording);
  Q_EMIT opened(result.title);
  if (!result.note.text.isEmpty()) Q_EMIT noted(result.note);
  if (!result.problem.isEmpty()) Q_EMIT failed(result.problem);
}

void RunController::on_failed(const QString& problem) {
  set_state(has_model_ ? RunState::Ready : session_ ? RunState::Recording : RunState::Empty);
  Q_EMIT failed(problem);
}

void RunController::on_iteration(const QString& text) {
  if (text.isEmpty()) return loop_run_.reset();
  if (!loop_run_) loop_run_ = looping_.begin(text);
  looping_.set_title(text);
}

void RunController::on_running() {
  if (state() == RunState::Ready || state() == RunState::Paused) set_state(RunState::Running);
}

void RunController::on_paused(const PauseInfo& pause) {
  if (!has_model_ || state() == RunState::Opening || pause.resume_epoch != shared().resume_epoch) return;
  value_reader_ = pause.read;
  next_ = pause.next;
  set_state(RunState::Paused);
  Q_EMIT paused_at(pause.next.value, pause.reason, pause.node);
}

void RunController::on_ready(int job) {
  if (has_model_ && job == submitted_jobs()) set_state(RunState::Ready);
}

void RunController::on_planned(const RunSettings& settings, bool ok, const QString& problem) {
  if (ok) {
    settings_ = settings;
    Q_EMIT planned();
  }
  if (!problem.isEmpty()) Q_EMIT failed(problem);
}

}  // namespace arenascope::app
