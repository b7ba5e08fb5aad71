// SPDX-License-Identifier: GPL-3.0-or-later
// Ranked list of findings. The search runs when the view is visible and the current plan or run changes. Each finding
// has buttons to select it and to show the resulting plan. The search belongs to the document.
#pragma once
#include <views/common/view_context.h>
#include <views/findings/findings_model.h>
#include <views/findings/findings_search.h>

#include <QDoubleSpinBox>
#include <QLabel>
#include <QProgressBar>
#include <QTableView>
#include <QTimer>
#include <QToolButton>

namespace arenascope::views {

class FindingsView : public QWidget {
  Q_OBJECT
 public:
  FindingsView(FindingsSearch* search, const ViewContext& context, QWidget* parent = nullptr);
  void set_context(FindingsSearch* search, const ViewContext& context);  // switches to another document

  FindingsModel* model() const { return model_; }
  QTableView* table_view() const { return view_; }
  bool busy() const { return search_->busy(); }
  QToolButton* show_button(int row) const;
  QToolButton* what_if_button(int row) const;  // null if the finding has no plan

 public Q_SLOTS:
  void start_search();  // starts immediately
  void stop() { search_->stop(); }
  void show_finding(int row);

 Q_SIGNALS:
  void what_if(std::shared_ptr<const arenascope::trace::PlanInfo> plan, const QString& sentence);
  void found();  // the search has finished

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void listen();
  void schedule_search();
  void take();
  void add_buttons();
  void build();
  void retranslate();
  void update_state();

  ConnectionScope connections_;
  FindingsSearch* search_;
  ViewContext context_;
  FindingsModel* model_;
  QTableView* view_;
  QLabel *state_, *empty_, *budget_label_;
  QProgressBar* progress_;
  QDoubleSpinBox* budget_;
  QToolButton *again_, *stop_;
  QTimer timer_;
};

}  // namespace arenascope::views
