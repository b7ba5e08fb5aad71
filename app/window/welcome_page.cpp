// SPDX-License-Identifier: GPL-3.0-or-later
#include "welcome_page.h"

#include <arenascope/models/zoo.h>

#include <QDockWidget>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolBar>

#include <algorithm>

#include "document/job.h"
#include "shell.h"

namespace arenascope::app {

using namespace views;

namespace {

constexpr int kMostRecent = 7;
constexpr const char* kExamples[] = {"squeezenet", "resnet50", "mobilenet_v2", "bert_base"};

// A line that can be pressed, and reached by Tab.
QPushButton* line(QWidget* parent, const QString& text, const QString& tip) {
  auto* button = new QPushButton(text, parent);
  button->setFlat(true);
  button->setCursor(Qt::PointingHandCursor);
  button->setToolTip(tip);
  button->setStyleSheet(QStringLiteral("QPushButton { text-align: left; padding: 3px 6px; }"));
  return button;
}

}  // namespace

WelcomePage::WelcomePage(Shell& shell) : QWidget(shell.window), shell_(shell) {
  setObjectName(QStringLiteral("welcome"));
  shell_.window->installEventFilter(this);
  connect(shell_.documents, &Documents::progress_changed, this, &WelcomePage::show_progress);
  hide();
}

void WelcomePage::show_progress() {
  if (isHidden() || doing_ == nullptr) return;
  const auto job = job_of(*shell_.documents);
  doing_->setText(job ? job->text : tr("Open a model, run it, and watch how it lives in memory."));
}

// Docks come to the front when they are put back or chosen; messages stand before everything.
void WelcomePage::stand_over() {
  raise();
  for (QWidget* over : shell_.window->findChildren<QWidget*>(QStringLiteral("messages"))) over->raise();
}

void WelcomePage::update_page() {
  const SessionSource& source = *shell_.document().source();
  const bool nothing = !source.session() && source.graph() == nullptr;
  if (!nothing) return hide();
  fill();
  place();
  show();
  for (QDockWidget* dock : shell_.window->findChildren<QDockWidget*>()) dock->installEventFilter(this);
  stand_over();
}

QLayout* WelcomePage::ways() {
  auto* row = new QHBoxLayout;
  for (const char* id : {"file.open", "file.zoo", "file.attach"}) {
    QAction* action = shell_.actions->find(QString::fromLatin1(id));
    auto* button = new QPushButton(QString(action->text()).remove(u'&'), inside_);
    button->setToolTip(action->shortcut().toString(QKeySequence::NativeText));
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
    row->addWidget(button);
  }
  row->addStretch(1);
  return row;
}

QVBoxLayout* WelcomePage::list(const QString& heading) {
  auto* lines = new QVBoxLayout;
  lines->setSpacing(0);
  lines->addWidget(new QLabel(QStringLiteral("<b>%1</b>").arg(heading.toHtmlEscaped()), inside_));
  return lines;
}

void WelcomePage::add_spec(QVBoxLayout* lines, const QString& spec, const QString& name, const QString& tip) {
  QPushButton* button = line(inside_, fontMetrics().elidedText(name, Qt::ElideMiddle, 230), tip);
  connect(button, &QPushButton::clicked, this, [this, spec] { shell_.open(spec); });
  lines->addWidget(button);
}

void WelcomePage::fill() {
  delete layout();
  if (inside_ != nullptr) {
    inside_->hide();
    inside_->deleteLater();  // a button in it may be what was pressed
  }
  inside_ = new QWidget(this);
  inside_->setMaximumWidth(860);
  auto* outer = new QVBoxLayout(this);
  outer->addStretch(1);
  outer->addWidget(inside_, 0, Qt::AlignHCenter);
  outer->addStretch(2);
  auto* column = new QVBoxLayout(inside_);
  auto* title = new QLabel(QStringLiteral("Arenascope"), inside_);
  QFont large = title->font();
  large.setPointSizeF(large.pointSizeF() * 2);
  large.setBold(true);
  title->setFont(large);
  doing_ = new QLabel(tr("Open a model, run it, and watch how it lives in memory."), inside_);
  doing_->setObjectName(QStringLiteral("doing"));
  doing_->setWordWrap(true);
  auto* drop = new QLabel(tr("Or drop a model, a recording, another tool's trace or a list of buffers here."), inside_);
  drop->setWordWrap(true);
  auto* lists = new QHBoxLayout;
  column->addWidget(title);
  column->addWidget(doing_);
  column->addSpacing(8);
  column->addLayout(ways());
  column->addWidget(drop);
  column->addSpacing(12);
  column->addLayout(lists);

  const QStringList files = recent_files();
  QVBoxLayout* recent = files.isEmpty() ? nullptr : list(tr("Open again"));
  for (const QString& spec : files.first(std::min<qsizetype>(files.size(), kMostRecent)))
    add_spec(recent, spec, spec.startsWith(u"zoo:") ? spec : QFileInfo(spec).fileName(), spec);
  QVBoxLayout* examples = list(tr("Built in"));
  for (const auto& entry : models::zoo()) {
    const QString name = QString::fromUtf8(entry.name);
    if (std::none_of(std::begin(kExamples), std::end(kExamples),
                     [&](const char* e) { return name == QLatin1String(e); }))
      continue;
    add_spec(examples, QStringLiteral("zoo:") + name, name, QString::fromUtf8(entry.description));
  }
  QVBoxLayout* lessons = list(tr("Lessons"));
  for (const ActionRegistry::Entry& entry : shell_.actions->all()) {
    if (!QLatin1String(entry.id).startsWith(QLatin1String("lesson."))) continue;
    QPushButton* button = line(inside_, QString(entry.action->text()).remove(u'&'), entry.action->toolTip());
    connect(button, &QPushButton::clicked, entry.action, &QAction::trigger);
    lessons->addWidget(button);
  }
  for (QVBoxLayout* each : {recent, examples, lessons}) {
    if (each == nullptr) continue;
    each->addStretch(1);
    lists->addLayout(each, 1);
  }
}

// Over the panels: below the tool bars at the top, above those at the bottom.
void WelcomePage::place() {
  int top = 0, bottom = shell_.window->height();
  for (const QToolBar* bar : shell_.window->findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (!bar->isVisible() || bar->isFloating()) continue;
    if (shell_.window->toolBarArea(bar) == Qt::TopToolBarArea) top = std::max(top, bar->geometry().bottom() + 1);
    if (shell_.window->toolBarArea(bar) == Qt::BottomToolBarArea) bottom = std::min(bottom, bar->geometry().top());
  }
  setGeometry(0, top, shell_.window->width(), bottom - top);
}

bool WelcomePage::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (isHidden()) return QWidget::eventFilter(watched, event);
  if (watched != shell_.window) {
    if (type == QEvent::ZOrderChange || type == QEvent::Show) stand_over();
  } else if (type == QEvent::Resize || type == QEvent::LayoutRequest || type == QEvent::Show) {
    place();
  }
  return QWidget::eventFilter(watched, event);
}

void WelcomePage::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Window));
  painter.setPen(QPen(palette().color(QPalette::Mid), 1.5, Qt::DashLine));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.drawRoundedRect(QRectF(rect()).adjusted(16, 16, -16, -16), 10, 10);
}

}  // namespace arenascope::app
