// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window.h"

#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>

#include <views/common/choice_names.h>
#include <views/common/format.h>
#include <views/common/plot_view.h>
#include <views/common/settings.h>
#include <views/findings/findings_view.h>
#include <views/lesson/lesson_panel.h>
#include <QApplication>
#include <QCloseEvent>
#include <QFileDialog>
#include <QMimeData>
#include <tuple>

#include "actions/command_palette.h"
#include "app/window/bars/document_tabs.h"
#include "app/window/bars/message_bar.h"
#include "app/window/bars/status_widget.h"
#include "app/window/bars/summary_bar.h"
#include "app/window/events/key_guard.h"
#include "app/window/language/language.h"
#include "app/window/lessons/lesson_player.h"
#include "app/window/panels/replan_presenter.h"
#include "app/window/start/recent_thumbnails.h"
#include "app/window/start/welcome_page.h"
#include "app/window/start/window_session.h"
#include "app/window/style/focus_ring.h"
#include "app/window/style/plain_style.h"
#include "document/attached.h"
#include "document/autosave.h"

namespace arenascope::app {

using namespace views;

namespace {

// The first visible plot or graph.
void focus_view(const Panels& panels) {
  if (!panels.dock(PanelId::Arena)->isHidden()) return panels.widgets().arena->setFocus();
  for (const PanelDescriptor& kind : panel_kinds()) {
    QWidget* view = panels.parts(kind.id).drawn;
    if (view != nullptr && !panels.dock(kind.id)->isHidden()) return view->setFocus();
  }
}

}  // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent) {
  PlainStyle::use();
  setAcceptDrops(true);
  shell_.window = this;
  shell_.theme = &theme_;
  shell_.documents = &documents_;
  shell_.preferences = Preferences::load();
  shell_.apply_preferences = [this](const Preferences& p) { apply_preferences(p); };
  shell_.ask_file = [this](bool save, const QString& title, const QString& filter) {
    return save ? QFileDialog::getSaveFileName(this, title, {}, filter)
                : QFileDialog::getOpenFileName(this, title, {}, filter);
  };
  shell_.ask_file_to_append = [this](const QString& title, const QString& filter) {
    return QFileDialog::getSaveFileName(this, title, {}, filter, nullptr, QFileDialog::DontConfirmOverwrite);
  };
  theme_.set_mode(shell_.preferences.theme);
  qApp->setPalette(theme_.palette());
  make_panels();
  make_actions();
  make_bars();
  connect_parts();
  shell_.panels->widgets().arena->setFocus();  // so that a line edit does not receive the shortcuts
  shell_.layouts->restore_window();
  follow_document();
  retranslate();
  shell_.undo->set_document(document());
  shell_.session = new WindowSession(shell_);
  update_actions();
}

MainWindow::~MainWindow() {
  // Destroys the observers of documents first; their late signals are ignored.
  qApp->disconnect(shell_.panels);
  documents_.disconnect();
  documents_.log()->disconnect();
  delete shell_.session;
  delete shell_.undo;
  delete shell_.layouts;
  for (const PanelDescriptor& kind : panel_kinds()) delete shell_.panels->dock(kind.id);
  delete shell_.playback;
  Settings::flush();
}

void MainWindow::make_panels() {
  shell_.panels = new Panels(this, document());
  shell_.layouts = new Layouts(this, shell_.panels);
  output_ = PanelOutput(shell_.panels);
  shell_.output = &output_;
  shell_.undo = new ViewUndo(this, shell_.panels, shell_.layouts, document());
}

void MainWindow::make_actions() {
  shell_.actions = new ActionRegistry(this);
  add_file_actions(shell_);
  add_edit_actions(shell_);
  add_view_actions(shell_);
  add_graph_actions(shell_);
  add_memory_actions(shell_);
  add_run_actions(shell_);
  add_compare_actions(shell_);
  add_lesson_actions(shell_);
  add_help_actions(shell_);
  add_action_states(shell_);
  shell_.palette = new CommandPalette(shell_.actions, this);
  new KeyGuard(this);
  new FocusRing(&theme_, this);
}

void MainWindow::make_bars() {
  tabs_ = new DocumentTabs(&documents_, this);
  addToolBar(Qt::TopToolBarArea, tabs_);
  addToolBarBreak(Qt::TopToolBarArea);
  shell_.playback = new PlaybackBar(shell_.actions, document().context(), this);
  shell_.playback->setContextMenuPolicy(Qt::PreventContextMenu);
  addToolBar(Qt::TopToolBarArea, shell_.playback);
  QStringList planners, orders;
  for (const planner::Planner* p : planner::all_planners())
    planners << QString::fromUtf8(p->name().data(), static_cast<qsizetype>(p->name().size()));
  for (const OrderInfo& order : all_orders()) orders << QString::fromUtf8(order.name);
  shell_.playback->set_planners(planners, orders);
  auto* replan_panel = shell_.panels->widgets().replan;
  replan_panel->set_choices(planners, orders);
  replan_presenter_ = new ReplanPresenter(shell_.panels->widgets().occupancy, replan_panel, this);
  connect(replan_panel, &ReplanPanel::export_requested, shell_.actions->find(QStringLiteral("memory.export")),
          &QAction::trigger);
  shell_.message_bar = new MessageBar(&theme_, shell_.actions, this);
  status_ = new StatusWidget(&documents_, &theme_, menuBar());
  connect(status_, &StatusWidget::log_requested, this,
          [this] { shell_.actions->find(QStringLiteral("help.messages"))->trigger(); });
  shell_.summary = new SummaryBar(shell_.panels, this);
  addToolBar(Qt::BottomToolBarArea, shell_.summary);
  connect(shell_.summary, &SummaryBar::other_form_requested, this,
          [this] { document().open(document().spec(), OtherForm::flipped(document().runner()->settings())); });
  welcome_ = new WelcomePage(shell_);
  pictures_ = new RecentThumbnails(shell_);
  guide_ = new LessonPlayer(shell_, shell_.panels->widgets().lesson);
  shell_.guide = guide_;
  guide_->load();
}

void MainWindow::connect_parts() {
  connect(&documents_, &Documents::leaving, this, [this] {
    shell_.undo->flush();
    shell_.panels->leave(document());
  });
  connect(&documents_, &Documents::switched, this, &MainWindow::show_document);
  connect(&documents_, &Documents::opened, this, &MainWindow::on_opened);
  connect(&documents_, &Documents::changed, this, &MainWindow::update_actions);
  connect(&theme_, &Theme::changed, this, [this] {
    qApp->setPalette(theme_.palette());
    status_->update_status();
  });
  connect(shell_.undo, &ViewUndo::changed, this, &MainWindow::update_actions);
  connect(shell_.layouts, &Layouts::applied, this, &MainWindow::update_bars);
  connect(shell_.undo, &ViewUndo::changed, this, &MainWindow::update_bars);
  connect(shell_.panels, &Panels::activated, this, &MainWindow::activate);
  connect(shell_.panels, &Panels::menu_requested, this, &MainWindow::show_menu);
  connect(shell_.playback, &PlaybackBar::plan_requested, this, [this](const QString& planner, const QString& order) {
    shell_.preferences.run.planner = planner;
    shell_.preferences.run.order = order;
    document().replan(shell_.preferences.run);
  });
  connect(shell_.panels->widgets().findings, &FindingsView::what_if, this,
          [this](std::shared_ptr<const trace::PlanInfo> plan, const QString& text) {
            document().jobs().replanning.show_plan(std::move(plan));
            shell_.messages().note(tr("What if: %1 Shown over the plan in use.").arg(text));
          });
}

void MainWindow::show_document() {
  shell_.panels->set_document(document());
  shell_.playback->set_context(document().context());
  follow_document();
  shell_.undo->set_document(document());
  update_actions();
}

// Layout, panels and bars show what the document has.
void MainWindow::follow_content() {
  const QWidget* focus = focusWidget();
  shell_.layouts->show(document().content_model()->current());
  const bool opened = !had_content_ && document().content_model()->current().open;
  had_content_ = document().content_model()->current().open;
  if (opened || (focus != nullptr && !focus->isVisible())) focus_view(*shell_.panels);
  update_bars();
  status_->update_status();
}

// A restored layout may show bars that do nothing for this document, and puts them in one line if the tabs were hidden.
void MainWindow::update_bars() {
  shell_.playback->set_content(document().content_model()->current());
  if (!toolBarBreak(shell_.playback)) insertToolBarBreak(shell_.playback);
}

// Updates the parts of the window that have no view context.
void MainWindow::follow_document() {
  Document& d = document();
  QObject* bond = bond_.reset();
  const auto update = [this] { update_actions(); };
  connect(d.source(), &SessionSource::changed, bond, [this] {
    if (document().runner()->settings().from_lesson) show_plan_choice();
    status_->update_status();
    update_actions();
  });
  connect(d.source(), &SessionSource::session_replaced, bond, [this] { welcome_->update_page(); });
  connect(d.content_model(), &ContentModel::changed, bond, [this] {
    follow_content();
    shell_.undo->adopt_panels();
  });
  connect(d.source(), &SessionSource::plan_shown, bond, [this] {
    show_plan_choice();
    update_actions();
  });
  connect(d.selection(), &SelectionModel::history_changed, bond, update);
  connect(d.selection(), &SelectionModel::current_changed, bond, update);
  connect(d.debugger(), &Debugger::playing_changed, bond, [this] {
    shell_.playback->show_playing(document().debugger()->playing());
    update_actions();
  });
  connect(d.debugger(), &Debugger::breakpoints_changed, bond, [this] { show_breakpoints(); });
  connect(d.debugger(), &Debugger::node_shown, bond,
          [this](NodeId node) { shell_.panels->widgets().graph->reveal(node); });
  connect(d.debugger(), &Debugger::time_shown, bond, [this] { shell_.panels->raise(PanelId::Timeline); });
  connect(&d.jobs().replanning, &Replanning::changed, bond, update);
  connect(&d, &Document::compared, bond, [this] {
    if (document().source()->comparison()) shell_.show_panel(PanelId::Compare);
    update_actions();
  });
  connect(&d, &Document::state_changed, bond, [this] {
    update_title();
    status_->update_status();
    show_plan_choice();
    update_actions();
  });
  follow_content();
  replan_presenter_->set_replanning(&d.jobs().replanning, d.context());
  shell_.message_bar->set_messages(d.messages());
  shell_.summary->set_document(d);
  welcome_->update_page();
  shell_.playback->show_playing(d.debugger()->playing());
  show_breakpoints();
  show_plan_choice();
  status_->update_progress();
  update_title();
}

// A lesson shows plans of several planners; otherwise the choice is that of the next run.
void MainWindow::show_plan_choice() {
  Document& d = document();
  const trace::PlanInfo* plan = d.source()->plan();
  if (d.runner()->settings().from_lesson && plan != nullptr)
    return shell_.playback->show_choice(QString::fromStdString(plan->planner),
                                        QString::fromStdString(plan->order_name));
  const RunSettings& run = d.runner()->has_model() ? d.runner()->settings() : shell_.preferences.run;
  shell_.playback->show_choice(run.planner, run.order);
}

void MainWindow::on_opened(Document* opened) {
  if (!opened->runner()->settings().from_lesson && !is_attach_spec(opened->spec()))
    remember_recent_file(opened->spec());
  update_title();
  status_->update_status();
}

void MainWindow::open_all(const QStringList& specs) {
  std::vector<OpenRequest> requests;
  for (const QString& spec : specs) requests.push_back({spec, shell_.preferences.run});
  documents_.open_all(requests);
}

void MainWindow::compare_with(const QString& spec) { document().jobs().comparing.load(spec, shell_.preferences.run); }

void MainWindow::activate(PanelId panel, int row) {
  if (panel == PanelId::Planners)
    show_plan_of_row(row);
  else
    frame_selection(shell_);
}

void MainWindow::show_plan_of_row(int row) {
  const int64_t id = shell_.panels->parts(PanelId::Planners).table->model()->id_of(row);
  SessionSource& source = *document().source();
  const auto& plans = source.snapshot()->plans;
  if (id < 0 || static_cast<size_t>(id) >= plans.size()) return;
  const std::shared_ptr<const trace::PlanInfo> chosen = plans[static_cast<size_t>(id)];
  const trace::PlanInfo* used = source.shown_plan() ? source.ghost_plan() : source.plan();
  const bool in_use = used != nullptr && used->id == chosen->id;
  source.show_plan(in_use ? nullptr : chosen);
  shell_.messages().note(in_use ? tr("Showing the plan in use.")
                                : tr("Showing the plan by %1 with order %2 (%3), overlaid on the plan in use.")
                                      .arg(planner_text(chosen->planner), order_text(chosen->order_name),
                                           format_bytes(chosen->arena_bytes)));
}

void MainWindow::show_menu(PanelId panel, const QPoint& global) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const auto add = [&](std::initializer_list<const char*> ids) {
    for (const char* id : ids) menu->addAction(shell_.actions->find(QString::fromLatin1(id)));
  };
  add({"view.frame", "view.all"});
  if (PlotView* plot = shell_.panels->parts(panel).plot) plot->add_context_menu_actions(*menu);
  if (panel == PanelId::Flame) shell_.panels->widgets().flame->add_context_menu_actions(*menu);
  if (panel == PanelId::Graph) add({"graph.producer", "graph.user", "graph.toggle"});
  menu->addSeparator();
  add({"run.breakpoint", "run.cursor"});
  menu->addSeparator();
  add({"edit.copy_name", "edit.copy_picture", "edit.copy_table", "edit.copy_markdown", "file.save_picture",
       "file.save_table", "view.table"});
  if (shell_.panels->table(panel) != nullptr) add({"view.sort"});
  menu->popup(global);
}

void MainWindow::show_breakpoints() {
  shell_.panels->widgets().graph->set_breakpoints(document().debugger()->nodes());
  shell_.playback->slider()->set_breakpoints(document().debugger()->steps());
}

void MainWindow::update_title() {
  Document& d = document();
  setWindowTitle(d.title().isEmpty() ? tr("Arenascope")
                 : d.runner()->state() == RunState::Paused && !d.paused_before().isEmpty()
                     ? tr("%1, paused before %2 – Arenascope").arg(d.title(), d.paused_before())
                     : tr("%1 – Arenascope").arg(d.title()));
}

void MainWindow::offer_recovery() {
  const QStringList all = recoverable_recordings(), files = killed_of(all);
  if (files.isEmpty() && !all.isEmpty())
    shell_.messages().note(tr("Unsaved recordings are under File ▸ Recover a Recording: %n file(s).", nullptr,
                              static_cast<int>(all.size())));
  if (files.isEmpty()) return;
  shell_.messages().post(
      MessageKind::Warning,
      tr("Arenascope did not shut down properly. Recover %n recording(s) with File ▸ Recover a Recording.", nullptr,
         static_cast<int>(files.size())));
}

void MainWindow::retranslate() {
  shell_.actions->retranslate();
  shell_.playback->retranslate();
  shell_.panels->retranslate();
  tabs_->update_tabs();
  shell_.summary->retranslate();
  welcome_->update_page();
  Q_EMIT shell_.layouts->own_changed();
  update_title();
  status_->update_status();
  status_->update_badge();
}

void MainWindow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange && guide_ != nullptr) {
    retranslate();
    guide_->load();
  }
  QMainWindow::changeEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  pictures_->keep();
  shell_.session->end();
  guide_->restore_panels();
  shell_.layouts->save_window();
  shell_.preferences.save();
  event->accept();
}

// Panels in tabs that are not current are part of the tab order but not visible.
bool MainWindow::focusNextPrevChild(bool next) {
  constexpr int kMaxHidden = 200;
  for (int i = 0; i < kMaxHidden; ++i) {
    if (!QMainWindow::focusNextPrevChild(next)) return false;
    if (focusWidget() == nullptr || !focusWidget()->visibleRegion().isEmpty()) break;
  }
  return true;
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  QStringList files;
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) files << url.toLocalFile();
  open_all(files);
  event->acceptProposedAction();
}

void MainWindow::apply_preferences(const Preferences& preferences) {
  const Preferences before = std::exchange(shell_.preferences, preferences);
  preferences.save();
  if (before.theme != preferences.theme) {
    // The system theme is visible only without a custom palette.
    if (preferences.theme == ThemeMode::System) QApplication::setPalette(QPalette());
    theme_.set_mode(preferences.theme);
  }
  if (before.language != preferences.language) set_language(preferences.language);
  shell_.playback->show_choice(preferences.run.planner, preferences.run.order);
  if (before.run == preferences.run || !document().runner()->has_model()) return;
  const auto graph = [](const RunSettings& run) { return std::tie(run.threads, run.backend, run.rewrite, run.fuse); };
  if (graph(before.run) != graph(preferences.run))
    document().open(document().spec(), preferences.run);
  else
    document().replan(preferences.run);
}

}  // namespace arenascope::app
