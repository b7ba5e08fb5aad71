// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/export.h>
#include <views/common/output_device.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>

namespace arenascope::views {

namespace {

QString translated(const char* text) { return QCoreApplication::translate("arenascope::views::Export", text); }

Error failed(const QString& path, const QString& why) {
  return Error{translated(QT_TRANSLATE_NOOP("arenascope::views::Export", "cannot write the image %1: %2"))
                   .arg(path, why)
                   .toStdString()};
}

constexpr int kBand = 128;  // rows of pixels between two checks for cancellation

QString kind_of(const QString& path) { return QFileInfo(path).suffix().toLower(); }

// Forwards writes until cancelled.
class CancellableDevice : public QIODevice {
 public:
  CancellableDevice(QIODevice* file, const PictureProgress& progress) : file_(file), progress_(progress) {
    open(QIODevice::WriteOnly);
  }

 protected:
  qint64 readData(char*, qint64) override { return -1; }
  qint64 writeData(const char* bytes, qint64 size) override {
    return progress_ && !progress_(kDrawn) ? -1 : file_->write(bytes, size);
  }

 private:
  static constexpr double kDrawn = 0.5;  // the share of drawing is unknown: assume half of the time
  QIODevice* file_;
  const PictureProgress& progress_;
};

bool play(QPicture strokes, QPaintDevice* device) {
  QPainter painter;
  if (!painter.begin(device)) return false;
  painter.drawPicture(0, 0, strokes);
  return painter.end();
}

bool write_png(const PictureDraft& draft, QIODevice* file, const PictureProgress& progress) {
  const QImage image = image_of(draft, progress);
  return !image.isNull() && image.save(file, "PNG");
}

bool write_svg(const PictureDraft& draft, QIODevice* file) {
  QSvgGenerator svg;
  svg.setOutputDevice(file);
  svg.setResolution(96);
  svg.setSize(draft.size);
  svg.setViewBox(QRect(QPoint(), draft.size));
  svg.setTitle(QStringLiteral("Arenascope"));
  return play(draft.strokes, &svg);
}

bool write_pdf(const PictureDraft& draft, QIODevice* file) {
  QPdfWriter pdf(file);
  pdf.setCreator(QStringLiteral("Arenascope"));
  pdf.setResolution(96);
  pdf.setPageSize(QPageSize(QSizeF(draft.size) * 72.0 / 96.0, QPageSize::Point, QString(), QPageSize::ExactMatch));
  pdf.setPageMargins(QMarginsF());
  return play(draft.strokes, &pdf);
}

}  // namespace

Result<PictureDraft> draft_picture(Paintable& view, const QString& path, QSize size, double scale) {
  if (size.width() < 16 || size.height() < 16 || size.width() > 20000 || size.height() > 20000 || !(scale > 0) ||
      scale > 8 || size.width() * scale > 32000 || size.height() * scale > 32000) {
    return failed(path, translated(QT_TRANSLATE_NOOP(
                            "arenascope::views::Export",
                            "width and height must be 16 to 20000 pixels, at most 32000 after scaling")));
  }
  const QString kind = kind_of(path);
  if (kind != QLatin1String("png") && kind != QLatin1String("svg") && kind != QLatin1String("pdf")) {
    return failed(path, translated(QT_TRANSLATE_NOOP("arenascope::views::Export",
                                                     "the file name must end in .png, .svg or .pdf")));
  }
  if (kind != QLatin1String("png")) scale = 1;  // vector formats have no pixels
  PictureDraft draft;
  draft.path = path;
  draft.size = (QSizeF(size) * scale).toSize();
  QPainter painter(&draft.strokes);
  painter.setRenderHint(QPainter::LosslessImageRendering, kind != QLatin1String("png"));
  painter.scale(scale, scale);
  view.paint(&painter, size);
  painter.end();
  return draft;
}

QImage image_of(const PictureDraft& draft, const PictureProgress& progress) {
  QImage image(draft.size, QImage::Format_ARGB32_Premultiplied);
  if (image.isNull()) return image;
  image.fill(Qt::white);
  QPicture strokes = draft.strokes;
  for (int top = 0; top < image.height(); top += kBand) {
    if (progress && !progress(0.5 * top / image.height())) return {};
    QImage band(image.scanLine(top), image.width(), std::min(kBand, image.height() - top), image.bytesPerLine(),
                image.format());
    QPainter painter(&band);
    painter.drawPicture(0, -top, strokes);
  }
  return image;
}

Status write_picture(const PictureDraft& draft, const PictureProgress& progress, OutputFile::Paths inputs) {
  OutputDevice file;
  if (auto ok = file.begin(draft.path, inputs); !ok) return ok;
  CancellableDevice device(&file, progress);
  const QString kind = kind_of(draft.path);
  const bool painted = kind == QLatin1String("png")   ? write_png(draft, &device, progress)
                       : kind == QLatin1String("svg") ? write_svg(draft, &device)
                                                      : write_pdf(draft, &device);
  if (auto ok = file.status(); !ok) return ok;
  if (!painted || (progress && !progress(1)))
    return failed(draft.path, translated(QT_TRANSLATE_NOOP("arenascope::views::Export", "rendering failed")));
  return file.commit();
}

Status export_picture(Paintable& view, const QString& path, QSize size, double scale, OutputFile::Paths inputs) {
  auto draft = draft_picture(view, path, size, scale);
  if (!draft) return draft.error();
  return write_picture(*draft, {}, inputs);
}

}  // namespace arenascope::views
