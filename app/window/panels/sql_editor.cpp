// SPDX-License-Identifier: GPL-3.0-or-later
#include "sql_editor.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFontDatabase>
#include <QKeyEvent>
#include <QMenu>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSyntaxHighlighter>

#include "sql_completion.h"

namespace arenascope::app {

using views::Role;
using views::Theme;

namespace {

constexpr int kMinTyped = 2;  // characters typed before names are suggested
constexpr int kShownNames = 12;

}  // namespace

// Keywords, tables, strings and comments differ by weight and slant as well as by colour.
class SqlHighlighter : public QSyntaxHighlighter {
 public:
  SqlHighlighter(QTextDocument* document, Theme* theme) : QSyntaxHighlighter(document), theme_(theme) {
    connect(theme_, &Theme::changed, this, &QSyntaxHighlighter::rehighlight);
    for (const QString& keyword : SqlSchema::of_recordings().keywords) keywords_.insert(keyword.toUpper());
    for (const SqlSchema::Table& table : SqlSchema::of_recordings().tables) tables_.insert(table.name);
  }

 protected:
  void highlightBlock(const QString& text) override {
    static const QRegularExpression tokens(QStringLiteral(R"(--.*|'(?:[^']|'')*'?|\b[A-Za-z_]\w*\b)"));
    for (auto match = tokens.globalMatch(text); match.hasNext();) {
      const QRegularExpressionMatch token = match.next();
      const QString found = token.captured();
      QTextCharFormat format;
      if (found.startsWith(u"--")) {
        format.setForeground(theme_->colours().dim_text);
        format.setFontItalic(true);
      } else if (found.startsWith(u'\'')) {
        format.setForeground(theme_->colours().dim_text);
      } else if (tables_.contains(found.toLower())) {
        format.setForeground((*theme_)[Role::Work]);
      } else if (keywords_.contains(found.toUpper())) {
        format.setFontWeight(QFont::Bold);
      }
      setFormat(static_cast<int>(token.capturedStart()), static_cast<int>(token.capturedLength()), format);
    }
  }

 private:
  Theme* theme_;
  QSet<QString> keywords_, tables_;
};

SqlEditor::SqlEditor(Theme* theme, QWidget* parent) : QPlainTextEdit(parent), theme_(theme) {
  setObjectName(QStringLiteral("sql_editor"));
  setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  setTabChangesFocus(true);
  setFrameShape(QFrame::NoFrame);
  setContextMenuPolicy(Qt::CustomContextMenu);
  highlighter_ = new SqlHighlighter(document(), theme);
  completer_ = new QCompleter(&names_, this);
  completer_->setWidget(this);
  completer_->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
  completer_->setMaxVisibleItems(kShownNames);
  connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &SqlEditor::insert);
  connect(this, &QWidget::customContextMenuRequested, this, &SqlEditor::show_menu);
  connect(this, &QPlainTextEdit::textChanged, this, &SqlEditor::on_text_changed);
}

void SqlEditor::on_text_changed() {
  const QString text = toPlainText();
  if (text == text_) return;
  text_ = text;
  mark_error(-1);
  if (!sets_) Q_EMIT edited();
}

void SqlEditor::set_sql(const QString& sql) {
  if (sql == toPlainText()) return;
  sets_ = true;
  QTextCursor all(document());
  all.select(QTextCursor::Document);
  all.insertText(sql);
  sets_ = false;
  moveCursor(QTextCursor::End);
}

void SqlEditor::reset(const QString& sql) {
  sets_ = true;
  setPlainText(sql);
  sets_ = false;
  moveCursor(QTextCursor::End);
}

void SqlEditor::mark_error(int position) {
  QList<QTextEdit::ExtraSelection> marks;
  if (position >= 0 && position <= document()->characterCount() - 1) {
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(document());
    mark.cursor.setPosition(position);
    mark.cursor.movePosition(QTextCursor::EndOfWord, QTextCursor::KeepAnchor);
    if (!mark.cursor.hasSelection()) mark.cursor.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor);
    mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    mark.format.setUnderlineColor((*theme_)[Role::Wait]);
    marks << mark;
  }
  setExtraSelections(marks);
}

QStringList SqlEditor::completions() const {
  return completer_->popup()->isVisible() ? names_.stringList() : QStringList();
}

void SqlEditor::complete() { show_completions(0); }

void SqlEditor::show_completions(int min_typed) {
  const int cursor = textCursor().position();
  const QString sql = toPlainText();
  const SqlCompletions found = completions_at(SqlSchema::of_recordings(), sql, cursor);
  const bool after_dot = found.begin > 0 && sql[found.begin - 1] == u'.';
  const int typed = cursor - found.begin;
  const bool complete = found.names.size() == 1 && found.names[0].size() == typed;
  if (found.names.isEmpty() || complete || (typed < min_typed && !after_dot)) return completer_->popup()->hide();
  begin_ = found.begin;
  names_.setStringList(found.names);
  QRect at = cursorRect();
  QAbstractItemView* list = completer_->popup();
  at.setWidth(list->sizeHintForColumn(0) + list->verticalScrollBar()->sizeHint().width() + 8);
  completer_->complete(at);
}

void SqlEditor::insert(const QString& name) {
  QTextCursor cursor = textCursor();
  cursor.setPosition(begin_);
  cursor.setPosition(textCursor().position(), QTextCursor::KeepAnchor);
  cursor.insertText(name);
  setTextCursor(cursor);
}

// Keys that type text must not trigger shortcuts of the window.
bool SqlEditor::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool plain = (key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
    const bool own = key->modifiers() == Qt::ControlModifier &&
                     (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter || key->key() == Qt::Key_Space ||
                      key->key() == Qt::Key_Up || key->key() == Qt::Key_Down);
    const bool function = key->key() >= Qt::Key_F1 && key->key() <= Qt::Key_F35;
    if (own || (plain && !function && (key->key() != Qt::Key_Escape || completer_->popup()->isVisible()))) {
      event->accept();
      return true;
    }
  }
  return QPlainTextEdit::event(event);
}

void SqlEditor::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
  if (completer_->popup()->isVisible() &&
      (enter || key == Qt::Key_Escape || key == Qt::Key_Tab || key == Qt::Key_Backtab))
    return event->ignore();  // the list of completions handles them
  if (event->modifiers() == Qt::ControlModifier) {
    if (enter) return run_requested();
    if (key == Qt::Key_Space) return complete();
    if (key == Qt::Key_Up || key == Qt::Key_Down) return history_requested(key == Qt::Key_Up ? 1 : -1);
  }
  const QString before = text_;
  QPlainTextEdit::keyPressEvent(event);
  if (text_ == before) return;
  show_completions(kMinTyped);
}

void SqlEditor::show_menu(const QPoint& at) {
  QMenu* menu = createStandardContextMenu();
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->popup(viewport()->mapToGlobal(at));
}

}  // namespace arenascope::app
