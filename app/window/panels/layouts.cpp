// SPDX-License-Identifier: GPL-3.0-or-later
#include "layouts.h"

#include <views/common/settings.h>
#include <QRegularExpression>
#include <QScreen>

#include <algorithm>

#include "app/window/motion.h"

namespace arenascope::app {

using views::Settings;

namespace {

// Version for QMainWindow::saveState(); other versions are not restored.
constexpr int kOwnVersion = 1, kWindowVersion = 4;

uint8_t bit_of(const QString& name) {
  const qsizetype i = Layouts::names().indexOf(name);
  return static_cast<uint8_t>(1 << std::max<qsizetype>(i, 0));
}

}  // namespace

Layouts::Layouts(QMainWindow* window, Panels* panels) : QObject(window), window_(window), panels_(panels) {
  window_->setDockNestingEnabled(true);
  window_->setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
  window_->setAnimated(wants_motion());  // animated panels
  window_->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  window_->setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  window_->setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
}

// In the order of the bits of PanelLayout.
QStringList Layouts::names() { return {"default", "graph", "memory", "time", "lesson"}; }

QString Layouts::last() { return Settings::value("window/layout", "default").toString(); }

// The default layout with all panels shown.
void Layouts::arrange_docks() {
  window_->setAnimated(false);  // animating two dozen docks would lay out and paint each twice
  std::map<DockArea, QDockWidget*> first, newest;
  for (const PanelDescriptor& kind : panel_kinds()) {
    QDockWidget* dock = panels_->dock(QString::fromLatin1(kind.id));
    window_->removeDockWidget(dock);
    dock->setFloating(false);
    first.try_emplace(kind.area, dock);
  }
  window_->addDockWidget(Qt::TopDockWidgetArea, first[DockArea::Left]);
  window_->splitDockWidget(first[DockArea::Left], first[DockArea::Row1], Qt::Horizontal);
  window_->splitDockWidget(first[DockArea::Left], first[DockArea::LeftBelow], Qt::Vertical);
  window_->splitDockWidget(first[DockArea::Row1], first[DockArea::Right], Qt::Horizontal);
  window_->splitDockWidget(first[DockArea::Row1], first[DockArea::Row2], Qt::Vertical);
  window_->splitDockWidget(first[DockArea::Row2], first[DockArea::Row3], Qt::Vertical);
  window_->addDockWidget(Qt::BottomDockWidgetArea, first[DockArea::Bottom]);
  newest = first;
  for (const PanelDescriptor& kind : panel_kinds()) {
    QDockWidget* dock = panels_->dock(QString::fromLatin1(kind.id));
    if (dock != first[kind.area]) window_->tabifyDockWidget(std::exchange(newest[kind.area], dock), dock);
    dock->show();
  }
  window_->setAnimated(wants_motion());
}

void Layouts::apply(const QString& name) {
  const uint8_t bit = bit_of(name);
  panels_->forget_closed();
  arrange_docks();
  for (const PanelDescriptor& kind : panel_kinds())
    panels_->dock(QString::fromLatin1(kind.id))->setVisible((kind.shown & bit) != 0);
  resize(name);
  for (const PanelDescriptor& kind : panel_kinds()) {
    if ((kind.raised & bit) == 0) continue;
    panels_->dock(QString::fromLatin1(kind.id))->raise();
    panels_->show_group(kind.group, QString::fromLatin1(kind.id));
  }
  Settings::set("window/layout", name);
  Q_EMIT applied();
}

void Layouts::resize(const QString& name) {
  const auto dock = [&](const char* id) { return panels_->dock(QString::fromLatin1(id)); };
  QDockWidget *graph = dock("graph"), *inspector = dock("inspector"), *occupancy = dock("occupancy"),
              *nodes = dock("nodes");
  const bool memory = name == u"memory", time = name == u"time", lesson = name == u"lesson";
  const int w = std::max(window_->width(), 900), h = std::max(window_->height(), 600);
  if (name == u"graph") {
    window_->resizeDocks({graph, inspector}, {w * 7 / 10, w * 3 / 10}, Qt::Horizontal);
    window_->resizeDocks({graph, nodes}, {h * 8 / 10, h * 2 / 10}, Qt::Vertical);
    return;
  }
  const int side = std::min(lesson ? 420 : 360, w / 4), right = std::min(320, w / 4);
  if (memory || time)
    window_->resizeDocks({occupancy, inspector}, {w - right, right}, Qt::Horizontal);
  else
    window_->resizeDocks({graph, occupancy, inspector}, {side, w - side - right, right}, Qt::Horizontal);
  const int rows = h - 250;
  if (memory)
    window_->resizeDocks({occupancy, dock("arena"), nodes}, {rows * 30 / 100, rows * 70 / 100, 200}, Qt::Vertical);
  else if (time)
    window_->resizeDocks({occupancy, dock("timeline"), nodes}, {rows * 35 / 100, rows * 65 / 100, 200}, Qt::Vertical);
  else
    window_->resizeDocks({occupancy, dock("arena"), dock("timeline"), nodes},
                         {rows * 27 / 100, rows * 46 / 100, rows * 27 / 100, 200}, Qt::Vertical);
  if (lesson) window_->resizeDocks({graph, dock("lesson")}, {rows * 35 / 100, rows * 65 / 100}, Qt::Vertical);
}

// --- user-defined layouts

QStringList Layouts::own() const { return Settings::below(QStringLiteral("layouts")); }

void Layouts::save(const QString& name) {
  const QString key = QString(name).remove(QRegularExpression(QStringLiteral("[/\\\\\"]"))).trimmed().left(60);
  if (key.isEmpty()) return;
  Settings::set(QStringLiteral("layouts/") + key, window_->saveState(kOwnVersion));
  Q_EMIT saved(key);
  Q_EMIT own_changed();
}

bool Layouts::restore(const QString& name) {
  if (!window_->restoreState(Settings::value(QStringLiteral("layouts/") + name).toByteArray(), kOwnVersion))
    return false;
  panels_->update_group();
  Q_EMIT applied();
  return true;
}

void Layouts::forget(const QString& name) {
  Settings::remove(QStringLiteral("layouts/") + name);
  Q_EMIT own_changed();
}

// --- restored at the next start

void Layouts::save_window() const {
  Settings::set("window/geometry", window_->saveGeometry());
  Settings::set("window/state", window_->saveState(kWindowVersion));
}

void Layouts::restore_window() {
  if (!window_->restoreGeometry(Settings::value("window/geometry").toByteArray())) {
    // Leaves space for the frame and desktop panels.
    const QSize space = QGuiApplication::primaryScreen()->availableSize() * 94 / 100;
    window_->resize(QSize(1600, 900).boundedTo(space));
  }
  if (!window_->restoreState(Settings::value("window/state").toByteArray(), kWindowVersion)) return apply_last();
  panels_->update_group();
}

}  // namespace arenascope::app
