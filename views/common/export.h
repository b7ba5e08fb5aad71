// SPDX-License-Identifier: GPL-3.0-or-later
// A picture of a view in a file, with no display needed.
#pragma once
#include <arenascope/base/result.h>

#include <QSize>
#include <QString>

class QPainter;

namespace arenascope::views {

// What every drawn view can do: paint all of itself, prepared to the end, into any painter.
class Paintable {
 public:
  virtual ~Paintable() = default;
  // In logical pixels (96 a inch); the painter may scale. Blocks until everything is prepared.
  virtual void paint(QPainter* painter, QSize size) = 0;
};

// PNG, SVG or PDF, as the name ends. `scale` is the PNG's pixels per logical pixel. Fails with the file's name and why.
Status export_picture(Paintable& view, const QString& path, QSize size, double scale = 2);

}  // namespace arenascope::views
