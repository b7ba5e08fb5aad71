// SPDX-License-Identifier: GPL-3.0-or-later
// What could be better, ranked: looked for in the background whenever another plan or run is at hand and the view is
// seen, each with a button that shows where and one that shows the plan that would be.
#pragma once
#include <views/common/background.h>
#include <views/common/shared_axis.h>
#include <views/findings/findings_model.h>

#include <QDoubleSpinBox>
#include <QLabel>
#include <QProgressBar>
#include <QTableView>
#include <QToolButton>

#include <views/common/selection.h>

namespace arenascope::views {

class FindingsView : public QWidget {
  Q_OBJECT
 public:
  FindingsView(SessionSource* source, SelectionModel* selection, SharedAxis* axis, QWidget* parent = nullptr);

  FindingsModel* model() const { return model_; }
  QTableView* table_view() const { return view_; }
  bool busy() const { return busy_; }
  QToolButton* show_button(int row) const;
  QToolButton* what_if_button(int row) const;  // null where nothing was replanned

 public Q_SLOTS:
  void look();  // now
  void stop();
  void show_finding(int row);

 Q_SIGNALS:
  void what_if(std::shared_ptr<const arenascope::trace::PlanInfo> plan, const QString& sentence);
  void found();  // the search has ended

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void look_soon();
  void take(std::vector<Finding> findings, double done, int number);
  void add_buttons();
  void retranslate();
  void update_state();

  SessionSource* source_;
  SelectionModel* selection_;
  SharedAxis* axis_;
  FindingsModel* model_;
  QTableView* view_;
  QLabel *state_, *empty_, *budget_label_;
  QProgressBar* progress_;
  QDoubleSpinBox* budget_;
  QToolButton *again_, *stop_;
  Background background_;
  QTimer timer_;
  FindingsInput about_;
  std::stop_source stopping_;
  const void *looked_graph_ = nullptr, *looked_plan_ = nullptr;
  bool looked_with_run_ = false;
  bool busy_ = false;
  int number_ = 0;
};

}  // namespace arenascope::views
