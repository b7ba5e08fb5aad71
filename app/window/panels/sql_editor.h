// SPDX-License-Identifier: GPL-3.0-or-later
// Editor for a query: highlighted SQL, completion while typing and on Ctrl+Space, and the queries of the history.
#pragma once
#include <views/common/theme.h>

#include <QPlainTextEdit>
#include <QStringListModel>

class QCompleter;

namespace arenascope::app {

class SqlHighlighter;

class SqlEditor : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit SqlEditor(views::Theme* theme, QWidget* parent = nullptr);

  void set_sql(const QString& sql);  // can be undone
  void reset(const QString& sql);    // cannot be undone
  void mark_error(int position);     // underlines the name at a position; -1: none
  QStringList completions() const;   // currently shown; empty: none
  QCompleter* completer() const { return completer_; }

 public Q_SLOTS:
  void complete();  // shows all completions at the cursor

 Q_SIGNALS:
  void run_requested();              // Ctrl+Return
  void history_requested(int step);  // Ctrl+Up: 1, an older query; Ctrl+Down: -1
  void edited();                     // by the user, also by a menu or by Undo

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void show_completions(int min_typed);
  void insert(const QString& name);
  void show_menu(const QPoint& at);
  void on_text_changed();

  views::Theme* theme_;
  SqlHighlighter* highlighter_;
  QStringListModel names_;
  QCompleter* completer_;
  int begin_ = 0;  // of the name that is completed
  QString text_;   // as of the last change; formats change without it
  bool sets_ = false;
};

}  // namespace arenascope::app
