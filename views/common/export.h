// SPDX-License-Identifier: GPL-3.0-or-later
// A picture of a view in a file, with no display needed. What a view draws is kept as strokes on the UI thread; they are
// made pixels, or another format, and written on any.
#pragma once
#include <arenascope/base/result.h>

#include <QImage>
#include <QPicture>
#include <QSize>
#include <QString>
#include <functional>

class QPainter;

namespace arenascope::views {

// What every drawn view can do: paint all of itself, prepared to the end, into any painter.
class Paintable {
 public:
  virtual ~Paintable() = default;
  // In logical pixels (96 a inch); the painter may scale. Blocks until everything is prepared.
  virtual void paint(QPainter* painter, QSize size) = 0;
};

// What a view drew, in pixels of the picture.
struct PictureDraft {
  QString path;  // its ending says what it becomes: PNG, SVG or PDF
  QSize size;
  QPicture strokes;
};

// Told the share that is done; false: it is not wanted any more.
using PictureProgress = std::function<bool(double share)>;

// On the UI thread. `scale` is a PNG's pixels per logical pixel. Errors: a size or a name that cannot be, with the name.
Result<PictureDraft> draft_picture(Paintable& view, const QString& path, QSize size, double scale = 2);
// As it would be in a PNG. Null where there is no memory for it, or nobody wants it any more.
QImage image_of(const PictureDraft& draft, const PictureProgress& progress = {});
// Writes it, whole or not at all. Fails with the file's name and why.
Status write_picture(const PictureDraft& draft, const PictureProgress& progress = {});
// Both, one after the other.
Status export_picture(Paintable& view, const QString& path, QSize size, double scale = 2);

}  // namespace arenascope::views
