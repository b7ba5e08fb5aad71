// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_pages.h>
#include <views/lesson/question_box.h>
#include <views/lesson/verdict_text.h>

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

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

// With the values of its figures.
QString text_with_figures(const lesson::GeneratedTask& task, const std::string& text) {
  return with_figures(text_of(text), task.scene, false);
}

// "A generated graph: A 1 KiB; B 2 KiB reads A; …", unless the order is asked for in execution order.
QString text_of_buffers(const lesson::GeneratedTask& task) {
  std::vector<lesson::GraphLine> graph = task.graph;
  const bool ordered = task.question.kind != QuestionKind::Order;
  const auto step_of = [&](const lesson::GraphLine& line) {
    return std::ranges::find(task.scene.graph->nodes, line.name, &trace::TensorInfo::name);
  };
  if (ordered) std::ranges::sort(graph, {}, step_of);
  QStringList lines;
  for (const lesson::GraphLine& line : graph) {
    QStringList sources;
    for (const std::string& source : line.sources) sources << text_of(source);
    const QString name = QStringLiteral("**%1** %2").arg(text_of(line.name), format_bytes(line.bytes));
    lines << (sources.isEmpty() ? name : QuestionBox::tr("%1 reads %2").arg(name, sources.join(QStringLiteral(", "))));
  }
  const QString all = lines.join(QStringLiteral("; "));
  return ordered ? QuestionBox::tr("A generated graph, in execution order: %1.").arg(all)
                 : QuestionBox::tr("A generated graph: %1.").arg(all);
}

// A table of the arenas of a rule and of all planners.
QString comparison(const lesson::Scene& scene, const std::string& rule) {
  const auto arenas = lesson::compare_rule(scene, rule);
  if (!arenas) return {};
  QString table =
      QStringLiteral("\n\n| %1 | %2 |\n|---|---:|\n").arg(QuestionBox::tr("Planner"), QuestionBox::tr("Arena"));
  for (const lesson::PlannedArena& planned : *arenas) {
    const QString name = planned.planner == "rule" ? QStringLiteral("**%1**").arg(QuestionBox::tr("your rule"))
                                                   : text_of(planned.planner);
    table += QStringLiteral("| %1 | %2 |\n").arg(name, format_bytes(planned.arena));
  }
  return table;
}

// Plays a wrong order up to its consequence.
void play_order(OrderBoard& board, const lesson::GeneratedTask& task, const lesson::Verdict& verdict,
                const lesson::Answer& given) {
  board.clear();
  if (verdict.why != lesson::Verdict::Why::NotBefore && verdict.why != lesson::Verdict::Why::HigherPeak) return;
  if (auto played = lesson::play_order(task.scene, task.question, given); played) board.play(std::move(*played));
}

}  // namespace

QuestionBox::QuestionBox(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("question_box"));
  invitation_ = label(this, "question_invitation");
  buffers_ = label(this, "question_buffers");
  feedback_ = label(this, "question_feedback");
  hints_ = label(this, "question_hints");
  options_ = new OptionList(this);
  number_ = new QLineEdit(this);
  number_->setObjectName(QStringLiteral("question_number"));
  order_ = new OrderList(this);
  order_board_ = new OrderBoard(this);
  board_ = new PlacementBoard(this);
  const auto button = [this](const char* name) {
    auto* made = new QPushButton(this);
    made->setObjectName(QString::fromLatin1(name));
    return made;
  };
  answer_button_ = button("question_answer");
  hint_button_ = button("question_hint");
  reveal_button_ = button("question_reveal");
  practise_button_ = button("question_practise");
  auto* row = new QHBoxLayout;
  for (QPushButton* each : {answer_button_, hint_button_, reveal_button_, practise_button_}) row->addWidget(each);
  row->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(10, 0, 10, 6);
  column->addWidget(invitation_);
  column->addWidget(buffers_);
  column->addWidget(options_);
  column->addWidget(number_);
  column->addWidget(order_, 1);
  column->addWidget(board_, 1);
  column->addLayout(row);
  column->addWidget(hints_);
  column->addWidget(feedback_);
  column->addWidget(order_board_);
  column->addStretch();  // unless the order list or the board fills the height
  connect(answer_button_, &QPushButton::clicked, this, &QuestionBox::answer);
  connect(hint_button_, &QPushButton::clicked, this, &QuestionBox::hint);
  connect(reveal_button_, &QPushButton::clicked, this, &QuestionBox::reveal);
  connect(practise_button_, &QPushButton::clicked, this, &QuestionBox::practise);
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
  practise_button_->setText(tr("New Task"));
  practise_button_->setToolTip(tr("Ask the same question about a generated graph"));
  number_->setAccessibleName(tr("Answer"));
  order_->setAccessibleName(tr("Put into order"));
  if (asked_) invitation_->setText(invitation(task_.question));
}

void QuestionBox::ask(const lesson::Question* question, const lesson::Scene& scene, const Answered& before) {
  practising_.discard();
  comparing_.discard();
  asked_ = question != nullptr;
  setVisible(asked_);
  if (!asked_) return;
  task_ = {scene, *question, {}};
  answered_ = before;
  seed_ = 0;
  buffers_->hide();
  clicked_.clear();
  clicked_block_.clear();
  offered_ = false;
  invitation_->setText(invitation(task_.question));
  number_->clear();
  number_->setPlaceholderText(
      task_.question.kind == QuestionKind::Rule ? QStringLiteral("sort -size, first; fit lowest") : QString());
  hints_->clear();
  show_feedback({}, false);
  order_board_->clear();
  switch (task_.question.kind) {
    case QuestionKind::Choice: set_options(); break;
    case QuestionKind::Number:
    case QuestionKind::Rule: show_way(number_); break;
    case QuestionKind::Order: set_order(task_.question.names); break;
    case QuestionKind::Place: set_board(); break;
    default: show_way(nullptr);  // answered by a click in the window
  }
  for (int i = 0; i < std::min<int>(answered_.hints, static_cast<int>(task_.question.hints.size())); ++i)
    add_hint(text_with_figures(task_, task_.question.hints[static_cast<size_t>(i)]));
  if (answered_.right) show_feedback(text_with_figures(task_, task_.question.right), true);
  hints_->setVisible(answered_.hints > 0);
  update_buttons();
}

void QuestionBox::practise() {
  const uint64_t seed = seed_ + 1;
  practising_.start({}, [this, question = task_.question, seed](const TaskRun& run) {
    run.post([this, task = lesson::generate_task(question, seed), seed]() mutable {
      if (!task) return show_feedback(text_of(task.error().message), false);
      task->question.right = tr("Correct.").toStdString();
      ask(&task->question, task->scene, {});
      task_.graph = std::move(task->graph);
      seed_ = seed;
      buffers_->setText(text_of_buffers(task_));
      buffers_->show();
      if (way_ != nullptr) way_->setFocus();
    });
  });
}

void QuestionBox::show_way(QWidget* way) {
  way_ = way;
  for (QWidget* each : std::initializer_list<QWidget*>{options_, number_, order_, board_})
    each->setVisible(each == way);
}

void QuestionBox::set_options() {
  QStringList texts;
  for (const lesson::Option& option : task_.question.options) texts << text_with_figures(task_, option.text);
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
  auto pieces = lesson::pieces_of(task_.scene, task_.question);
  const int steps = task_.scene.plan ? static_cast<int>(task_.scene.plan->order.size()) : 1;
  auto limit = lesson::evaluate(task_.scene, task_.question.fact);
  const bool limited = limit && limit->kind == lesson::Value::Kind::Number;
  board_->set_pieces(pieces ? std::move(*pieces) : std::vector<lesson::Piece>(), steps,
                     task_.scene.plan ? task_.scene.plan->alignment : 1,
                     limited ? static_cast<Bytes>(limit->number) : 0);
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
  auto verdict = lesson::judge_place(task_.scene, others, placed);
  if (!verdict) return show_feedback(text_of(verdict.error().message), false);
  show_feedback(verdict->right ? verdict_templates().fits.arg(text_of(name)) : sentence_of(*verdict, task_.question),
                verdict->right);
  if (verdict->why == lesson::Verdict::Why::Collides) board_->play_collision(*verdict);
}

lesson::Answer QuestionBox::entered() const {
  lesson::Answer given;
  switch (task_.question.kind) {
    case QuestionKind::Choice:
      if (options_->chosen() >= 0) given.text = task_.question.options[static_cast<size_t>(options_->chosen())].value;
      break;
    case QuestionKind::Number:
    case QuestionKind::Rule: given.text = number_->text().trimmed().toStdString(); break;
    case QuestionKind::Order:
      for (int i = 0; i < order_->count(); ++i) given.names.push_back(order_->item(i)->text().toStdString());
      break;
    case QuestionKind::Place: given.placed = board_->placed(); break;
    default:
      given.text = clicked_;
      if (task_.question.kind == QuestionKind::Block) given.names = clicked_block_;
  }
  return given;
}

void QuestionBox::offer(const std::string& tensor, const std::vector<std::string>& of_block) {
  const bool by_click =
      asked_ && (task_.question.kind == QuestionKind::Node || task_.question.kind == QuestionKind::Block ||
                 task_.question.kind == QuestionKind::Barrier);
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
  if (asked_ && !answered_.done() && way_ == number_) number_->setFocus();
}

bool QuestionBox::type(const QKeyEvent& key) {
  const bool digit = !key.text().isEmpty() && (key.text().front().isDigit() || key.text().front() == u'-');
  if (!asked_ || answered_.done() || task_.question.kind != QuestionKind::Number || !digit) return false;
  number_->setFocus();
  number_->insert(key.text());
  return true;
}

void QuestionBox::answer() {
  if (!asked_ || answered_.done()) return;
  if (task_.question.kind == QuestionKind::Choice && options_->chosen() < 0)
    return show_feedback(invitation(task_.question), false);
  if (way_ == nullptr && !offered_) return show_feedback(invitation(task_.question), false);
  offered_ = false;
  judge(entered());
}

void QuestionBox::judge(const lesson::Answer& given) {
  auto verdict = lesson::judge(task_.scene, task_.question, given);
  if (!verdict) return show_feedback(text_of(verdict.error().message), false);
  if (verdict->right)
    answered_.right = true;
  else
    ++answered_.wrong;
  const QString feedback = with_figures(sentence_of(*verdict, task_.question), task_.scene, false);
  show_feedback(feedback, verdict->right);
  if (task_.question.kind == QuestionKind::Rule)  // the table follows, because planning takes time
    comparing_.start(
        {}, [this, scene = task_.scene, rule = given.text, feedback, right = verdict->right](const TaskRun& run) {
          run.post([this, text = feedback + comparison(scene, rule), right] { show_feedback(text, right); });
        });
  if (verdict->why == lesson::Verdict::Why::Collides) board_->play_collision(*verdict);
  play_order(*order_board_, task_, *verdict, given);
  update_buttons();
  if (!task_.graph.empty()) return;
  Q_EMIT changed();
  if (verdict->right) Q_EMIT solved();
}

void QuestionBox::add_hint(const QString& text) {
  hints_->setText(hints_->text().isEmpty() ? text : hints_->text() + QStringLiteral("\n\n") + text);
}

void QuestionBox::hint() {
  if (!asked_ || answered_.hints >= static_cast<int>(task_.question.hints.size())) return;
  const QString text = text_with_figures(task_, task_.question.hints[static_cast<size_t>(answered_.hints)]);
  add_hint(text);
  hints_->show();
  ++answered_.hints;
  update_buttons();
  Q_EMIT changed();
}

void QuestionBox::reveal() {
  if (!asked_ || answered_.done()) return;
  auto solution = lesson::solution(task_.scene, task_.question);
  if (!solution) return show_feedback(text_of(solution.error().message), false);
  if (task_.question.kind == QuestionKind::Place)
    for (const lesson::Placed& p : solution->placed)
      for (size_t i = 0; i < board_->pieces().size(); ++i)
        if (board_->pieces()[i].name == p.name) board_->place(i, p.offset);
  if (task_.question.kind == QuestionKind::Order) set_order(solution->names);
  if (task_.question.kind == QuestionKind::Rule) number_->setText(text_of(solution->text));
  order_board_->clear();
  answered_.revealed = true;
  show_feedback(tr("%1. %2").arg(with_figures(sentence_of(*solution, task_.question), task_.scene, false),
                                 text_with_figures(task_, task_.question.right)),
                true);
  update_buttons();
  if (!task_.graph.empty()) return;
  Q_EMIT changed();
  Q_EMIT solved();
}

void QuestionBox::show_feedback(const QString& text, bool right) {
  comparing_.discard();  // of an earlier answer
  feedback_->setText(text.isEmpty() ? text : (right ? QStringLiteral("✓ ") : QStringLiteral("✗ ")) + text);
  feedback_->setVisible(!text.isEmpty());
}

void QuestionBox::update_buttons() {
  const bool open = !answered_.done();
  const bool more_hints = open && answered_.hints < static_cast<int>(task_.question.hints.size());
  answer_button_->setEnabled(open && (way_ != nullptr || offered_));
  reveal_button_->setEnabled(open);
  // The focus would go on to the button that gives the answer.
  if (open && !more_hints && hint_button_->hasFocus()) (way_ != nullptr ? way_ : answer_button_)->setFocus();
  hint_button_->setVisible(!task_.question.hints.empty());
  practise_button_->setVisible(!open && lesson::can_generate(task_.question));
  hint_button_->setEnabled(more_hints);
  if (way_ != nullptr) way_->setEnabled(open);
}

}  // namespace arenascope::views
