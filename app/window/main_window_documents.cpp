// SPDX-License-Identifier: GPL-3.0-or-later
// Several files in one window: a tab each. What is opened takes the empty tab or a new one, and only once it is there;
// what cannot be opened leaves everything as it was.
#include <QToolBar>

#include "main_window.h"

namespace arenascope::app {

using namespace views;

void MainWindow::make_tabs() {
  auto* strip = new QToolBar(this);
  strip->setObjectName(QStringLiteral("tabs"));
  strip->setMovable(false);
  strip->setContextMenuPolicy(Qt::PreventContextMenu);
  strip->setContentsMargins(0, 0, 0, 0);
  tabs_ = new QTabBar(strip);
  tabs_->setObjectName(QStringLiteral("documents"));
  tabs_->setTabsClosable(true);
  tabs_->setDocumentMode(true);
  tabs_->setExpanding(false);
  tabs_->setElideMode(Qt::ElideMiddle);
  tabs_->setUsesScrollButtons(true);
  tabs_->setDrawBase(false);
  strip->addWidget(tabs_);
  addToolBar(Qt::TopToolBarArea, strip);
  addToolBarBreak(Qt::TopToolBarArea);
  tab_strip_ = strip;
  connect(tabs_, &QTabBar::currentChanged, this, [this](int i) {
    if (i >= 0 && static_cast<size_t>(i) != at_ && static_cast<size_t>(i) < documents_.size())
      show_document(static_cast<size_t>(i));
  });
  connect(tabs_, &QTabBar::tabCloseRequested, this, &MainWindow::close_document);
  documents_.push_back(std::make_unique<Document>());
  controller_ = documents_[0]->controller.get();
  connect_controller(documents_[0].get());
  update_tabs();
}

void MainWindow::update_tabs() {
  const QSignalBlocker quiet(tabs_);
  while (tabs_->count() > static_cast<int>(documents_.size())) tabs_->removeTab(tabs_->count() - 1);
  while (tabs_->count() < static_cast<int>(documents_.size())) tabs_->addTab({});
  for (size_t i = 0; i < documents_.size(); ++i) {
    const int tab = static_cast<int>(i);
    const QString title = documents_[i]->title;
    tabs_->setTabText(tab, title.isEmpty() ? tr("Nothing open") : QString(title).replace(u'&', QStringLiteral("&&")));
    tabs_->setTabToolTip(tab, documents_[i]->tip);
  }
  tabs_->setAccessibleName(tr("Open files"));
  tabs_->setCurrentIndex(static_cast<int>(at_));
  tab_strip_->setVisible(documents_.size() > 1);  // one file needs no tab
}

void MainWindow::open(const QString& spec) {
  if (opening_) retire(std::move(opening_));  // another one that is not there yet is no longer wanted
  for (size_t i = 0; i < documents_.size(); ++i)
    if (documents_[i]->controller->spec() == spec && documents_[i]->session) {
      if (i != at_) show_document(i);
      return controller_->open(spec, preferences_.run);  // anew: the file may be another by now
    }
  if (documents_[at_]->empty()) return controller_->open(spec, preferences_.run);
  opening_ = std::make_unique<Document>();
  connect_controller(opening_.get());
  opening_->controller->set_breakpoints(breakpoints_);
  opening_->controller->open(spec, preferences_.run);
}

void MainWindow::open_all(const QStringList& specs) {
  if (specs.isEmpty()) return;
  to_open_ = specs.mid(1);
  open(specs.front());
}

// When the first run of a model is through, the playhead stands where most is live.
void MainWindow::go_to_first_peak() {
  Document& document = *documents_[at_];
  if (!document.to_peak || controller_->state() != RunState::Ready) return;
  const trace::Run* run = source_.snapshot()->runs.empty() ? nullptr : &source_.snapshot()->runs.back();
  if (run == nullptr || !run->finished) return;
  document.to_peak = false;
  if (const int32_t peak = playback_->slider()->peak_step(); peak >= 0) axis_.set_current(Step(peak));
}

void MainWindow::open_next() {
  if (to_open_.isEmpty()) return;
  const QString spec = to_open_.takeFirst();
  QMetaObject::invokeMethod(
      this, [this, spec] { open(spec); }, Qt::QueuedConnection);
}

void MainWindow::show_session(std::shared_ptr<trace::Session> session, const QString& title) {
  Document& document = *documents_[at_];
  document.session = std::move(session);
  document.title = title;
  document.look.reset();
  show_document(at_);
}

// One of `document` was opened: in its own tab, or in a new one where it comes from opening_.
void MainWindow::take_document(Document* document, const QString& title) {
  document->session = document->controller->session();
  document->title = title;
  document->tip = document->controller->spec();
  document->look.reset();
  messages_->clear();
  if (opening_.get() == document) {
    leave_document();
    documents_.push_back(std::move(opening_));
    at_ = documents_.size() - 1;
  }
  if (!document->controller->spec().startsWith(QStringLiteral("lesson:")))
    remember_recent_file(document->controller->spec());
  update_recent();
  for (size_t i = 0; i < documents_.size(); ++i)
    if (documents_[i].get() == document) show_document(i);
  if (document->controller->has_model()) {
    document->to_peak = true;
    document->controller->run_once();  // so that every view has something to show
  }
  update_actions();
  open_next();
}

// Its thread ends in its own time: nothing here waits for it.
void MainWindow::retire(std::unique_ptr<Document> document) {
  document->controller->disconnect(this);
  RunController::retire(std::move(document->controller));
}

// Keeps how the tab at hand is looked at; a run without an end does not go on unseen.
void MainWindow::leave_document() {
  Document& document = *documents_[at_];
  if (!document.session) return;
  document.look =
      Document::Look{axis_.mode(), axis_.range(), axis_.current(), selection_.current(), source_.shown_plan()};
  document.controller->pause();
}

void MainWindow::show_document(size_t i) {
  if (i != at_) leave_document();
  at_ = i;
  Document& document = *documents_[i];
  controller_ = document.controller.get();
  title_ = document.title;
  play_timer_.stop();
  selection_.forget();
  source_.show_plan(nullptr);
  source_.set_live(false);
  source_.set_session(document.session);
  if (document.look) {
    const Document::Look look = *document.look;
    source_.show_plan(look.shown_plan);
    axis_.set_mode(look.mode);
    axis_.set_range(look.range);
    if (!look.selection.empty()) selection_.select(look.selection);
    axis_.set_current(look.current);
  }
  progress_->clear();
  take_breakpoints();
  if (controller_->has_model()) playback_->show_choice(controller_->settings().planner, controller_->settings().order);
  const RunState state = controller_->state();
  if (state == RunState::Running || state == RunState::Paused) source_.set_live(true);
  update_tabs();
  retranslate();
  update_actions();
  update_status();
  ask_values();
}

void MainWindow::close_document(int index) {
  if (index < 0 || static_cast<size_t>(index) >= documents_.size()) return;
  const size_t i = static_cast<size_t>(index);
  if (documents_.size() == 1) {
    // The last tab stays, with nothing in it.
    if (documents_[0]->empty()) return;
    documents_.push_back(std::make_unique<Document>());
    connect_controller(documents_.back().get());
    documents_.back()->controller->set_breakpoints(breakpoints_);
  }
  if (i == at_) show_document(i + 1 < documents_.size() ? i + 1 : i - 1);
  retire(std::move(documents_[i]));
  documents_.erase(documents_.begin() + index);
  if (at_ > i) --at_;
  update_tabs();
}

void MainWindow::next_document(int direction) {
  const int count = static_cast<int>(documents_.size());
  if (count > 1) show_document(static_cast<size_t>((static_cast<int>(at_) + direction + count) % count));
}

}  // namespace arenascope::app
