// SPDX-License-Identifier: GPL-3.0-or-later
#include "autosave.h"

#include <signal.h>

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include <cerrno>

namespace arenascope::app {
QString autosave_folder() {
  QString state = qEnvironmentVariable("XDG_STATE_HOME");
  if (!QDir::isAbsolutePath(state)) state = QDir::homePath() + QStringLiteral("/.local/state");
  return state + QStringLiteral("/arenascope/recordings");
}

QStringList recoverable_recordings() {
  QStringList files;
  for (const QFileInfo& file :
       QDir(autosave_folder()).entryInfoList({QStringLiteral("*.arenascope")}, QDir::Files, QDir::Time)) {
    const qint64 pid = file.fileName().section(u'-', 0, 0).toLongLong();
    const bool alive = pid > 0 && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
    if (!alive && file.size() > 0) files << file.filePath();
  }
  return files;
}

std::shared_ptr<Autosave> Autosave::create(const QString& title, size_t max_bytes) {
  const QDir folder(autosave_folder());
  if (!folder.mkpath(QStringLiteral("."))) return nullptr;
  // Keeps only the newest few recoverable files.
  const QStringList old = recoverable_recordings();
  for (qsizetype i = 8; i < old.size(); ++i) QFile::remove(old[i]);
  QString name = title;
  name.replace(QRegularExpression(QStringLiteral("[^A-Za-z0-9_.-]+")), QStringLiteral("_"));
  const QString path = folder.filePath(
      QStringLiteral("%1-%2-%3.arenascope")
          .arg(QCoreApplication::applicationPid())
          .arg(QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz")), name.left(60)));
  trace::RecordingWriter::Options options;
  options.mirror = false;
  auto writer = trace::RecordingWriter::create(path.toStdString(), options);
  if (!writer) return nullptr;
  return std::shared_ptr<Autosave>(new Autosave(title, path, max_bytes, std::move(*writer)));
}

Autosave::~Autosave() {
  writer_.reset();
  QFile::remove(path_);
}

void Autosave::describe(const trace::Description& description) {
  if (bytes() < max_bytes_) writer_->describe(description);
}

void Autosave::events(trace::TrackId track, std::span<const trace::Event> events) {
  if (bytes() < max_bytes_) writer_->events(track, events);
}

void Autosave::flush() { writer_->flush(); }

}  // namespace arenascope::app
