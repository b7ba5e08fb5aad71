// SPDX-License-Identifier: GPL-3.0-or-later
// All colours of the drawn views, light, dark and of high contrast. Each meaning has an Okabe-Ito colour and a second code
// (hatch or outline), so that nothing is told by colour alone. Follows the application's palette unless told otherwise.
#pragma once
#include <arenascope/trace/events.h>

#include <QBrush>
#include <QColor>
#include <QObject>
#include <QPalette>
#include <QPen>
#include <array>

namespace arenascope::views {

enum class Role : uint8_t {
  Work,    // computing: solid
  Copy,    // between devices: arrow hatch
  View,    // shares bytes: outline only
  Weight,  // grey
  Input,
  Output,
  Wait,        // at a barrier: diagonal hatch
  Allocation,  // new: an edge
  Hole,        // unused bytes between used ones: light dots
  Other,       // named spans of imported traces
  Count
};

enum class Hatch : uint8_t { None, Diagonal, Arrow, Dots, Outline };

enum class ThemeMode : uint8_t { System, Light, Dark, Contrast };

// The plain value: everything a view needs to draw, free to copy into a worker.
struct ThemeColours {
  bool dark = false;
  bool contrast = false;  // high: nothing is told by a shade of grey
  QColor background, panel, text, dim_text, grid, axis;
  QColor selection_inner, selection_outer;  // the double outline
  QColor hover, peak, bound, capacity, playhead, breakpoint, reserved;
  std::array<QColor, static_cast<size_t>(Role::Count)> roles;
  std::array<QColor, trace::kMemoryKinds> kinds;
  std::array<QColor, 8> categories;  // Okabe-Ito, for things without a meaning of their own

  QColor operator[](Role role) const { return roles[static_cast<size_t>(role)]; }
  QColor kind(trace::MemoryKind k) const { return kinds[static_cast<size_t>(k)]; }
  QColor category(size_t i) const { return categories[i % categories.size()]; }
  // Black or white, whichever reads better on `fill`.
  static QColor text_on(const QColor& fill);
  static ThemeColours light();
  static ThemeColours dark_colours();
  static ThemeColours high_contrast();
  // Those that a palette of Theme::palette() goes with, for a widget that is handed no theme.
  static ThemeColours of(const QPalette& palette);
};

// 0 is all `a`, 1 all `b`.
QColor mixed(const QColor& a, const QColor& b, double share_of_b);

Hatch hatch_of(Role role);
// The pattern of a hatch in one colour, as a brush to lay over a fill; Qt::NoBrush for None and Outline.
QBrush hatch_brush(Hatch hatch, const QColor& colour);

class Theme : public QObject {
  Q_OBJECT
 public:
  explicit Theme(QObject* parent = nullptr);
  ThemeMode mode() const { return mode_; }
  void set_mode(ThemeMode mode);
  bool dark() const { return colours_.dark; }
  const ThemeColours& colours() const { return colours_; }
  QColor operator[](Role role) const { return colours_[role]; }
  // The palette of a window in this theme.
  QPalette palette() const;

 Q_SIGNALS:
  void changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void update();
  ThemeMode mode_ = ThemeMode::System;
  ThemeColours colours_;
};

}  // namespace arenascope::views
