// SPDX-License-Identifier: GPL-3.0-or-later
#include "job_bar.h"

#include <QEvent>

#include <algorithm>
#include <cmath>

#include "app/window/style/motion.h"

namespace arenascope::app {

using views::Task;

namespace {
constexpr int kRefreshMs = 250, kWidth = 110;  // ms, pixels
constexpr double kLongTask = 1;                // s
}  // namespace

TaskRow::TaskRow(QWidget* parent)
    : QObject(parent), text_(new QLabel(parent)), bar_(new QProgressBar(parent)), cancel_(new QToolButton(parent)) {
  bar_->setFixedWidth(kWidth);
  bar_->setMaximumHeight(parent->fontMetrics().height() + 2);
  cancel_->setAutoRaise(true);
  cancel_->setObjectName(QStringLiteral("cancel_job"));
  cancel_->setText(QStringLiteral("✕"));
  connect(cancel_, &QToolButton::clicked, this, [this] {
    if (task_ && task_->running() && task_->number() == number_) task_->cancel();
  });
  retranslate();
}

void TaskRow::add_to(QGridLayout* grid, int row) {
  int column = 0;
  for (QWidget* part : std::initializer_list<QWidget*>{text_, bar_, cancel_}) grid->addWidget(part, row, column++);
}

void TaskRow::show(Task* task, const QString& title, bool progress) {
  task_ = task;
  number_ = task->number();
  text_->setVisible(progress);  // titles of short tasks would flicker
  text_->setText(title);
  cancel_->setVisible(progress);
  const double share = task->share(), seconds_left = task->seconds_left();
  // A bar with an unknown share is indeterminate.
  bar_->setVisible(progress && (share >= 0 || wants_motion()));
  bar_->setRange(0, share >= 0 ? 1000 : 0);
  bar_->setValue(static_cast<int>(std::lround(share * 1000)));
  const QString left =
      seconds_left >= 0 ? JobBar::tr("%1 s left").arg(std::lround(std::ceil(seconds_left))) : QString();
  bar_->setTextVisible(!left.isEmpty());
  bar_->setFormat(left);
  bar_->setAccessibleDescription(left);
  cancel_->setAccessibleName(JobBar::tr("Cancel: %1").arg(title));
}

void TaskRow::hide() {
  task_ = nullptr;
  for (QWidget* part : std::initializer_list<QWidget*>{text_, bar_, cancel_}) part->hide();
}

void TaskRow::retranslate() {
  bar_->setAccessibleName(JobBar::tr("Progress"));
  cancel_->setToolTip(JobBar::tr("Cancel"));
}

JobBar::JobBar(Documents* documents, QWidget* parent)
    : QWidget(parent),
      documents_(documents),
      shown_(new TaskRow(this)),
      more_(new QToolButton(this)),
      list_(new QFrame(this, Qt::Popup)),
      rows_(new QGridLayout(list_)) {
  setObjectName(QStringLiteral("job"));
  auto* row = new QGridLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setHorizontalSpacing(6);
  shown_->add_to(row, 0);
  row->addWidget(more_, 0, 3);
  more_->setAutoRaise(true);
  more_->setObjectName(QStringLiteral("task_list_button"));
  list_->setObjectName(QStringLiteral("task_list"));
  list_->setFrameShape(QFrame::StyledPanel);
  connect(more_, &QToolButton::clicked, this, &JobBar::open_list);
  timer_.setInterval(kRefreshMs);
  connect(&timer_, &QTimer::timeout, this, &JobBar::refresh);
  retranslate();
  refresh();
}

void JobBar::refresh() {
  const std::vector<Task*> tasks = documents_->tasks();
  const auto listed = documents_->all_tasks();
  listed.empty() ? timer_.stop() : timer_.isActive() ? void() : timer_.start();
  const int before = sizeHint().width();
  // The first task of more than a second, else the first.
  const auto is_long = [](const Task* task) { return task->seconds() >= kLongTask; };
  const auto first_long = std::find_if(tasks.begin(), tasks.end(), is_long);
  if (Task* task = first_long != tasks.end() ? *first_long : !tasks.empty() ? tasks.front() : nullptr)
    shown_->show(task, task->title(), first_long != tasks.end());
  else
    shown_->hide();
  const bool others = std::any_of(listed.begin(), listed.end(), [&](const auto& each) {
    return is_long(each.second) && (first_long == tasks.end() || each.second != *first_long);
  });
  more_->setVisible(others);
  more_->setText(tr("%n task(s)", nullptr, static_cast<int>(listed.size())));
  refresh_list();
  if (sizeHint().width() != before) Q_EMIT resized();
}

void JobBar::refresh_list() {
  if (list_->isHidden()) return;
  const auto tasks = documents_->all_tasks();
  if (tasks.empty()) return list_->hide();
  while (listed_.size() < tasks.size()) {
    listed_.push_back(new TaskRow(list_));
    listed_.back()->add_to(rows_, static_cast<int>(listed_.size()) - 1);
  }
  for (size_t i = 0; i < listed_.size(); ++i) {
    if (i >= tasks.size()) {
      listed_[i]->hide();
      continue;
    }
    const auto& [document, task] = tasks[i];
    const QString title = document->title();
    listed_[i]->show(task, title.isEmpty() ? task->title() : tr("%1 (%2)").arg(task->title(), title), true);
  }
  list_->adjustSize();
}

void JobBar::open_list() {
  list_->show();
  refresh_list();
  list_->move(more_->mapToGlobal(QPoint(more_->width() - list_->width(), more_->height())));
}

void JobBar::retranslate() {
  shown_->retranslate();
  for (TaskRow* row : listed_) row->retranslate();
  more_->setToolTip(tr("Running tasks of all documents"));
}

void JobBar::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

}  // namespace arenascope::app
