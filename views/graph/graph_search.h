// SPDX-License-Identifier: GPL-3.0-or-later
// The field in which names and ops of a graph are searched, and what was found. Says which match is the next; showing
// it is the view's.
#pragma once
#include <arenascope/trace/info.h>

#include <QLabel>
#include <QLineEdit>
#include <QWidget>

namespace arenascope::views {

// Nodes whose name or op, and leafs whose name holds the text, whatever its case; none for an empty text.
std::vector<trace::TensorRef> find_tensors(const trace::GraphInfo& graph, const QString& text);

class GraphSearch : public QWidget {
  Q_OBJECT
 public:
  explicit GraphSearch(QWidget* parent);

  void set_graph(const trace::GraphInfo* graph);  // null: none; searched anew
  void set_text(const QString& text);             // as another document had it; says nothing
  QString text() const { return field_->text(); }
  void focus();
  const std::vector<trace::TensorRef>& matches() const { return matches_; }
  // The next match, or the one before for -1, around the ends; none without any.
  trace::TensorRef step(int direction);

 Q_SIGNALS:
  void found();  // other matches
  void wanted(int direction);
  void left();  // Escape

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void retranslate();
  void search();

  QLineEdit* field_;
  QLabel* count_;
  const trace::GraphInfo* graph_ = nullptr;
  std::vector<trace::TensorRef> matches_;
  int at_ = -1;
};

}  // namespace arenascope::views
