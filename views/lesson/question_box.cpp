// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_pages.h>
#include <views/lesson/question_box.h>
#include <views/lesson/verdict_text.h>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QRadioButton>
#include <QVBoxLayout>

namespace arenascope::views {
namespace {

using lesson::QuestionKind;

enum Page { kNothing, kOptions, kNumber, kOrder, kBoard };

QLabel* label(QWidget* parent, const char* name) {
  auto* made = new QLabel(parent);
  made->setObjectName(QString::fromLatin1(name));
  made->setWordWrap(true);
  made->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return made;
}

}  // namespace

QuestionBox::QuestionBox(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("question_box"));
  invitation_ = label(this, "question_invitation");
  said_ = label(this, "question_said");
  hints_ = label(this, "question_hints");
  ways_ = new QStackedWidget(this);
  options_ = new QButtonGroup(this);
  option_page_ = new QWidget(ways_);
  new QVBoxLayout(option_page_);
  number_ = new QLineEdit(ways_);
  number_->setObjectName(QStringLiteral("question_number"));
  order_ = new QListWidget(ways_);
  order_->setDragDropMode(QAbstractItemView::InternalMove);
  order_->installEventFilter(this);
  board_ = new PlaceBoard(ways_);
  ways_->addWidget(new QWidget(ways_));
  for (QWidget* page :
       {option_page_, static_cast<QWidget*>(number_), static_cast<QWidget*>(order_), static_cast<QWidget*>(board_)})
    ways_->addWidget(page);
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
  column->addWidget(ways_);
  column->addLayout(row);
  column->addWidget(hints_);
  column->addWidget(said_);
  connect(answer_button_, &QPushButton::clicked, this, &QuestionBox::answer);
  connect(hint_button_, &QPushButton::clicked, this, &QuestionBox::hint);
  connect(reveal_button_, &QPushButton::clicked, this, &QuestionBox::reveal);
  connect(number_, &QLineEdit::returnPressed, this, &QuestionBox::answer);
  connect(board_, &PlaceBoard::moved, this, &QuestionBox::tell_place);
  retranslate();
  hide();
}

void QuestionBox::retranslate() {
  answer_button_->setText(tr("Answer"));
  hint_button_->setText(tr("Hint"));
  reveal_button_->setText(tr("Show Me"));
  reveal_button_->setToolTip(tr("The answer, and what really happens"));
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
  invitation_->setText(invitation(question_));
  number_->clear();
  hints_->clear();
  say({}, false);
  switch (question_.kind) {
    case QuestionKind::Choice: set_options(); break;
    case QuestionKind::Number: ways_->setCurrentIndex(kNumber); break;
    case QuestionKind::Order: set_order(question_.names); break;
    case QuestionKind::Place: set_board(); break;
    default: ways_->setCurrentIndex(kNothing);
  }
  const bool tall = question_.kind == QuestionKind::Order || question_.kind == QuestionKind::Place;
  ways_->setVisible(ways_->currentIndex() != kNothing);
  ways_->setSizePolicy(QSizePolicy::Preferred, tall ? QSizePolicy::Expanding : QSizePolicy::Fixed);
  for (int i = 0; i < std::min<int>(answered_.hints, static_cast<int>(question_.hints.size())); ++i)
    hints_->setText(hints_->text() + (i > 0 ? QStringLiteral("\n") : QString()) +
                    figures(text_of(question_.hints[static_cast<size_t>(i)])));
  if (answered_.right) say(figures(text_of(question_.right)), true);
  hints_->setVisible(answered_.hints > 0);
  update_buttons();
}

void QuestionBox::set_options() {
  for (QAbstractButton* old : options_->buttons()) {
    options_->removeButton(old);
    delete old;
  }
  for (size_t i = 0; i < question_.options.size(); ++i) {
    auto* made = new QRadioButton(figures(text_of(question_.options[i].text)), option_page_);
    options_->addButton(made, static_cast<int>(i));
    option_page_->layout()->addWidget(made);
  }
  ways_->setCurrentIndex(kOptions);
}

void QuestionBox::set_order(const std::vector<std::string>& names) {
  order_->clear();
  for (const std::string& name : names) order_->addItem(text_of(name));
  order_->setCurrentRow(0);
  ways_->setCurrentIndex(kOrder);
}

void QuestionBox::set_board() {
  auto pieces = lesson::pieces_of(scene_, question_);
  const int steps = scene_.plan ? static_cast<int>(scene_.plan->order.size()) : 1;
  board_->set_pieces(pieces ? std::move(*pieces) : std::vector<lesson::Piece>(), steps,
                     scene_.plan ? scene_.plan->alignment : 1);
  ways_->setCurrentIndex(kBoard);
}

// Where one tensor came to lie.
void QuestionBox::tell_place(size_t piece) {
  std::vector<lesson::Placed> others = board_->placed();
  const std::string name = board_->pieces()[piece].name;
  const auto mine = std::find_if(others.begin(), others.end(), [&](const lesson::Placed& p) { return p.name == name; });
  if (mine == others.end()) return say({}, false);
  const lesson::Placed placed = *mine;
  others.erase(mine);
  auto verdict = lesson::judge_place(scene_, others, placed);
  if (!verdict) return say(text_of(verdict.error().message), false);
  say(verdict->right ? tr("%1 fits.").arg(text_of(name)) : sentence_of(*verdict, question_), verdict->right);
}

lesson::Answer QuestionBox::entered() const {
  lesson::Answer given;
  switch (question_.kind) {
    case QuestionKind::Choice:
      if (options_->checkedId() >= 0) given.text = question_.options[static_cast<size_t>(options_->checkedId())].value;
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

void QuestionBox::take_click(const std::string& tensor, const std::vector<std::string>& of_block) {
  const bool by_click = asked_ && (question_.kind == QuestionKind::Node || question_.kind == QuestionKind::Block ||
                                   question_.kind == QuestionKind::Barrier);
  if (!by_click || answered_.done() || (tensor.empty() && of_block.empty())) return;
  clicked_ = tensor;
  clicked_block_ = of_block;
  judge(entered());
}

void QuestionBox::answer() {
  if (!asked_ || answered_.done()) return;
  if (question_.kind == QuestionKind::Choice && options_->checkedId() < 0) return say(invitation(question_), false);
  const bool by_click = ways_->currentIndex() == kNothing;
  if (by_click && clicked_.empty() && clicked_block_.empty()) return say(invitation(question_), false);
  judge(entered());
}

void QuestionBox::judge(const lesson::Answer& given) {
  auto verdict = lesson::judge(scene_, question_, given);
  if (!verdict) return say(text_of(verdict.error().message), false);
  if (verdict->right)
    answered_.right = true;
  else
    ++answered_.wrong;
  say(figures(sentence_of(*verdict, question_)), verdict->right);
  update_buttons();
  Q_EMIT changed();
  if (verdict->right) Q_EMIT solved();
}

void QuestionBox::hint() {
  if (!asked_ || answered_.hints >= static_cast<int>(question_.hints.size())) return;
  const QString text = figures(text_of(question_.hints[static_cast<size_t>(answered_.hints)]));
  hints_->setText(hints_->text().isEmpty() ? text : hints_->text() + u'\n' + text);
  hints_->show();
  ++answered_.hints;
  update_buttons();
  Q_EMIT changed();
}

void QuestionBox::reveal() {
  if (!asked_ || answered_.done()) return;
  auto solution = lesson::solution(scene_, question_);
  if (!solution) return say(text_of(solution.error().message), false);
  if (question_.kind == QuestionKind::Place)
    for (const lesson::Placed& p : solution->placed)
      for (size_t i = 0; i < board_->pieces().size(); ++i)
        if (board_->pieces()[i].name == p.name) board_->place(i, p.offset);
  if (question_.kind == QuestionKind::Order) set_order(solution->names);
  answered_.revealed = true;
  say(tr("%1. %2").arg(figures(sentence_of(*solution, question_)), figures(text_of(question_.right))), true);
  update_buttons();
  Q_EMIT changed();
  Q_EMIT solved();
}

void QuestionBox::say(const QString& text, bool right) {
  said_->setText(text.isEmpty() ? text : (right ? QStringLiteral("✓ ") : QStringLiteral("✗ ")) + text);
  said_->setVisible(!text.isEmpty());
}

void QuestionBox::update_buttons() {
  const bool open = !answered_.done();
  answer_button_->setVisible(ways_->currentIndex() != kNothing);
  answer_button_->setEnabled(open);
  reveal_button_->setEnabled(open);
  hint_button_->setVisible(!question_.hints.empty());
  hint_button_->setEnabled(open && answered_.hints < static_cast<int>(question_.hints.size()));
  ways_->setEnabled(open);
}

QString QuestionBox::figures(const QString& text) const { return with_figures(text, scene_, false); }

void QuestionBox::move_line(int by) {
  const int row = order_->currentRow(), to = row + by;
  if (row < 0 || to < 0 || to >= order_->count()) return;
  order_->insertItem(to, order_->takeItem(row));
  order_->setCurrentRow(to);
}

bool QuestionBox::eventFilter(QObject* watched, QEvent* event) {
  if (watched == order_ && (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride)) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const int by = key->key() == Qt::Key_Up ? -1 : key->key() == Qt::Key_Down ? 1 : 0;
    if (by != 0 && key->modifiers().testFlag(Qt::ControlModifier)) {
      if (event->type() == QEvent::KeyPress) move_line(by);
      event->accept();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace arenascope::views
