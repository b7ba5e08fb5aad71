// SPDX-License-Identifier: GPL-3.0-or-later
// Fonts of the graph view in scene pixels. The layout depends on them, so they do not follow the screen's scale.
#pragma once
#include <QFont>
#include <QGuiApplication>

namespace arenascope::views {

enum class GraphFont { Title, Small };

inline QFont graph_font(GraphFont which) {
  QFont font = QGuiApplication::font();
  font.setPixelSize(which == GraphFont::Title ? 13 : 11);
  font.setBold(which == GraphFont::Title);
  return font;
}

}  // namespace arenascope::views
