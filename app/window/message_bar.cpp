// SPDX-License-Identifier: GPL-3.0-or-later
#include "message_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QToolButton>

namespace arenascope::app {
namespace {

// As tall as the sentences are at the window's width; a label that wraps asks for more.
class Fitter : public QObject {
 public:
  explicit Fitter(QWidget* bar) : QObject(bar), bar_(bar) { bar->installEventFilter(this); }
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show)
      fit();
    return QObject::eventFilter(watched, event);
  }

 private:
  void fit() {
    const int width = bar_->window()->width();
    int height = 0;
    for (int i = 0; i < bar_->layout()->count(); ++i)
      if (const QWidget* line = bar_->layout()->itemAt(i)->widget())
        height +=
            line->layout()->hasHeightForWidth() ? line->layout()->heightForWidth(width) : line->sizeHint().height();
    if (height > 0 && bar_->maximumHeight() != height) bar_->setFixedHeight(height);
  }
  QWidget* bar_;
};

}  // namespace

MessageBar::MessageBar(const views::Theme* theme, QWidget* parent)
    : QWidget(parent), theme_(theme), column_(new QVBoxLayout(this)) {
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(0);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  setAccessibleName(tr("Messages"));
  new Fitter(this);
}

void MessageBar::say(MessageKind kind, const QString& sentence) {
  if (sentence.isEmpty() || sentences().contains(sentence)) return;
  // A note is of what was done last; what went wrong stays until it is closed.
  if (kind == MessageKind::Note) drop_notes();
  if (lines_.size() >= 3) remove(lines_.front());
  const views::ThemeColours& colours = theme_->colours();
  const QColor accent = kind == MessageKind::Error     ? colours.capacity
                        : kind == MessageKind::Warning ? colours.category(1)
                                                       : colours.category(0);
  auto* line = new QFrame(this);
  line->setObjectName(QStringLiteral("message"));
  line->setProperty("sentence", sentence);
  line->setProperty("note", kind == MessageKind::Note);
  line->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
  line->setStyleSheet(
      QStringLiteral("QFrame#message { background: rgba(%1,%2,%3,40); border: none; border-left: 4px solid %4; }")
          .arg(accent.red())
          .arg(accent.green())
          .arg(accent.blue())
          .arg(accent.name()));
  const char* mark = kind == MessageKind::Error ? "✖" : kind == MessageKind::Warning ? "▲" : "ℹ";
  auto* icon = new QLabel(QString::fromUtf8(mark), line);
  icon->setStyleSheet(QStringLiteral("color: %1;").arg(accent.name()));
  auto* text = new QLabel(sentence, line);
  text->setWordWrap(true);
  text->setTextFormat(Qt::PlainText);
  text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* close = new QToolButton(line);
  close->setText(QStringLiteral("✕"));
  close->setAutoRaise(true);
  close->setToolTip(tr("Close this message"));
  close->setAccessibleName(tr("Close this message"));
  auto* row = new QHBoxLayout(line);
  row->setContentsMargins(10, 1, 6, 1);
  row->addWidget(icon);
  row->addWidget(text, 1);
  row->addWidget(close);
  connect(close, &QToolButton::clicked, this, [this, line] { remove(line); });
  column_->addWidget(line);
  lines_.push_back(line);
  Q_EMIT shown(true);
}

void MessageBar::remove(QFrame* line) {
  if (!lines_.removeOne(line)) return;
  column_->removeWidget(line);
  line->hide();
  line->deleteLater();
  Q_EMIT shown(!lines_.isEmpty());
}

void MessageBar::drop_notes() {
  for (QFrame* line : QList<QFrame*>(lines_))
    if (line->property("note").toBool()) remove(line);
}

void MessageBar::clear() {
  while (!lines_.isEmpty()) remove(lines_.front());
}

QStringList MessageBar::sentences() const {
  QStringList all;
  for (const QFrame* line : lines_) all << line->property("sentence").toString();
  return all;
}

}  // namespace arenascope::app
