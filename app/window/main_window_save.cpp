// SPDX-License-Identifier: GPL-3.0-or-later
// Copy and save of each view, as a picture and as the table that tells the same; and the table beside a drawn view.
#include <views/common/plot_view.h>
#include <views/findings/findings_view.h>
#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QSaveFile>
#include <QSplitter>

#include "main_window.h"
#include "widget_picture.h"

namespace arenascope::app {

using namespace views;

// The panel that has the focus, or had it last and is still seen.
QString MainWindow::panel_at_hand() const {
  const QWidget* focus = QApplication::focusWidget();
  for (auto it = docks_.begin(); it != docks_.end(); ++it)
    if (focus != nullptr && it.value()->isAncestorOf(focus)) return it.key();
  QDockWidget* last = docks_.value(last_panel_);
  return last != nullptr && !last->visibleRegion().isEmpty() ? last_panel_ : QStringLiteral("graph");
}

// What draws a panel; null where the panel is drawn as it stands. `size` is what it takes on the screen.
Paintable* MainWindow::picture_of(const QString& id, QSize* size) const {
  QWidget* widget = docks_[id]->widget();
  Paintable* picture = nullptr;
  if (id == u"graph") {
    picture = graph_;
  } else if (PlotView* plot = plots_.value(id)) {
    picture = plot;
    widget = plot;
  } else if (id == u"objects") {
    picture = objects_;
    widget = objects_;
  }
  *size = widget->size().expandedTo(QSize(64, 64));
  return picture;
}

void MainWindow::save_picture() {
  const QString id = panel_at_hand();
  const QString path =
      ask_file(true, tr("Save a picture of %1").arg(docks_[id]->windowTitle()), tr("Pictures (*.png *.svg *.pdf)"));
  if (path.isEmpty()) return;
  QSize size;
  WidgetPicture as_it_stands(docks_[id]->widget());
  Paintable* picture = picture_of(id, &size);
  if (auto ok = export_picture(picture != nullptr ? *picture : as_it_stands, path, size); !ok)
    fail(QString::fromStdString(ok.error().message));
  else
    messages_->say(MessageKind::Note, tr("The picture was saved to %1.").arg(path));
}

void MainWindow::copy_picture() {
  const QString id = panel_at_hand();
  QSize size;
  WidgetPicture as_it_stands(docks_[id]->widget());
  Paintable* picture = picture_of(id, &size);
  constexpr double kScale = 2;
  QImage image((QSizeF(size) * kScale).toSize(), QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.scale(kScale, kScale);
  (picture != nullptr ? *picture : as_it_stands).paint(&painter, size);
  painter.end();
  QApplication::clipboard()->setImage(image);
}

// The table that tells what a panel shows; null where it keeps its own.
TablePanel* MainWindow::table_of(const QString& id) const {
  return tables_.value(id == u"graph" ? QStringLiteral("nodes") : id);
}

// What a panel shows, as CSV; null where that is no table (a lesson).
QString MainWindow::csv_of(const QString& id) const {
  if (id == u"findings") return findings_->model()->to_csv();
  if (id == u"inspector") return inspector_->to_csv();
  if (id == u"breakpoints") return break_panel_->model()->to_csv();
  TablePanel* table = table_of(id);
  if (table == nullptr) return {};
  table->refresh();
  return table->model()->to_csv();
}

void MainWindow::save_table() {
  const QString id = panel_at_hand();
  const QByteArray csv = csv_of(id).toUtf8();
  if (csv.isEmpty()) {
    messages_->say(MessageKind::Note, tr("%1 is no table.").arg(docks_[id]->windowTitle()));
    return;
  }
  const QString path = ask_file(true, tr("Save the table %1").arg(docks_[id]->windowTitle()), tr("Tables (*.csv)"));
  if (path.isEmpty()) return;
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(csv) != csv.size() || !file.commit())
    fail(tr("%1 cannot be written: %2.").arg(path, file.errorString()));
  else
    messages_->say(MessageKind::Note, tr("The table was saved to %1.").arg(path));
}

void MainWindow::copy_table() {
  if (const QString csv = csv_of(panel_at_hand()); !csv.isEmpty()) QApplication::clipboard()->setText(csv);
}

// Beside the drawn view that is at hand; the graph's is the panel Nodes.
void MainWindow::toggle_table() {
  const QString id = panel_at_hand();
  if (!plots_.contains(id)) {
    const QString other = id == u"graph" ? QStringLiteral("nodes") : id;
    docks_[other]->show();
    docks_[other]->raise();
    return;
  }
  TablePanel* table = tables_[id];
  table->setVisible(table->isHidden());
  if (table->isHidden()) {
    plots_[id]->setFocus();
    return;
  }
  auto* both = qobject_cast<QSplitter*>(docks_[id]->widget());
  const int width = both->width();
  both->setSizes({width * 6 / 10, width * 4 / 10});
  table->table_view()->setFocus();
}

void MainWindow::panel_menu(const QString& id, const QPoint& global) {
  last_panel_ = id;
  if (PlotView* plot = plots_.value(id)) plot->setFocus();
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  auto add = [&](const char* action) { menu->addAction(actions_->find(QString::fromLatin1(action))); };
  for (const char* action : {"view.frame", "view.all"}) add(action);
  if (id == u"graph")
    for (const char* action : {"graph.producer", "graph.user", "graph.toggle"}) add(action);
  menu->addSeparator();
  for (const char* action : {"run.breakpoint", "run.cursor"}) add(action);
  menu->addSeparator();
  for (const char* action :
       {"edit.copy_name", "edit.copy_picture", "edit.copy_table", "file.save_picture", "file.save_table", "view.table"})
    add(action);
  menu->popup(global);
}

}  // namespace arenascope::app
