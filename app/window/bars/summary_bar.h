// SPDX-License-Identifier: GPL-3.0-or-later
// Key values of a document in one line (memory by kind, arena and lower bound, median run time), and the selected
// panel group.
#pragma once
#include <views/common/view_context.h>

#include <QLabel>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>

#include "app/window/panels/panels.h"

namespace arenascope::app {

// "weights 4.7 MiB · arena 6.0 MiB, at the lower bound · median run 33.5 ms"; empty without a document.
QString headline_of(const trace::Snapshot& snapshot, const trace::PlanInfo* plan, trace::GraphId graph);

class SummaryBar : public QToolBar {
  Q_OBJECT
 public:
  SummaryBar(Panels* panels, QWidget* parent);
  void set_document(Document& document);
  void retranslate();
  void set_hidden(bool on);  // while its text would reveal the answer to a lesson's question
  QString text() const { return text_->text(); }

 Q_SIGNALS:
  void other_form_requested();  // to open the model optimised, or as written

 private:
  void show_text();
  void show_forms();
  void show_group();

  Panels* panels_;
  views::SessionSource* source_ = nullptr;
  QPointer<Document> document_;
  views::ConnectionScope bond_;
  struct Group {
    PanelGroup group;
    QToolButton* button;
    QAction* action;  // shows the button
  };
  std::vector<Group> groups_;
  QAction* separator_;  // between the groups and the text
  QToolButton* forms_;  // the arena as written and optimised
  QAction* forms_action_;
  QLabel* text_;
  QTimer timer_;
  bool hidden_ = false;
};

}  // namespace arenascope::app
