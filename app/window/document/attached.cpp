// SPDX-License-Identifier: GPL-3.0-or-later
#include "attached.h"

#include <arenascope/attach/receiver.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>

#include <sys/wait.h>

#include <chrono>
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

// True if the process has ended; `status` is its wait status.
bool has_ended(pid_t process, int& status) { return ::waitpid(process, &status, WNOHANG) == process; }

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
  constexpr auto kPollInterval = std::chrono::milliseconds(50);
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
  std::vector<std::shared_ptr<trace::Sink>> sinks{session};
  if (settings.autosave) opened.autosave = Autosave::create_rolling(name, settings.recording_limit_bytes());
  if (opened.autosave) sinks.push_back(opened.autosave);
  auto receiver = attach::Receiver::listen(std::move(sinks), listen_options(*program));
  const Result<pid_t> process =
      receiver ? start_attached(*program, (*receiver)->address()) : Result<pid_t>(receiver.error());
  if (!process) {
    opened.problem = QString::fromStdString(process.error().message) + u'.';
    return opened;
  }
  bool shown = false;
  int status = 0;
  while (!has_ended(*process, status)) {
    if (!callbacks.should_continue()) {  // detach: the process is no longer waited for
      std::thread([child = *process] { ::waitpid(child, nullptr, 0); }).detach();
      if (shown)
        opened.session = std::move(session);
      else
        opened.problem = problem_of(name, 0, false);
      return opened;
    }
    const auto snapshot = session->snapshot();
    callbacks.progress(snapshot->event_count == 0
                           ? Attached::tr("Waiting for %1 to attach…").arg(name)
                           : Attached::tr("Recording %1: %2 events…")
                                 .arg(name, QLocale().toString(static_cast<qlonglong>(snapshot->event_count))),
                       -1);
    if (!shown && snapshot->event_count > 0) callbacks.show(session, name, opened.autosave != nullptr);
    shown = shown || snapshot->event_count > 0;
    if (shown) callbacks.more();
    std::this_thread::sleep_for(kPollInterval);
  }
  (*receiver)->wait(kForOthers);
  (*receiver)->stop();
  const bool attached = session->snapshot()->event_count > 0;
  opened.problem = problem_of(name, status, attached);
  if (attached || shown) opened.session = std::move(session);
  return opened;
}

}  // namespace arenascope::app
