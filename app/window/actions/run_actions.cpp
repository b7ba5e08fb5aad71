// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panels/breakpoint_panel.h"
#include "app/window/shell.h"

namespace arenascope::app {

using K = QKeySequence;

namespace {

void add_running(Shell& shell) {
  auto& a = *shell.actions;
  const auto debugger = [&shell] { return shell.document().debugger(); };
  a.add(
      "run.run", Menu::Run, QT_TRANSLATE_NOOP("Actions", "&Run"), {K(Qt::Key_F5)}, [debugger] { debugger()->run(1); },
      QT_TRANSLATE_NOOP("Actions", "Run the model repeatedly; in a recording, continue to the next breakpoint"));
  a.add(
      "run.reverse", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Run Bac&kwards"), {K(Qt::CTRL | Qt::Key_F5)},
      [debugger] { debugger()->run(-1); },
      QT_TRANSLATE_NOOP("Actions", "In a recording, go back to the previous breakpoint"));
  a.add(
      "run.pause", Menu::Run, QT_TRANSLATE_NOOP("Actions", "&Pause"), {K(Qt::Key_F6)},
      [debugger] { debugger()->pause(); }, QT_TRANSLATE_NOOP("Actions", "Pause before the next node"));
  a.add("run.step", Menu::Run, QT_TRANSLATE_NOOP("Actions", "&Step a Node"), {K(Qt::Key_F10)},
        [debugger] { debugger()->step(); });
  a.add(
      "run.step_threads", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Step into &Threads"), {K(Qt::Key_F11)},
      [debugger] { debugger()->step_part(1); },
      QT_TRANSLATE_NOOP("Actions", "Go to the next chunk or wait of a thread within the node"));
  a.add("run.step_threads_back", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Step Back in T&hreads"),
        {K(Qt::CTRL | Qt::Key_F11)}, [debugger] { debugger()->step_part(-1); });
  a.add("run.layer", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Run to End of &Layer"), {K(Qt::SHIFT | Qt::Key_F11)},
        [debugger] { debugger()->run_to_end_of_layer(); });
  a.add("run.cursor", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Run to Selected &Node"), {K(Qt::CTRL | Qt::Key_F10)},
        [debugger] { debugger()->run_to_selected(); });
  a.add("run.stop", Menu::Run, QT_TRANSLATE_NOOP("Actions", "St&op"), {K(Qt::SHIFT | Qt::Key_F5)},
        [debugger] { debugger()->stop(); });
}

void add_breakpoints(Shell& shell) {
  auto& a = *shell.actions;
  a.add(
      "run.breakpoint", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Toggle &Breakpoint"), {K(Qt::Key_F9)},
      [&shell] { shell.document().debugger()->toggle(); },
      QT_TRANSLATE_NOOP("Actions", "Set or remove a breakpoint on the selected node"));
  a.add(
      "run.breakpoints", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Breakpo&ints…"), {K(Qt::CTRL | Qt::Key_F9)},
      [&shell] {
        shell.show_panel(PanelId::Breakpoints);
        shell.panels->widgets().breakpoints->focus_new();
      },
      QT_TRANSLATE_NOOP("Actions", "Break on an op, a name pattern, a size or NaN"));
}

void add_walking(Shell& shell) {
  auto& a = *shell.actions;
  const auto axis = [&shell] { return shell.document().axis(); };
  const auto [play, walk] = play_texts(false);
  a.add(
      "run.play", Menu::Run, play, {K(Qt::Key_Space)}, [&shell] { shell.document().debugger()->play(1); }, walk);
  a.add("run.play_back", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Play Ba&ckwards"), {K(Qt::SHIFT | Qt::Key_Space)},
        [&shell] { shell.document().debugger()->play(-1); });
  a.add("run.first", Menu::Run, QT_TRANSLATE_NOOP("Actions", "To the &First Step"), {K(Qt::CTRL | Qt::Key_Left)},
        [axis] { axis()->set_current(Step(0)); });
  a.add("run.back", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Step Back"), {K(Qt::Key_Left)},
        [axis] { axis()->step_by(-1); });
  a.add("run.forward", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Step For&ward"), {K(Qt::Key_Right)},
        [axis] { axis()->step_by(1); });
  a.add("run.next_peak", Menu::Run, QT_TRANSLATE_NOOP("Actions", "N&ext Peak"), {K(Qt::Key_P)}, [&shell, axis] {
    const int32_t peak = shell.playback->slider()->next_peak(axis()->current().value);
    if (peak >= 0) axis()->set_current(Step(peak));
  });
}

// Shows the previous or next run; after the newest one it follows the newest.
void show_other_run(Shell& shell, int by) {
  views::SessionSource* source = shell.document().source();
  const auto runs = static_cast<int64_t>(source->snapshot()->runs.size());
  if (!source->run().valid()) return;
  const int64_t index = static_cast<int64_t>(source->run().index()) + by;
  if (index < static_cast<int64_t>(source->snapshot()->forgotten_runs)) return;
  source->choose_run(index < runs ? trace::RunId(static_cast<size_t>(index)) : trace::RunId());
}

void add_runs(Shell& shell) {
  auto& a = *shell.actions;
  a.add(
      "run.run_before", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Previous Run"), {K(Qt::ALT | Qt::Key_PageUp)},
      [&shell] { show_other_run(shell, -1); },
      QT_TRANSLATE_NOOP("Actions", "If a recording has several runs, views show one of them"));
  a.add(
      "run.run_behind", Menu::Run, QT_TRANSLATE_NOOP("Actions", "Next Run"), {K(Qt::ALT | Qt::Key_PageDown)},
      [&shell] { show_other_run(shell, 1); },
      QT_TRANSLATE_NOOP("Actions", "At the newest run: follow new runs as they arrive"));
}

}  // namespace

std::pair<const char*, const char*> play_texts(bool playing) {
  if (playing)
    return {QT_TRANSLATE_NOOP("Actions", "P&ause Playing"),
            QT_TRANSLATE_NOOP("Actions", "Pause at this step; Play continues from here")};
  return {QT_TRANSLATE_NOOP("Actions", "Pl&ay"),
          QT_TRANSLATE_NOOP("Actions", "Play the recording step by step up to the next breakpoint")};
}

void add_run_actions(Shell& shell) {
  add_running(shell);
  shell.actions->separator(Menu::Run);
  add_breakpoints(shell);
  shell.actions->separator(Menu::Run);
  add_walking(shell);
  shell.actions->separator(Menu::Run);
  add_runs(shell);
}

}  // namespace arenascope::app
