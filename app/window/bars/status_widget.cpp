// SPDX-License-Identifier: GPL-3.0-or-later
#include "status_widget.h"

#include <views/common/format.h>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QResizeEvent>

#include <algorithm>

namespace arenascope::app {

using namespace views;

namespace {

constexpr qsizetype kMaxNames = 2;  // number of device names shown

// Devices other than the host that have spans or memory, by their names in the file.
QStringList device_names(const trace::Snapshot& snapshot) {
  std::vector<bool> used(snapshot.devices.size(), false);
  const auto use = [&](trace::DeviceId device) {
    if (device.valid() && device.index() < used.size()) used[device.index()] = true;
  };
  for (const trace::TrackView& track : snapshot.tracks) use(track.info.device);
  for (size_t i = 0; i < snapshot.spaces.size(); ++i) use(snapshot.spaces[i].device);
  for (const trace::Space& space : snapshot.open_spaces) use(space.device);
  if (std::ranges::find(used, true) == used.end())  // amounts without addresses
    for (const trace::AllocatorInfo& allocator : snapshot.allocators) use(allocator.device);
  QStringList names;
  for (size_t i = 0; i < used.size(); ++i)
    if (used[i] && !snapshot.devices[i].host) names << QString::fromStdString(snapshot.devices[i].name);
  return names;
}

}  // namespace

StatusWidget::StatusWidget(Documents* documents, const Theme* theme, QMenuBar* bar)
    : QWidget(bar), documents_(documents), theme_(theme), bar_(bar) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 10, 0);
  row->setSpacing(14);
  job_ = new JobBar(documents, this);
  row->addWidget(job_);
  badge_ = new QToolButton(this);
  badge_->setObjectName(QStringLiteral("message_badge"));
  badge_->setAutoRaise(true);
  badge_->setFixedHeight(fontMetrics().lineSpacing());  // the menu bar keeps its height
  row->addWidget(badge_);
  connect(badge_, &QToolButton::clicked, this, &StatusWidget::log_requested);
  connect(documents_->log(), &MessageLog::changed, this, &StatusWidget::update_badge);
  connect(theme_, &Theme::changed, this, &StatusWidget::update_badge);
  live_ = new QLabel(this);
  kept_ = new QLabel(this);
  lost_ = new QLabel(this);
  for (QLabel* label : {live_, kept_, lost_}) row->addWidget(label);
  bar->setCornerWidget(this, Qt::TopRightCorner);
  connect(documents_, &Documents::tasks_changed, this, &StatusWidget::update_progress);
  connect(job_, &JobBar::resized, this, &StatusWidget::update_position);
  update_badge();
}

void StatusWidget::update_badge() {
  const int errors = documents_->log()->unread(MessageKind::Error);
  const int all = errors + documents_->log()->unread(MessageKind::Warning);
  const QColor colour = errors > 0 ? theme_->colours().capacity : theme_->colours().category(1);
  badge_->setText(QString::fromUtf8(errors > 0 ? "✖ %1" : "▲ %1").arg(all));
  badge_->setStyleSheet(QStringLiteral("color: %1;").arg(colour.name()));
  const QString tip = tr("%n unread message(s): open the message log", nullptr, all);
  badge_->setToolTip(tip);
  badge_->setAccessibleName(tip);
  badge_->setVisible(all > 0);
  update_position();
}

void StatusWidget::update_progress() {
  job_->refresh();
  update_status();
}

QString StatusWidget::state_text() const {
  if (documents_->opening() != nullptr) return tr("opening");
  Document& document = documents_->current();
  switch (document.runner()->state()) {
    case RunState::Running: return tr("running");
    case RunState::Paused: return tr("paused");
    case RunState::Ready: return tr("ready");
    case RunState::Opening: return tr("opening");
    default: break;
  }
  return document.source()->snapshot()->event_count > 0 ? tr("recording")
         : document.source()->plan() != nullptr         ? tr("planned only")
         : document.source()->graph() != nullptr        ? tr("graph only")
                                                        : tr("nothing open");
}

QString StatusWidget::device_text() const {
  Document& document = documents_->current();
  const trace::Snapshot& snapshot = *document.source()->snapshot();
  if (const trace::Run* run = snapshot.run(document.source()->run())) return QString::fromStdString(run->info.backend);
  if (document.runner()->has_model()) return document.runner()->settings().backend;
  const QStringList names = device_names(snapshot);
  return names.size() > kMaxNames ? tr("%n device(s)", nullptr, static_cast<int>(names.size()))
                                  : names.join(QStringLiteral(", "));
}

void StatusWidget::update_status() {
  Document& document = documents_->current();
  const ThemeColours& colours = theme_->colours();
  const RunState state = document.runner()->state();
  const trace::Snapshot& snapshot = *document.source()->snapshot();
  const QColor dot = state == RunState::Paused    ? colours.category(1)
                     : state == RunState::Running ? colours.category(2)
                                                  : colours.dim_text;
  live_->setText(QStringLiteral("%1 <span style='color:%2'>●</span> %3")
                     .arg(state_text().toHtmlEscaped(), dot.name(), device_text().toHtmlEscaped()));
  if (document.runner()->has_model()) {
    const auto most = static_cast<Bytes>(document.runner()->settings().recording_limit_bytes());
    kept_->setText(tr("%1 of %2").arg(format_bytes(static_cast<Bytes>(snapshot.bytes)), format_bytes(most)));
    kept_->setToolTip(tr("Size of the recording. Beyond the limit the oldest runs are discarded: Edit ▸ Preferences"));
  }
  lost_->setText(QStringLiteral("<b style='color:%1'>%2</b>")
                     .arg(colours.capacity.name(), tr("lost %1").arg(format_count(snapshot.lost))));
  lost_->setToolTip(tr("Events lost because a ring buffer was full"));
  update_position();
}

// A menu bar repositions its corner widget only when it is resized itself, and lets it cover menus.
void StatusWidget::update_position() {
  Document& document = documents_->current();
  kept_->setVisible(document.runner()->has_model());
  lost_->setVisible(document.source()->snapshot()->lost > 0);
  if (bar_->sizeHint().width() > bar_->width()) kept_->hide();
  if (sizeHint() == placed_) return;
  placed_ = sizeHint();
  QResizeEvent again(bar_->size(), bar_->size());
  QCoreApplication::sendEvent(bar_, &again);
}

}  // namespace arenascope::app
