// SPDX-License-Identifier: GPL-3.0-or-later
// Undo of what changes the view, and arrangements of panels under names of the user's own.
#include <QInputDialog>
#include <QRegularExpression>
#include <QSettings>

#include "main_window.h"

namespace arenascope::app {

using namespace views;

ViewState MainWindow::view_state() const {
  ViewState state;
  state.mode = axis_.mode();
  if (!(axis_.range() == axis_.limits())) state.range = axis_.range();
  state.open_layers = graph_->expanded();
  state.graph_colour = static_cast<int>(graph_->colour());
  state.shown_plan = source_.shown_plan();
  state.panels = panels_;
  return state;
}

void MainWindow::connect_history() {
  note_timer_.stop();
  panels_moved_ = false;
  note_timer_.setSingleShot(true);
  note_timer_.setInterval(350);  // a drag or a turn of the wheel is one change
  connect(&note_timer_, &QTimer::timeout, this, &MainWindow::note_view);
  auto soon = [this] {
    if (!restoring_) note_timer_.start();
  };
  connect(&axis_, &SharedAxis::range_changed, this, soon);
  connect(&axis_, &SharedAxis::mode_changed, this, soon);
  connect(graph_, &GraphView::folding_changed, this, soon);
  connect(graph_, &GraphView::colour_changed, this, soon);
  connect(&source_, &SessionSource::plan_shown, this, soon);
  for (QDockWidget* dock : std::as_const(docks_)) {
    auto moved = [this] {
      if (restoring_) return;
      panels_moved_ = true;
      note_timer_.start();
    };
    connect(dock->toggleViewAction(), &QAction::triggered, this, moved);
    connect(dock, &QDockWidget::topLevelChanged, this, moved);
    connect(dock, &QDockWidget::dockLocationChanged, this, moved);
  }
  // Another session: what was seen of the old one cannot be come back to.
  connect(&source_, &SessionSource::session_replaced, this, [this] {
    note_timer_.stop();
    fresh_view_ = true;
    note_timer_.start();
  });
  panels_ = saveState(1);
  history_.begin(view_state());
}

void MainWindow::note_view() {
  note_timer_.stop();
  if (controller_->state() == RunState::Running) return;  // the axis grows with the run, which nobody did by hand
  if (panels_moved_) panels_ = saveState(1);
  panels_moved_ = false;
  if (std::exchange(fresh_view_, false))
    history_.begin(view_state());
  else
    history_.note(view_state());
  update_actions();
}

void MainWindow::go_to_view(int direction) {
  if (note_timer_.isActive()) note_view();  // what was done just now is the first to be undone
  if (direction < 0 ? !history_.can_undo() : !history_.can_redo()) return;
  const ViewState state = direction < 0 ? history_.undo() : history_.redo();
  restoring_ = true;
  if (state.panels != panels_) restoreState(state.panels, 1);
  panels_ = state.panels;
  source_.show_plan(state.shown_plan);
  axis_.set_mode(state.mode);
  if (state.range)
    axis_.set_range(*state.range);
  else
    axis_.frame_all();
  graph_->set_open_layers(state.open_layers);
  graph_->set_colour(static_cast<GraphColour>(state.graph_colour));
  restoring_ = false;
  update_actions();
}

// --- named layouts: [layouts] in the settings, the state of the panels by name

QStringList MainWindow::own_layouts() const {
  QSettings settings;
  settings.beginGroup(QStringLiteral("layouts"));
  return settings.childKeys();
}

void MainWindow::save_layout(const QString& name) {
  const QString key = QString(name).remove(QRegularExpression(QStringLiteral("[/\\\\\"]"))).trimmed().left(60);
  if (key.isEmpty()) return;
  QSettings().setValue(QStringLiteral("layouts/") + key, saveState(1));
  messages_->say(MessageKind::Note, tr("The layout “%1” was saved. It is in the menu View.").arg(key));
  update_layouts();
}

void MainWindow::ask_layout_name() {
  auto* dialog = new QInputDialog(this);
  dialog->setObjectName(QStringLiteral("layout_name"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Save the Layout"));
  dialog->setLabelText(tr("Name of the layout:"));
  dialog->setTextValue(tr("My layout"));
  connect(dialog, &QInputDialog::textValueSelected, this, &MainWindow::save_layout);
  dialog->show();
}

void MainWindow::restore_layout(const QString& name) {
  const QByteArray state = QSettings().value(QStringLiteral("layouts/") + name).toByteArray();
  if (!restoreState(state, 1)) return fail(tr("The layout “%1” cannot be read; it is of another version.").arg(name));
  panels_moved_ = true;
  note_timer_.start();
}

void MainWindow::update_layouts() {
  if (layouts_menu_ == nullptr) return;
  layouts_menu_->clear();
  const QStringList names = own_layouts();
  for (const QString& name : names)
    connect(layouts_menu_->addAction(QString(name).replace(u'&', QStringLiteral("&&"))), &QAction::triggered, this,
            [this, name] { restore_layout(name); });
  if (!names.isEmpty()) {
    layouts_menu_->addSeparator();
    QMenu* forget = layouts_menu_->addMenu(tr("Delete"));
    for (const QString& name : names)
      connect(forget->addAction(QString(name).replace(u'&', QStringLiteral("&&"))), &QAction::triggered, this,
              [this, name] {
                QSettings().remove(QStringLiteral("layouts/") + name);
                QTimer::singleShot(0, this, &MainWindow::update_layouts);  // not while its menu is open
              });
  }
  layouts_menu_->setEnabled(!names.isEmpty());
}

}  // namespace arenascope::app
