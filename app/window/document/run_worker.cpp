// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_worker.h"

#include <arenascope/tensor/floats.h>
#include <arenascope/trace/recorder.h>

#include <views/common/format.h>
#include <QCoreApplication>

#include <chrono>
#include <thread>

#include <arenascope/run/runner.h>
#include "attached.h"
#include "autosave.h"
#include "user_message.h"

namespace arenascope::app {
namespace {

// Minimum interval between runs, so that tiny networks do not run more often than the screen can show.
constexpr auto kFastestRun = std::chrono::milliseconds(12);

}  // namespace

RunWorker::RunWorker(RunChannel* shared) : shared_(shared) {
  shared_->control.set_on_pause([this](Step next, bool paused) { on_pause(next, paused); });
}

RunWorker::~RunWorker() { close(); }

// A job needs exclusive access: the current run is aborted for it and restarted afterwards if it was looping. The
// sender aborts after pushing the job; a run aborted because the job was already done is restarted.
void RunWorker::work() {
  while (!shared_->quit) {
    shared_->control.reset();
    const auto jobs = shared_->jobs.drain();
    for (const auto& job : jobs)
      if (!shared_->quit) job(*this);
    if (!jobs.empty()) continue;
    if (runner_ && (looping_ || once_))
      run_one();
    else
      shared_->jobs.wait();
  }
  close();
}

void RunWorker::close() {
  runner_.reset();
  if (recorder_) recorder_->stop();
  recorder_.reset();
  close_autosave();
}

// Unsaved work is not discarded with the document, but kept for recovery.
void RunWorker::close_autosave() {
  if (autosave_ && session_) {
    const auto snapshot = session_->snapshot();
    const bool of_model = !is_attach_spec(spec_);
    if (worth_keeping(*snapshot, of_model) && !shared_->saved.covers(*snapshot, of_model)) {
      autosave_->keep();
      if (earlier_) earlier_->keep();
    }
  }
  autosave_.reset();
  earlier_.reset();
  shared_->saved.clear();
}

std::optional<QString> RunWorker::open(const QString& spec, const RunSettings& settings, const views::TaskRun& task) {
  looping_ = once_ = false;
  OpenCallbacks callbacks;
  // Kept by the runner, which also calls it while it plans again.
  callbacks.progress = [task](const QString& phase, double share) { task.progress(share, phase); };
  callbacks.iteration = [this, task](const QString& loop, qint64 iteration) {
    const QString text = RunController::tr("%1: iteration %2…").arg(loop, views::format_count(iteration));
    if (task.active()) return task.progress(-1, text);
    in_loop_ = true;
    shared_->tell([text](RunController& c) { c.on_iteration(text); });
  };
  callbacks.watch = [this](Runner& part, RunOptions& options) { watch(part, options); };
  bool shown = false;
  callbacks.show = [&](std::shared_ptr<trace::Session> session, const QString& title, bool autosaved) {
    shown = true;
    shared_->tell([=](RunController& c) {
      c.on_opened({spec, settings, session, nullptr, false, title, {}, {}, {}, autosaved});
    });
  };
  callbacks.more = [this] { shared_->tell([](RunController& c) { Q_EMIT c.session_grew(); }); };
  callbacks.stop = task.stop();
  callbacks.should_continue = [this, stop = callbacks.stop] { return !stop.stop_requested() && !shared_->quit; };
  if (runner_ && is_model_spec(spec) && spec == spec_) callbacks.previous = &runner_;
  Opened opened = open_spec(spec, settings, callbacks);
  // If the previous weights were reused, the previous runner is gone.
  const bool took_over = callbacks.previous && !runner_;
  if (!callbacks.should_continue() && !shown && !took_over) {
    opened = {};
    opened.problem = QCoreApplication::translate("arenascope::app::Opener", "Opening was cancelled.");
  }
  leave_loop();
  if (!opened.session) return opened.problem;
  task.finish();
  close();
  not_finite_.clear();
  spec_ = spec;
  session_ = opened.session;
  recorder_ = std::move(opened.recorder);
  autosave_ = std::move(opened.autosave);
  runner_ = std::move(opened.runner);
  if (recorder_) recorder_->start();
  breakpoint_graph_ = {};
  if (shown) {
    shared_->tell([problem = opened.problem, note = opened.note](RunController& c) {
      Q_EMIT c.session_grew();
      if (!note.text.isEmpty()) Q_EMIT c.noted(note);
      if (!problem.isEmpty()) Q_EMIT c.failed(problem);
    });
    return std::nullopt;
  }
  shared_->tell([spec, settings, session = session_, recorder = recorder_, can_run = runner_ != nullptr,
                 title = opened.title, problem = opened.problem, note = opened.note, sizes = opened.sizes,
                 autosaved = autosave_ != nullptr](RunController& c) {
    c.on_opened({spec, settings, session, recorder, can_run, title, problem, note, sizes, autosaved});
  });
  return std::nullopt;
}

void RunWorker::replan(const RunSettings& settings, const views::TaskRun& task) {
  if (!runner_) return;
  const auto strategy = parse_memory_strategy(settings.strategy.toStdString()).value_or(MemoryStrategy::Planned);
  auto done = runner_->replan(settings.planner.toStdString(), settings.order.toStdString(), strategy, 0,
                              settings.budget_seconds, task.stop());
  recorder_->drain();
  breakpoint_graph_ = {};
  if (!done) looping_ = false;
  if (done && !looping_) {
    once_ = true;  // show the plan with one run
    shared_->control.resume();
  }
  const QString problem = done || task.stop().stop_requested() ? QString() : user_message(done.error());
  task.finish();
  shared_->tell([settings, problem, ok = done.ok()](RunController& c) { c.on_planned(settings, ok, problem); });
  settled();
}

void RunWorker::read(trace::TensorRef tensor) {
  if (!runner_) return;
  const ValuesAnswer answer = read_values(*runner_, tensor, -1);
  shared_->tell([answer](RunController& c) { Q_EMIT c.values(answer.values, answer.title); });
}

void RunWorker::run(bool in_a_loop) { (in_a_loop ? looping_ : once_) = true; }

void RunWorker::stop() {
  looping_ = once_ = false;
  shared_->control.resume();
  settled();
}

// Idle: no run active or requested. Reported only if the window has not submitted more jobs meanwhile.
void RunWorker::settled() {
  if (looping_ || once_) return;
  shared_->tell([number = job_number_](RunController& c) { c.on_ready(number); });
}

void RunWorker::run_one() {
  const auto begin = std::chrono::steady_clock::now();
  rotate_file();
  shared_->tell([](RunController& c) { c.on_running(); });
  RunOptions options;
  options.control = &shared_->control;
  watch(*runner_, options);
  auto report = runner_->run(options);
  recorder_->drain();
  recorder_->drain();  // a run's end is recorded after its events
  if (!report) {
    looping_ = false;
    shared_->tell([text = user_message(report.error())](RunController& c) { Q_EMIT c.failed(text); });
  }
  if (!report || !report->aborted) once_ = false;
  leave_loop();
  settled();
  if (looping_ && shared_->jobs.empty()) std::this_thread::sleep_until(begin + kFastestRun);
}

// Stops reporting loop iterations.
void RunWorker::leave_loop() {
  if (std::exchange(in_loop_, false)) shared_->tell([](RunController& c) { c.on_iteration({}); });
}

// Checks between nodes change the barriers of a run, so they are installed only if needed.
void RunWorker::watch(Runner& part, RunOptions& options) {
  receive_breakpoints();
  update_breakpoints(part);
  if (std::any_of(breaks_.begin(), breaks_.end(), [](char c) { return c != 0; }))
    options.break_before = [this, &part](NodeId node, Step) { return breaks_before(part, node); };
  if (nan_) options.after_node = [this, &part](NodeId node, Step) { return check_finite(part, node); };
}

void RunWorker::receive_breakpoints() {
  if (shared_->breakpoints.empty()) return;
  auto given = shared_->breakpoints.drain();
  if (given.empty()) return;
  breakpoints_ = std::move(given.back());
  nan_ = wants_nan(breakpoints_);
  breakpoint_graph_ = {};
}

// Breakpoints of the graph that runs now.
void RunWorker::update_breakpoints(Runner& part) {
  const trace::GraphId graph = part.executor().trace_graph();
  if (breakpoint_graph_ == graph && graph.valid()) return;
  breakpoint_graph_ = graph;
  breaks_.clear();
  if (!session_ || !graph.valid() || breakpoints_.empty()) return;
  auto snapshot = session_->snapshot();
  if (graph.index() >= snapshot->graphs.size()) {
    recorder_->drain();
    snapshot = session_->snapshot();
  }
  if (graph.index() >= snapshot->graphs.size()) return;
  const trace::GraphInfo& shown = *snapshot->graphs[graph.index()];
  breaks_.assign(shown.nodes.size(), 0);
  for (NodeId node : nodes_to_break(shown, breakpoints_)) breaks_[node.index()] = 1;
}

// Called between two nodes by a single thread.
bool RunWorker::breaks_before(Runner& part, NodeId node) {
  receive_breakpoints();
  update_breakpoints(part);
  if (node.index() >= breaks_.size() || breaks_[node.index()] == 0) return false;
  break_kind_ = BreakReason::Before;
  break_node_ = node;
  return true;
}

bool RunWorker::check_finite(Runner& part, NodeId node) {
  receive_breakpoints();  // it may have been disabled during the pause
  if (!nan_) return true;
  const TensorImpl& tensor = part.plan().graph.node(node);
  if (!info(tensor.dtype).floating || !tensor.dense() || tensor.data() == nullptr || !tensor.storage.device().is_cpu())
    return true;
  const auto* bytes = static_cast<const std::byte*>(static_cast<const void*>(tensor.data()));
  if (all_finite(tensor.dtype, {bytes, static_cast<size_t>(tensor.byte_count())})) return true;
  break_kind_ = BreakReason::NotFinite;
  break_node_ = node;
  if (not_finite_.emplace(part.executor().trace_graph().value, node.value).second) {
    const size_t runs = session_->snapshot()->runs.size();
    trace::Problem problem =
        not_finite(node, runs > 0 ? trace::RunId(runs - 1) : trace::RunId::none(), tensor.name.str());
    problem.time = recorder_->now();
    recorder_->problem(std::move(problem));
  }
  shared_->control.pause();
  return true;
}

// While paused nothing computes: the window may read values through PauseInfo::read until it resumes the run.
void RunWorker::on_pause(Step next, bool paused) {
  if (!paused) {
    const std::lock_guard wait_for_reader(shared_->reading);
    shared_->tell([](RunController& c) { c.on_running(); });
    return;
  }
  leave_loop();
  recorder_->drain();
  // The window sends breakpoints set during a pause instead of installing checks before each node.
  receive_breakpoints();
  Runner& part = runner_->active_runner();
  update_breakpoints(part);
  const NodeId node = next.index() < part.plan().steps.size() ? part.plan().steps[next.index()].node : NodeId();
  if (break_kind_ == BreakReason::None && node.valid() && node.index() < breaks_.size() && breaks_[node.index()] != 0) {
    break_kind_ = BreakReason::Before;
    break_node_ = node;
  }
  PauseInfo pause{next,
                  std::exchange(break_kind_, BreakReason::None),
                  std::exchange(break_node_, NodeId()),
                  shared_->resume_epoch,
                  {}};
  pause.read = [runner = &part, next](trace::TensorRef tensor) { return read_values(*runner, tensor, next.value); };
  shared_->tell([pause](RunController& c) { c.on_paused(pause); });
}

// A looping run records without end; two files alternate, so that at least the newest half is kept.
void RunWorker::rotate_file() {
  if (!autosave_ || !autosave_->half_full()) return;
  auto next = Autosave::create(autosave_->title(), autosave_->max_bytes());
  if (!next) return;  // without a new file, saving stops at the limit
  recorder_->add_sink(next);
  recorder_->remove_sink(autosave_.get());
  earlier_ = std::exchange(autosave_, std::move(next));
}

}  // namespace arenascope::app
