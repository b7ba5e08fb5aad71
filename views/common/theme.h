// SPDX-License-Identifier: GPL-3.0-or-later
// All colours of the painted views: light, dark and high contrast. Each meaning has an Okabe-Ito colour and a second
// code (hatch or outline), so that nothing depends on colour alone. Follows the application's palette by default.
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
  Work,    // computation: solid
  Copy,    // between devices: arrow hatch
  View,    // shares bytes: outline only
  Weight,  // grey
  Input,
  Output,
  Wait,        // at a barrier: diagonal hatch
  Allocation,  // a new allocation: thick edge
  Hole,        // unused bytes between used ones: light dots
  Other,       // named spans of imported traces
  Count
};

enum class Hatch : uint8_t { None, Diagonal, Arrow, Dots, Outline };

enum class ThemeMode : uint8_t { System, Light, Dark, Contrast };

// An immutable value with all colours, cheap to copy to a worker.
struct ThemeColours {
  bool dark = false;
  bool contrast = false;  // high contrast: no meaning depends on a shade of grey
  QColor background, panel, text, dim_text, grid, axis;
  QColor selection_inner, selection_outer;  // the double outline
  QColor hover, peak, bound, capacity, playhead, breakpoint, reserved;
  std::array<QColor, static_cast<size_t>(Role::Count)> roles;
  std::array<QColor, trace::kMemoryKinds> kinds;
  std::array<QColor, 8> categories;  // Okabe-Ito, for items without a meaning of their own

  QColor operator[](Role role) const { return roles[static_cast<size_t>(role)]; }
  QColor kind(trace::MemoryKind k) const { return kinds[static_cast<size_t>(k)]; }
  QColor category(size_t i) const { return categories[i % categories.size()]; }
  // Black or white, whichever has more contrast with `fill`.
  static QColor text_on(const QColor& fill);
  static ThemeColours light();
  static ThemeColours dark_colours();
  static ThemeColours high_contrast();
  // The colours that match a palette of Theme::palette(), for a widget without a theme.
  static ThemeColours of(const QPalette& palette);
};

// Linear blend: 0 is `a`, 1 is `b`.
QColor mixed(const QColor& a, const QColor& b, double share_of_b);

Hatch hatch_of(Role role);
// The pattern of a hatch in one colour, as a brush to draw over a fill; Qt::NoBrush for None and Outline.
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
  // The window palette of this theme.
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
