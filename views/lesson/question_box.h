// SPDX-License-Identifier: GPL-3.0-or-later
// What a question is answered with: options, a number, the window's own panels, a board, a list to be put in order.
// Judged by the engine; below stands what would follow from the answer, hints one after the other, and what is right.
#pragma once
#include <arenascope/lesson/question.h>
#include <views/lesson/lesson_progress.h>
#include <views/lesson/option_list.h>
#include <views/lesson/order_list.h>
#include <views/lesson/place_board.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QWidget>

namespace arenascope::views {

class QuestionBox : public QWidget {
  Q_OBJECT
 public:
  explicit QuestionBox(QWidget* parent = nullptr);

  // The question with what its figures are read from; null: none, and nothing is shown.
  void ask(const lesson::Question* question, const lesson::Scene& scene, const Answered& before);
  bool asks() const { return asked_; }
  const Answered& answered() const { return answered_; }
  // Somebody clicked this tensor, or a block with these, in the window.
  void take_click(const std::string& tensor, const std::vector<std::string>& of_block);
  // The same by keys, which pass others on the way: what is offered is the answer when take_offer() follows.
  void offer(const std::string& tensor, const std::vector<std::string>& of_block);
  void take_offer();
  void answer();  // with what is entered
  void hint();
  void reveal();
  QString said() const { return said_->text(); }

  QAbstractButton* option(size_t i) const { return options_->button(static_cast<int>(i)); }
  QLineEdit* number() const { return number_; }
  OrderList* order() const { return order_; }
  PlaceBoard* board() const { return board_; }
  QPushButton* answer_button() const { return answer_button_; }
  QPushButton* hint_button() const { return hint_button_; }
  QPushButton* reveal_button() const { return reveal_button_; }
  void retranslate();

 Q_SIGNALS:
  void changed();  // answered()
  void solved();   // rightly, or it was revealed: what the question does then

 private:
  bool keep_click(const std::string& tensor, const std::vector<std::string>& of_block);
  lesson::Answer entered() const;
  void judge(const lesson::Answer& given);
  void show_way(QWidget* way);  // to answer; null: by a click elsewhere
  void set_options();
  void set_order(const std::vector<std::string>& names);
  void set_board();
  void tell_place(size_t piece);
  void add_hint(const QString& text);
  void say(const QString& text, bool right);
  void update_buttons();
  QString figures(const QString& text) const;

  bool asked_ = false, offered_ = false;
  lesson::Question question_;
  lesson::Scene scene_;
  Answered answered_;
  std::string clicked_;
  std::vector<std::string> clicked_block_;
  QLabel *invitation_, *said_, *hints_;
  QWidget* way_ = nullptr;
  OptionList* options_;
  QLineEdit* number_;
  OrderList* order_;
  PlaceBoard* board_;
  QPushButton *answer_button_, *hint_button_, *reveal_button_;
};

}  // namespace arenascope::views
