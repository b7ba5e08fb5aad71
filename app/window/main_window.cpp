// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/plot_view.h>

#include "main_window.h"

#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>

#include <views/common/format.h>
#include <QApplication>
#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QStatusBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include "language.h"
#include "lesson_guide.h"

namespace arenascope::app {

using namespace views;

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent), preferences_(Preferences::load()) {
  setAcceptDrops(true);
  resize(1600, 900);
  theme_.set_mode(preferences_.theme);
  qApp->setPalette(theme_.palette());
  ask_file = [this](bool save, const QString& title, const QString& filter) {
    return save ? QFileDialog::getSaveFileName(this, title, {}, filter)
                : QFileDialog::getOpenFileName(this, title, {}, filter);
  };
  messages_ = new MessageBar(&theme_, this);
  make_docks();
  make_actions();
  make_tabs();
  playback_ = new PlaybackBar(actions_, &source_, &axis_, &theme_, this);
  playback_->setContextMenuPolicy(Qt::PreventContextMenu);
  addToolBar(Qt::TopToolBarArea, playback_);
  // The messages stand between the tool bar and the docks.
  addToolBarBreak(Qt::TopToolBarArea);
  auto* strip = new QToolBar(this);
  strip->setObjectName(QStringLiteral("messages"));
  strip->setMovable(false);
  strip->setContextMenuPolicy(Qt::PreventContextMenu);
  strip->setContentsMargins(0, 0, 0, 0);
  messages_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
  QAction* place = strip->addWidget(messages_);
  addToolBar(Qt::TopToolBarArea, strip);
  auto show_strip = [strip, place](bool any) {
    place->setVisible(any);
    strip->setVisible(any);
  };
  show_strip(false);
  connect(messages_, &MessageBar::shown, strip, show_strip);
  palette_ = new CommandPalette(actions_, this);

  QStringList planners, orders;
  for (const planner::Planner* p : planner::all_planners())
    planners << QString::fromUtf8(p->name().data(), static_cast<qsizetype>(p->name().size()));
  for (const OrderInfo& order : all_orders()) orders << QString::fromUtf8(order.name);
  playback_->set_planners(planners, orders);
  make_desks();
  playback_->show_choice(preferences_.run.planner, preferences_.run.order);
  connect(playback_, &PlaybackBar::plan_wanted, this,
          [this](const QString& planner, const QString& order) { replan(planner, order); });

  auto* corner = new QWidget(this);
  auto* row = new QHBoxLayout(corner);
  row->setContentsMargins(0, 0, 10, 0);
  row->setSpacing(14);
  progress_ = new QLabel(corner);
  live_ = new QLabel(corner);
  lost_ = new QLabel(corner);
  for (QLabel* label : {progress_, live_, lost_}) row->addWidget(label);
  menuBar()->setCornerWidget(corner, Qt::TopRightCorner);

  connect(&source_, &SessionSource::changed, this, &MainWindow::update_status);
  connect(&source_, &SessionSource::changed, this, [this] {
    // A live run moves the playhead while it is stepped.
    if (source_.live_step().valid() && controller_->state() == RunState::Paused) axis_.set_current(source_.live_step());
  });
  connect(&theme_, &Theme::changed, this, [this] {
    qApp->setPalette(theme_.palette());
    update_status();
  });
  connect(&selection_, &SelectionModel::history_changed, this, &MainWindow::update_actions);
  connect(&selection_, &SelectionModel::current_changed, this, &MainWindow::update_actions);
  connect(&selection_, &SelectionModel::current_changed, this, [this] {
    // What was selected by hand shows its step in every view.
    const int32_t step = step_of(selected_node());
    if (step >= 0 && controller_->state() != RunState::Running) axis_.set_current(Step(step));
  });
  connect(&selection_, &SelectionModel::current_changed, this, &MainWindow::ask_values);
  settle_timer_.setSingleShot(true);
  settle_timer_.setInterval(250);
  connect(&settle_timer_, &QTimer::timeout, this, [this] {
    const RunState state = controller_->state();
    if (state != RunState::Running && state != RunState::Paused) source_.set_live(false);
    source_.refresh();
    go_to_first_peak();
  });
  connect(&play_timer_, &QTimer::timeout, this, &MainWindow::play_on);
  plots_["arena"]->setFocus();  // not a line edit, which would take the letters
  set_breakpoints({});
  retranslate();
  restore_state();
  connect_history();
  watch_ = new UiWatch(this);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    for (auto it = docks_.begin(); now != nullptr && it != docks_.end(); ++it)
      if (it.value()->isAncestorOf(now)) last_panel_ = it.key();
  });
  update_actions();
  update_status();
}

MainWindow::~MainWindow() {
  // The panels go last, behind all that the window holds: what they still say then is for nobody.
  QObject::disconnect(qApp, nullptr, this, nullptr);
  for (QDockWidget* dock : std::as_const(docks_)) {
    dock->disconnect(this);
    dock->toggleViewAction()->disconnect(this);
  }
  if (tabs_ != nullptr) tabs_->disconnect(this);
}

// What a tab's controller says is for its tab; the views are told when it is the one at hand.
void MainWindow::connect_controller(Document* document) {
  RunController* controller = document->controller.get();
  auto here = [this, controller] { return controller == controller_; };
  connect(controller, &RunController::opened, this,
          [this, document](const QString& title) { take_document(document, title); });
  connect(controller, &RunController::session_changed, this, [this, document, here] {
    document->session = document->controller->session();
    if (here()) source_.set_session(document->session);
  });
  connect(controller, &RunController::failed, this, [this, document](const QString& sentence) {
    fail(sentence);
    const bool nothing = document->controller->state() == RunState::Empty;
    if (opening_.get() == document && document->controller->state() == RunState::Empty) {
      progress_->clear();
      retire(std::move(opening_));
    }
    if (nothing) open_next();  // `document` may be gone
  });
  connect(controller, &RunController::values, this,
          [this, here](std::shared_ptr<const views::TensorValues> values, const QString& title) {
            if (!here()) return;
            if (values) {
              values_->setMaximumHeight(QWIDGETSIZE_MAX);
              values_->findChild<QTabWidget*>()->show();
              values_->set_values(values, title);
            } else {
              no_values(title);
            }
          });
  connect(controller, &RunController::progress, this, [this, document, here](const QString& phase) {
    if (here() || opening_.get() == document) progress_->setText(phase);
  });
  connect(controller, &RunController::read_on, this, [this, here] {
    if (here()) source_.refresh();
  });
  connect(controller, &RunController::planned, this, [this, here] {
    if (!here()) return;
    source_.show_plan(nullptr);
    source_.set_plan_before(std::exchange(plan_before_, nullptr));
    source_.refresh();
    take_breakpoints();
  });
  connect(controller, &RunController::paused_at, this, [this, here](int step, const QString& why) {
    if (!here()) return;
    source_.refresh();
    axis_.set_current(Step(step));
    if (source_.plan() != nullptr && static_cast<size_t>(step) < source_.plan()->order.size()) {
      const NodeId node = source_.plan()->order[static_cast<size_t>(step)];
      selection_.select(Selection::node(source_.graph_id(), node));
      if (source_.graph() != nullptr && node.index() < source_.graph()->nodes.size())
        paused_before_ = QString::fromStdString(source_.graph()->nodes[node.index()].name);
    }
    update_status();
    if (!why.isEmpty()) messages_->say(MessageKind::Note, tr("Paused before %1 by a breakpoint.").arg(why));
  });
  connect(controller, &RunController::state_changed, this, [this, here] {
    if (!here()) return;
    const RunState state = controller_->state();
    if (state == RunState::Running || state == RunState::Paused)
      source_.set_live(true);
    else
      settle_timer_.start();  // the last events of a run come a moment behind it
    if (state == RunState::Ready) source_.refresh();
    go_to_first_peak();
    if (state == RunState::Running) play_timer_.stop();
    if (state == RunState::Running) messages_->drop_notes();  // where it was paused, say
    update_actions();
    update_status();
    ask_values();
  });
}

// One line that says why, instead of empty pictures.
void MainWindow::no_values(const QString& why) {
  values_->clear(why);
  values_->findChild<QTabWidget*>()->hide();
  values_->setMaximumHeight(fontMetrics().height() * 4);
}

// The numbers of the selected tensor, where they can be had: they are copied while nothing computes.
void MainWindow::ask_values() {
  const trace::TensorRef ref = tensor_of(selection_.current(), *source_.snapshot());
  if (!ref.valid()) return no_values(tr("Select a tensor to see its values."));
  if (!controller_->has_model()) return no_values(tr("A recording holds no values; open the model to see them."));
  if (controller_->state() == RunState::Running) return no_values(tr("Pause the run to see values."));
  controller_->read_values(ref);
}

NodeId MainWindow::selected_node() const {
  const trace::TensorRef ref = tensor_of(selection_.current(), *source_.snapshot());
  return ref.is_node() ? NodeId(ref.index()) : NodeId::none();
}

int32_t MainWindow::step_of(NodeId node) const {
  if (!node.valid() || source_.plan() == nullptr) return -1;
  const auto& order = source_.plan()->order;
  const auto it = std::find(order.begin(), order.end(), node);
  return it == order.end() ? -1 : static_cast<int32_t>(it - order.begin());
}

bool MainWindow::graph_has_focus() const {
  const QWidget* focus = QApplication::focusWidget();
  return focus == graph_->canvas();
}

void MainWindow::frame_selection() {
  graph_->reveal(selected_node());
  for (PlotView* view : std::as_const(plots_))
    if (view->isVisible()) {
      view->frame_selection();
      return;
    }
}

void MainWindow::show_plan_of_row(int row) {
  const auto* model = tables_["planners"]->model();
  const QString planner = model->index(row, 1).data().toString(), order = model->index(row, 2).data().toString();
  std::shared_ptr<const trace::PlanInfo> chosen;
  for (const auto& plan : source_.snapshot()->plans)
    if (plan->planner == planner.toStdString() && plan->order_name == order.toStdString()) chosen = plan;
  if (!chosen) return;
  const bool in_use = source_.ghost_plan() == nullptr && source_.plan_id() == chosen->id;
  source_.show_plan(in_use ? nullptr : chosen);
  messages_->say(MessageKind::Note, in_use ? tr("The plan in use is shown.")
                                           : tr("%1, %2: %3 is shown; the plan in use is drawn as a ghost under it.")
                                                 .arg(planner, order, format_bytes(chosen->arena_bytes)));
}

void MainWindow::update_status() {
  QString title = title_.isEmpty() ? tr("Arenascope") : tr("%1 – Arenascope").arg(title_);
  if (controller_->state() == RunState::Paused && !paused_before_.isEmpty())
    title = tr("%1, paused before %2 – Arenascope").arg(title_, paused_before_);
  setWindowTitle(title);
  const ThemeColours& colours = theme_.colours();
  const RunState state = controller_->state();
  const trace::Run* run = source_.snapshot()->run(source_.run());
  const QString backend = run ? QString::fromStdString(run->info.backend) : controller_->settings().backend;
  const bool live = state == RunState::Running || state == RunState::Paused;
  QColor dot = live ? (state == RunState::Paused ? colours.category(1) : colours.category(2)) : colours.dim_text;
  const QString word = state == RunState::Running            ? tr("live")
                       : state == RunState::Paused           ? tr("paused")
                       : state == RunState::Ready            ? tr("ready")
                       : state == RunState::Opening          ? tr("opening")
                       : source_.snapshot()->event_count > 0 ? tr("recording")
                       : source_.graph() != nullptr          ? tr("planned only")
                                                             : tr("nothing open");
  live_->setText(QStringLiteral("%1 <span style='color:%2'>●</span> %3")
                     .arg(word.toHtmlEscaped(), dot.name(), backend.toHtmlEscaped()));
  const int64_t lost = source_.snapshot()->lost;
  lost_->setText(lost > 0 ? QStringLiteral("<b style='color:%1'>%2</b>")
                                .arg(colours.capacity.name(), tr("lost %1").arg(format_count(lost)))
                          : tr("lost %1").arg(QStringLiteral("0")));
  // A menu bar gives its corner another place only when it is resized itself.
  QResizeEvent again(menuBar()->size(), menuBar()->size());
  QCoreApplication::sendEvent(menuBar(), &again);
  lost_->setToolTip(tr("Events that could not be recorded because a ring was full"));
}

void MainWindow::retranslate() {
  actions_->retranslate();
  playback_->retranslate();
  for (auto it = docks_.begin(); it != docks_.end(); ++it)
    it.value()->setWindowTitle(QCoreApplication::translate("Docks", dock_titles_[it.key()]));
  for (auto it = tables_.begin(); it != tables_.end(); ++it)
    it.value()->table_view()->setAccessibleName(tr("Table %1").arg(docks_[it.key()]->windowTitle()));
  update_recent();
  update_layouts();
  update_status();
}

void MainWindow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange && playback_ != nullptr) {
    retranslate();
    guide_->load();
  }
  QMainWindow::changeEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  save_state();
  preferences_.save();
  event->accept();
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
  const Preferences before = std::exchange(preferences_, preferences);
  preferences_.save();
  if (before.theme != preferences_.theme) {
    // What the system wants shows only without a palette of ours.
    if (preferences_.theme == ThemeMode::System) QApplication::setPalette(QPalette());
    theme_.set_mode(preferences_.theme);
  }
  if (before.language != preferences_.language) set_language(preferences_.language);
  playback_->show_choice(preferences_.run.planner, preferences_.run.order);
  if (before.run == preferences_.run || !controller_->has_model()) return;
  const bool other_machine = before.run.threads != preferences_.run.threads ||
                             before.run.backend != preferences_.run.backend || before.run.fuse != preferences_.run.fuse;
  if (other_machine)
    controller_->open(controller_->spec(), preferences_.run);
  else
    controller_->replan(preferences_.run);
}

}  // namespace arenascope::app
