// SPDX-License-Identifier: GPL-3.0-or-later
// Every action of the window, a line each.
#include <arenascope/trace/convert.h>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QFileInfo>
#include <QUrl>

#include <views/common/plot_view.h>

#include "autosave.h"
#include "main_window.h"

namespace arenascope::app {

using namespace views;
using K = QKeySequence;

void MainWindow::make_actions() {
  actions_ = new ActionRegistry(this);
  make_file_actions();
  make_view_actions();
  make_run_actions();
  make_help_actions();
}

void MainWindow::make_file_actions() {
  auto& a = *actions_;
  a.add("file.open", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Open…"), {K::Open}, [this] {
    const QString path = ask_file(false, tr("Open a model or a recording"),
                                  tr("Models and recordings (*.onnx *.gguf *.arenascope *.pftrace *.perfetto-trace "
                                     "*.json *.json.gz *.pickle *.csv);;All files (*)"));
    if (!path.isEmpty()) open(path);
  });
  a.add(
      "file.zoo", Menu::File, QT_TRANSLATE_NOOP("Actions", "Open &Built-in Model…"),
      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_O)}, [this] { show_zoo(); },
      QT_TRANSLATE_NOOP("Actions", "Architectures with seeded weights, ready to run"));
  recent_menu_ = a.submenu(Menu::File, QT_TRANSLATE_NOOP("Actions", "Open &Recent"));
  recover_menu_ = a.submenu(Menu::File, QT_TRANSLATE_NOOP("Actions", "Recover a Recor&ding"));
  a.separator(Menu::File);
  a.add("file.save_recording", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Save Recording…"), {K::Save}, [this] {
    const QString path = ask_file(true, tr("Save the recording"), tr("Recordings (*.arenascope)"));
    if (path.isEmpty()) return;
    const auto ok = RunController::save_recording(*source_.snapshot(), path);
    if (!ok)
      fail(QString::fromStdString(ok.error().message));
    else
      messages_->say(MessageKind::Note, tr("The recording was saved to %1.").arg(path));
  });
  a.add("file.convert", Menu::File, QT_TRANSLATE_NOOP("Actions", "Save As Other For&mat…"), {}, [this] {
    const QString path =
        ask_file(true, tr("Save as"), tr("Chrome trace (*.json);;Spans (*.csv);;Memory (*.memory.csv);;Text (*.txt)"));
    if (path.isEmpty()) return;
    auto format = trace::format_of(path.toStdString());
    const Status ok = format ? trace::write(*source_.snapshot(), *format, path.toStdString()) : Status(format.error());
    if (!ok) fail(QString::fromStdString(ok.error().message));
  });
  a.add(
      "file.save_picture", Menu::File, QT_TRANSLATE_NOOP("Actions", "Save &Picture of View…"),
      {K(Qt::CTRL | Qt::Key_E)}, [this] { save_picture(); },
      QT_TRANSLATE_NOOP("Actions", "The view that has the focus, as PNG, SVG or PDF"));
  a.add(
      "file.save_table", Menu::File, QT_TRANSLATE_NOOP("Actions", "Save &Table as CSV…"),
      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_E)}, [this] { save_table(); },
      QT_TRANSLATE_NOOP("Actions", "What the view that has the focus shows, as numbers"));
  a.separator(Menu::File);
  a.add(
      "file.close", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Close"), {K(Qt::CTRL | Qt::Key_W)},
      [this] { close_document(static_cast<int>(at_)); },
      QT_TRANSLATE_NOOP("Actions", "Close the file at hand; the others stay open"));
  a.add("file.next", Menu::File, QT_TRANSLATE_NOOP("Actions", "Ne&xt File"),
        {K(Qt::CTRL | Qt::Key_Tab), K(Qt::CTRL | Qt::Key_PageDown)}, [this] { next_document(1); });
  a.add("file.previous", Menu::File, QT_TRANSLATE_NOOP("Actions", "Pre&vious File"),
        {K(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab), K(Qt::CTRL | Qt::Key_PageUp)}, [this] { next_document(-1); });
  a.add("file.quit", Menu::File, QT_TRANSLATE_NOOP("Actions", "&Quit"), {K(Qt::CTRL | Qt::Key_Q)}, [this] { close(); });

  a.add(
      "edit.undo", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Undo View"), {K(Qt::CTRL | Qt::Key_Z)},
      [this] { go_to_view(-1); },
      QT_TRANSLATE_NOOP("Actions", "Back to the range, layers, colours, plan and panels of before"));
  a.add("edit.redo", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Redo View"),
        {K(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), K(Qt::CTRL | Qt::Key_Y)}, [this] { go_to_view(1); });
  a.separator(Menu::Edit);
  a.add("edit.back", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Selection &Back"), {K(Qt::ALT | Qt::Key_Left)},
        [this] { selection_.back(); });
  a.add("edit.forward", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Selection &Forward"), {K(Qt::ALT | Qt::Key_Right)},
        [this] { selection_.forward(); });
  a.add("edit.clear", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Clear Selection"), {K(Qt::Key_Escape)},
        [this] { selection_.clear(); });
  a.separator(Menu::Edit);
  a.add("edit.find", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Search the Graph"), {K::Find}, [this] {
    docks_["graph"]->show();
    docks_["graph"]->raise();
    graph_->focus_search();
  });
  a.add("edit.find_next", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Next Match"), {K(Qt::Key_F3)},
        [this] { graph_->find_next(1); });
  a.add("edit.find_previous", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Previous Match"), {K(Qt::SHIFT | Qt::Key_F3)},
        [this] { graph_->find_next(-1); });
  a.separator(Menu::Edit);
  a.add("edit.copy_name", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Copy N&ame"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_C)},
        [this] {
          const trace::TensorRef ref = tensor_of(selection_.current(), *source_.snapshot());
          if (const auto* t = source_.snapshot()->tensor(source_.graph_id(), ref))
            QApplication::clipboard()->setText(QString::fromStdString(t->name));
        });
  a.add("edit.copy_picture", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Copy P&icture of View"),
        {K(Qt::CTRL | Qt::ALT | Qt::Key_C)}, [this] { copy_picture(); });
  a.add("edit.copy_table", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Copy &Table of View"),
        {K(Qt::CTRL | Qt::ALT | Qt::Key_T)}, [this] { copy_table(); });
  a.separator(Menu::Edit);
  a.add("edit.preferences", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Pr&eferences…"), {K(Qt::CTRL | Qt::Key_Comma)},
        [this] { show_preferences(); });
}

void MainWindow::make_view_actions() {
  auto& a = *actions_;
  a.add("view.zoom_in", Menu::View, QT_TRANSLATE_NOOP("Actions", "Zoom &In"),
        {K(Qt::Key_W), K(Qt::Key_Plus), K::ZoomIn},
        [this] { graph_has_focus() ? graph_->zoom_in() : axis_.zoom_in(); });
  a.add("view.zoom_out", Menu::View, QT_TRANSLATE_NOOP("Actions", "Zoom &Out"),
        {K(Qt::Key_S), K(Qt::Key_Minus), K::ZoomOut},
        [this] { graph_has_focus() ? graph_->zoom_out() : axis_.zoom_out(); });
  a.add("view.left", Menu::View, QT_TRANSLATE_NOOP("Actions", "Move &Left"), {K(Qt::Key_A)},
        [this] { axis_.pan(-0.2); });
  a.add("view.right", Menu::View, QT_TRANSLATE_NOOP("Actions", "Move &Right"), {K(Qt::Key_D)},
        [this] { axis_.pan(0.2); });
  a.add(
      "view.frame", Menu::View, QT_TRANSLATE_NOOP("Actions", "&Frame Selection"), {K(Qt::Key_F)},
      [this] { frame_selection(); }, QT_TRANSLATE_NOOP("Actions", "Show what is selected as large as possible"));
  a.add("view.all", Menu::View, QT_TRANSLATE_NOOP("Actions", "Show &All"), {K(Qt::CTRL | Qt::Key_0), K(Qt::Key_Home)},
        [this] { graph_has_focus() ? graph_->fit() : axis_.frame_all(); });
  a.add("view.mode", Menu::View, QT_TRANSLATE_NOOP("Actions", "Step ⇄ &Time"), {K(Qt::Key_T)},
        [this] { axis_.toggle_mode(); });
  a.add(
      "view.table", Menu::View, QT_TRANSLATE_NOOP("Actions", "Table beside the Vie&w"), {K(Qt::CTRL | Qt::Key_T)},
      [this] { toggle_table(); },
      QT_TRANSLATE_NOOP("Actions", "The same as numbers, to be sorted, filtered and read aloud"));
  a.separator(Menu::View);
  panels_menu_ = a.submenu(Menu::View, QT_TRANSLATE_NOOP("Actions", "&Panels"));
  for (const char* id : {"graph",  "occupancy", "arena",    "lifetimes",  "timeline",    "inspector", "nodes",
                         "blocks", "objects",   "barriers", "allocators", "pools",       "tuning",    "planners",
                         "holes",  "findings",  "compare",  "lesson",     "breakpoints", "problems"})
    panels_menu_->addAction(docks_[QString::fromLatin1(id)]->toggleViewAction());
  a.add("view.layout_default", Menu::View, QT_TRANSLATE_NOOP("Actions", "Layout: E&verything"),
        {K(Qt::CTRL | Qt::Key_1)}, [this] { apply_layout(QStringLiteral("default")); });
  a.add("view.layout_graph", Menu::View, QT_TRANSLATE_NOOP("Actions", "Layout: &Graph"), {K(Qt::CTRL | Qt::Key_2)},
        [this] { apply_layout(QStringLiteral("graph")); });
  a.add("view.layout_memory", Menu::View, QT_TRANSLATE_NOOP("Actions", "Layout: &Memory"), {K(Qt::CTRL | Qt::Key_3)},
        [this] { apply_layout(QStringLiteral("memory")); });
  a.add("view.layout_time", Menu::View, QT_TRANSLATE_NOOP("Actions", "Layout: Tim&e"), {K(Qt::CTRL | Qt::Key_4)},
        [this] { apply_layout(QStringLiteral("time")); });
  a.add("view.layout_lesson", Menu::View, QT_TRANSLATE_NOOP("Actions", "Layout: Lesso&n"), {K(Qt::CTRL | Qt::Key_5)},
        [this] { apply_layout(QStringLiteral("lesson")); });
  a.add("view.layout_reset", Menu::View, QT_TRANSLATE_NOOP("Actions", "Reset Layo&ut"), {},
        [this] { apply_layout(QSettings().value("window/layout", "default").toString()); });
  a.add("view.layout_save", Menu::View, QT_TRANSLATE_NOOP("Actions", "&Save Layout As…"), {},
        [this] { ask_layout_name(); });
  layouts_menu_ = a.submenu(Menu::View, QT_TRANSLATE_NOOP("Actions", "M&y Layouts"));
  QAction* titles = a.add(
      "view.titles", Menu::View, QT_TRANSLATE_NOOP("Actions", "Title &Bars of Panels"), {},
      [this] { show_title_bars(actions_->find(QStringLiteral("view.titles"))->isChecked()); },
      QT_TRANSLATE_NOOP("Actions", "Drag panels by them to other places"));
  titles->setCheckable(true);
  a.separator(Menu::View);
  a.add("view.theme", Menu::View, QT_TRANSLATE_NOOP("Actions", "Light ⇄ &Dark"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_D)},
        [this] {
          Preferences p = preferences_;
          p.theme = theme_.dark() ? ThemeMode::Light : ThemeMode::Dark;
          apply_preferences(p);
        });

  a.add("graph.producer", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Go to &Producer"), {K(Qt::Key_G)},
        [this] { graph_->go_to_producer(); });
  a.add(
      "graph.user", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Go to &User"), {K(Qt::Key_U)},
      [this] { graph_->go_to_user(); }, QT_TRANSLATE_NOOP("Actions", "Again: the next user"));
  a.separator(Menu::Graph);
  a.add("graph.toggle", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Open or Close &Layer"), {K(Qt::Key_E)},
        [this] { graph_->toggle_layer(); });
  a.add("graph.expand", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "E&xpand All Layers"), {},
        [this] { graph_->expand_all(); });
  a.add("graph.collapse", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "&Collapse All Layers"), {},
        [this] { graph_->collapse_all(); });
  a.add("graph.fit", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Show &Whole Graph"), {}, [this] { graph_->fit(); });
  a.separator(Menu::Graph);
  static constexpr std::pair<const char*, const char*> kColours[] = {
      {"graph.colour_state", QT_TRANSLATE_NOOP("Actions", "Colour by &State")},
      {"graph.colour_op", QT_TRANSLATE_NOOP("Actions", "Colour by &Op")},
      {"graph.colour_backend", QT_TRANSLATE_NOOP("Actions", "Colour by Backen&d")},
      {"graph.colour_time", QT_TRANSLATE_NOOP("Actions", "Colour by &Time")},
      {"graph.colour_bytes", QT_TRANSLATE_NOOP("Actions", "Colour by &Bytes")},
      {"graph.colour_block", QT_TRANSLATE_NOOP("Actions", "Colour by Bloc&k")}};
  int i = 0;
  for (const auto& [id, text] : kColours)
    a.add(id, Menu::Graph, text, {}, [this, colour = static_cast<GraphColour>(i++)] { graph_->set_colour(colour); });
  a.separator(Menu::Graph);
  a.add("graph.save_dot", Menu::Graph, QT_TRANSLATE_NOOP("Actions", "Sa&ve as DOT…"), {}, [this] {
    const QString path = ask_file(true, tr("Save the graph"), tr("Graphviz (*.dot)"));
    if (!path.isEmpty() && !graph_->save_dot(path)) fail(tr("%1 cannot be written.").arg(path));
  });
}

void MainWindow::make_run_actions() {
  auto& a = *actions_;
  make_desk_actions();
  a.add("memory.cancel", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&Cancel Planning"), {}, [this] {
    if (opening_) opening_->controller->cancel_opening();
    controller_->cancel_opening();
  });
  a.separator(Menu::Memory);
  a.add("memory.next_peak", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Go to the &Peak"), {K(Qt::SHIFT | Qt::Key_P)},
        [this] { axis_.set_current(Step(playback_->slider()->peak_step())); });

  a.add(
      "run.run", Menu::Run, QT_TRANSLATE_NOOP("Actions", "&Run"), {K(Qt::Key_F5)},
      [this] { live() ? controller_->run() : run_recorded(1); },
      QT_TRANSLATE_NOOP("Actions", "Run the model in a loop; in a recording: go on to the next breakpoint"));
  a.add(
      "run.reverse", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Run Bac&kwards"), {K(Qt::CTRL | Qt::Key_F5)},
      [this] { run_recorded(-1); },
      QT_TRANSLATE_NOOP("Actions", "Through what was recorded, back to the breakpoint before"));
  a.add(
      "run.pause", Menu::Run, QT_TRANSLATE_NOOP("Actions", "&Pause"), {K(Qt::Key_F6)},
      [this] {
        stop_playing();
        controller_->pause();
      },
      QT_TRANSLATE_NOOP("Actions", "Pause before the next node"));
  a.add("run.step", Menu::Run, QT_TRANSLATE_NOOP("Actions", "&Step a Node"), {K(Qt::Key_F10)}, [this] {
    if (live())
      controller_->step();
    else
      axis_.step_by(1);
  });
  a.add(
      "run.step_threads", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Step into &Threads"), {K(Qt::Key_F11)},
      [this] { step_part(1); },
      QT_TRANSLATE_NOOP("Actions", "To the next part that a thread worked or waited, inside the node"));
  a.add("run.step_threads_back", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Step Back in T&hreads"),
        {K(Qt::CTRL | Qt::Key_F11)}, [this] { step_part(-1); });
  a.add("run.layer", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Run to End of &Layer"), {K(Qt::SHIFT | Qt::Key_F11)},
        [this] { run_to_end_of_layer(); });
  a.add("run.cursor", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Run to Selected &Node"), {K(Qt::CTRL | Qt::Key_F10)},
        [this] { run_to_cursor(); });
  a.add("run.stop", Menu::Run, QT_TRANSLATE_NOOP("Actions", "St&op"), {K(Qt::SHIFT | Qt::Key_F5)}, [this] {
    stop_playing();
    controller_->stop();
  });
  a.separator(Menu::Run);
  a.add(
      "run.breakpoint", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Toggle &Breakpoint"), {K(Qt::Key_F9)},
      [this] { toggle_breakpoint(); }, QT_TRANSLATE_NOOP("Actions", "On the selected node"));
  a.add(
      "run.breakpoints", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Breakpo&ints…"), {K(Qt::CTRL | Qt::Key_F9)},
      [this] { show_breakpoints(); }, QT_TRANSLATE_NOOP("Actions", "On an op, a name pattern, bytes, or NaN"));
  a.separator(Menu::Run);
  a.add(
      "run.play", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Pl&ay"), {K(Qt::Key_Space)}, [this] { play(1); },
      QT_TRANSLATE_NOOP("Actions", "Walk through what was recorded, step by step, up to a breakpoint"));
  a.add("run.play_back", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Play Ba&ckwards"), {K(Qt::SHIFT | Qt::Key_Space)},
        [this] { play(-1); });
  a.add("run.first", Menu::Run, QT_TRANSLATE_NOOP("Actions", "To the &First Step"), {K(Qt::CTRL | Qt::Key_Left)},
        [this] { axis_.set_current(Step(0)); });
  a.add("run.back", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Step Back"), {K(Qt::Key_Left)},
        [this] { axis_.step_by(-1); });
  a.add("run.forward", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Step For&ward"), {K(Qt::Key_Right)},
        [this] { axis_.step_by(1); });
  a.add("run.next_peak", Menu::Run, QT_TRANSLATE_NOOP("Actions", "N&ext Peak"), {K(Qt::Key_P)}, [this] {
    const int32_t peak = playback_->slider()->next_peak(axis_.current().value);
    if (peak >= 0) axis_.set_current(Step(peak));
  });
}

void MainWindow::make_help_actions() {
  auto& a = *actions_;
  a.add("help.manual", Menu::Help, QT_TRANSLATE_NOOP("Actions", "&Manual"), {K(Qt::Key_F1)}, [this] { show_manual(); });
  a.add("help.palette", Menu::Help, QT_TRANSLATE_NOOP("Actions", "&Command Palette…"),
        {K(Qt::CTRL | Qt::SHIFT | Qt::Key_P)}, [this] { palette_->open(); });
  a.add("help.keys", Menu::Help, QT_TRANSLATE_NOOP("Actions", "&Keys…"),
        {K(Qt::Key_Question), K(Qt::SHIFT | Qt::Key_Question)}, [this] { show_keys(); });
  QAction* overlay = a.add(
      "help.frames", Menu::Help, QT_TRANSLATE_NOOP("Actions", "Show &Frame Times"), {},
      [this] { show_frame_times(actions_->find(QStringLiteral("help.frames"))->isChecked()); },
      QT_TRANSLATE_NOOP("Actions", "Frames a second, and how long the window was busy at most"));
  overlay->setCheckable(true);
  a.separator(Menu::Help);
  a.add("help.about", Menu::Help, QT_TRANSLATE_NOOP("Actions", "&About Arenascope"), {}, [this] { show_about(); });
}

void MainWindow::update_actions() {
  const RunState state = controller_->state();
  const bool model = controller_->has_model(), any = source_.graph() != nullptr || source_.snapshot()->event_count > 0;
  auto enable = [this](const char* id, bool on) { actions_->find(QString::fromLatin1(id))->setEnabled(on); };
  const bool recorded = !model && axis_.steps() > 0, playing = play_timer_.isActive();
  enable("run.run", recorded || (model && state != RunState::Running && state != RunState::Opening));
  enable("run.reverse", axis_.steps() > 0 && state != RunState::Running);
  enable("run.pause", state == RunState::Running || playing);
  enable("run.step", (model && state != RunState::Running && state != RunState::Opening) || (!model && any));
  enable("run.stop", state == RunState::Running || state == RunState::Paused || playing);
  for (const char* id : {"run.cursor", "run.layer", "run.step_threads", "run.step_threads_back", "run.play",
                         "run.play_back", "run.breakpoint"})
    enable(id, axis_.steps() > 0);
  enable("file.save_recording", any);
  enable("file.convert", any);
  enable("file.save_picture", any);
  for (const char* id : {"file.save_table", "edit.copy_picture", "edit.copy_table"}) enable(id, any);
  enable("file.close", !documents_.empty() && !documents_[at_]->empty());
  enable("file.next", documents_.size() > 1);
  enable("file.previous", documents_.size() > 1);
  enable("edit.undo", history_.can_undo());
  enable("edit.redo", history_.can_redo());
  enable("edit.back", selection_.can_go_back());
  enable("edit.forward", selection_.can_go_forward());
  update_desk_actions();
}

void MainWindow::update_recent() {
  if (recent_menu_ == nullptr) return;
  recent_menu_->clear();
  const QStringList files = recent_files();
  for (const QString& spec : files) {
    QAction* action = recent_menu_->addAction(spec.startsWith(u"zoo:") ? spec : QFileInfo(spec).fileName());
    action->setToolTip(spec);
    connect(action, &QAction::triggered, this, [this, spec] { open(spec); });
  }
  recent_menu_->setEnabled(!files.isEmpty());
  recover_menu_->clear();
  const QStringList lost = left_behind();
  for (const QString& path : lost)
    connect(recover_menu_->addAction(QFileInfo(path).fileName()), &QAction::triggered, this,
            [this, path] { open(path); });
  recover_menu_->setEnabled(!lost.isEmpty());
}

}  // namespace arenascope::app
