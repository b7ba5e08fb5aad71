// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_pages.h>
#include <views/lesson/question_box.h>
#include <views/lesson/verdict_text.h>

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace arenascope::views {
namespace {

using lesson::QuestionKind;

QLabel* label(QWidget* parent, const char* name) {
  auto* made = new QLabel(parent);
  made->setObjectName(QString::fromLatin1(name));
  made->setWordWrap(true);
  made->setTextFormat(Qt::MarkdownText);
  made->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return made;
}

}  // namespace

QuestionBox::QuestionBox(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("question_box"));
  invitation_ = label(this, "question_invitation");
  feedback_ = label(this, "question_feedback");
  hints_ = label(this, "question_hints");
  options_ = new OptionList(this);
  number_ = new QLineEdit(this);
  number_->setObjectName(QStringLiteral("question_number"));
  order_ = new OrderList(this);
  board_ = new PlacementBoard(this);
  const auto button = [this](const char* name) {
    auto* made = new QPushButton(this);
    made->setObjectName(QString::fromLatin1(name));
    return made;
  };
  answer_button_ = button("question_answer");
  hint_button_ = button("question_hint");
  reveal_button_ = button("question_reveal");
  auto* row = new QHBoxLayout;
  for (QPushButton* each : {answer_button_, hint_button_, reveal_button_}) row->addWidget(each);
  row->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(10, 0, 10, 6);
  column->addWidget(invitation_);
  column->addWidget(options_);
  column->addWidget(number_);
  column->addWidget(order_, 1);
  column->addWidget(board_, 1);
  column->addLayout(row);
  column->addWidget(hints_);
  column->addWidget(feedback_);
  column->addStretch();  // unless the order list or the board fills the height
  connect(answer_button_, &QPushButton::clicked, this, &QuestionBox::answer);
  connect(hint_button_, &QPushButton::clicked, this, &QuestionBox::hint);
  connect(reveal_button_, &QPushButton::clicked, this, &QuestionBox::reveal);
  connect(number_, &QLineEdit::returnPressed, this, &QuestionBox::answer);
  connect(board_, &PlacementBoard::moved, this, &QuestionBox::report_placement);
  retranslate();
  hide();
}

void QuestionBox::retranslate() {
  answer_button_->setText(tr("Answer"));
  hint_button_->setText(tr("Hint"));
  reveal_button_->setText(tr("Show Answer"));
  reveal_button_->setToolTip(tr("Show the answer and what actually happens"));
  number_->setAccessibleName(tr("Answer"));
  order_->setAccessibleName(tr("Put into order"));
  if (asked_) invitation_->setText(invitation(question_));
}

void QuestionBox::ask(const lesson::Question* question, const lesson::Scene& scene, const Answered& before) {
  asked_ = question != nullptr;
  setVisible(asked_);
  if (!asked_) return;
  question_ = *question;
  scene_ = scene;
  answered_ = before;
  clicked_.clear();
  clicked_block_.clear();
  offered_ = false;
  invitation_->setText(invitation(question_));
  number_->clear();
  hints_->clear();
  show_feedback({}, false);
  switch (question_.kind) {
    case QuestionKind::Choice: set_options(); break;
    case QuestionKind::Number: show_way(number_); break;
    case QuestionKind::Order: set_order(question_.names); break;
    case QuestionKind::Place: set_board(); break;
    default: show_way(nullptr);  // answered by a click in the window
  }
  for (int i = 0; i < std::min<int>(answered_.hints, static_cast<int>(question_.hints.size())); ++i)
    add_hint(figures(text_of(question_.hints[static_cast<size_t>(i)])));
  if (answered_.right) show_feedback(figures(text_of(question_.right)), true);
  hints_->setVisible(answered_.hints > 0);
  update_buttons();
}

void QuestionBox::show_way(QWidget* way) {
  way_ = way;
  for (QWidget* each : std::initializer_list<QWidget*>{options_, number_, order_, board_})
    each->setVisible(each == way);
}

void QuestionBox::set_options() {
  QStringList texts;
  for (const lesson::Option& option : question_.options) texts << figures(text_of(option.text));
  options_->set_options(texts);
  show_way(options_);
}

void QuestionBox::set_order(const std::vector<std::string>& names) {
  QStringList lines;
  for (const std::string& name : names) lines << text_of(name);
  order_->set_lines(lines);
  show_way(order_);
}

void QuestionBox::set_board() {
  auto pieces = lesson::pieces_of(scene_, question_);
  const int steps = scene_.plan ? static_cast<int>(scene_.plan->order.size()) : 1;
  auto limit = lesson::evaluate(scene_, question_.fact);
  const bool limited = limit && limit->kind == lesson::Value::Kind::Number;
  board_->set_pieces(pieces ? std::move(*pieces) : std::vector<lesson::Piece>(), steps,
                     scene_.plan ? scene_.plan->alignment : 1, limited ? static_cast<Bytes>(limit->number) : 0);
  show_way(board_);
}

// Reports the position of a placed tensor.
void QuestionBox::report_placement(size_t piece) {
  std::vector<lesson::Placed> others = board_->placed();
  const std::string name = board_->pieces()[piece].name;
  const auto mine = std::find_if(others.begin(), others.end(), [&](const lesson::Placed& p) { return p.name == name; });
  if (mine == others.end()) return show_feedback({}, false);
  const lesson::Placed placed = *mine;
  others.erase(mine);
  auto verdict = lesson::judge_place(scene_, others, placed);
  if (!verdict) return show_feedback(text_of(verdict.error().message), false);
  show_feedback(verdict->right ? verdict_templates().fits.arg(text_of(name)) : sentence_of(*verdict, question_),
                verdict->right);
}

lesson::Answer QuestionBox::entered() const {
  lesson::Answer given;
  switch (question_.kind) {
    case QuestionKind::Choice:
      if (options_->chosen() >= 0) given.text = question_.options[static_cast<size_t>(options_->chosen())].value;
      break;
    case QuestionKind::Number: given.text = number_->text().trimmed().toStdString(); break;
    case QuestionKind::Order:
      for (int i = 0; i < order_->count(); ++i) given.names.push_back(order_->item(i)->text().toStdString());
      break;
    case QuestionKind::Place: given.placed = board_->placed(); break;
    default:
      given.text = clicked_;
      if (question_.kind == QuestionKind::Block) given.names = clicked_block_;
  }
  return given;
}

void QuestionBox::offer(const std::string& tensor, const std::vector<std::string>& of_block) {
  const bool by_click = asked_ && (question_.kind == QuestionKind::Node || question_.kind == QuestionKind::Block ||
                                   question_.kind == QuestionKind::Barrier);
  if (!by_click || answered_.done() || (tensor.empty() && of_block.empty())) return;
  clicked_ = tensor;
  clicked_block_ = of_block;
  offered_ = true;
  feedback_->setText(tr("%1 is selected. Press Enter or “Answer” to answer with it.")
                         .arg(text_of(tensor.empty() ? of_block.front() : tensor)));
  feedback_->show();
  update_buttons();
}

void QuestionBox::take_focus() {
  if (asked_ && !answered_.done() && question_.kind == QuestionKind::Number) number_->setFocus();
}

bool QuestionBox::type(const QKeyEvent& key) {
  const bool digit = !key.text().isEmpty() && (key.text().front().isDigit() || key.text().front() == u'-');
  if (!asked_ || answered_.done() || question_.kind != QuestionKind::Number || !digit) return false;
  number_->setFocus();
  number_->insert(key.text());
  return true;
}

void QuestionBox::answer() {
  if (!asked_ || answered_.done()) return;
  if (question_.kind == QuestionKind::Choice && options_->chosen() < 0)
    return show_feedback(invitation(question_), false);
  if (way_ == nullptr && !offered_) return show_feedback(invitation(question_), false);
  offered_ = false;
  judge(entered());
}

void QuestionBox::judge(const lesson::Answer& given) {
  auto verdict = lesson::judge(scene_, question_, given);
  if (!verdict) return show_feedback(text_of(verdict.error().message), false);
  if (verdict->right)
    answered_.right = true;
  else
    ++answered_.wrong;
  show_feedback(figures(sentence_of(*verdict, question_)), verdict->right);
  update_buttons();
  Q_EMIT changed();
  if (verdict->right) Q_EMIT solved();
}

void QuestionBox::add_hint(const QString& text) {
  hints_->setText(hints_->text().isEmpty() ? text : hints_->text() + QStringLiteral("\n\n") + text);
}

void QuestionBox::hint() {
  if (!asked_ || answered_.hints >= static_cast<int>(question_.hints.size())) return;
  const QString text = figures(text_of(question_.hints[static_cast<size_t>(answered_.hints)]));
  add_hint(text);
  hints_->show();
  ++answered_.hints;
  update_buttons();
  Q_EMIT changed();
}

void QuestionBox::reveal() {
  if (!asked_ || answered_.done()) return;
  auto solution = lesson::solution(scene_, question_);
  if (!solution) return show_feedback(text_of(solution.error().message), false);
  if (question_.kind == QuestionKind::Place)
    for (const lesson::Placed& p : solution->placed)
      for (size_t i = 0; i < board_->pieces().size(); ++i)
        if (board_->pieces()[i].name == p.name) board_->place(i, p.offset);
  if (question_.kind == QuestionKind::Order) set_order(solution->names);
  answered_.revealed = true;
  show_feedback(tr("%1. %2").arg(figures(sentence_of(*solution, question_)), figures(text_of(question_.right))), true);
  update_buttons();
  Q_EMIT changed();
  Q_EMIT solved();
}

void QuestionBox::show_feedback(const QString& text, bool right) {
  feedback_->setText(text.isEmpty() ? text : (right ? QStringLiteral("✓ ") : QStringLiteral("✗ ")) + text);
  feedback_->setVisible(!text.isEmpty());
}

void QuestionBox::update_buttons() {
  const bool open = !answered_.done();
  const bool more_hints = open && answered_.hints < static_cast<int>(question_.hints.size());
  answer_button_->setEnabled(open && (way_ != nullptr || offered_));
  reveal_button_->setEnabled(open);
  // The focus would go on to the button that gives the answer.
  if (open && !more_hints && hint_button_->hasFocus()) (way_ != nullptr ? way_ : answer_button_)->setFocus();
  hint_button_->setVisible(!question_.hints.empty());
  hint_button_->setEnabled(more_hints);
  if (way_ != nullptr) way_->setEnabled(open);
}

QString QuestionBox::figures(const QString& text) const { return with_figures(text, scene_, false); }

}  // namespace arenascope::views
