// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/theme.h>

#include <QEvent>
#include <QGuiApplication>
#include <QPainter>
#include <QPixmap>

namespace arenascope::views {

namespace {

// Okabe and Ito, "Color Universal Design" (2008).
constexpr QRgb kBlack = 0xff000000, kOrange = 0xffe69f00, kSky = 0xff56b4e9, kGreen = 0xff009e73, kYellow = 0xfff0e442,
               kBlue = 0xff0072b2, kVermillion = 0xffd55e00, kPurple = 0xffcc79a7;

QColor rgb(QRgb v) { return QColor::fromRgb(v); }

ThemeColours common() {
  ThemeColours c;
  const auto set = [&](Role role, QRgb v) { c.roles[static_cast<size_t>(role)] = rgb(v); };
  set(Role::Work, kBlue);
  set(Role::Copy, kSky);
  set(Role::View, 0xff7f8c99);
  set(Role::Weight, 0xff9a9fa6);
  set(Role::Input, kYellow);
  set(Role::Output, kPurple);
  set(Role::Wait, kVermillion);
  set(Role::Allocation, kGreen);
  set(Role::Other, kSky);
  c.breakpoint = rgb(kVermillion);
  c.categories = {rgb(kBlue), rgb(kOrange),     rgb(kGreen),  rgb(kPurple),
                  rgb(kSky),  rgb(kVermillion), rgb(kYellow), QColor(0x8c, 0x94, 0x9e)};
  using trace::MemoryKind;
  const auto kind = [&](MemoryKind k, QRgb v) { c.kinds[static_cast<size_t>(k)] = rgb(v); };
  kind(MemoryKind::Default, kSky);
  kind(MemoryKind::Persistent, 0xff9a9fa6);
  kind(MemoryKind::Workspace, kBlue);
  kind(MemoryKind::KVCache, kPurple);
  kind(MemoryKind::HostPinned, kGreen);
  kind(MemoryKind::HostPageable, kOrange);
  kind(MemoryKind::Mapped, kYellow);
  return c;
}

}  // namespace

QColor mixed(const QColor& a, const QColor& b, double share_of_b) {
  const auto part = [&](float x, float y) {
    return static_cast<float>(static_cast<double>(x) + static_cast<double>(y - x) * share_of_b);
  };
  return QColor::fromRgbF(part(a.redF(), b.redF()), part(a.greenF(), b.greenF()), part(a.blueF(), b.blueF()));
}

QColor ThemeColours::text_on(const QColor& fill) {
  const double luminance = 0.299 * fill.redF() + 0.587 * fill.greenF() + 0.114 * fill.blueF();
  return luminance > 0.55 ? rgb(kBlack) : QColor(Qt::white);
}

ThemeColours ThemeColours::light() {
  ThemeColours c = common();
  c.background = QColor(Qt::white);
  c.panel = QColor(0xf4, 0xf5, 0xf7);
  c.text = QColor(0x1c, 0x1f, 0x23);
  c.dim_text = QColor(0x5a, 0x61, 0x6b);
  c.grid = QColor(0xe6, 0xe8, 0xec);
  c.axis = QColor(0xb4, 0xb9, 0xc1);
  c.selection_inner = QColor(Qt::white);
  c.selection_outer = QColor(Qt::black);
  c.hover = QColor(0, 0, 0, 150);
  c.peak = QColor(0x1c, 0x1f, 0x23);
  c.bound = rgb(kVermillion);
  c.capacity = QColor(0xa0, 0x1c, 0x1c);
  c.playhead = QColor(0x1c, 0x1f, 0x23);
  c.reserved = QColor(0x5a, 0x61, 0x6b);
  c.roles[static_cast<size_t>(Role::Hole)] = QColor(0xa4, 0xab, 0xb5);
  return c;
}

ThemeColours ThemeColours::dark_colours() {
  ThemeColours c = common();
  c.dark = true;
  c.background = QColor(0x17, 0x19, 0x1d);
  c.panel = QColor(0x22, 0x25, 0x2a);
  c.text = QColor(0xe8, 0xea, 0xed);
  c.dim_text = QColor(0x9d, 0xa5, 0xb0);
  c.grid = QColor(0x2b, 0x2f, 0x36);
  c.axis = QColor(0x50, 0x57, 0x61);
  c.selection_inner = QColor(Qt::black);
  c.selection_outer = QColor(Qt::white);
  c.hover = QColor(255, 255, 255, 170);
  c.peak = QColor(0xe8, 0xea, 0xed);
  c.bound = QColor(0xff, 0x8a, 0x3d);
  c.capacity = QColor(0xff, 0x6b, 0x6b);
  c.playhead = QColor(0xe8, 0xea, 0xed);
  c.reserved = QColor(0x9d, 0xa5, 0xb0);
  c.roles[static_cast<size_t>(Role::Hole)] = QColor(0x6a, 0x72, 0x7d);
  c.roles[static_cast<size_t>(Role::Weight)] = QColor(0x7d, 0x84, 0x8d);
  return c;
}

// White on black; greys are nearly white, and blue is light enough for a black background.
ThemeColours ThemeColours::high_contrast() {
  ThemeColours c = dark_colours();
  c.contrast = true;
  c.background = c.panel = QColor(Qt::black);
  c.text = c.peak = c.playhead = c.hover = c.axis = c.reserved = QColor(Qt::white);
  c.dim_text = QColor(0xe4, 0xe6, 0xea);
  c.grid = QColor(0x5c, 0x62, 0x6b);
  c.bound = QColor(0xff, 0xa0, 0x5a);
  c.capacity = QColor(0xff, 0x8a, 0x8a);
  const QColor blue(0x4a, 0xb0, 0xff);
  c.roles[static_cast<size_t>(Role::Work)] = c.categories[0] = blue;
  c.roles[static_cast<size_t>(Role::Hole)] = c.roles[static_cast<size_t>(Role::View)] = QColor(0xc8, 0xcd, 0xd4);
  c.roles[static_cast<size_t>(Role::Weight)] = QColor(0xc8, 0xcd, 0xd4);
  c.kinds[static_cast<size_t>(trace::MemoryKind::Workspace)] = blue;
  return c;
}

ThemeColours ThemeColours::of(const QPalette& palette) {
  const QColor ground = palette.color(QPalette::Base);
  if (ground == QColor(Qt::black) && palette.color(QPalette::Text) == QColor(Qt::white)) return high_contrast();
  return ground.lightness() < 128 ? dark_colours() : light();
}

Hatch hatch_of(Role role) {
  switch (role) {
    case Role::Copy: return Hatch::Arrow;
    case Role::View: return Hatch::Outline;
    case Role::Wait: return Hatch::Diagonal;
    case Role::Hole: return Hatch::Dots;
    default: return Hatch::None;
  }
}

QBrush hatch_brush(Hatch hatch, const QColor& colour) {
  if (hatch == Hatch::None || hatch == Hatch::Outline) return Qt::NoBrush;
  const int size = hatch == Hatch::Dots ? 6 : 8;
  QPixmap tile(size, size);
  tile.fill(Qt::transparent);
  QPainter p(&tile);
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(colour, hatch == Hatch::Diagonal ? 1.8 : 1.3));
  if (hatch == Hatch::Diagonal) {
    p.drawLine(QPointF(-2, size + 2), QPointF(size + 2, -2));
    p.drawLine(QPointF(-2, 2), QPointF(2, -2));
    p.drawLine(QPointF(size - 2, size + 2), QPointF(size + 2, size - 2));
  } else if (hatch == Hatch::Dots) {
    p.fillRect(QRectF(2, 2, 1.6, 1.6), colour);
  } else {  // arrow heads pointing right
    p.drawLine(QPointF(2, 1), QPointF(5.5, 4));
    p.drawLine(QPointF(5.5, 4), QPointF(2, 7));
  }
  p.end();
  return QBrush(tile);
}

Theme::Theme(QObject* parent) : QObject(parent) {
  if (qGuiApp) qGuiApp->installEventFilter(this);
  update();
}

void Theme::set_mode(ThemeMode mode) {
  mode_ = mode;
  update();
}

void Theme::update() {
  const bool system_dark = qGuiApp && QGuiApplication::palette().color(QPalette::Window).lightness() < 110;
  const bool contrast = mode_ == ThemeMode::Contrast;
  const bool dark = contrast || mode_ == ThemeMode::Dark || (mode_ == ThemeMode::System && system_dark);
  if (colours_.background.isValid() && dark == colours_.dark && contrast == colours_.contrast) return;
  colours_ = contrast ? ThemeColours::high_contrast() : dark ? ThemeColours::dark_colours() : ThemeColours::light();
  Q_EMIT changed();
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
  if (watched == qGuiApp && event->type() == QEvent::ApplicationPaletteChange) update();
  return QObject::eventFilter(watched, event);
}

QPalette Theme::palette() const {
  const ThemeColours& c = colours_;
  QPalette p;
  p.setColor(QPalette::Window, c.panel);
  p.setColor(QPalette::Base, c.background);
  p.setColor(QPalette::AlternateBase, c.dark ? QColor(0x1d, 0x20, 0x25) : QColor(0xf8, 0xf9, 0xfb));
  p.setColor(QPalette::Button, c.dark ? QColor(0x2c, 0x30, 0x36) : QColor(0xec, 0xee, 0xf1));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
    p.setColor(role, c.text);
  }
  p.setColor(QPalette::ToolTipBase, c.dark ? QColor(0x2c, 0x30, 0x36) : QColor(Qt::white));
  p.setColor(QPalette::PlaceholderText, c.dim_text);
  p.setColor(QPalette::BrightText, c.capacity);
  p.setColor(QPalette::Light, c.dark ? QColor(0x3a, 0x3f, 0x47) : QColor(Qt::white));
  p.setColor(QPalette::Midlight, c.dark ? QColor(0x32, 0x36, 0x3d) : QColor(0xf0, 0xf1, 0xf4));
  p.setColor(QPalette::Mid, c.axis);
  p.setColor(QPalette::Dark, c.dark ? QColor(0x0f, 0x11, 0x14) : QColor(0x9a, 0xa0, 0xa8));
  p.setColor(QPalette::Shadow, QColor(Qt::black));
  p.setColor(QPalette::Highlight, c.dark ? QColor(0x1f, 0x6f, 0xa8) : c[Role::Work]);
  p.setColor(QPalette::HighlightedText, QColor(Qt::white));
  p.setColor(QPalette::Link, c.dark ? c[Role::Copy] : c[Role::Work]);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    p.setColor(QPalette::Disabled, role, c.contrast ? QColor(0xa0, 0xa6, 0xae) : c.axis);
  }
  if (c.contrast) {
    p.setColor(QPalette::AlternateBase, QColor(0x16, 0x16, 0x16));
    p.setColor(QPalette::Button, QColor(Qt::black));
    p.setColor(QPalette::ToolTipBase, QColor(Qt::black));
    p.setColor(QPalette::Highlight, QColor(0xff, 0xe0, 0x40));
    p.setColor(QPalette::HighlightedText, QColor(Qt::black));
  }
  return p;
}

}  // namespace arenascope::views
