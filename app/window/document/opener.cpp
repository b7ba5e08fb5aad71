// SPDX-License-Identifier: GPL-3.0-or-later
#include "opener.h"

#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/intervals_file.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/recorder.h>
#include <arenascope/trace/recording.h>

#include <arenascope/lesson/programs.h>
#include <arenascope/lesson/stage.h>
#include <views/lesson/lesson.h>
#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>

#include <algorithm>
#include <chrono>

#include <arenascope/run/runner.h>
#include "app/common/file_tensors.h"
#include "app/common/run_options.h"
#include "app/common/trace_open_options.h"
#include "attached.h"
#include "autosave.h"
#include "run_option_settings.h"
#include "trace_file.h"
#include "user_message.h"

namespace arenascope::app {

Opened::Opened() = default;
Opened::~Opened() = default;
Opened::Opened(Opened&&) noexcept = default;
Opened& Opened::operator=(Opened&&) noexcept = default;

namespace {

struct Opener {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::Opener)
};

// A recording that takes long to read is shown while it is read.
constexpr auto kFirstPicture = std::chrono::milliseconds(60);

MessageKind message_kind(trace::Severity severity) {
  switch (severity) {
    case trace::Severity::Note: return MessageKind::Note;
    case trace::Severity::Warning: return MessageKind::Warning;
    case trace::Severity::Error: break;
  }
  return MessageKind::Error;
}

Opened recording(const QString& path, const OpenCallbacks& callbacks) {
  Opened opened;
  opened.title = QFileInfo(path).fileName();
  auto session = std::make_shared<trace::Session>();
  bool shown = false;
  trace::OpenOptions options = trace_open_options();
  const auto begin = std::chrono::steady_clock::now();
  options.read.progress = [&, last = 0](double part) mutable {
    if (!shown && std::chrono::steady_clock::now() - begin > kFirstPicture && session->snapshot()->event_count > 0) {
      shown = true;
      callbacks.show(session, opened.title, false);
    }
    const int percent = static_cast<int>(part * 100);
    if (std::exchange(last, percent) != percent) {
      callbacks.progress(Opener::tr("Reading the recording… %1 %").arg(percent), part);
      if (shown) callbacks.more();
    }
    return callbacks.should_continue();
  };
  auto report = trace::open_trace(path.toStdString(), *session, options);
  if (report)
    opened.note = {message_kind(report->severity), QString::fromStdString(report->problem)};
  else
    opened.problem = user_message(report.error());
  if (report || shown) opened.session = std::move(session);
  return opened;
}

Opened intervals(const QString& path, const RunSettings& settings) {
  Opened opened;
  opened.title = QFileInfo(path).fileName();
  auto session = open_intervals(path.toStdString(), settings.planner.toStdString(), settings.budget_seconds);
  if (session)
    opened.session = *session;
  else
    opened.problem = user_message(session.error());
  return opened;
}

void begin_session(Opened* opened, const RunSettings& settings) {
  opened->recorder = std::make_shared<trace::Recorder>();
  opened->session = std::make_shared<trace::Session>(trace::Session::Options{settings.recording_limit_bytes()});
  opened->recorder->add_sink(opened->session);
}

RunnerOptions runner_options(const RunSettings& settings, const OpenCallbacks& callbacks) {
  RunnerOptions options = default_run_options(settings);
  options.progress = [report = callbacks.progress](const std::string& phase) {  // kept by the runner
    report(phase == "opening"           ? Opener::tr("Reading the model…")
           : phase == "loading weights" ? Opener::tr("Loading the weights…")
           : phase == "planning"        ? Opener::tr("Planning memory…")
                                        : Opener::tr("Preparing…"),
           -1);
  };
  options.before_part = callbacks.watch;
  options.on_iteration = [report = callbacks.iteration](const std::string& loop, int64_t iteration) {
    report(QString::fromStdString(loop), iteration);
  };
  options.stop = callbacks.stop;
  return options;
}

// A model that cannot be run can still be inspected and planned. `file`: its nodes as stored in the file; may be null.
void describe_only(Opened* opened, const Graph& graph, const Context& context, const RunnerOptions& options,
                   const RunSettings& settings, const std::shared_ptr<const trace::GraphInfo>& file) {
  begin_session(opened, settings);
  auto info = describe_graph(graph);
  if (info.model.empty()) info.model = opened->title.toStdString();
  const trace::GraphId id = opened->recorder->describe(std::move(info));
  if (file) opened->recorder->describe(*file);
  opened->recorder->describe(describe_context(context));
  MemoryPlanOptions plan_options;
  plan_options.planner.budget_seconds = options.budget_seconds;
  auto plan = plan_memory(graph, options.planner, options.order, plan_options);
  if (!plan) return;
  auto described = describe_plan(*plan);
  described.graph = id;
  opened->recorder->describe(std::move(described));
}

// The tensors of a file that has no graph or whose architecture is not supported.
void describe_file_tensors(Opened* opened, const models::Model& model, const RunSettings& settings) {
  begin_session(opened, settings);
  opened->recorder->describe(graph_of_file_tensors(model));
}

// Sizes saved for the file; the engine assumes the remaining ones.
Result<models::Model> open_sized(const QString& spec, const RunSettings& settings, models::OpenOptions& options,
                                 std::vector<InputSize>& sizes) {
  const auto saved = options.dims;
  if (!settings.from_lesson)
    for (const auto& [key, size] : remembered_sizes(spec)) options.dims.try_emplace(key, size);
  auto read = models::open_model(spec.toStdString(), options);
  if (!read && options.dims != saved) {  // the saved values may belong to another file of that name
    options.dims = saved;
    read = models::open_model(spec.toStdString(), options);
  }
  if (read) sizes = input_sizes(*read);
  return read;
}

Opened recorded(Result<std::shared_ptr<trace::Session>> session, const QString& title) {
  Opened opened;
  opened.title = title;
  if (session)
    opened.session = *session;
  else
    opened.problem = user_message(session.error());
  return opened;
}

// A lesson's own graph: a model if it can be computed, else a list of buffers.
Opened lesson_graph(const QString& path, const RunSettings& settings, const OpenCallbacks& callbacks) {
  auto lesson = views::load_lesson(path, {});
  if (!lesson) return recorded(lesson.error(), path);
  const QString title = QString::fromStdString(lesson->title);
  if (!lesson->computes()) return recorded(lesson::lesson_session(*lesson), title);
  Opened opened;
  begin_session(&opened, settings);
  opened.title = title;
  RunnerOptions options = runner_options(settings, callbacks);
  options.in_place = lesson->settings.in_place;
  const RunnerOptions own = lesson::runner_options(lesson->settings);
  options.host_ops = own.host_ops;
  options.backend_options = own.backend_options;
  options.force_multithreaded = true;
  options.recorder = opened.recorder.get();
  auto model = lesson::lesson_model(*lesson);
  auto made = model ? Runner::open(std::move(*model), options) : Result<std::unique_ptr<Runner>>(model.error());
  if (!made) return recorded(made.error(), title);
  opened.runner = std::move(*made);
  opened.recorder->drain();
  return opened;
}

Opened model(const QString& spec, const RunSettings& settings, const OpenCallbacks& callbacks) {
  Opened opened;
  begin_session(&opened, settings);
  if (settings.autosave) {
    const QString name = QFileInfo(spec).completeBaseName();
    opened.autosave = Autosave::create(name.isEmpty() ? spec : name, settings.recording_limit_bytes());
  }
  if (opened.autosave) opened.recorder->add_sink(opened.autosave);
  RunnerOptions options = runner_options(settings, callbacks);
  options.recorder = opened.recorder.get();
  const auto remembered = settings.from_lesson ? std::map<std::string, std::string>() : remembered_run(spec);
  if (auto ok = set_run_options(options, remembered); !ok) {
    options = runner_options(settings, callbacks);  // the saved values may be from another version
    options.recorder = opened.recorder.get();
    opened.problem = user_message(ok.error());
  }
  auto read = options.inputs.empty() ? open_sized(spec, settings, options.open, opened.sizes)
                                     : open_with_inputs(spec.toStdString(), options.inputs, options.open);
  if (!read) {
    opened.session = nullptr;
    opened.problem = user_message(read.error());
    return opened;
  }
  opened.title = QString::fromStdString(read->name);
  if (!read->graph.defined() && !read->file_tensors.empty()) {
    opened.problem = Opener::tr("%1 cannot be run: %2").arg(spec, QString::fromStdString(read->problems.front()));
    opened.autosave.reset();
    describe_file_tensors(&opened, *read, settings);
    opened.recorder->drain();
    return opened;
  }
  const Graph graph = read->graph;
  const Context context = read->context;
  const auto file = read->file_graph;
  std::unique_ptr<Runner> previous;
  const bool takes_over =
      callbacks.previous && options.backend == "cpu" && (*callbacks.previous)->options().backend == "cpu";
  if (takes_over && graph.defined()) previous = std::move(*callbacks.previous);
  auto made = Runner::open(std::move(*read), options, std::move(previous));
  if (made) {
    opened.runner = std::move(*made);
  } else {
    opened.problem = user_message(made.error());
    opened.autosave.reset();
    if (graph.defined())
      describe_only(&opened, graph, context, options, settings, file);
    else
      opened.session = nullptr;
  }
  opened.recorder->drain();
  return opened;
}

// Planning needs no weights, so a model of any size opens at once, even one that cannot be run.
Opened planned_only(const QString& spec, const RunSettings& settings, const OpenCallbacks& callbacks) {
  Opened opened;
  RunnerOptions options = runner_options(settings, callbacks);
  options.progress("opening");
  auto read = open_sized(spec, settings, options.open, opened.sizes);
  if (!read) {
    opened.problem = user_message(read.error());
    return opened;
  }
  opened.title = QString::fromStdString(read->name);
  if (!read->graph.defined()) {
    opened.problem = Opener::tr("%1 contains no graph to plan.").arg(spec);
    if (read->file_tensors.empty()) return opened;
    describe_file_tensors(&opened, *read, settings);
    opened.recorder->drain();
    return opened;
  }
  describe_only(&opened, read->graph, read->context, options, settings, read->file_graph);
  opened.recorder->drain();
  return opened;
}

}  // namespace

bool is_model_spec(const QString& spec) {
  return !spec.startsWith(QStringLiteral("lesson:")) && !spec.startsWith(QStringLiteral("program:")) &&
         !is_attach_spec(spec) && !is_trace_file(spec) && !is_intervals_file(spec.toStdString());
}

RunnerOptions default_run_options(const RunSettings& settings) {
  RunnerOptions options;
  options.backend = settings.backend.toStdString();
  options.threads = settings.threads;
  options.planner = settings.planner.toStdString();
  options.order = settings.order.toStdString();
  options.budget_seconds = settings.budget_seconds;
  options.strategy = parse_memory_strategy(settings.strategy.toStdString()).value_or(MemoryStrategy::Planned);
  options.rewrite = settings.rewrite;
  options.fuse = settings.fuse;
  return options;
}

void update_run_settings(const RunnerOptions& options, RunSettings& settings) {
  settings.backend = QString::fromStdString(options.backend);
  settings.threads = options.threads;
  settings.planner = QString::fromStdString(options.planner);
  settings.order = QString::fromStdString(options.order);
  settings.budget_seconds = options.budget_seconds;
  settings.strategy = QString::fromUtf8(name(options.strategy));
  settings.rewrite = options.rewrite;
  settings.fuse = options.fuse;
}

Result<Bytes> planned_arena(const QString& spec, const RunSettings& settings,
                            const std::map<std::string, std::string>& of_file, std::stop_token stop) {
  RunnerOptions options = default_run_options(settings);
  if (!set_run_options(options, of_file)) options = default_run_options(settings);
  options.stop = std::move(stop);
  std::vector<InputSize> sizes;
  auto read = options.inputs.empty() ? open_sized(spec, settings, options.open, sizes)
                                     : open_with_inputs(spec.toStdString(), options.inputs, options.open);
  if (!read) return read.error();
  auto devices = devices_of(options);
  if (!devices) return devices.error();
  auto program = compile(*read, *devices, options);
  if (!program) return program.error();
  return program->plan.memory.arena_bytes;
}

Opened open_spec(const QString& spec, const RunSettings& settings, const OpenCallbacks& callbacks) {
  if (spec.startsWith(QStringLiteral("lesson:"))) return lesson_graph(spec.mid(7), settings, callbacks);
  if (spec.startsWith(QStringLiteral("program:")))
    return recorded(lesson::run_program(spec.mid(8).toStdString()), spec.mid(8));
  if (is_attach_spec(spec)) return watch_program(spec, settings, callbacks);
  if (is_trace_file(spec)) return recording(spec, callbacks);
  if (is_intervals_file(spec.toStdString())) return intervals(spec, settings);
  return settings.plan_only ? planned_only(spec, settings, callbacks) : model(spec, settings, callbacks);
}

}  // namespace arenascope::app
