// SPDX-License-Identifier: GPL-3.0-or-later
// Exports a view to an image file without a display. The view records its painting commands on the UI thread; rendering
// and writing the file can then happen on any thread.
#pragma once
#include <arenascope/base/output_file.h>
#include <arenascope/base/result.h>

#include <QImage>
#include <QPicture>
#include <QSize>
#include <QString>
#include <functional>

class QPainter;

namespace arenascope::views {

// Interface of a view that can be exported: paints all of itself, fully prepared, with any painter.
class Paintable {
 public:
  virtual ~Paintable() = default;
  // `size` is in logical pixels (96 per inch); the painter may scale. Blocks until the view is prepared.
  virtual void paint(QPainter* painter, QSize size) = 0;
};

// The recorded painting commands of a view, in image pixels.
struct PictureDraft {
  QString path;  // the suffix selects the format: .png, .svg or .pdf
  QSize size;
  QPicture strokes;
};

// Receives the completed fraction; returns false to cancel.
using PictureProgress = std::function<bool(double share)>;

// UI thread only. `scale` is the number of PNG pixels per logical pixel. Fails if the size or the file name is invalid;
// the error names the file.
Result<PictureDraft> draft_picture(Paintable& view, const QString& path, QSize size, double scale = 2);
// The image that a PNG file would contain. Null if out of memory or cancelled.
QImage image_of(const PictureDraft& draft, const PictureProgress& progress = {});
// Writes the file atomically. Fails with the file name and the reason. `inputs`: files that are being read.
Status write_picture(const PictureDraft& draft, const PictureProgress& progress = {}, OutputFile::Paths inputs = {});
// draft_picture() followed by write_picture().
Status export_picture(Paintable& view, const QString& path, QSize size, double scale = 2,
                      OutputFile::Paths inputs = {});

}  // namespace arenascope::views
