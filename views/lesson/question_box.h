// SPDX-License-Identifier: GPL-3.0-or-later
// Input for the answer to a question: options, a number, a click in another panel, the placement board, or a list to
// sort. The engine judges the answer; below, the box shows the consequences of a wrong answer, the hints one by one,
// and the solution.
#pragma once
#include <arenascope/lesson/question.h>
#include <views/common/task.h>
#include <views/lesson/lesson_progress.h>
#include <views/lesson/option_list.h>
#include <views/lesson/order_board.h>
#include <views/lesson/order_list.h>
#include <views/lesson/placement_board.h>

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QWidget>

namespace arenascope::views {

class QuestionBox : public QWidget {
  Q_OBJECT
 public:
  explicit QuestionBox(QWidget* parent = nullptr);

  // Shows a question; `scene` provides its figures. Null hides the box.
  void ask(const lesson::Question* question, const lesson::Scene& scene, const Answered& before);
  bool asks() const { return asked_; }
  const Answered& answered() const { return answered_; }
  // This tensor was selected in another panel, or a block that contains these tensors. It is only a candidate, which
  // can be inspected: answer() submits it.
  void offer(const std::string& tensor, const std::vector<std::string>& of_block);
  bool has_offer() const { return offered_; }
  void answer();                    // submits the current input
  void take_focus();                // for the answer to be typed
  bool type(const QKeyEvent& key);  // false: not part of a number, or no number is expected
  void hint();
  void reveal();
  QString feedback() const { return feedback_->text(); }
  QLabel* feedback_label() const { return feedback_; }

  QAbstractButton* option(size_t i) const { return options_->button(static_cast<int>(i)); }
  QLineEdit* number() const { return number_; }
  OrderList* order() const { return order_; }
  PlacementBoard* board() const { return board_; }
  QPushButton* answer_button() const { return answer_button_; }
  QPushButton* hint_button() const { return hint_button_; }
  QPushButton* reveal_button() const { return reveal_button_; }
  QPushButton* practise_button() const { return practise_button_; }
  // Asks the same question about another graph, which is generated in the background: answers to it do not count.
  void practise();
  const lesson::GeneratedTask& task() const { return task_; }  // without a graph: the question of the lesson
  void retranslate();

 Q_SIGNALS:
  void changed();  // answered()
  void solved();   // solved or revealed: perform the follow-up actions of the question

 private:
  lesson::Answer entered() const;
  void judge(const lesson::Answer& given);
  void show_way(QWidget* way);  // shows the input widget; null: answered by a click in another panel
  void set_options();
  void set_order(const std::vector<std::string>& names);
  void set_board();
  void report_placement(size_t piece);
  void add_hint(const QString& text);
  void show_feedback(const QString& text, bool right);
  void update_buttons();

  bool asked_ = false, offered_ = false;
  uint64_t seed_ = 0;  // of the last generated task
  lesson::GeneratedTask task_;
  Answered answered_;
  std::string clicked_;
  std::vector<std::string> clicked_block_;
  QLabel *invitation_, *buffers_, *feedback_, *hints_;
  QWidget* way_ = nullptr;
  OptionList* options_;
  QLineEdit* number_;
  OrderList* order_;
  OrderBoard* order_board_;  // visible after a wrong order
  PlacementBoard* board_;
  Task practising_, comparing_;  // generate a graph; plan with the rule of an answer and with all planners
  QPushButton *answer_button_, *hint_button_, *reveal_button_, *practise_button_;
};

}  // namespace arenascope::views
