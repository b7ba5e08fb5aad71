// SPDX-License-Identifier: GPL-3.0-or-later
// The Lessons menu: the course, then commands for teachers.
#include <views/common/output_device.h>
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_panel.h>

#include <QDir>
#include <QMenu>

#include "app/window/lessons/lesson_handout.h"
#include "app/window/lessons/lesson_player.h"
#include "app/window/lessons/page/lesson_page.h"
#include "app/window/shell.h"

namespace arenascope::app {

using namespace views;
using K = QKeySequence;

namespace {

LessonPanel* panel_of(const Shell& shell) { return shell.panels->widgets().lesson; }

void play_file(const Shell& shell) {
  const QString path = shell.ask_file(false, Shell::tr("Play a lesson"), Shell::tr("Lessons (*.md);;All files (*)"));
  if (path.isEmpty()) return;
  if (auto played = shell.guide->play(path); !played) shell.report(played);
}

// Suggests the directory in which lessons are found.
void write_draft(const Shell& shell) {
  auto text = shell.guide->draft();
  if (!text) return shell.report(text.error());
  QDir().mkpath(own_lessons_folder());
  const QString path = shell.ask_file(true, Shell::tr("Save the draft of a lesson"), Shell::tr("Lessons (*.md)"));
  if (path.isEmpty()) return;
  const Status written = write_bytes(QByteArray::fromStdString(*text), path);
  if (written) (void)shell.guide->play(path);
  shell.report(written, Shell::tr("%1 was saved as a lesson draft. Edit its text, then play it again.").arg(path));
}

void export_lesson(const Shell& shell) {
  const QString path =
      shell.ask_file(true, Shell::tr("Export the lesson"), Shell::tr("Web page (*.html);;PDF (*.pdf)"));
  if (path.isEmpty()) return;
  const bool is_page = path.endsWith(QStringLiteral(".html"), Qt::CaseInsensitive);
  shell.report(
      is_page ? write_lesson_page(load_name(*panel_of(shell)->open_lesson()), path) : write_handout(shell, path),
      Shell::tr("The lesson was exported to %1.").arg(path));
}

// Starts or stops to collect answers.
void collect_answers(const Shell& shell) {
  if (!shell.guide->answers_file().isEmpty()) {
    shell.guide->collect_answers({});
    return shell.report({}, Shell::tr("Answers are no longer collected."));
  }
  const QString path = shell.ask_file_to_append(Shell::tr("Collect answers in a file"), Shell::tr("Tables (*.csv)"));
  if (path.isEmpty()) return;
  shell.guide->collect_answers(path);
  shell.report({}, Shell::tr("Each answer is appended to %1.").arg(path));
}

}  // namespace

void add_lesson_actions(Shell& shell) {
  static constexpr std::pair<const char*, const char*> kLessons[] = {
      {"lesson.tensor", QT_TRANSLATE_NOOP("Actions", "&1  A tensor and its bytes")},
      {"lesson.quantised", QT_TRANSLATE_NOOP("Actions", "&2  Quantised blocks")},
      {"lesson.objects", QT_TRANSLATE_NOOP("Actions", "&3  The pool of objects")},
      {"lesson.graph", QT_TRANSLATE_NOOP("Actions", "&4  How a graph is built")},
      {"lesson.mul_mat", QT_TRANSLATE_NOOP("Actions", "&5  One matmul")},
      {"lesson.barriers", QT_TRANSLATE_NOOP("Actions", "&6  Threads and barriers")},
      {"lesson.arena", QT_TRANSLATE_NOOP("Actions", "&7  Lifetimes and the arena")},
      {"lesson.two_level", QT_TRANSLATE_NOOP("Actions", "&8  Reuse in two levels")},
      {"lesson.orders", QT_TRANSLATE_NOOP("Actions", "&9  The order decides the bound")},
      {"lesson.allocators", QT_TRANSLATE_NOOP("Actions", "1&0  Allocators")},
      {"lesson.pools", QT_TRANSLATE_NOOP("Actions", "11  &Pools of a device")},
      {"lesson.devices", QT_TRANSLATE_NOOP("Actions", "12  Two &devices")},
      {"lesson.training", QT_TRANSLATE_NOOP("Actions", "13  &Training")},
      {"lesson.recompute", QT_TRANSLATE_NOOP("Actions", "14  &Rematerialising and offloading")},
      {"lesson.cache", QT_TRANSLATE_NOOP("Actions", "15  The &KV cache")},
      {"lesson.faults", QT_TRANSLATE_NOOP("Actions", "16  Find the &fault")}};
  auto& a = *shell.actions;
  for (const auto& [id, text] : kLessons)
    a.add(id, Menu::Lessons, text, {},
          [&shell, lesson = QString::fromLatin1(id).mid(7)] { shell.guide->begin(lesson); });
  a.separator(Menu::Lessons);
  a.add(
      "teach.next", Menu::Lessons, QT_TRANSLATE_NOOP("Actions", "Next Lesson Step"), {K(Qt::Key_PageDown)},
      [&shell] { panel_of(shell)->go_to(panel_of(shell)->step() + 1); },
      QT_TRANSLATE_NOOP("Actions", "Page Down is also sent by presentation remotes"));
  a.add("teach.back", Menu::Lessons, QT_TRANSLATE_NOOP("Actions", "Previous Lesson Step"), {K(Qt::Key_PageUp)},
        [&shell] { panel_of(shell)->go_to(panel_of(shell)->step() - 1); });
  a.add("teach.large", Menu::Lessons, QT_TRANSLATE_NOOP("Actions", "Large Text for Presentation"), {},
        [&shell] { panel_of(shell)->widgets().large->toggle(); });
  a.add("teach.restart", Menu::Lessons, QT_TRANSLATE_NOOP("Actions", "Restart Lesson"), {}, [&shell] {
    if (const lesson::Lesson* current = panel_of(shell)->open_lesson()) panel_of(shell)->restart(text_of(current->id));
  });
  a.separator(Menu::Lessons);
  a.add("teach.play", Menu::Lessons, QT_TRANSLATE_NOOP("Actions", "Play Lesson File…"), {},
        [&shell] { play_file(shell); });
  a.add(
      "teach.draft", Menu::Lessons, QT_TRANSLATE_NOOP("Actions", "New Lesson from This Recording…"), {},
      [&shell] { write_draft(shell); }, QT_TRANSLATE_NOOP("Actions", "Draft of a lesson about the current document"));
  a.add(
      "teach.export", Menu::Lessons, QT_TRANSLATE_NOOP("Actions", "Export Lesson…"), {},
      [&shell] { export_lesson(shell); },
      QT_TRANSLATE_NOOP("Actions", "An interactive web page, or a PDF with screenshots"));
  QAction* collect = a.add(
      "teach.collect", Menu::Lessons, QT_TRANSLATE_NOOP("Actions", "Collect Answers…"), {},
      [&shell] { collect_answers(shell); },
      QT_TRANSLATE_NOOP("Actions", "Append learners' answers to a CSV file, or stop collecting"));
  collect->setCheckable(true);
  const auto show_collecting = [&shell, collect] { collect->setChecked(!shell.guide->answers_file().isEmpty()); };
  QObject::connect(a.menu(Menu::Lessons), &QMenu::aboutToShow, collect, show_collecting);
  QObject::connect(collect, &QAction::triggered, collect, show_collecting);
  const auto open = [&shell] { return panel_of(shell)->open_lesson() != nullptr; };
  a.when({"teach.next", "teach.back", "teach.restart", "teach.export"}, open);
  a.when({"teach.draft"}, [&shell] { return !shell.document().empty(); });
}

}  // namespace arenascope::app
