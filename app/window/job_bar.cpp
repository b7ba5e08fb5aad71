// SPDX-License-Identifier: GPL-3.0-or-later
#include "job_bar.h"

#include <QEvent>
#include <QHBoxLayout>

#include <cmath>

#include "document/job.h"
#include "motion.h"

namespace arenascope::app {

namespace {
constexpr int kRefreshMs = 250, kMoment = 1000, kWidth = 110;  // ms, ms, pixels
}

JobBar::JobBar(Documents* documents, QWidget* parent)
    : QWidget(parent),
      documents_(documents),
      text_(new QLabel(this)),
      bar_(new QProgressBar(this)),
      cancel_(new QToolButton(this)) {
  setObjectName(QStringLiteral("job"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);
  for (QWidget* part : std::initializer_list<QWidget*>{text_, bar_, cancel_}) row->addWidget(part);
  bar_->setFixedWidth(kWidth);
  bar_->setMaximumHeight(fontMetrics().height() + 2);
  bar_->setRange(0, 1000);
  cancel_->setAutoRaise(true);
  cancel_->setObjectName(QStringLiteral("cancel_job"));
  cancel_->setText(QStringLiteral("✕"));
  connect(cancel_, &QToolButton::clicked, this, [this] {
    if (shown_) cancel_job(*documents_, *shown_);
    refresh();
  });
  timer_.setInterval(kRefreshMs);
  connect(&timer_, &QTimer::timeout, this, &JobBar::refresh);
  retranslate();
  refresh();
}

void JobBar::refresh() {
  shown_ = job_of(*documents_);
  const std::optional<Job>& job = shown_;
  if (job && !timer_.isActive()) {
    since_.start();
    timer_.start();
  }
  if (!job) timer_.stop();
  const bool long_one = job && since_.elapsed() >= kMoment;
  const int before = sizeHint().width();
  text_->setVisible(job.has_value());
  text_->setText(job ? job->text : QString());
  // A bar with an unknown share is indeterminate.
  bar_->setVisible(long_one && (job->share >= 0 || wants_motion()));
  cancel_->setVisible(long_one);
  if (long_one) {
    bar_->setRange(0, job->share >= 0 ? 1000 : 0);
    bar_->setValue(static_cast<int>(job->share * 1000));
    const QString left =
        job->seconds_left >= 0 ? tr("%1 s left").arg(std::lround(std::ceil(job->seconds_left))) : QString();
    bar_->setTextVisible(!left.isEmpty());
    bar_->setFormat(left);
    bar_->setAccessibleDescription(left);
  }
  if (sizeHint().width() != before) Q_EMIT resized();
}

void JobBar::retranslate() {
  bar_->setAccessibleName(tr("Progress"));
  cancel_->setToolTip(tr("Cancel"));
  cancel_->setAccessibleName(tr("Cancel the current operation"));
}

void JobBar::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

}  // namespace arenascope::app
