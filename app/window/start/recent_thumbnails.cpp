// SPDX-License-Identifier: GPL-3.0-or-later
#include "recent_thumbnails.h"

#include <views/common/background.h>
#include <views/common/plot_view.h>
#include <views/graph/graph_view.h>
#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QStandardPaths>
#include <QThreadPool>

#include "app/window/shell.h"

namespace arenascope::app {

using namespace views;

namespace {

constexpr int kSoon = 2000;  // ms

QString folder_of_pictures() {
  return QStandardPaths::writableLocation(QStandardPaths::CacheLocation) + QStringLiteral("/recent");
}

// Written atomically; thumbnails of files that are no longer recent are deleted.
void write_picture_of(const QString& spec, const QImage& seen, const QStringList& remembered) {
  const QString path = RecentThumbnails::path_of(spec);
  if (!QDir().mkpath(QFileInfo(path).path())) return;
  QStringList kept;
  for (const QString& each : remembered) kept << RecentThumbnails::path_of(each);
  for (const QFileInfo& file : QDir(folder_of_pictures()).entryInfoList({QStringLiteral("*.png")}, QDir::Files))
    if (!kept.contains(file.filePath())) QFile::remove(file.filePath());
  const QImage small = seen.scaled(RecentThumbnails::kSize, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                           .convertToFormat(QImage::Format_RGB32);
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && small.save(&file, "PNG")) file.commit();
}

}  // namespace

RecentThumbnails::RecentThumbnails(Shell& shell) : QObject(shell.window), shell_(shell) {
  soon_.setSingleShot(true);
  soon_.setInterval(kSoon);
  connect(&soon_, &QTimer::timeout, this, &RecentThumbnails::keep);
  connect(shell.documents, &Documents::opened, &soon_, qOverload<>(&QTimer::start));
  connect(shell.documents, &Documents::closing, this, [this](size_t index) {
    if (index == shell_.documents->index()) keep();
  });
}

QString RecentThumbnails::path_of(const QString& spec) {
  const QByteArray name = QCryptographicHash::hash(spec.toUtf8(), QCryptographicHash::Sha1).toHex();
  return QStringLiteral("%1/%2.png").arg(folder_of_pictures(), QString::fromLatin1(name));
}

QImage RecentThumbnails::read(const QString& spec) { return QImage(path_of(spec)); }

// The first of these views that is visible and has content, without title and axes.
QImage RecentThumbnails::seen() const {
  const SessionSource& source = *shell_.document().source();
  const bool ran = source.snapshot()->event_count > 0;
  for (const auto& [id, has] :
       {std::pair{PanelId::Arena, source.plan() != nullptr}, {PanelId::Timeline, ran}, {PanelId::Arena, ran}}) {
    PlotView* plot = shell_.panels->parts(id).plot;
    if (has && !plot->plot()->visibleRegion().isEmpty())
      return plot->plot()->grab(plot->plot()->axisRect()->rect()).toImage();
  }
  auto* graph = shell_.panels->widgets().graph->canvas();
  return graph->scene().ready() && !graph->visibleRegion().isEmpty() ? graph->grab().toImage() : QImage();
}

void RecentThumbnails::keep() {
  const QString spec = shell_.document().spec();
  const QStringList remembered = recent_files();
  if (!shell_.preferences.run.autosave || !remembered.contains(spec)) return;
  const QImage image = seen();
  if (image.isNull()) return;
  background_pool()->start([spec, image, remembered] { write_picture_of(spec, image, remembered); });
}

}  // namespace arenascope::app
