// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels.h"

#include <views/common/plot_view.h>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QCoreApplication>
#include <QSplitter>
#include <QTextEdit>

#include <algorithm>

namespace arenascope::app {

using namespace views;

namespace {

// A view whose table is shown on request.
bool has_view_and_table(const PanelInstance& parts) {
  return qobject_cast<PlotView*>(parts.drawn) != nullptr || qobject_cast<FlameView*>(parts.drawn) != nullptr;
}

}  // namespace

Panels::Panels(QMainWindow* window, Document& document) : QObject(window), window_(window) {
  for (const PanelDescriptor& kind : panel_kinds()) {
    const QString id = QString::fromLatin1(kind.id);
    auto* dock = new QDockWidget(window_);
    dock->setObjectName(id);
    PanelInstance parts = kind.make(kind, document, window_);
    dock->setWidget(parts.widget);
    dock->installEventFilter(this);
    connect_panel(id, parts);
    panels_.emplace(id, Panel{&kind, std::move(parts), dock, nullptr});
  }
  show_title_bars(false);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { note_focus(now); });
}

void Panels::connect_panel(const QString& id, const PanelInstance& parts) {
  if (parts.table != nullptr) {
    connect(parts.table, &TablePanel::activated, this, [this, id](int row) { Q_EMIT activated(id, row); });
    QTableView* rows = parts.table->table_view();
    rows->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(rows, &QWidget::customContextMenuRequested, this, [this, id, rows](const QPoint& at) {
      last_ = id;
      Q_EMIT menu_requested(id, rows->viewport()->mapToGlobal(at));
    });
  }
  if (auto* plot = qobject_cast<PlotView*>(parts.drawn)) {
    connect(plot, &PlotView::activated, this, [this, id] { Q_EMIT activated(id, -1); });
    plot->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(plot, &QWidget::customContextMenuRequested, this, [this, id, plot](const QPoint& at) {
      plot->setFocus();
      last_ = id;
      Q_EMIT menu_requested(id, plot->mapToGlobal(at));
    });
  } else if (auto* graph = qobject_cast<GraphView*>(parts.drawn)) {
    connect(graph, &GraphView::context_menu_requested, this, [this, id](const Selection&, const QPoint& at) {
      last_ = id;
      Q_EMIT menu_requested(id, at);
    });
  }
  // Text widgets have a context menu of their own.
  for (auto* area : parts.widget->findChildren<QAbstractScrollArea*>()) {
    if (area->contextMenuPolicy() == Qt::CustomContextMenu || qobject_cast<QTextEdit*>(area) != nullptr) continue;
    area->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(area, &QWidget::customContextMenuRequested, this, [this, id, area](const QPoint& at) {
      last_ = id;
      Q_EMIT menu_requested(id, area->viewport()->mapToGlobal(at));
    });
  }
  // Other widgets: forms, curves, headings.
  QWidget* widget = parts.widget;
  if (widget->contextMenuPolicy() == Qt::CustomContextMenu) return;
  widget->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(widget, &QWidget::customContextMenuRequested, this, [this, id, widget](const QPoint& at) {
    last_ = id;
    Q_EMIT menu_requested(id, widget->mapToGlobal(at));
  });
}

QDockWidget* Panels::dock(const QString& id) const {
  const auto it = panels_.find(id);
  return it == panels_.end() ? nullptr : it->second.dock;
}

TablePanel* Panels::table(const QString& id) const {
  const Panel& panel = panels_.at(id);
  return panel.kind->table_of != nullptr ? parts(QString::fromLatin1(panel.kind->table_of)).table : panel.parts.table;
}

// Tabs that are not in front are placed outside of the window.
bool Panels::is_in_sight(const QString& id) const {
  const QDockWidget* panel = dock(id);
  return panel->isVisible() && (panel->isFloating() || window_->rect().intersects(panel->geometry()));
}

void Panels::note_front() {
  QStringList seen;
  for (const PanelDescriptor& kind : panel_kinds()) {
    const QString id = QString::fromLatin1(kind.id);
    if (kind.group == group_ && !dock(id)->isFloating() && is_in_sight(id)) seen << id;
  }
  if (seen.size() == 1) front_of_group_[group_] = seen.front();
}

// A layout decides which panels outside the groups are shown; the tabs of a group are always all of them.
bool Panels::is_included(const PanelDescriptor& kind) const {
  const QString id = QString::fromLatin1(kind.id);
  if (stage_) return stage_->contains(id);
  const bool in_layout = kind.group != PanelGroup::None || (kind.shown & layout_) != 0;
  return opened_.contains(id) || (in_layout && has_content(kind.id, content_) && !closed_.contains(id));
}

bool Panels::has_panels(PanelGroup group) const {
  return std::ranges::any_of(panel_kinds(),
                             [&](const PanelDescriptor& kind) { return kind.group == group && is_included(kind); });
}

// Shows the included panels outside the groups and those of the current group. A group without any gives way to one that
// has some.
bool Panels::update_visible() {
  if (!has_panels(group_))
    for (const PanelGroup group : {PanelGroup::Model, PanelGroup::Memory, PanelGroup::Time, PanelGroup::Debug})
      if (!has_panels(group_) && has_panels(group)) group_ = group;
  QString front = front_of_group_[group_];
  if (!front.isEmpty() && !is_included(*panels_.at(front).kind)) front.clear();
  bool changed = false;
  for (const PanelDescriptor& kind : panel_kinds()) {
    const QString id = QString::fromLatin1(kind.id);
    const bool seen = (stage_ || kind.group == PanelGroup::None || kind.group == group_) && is_included(kind);
    if (seen && kind.group != PanelGroup::None && front.isEmpty()) front = id;
    QDockWidget* dock = panels_.at(id).dock;
    if (dock->isFloating() || dock->isHidden() != seen) continue;
    dock->setVisible(seen);
    changed = true;
  }
  if (changed && !front.isEmpty()) dock(front)->raise();
  Q_EMIT group_changed();
  return changed;
}

void Panels::show_group(PanelGroup group, const QString& in_front) {
  if (group == PanelGroup::None) return;
  note_front();
  group_ = group;
  if (!in_front.isEmpty()) front_of_group_[group] = in_front;
  update_visible();
  if (const QString front = front_of_group_[group_]; !front.isEmpty() && !dock(front)->isHidden()) dock(front)->raise();
}

void Panels::set_layout(uint8_t layout, const Choices& choices) {
  const auto known = [this](const QStringList& ids) {
    std::set<QString> set(ids.begin(), ids.end());
    std::erase_if(set, [this](const QString& id) { return !panels_.contains(id); });
    return set;
  };
  layout_ = layout;
  opened_ = known(choices.opened);
  closed_ = known(choices.closed);
  if (const auto front = panels_.find(choices.front); front != panels_.end()) {
    group_ = front->second.kind->group;
    front_of_group_[group_] = choices.front;
  }
  update_visible();
}

QString Panels::front() const {
  const auto chosen = front_of_group_.find(group_);
  if (chosen != front_of_group_.end() && !chosen->second.isEmpty() && !dock(chosen->second)->isHidden())
    return chosen->second;
  for (const PanelDescriptor& kind : panel_kinds())
    if (const QString id = QString::fromLatin1(kind.id); kind.group != PanelGroup::None && !dock(id)->isHidden())
      return id;
  return {};
}

bool Panels::set_content(const DocumentContent& content) {
  note_front();
  content_ = content;
  return update_visible();
}

Panels::Choices Panels::choices() {
  note_front();
  return {QStringList(opened_.begin(), opened_.end()), QStringList(closed_.begin(), closed_.end()), front()};
}

void Panels::adopt_visible() {
  for (const PanelDescriptor& kind : panel_kinds()) {
    if (kind.group == PanelGroup::None || panels_.at(QString::fromLatin1(kind.id)).dock->isHidden()) continue;
    group_ = kind.group;
    break;
  }
  for (const PanelDescriptor& kind : panel_kinds()) {
    const QString id = QString::fromLatin1(kind.id);
    const bool seen = !panels_.at(id).dock->isHidden();
    if ((kind.group != PanelGroup::None && kind.group != group_) || seen == is_included(kind)) continue;
    (seen ? closed_ : opened_).erase(id);
    if (seen != is_included(kind)) (seen ? opened_ : closed_).insert(id);
  }
  update_visible();
}

void Panels::set_stage(const std::optional<QStringList>& panels) {
  stage_.reset();
  if (panels) stage_.emplace(panels->begin(), panels->end());
}

void Panels::raise(const QString& id) {
  const PanelDescriptor& kind = *panels_.at(id).kind;
  if (stage_) {
    stage_->insert(id);
    dock(id)->show();
    return dock(id)->raise();
  }
  if (kind.group == PanelGroup::None && kind.area == DockArea::Bottom) note_front();  // which it covers
  closed_.erase(id);
  if (!is_included(kind)) opened_.insert(id);
  if (kind.group != PanelGroup::None && !dock(id)->isFloating())
    show_group(kind.group, id);
  else
    update_visible();
  dock(id)->show();
  dock(id)->raise();
}

void Panels::hide_with_placeholder(const QString& id, const QString& text) {
  Panel& panel = panels_.at(id);
  if (text.isEmpty() && panel.placeholder != nullptr) {
    panel.dock->setWidget(panel.parts.widget);
    panel.parts.widget->show();
    std::exchange(panel.placeholder, nullptr)->deleteLater();
  }
  if (text.isEmpty()) return;
  if (panel.placeholder == nullptr) {
    panel.placeholder = new QLabel(panel.dock);
    panel.placeholder->setObjectName(QStringLiteral("panel_placeholder"));
    panel.placeholder->setAlignment(Qt::AlignCenter);
    panel.placeholder->setWordWrap(true);
    panel.placeholder->setMargin(12);
    panel.placeholder->setFocusPolicy(Qt::StrongFocus);
    panel.dock->setWidget(panel.placeholder);
    panel.parts.widget->hide();
  }
  panel.placeholder->setText(text);
}

void Panels::set_open(const QString& id, bool open) {
  if (open) return raise(id);
  if (stage_) {
    stage_->erase(id);
    return dock(id)->hide();
  }
  opened_.erase(id);
  closed_.insert(id);
  note_front();
  dock(id)->hide();
  update_visible();
}

// The close button of a panel.
bool Panels::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Close) set_open(watched->objectName(), false);
  return QObject::eventFilter(watched, event);
}

void Panels::show(const QString& id) {
  raise(id);
  last_ = id;
  const PanelInstance& p = parts(id);
  QWidget* first = is_hidden_by_lesson(id) ? static_cast<QWidget*>(panels_.at(id).placeholder)
                   : has_view_and_table(p) ? p.drawn
                   : p.table != nullptr    ? static_cast<QWidget*>(p.table->table_view())
                   : id == u"graph"        ? static_cast<QWidget*>(find<GraphView>("graph")->canvas())
                                           : p.widget;
  // Keeps its position if it is already visible.
  if (!panels_.at(id).dock->isAncestorOf(QApplication::focusWidget())) first->setFocus();
}

void Panels::note_focus(const QWidget* now) {
  for (const auto& [id, panel] : panels_)
    if (now != nullptr && panel.dock->isAncestorOf(now)) last_ = id;
}

QString Panels::current() const {
  const QWidget* focus = QApplication::focusWidget();
  for (const auto& [id, panel] : panels_)
    if (focus != nullptr && panel.dock->isAncestorOf(focus)) return id;
  if (is_in_sight(last_)) return last_;
  for (const PanelDescriptor& kind : panel_kinds())
    if (const QString id = QString::fromLatin1(kind.id); is_in_sight(id)) return id;
  return QStringLiteral("graph");
}

bool Panels::focus_in_graph() const {
  return QApplication::focusWidget() == static_cast<QWidget*>(find<GraphView>("graph")->canvas());
}

void Panels::toggle_table() {
  const QString id = current();
  const PanelInstance& p = parts(id);
  if (!has_view_and_table(p)) {
    const char* other = panels_.at(id).kind->table_of;
    return show(other != nullptr ? QString::fromLatin1(other) : id);
  }
  p.table->setVisible(p.table->isHidden());
  if (p.table->isHidden()) return p.drawn->setFocus();
  auto* both = qobject_cast<QSplitter*>(p.widget);
  both->setSizes({both->width() * 6 / 10, both->width() * 4 / 10});
  p.table->table_view()->setFocus();
}

void Panels::leave(Document& document) {
  for (const auto& [id, panel] : panels_)
    if (panel.parts.leave) panel.parts.leave(document);
}

void Panels::set_document(Document& document) {
  for (const auto& [id, panel] : panels_)
    if (panel.parts.show) panel.parts.show(document);
}

// Views show their names and tabs those of tables, so title bars are needed for moving only.
void Panels::show_title_bars(bool on) {
  for (const auto& [id, panel] : panels_) {
    if (id == u"graph" || id == u"inspector" || id == u"lesson") continue;
    QWidget* old = panel.dock->titleBarWidget();
    QWidget* none = on ? nullptr : new QWidget(panel.dock);
    if (none != nullptr) none->setFixedHeight(1);
    panel.dock->setTitleBarWidget(none);
    delete old;
  }
}

void Panels::retranslate() {
  for (const auto& [id, panel] : panels_) {
    const QString title = QCoreApplication::translate("Docks", panel.kind->title);
    panel.dock->setWindowTitle(title);
    if (panel.parts.table != nullptr) panel.parts.table->table_view()->setAccessibleName(tr("Table %1").arg(title));
  }
}

}  // namespace arenascope::app
