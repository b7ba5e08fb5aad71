// SPDX-License-Identifier: GPL-3.0-or-later
// A table in its dock: a filter, the rows, how many of them are shown, copy and save as CSV. Follows the session, the
// selection and the selected range. What there is much of is made on a worker.
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
  using Maker = std::function<TablePtr(const TableInput&)>;
  TablePanel(const QString& name, Maker maker, SessionSource* source, SelectionModel* selection, SharedAxis* axis,
             QWidget* parent = nullptr);

  // How a document's table is looked at: what is kept of it while another document is shown.
  struct Look {
    QString filter;
    int sorted_by = -1;
    Qt::SortOrder sort_order = Qt::AscendingOrder;
    bool operator==(const Look&) const = default;
  };
  Look look() const;
  void set_context(const ViewContext& context, const Look& look);
  TableModel* model() const { return model_; }
  QTableView* table_view() const { return view_; }

 public Q_SLOTS:
  void refresh();  // makes the table anew, before it returns
  void copy() const;
  void focus_filter();
  void step(int direction);  // to the next of the rows that are shown, or the one before, around the ends

 Q_SIGNALS:
  void activated(int row);  // a double click or Return on a row

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void connect_rows();
  void listen();
  void forget();
  void make_soon();  // on a worker, where it takes longer than a moment
  void take(TablePtr table);
  void choose(const QModelIndex& index);
  void size_columns();
  void retranslate();
  void refresh_soon();
  void follow_selection();
  void update_count();
  std::vector<int> selected_rows() const;

  Maker maker_;
  ContextBond bond_;
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
  int sized_rows_ = 0;  // for which the columns were made wide enough
  bool selecting_ = false;
};

}  // namespace arenascope::views
