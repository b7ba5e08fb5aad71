// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/lesson/lesson_panel.h>

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace arenascope::views {

LessonPanel::LessonPanel(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("lesson_panel"));
  chooser_ = new QComboBox(this);
  chooser_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  chooser_->setMinimumContentsLength(18);
  text_ = new QTextBrowser(this);
  text_->setOpenLinks(false);
  text_->setFrameShape(QFrame::NoFrame);
  text_->document()->setDocumentMargin(10);
  const auto button = [this](const char* name) {
    auto* b = new QToolButton(this);
    b->setObjectName(QString::fromLatin1(name));
    return b;
  };
  back_ = button("lesson_back");
  again_ = button("lesson_again");
  next_ = button("lesson_next");
  where_ = new QLabel(this);
  problem_ = new QLabel(this);
  problem_->setWordWrap(true);
  problem_->hide();
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->addWidget(chooser_, 1);
  bar->addWidget(where_);
  bar->addStretch(1);
  for (QToolButton* b : {back_, again_, next_}) bar->addWidget(b);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(text_, 1);
  column->addWidget(problem_);
  connect(chooser_, &QComboBox::activated, this, [this](int i) { begin(chooser_->itemData(i).toString()); });
  connect(back_, &QToolButton::clicked, this, [this] { go_to(step_ - 1); });
  connect(next_, &QToolButton::clicked, this, [this] { go_to(step_ + 1); });
  connect(again_, &QToolButton::clicked, this, [this] { go_to(step_); });
  connect(text_, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) { begin(url.toString()); });
  retranslate();
}

const Lesson* LessonPanel::lesson() const { return lesson_ >= 0 ? &lessons_[static_cast<size_t>(lesson_)] : nullptr; }

void LessonPanel::set_lessons(std::vector<Lesson> lessons) {
  const QString id = lesson() ? lesson()->id : QString();
  lessons_ = std::move(lessons);
  lesson_ = -1;
  chooser_->clear();
  chooser_->addItem(tr("All lessons"), QString());
  for (size_t i = 0; i < lessons_.size(); ++i) {
    chooser_->addItem(QStringLiteral("%1. %2").arg(i + 1).arg(lessons_[i].title), lessons_[i].id);
    if (lessons_[i].id == id) lesson_ = static_cast<int>(i);
  }
  if (!lesson())
    step_ = -1;
  else
    step_ = std::min(step_, static_cast<int>(lesson()->steps.size()) - 1);
  show_step(false);
}

void LessonPanel::begin(const QString& id) {
  lesson_ = -1;
  step_ = -1;
  for (size_t i = 0; i < lessons_.size(); ++i)
    if (lessons_[i].id == id) lesson_ = static_cast<int>(i);
  if (lesson())
    go_to(0);
  else
    show_step(false);
}

void LessonPanel::go_to(int step) {
  if (!lesson() || step < 0) return;
  if (step >= static_cast<int>(lesson()->steps.size())) {  // behind the last comes the next lesson
    const int next = lesson_ + 1;
    if (next < static_cast<int>(lessons_.size())) begin(lessons_[static_cast<size_t>(next)].id);
    return;
  }
  step_ = step;
  show_step(true);
}

void LessonPanel::say(const QString& problem) {
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
}

void LessonPanel::show_step(bool act) {
  say({});
  chooser_->setCurrentIndex(lesson_ + 1);
  const Lesson* l = lesson();
  const int steps = l ? static_cast<int>(l->steps.size()) : 0;
  back_->setEnabled(l && step_ > 0);
  again_->setEnabled(l != nullptr);
  const bool last = l && step_ + 1 == steps;
  next_->setEnabled(l && (!last || lesson_ + 1 < static_cast<int>(lessons_.size())));
  next_->setText(last ? tr("Next Lesson") : tr("Next"));
  where_->setText(l ? tr("step %1 of %2").arg(step_ + 1).arg(steps) : QString());
  if (!l) {
    QString html;
    for (size_t i = 0; i < lessons_.size(); ++i)
      html += QStringLiteral("<p><a href='%1'><b>%2. %3</b></a><br/>%4</p>")
                  .arg(lessons_[i].id)
                  .arg(i + 1)
                  .arg(lessons_[i].title.toHtmlEscaped(), lessons_[i].summary.toHtmlEscaped());
    text_->setHtml(html);
    return;
  }
  const LessonStep& s = l->steps[static_cast<size_t>(step_)];
  text_->setMarkdown(QStringLiteral("### %1\n\n%2").arg(s.title, s.text));
  if (act) Q_EMIT entered(l->id, step_, s.actions);
}

void LessonPanel::retranslate() {
  back_->setText(tr("Back"));
  again_->setText(tr("Do It Again"));
  again_->setToolTip(tr("Bring the window to where this step wants it"));
  chooser_->setAccessibleName(tr("Lesson"));
  text_->setAccessibleName(tr("Text of the lesson"));
  show_step(false);
}

void LessonPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange)
    retranslate();
  else if (event->type() == QEvent::PaletteChange)
    show_step(false);
  QWidget::changeEvent(event);
}

}  // namespace arenascope::views
