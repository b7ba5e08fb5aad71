// SPDX-License-Identifier: GPL-3.0-or-later
// A table in its dock: filter, rows, row count, copy and save as CSV. Follows the session, the selection and the
// selected range. Large tables are created on a worker.
#pragma once
#include <views/common/view_context.h>
#include <views/tables/table_model.h>

#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

namespace arenascope::views {

class TablePanel : public QWidget {
  Q_OBJECT
 public:
  using TableFactory = std::function<TablePtr(const TableInput&)>;
  TablePanel(const QString& name, TableFactory factory, SessionSource* source, SelectionModel* selection,
             SharedAxis* axis, QWidget* parent = nullptr);

  // The view state of a document's table, saved while another document is shown.
  struct ViewState {
    QString filter;
    int sorted_by = -1;
    Qt::SortOrder sort_order = Qt::AscendingOrder;
    bool operator==(const ViewState&) const = default;
  };
  ViewState view_state() const;
  void set_context(const ViewContext& context, const ViewState& state);
  void set_factory(TableFactory factory);  // shows another table; its columns may differ
  // Lists the computation of a large table as a task that the user can cancel.
  void list_in(TaskList* tasks, const QString& title) { worker_.list_in(tasks, title); }
  TableModel* model() const { return model_; }
  QTableView* table_view() const { return view_; }

 public Q_SLOTS:
  void refresh();  // recreates the table synchronously
  void copy() const;
  void focus_filter();
  void step(int direction);  // to the next or previous visible row, with wrap-around

 Q_SIGNALS:
  void activated(int row);  // double click or Return on a row
  void cancelled();         // by the user: there is no table

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void connect_rows();
  void listen();
  void forget();
  void make_soon();  // on a worker if it takes long
  void take(TablePtr table);
  void choose(const QModelIndex& index);
  void size_columns();
  void fit_columns();
  void retranslate();
  void refresh_soon();
  void follow_selection();
  void update_count();
  std::vector<int> selected_rows() const;

  TableFactory factory_;
  ConnectionScope connections_;
  SessionSource* source_;
  SelectionModel* selection_;
  SharedAxis* axis_;
  TableModel* model_;
  QTableView* view_;
  QLineEdit* filter_;
  QLabel* count_;
  QLabel* empty_;
  QToolButton* clear_range_;
  QTimer timer_;
  Background worker_;
  bool stale_ = true;
  int sized_rows_ = 0;       // number of rows for which the columns were sized
  std::vector<int> needed_;  // width of each column for its texts
  std::vector<int> given_;   // width set by fit_columns(); another one was set by the user
  bool selecting_ = false;
};

}  // namespace arenascope::views
