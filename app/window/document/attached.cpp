// SPDX-License-Identifier: GPL-3.0-or-later
#include "attached.h"

#include <arenascope/attach/receiver.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>

#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "app/common/attached_program.h"
#include "autosave.h"

namespace arenascope::app {

namespace {

struct Attached {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::Attached)
};

constexpr QStringView kScheme(u"attach:");
constexpr QChar kSeparator(0x1f);  // separator; does not occur in arguments

Result<AttachedProgram> program_of(const QString& spec) {
  std::vector<std::string> argv, adapters;
  const QStringList parts = spec.mid(kScheme.size()).split(kSeparator);
  for (const QString& adapter : parts.value(0).split(u',', Qt::SkipEmptyParts))
    adapters.push_back(adapter.toStdString());
  for (const QString& argument : parts.mid(1)) argv.push_back(argument.toStdString());
  return attached_program(std::move(argv), std::move(adapters));
}

// Wakes the thread that watches a program: by its events, its end and a cancellation. Several threads notify.
class ProgramWatch {
 public:
  enum class State : uint8_t { Events, Ended, Cancelled };

  void on_events() {
    if (events_.exchange(true)) return;  // not taken yet
    const std::lock_guard lock(mutex_);
    woken_.notify_one();
  }
  void on_cancel() { set(cancelled_, true); }
  void on_end(int status) { set(status_, std::optional(status)); }
  int status() const { return status_.value_or(0); }  // wait status, after Ended

  // Blocks until something happened, at most one report of events per `interval`.
  State wait(std::chrono::milliseconds interval) {
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return cancelled_ || status_.has_value(); };
    woken_.wait_until(lock, next_, is_over);
    woken_.wait(lock, [&] { return is_over() || events_.load(); });
    next_ = std::chrono::steady_clock::now() + interval;
    events_ = false;
    return cancelled_ ? State::Cancelled : status_ ? State::Ended : State::Events;
  }

 private:
  template <class T>
  void set(T& member, T value) {
    const std::lock_guard lock(mutex_);
    member = value;
    woken_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable woken_;
  std::atomic<bool> events_{false};
  bool cancelled_ = false;
  std::optional<int> status_;
  std::chrono::steady_clock::time_point next_{};
};

class EventNotifier : public trace::Sink {
 public:
  explicit EventNotifier(std::shared_ptr<ProgramWatch> watch) : watch_(std::move(watch)) {}
  void describe(const trace::Description&) override { watch_->on_events(); }
  using Sink::events;
  void events(std::span<const trace::TrackEvent>) override { watch_->on_events(); }

 private:
  std::shared_ptr<ProgramWatch> watch_;
};

// Waits for the process on a thread of its own, which also ends it after the program was detached.
void report_end(pid_t process, std::shared_ptr<ProgramWatch> watch) {
  std::thread([process, watch = std::move(watch)] {
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    watch->on_end(status);
  }).detach();
}

// Why the program failed or never attached; empty: success.
QString problem_of(const QString& name, int status, bool attached) {
  if (WIFSIGNALED(status)) return Attached::tr("%1 was terminated by signal %2.").arg(name).arg(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return Attached::tr("%1 exited with status %2.").arg(name).arg(WEXITSTATUS(status));
  if (attached) return {};
  return Attached::tr(
             "%1 never attached: it neither includes arenascope_client.h nor uses an API that an adapter records.")
      .arg(name);
}

}  // namespace

QString attach_spec(const QStringList& argv, const QStringList& adapters) {
  return kScheme.toString() + adapters.join(u',') + kSeparator + argv.join(kSeparator);
}

bool is_attach_spec(const QString& spec) { return spec.startsWith(kScheme); }

Opened watch_program(const QString& spec, const RunSettings& settings, const OpenCallbacks& callbacks) {
  constexpr auto kShowInterval = std::chrono::milliseconds(50);
  constexpr Nanoseconds kForOthers = 500'000'000;
  Opened opened;
  const Result<AttachedProgram> program = program_of(spec);
  if (!program) {
    opened.problem = QString::fromStdString(program.error().message) + u'.';
    return opened;
  }
  const QString name = QFileInfo(QString::fromStdString(program->argv[0])).fileName();
  opened.title = name;
  auto session = std::make_shared<trace::Session>(trace::Session::Options{settings.recording_limit_bytes()});
  const auto watch = std::make_shared<ProgramWatch>();
  std::vector<std::shared_ptr<trace::Sink>> sinks{session};
  if (settings.autosave) opened.autosave = Autosave::create_rolling(name, settings.recording_limit_bytes());
  if (opened.autosave) sinks.push_back(opened.autosave);
  sinks.push_back(std::make_shared<EventNotifier>(watch));  // the last: the others have the events
  auto receiver = attach::Receiver::listen(std::move(sinks), listen_options(*program));
  const Result<pid_t> process =
      receiver ? start_attached(*program, (*receiver)->address()) : Result<pid_t>(receiver.error());
  if (!process) {
    opened.problem = QString::fromStdString(process.error().message) + u'.';
    return opened;
  }
  report_end(*process, watch);
  const std::stop_callback on_cancel(callbacks.stop, [&watch] { watch->on_cancel(); });
  callbacks.progress(Attached::tr("Waiting for %1 to attach…").arg(name), -1);
  bool shown = false;
  ProgramWatch::State state{};
  while ((state = watch->wait(kShowInterval)) == ProgramWatch::State::Events) {
    const auto count = session->snapshot()->event_count;
    if (count == 0) continue;
    callbacks.progress(
        Attached::tr("Recording %1: %2 events…").arg(name, QLocale().toString(static_cast<qlonglong>(count))), -1);
    if (!std::exchange(shown, true)) callbacks.show(session, name, opened.autosave != nullptr);
    callbacks.more();
  }
  if (state == ProgramWatch::State::Cancelled) {  // detaches
    if (shown)
      opened.session = std::move(session);
    else
      opened.problem = problem_of(name, 0, false);
    return opened;
  }
  (*receiver)->wait(kForOthers);
  (*receiver)->stop();
  const bool attached = session->snapshot()->event_count > 0;
  opened.problem = problem_of(name, watch->status(), attached);
  if (attached || shown) opened.session = std::move(session);
  return opened;
}

}  // namespace arenascope::app
