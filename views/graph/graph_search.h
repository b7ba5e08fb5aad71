// SPDX-License-Identifier: GPL-3.0-or-later
// Search field for names and ops of a graph, with the matches. It selects the next match; the view shows it.
#pragma once
#include <arenascope/trace/info.h>

#include <QLabel>
#include <QLineEdit>
#include <QWidget>

namespace arenascope::views {

// Nodes whose name or op, and leaf tensors whose name contains the text, case-insensitively; empty for an empty text.
std::vector<trace::TensorRef> find_tensors(const trace::GraphInfo& graph, const QString& text);

class GraphSearch : public QWidget {
  Q_OBJECT
 public:
  explicit GraphSearch(QWidget* parent);

  void set_graph(const trace::GraphInfo* graph);  // null: none; repeats the search
  void set_text(const QString& text);             // the text of another document; emits no signal
  QString text() const { return field_->text(); }
  void focus();
  const std::vector<trace::TensorRef>& matches() const { return matches_; }
  // The next match, or the previous one for -1, with wrap-around; invalid if there are none.
  trace::TensorRef step(int direction);

 Q_SIGNALS:
  void found();  // the matches changed
  void step_requested(int direction);
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
