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

Panels::Panels(QMainWindow* window, Document& document) : QObject(window), window_(window) {
  for (const PanelDescriptor& kind : panel_kinds()) {
    auto* dock = new QDockWidget(window_);
    dock->setObjectName(QString::fromLatin1(name_of(kind.id)));  // for QMainWindow::saveState()
    PanelInstance parts = kind.make(kind, document, window_, widgets_);
    dock->setWidget(parts.widget);
    dock->installEventFilter(this);
    connect_panel(kind.id, parts);
    panel(kind.id) = {std::move(parts), dock};
  }
  show_title_bars(false);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { note_focus(now); });
}

void Panels::connect_panel(PanelId id, const PanelInstance& parts) {
  if (parts.table != nullptr) {
    connect(parts.table, &TablePanel::activated, this, [this, id](int row) { Q_EMIT activated(id, row); });
    QTableView* rows = parts.table->table_view();
    rows->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(rows, &QWidget::customContextMenuRequested, this, [this, id, rows](const QPoint& at) {
      last_ = id;
      Q_EMIT menu_requested(id, rows->viewport()->mapToGlobal(at));
    });
  }
  if (PlotView* plot = parts.plot) {
    connect(plot, &PlotView::activated, this, [this, id] { Q_EMIT activated(id, -1); });
    plot->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(plot, &QWidget::customContextMenuRequested, this, [this, id, plot](const QPoint& at) {
      plot->setFocus();
      last_ = id;
      Q_EMIT menu_requested(id, plot->mapToGlobal(at));
    });
  } else if (id == PanelId::Graph) {
    connect(widgets_.graph, &GraphView::context_menu_requested, this, [this, id](const Selection&, const QPoint& at) {
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

TablePanel* Panels::table(PanelId id) const { return parts(panel_kind(id).table_of.value_or(id)).table; }

// Tabs that are not in front are placed outside of the window.
bool Panels::is_in_sight(PanelId id) const {
  const QDockWidget* panel = dock(id);
  return panel->isVisible() && (panel->isFloating() || window_->rect().intersects(panel->geometry()));
}

void Panels::note_front() {
  std::vector<PanelId> seen;
  for (const PanelDescriptor& kind : panel_kinds())
    if (kind.group == arrangement_.group() && !dock(kind.id)->isFloating() && is_in_sight(kind.id))
      seen.push_back(kind.id);
  if (seen.size() == 1) arrangement_.set_front(seen.front());
}

// Shows the included panels outside the groups and those of the current group.
bool Panels::update_visible() {
  arrangement_.leave_empty_group();
  const PanelDescriptor* front = nullptr;
  if (const auto chosen = arrangement_.front(); chosen && arrangement_.is_included(panel_kind(*chosen)))
    front = &panel_kind(*chosen);
  bool changed = false;
  for (const PanelDescriptor& kind : panel_kinds()) {
    const bool seen = arrangement_.is_seen(kind);
    if (seen && kind.group != PanelGroup::None && front == nullptr) front = &kind;
    QDockWidget* dock = panel(kind.id).dock;
    if (dock->isFloating() || dock->isHidden() != seen) continue;
    dock->setVisible(seen);
    changed = true;
  }
  if (changed && front != nullptr) dock(front->id)->raise();
  Q_EMIT group_changed();
  return changed;
}

void Panels::show_group(PanelGroup group, std::optional<PanelId> in_front) {
  if (group == PanelGroup::None) return;
  note_front();
  arrangement_.show_group(group);
  if (in_front) arrangement_.set_front(*in_front);
  update_visible();
  if (const auto front = arrangement_.front(); front && !dock(*front)->isHidden()) dock(*front)->raise();
}

void Panels::set_layout(uint8_t layout, const Choices& choices) {
  arrangement_.set_layout(layout, choices);
  update_visible();
}

std::optional<PanelId> Panels::front() const {
  if (const auto chosen = arrangement_.front(); chosen && !dock(*chosen)->isHidden()) return chosen;
  for (const PanelDescriptor& kind : panel_kinds())
    if (kind.group != PanelGroup::None && !dock(kind.id)->isHidden()) return kind.id;
  return std::nullopt;
}

bool Panels::set_content(const DocumentContent& content) {
  note_front();
  arrangement_.set_content(content);
  return update_visible();
}

Panels::Choices Panels::choices() {
  note_front();
  return {arrangement_.opened(), arrangement_.closed(), front()};
}

void Panels::adopt_visible() {
  for (const PanelDescriptor& kind : panel_kinds()) {
    if (kind.group == PanelGroup::None || dock(kind.id)->isHidden()) continue;
    arrangement_.show_group(kind.group);
    break;
  }
  for (const PanelDescriptor& kind : panel_kinds())
    if (kind.group == PanelGroup::None || kind.group == arrangement_.group())
      arrangement_.adopt(kind.id, !dock(kind.id)->isHidden());
  update_visible();
}

void Panels::raise(PanelId id) {
  const PanelDescriptor& kind = panel_kind(id);
  if (!arrangement_.has_stage() && kind.group == PanelGroup::None && kind.area == DockArea::Bottom)
    note_front();  // which it covers
  arrangement_.set_open(id, true);
  if (!arrangement_.has_stage()) {
    if (kind.group != PanelGroup::None && !dock(id)->isFloating())
      show_group(kind.group, id);
    else
      update_visible();
  }
  dock(id)->show();
  dock(id)->raise();
}

void Panels::hide_with_placeholder(PanelId id, const QString& text) {
  Panel& panel = this->panel(id);
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

void Panels::set_open(PanelId id, bool open) {
  if (open) return raise(id);
  arrangement_.set_open(id, false);
  if (!arrangement_.has_stage()) note_front();
  dock(id)->hide();
  if (!arrangement_.has_stage()) update_visible();
}

// The close button of a panel.
bool Panels::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Close)
    for (const PanelDescriptor& kind : panel_kinds())
      if (watched == dock(kind.id)) set_open(kind.id, false);
  return QObject::eventFilter(watched, event);
}

void Panels::show(PanelId id) {
  raise(id);
  last_ = id;
  const PanelInstance& p = parts(id);
  QWidget* first = is_hidden_by_lesson(id) ? static_cast<QWidget*>(panel(id).placeholder)
                   : p.table_on_request    ? p.drawn
                   : p.table != nullptr    ? static_cast<QWidget*>(p.table->table_view())
                   : id == PanelId::Graph  ? static_cast<QWidget*>(widgets_.graph->canvas())
                                           : p.widget;
  // Keeps its position if it is already visible.
  if (!dock(id)->isAncestorOf(QApplication::focusWidget())) first->setFocus();
}

void Panels::note_focus(const QWidget* now) {
  for (const PanelDescriptor& kind : panel_kinds())
    if (now != nullptr && dock(kind.id)->isAncestorOf(now)) last_ = kind.id;
}

PanelId Panels::current() const {
  const QWidget* focus = QApplication::focusWidget();
  for (const PanelDescriptor& kind : panel_kinds())
    if (focus != nullptr && dock(kind.id)->isAncestorOf(focus)) return kind.id;
  if (is_in_sight(last_)) return last_;
  for (const PanelDescriptor& kind : panel_kinds())
    if (is_in_sight(kind.id)) return kind.id;
  return PanelId::Graph;
}

void Panels::toggle_table() {
  const PanelId id = current();
  const PanelInstance& p = parts(id);
  if (!p.table_on_request) return show(panel_kind(id).table_of.value_or(id));
  p.table->setVisible(p.table->isHidden());
  if (p.table->isHidden()) return p.drawn->setFocus();
  auto* both = qobject_cast<QSplitter*>(p.widget);
  both->setSizes({both->width() * 6 / 10, both->width() * 4 / 10});
  p.table->table_view()->setFocus();
}

void Panels::leave(Document& document) {
  for (const Panel& panel : panels_)
    if (panel.parts.leave) panel.parts.leave(document);
}

void Panels::set_document(Document& document) {
  for (const Panel& panel : panels_)
    if (panel.parts.show) panel.parts.show(document);
}

// Views show their names and tabs those of tables, so title bars are needed for moving only.
void Panels::show_title_bars(bool on) {
  for (const PanelDescriptor& kind : panel_kinds()) {
    if (kind.id == PanelId::Graph || kind.id == PanelId::Inspector || kind.id == PanelId::Lesson) continue;
    QDockWidget* dock = panel(kind.id).dock;
    QWidget* old = dock->titleBarWidget();
    QWidget* none = on ? nullptr : new QWidget(dock);
    if (none != nullptr) none->setFixedHeight(1);
    dock->setTitleBarWidget(none);
    delete old;
  }
}

void Panels::retranslate() {
  for (const PanelDescriptor& kind : panel_kinds()) {
    const QString title = QCoreApplication::translate("Docks", kind.title);
    dock(kind.id)->setWindowTitle(title);
    if (TablePanel* table = parts(kind.id).table; table != nullptr)
      table->table_view()->setAccessibleName(tr("Table %1").arg(title));
  }
}

void prepare_plots(const Panels& panels) {
  for (const PanelDescriptor& kind : panel_kinds())
    if (PlotView* plot = panels.parts(kind.id).plot; plot != nullptr && plot->isVisible()) plot->prepare_now();
}

}  // namespace arenascope::app
