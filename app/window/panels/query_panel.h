// SPDX-License-Identifier: GPL-3.0-or-later
// SQL queries over the document: an editor with the named queries and the history, the result as a table whose rows
// select in all views, and a chart of it.
#pragma once
#include <views/tables/table_panel.h>

#include <QComboBox>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QToolButton>

#include "app/window/document/document.h"
#include "query_chart.h"
#include "sql_editor.h"

namespace arenascope::app {

class QueryPanel : public QWidget {
  Q_OBJECT
 public:
  QueryPanel(Document& document, QWidget* parent);
  void set_document(Document& document);

  void run();
  void run_sql(const QString& sql);     // replaces the text of the editor
  void show_draft(const QString& sql);  // of the document; another document's text cannot be restored by Undo
  // Stores the text of the editor as the user's query. False: an error is shown.
  bool store_as(const QString& name);
  std::function<QString()> csv_maker() const;  // for any thread; null: no result

  SqlEditor* editor() const { return editor_; }
  QPushButton* run_button() const { return run_; }
  QToolButton* stop_button() const { return stop_; }
  QToolButton* library_button() const { return library_; }
  QToolButton* history_button() const { return history_; }
  QLabel* status() const { return status_; }
  views::TablePanel* table() const { return table_; }
  QueryChart* chart() const { return chart_; }
  QComboBox* chart_form() const { return form_; }

  static QStringList history();  // newest first

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* build_editor(views::Theme* theme);
  QWidget* build_chart(views::Theme* theme);
  void retranslate();
  void on_job_changed();
  void show_error();
  void show_result();
  void show_status();
  void show_chart();
  void fill_chart_choices();
  void fill_library();
  void fill_history();
  void ask_name();
  void step_history(int step);

  QPointer<Document> document_, drafted_;  // drafted_: whose text the editor has
  views::ConnectionScope bond_;
  SqlEditor* editor_;
  QPushButton* run_;
  QToolButton *stop_, *library_, *history_;
  QLabel* status_;
  views::TablePanel* table_;
  QueryChart* chart_;
  QComboBox *form_, *x_, *y_;
  QueryResultPtr shown_;
  QString draft_;        // text of the editor before a step into the history
  int at_history_ = -1;  // shown entry of the history; -1: none
};

}  // namespace arenascope::app
