// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout_job.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStandardPaths>

namespace arenascope::views {
namespace {

constexpr qint64 kMaxAnswer = 256 << 20;

void end_child(QProcess* child) {
  child->disconnect();
  if (child->state() != QProcess::NotRunning) {
    // The object outlives the child, so that killing it never waits.
    QObject::connect(child, &QProcess::finished, child, &QObject::deleteLater);
    child->setParent(nullptr);
    child->kill();
    return;
  }
  child->deleteLater();
}

}  // namespace

LayoutJob::LayoutJob(QObject* parent) : QObject(parent), child_(nullptr, end_child) {
  timeout_.setSingleShot(true);
  timeout_.setInterval(20'000);
  connect(&timeout_, &QTimer::timeout, this, [this] {
    const QString seconds = QString::number(timeout_.interval() / 1000.0, 'g', 3);
    child_.reset();
    fall_back(tr("Graphviz took longer than %1 s and was stopped; a simpler layout is shown.").arg(seconds));
  });
  cache_ = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + "/arenascope/layouts";
}

LayoutJob::~LayoutJob() {
  if (child_ && child_->state() != QProcess::NotRunning) {
    child_->disconnect();
    child_->kill();
    child_->waitForFinished(200);
  }
}

bool LayoutJob::running() const { return child_ != nullptr; }

void LayoutJob::cancel() {
  timeout_.stop();
  child_.reset();
  graph_.reset();
}

QString LayoutJob::cache_path() const {
  return cache_ + '/' +
         QString::fromLatin1(QCryptographicHash::hash(input_, QCryptographicHash::Sha256).toHex().first(40)) + ".json";
}

void LayoutJob::start(std::shared_ptr<const FoldedGraph> graph, std::vector<QSizeF> sizes) {
  cancel();
  graph_ = std::move(graph);
  sizes_ = std::move(sizes);
  input_ = dot_input(*graph_, sizes_);
  if (!cache_.isEmpty()) {
    QFile file(cache_path());
    if (file.size() < kMaxAnswer && file.open(QIODevice::ReadOnly)) {
      if (auto layout = read_dot_json(file.readAll(), *graph_, sizes_)) {
        Q_EMIT finished(graph_, std::make_shared<const GraphLayout>(std::move(layout).value()), {});
        return;
      }
    }
  }
  child_.reset(new QProcess);
  connect(child_.get(), &QProcess::finished, this, &LayoutJob::on_exit);
  connect(child_.get(), &QProcess::errorOccurred, this, &LayoutJob::on_error);
  child_->setStandardErrorFile(QProcess::nullDevice());
  child_->start(program_, {QStringLiteral("-Tjson")});
  if (!child_) return;  // it could not start, and that was said
  child_->write(input_);
  child_->closeWriteChannel();
  timeout_.start();
}

bool LayoutJob::wait(int ms) {
  if (!child_) return true;
  child_->waitForFinished(ms);
  return !child_ || child_->state() == QProcess::NotRunning;
}

void LayoutJob::on_error(QProcess::ProcessError error) {
  if (error != QProcess::FailedToStart) return;  // otherwise on_exit() says it
  timeout_.stop();
  child_.reset();
  fall_back(
      tr("Graphviz's “%1” was not found; a simpler layout is shown. Install the package graphviz for a better one.")
          .arg(program_));
}

void LayoutJob::on_exit(int code, QProcess::ExitStatus status) {
  timeout_.stop();
  const QByteArray json = child_->readAllStandardOutput();
  child_.reset();
  if (status != QProcess::NormalExit || code != 0)
    return fall_back(tr("Graphviz failed (exit status %1); a simpler layout is shown.").arg(code));
  auto layout = read_dot_json(json, *graph_, sizes_);
  if (!layout)
    return fall_back(tr("Graphviz's answer could not be read (%1); a simpler layout is shown.")
                         .arg(QString::fromStdString(layout.error().message)));
  remember(json);
  Q_EMIT finished(graph_, std::make_shared<const GraphLayout>(std::move(layout).value()), {});
}

void LayoutJob::fall_back(const QString& note) {
  if (!graph_) return;
  Q_EMIT finished(graph_, std::make_shared<const GraphLayout>(layered_layout(*graph_, sizes_)), note);
}

// A cache that cannot be written is no cache; nothing is lost. It is kept below 200 files, the oldest going first.
void LayoutJob::remember(const QByteArray& json) const {
  if (cache_.isEmpty() || !QDir().mkpath(cache_)) return;
  QSaveFile file(cache_path());
  if (file.open(QIODevice::WriteOnly) && file.write(json) == json.size()) file.commit();
  const QFileInfoList files = QDir(cache_).entryInfoList({"*.json"}, QDir::Files, QDir::Time);
  for (qsizetype i = 200; i < files.size(); ++i) QFile::remove(files[i].filePath());
}

}  // namespace arenascope::views
