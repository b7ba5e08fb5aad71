// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_panel.h>

#include <QAbstractTextDocumentLayout>
#include <QCoreApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>
#include <cmath>

namespace arenascope::views {
namespace {

constexpr double kLarge = 1.7;  // for presenting

QScrollArea* make_page(QWidget* parent) {
  auto* made = new QScrollArea(parent);
  made->setWidgetResizable(true);
  made->setFrameShape(QFrame::NoFrame);
  made->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  made->setFocusPolicy(Qt::NoFocus);
  made->setMinimumHeight(7 * parent->fontMetrics().lineSpacing());
  return made;
}

QTextBrowser* make_browser(QWidget* parent) {
  auto* made = new QTextBrowser(parent);
  made->setOpenLinks(false);
  made->setFrameShape(QFrame::NoFrame);
  made->document()->setDocumentMargin(10);
  made->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // the page scrolls
  return made;
}

QLabel* make_note(QWidget* parent, const char* name) {
  auto* made = new QLabel(parent);
  made->setObjectName(QString::fromLatin1(name));
  made->setWordWrap(true);
  made->setContentsMargins(10, 4, 10, 4);
  made->hide();
  return made;
}

}  // namespace

LessonPanel::LessonPanel(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("lesson_panel"));
  scene_.snapshot = std::make_shared<trace::Snapshot>();
  progress_.load();
  chooser_ = new QComboBox(this);
  chooser_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  chooser_->setMinimumContentsLength(12);
  chooser_->installEventFilter(this);
  page_ = make_page(this);
  text_ = make_browser(this);
  question_ = new QuestionBox(this);
  const auto button = [this](const char* name) {
    auto* b = new QToolButton(this);
    b->setObjectName(QString::fromLatin1(name));
    return b;
  };
  large_ = button("lesson_large");
  large_->setCheckable(true);
  large_->setText(QStringLiteral("A⁺"));
  back_ = button("lesson_back");
  again_ = button("lesson_again");
  next_ = button("lesson_next");
  where_ = new QLabel(this);
  waiting_ = make_note(this, "lesson_waiting");
  waiting_->setEnabled(false);  // dimmed
  problem_ = make_note(this, "lesson_problem");
  arrange();
  connect(chooser_, &QComboBox::activated, this, [this](int i) { begin(chooser_->itemData(i).toString()); });
  connect(text_->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
          [this] { fit_text(); });
  connect(back_, &QToolButton::clicked, this, [this] { go_to(step_ - 1); });
  connect(next_, &QToolButton::clicked, this, [this] { go_to(step_ + 1); });
  connect(again_, &QToolButton::clicked, this, [this] { go_to(step_); });
  connect(text_, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
    if (url.scheme() == u"lesson") begin(url.path());
    if (url.scheme() == u"tensor") Q_EMIT tensor_clicked(url.path(QUrl::FullyDecoded));
  });
  connect(text_, &QTextBrowser::highlighted, this, [this](const QUrl& url) {
    Q_EMIT tensor_hovered(url.scheme() == u"tensor" ? url.path(QUrl::FullyDecoded) : QString());
  });
  connect(large_, &QToolButton::toggled, this, [this](bool large) {
    QFont font = this->font();
    if (large) font.setPointSizeF(font.pointSizeF() * kLarge);
    text_->setFont(font);
    question_->setFont(font);
    Q_EMIT enlarged(large);
  });
  connect(question_, &QuestionBox::changed, this, [this] {
    progress_.answer(text_of(open_lesson()->id), step_, question_->answered());
    show_end_of_question();
  });
  connect(question_, &QuestionBox::solved, this, [this] {
    next_->setFocus();  // otherwise it goes to any widget that is still enabled
    Q_EMIT solved();
  });
  retranslate();
}

void LessonPanel::arrange() {
  auto* top = new QHBoxLayout;  // the title needs the full width
  top->setContentsMargins(8, 4, 8, 0);
  top->addWidget(chooser_, 1);
  top->addWidget(large_);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->addWidget(where_);
  bar->addStretch(1);
  for (QToolButton* b : {back_, again_, next_}) bar->addWidget(b);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(top);
  column->addLayout(bar);
  column->addWidget(page_, 1);
  auto* content = new QWidget(page_);
  auto* lines = new QVBoxLayout(content);
  lines->setContentsMargins(0, 0, 0, 0);
  lines->setSpacing(0);
  lines->addWidget(text_);
  lines->addWidget(question_, 1);
  lines->addWidget(waiting_);
  lines->addWidget(problem_);
  lines->addStretch();
  page_->setWidget(content);
}

const lesson::Lesson* LessonPanel::open_lesson() const {
  return lesson_ >= 0 ? &lessons_[static_cast<size_t>(lesson_)] : nullptr;
}

const lesson::LessonStep* LessonPanel::current() const {
  const lesson::Lesson* l = open_lesson();
  return l && step_ >= 0 && step_ < static_cast<int>(l->steps.size()) ? &l->steps[static_cast<size_t>(step_)] : nullptr;
}

void LessonPanel::set_lessons(std::vector<lesson::Lesson> lessons) {
  const std::string id = open_lesson() ? open_lesson()->id : std::string();
  lessons_ = std::move(lessons);
  lesson_ = -1;
  chooser_->clear();
  chooser_->addItem(tr("All lessons"), QString());
  for (size_t i = 0; i < lessons_.size(); ++i) {
    chooser_->addItem(QStringLiteral("%1. %2").arg(i + 1).arg(text_of(lessons_[i].title)), text_of(lessons_[i].id));
    if (!id.empty() && lessons_[i].id == id) lesson_ = static_cast<int>(i);
  }
  step_ = open_lesson() ? std::min(step_, static_cast<int>(open_lesson()->steps.size())) : -1;
  show_step(false);
}

void LessonPanel::begin(const QString& id) {
  lesson_ = -1;
  for (size_t i = 0; i < lessons_.size(); ++i)
    if (text_of(lessons_[i].id) == id) lesson_ = static_cast<int>(i);
  step_ = -1;
  if (!open_lesson()) {
    show_step(false);
    Q_EMIT left();
    return;
  }
  const int kept = progress_.step(id);
  go_to(kept < static_cast<int>(open_lesson()->steps.size()) ? kept : 0);
}

void LessonPanel::preview(int step, lesson::Scene scene) {
  lesson_ = 0;
  step_ = step;
  scene_ = std::move(scene);
  show_text();
  ask({});
}

int LessonPanel::content_height() const {
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  return page_->widget()->layout()->totalHeightForWidth(page_->viewport()->width());
}

void LessonPanel::restart(const QString& id) {
  progress_.forget(id);
  begin(id);
}

void LessonPanel::go_to(int step) {
  if (!open_lesson() || step < 0) return;
  const int steps = static_cast<int>(open_lesson()->steps.size());
  if (step > steps) {  // after the summary comes the next lesson
    const int next = lesson_ + 1;
    if (next < static_cast<int>(lessons_.size())) begin(text_of(lessons_[static_cast<size_t>(next)].id));
    return;
  }
  step_ = step;
  const QString id = text_of(open_lesson()->id);
  progress_.set_step(id, step);
  if (step == steps && is_answered()) progress_.finish(id);
  show_step(true);
}

// All questions of the lesson were answered, or their answers shown.
bool LessonPanel::is_answered() const {
  const lesson::Lesson& l = *open_lesson();
  for (size_t i = 0; i < l.steps.size(); ++i)
    if (l.steps[i].question && !progress_.answered(text_of(l.id), static_cast<int>(i)).done()) return false;
  return true;
}

void LessonPanel::show_problem(const QString& problem) {
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
}

void LessonPanel::set_scene(lesson::Scene scene) {
  waiting_->hide();
  scene_ = std::move(scene);
  const lesson::LessonStep* s = current();
  if (s == nullptr) return;
  show_text();
  ask(progress_.answered(text_of(open_lesson()->id), step_));
  question_->take_focus();
}

// The question of the current step, if it has one.
void LessonPanel::ask(const Answered& before) {
  const lesson::LessonStep* s = current();
  question_->ask(s != nullptr && s->question ? &*s->question : nullptr, scene_, before);
  page_->verticalScrollBar()->setValue(0);
  fit_text();
}

// After the reply is laid out, which changes the range of the scroll bar.
void LessonPanel::show_end_of_question() {
  QTimer::singleShot(0, this, [this] {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    page_->ensureWidgetVisible(question_->feedback_label(), 0, 8);
  });
}

void LessonPanel::show_text() {
  const lesson::Lesson* l = open_lesson();
  if (const lesson::LessonStep* s = current(); s != nullptr)
    text_->setMarkdown(step_page(*s, scene_, true));
  else if (l != nullptr)
    text_->setHtml(summary_page(*l, lessons_, progress_));
  else
    text_->setHtml(list_page(lessons_, progress_));
}

// The question follows directly below the text.
void LessonPanel::fit_text() {
  text_->setFixedHeight(static_cast<int>(std::ceil(text_->document()->size().height())) + 2 * text_->frameWidth());
}

void LessonPanel::update_bar() {
  const lesson::Lesson* l = open_lesson();
  const int steps = l ? static_cast<int>(l->steps.size()) : 0;
  for (size_t i = 0; i < lessons_.size(); ++i)
    chooser_->setItemText(
        static_cast<int>(i) + 1,
        QStringLiteral("%1. %2%3").arg(i + 1).arg(text_of(lessons_[i].title), progress_mark(lessons_[i], progress_)));
  chooser_->setCurrentIndex(lesson_ + 1);
  chooser_->setToolTip(chooser_->currentText());
  back_->setEnabled(l && step_ > 0);
  again_->setEnabled(current() != nullptr);
  const bool summary = l && step_ == steps;
  next_->setEnabled(l && (!summary || lesson_ + 1 < static_cast<int>(lessons_.size())));
  next_->setText(summary ? tr("Next Lesson") : tr("Next"));
  where_->setText(l && !summary ? tr("step %1 of %2").arg(step_ + 1).arg(steps) : QString());
}

void LessonPanel::show_step(bool act) {
  show_problem({});
  waiting_->hide();
  if (act) scene_.known.clear();
  update_bar();
  show_text();
  const lesson::LessonStep* s = current();
  if (act || s == nullptr)
    question_->ask(nullptr, scene_, {});
  else
    ask(progress_.answered(text_of(open_lesson()->id), step_));
  fit_text();
  Q_EMIT shown();
  if (act && s != nullptr) Q_EMIT entered();
}

void LessonPanel::retranslate() {
  back_->setText(tr("Back"));
  again_->setText(tr("Repeat Step"));
  again_->setToolTip(tr("Restore the window state of this step"));
  // The maximum width, so that the panel does not change size from step to step.
  where_->setMinimumWidth(fontMetrics().horizontalAdvance(tr("step %1 of %2").arg(88).arg(88)));
  next_->setText(tr("Next Lesson"));
  next_->setMinimumWidth(next_->sizeHint().width());
  // Text needs more width than the toolbar: the width of all bar elements side by side.
  int width = chooser_->minimumSizeHint().width() + where_->minimumWidth();
  for (const QToolButton* b : {large_, back_, again_, next_}) width += b->sizeHint().width();
  setMinimumWidth(width + 7 * style()->pixelMetric(QStyle::PM_LayoutHorizontalSpacing));
  large_->setToolTip(tr("Large type and a frame around the current subject, for presenting"));
  large_->setAccessibleName(tr("Large Type"));
  chooser_->setAccessibleName(tr("Lesson"));
  text_->setAccessibleName(tr("Text of the lesson"));
  question_->retranslate();
  show_step(false);
}

// A number that is typed anywhere in the panel is the answer.
void LessonPanel::keyPressEvent(QKeyEvent* event) {
  if (!question_->type(*event)) QWidget::keyPressEvent(event);
}

// Typing selects no lesson.
bool LessonPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == chooser_ && event->type() == QEvent::KeyPress) {
    const auto& key = *static_cast<QKeyEvent*>(event);
    const bool typed = !key.text().isEmpty() && key.text().front().isPrint() && key.key() != Qt::Key_Space;
    if (typed) {
      (void)question_->type(key);
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void LessonPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange)
    retranslate();
  else if (event->type() == QEvent::PaletteChange)
    show_text();
  QWidget::changeEvent(event);
}

}  // namespace arenascope::views
