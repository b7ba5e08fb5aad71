// SPDX-License-Identifier: GPL-3.0-or-later
// What matters most of a document in one line: memory by kind, the arena against its lower bound, the median run. And
// which group of panels stands at the bottom.
#pragma once
#include <views/common/view_context.h>

#include <QLabel>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>

#include "panels/panels.h"

namespace arenascope::app {

// "weights 4.7 MiB · arena 6.0 MiB, bound 6.0 MiB, no gap · median run 33.5 ms"; empty where nothing is open.
QString headline_of(const trace::Snapshot& snapshot, const trace::PlanInfo* plan, trace::GraphId graph);

class Headline : public QToolBar {
  Q_OBJECT
 public:
  Headline(Panels* panels, QWidget* parent);
  void set_document(Document& document);
  void retranslate();
  void shut(bool on);  // its text would tell the answer to a lesson's question
  QString text() const { return text_->text(); }

 private:
  void show_text();
  void show_group();

  Panels* panels_;
  views::SessionSource* source_ = nullptr;
  views::ContextBond bond_;
  std::vector<std::pair<PanelGroup, QToolButton*>> groups_;
  QLabel* text_;
  QTimer timer_;
  bool shut_ = false;
};

}  // namespace arenascope::app
