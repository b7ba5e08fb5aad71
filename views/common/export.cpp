// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/export.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <cmath>

namespace arenascope::views {

namespace {

QString say(const char* text) { return QCoreApplication::translate("arenascope::views::Export", text); }

Error failed(const QString& path, const QString& why) {
  return Error{say(QT_TRANSLATE_NOOP("arenascope::views::Export", "cannot write the picture %1: %2"))
                   .arg(path, why)
                   .toStdString()};
}

bool paint_png(Paintable& view, QIODevice* file, QSize size, double scale) {
  QImage image((QSizeF(size) * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
  if (image.isNull()) return false;
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.scale(scale, scale);
  view.paint(&painter, size);
  painter.end();
  return image.save(file, "PNG");
}

bool paint_svg(Paintable& view, QIODevice* file, QSize size) {
  QSvgGenerator svg;
  svg.setOutputDevice(file);
  svg.setResolution(96);
  svg.setSize(size);
  svg.setViewBox(QRect(QPoint(), size));
  svg.setTitle(QStringLiteral("Arenascope"));
  QPainter painter;
  if (!painter.begin(&svg)) return false;
  view.paint(&painter, size);
  return painter.end();
}

bool paint_pdf(Paintable& view, QIODevice* file, QSize size) {
  QPdfWriter pdf(file);
  pdf.setCreator(QStringLiteral("Arenascope"));
  pdf.setResolution(96);
  pdf.setPageSize(QPageSize(QSizeF(size) * 72.0 / 96.0, QPageSize::Point, QString(), QPageSize::ExactMatch));
  pdf.setPageMargins(QMarginsF());
  QPainter painter;
  if (!painter.begin(&pdf)) return false;
  view.paint(&painter, size);
  return painter.end();
}

}  // namespace

Status export_picture(Paintable& view, const QString& path, QSize size, double scale) {
  if (size.width() < 16 || size.height() < 16 || size.width() > 20000 || size.height() > 20000 || !(scale > 0) ||
      scale > 8 || size.width() * scale > 32000 || size.height() * scale > 32000) {
    return failed(path, say(QT_TRANSLATE_NOOP("arenascope::views::Export",
                                              "its size must lie between 16 and 20000 pixels, 32000 when scaled")));
  }
  const QString kind = QFileInfo(path).suffix().toLower();
  if (kind != QLatin1String("png") && kind != QLatin1String("svg") && kind != QLatin1String("pdf")) {
    return failed(path, say(QT_TRANSLATE_NOOP("arenascope::views::Export", "its name must end in .png, .svg or .pdf")));
  }
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return failed(path, file.errorString());
  const bool painted = kind == QLatin1String("png")   ? paint_png(view, &file, size, scale)
                       : kind == QLatin1String("svg") ? paint_svg(view, &file, size)
                                                      : paint_pdf(view, &file, size);
  if (!painted) return failed(path, say(QT_TRANSLATE_NOOP("arenascope::views::Export", "painting it failed")));
  if (!file.commit()) return failed(path, file.errorString());
  return {};
}

}  // namespace arenascope::views
