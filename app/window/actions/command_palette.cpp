// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_palette.h"

#include <QKeyEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace arenascope::app {

int fit_score(const QString& pattern, const QString& text) {
  const QString needle = pattern.toLower().remove(u' '), hay = text.toLower();
  if (needle.isEmpty()) return 1;
  int score = 1, at = -1;
  for (QChar c : needle) {
    const qsizetype next = hay.indexOf(c, at + 1);
    if (next < 0) return 0;
    const bool word_start = next == 0 || !hay[next - 1].isLetterOrNumber();
    score += next == at + 1 ? 6 : word_start ? 5 : 1;
    at = static_cast<int>(next);
  }
  if (hay.contains(pattern.toLower())) score += 40;
  return score;
}

CommandPalette::CommandPalette(ActionRegistry* registry, QWidget* parent)
    : QFrame(parent, Qt::Popup | Qt::FramelessWindowHint),
      registry_(registry),
      line_(new QLineEdit(this)),
      list_(new QListWidget(this)) {
  setFrameShape(QFrame::StyledPanel);
  line_->setClearButtonEnabled(true);
  line_->installEventFilter(this);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setUniformItemSizes(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 6, 6, 6);
  column->addWidget(line_);
  column->addWidget(list_);
  connect(line_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::run);
}

void CommandPalette::open() {
  line_->setPlaceholderText(tr("Type the name of an action"));
  line_->setAccessibleName(tr("Action"));
  line_->clear();
  fill();
  const QSize size(std::min(620, parentWidget()->width() - 40), std::min(420, parentWidget()->height() - 80));
  resize(size);
  move(parentWidget()->mapToGlobal(QPoint((parentWidget()->width() - size.width()) / 2, 60)));
  show();
  line_->setFocus();
}

void CommandPalette::fill() {
  struct Hit {
    int score;
    const ActionRegistry::Entry* entry;
    QString text;
  };
  std::vector<Hit> hits;
  for (const auto& entry : registry_->all()) {
    const QString text =
        ActionRegistry::menu_name(entry.menu) + QStringLiteral(" ▸ ") + entry.action->text().remove(u'&');
    // English names are found in any language.
    const int score =
        std::max(fit_score(line_->text(), text), fit_score(line_->text(), QString::fromUtf8(entry.text).remove(u'&')));
    if (score > 0) hits.push_back({score, &entry, text});
  }
  if (!line_->text().isEmpty())
    std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
  list_->clear();
  for (const Hit& hit : hits) {
    const QString key = hit.entry->action->shortcut().toString(QKeySequence::NativeText);
    auto* item = new QListWidgetItem(key.isEmpty() ? hit.text : hit.text + QStringLiteral("    ") + key, list_);
    item->setData(Qt::UserRole, QString::fromLatin1(hit.entry->id));
    if (!hit.entry->action->isEnabled()) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
  }
  for (int i = 0; i < list_->count(); ++i)
    if ((list_->item(i)->flags() & Qt::ItemIsEnabled) != 0) {
      list_->setCurrentRow(i);
      break;
    }
}

void CommandPalette::run() {
  QListWidgetItem* item = list_->currentItem();
  if (item == nullptr || (item->flags() & Qt::ItemIsEnabled) == 0) return;
  QAction* action = registry_->find(item->data(Qt::UserRole).toString());
  hide();
  if (action != nullptr) action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == line_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown) {
      const int page = key == Qt::Key_PageUp || key == Qt::Key_PageDown ? 10 : 1;
      const int step = key == Qt::Key_Up || key == Qt::Key_PageUp ? -page : page;
      list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, std::max(0, list_->count() - 1)));
      return true;
    }
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
      run();
      return true;
    }
    if (key == Qt::Key_Escape) {
      hide();
      return true;
    }
  }
  return QFrame::eventFilter(watched, event);
}

}  // namespace arenascope::app
