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

namespace arenascope::app {

namespace {

struct Attached {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::Attached)
};

constexpr QStringView kScheme(u"attach:");
constexpr QChar kBetween(0x1f);  // no word of a command holds it

Result<AttachedProgram> program_of(const QString& spec) {
  std::vector<std::string> words, with;
  const QStringList parts = spec.mid(kScheme.size()).split(kBetween);
  for (const QString& adapter : parts.value(0).split(u',', Qt::SkipEmptyParts)) with.push_back(adapter.toStdString());
  for (const QString& word : parts.mid(1)) words.push_back(word.toStdString());
  return attached_program(std::move(words), std::move(with));
}

// Whether it has ended; `status` as waitpid() gives it.
bool has_ended(pid_t process, int& status) { return ::waitpid(process, &status, WNOHANG) == process; }

// What ended otherwise than it should, or never attached; empty: all is well.
QString problem_of(const QString& name, int status, bool attached) {
  if (WIFSIGNALED(status)) return Attached::tr("%1 was ended by signal %2.").arg(name).arg(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return Attached::tr("%1 ended with status %2.").arg(name).arg(WEXITSTATUS(status));
  if (attached) return {};
  return Attached::tr("%1 never attached: it neither carries arenascope_client.h nor uses what an adapter watches.")
      .arg(name);
}

}  // namespace

QString attach_spec(const QStringList& words, const QStringList& with) {
  return kScheme.toString() + with.join(u',') + kBetween + words.join(kBetween);
}

bool is_attach_spec(const QString& spec) { return spec.startsWith(kScheme); }

Opened watch_program(const QString& spec, const RunSettings& settings, const OpenVoice& voice) {
  constexpr auto kLook = std::chrono::milliseconds(50);
  constexpr Nanoseconds kForOthers = 500'000'000;
  Opened opened;
  const Result<AttachedProgram> program = program_of(spec);
  if (!program) {
    opened.problem = QString::fromStdString(program.error().message) + u'.';
    return opened;
  }
  const QString name = QFileInfo(QString::fromStdString(program->words[0])).fileName();
  opened.title = name;
  auto session = std::make_shared<trace::Session>(trace::Session::Options{settings.kept_bytes()});
  auto receiver = attach::Receiver::listen({session}, listening_for(*program));
  const Result<pid_t> process =
      receiver ? start_attached(*program, (*receiver)->address()) : Result<pid_t>(receiver.error());
  if (!process) {
    opened.problem = QString::fromStdString(process.error().message) + u'.';
    return opened;
  }
  bool shown = false;
  int status = 0;
  while (!has_ended(*process, status)) {
    if (!voice.wanted()) {  // it is nobody's child any more that somebody waits for
      std::thread([child = *process] { ::waitpid(child, nullptr, 0); }).detach();
      if (shown)
        opened.session = std::move(session);
      else
        opened.problem = problem_of(name, 0, false);
      return opened;
    }
    const auto snapshot = session->snapshot();
    voice.progress(snapshot->event_count == 0
                       ? Attached::tr("Waiting for %1 to attach…").arg(name)
                       : Attached::tr("Watching %1: %2 events…")
                             .arg(name, QLocale().toString(static_cast<qlonglong>(snapshot->event_count))),
                   -1);
    if (!shown && snapshot->event_count > 0) voice.show(session, name);
    shown = shown || snapshot->event_count > 0;
    if (shown) voice.more();
    std::this_thread::sleep_for(kLook);
  }
  (*receiver)->wait(kForOthers);
  (*receiver)->stop();
  const bool attached = session->snapshot()->event_count > 0;
  opened.problem = problem_of(name, status, attached);
  if (attached || shown) opened.session = std::move(session);
  return opened;
}

}  // namespace arenascope::app
