// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_player.h"

#include <arenascope/lesson/draft.h>
#include <arenascope/lesson/stage.h>
#include <views/common/background.h>
#include <views/common/settings.h>
#include <views/lesson/answer_log.h>
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_pages.h>

#include <QApplication>
#include <QKeyEvent>

#include "app/window/bars/summary_bar.h"
#include "app/window/document/training_job.h"
#include "app/window/language/language.h"
#include "app/window/shell.h"
#include "lesson_names.h"

namespace arenascope::app {

using namespace views;

namespace {

constexpr int kPatience = 60'000;  // ms to wait for a model
const QString kAnswersFile = QStringLiteral("lesson/answers_file");
constexpr int kSilentWait = 500;  // ms before the panel states what it waits for

// The tensor of a selection, or the tensors of a block.
std::pair<std::string, std::vector<std::string>> named(const Selection& selection, const SessionSource& source) {
  const trace::GraphInfo* graph = source.graph();
  const auto name = [&](trace::TensorRef ref) {
    const trace::TensorInfo* tensor = graph ? source.snapshot()->tensor(graph->id, ref) : nullptr;
    if (tensor == nullptr || !tensor->name.empty()) return tensor ? tensor->name : std::string();
    return (ref.is_leaf() ? "leaf " : "node ") + std::to_string(ref.index());  // as in the facts
  };
  if (const auto* block = selection.get<BlockSelection>(); block && source.plan()) {
    std::vector<std::string> names;
    for (const trace::SliceInfo& slice : source.plan()->slices)
      if (slice.block == block->block) names.push_back(name(slice.tensor));
    return {"", names};
  }
  return {name(tensor_of(selection, *source.snapshot())), {}};
}

}  // namespace

LessonPlayer::LessonPlayer(Shell& shell, LessonPanel* panel)
    : QObject(shell.window), shell_(shell), panel_(panel), actions_(shell, panel) {
  timer_.setInterval(10);
  answers_pool_.setMaxThreadCount(1);
  connect(&reading_, &Task::finished, this, &LessonPlayer::done);
  connect(&timer_, &QTimer::timeout, this, &LessonPlayer::advance);
  connect(panel_, &LessonPanel::entered, this, &LessonPlayer::enter);
  connect(panel_, &LessonPanel::left, this, &LessonPlayer::leave);
  connect(panel_, &LessonPanel::solved, this, [this] {
    if (const lesson::LessonStep* step = panel_->current(); step && step->question) perform(step->question->then, true);
  });
  connect(panel_, &LessonPanel::enlarged, this, [this](bool large) {
    if (!large) actions_.hide_pointer();
  });
  connect(panel_, &LessonPanel::tensor_clicked, this,
          [this](const QString& name) { (void)actions_.select(name.toStdString()); });
  connect(panel_, &LessonPanel::tensor_hovered, this,
          [this](const QString& name) { actions_.hover(name.toStdString()); });
  connect(panel_, &LessonPanel::shown, this, &LessonPlayer::hide_panels);
  connect(panel_->widgets().question, &QuestionBox::changed, this, &LessonPlayer::hide_panels);
  connect(panel_->widgets().question, &QuestionBox::solved, this, &LessonPlayer::log_answer);
  connect(shell_.documents, &Documents::changed, this, &LessonPlayer::hide_panels);
}

void LessonPlayer::collect_answers(const QString& path) { Settings::set(kAnswersFile, path); }

QString LessonPlayer::answers_file() const { return Settings::value(kAnswersFile).toString(); }

void LessonPlayer::log_answer() {
  const lesson::Lesson* lesson = panel_->open_lesson();
  if (answers_file().isEmpty() || lesson == nullptr || panel_->current() == nullptr) return;
  // On another thread: the file may be on a shared disk, and another program may hold its lock.
  const auto write = [this, path = answers_file(), lesson = *lesson, step = panel_->step(),
                      answered = panel_->widgets().question->answered()](const TaskRun& run) {
    if (auto done = append_answer(path, learner_name(), lesson, step, answered); !done)
      run.post([this, done] { shell_.report(done); });
  };
  answers_.start({}, write, &answers_pool_);
}

void LessonPlayer::load() {
  const QString language = current_language();
  std::vector<lesson::Lesson> list;
  QStringList problems;
  for (const QString& id : lessons() + own_lessons() + files_) {
    auto lesson = load_lesson(id, language);
    if (lesson)
      list.push_back(std::move(*lesson));
    else
      problems << QString::fromStdString(lesson.error().message);
  }
  panel_->set_lessons(std::move(list));
  if (!problems.isEmpty()) panel_->show_problem(problems.join(u'\n'));
}

Status LessonPlayer::play(const QString& path) {
  auto lesson = load_lesson(path, {});
  if (!lesson) return lesson.error();
  if (!files_.contains(path)) files_ << path;
  load();
  begin(text_of(lesson->id));
  return {};
}

void LessonPlayer::begin(const QString& lesson) {
  actions_.stage().begin();
  actions_.forget_lens();
  panel_->begin(lesson);
}

void LessonPlayer::restore_panels() { actions_.stage().end(); }

Result<std::string> LessonPlayer::draft() const {
  return lesson::draft(scene(), shell_.document().spec().toStdString(), shell_.document().title().toStdString());
}

void LessonPlayer::enter() {
  qApp->installEventFilter(this);  // installs it once, and first of all
  actions_.stage().begin();
  for (const Error& wrong : wrong_names(*panel_->open_lesson())) panel_->show_problem(text_of(wrong.message));
  std::vector<lesson::Action> actions = lesson::entering(*panel_->open_lesson(), static_cast<size_t>(panel_->step()));
  const auto show = std::find_if(actions.rbegin(), actions.rend(), [](const auto& a) { return a.verb == "show"; });
  if (show != actions.rend())
    (void)actions_.act(*show);  // the window does not wait for a model
  else
    actions_.stage().show({});
  perform(std::move(actions), false);
}

void LessonPlayer::leave() {
  qApp->removeEventFilter(this);
  waiting_.clear();
  timer_.stop();
  actions_.hide_pointer();
  actions_.forget_lens();
  restore_panels();
  shell_.show_panel(PanelId::Lesson);
}

void LessonPlayer::perform(std::vector<lesson::Action> actions, bool then) {
  waiting_.assign(std::make_move_iterator(actions.begin()), std::make_move_iterator(actions.end()));
  actions_.settle();
  reading_.discard();
  then_ = then;
  since_.start();
  timer_.start();
}

// Applies only to documents opened by lessons; in others the user works freely.
void LessonPlayer::hide_panels() {
  const lesson::LessonStep* step = panel_->current();
  const bool asks = step && step->question && actions_.opened(shell_.document()) &&
                    !panel_->progress().answered(text_of(panel_->open_lesson()->id), panel_->step()).done();
  std::set<std::string> ids;
  if (asks) {
    ids = lesson::panels_with_answer(*step->question);
    ids.insert(panel_->open_lesson()->hidden_panels.begin(), panel_->open_lesson()->hidden_panels.end());
  }
  std::vector<PanelId> hidden;
  for (const std::string& name : ids)
    if (const auto id = panel_named(name)) hidden.push_back(*id);
  shell_.summary->set_hidden(ids.contains(kSummaryBarName));
  shell_.playback->hide_runs(ids.contains(kRunNumberName));
  actions_.stage().leave_out(hidden);
  for (const PanelId id : std::exchange(hidden_, hidden))
    if (std::ranges::find(hidden, id) == hidden.end()) shell_.panels->hide_with_placeholder(id, {});
  for (const PanelId id : hidden)
    shell_.panels->hide_with_placeholder(id, tr("%1 would reveal the answer. It is hidden until you answer the "
                                                "question of this step.\nUse the other panels.")
                                                 .arg(shell_.panels->dock(id)->windowTitle()));
}

QString LessonPlayer::at_line(int line, const QString& what) const {
  return text_of(lesson::error_at(*panel_->open_lesson(), line, what.toStdString()).message);
}

void LessonPlayer::advance() {
  if (panel_->current() == nullptr) return timer_.stop();
  if (reading_.running()) return;
  if (!actions_.ready()) {
    if (since_.elapsed() > kSilentWait) {
      panel_->widgets().waiting->setText(reason_to_wait());
      panel_->widgets().waiting->show();
    }
    if (since_.elapsed() < kPatience) return;
    panel_->show_problem(at_line(panel_->current()->line,
                                 tr("the window is not ready for this step: missing %1").arg(actions_.opening())));
    waiting_.clear();
  }
  actions_.settle();
  if (waiting_.empty()) {
    timer_.stop();
    if (then_) {
      Q_EMIT done();
    } else {
      read_figures();
    }
    return;
  }
  const lesson::Action action = waiting_.front();
  waiting_.pop_front();
  since_.restart();
  if (const QString problem = actions_.act(action); !problem.isEmpty())
    panel_->show_problem(at_line(action.line, problem));
  if (actions_.stopped_a_run()) waiting_.push_front({"run", {}, action.line});
}

// The job of the window, or the run, which compiles and tunes the kernels of a device when it is the first.
QString LessonPlayer::reason_to_wait() const {
  if (const auto tasks = shell_.documents->tasks(); !tasks.empty()) return tasks.front()->title();
  return shell_.document().runner()->settings().backend == u"cpu"
             ? tr("The model is running…")
             : tr("The model is running. The first run compiles and measures the kernels of the device…");
}

lesson::Scene LessonPlayer::scene() const {
  Document& document = shell_.document();
  lesson::Scene scene;
  document.source()->refresh();
  scene.snapshot = document.source()->snapshot();
  scene.graph = document.jobs().replanning.graph();
  scene.plan = document.jobs().replanning.shown_plan();
  scene.run = document.source()->run();
  for (const FrontierPoint& point : document.jobs().training.frontier())
    scene.frontier.push_back({point.arena, point.extra_work});
  scene.lens = actions_.lens();
  return scene;
}

// On another thread, since some values need planning or a run.
void LessonPlayer::read_figures() {
  actions_.close_others();
  // For questions answered by selecting in the current document.
  connect(shell_.document().selection(), &SelectionModel::current_changed, this, &LessonPlayer::on_selection_changed,
          Qt::UniqueConnection);
  connect(shell_.document().selection(), &SelectionModel::hovered_changed, this, &LessonPlayer::on_hover_changed,
          Qt::UniqueConnection);
  const QString spec = shell_.document().spec();
  reading_.start({}, [this, lesson = *panel_->open_lesson(), at = panel_->step(),
                      spec = spec.startsWith(QStringLiteral("lesson:")) ? std::string() : spec.toStdString(),
                      scene = scene()](const TaskRun& run) mutable {
    const lesson::LessonStep& step = lesson.steps[static_cast<size_t>(at)];
    QString problem;
    auto values = lesson::read_values(lesson, spec, lesson::tensors_read_by(step));
    if (values)
      scene.values = std::move(*values);
    else
      problem = text_of(lesson::error_at(lesson, step.line, values.error().message).message);
    lesson::evaluate_all(scene, step);
    for (const lesson::Expectation& e : step.expects) {
      const auto known = scene.known.find(e.fact);
      if (problem.isEmpty() && known == scene.known.end())
        problem = text_of(lesson::error_at(lesson, e.line, e.fact + " is not available").message);
      else if (problem.isEmpty() && !lesson::matches(known->second, e.value))
        problem = text_of(
            lesson::error_at(lesson, e.line, e.fact + " is " + lesson::plain(known->second) + ", not " + e.value)
                .message);
    }
    run.post([this, scene = std::move(scene), problem] {
      panel_->set_scene(scene);
      if (!problem.isEmpty()) panel_->show_problem(problem);
    });
  });
}

void LessonPlayer::on_selection_changed() {
  if (busy() || panel_->current() == nullptr) return;
  const auto [tensor, block] = named(shell_.document().selection()->current(), *shell_.document().source());
  panel_->widgets().question->offer(tensor, block);
}

// Pointing at a tensor in a picture lights up its name in the text.
void LessonPlayer::on_hover_changed() {
  if (panel_->current() == nullptr) return;
  const auto [tensor, block] = named(shell_.document().selection()->hovered(), *shell_.document().source());
  QStringList names{text_of(tensor)};
  for (const std::string& name : block) names << text_of(name);
  light_up(*panel_->widgets().text, names);
}

// While a lesson is played, Page Up and Page Down are its own in every widget of the window, and Enter answers with what
// is selected.
bool LessonPlayer::eventFilter(QObject* watched, QEvent* event) {
  const auto* widget = qobject_cast<const QWidget*>(watched);
  if (widget == nullptr || widget->window() != shell_.window) return false;
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool pages = key->key() == Qt::Key_PageUp || key->key() == Qt::Key_PageDown;
    return pages && (key->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;  // left to the shortcut
  }
  if (event->type() == QEvent::KeyPress && widget == QApplication::focusWidget()) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && panel_->widgets().question->has_offer() &&
        !panel_->isAncestorOf(widget))
      panel_->widgets().question->answer();
  }
  return false;
}

}  // namespace arenascope::app
