// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_controller.h"

#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/recorder.h>
#include <arenascope/trace/recording.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>
#include <QMetaObject>

#include <chrono>
#include <cmath>
#include <cstring>

#include <views/lesson/lesson_graph.h>

#include <arenascope/run/runner.h>
#include "autosave.h"
#include "intervals_file.h"
#include "tensor_floats.h"
#include "trace_file.h"

namespace arenascope::app {
namespace {

// A looping run writes without end: beyond this the session is exchanged for an empty one.
constexpr size_t kSessionBytes = size_t{768} << 20;
// A recording that takes longer to read is shown while it is read.
constexpr auto kFirstPicture = std::chrono::milliseconds(60);
// A network of microseconds is not run more often than a screen can show.
constexpr auto kFastestRun = std::chrono::milliseconds(12);

QString sentence(const Error& error) { return QString::fromStdString(error.message); }

}  // namespace

RunController::RunController(QObject* parent) : QObject(parent) {
  control_.on_pause = [this](Step next, bool paused) {
    QString why;
    if (paused) {
      std::lock_guard lock(mutex_);
      why = QString::fromStdString(std::exchange(break_reason_, {}));
    }
    paused_step_ = paused ? next.value : -1;
    if (paused && recorder_) recorder_->drain();
    tell([this, next, paused, why] {
      if (!has_model_) return;
      set_state(paused ? RunState::Paused : RunState::Running);
      if (paused) Q_EMIT paused_at(next.value, why);
    });
  };
  thread_ = std::thread([this] { work(); });
}

RunController::~RunController() {
  end();
  thread_.join();
}

void RunController::end() {
  {
    std::lock_guard lock(mutex_);
    quit_ = true;
    jobs_.clear();
    control_.abort();
  }
  cancel_ = true;
  looping_ = false;
  wake_.notify_all();
}

void RunController::retire(std::unique_ptr<RunController> controller) {
  RunController* gone = controller.release();
  gone->disconnect();
  gone->setParent(QCoreApplication::instance());
  {
    std::lock_guard lock(gone->mutex_);
    gone->retired_ = true;
  }
  gone->end();
}

void RunController::tell(std::function<void()> f) {
  QMetaObject::invokeMethod(this, std::move(f), Qt::QueuedConnection);
}

void RunController::set_state(RunState state) {
  if (state == state_) return;
  state_ = state;
  Q_EMIT state_changed();
}

// A job needs the worker: a run that goes on is ended for it, and taken up again behind it where it was looping.
void RunController::post(Job job) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    control_.abort();  // with the lock held, so that the worker cannot take it for one that comes behind the job
  }
  wake_.notify_all();
}

// With the lock held, so that the worker does not fall asleep between looking and being called.
void RunController::wake(const std::function<void()>& change) {
  {
    std::lock_guard lock(mutex_);
    change();
  }
  wake_.notify_all();
}

void RunController::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return quit_ || !jobs_.empty() || looping_ || once_; });
    if (quit_) break;
    control_.reset();
    if (!jobs_.empty()) {
      Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
      continue;
    }
    lock.unlock();
    run_one();
    lock.lock();
  }
  lock.unlock();
  runner_.reset();
  if (recorder_) recorder_->stop();
  lock.lock();
  if (retired_) tell([this] { deleteLater(); });
}

void RunController::run_one() {
  once_ = false;
  if (!runner_) {
    looping_ = false;
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  if (worker_session_->bytes() > kSessionBytes) renew_session();
  tell([this] {
    if (state_ == RunState::Ready) set_state(RunState::Running);
  });
  RunOptions options;
  options.control = &control_;
  options.break_before = [this](NodeId node, Step) {
    const auto breaks = breaks_.load();
    if (!breaks || node.index() >= breaks->size() || (*breaks)[node.index()] == 0) return false;
    std::lock_guard lock(mutex_);
    break_reason_ = runner_->plan().graph.node(node).name;
    return true;
  };
  options.after_node = [this](NodeId node, Step) {
    if (!nan_) return true;
    const TensorImpl& tensor = runner_->plan().graph.node(node);
    if (!info(tensor.dtype).floating || !tensor.dense() || tensor.data() == nullptr ||
        !tensor.storage.device().is_cpu())
      return true;
    const auto* bytes = static_cast<const std::byte*>(static_cast<const void*>(tensor.data()));
    if (all_finite(tensor.dtype, {bytes, static_cast<size_t>(tensor.byte_count())})) return true;
    {
      std::lock_guard lock(mutex_);
      break_reason_ = "NaN: " + tensor.name;
    }
    if (not_finite_.insert(node).second) {
      const size_t runs = worker_session_->snapshot()->runs.size();
      trace::Problem problem =
          not_finite(node, runs > 0 ? trace::RunId(runs - 1) : trace::RunId::none(), tensor.name.str());
      problem.time = recorder_->now();
      recorder_->problem(std::move(problem));
    }
    control_.pause();
    return true;
  };
  auto report = runner_->run(options);
  recorder_->drain();
  recorder_->drain();  // a run's end follows behind its events
  if (!report) {
    looping_ = false;
    tell([this, text = sentence(report.error())] { Q_EMIT failed(text); });
  }
  if (!looping_)
    tell([this] {
      if (has_model_ && !looping_ && !once_) set_state(RunState::Ready);
    });
  std::unique_lock lock(mutex_);
  wake_.wait_until(lock, begin + kFastestRun, [this] { return quit_ || !jobs_.empty(); });
}

void RunController::renew_session() {
  not_finite_.clear();
  auto session = std::make_shared<trace::Session>();
  recorder_->add_sink(session);
  recorder_->remove_sink(worker_session_.get());
  worker_session_ = session;
  recorder_->drain();
  tell([this, session] {
    session_ = session;
    Q_EMIT session_changed();
  });
}

void RunController::open(const QString& spec, const RunSettings& settings) {
  cancel_ = false;
  looping_ = false;
  set_state(RunState::Opening);
  Q_EMIT progress(tr("Opening %1…").arg(spec));
  post([this, spec, settings] {
    if (spec.startsWith(QStringLiteral("lesson:")))
      open_lesson_now(spec);
    else if (is_trace_file(spec))
      open_recording_now(spec);
    else if (is_intervals_file(spec))
      open_intervals_now(spec, settings);
    else
      open_now(spec, settings);
  });
}

void RunController::open_recording_now(const QString& path) {
  auto session = std::make_shared<trace::Session>();
  trace::OpenOptions options;
  bool shown = false;
  const auto begin = std::chrono::steady_clock::now();
  auto show = [this, session, path] {
    tell([this, session, path] { show_recording(path, session, QFileInfo(path).fileName()); });
  };
  options.read.progress = [this, &shown, &show, session, begin, last = 0](double part) mutable {
    // A long one is shown while it is read, as soon as there is something to be seen.
    if (!shown && std::chrono::steady_clock::now() - begin > kFirstPicture && session->snapshot()->event_count > 0) {
      shown = true;
      show();
    }
    const int percent = static_cast<int>(part * 100);
    if (percent != last) {
      last = percent;
      tell([this, percent, shown] {
        Q_EMIT progress(tr("Reading the recording… %1 %").arg(percent));
        if (shown) Q_EMIT read_on();
      });
    }
    return !cancel_ && !quit_;
  };
  auto report = trace::open_trace(path.toStdString(), *session, options);
  if (report.ok() && !shown) show();
  tell([this, shown, ok = report.ok(), error = report.ok() ? QString() : sentence(report.error()),
        note = report.ok() ? QString::fromStdString(report->problem) : QString()] {
    Q_EMIT progress({});
    if (!ok) {
      if (!shown) set_state(has_model_ ? RunState::Ready : session_ ? RunState::Recording : RunState::Empty);
      Q_EMIT failed(error);
      return;
    }
    Q_EMIT read_on();
    if (!note.isEmpty()) Q_EMIT failed(note);
  });
  if (report.ok() || shown) {
    runner_.reset();
    if (recorder_) recorder_->stop();
    recorder_.reset();
    autosave_.reset();
  }
}

void RunController::open_lesson_now(const QString& spec) {
  auto lesson = views::load_lesson(
      spec.mid(7), QLocale().language() == QLocale::Chinese ? QStringLiteral("zh_CN") : QStringLiteral("en"));
  Result<std::shared_ptr<trace::Session>> session = lesson ? views::lesson_session(*lesson) : lesson.error();
  tell([this, spec, session = session ? *session : nullptr, title = lesson ? lesson->title : QString(),
        error = session ? QString() : sentence(session.error())] {
    Q_EMIT progress({});
    if (session) return show_recording(spec, session, title);
    set_state(has_model_ ? RunState::Ready : session_ ? RunState::Recording : RunState::Empty);
    Q_EMIT failed(error);
  });
  if (!session) return;
  runner_.reset();
  if (recorder_) recorder_->stop();
  recorder_.reset();
}

void RunController::open_intervals_now(const QString& path, const RunSettings& settings) {
  auto session = open_intervals(path, settings.planner.toStdString(), settings.budget_seconds);
  tell([this, path, session = session ? *session : nullptr, error = session ? QString() : sentence(session.error())] {
    Q_EMIT progress({});
    if (session) return show_recording(path, session, QFileInfo(path).fileName());
    set_state(has_model_ ? RunState::Ready : session_ ? RunState::Recording : RunState::Empty);
    Q_EMIT failed(error);
  });
  if (!session) return;
  runner_.reset();
  if (recorder_) recorder_->stop();
  recorder_.reset();
}

// What is there and cannot be run.
void RunController::show_recording(const QString& spec, const std::shared_ptr<trace::Session>& session,
                                   const QString& title) {
  has_model_ = false;
  spec_ = spec;
  session_ = session;
  describer_ = nullptr;
  set_state(RunState::Recording);
  Q_EMIT opened(title);
}

void RunController::open_now(const QString& spec, const RunSettings& settings) {
  auto recorder = std::make_shared<trace::Recorder>();
  auto session = std::make_shared<trace::Session>();
  recorder->add_sink(session);
  std::shared_ptr<trace::Sink> autosave;
  if (settings.autosave)
    autosave =
        Autosave::create(QFileInfo(spec).completeBaseName().isEmpty() ? spec : QFileInfo(spec).completeBaseName());
  if (autosave) recorder->add_sink(autosave);
  RunnerOptions options;
  options.backend = settings.backend.toStdString();
  options.threads = settings.threads;
  options.planner = settings.planner.toStdString();
  options.order = settings.order.toStdString();
  options.budget_seconds = settings.budget_seconds;
  options.strategy = parse_memory_strategy(settings.strategy.toStdString()).value_or(MemoryStrategy::Planned);
  options.fuse = settings.fuse;
  options.recorder = recorder.get();
  options.progress = [this](const std::string& phase) {
    const QString text = phase == "opening"           ? tr("Reading the model…")
                         : phase == "loading weights" ? tr("Loading the weights…")
                         : phase == "planning"        ? tr("Planning the memory…")
                                                      : tr("Preparing…");
    tell([this, text] { Q_EMIT progress(text); });
  };
  auto model = models::open_model(spec.toStdString(), options.open);
  QString error, note, title;
  std::unique_ptr<Runner> runner;
  if (!model) {
    error = sentence(model.error());
  } else {
    title = QString::fromStdString(model->name);
    const Graph graph = model->graph;
    const Context context = model->context;
    auto made = Runner::open(std::move(*model), options);
    if (made) {
      runner = std::move(*made);
    } else if (graph.defined()) {
      // It cannot be run, for want of memory say, but still be looked at and planned.
      note = sentence(made.error());
      runner.reset();
      autosave.reset();
      recorder = std::make_shared<trace::Recorder>();
      session = std::make_shared<trace::Session>();
      recorder->add_sink(session);
      auto info = describe_graph(graph);
      if (info.model.empty()) info.model = title.toStdString();
      const trace::GraphId id = recorder->describe(std::move(info));
      recorder->describe(describe_context(context));
      MemoryPlanOptions plan_options;
      plan_options.planner.budget_seconds = settings.budget_seconds;
      auto plan = plan_memory(graph, options.planner, options.order, plan_options);
      if (plan) {
        auto described = describe_plan(*plan);
        described.graph = id;
        recorder->describe(std::move(described));
      }
    } else {
      error = sentence(made.error());
    }
  }
  if (!error.isEmpty()) {
    tell([this, error] {
      Q_EMIT progress({});
      set_state(has_model_ ? RunState::Ready : session_ ? RunState::Recording : RunState::Empty);
      Q_EMIT failed(error);
    });
    return;
  }
  recorder->drain();
  runner_.reset();
  if (recorder_) recorder_->stop();
  recorder_ = std::move(recorder);
  not_finite_.clear();
  autosave_ = std::move(autosave);
  recorder_->start();
  runner_ = std::move(runner);
  worker_session_ = session;
  make_breaks();
  tell([this, spec, settings, session, title, note, can_run = runner_ != nullptr, describer = recorder_] {
    describer_ = describer;
    Q_EMIT progress({});
    has_model_ = can_run;
    spec_ = spec;
    settings_ = settings;
    session_ = session;
    set_state(can_run ? RunState::Ready : RunState::Recording);
    Q_EMIT opened(title);
    if (!note.isEmpty()) Q_EMIT failed(note);
  });
}

void RunController::replan(const RunSettings& settings) {
  if (!has_model_) return;
  settings_ = settings;
  post([this, settings] {
    if (!runner_) return;
    tell([this] { Q_EMIT progress(tr("Planning the memory…")); });
    const auto strategy = parse_memory_strategy(settings.strategy.toStdString()).value_or(MemoryStrategy::Planned);
    auto done = runner_->replan(settings.planner.toStdString(), settings.order.toStdString(), strategy);
    recorder_->drain();
    make_breaks();
    if (!done) looping_ = false;
    tell([this, ok = done.ok(), text = done.ok() ? QString() : sentence(done.error())] {
      Q_EMIT progress({});
      if (!ok) Q_EMIT failed(text);
      if (!looping_ && has_model_) set_state(RunState::Ready);
      Q_EMIT planned();
    });
    if (done.ok() && !looping_) {
      once_ = true;  // a plan is looked at with a run of it
      control_.resume();
    }
  });
}

std::shared_ptr<const trace::PlanInfo> RunController::add_plan(trace::PlanInfo plan) {
  if (!session_) return nullptr;
  const size_t place = session_->snapshot()->plans.size();
  trace::PlanId id(place);
  if (describer_) {
    id = describer_->describe(std::move(plan));
    describer_->drain();
  } else {  // a recording: nobody else writes it
    plan.id = id;
    session_->describe(trace::Description(std::make_shared<const trace::PlanInfo>(std::move(plan))));
  }
  const auto snapshot = session_->snapshot();
  return id.index() < snapshot->plans.size() ? snapshot->plans[id.index()] : nullptr;
}

// The worker says that it goes on only a moment later, and until then nobody may take it as paused: neither who reads
// values, nor who waits for the next pause.
void RunController::leave_pause() {
  if (state_ == RunState::Paused) set_state(RunState::Running);
}

void RunController::run() {
  if (!has_model_) return;
  leave_pause();
  control_.resume();  // first: behind the call a breakpoint may have paused the new run already
  wake([this] { looping_ = true; });
  if (state_ == RunState::Ready) set_state(RunState::Running);
}

void RunController::run_once() {
  if (!has_model_) return;
  leave_pause();
  control_.resume();
  wake([this] { once_ = true; });
}

void RunController::pause() {
  if (state_ == RunState::Running) control_.pause();
}

void RunController::step() {
  if (!has_model_) return;
  leave_pause();
  control_.step();
  if (state_ == RunState::Ready) wake([this] { looping_ = true; });
}

void RunController::run_to(Step step) {
  if (!has_model_) return;
  leave_pause();
  control_.run_to(step);
  if (state_ == RunState::Ready) wake([this] { looping_ = true; });
}

void RunController::stop() {
  looping_ = false;
  once_ = false;
  leave_pause();
  post([this] {
    control_.resume();
    tell([this] {
      if (has_model_) set_state(RunState::Ready);
    });
  });
}

void RunController::set_breakpoints(std::vector<Breakpoint> breakpoints) {
  nan_ = wants_nan(breakpoints);
  {
    std::lock_guard lock(mutex_);
    breakpoints_ = std::move(breakpoints);
  }
  if (session_ && !session_->snapshot()->graphs.empty()) make_breaks();
}

void RunController::make_breaks() {
  std::shared_ptr<trace::Session> session = worker_session_ ? worker_session_ : session_;
  if (!session) return;
  const auto snapshot = session->snapshot();
  if (snapshot->graphs.empty()) return;
  std::unique_lock lock(mutex_);
  const std::vector<Breakpoint> breakpoints = breakpoints_;
  lock.unlock();
  const trace::GraphInfo& graph = *snapshot->graphs.back();
  auto breaks = std::make_shared<std::vector<char>>(graph.nodes.size(), 0);
  for (NodeId node : nodes_to_break(graph, breakpoints)) (*breaks)[node.index()] = 1;
  breaks_.store(std::move(breaks));
}

void RunController::read_values(trace::TensorRef tensor) {
  if (!has_model_ || !tensor.valid()) return;
  // While paused the worker waits inside the run: nothing computes, so its memory can be read from here.
  if (state_ == RunState::Paused)
    values_now(tensor)();
  else if (state_ == RunState::Ready)
    post([this, tensor] { tell(values_now(tensor)); });
}

std::function<void()> RunController::values_now(trace::TensorRef ref) {
  auto refuse = [this](const QString& why) { return [this, why] { Q_EMIT values(nullptr, why); }; };
  if (!runner_) return refuse(tr("There is no model."));
  const Graph& graph = runner_->plan().graph;
  const auto list = ref.is_leaf() ? graph.leafs() : graph.nodes();
  if (ref.index() >= list.size()) return refuse(tr("There is no such tensor."));
  const TensorImpl& tensor = *list[ref.index()];
  if (!floats_of(tensor.dtype, {})) return refuse(tr("Values of this type are not shown."));
  if (tensor.element_count() == 0 || tensor.data() == nullptr) return refuse(tr("It holds no bytes now."));
  // In the arena its bytes are its own from its step until its last use only.
  const NodeId owner = graph.find_node(tensor.is_view() ? *tensor.view_source : tensor);
  if (owner.valid() && runner_->options().strategy == MemoryStrategy::Planned) {
    const int32_t next = paused_step_, steps = static_cast<int32_t>(runner_->plan().steps.size());
    for (const PlannedTensor& planned : runner_->plan().memory.tensors) {
      if (planned.node != owner) continue;
      if (next < 0 ? planned.last.value < steps : planned.first.value >= next || planned.last.value < next)
        return refuse(next >= 0 && planned.first.value >= next
                          ? tr("It is not computed yet.")
                          : tr("Its bytes hold another tensor now. Pause right behind it to see its values."));
    }
  }
  auto bytes = runner_->read(tensor);
  if (!bytes) return refuse(sentence(bytes.error()));
  std::vector<int64_t> shape;
  for (int d = 0; d < tensor.rank(); ++d) shape.push_back(tensor.sizes[d]);
  auto numbers = floats_of(tensor.dtype, *bytes);
  auto result = std::make_shared<const views::TensorValues>(std::move(*numbers), std::move(shape));
  const QString title = QString::fromStdString(tensor.name.str());
  return [this, result, title] { Q_EMIT values(result, title); };
}

Status RunController::save_recording(const trace::Snapshot& snapshot, const QString& path) {
  return trace::save_recording(snapshot, path.toStdString());
}

}  // namespace arenascope::app
