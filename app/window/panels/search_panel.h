// SPDX-License-Identifier: GPL-3.0-or-later
// The search over everything in a document: a field, and a table of the matches whose current row is selected in all views.
#pragma once
#include <views/search/search_query.h>
#include <views/tables/table_panel.h>

#include <QLabel>
#include <QLineEdit>
#include <QTimer>
#include <QWidget>

namespace arenascope::app {

// The matches; runs on a worker for a large document. Null if it was stopped.
views::TablePtr search_table(const views::TableInput& input, const views::SearchQuery& query);

class SearchPanel : public QWidget {
  Q_OBJECT
 public:
  explicit SearchPanel(const views::ViewContext& context, QWidget* parent = nullptr);

  QLineEdit* field() const { return field_; }
  QLabel* note() const { return note_; }  // an error, or that there are more matches
  views::TablePanel* table() const { return table_; }
  void focus();
  void set_tasks(views::TaskList* tasks);  // of the document that is shown

 public Q_SLOTS:
  void search();  // immediately; typing starts it after a moment

 Q_SIGNALS:
  void left();  // Escape

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void build(const views::ViewContext& context);
  void retranslate();
  void show_note();
  void on_rows_changed();

  QLineEdit* field_;
  QLabel* note_;
  views::TablePanel* table_;
  QTimer timer_;
  QString error_;
  bool steps_ = false;  // to the first match when there is one
};

}  // namespace arenascope::app
