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
namespace {
const QLatin1String kClosed("closed");  // in place of the process id
}

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

QStringList killed_of(const QStringList& files) {
  QStringList killed;
  for (const QString& file : files)
    if (!QFileInfo(file).fileName().startsWith(kClosed)) killed << file;
  return killed;
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

std::shared_ptr<Autosave> Autosave::create_rolling(const QString& title, size_t max_bytes) {
  auto file = create(title, max_bytes);
  if (file) file->rolling_ = true;
  return file;
}

Autosave::~Autosave() {
  writer_.reset();
  if (earlier_ && kept_) earlier_->keep();
  earlier_.reset();
  if (!kept_) {
    QFile::remove(path_);
    return;
  }
  // Without the process id: the program that closed it may still run.
  const QFileInfo file(path_);
  const QString name = kClosed + file.fileName().mid(file.fileName().indexOf(u'-'));
  QFile::rename(path_, file.dir().filePath(name));
}

// Starts a new file with all descriptions and no events. This object continues with it, so writers need not know.
void Autosave::roll() {
  auto next = create(title_, max_bytes_);
  if (!next) return;  // then the limit applies to the old file
  for (const trace::Description& description : described_) next->writer_->describe(description);
  std::swap(next->writer_, writer_);
  std::swap(next->path_, path_);
  earlier_ = std::move(next);
}

void Autosave::describe(const trace::Description& description) {
  if (rolling_) described_.add(description);
  if (bytes() < max_bytes_) writer_->describe(description);
}

void Autosave::events(std::span<const trace::TrackEvent> events) {
  if (rolling_ && half_full()) roll();
  if (bytes() < max_bytes_) writer_->events(events);
}

void Autosave::flush() { writer_->flush(); }

}  // namespace arenascope::app
