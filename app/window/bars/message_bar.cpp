// SPDX-License-Identifier: GPL-3.0-or-later
#include "message_bar.h"

#include <views/common/theme.h>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>

namespace arenascope::app {
namespace {

constexpr int kNoteMs = 12'000;  // time to read it twice
constexpr int kWidest = 900;

}  // namespace

MessageBar::MessageBar(const views::Theme* theme, const ActionRegistry* actions, QMainWindow* window)
    : QWidget(window), theme_(theme), actions_(actions), window_(window), column_(new QVBoxLayout(this)) {
  setObjectName(QStringLiteral("messages"));
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(4);
  setAccessibleName(tr("Messages"));
  note_timer_.setSingleShot(true);
  note_timer_.setInterval(kNoteMs);
  connect(&note_timer_, &QTimer::timeout, this, [this] {
    if (underMouse())
      note_timer_.start();  // while the mouse is over it
    else
      messages_->drop_notes();
  });
  connect(theme_, &views::Theme::changed, this, [this] {
    for (const auto& line : lines_) line.second->deleteLater();
    lines_.clear();
    if (messages_ != nullptr) show_messages();
  });
  window_->installEventFilter(this);
  hide();
}

void MessageBar::set_messages(Messages* messages) {
  messages_ = messages;
  connect(messages_, &Messages::changed, bond_.reset(), [this] { show_messages(); });
  show_messages();
}

// An unchanged message keeps its widget, since its text may be selected.
void MessageBar::show_messages() {
  const std::vector<Message>& messages = messages_->all();
  std::erase_if(lines_, [&](const auto& line) {
    if (std::find(messages.begin(), messages.end(), line.first) != messages.end()) return false;
    column_->removeWidget(line.second);
    line.second->hide();
    line.second->deleteLater();
    return true;
  });
  for (const Message& message : messages) {
    if (std::any_of(lines_.begin(), lines_.end(), [&](const auto& line) { return line.first == message; })) continue;
    lines_.emplace_back(message, line_of(message));
    column_->addWidget(lines_.back().second);
    if (message.kind == MessageKind::Note) note_timer_.start();
  }
  setVisible(!lines_.empty());
  update_position();
}

// Centred above the toolbars at the bottom, where views can be scrolled and have no headers.
void MessageBar::update_position() {
  if (lines_.empty()) return;
  int bottom = window_->height();
  for (const QToolBar* bar : window_->findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly))
    if (bar->isVisible() && !bar->isFloating() && window_->toolBarArea(bar) == Qt::BottomToolBarArea)
      bottom = std::min(bottom, bar->geometry().top());
  const int width = std::min(kWidest, window_->width() - 48);
  int height = column_->spacing() * static_cast<int>(lines_.size() - 1);
  for (const auto& line : lines_) height += line.second->heightForWidth(width);
  setGeometry((window_->width() - width) / 2, bottom - 8 - height, width, height);
  raise();
}

bool MessageBar::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show)
    update_position();
  return QWidget::eventFilter(watched, event);
}

QFrame* MessageBar::line_of(const Message& message) {
  const views::ThemeColours& colours = theme_->colours();
  const MessageKind kind = message.kind;
  const QColor accent = kind == MessageKind::Error     ? colours.capacity
                        : kind == MessageKind::Warning ? colours.category(1)
                                                       : colours.category(0);
  const QColor ground = views::mixed(palette().color(QPalette::Window), accent, 0.16);
  auto* line = new QFrame(this);
  line->setObjectName(QStringLiteral("message"));
  line->setStyleSheet(
      QStringLiteral("QFrame#message { background: %1; border: 1px solid %2; border-left: 4px solid %2; "
                     "border-radius: 3px; }")
          .arg(ground.name(), accent.name()));
  const char* mark = kind == MessageKind::Error ? "✖" : kind == MessageKind::Warning ? "▲" : "ℹ";
  auto* icon = new QLabel(QString::fromUtf8(mark), line);
  icon->setStyleSheet(QStringLiteral("color: %1;").arg(accent.name()));
  auto* text = new QLabel(message.text, line);
  text->setWordWrap(true);
  text->setTextFormat(Qt::PlainText);
  text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* close = new QToolButton(line);
  close->setText(QStringLiteral("✕"));
  close->setAutoRaise(true);
  close->setToolTip(tr("Close this message"));
  close->setAccessibleName(tr("Close this message"));
  auto* row = new QHBoxLayout(line);
  row->setContentsMargins(10, 3, 6, 3);
  row->addWidget(icon);
  row->addWidget(text, 1);
  if (QAction* action = actions_->find(message.action)) {
    auto* act = new QToolButton(line);
    act->setText(QString(action->text()).remove(u'&'));
    connect(act, &QToolButton::clicked, action, &QAction::trigger);
    row->addWidget(act);
  }
  row->addWidget(close);
  connect(close, &QToolButton::clicked, this, [this, text = message.text] { messages_->close(text); });
  return line;
}

}  // namespace arenascope::app
