// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels.h"

#include <views/common/plot_view.h>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QCoreApplication>
#include <QSplitter>
#include <QTextEdit>

namespace arenascope::app {

using namespace views;

Panels::Panels(QMainWindow* window, Document& document) : QObject(window), window_(window) {
  for (const PanelDescriptor& kind : panel_kinds()) {
    const QString id = QString::fromLatin1(kind.id);
    auto* dock = new QDockWidget(window_);
    dock->setObjectName(id);
    PanelInstance parts = kind.make(kind, document, window_);
    dock->setWidget(parts.widget);
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

void Panels::note_front() {
  QStringList seen;
  for (const PanelDescriptor& kind : panel_kinds()) {
    const QDockWidget* panel = dock(QString::fromLatin1(kind.id));
    if (kind.group == group_ && !panel->isFloating() && !panel->visibleRegion().isEmpty())
      seen << QString::fromLatin1(kind.id);
  }
  if (seen.size() == 1) front_of_group_[group_] = seen.front();
}

void Panels::show_group(PanelGroup group, const QString& in_front) {
  if (group == PanelGroup::None) return;
  note_front();
  group_ = group;
  if (!in_front.isEmpty()) front_of_group_[group] = in_front;
  closed_.erase(in_front);
  QString front = front_of_group_[group];
  if (closed_.contains(front)) front.clear();
  for (const PanelDescriptor& kind : panel_kinds()) {
    if (kind.group == PanelGroup::None) continue;
    const QString id = QString::fromLatin1(kind.id);
    const bool seen = kind.group == group && !closed_.contains(id);
    if (front.isEmpty() && seen) front = id;
    if (!dock(id)->isFloating()) dock(id)->setVisible(seen);
  }
  if (!front.isEmpty()) dock(front)->raise();
  Q_EMIT group_changed();
}

void Panels::update_group() {
  for (const PanelDescriptor& kind : panel_kinds()) {
    const QDockWidget* panel = dock(QString::fromLatin1(kind.id));
    if (kind.group == PanelGroup::None || panel->isHidden() || panel->isFloating()) continue;
    group_ = kind.group;
    return Q_EMIT group_changed();
  }
}

void Panels::raise(const QString& id) {
  const PanelGroup group = panels_.at(id).kind->group;
  if (group != group_ && !dock(id)->isFloating()) show_group(group, id);
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
  if (open) {
    closed_.erase(id);
    return raise(id);
  }
  closed_.insert(id);
  dock(id)->hide();
}

void Panels::show(const QString& id) {
  raise(id);
  last_ = id;
  const PanelInstance& p = parts(id);
  auto* plot = qobject_cast<PlotView*>(p.drawn);
  QWidget* first = is_hidden_by_lesson(id) ? static_cast<QWidget*>(panels_.at(id).placeholder)
                   : plot != nullptr       ? plot
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
  return dock(last_)->visibleRegion().isEmpty() ? QStringLiteral("graph") : last_;
}

bool Panels::focus_in_graph() const {
  return QApplication::focusWidget() == static_cast<QWidget*>(find<GraphView>("graph")->canvas());
}

void Panels::toggle_table() {
  const QString id = current();
  const PanelInstance& p = parts(id);
  if (qobject_cast<PlotView*>(p.drawn) == nullptr) {
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
