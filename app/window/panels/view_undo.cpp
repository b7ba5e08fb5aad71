// SPDX-License-Identifier: GPL-3.0-or-later
#include "view_undo.h"

namespace arenascope::app {

using namespace views;

namespace {
constexpr int kPanelsVersion = 1;
}

ViewUndo::ViewUndo(QMainWindow* window, Panels* panels, Layouts* layouts, Document& document)
    : QObject(window), window_(window), docks_(panels), graph_(panels->widgets().graph) {
  timer_.setSingleShot(true);
  timer_.setInterval(350);  // a drag or a wheel movement is one change
  connect(&timer_, &QTimer::timeout, this, &ViewUndo::note);
  connect(graph_, &GraphView::folding_changed, this, &ViewUndo::note_soon);
  connect(graph_->colours(), &ColourBox::changed, this, &ViewUndo::note_soon);
  connect(layouts, &Layouts::applied, this, &ViewUndo::panels_moved);
  for (const PanelDescriptor& kind : panel_kinds()) {
    QDockWidget* dock = panels->dock(kind.id);
    connect(dock->toggleViewAction(), &QAction::triggered, this, &ViewUndo::panels_moved);
    connect(dock, &QDockWidget::topLevelChanged, this, &ViewUndo::panels_moved);
    connect(dock, &QDockWidget::dockLocationChanged, this, &ViewUndo::panels_moved);
  }
  panels_ = window_->saveState(kPanelsVersion);
  set_document(document);
}

void ViewUndo::set_document(Document& document) {
  timer_.stop();
  document_ = &document;
  QObject* bond = bond_.reset();
  connect(document_->axis(), &SharedAxis::range_changed, bond, [this] { note_soon(); });
  connect(document_->axis(), &SharedAxis::mode_changed, bond, [this] { note_soon(); });
  connect(document_->context().notes, &PinnedNotes::changed, bond, [this] { note_soon(); });
  connect(document_->source(), &SessionSource::plan_shown, bond, [this] { note_soon(); });
  connect(document_->source(), &SessionSource::session_replaced, bond, [this] { note_soon(); });
  adopt_panels();
  note_soon();
  Q_EMIT changed();
}

// The panel layout belongs to the window, so it is also stored in this document's last state.
void ViewUndo::adopt_panels() {
  moved_ = false;
  panels_ = window_->saveState(kPanelsVersion);
  document_->history().set_panels(panels_);
}

void ViewUndo::note_soon() {
  if (!restoring_) timer_.start();
}

void ViewUndo::panels_moved() {
  if (restoring_) return;
  moved_ = true;
  timer_.start();
}

void ViewUndo::flush() {
  if (timer_.isActive()) note();
}

UndoState ViewUndo::state() const {
  UndoState state;
  const SharedAxis& axis = *document_->axis();
  state.mode = axis.mode();
  state.by_runs = axis.frame().by_runs();
  if (!(axis.range() == axis.limits())) state.range = axis.range();
  state.open_layers = graph_->expanded();
  state.graph_colour = static_cast<int>(graph_->colours()->colour());
  state.graph_column = graph_->colours()->column();
  state.shown_plan = document_->source()->shown_plan();
  state.notes = document_->context().notes->all();
  state.panels = panels_;
  return state;
}

void ViewUndo::note() {
  timer_.stop();
  ViewHistory& history = document_->history();
  const bool running = document_->runner()->state() == RunState::Running;
  if (running && !history.begun()) return timer_.start();  // the views change by themselves during the first run
  if (std::exchange(moved_, false)) panels_ = window_->saveState(kPanelsVersion);
  UndoState now = state();
  if (running) {  // the axis grows with the run, which is not a user action
    now.mode = history.now().mode;
    now.by_runs = history.now().by_runs;
    now.range = history.now().range;
  }
  history.note(std::move(now));
  Q_EMIT changed();
}

bool ViewUndo::can_go(int direction) const {
  return direction < 0 ? document_->history().can_undo() : document_->history().can_redo();
}

void ViewUndo::go(int direction) {
  flush();  // the latest change is the first to be undone
  if (!can_go(direction)) return;
  const UndoState state = direction < 0 ? document_->history().undo() : document_->history().redo();
  restoring_ = true;
  if (state.panels != panels_ && window_->restoreState(state.panels, kPanelsVersion)) docks_->adopt_visible();
  panels_ = state.panels;
  document_->messages()->drop_notes();  // they refer to the undone change
  document_->source()->show_plan(state.shown_plan);
  document_->context().notes->set(state.notes);
  SharedAxis& axis = *document_->axis();
  axis.set_mode(state.mode, state.by_runs);
  const bool has_unit = axis.mode() == state.mode && axis.frame().by_runs() == state.by_runs;
  if (state.range && has_unit)
    axis.set_range(*state.range);
  else
    axis.frame_all();
  graph_->set_open_layers(state.open_layers);
  graph_->colours()->choose(static_cast<GraphColour>(state.graph_colour), state.graph_column);
  restoring_ = false;
  Q_EMIT changed();
}

}  // namespace arenascope::app
