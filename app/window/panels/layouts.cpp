// SPDX-License-Identifier: GPL-3.0-or-later
#include "layouts.h"

#include <views/common/settings.h>
#include <QLayout>
#include <QRegularExpression>
#include <QScreen>

#include <algorithm>
#include <vector>

#include "app/window/style/motion.h"

namespace arenascope::app {

using views::Settings;

namespace {

// Version for QMainWindow::saveState(); other versions are not restored.
constexpr int kOwnVersion = 2, kKindVersion = 5;

uint8_t bit_of(const QString& name) {
  const qsizetype i = Layouts::names().indexOf(name);
  return static_cast<uint8_t>(1 << std::max<qsizetype>(i, 0));
}

QString key_of(LayoutKind kind, const char* what) {
  return QStringLiteral("kinds/%1_%2").arg(QLatin1String(name_of(kind)), QLatin1String(what));
}

// The settings have the names of panels.
QStringList names_of(const std::set<PanelId>& panels) {
  QStringList names;
  for (const PanelId id : panels) names << QString::fromLatin1(name_of(id));
  return names;
}

// Without the panels of another version.
std::set<PanelId> panels_of(const QStringList& names) {
  std::set<PanelId> panels;
  for (const QString& name : names)
    if (const auto id = panel_named(name.toStdString())) panels.insert(*id);
  return panels;
}

// From top to bottom. The timeline of a trace has the whole width, so the inspector is below it.
std::vector<DockArea> rows_of(const QString& layout) {
  if (layout == u"time") return {DockArea::Row3, DockArea::Row2};
  if (layout == u"plan") return {DockArea::Row2, DockArea::Row3};
  return {DockArea::Row1, DockArea::Row2, DockArea::Row3};
}

// Where there are two rows, the occupancy is a tab next to the arena map.
DockArea area_in(const PanelDescriptor& kind, const QString& layout) {
  return kind.area == DockArea::Row1 && rows_of(layout).size() < 3 ? DockArea::Row2 : kind.area;
}

}  // namespace

Layouts::Layouts(QMainWindow* window, Panels* panels) : QObject(window), window_(window), panels_(panels) {
  window_->setDockNestingEnabled(true);
  window_->setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
  window_->setAnimated(wants_motion());  // animated panels
  window_->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  window_->setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  window_->setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  window_->installEventFilter(this);
  for (const PanelDescriptor& kind : panel_kinds())
    connect(panels_->dock(kind.id), &QDockWidget::topLevelChanged, this, [this] { sized_ = true; });
  set_up(QString::fromLatin1(default_layout_of(kind_)));
}

// In the order of the bits of PanelLayout.
QStringList Layouts::names() { return {"default", "graph", "memory", "time", "lesson", "plan"}; }

// The built-in layout with all panels shown.
void Layouts::arrange_docks(const QString& name) {
  window_->setAnimated(false);  // animating two dozen docks would lay out and paint each twice
  std::map<DockArea, QDockWidget*> first, newest;
  for (const PanelDescriptor& kind : panel_kinds()) {
    QDockWidget* dock = panels_->dock(kind.id);
    window_->removeDockWidget(dock);
    dock->setFloating(false);
    first.try_emplace(area_in(kind, name), dock);
  }
  const std::vector<DockArea> rows = rows_of(name);
  window_->addDockWidget(Qt::TopDockWidgetArea, first[DockArea::Left]);
  window_->splitDockWidget(first[DockArea::Left], first[rows[0]], Qt::Horizontal);
  window_->splitDockWidget(first[DockArea::Left], first[DockArea::LeftBelow], Qt::Vertical);
  window_->addDockWidget(Qt::BottomDockWidgetArea, first[DockArea::Bottom]);
  window_->splitDockWidget(first[name == u"time" ? DockArea::Bottom : rows[0]], first[DockArea::Right], Qt::Horizontal);
  for (size_t i = 1; i < rows.size(); ++i) window_->splitDockWidget(first[rows[i - 1]], first[rows[i]], Qt::Vertical);
  newest = first;
  for (const PanelDescriptor& kind : panel_kinds()) {
    const DockArea area = area_in(kind, name);
    QDockWidget* dock = panels_->dock(kind.id);
    if (dock != first[area]) window_->tabifyDockWidget(std::exchange(newest[area], dock), dock);
    dock->show();
  }
  window_->setAnimated(wants_motion());
}

void Layouts::set_up(const QString& name) {
  const uint8_t bit = bit_of(name);
  current_ = name;
  arrange_docks(name);
  sized_ = false;
  panels_->set_layout(bit, {});
  for (const PanelDescriptor& kind : panel_kinds()) {
    QDockWidget* dock = panels_->dock(kind.id);
    if ((kind.raised & bit) == 0 || !panels_->arrangement().is_included(kind)) continue;
    if (kind.group != PanelGroup::None) panels_->show_group(kind.group, kind.id);
    if (!dock->isHidden()) dock->raise();
  }
  resize_docks();
}

void Layouts::apply(const QString& name) {
  set_up(name);
  save_kind();
  Q_EMIT applied();
}

void Layouts::reset() { apply(QString::fromLatin1(default_layout_of(kind_))); }

// Shares of the width and the height, of the panels that are shown.
void Layouts::resize_docks() {
  using enum PanelId;
  using Shown = std::optional<PanelId>;  // nullopt: no panel is shown there
  const auto is_shown = [this](Shown id) {
    return id && !panels_->dock(*id)->isHidden() && !panels_->dock(*id)->isFloating();
  };
  const auto first_of = [&](std::initializer_list<PanelId> ids) {
    for (const PanelId id : ids)
      if (is_shown(id)) return Shown(id);
    return Shown();
  };
  const auto resize = [&](Qt::Orientation along, std::initializer_list<std::pair<Shown, int>> sizes) {
    QList<QDockWidget*> docks;
    QList<int> pixels;
    for (const auto& [id, size] : sizes)
      if (is_shown(id)) docks << panels_->dock(*id), pixels << size;
    if (!docks.isEmpty()) window_->resizeDocks(docks, pixels, along);
  };
  const Shown table = panels_->front();
  const Shown map = first_of({Arena, Lifetimes, Occupancy});  // tabs of one area
  const bool lesson = current_ == u"lesson", time = current_ == u"time";
  const int w = std::max(window_->width(), 900), h = std::max(window_->height(), 600);
  const int below = current_ == u"plan" ? h * 40 / 100 : std::max(200, h * 24 / 100);
  // Rows above the tables share the height.
  const auto stack = [&](std::initializer_list<std::pair<Shown, int>> shares) {
    int all = 0;
    for (const auto& [id, share] : shares) all += is_shown(id) ? share : 0;
    QList<QDockWidget*> docks;
    QList<int> pixels;
    for (const auto& [id, share] : shares)
      if (is_shown(id)) docks << panels_->dock(*id), pixels << (h - below - 60) * share / all;
    const Shown last = is_shown(table) || !time ? table : Inspector;
    if (is_shown(last)) docks << panels_->dock(*last), pixels << below;
    if (!docks.isEmpty()) window_->resizeDocks(docks, pixels, Qt::Vertical);
  };
  const int side = std::min(lesson ? 420 : 360, w / 4), right = std::min(320, w / 4);
  if (current_ == u"graph") {
    resize(Qt::Horizontal, {{Graph, w * 7 / 10}, {Inspector, w * 3 / 10}});
    return resize(Qt::Vertical, {{Graph, h * 8 / 10}, {table, h * 2 / 10}});
  }
  if (time) {
    resize(Qt::Horizontal, {{Graph, side}, {first_of({Timeline, Occupancy, Arena}), w - side}});
    resize(Qt::Horizontal, {{table, w * 6 / 10}, {Inspector, w * 4 / 10}});
    return stack({{Timeline, 65}, {map, 35}});
  }
  const Shown middle = first_of({Occupancy, Arena, Timeline, Lifetimes});
  resize(Qt::Horizontal, {{Graph, middle ? side : w - right}, {middle, w - side - right}, {Inspector, right}});
  if (current_ == u"plan")
    stack({{map, 1}});
  else if (current_ == u"memory")
    stack({{Occupancy, 35}, {first_of({Arena, Lifetimes}), 65}});
  else
    stack({{Occupancy, 27}, {first_of({Arena, Lifetimes}), 46}, {Timeline, 27}});
  if (lesson) resize(Qt::Vertical, {{Graph, h * 35 / 100}, {Lesson, h * 65 / 100}});
}

// --- the layout of each kind of document

void Layouts::save_kind() const {
  if (fixed_ || held_) return;
  const Panels::Choices choices = panels_->choices();
  Settings::set(key_of(kind_, "layout"), current_);
  Settings::set(key_of(kind_, "state"), window_->saveState(kKindVersion));
  Settings::set(key_of(kind_, "opened"), names_of(choices.opened));
  Settings::set(key_of(kind_, "closed"), names_of(choices.closed));
  Settings::set(key_of(kind_, "front"), choices.front ? QString::fromLatin1(name_of(*choices.front)) : QString());
  Settings::set(key_of(kind_, "sized"), sized_);
}

void Layouts::restore_kind() {
  const QByteArray state = fixed_ ? QByteArray() : Settings::value(key_of(kind_, "state")).toByteArray();
  const QString layout = Settings::value(key_of(kind_, "layout")).toString();
  if (state.isEmpty() || !names().contains(layout)) {
    const QString preset = QString::fromLatin1(default_layout_of(kind_));
    return apply(fixed_ && !fixed_layout_.isEmpty() ? fixed_layout_ : preset);
  }
  current_ = layout;
  sized_ = Settings::value(key_of(kind_, "sized")).toBool();
  if (!window_->restoreState(state, kKindVersion)) return apply(layout);
  panels_->set_layout(bit_of(layout), {panels_of(Settings::value(key_of(kind_, "opened")).toStringList()),
                                       panels_of(Settings::value(key_of(kind_, "closed")).toStringList()),
                                       panel_named(Settings::value(key_of(kind_, "front")).toString().toStdString())});
  Q_EMIT applied();
}

void Layouts::show(const DocumentContent& content) {
  if (held_) {
    waiting_ = content;
    return;
  }
  const LayoutKind kind = content.open ? layout_kind_of(content) : kind_;
  const bool switched = kind != kind_;
  window_->setUpdatesEnabled(false);
  window_->setAnimated(false);  // panels do not glide with the content
  if (switched) {
    save_kind();  // before panels of the previous document go
    kind_ = kind;
  }
  const bool changed = panels_->set_content(content);
  if (switched) restore_kind();
  if ((switched || changed) && !sized_) resize_docks();
  window_->layout()->activate();
  window_->setAnimated(wants_motion());
  window_->setUpdatesEnabled(true);
}

void Layouts::hold() {
  save_kind();
  held_ = true;
}

void Layouts::release() {
  held_ = false;
  panels_->set_stage(std::nullopt);
  restore_kind();
  if (waiting_) show(*std::exchange(waiting_, std::nullopt));
}

void Layouts::fix(const QString& name) {
  fixed_ = true;
  fixed_layout_ = name;
  apply(name.isEmpty() ? QString::fromLatin1(default_layout_of(kind_)) : name);
}

// The lines between panels belong to the window, which receives their mouse events.
bool Layouts::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::MouseButtonRelease) sized_ = true;
  return QObject::eventFilter(watched, event);
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
  panels_->adopt_visible();
  sized_ = true;
  Q_EMIT applied();
  return true;
}

void Layouts::forget(const QString& name) {
  Settings::remove(QStringLiteral("layouts/") + name);
  Q_EMIT own_changed();
}

// --- restored at the next start

void Layouts::save_window() {
  Settings::set("window/geometry", window_->saveGeometry());
  save_kind();
}

void Layouts::restore_window() {
  if (!window_->restoreGeometry(Settings::value("window/geometry").toByteArray())) {
    // Leaves space for the frame and desktop panels.
    const QSize space = QGuiApplication::primaryScreen()->availableSize() * 94 / 100;
    window_->resize(QSize(1600, 900).boundedTo(space));
  }
  restore_kind();
}

}  // namespace arenascope::app
