// SPDX-License-Identifier: GPL-3.0-or-later
// What could be better, ranked: looked for whenever another plan or run is at hand and the view is seen, each with a
// button that shows where and one that shows the plan that would be. The search is the document's.
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
  void set_context(FindingsSearch* search, const ViewContext& context);  // of another document

  FindingsModel* model() const { return model_; }
  QTableView* table_view() const { return view_; }
  bool busy() const { return search_->busy(); }
  QToolButton* show_button(int row) const;
  QToolButton* what_if_button(int row) const;  // null where nothing was replanned

 public Q_SLOTS:
  void look();  // now
  void stop() { search_->stop(); }
  void show_finding(int row);

 Q_SIGNALS:
  void what_if(std::shared_ptr<const arenascope::trace::PlanInfo> plan, const QString& sentence);
  void found();  // the search has ended

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void listen();
  void look_soon();
  void take();
  void add_buttons();
  void build();
  void retranslate();
  void update_state();

  ContextBond bond_;
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
