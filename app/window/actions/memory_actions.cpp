// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>
#include <arenascope/schedule/plan_file.h>

#include <views/arena/arena_view.h>
#include <views/findings/findings_view.h>
#include <views/planners/replan_panel.h>

#include "app/window/shell.h"

namespace arenascope::app {

using namespace views;
using K = QKeySequence;

namespace {

// Starts with a limit slightly below the current arena and focuses the input field.
void ask_fit_under(const Shell& shell) {
  shell.show_panel(PanelId::Occupancy);
  shell.show_panel(PanelId::Planners);
  Replanning& replanning = shell.document().jobs().replanning;
  if (const trace::PlanInfo* plan = shell.document().source()->plan(); plan && replanning.request().fit_under == 0)
    replanning.set_fit_under(std::max(plan->arena_bytes * 9 / 10, plan->lower_bound_bytes));
  shell.panels->widgets().replan->focus_limit();
}

void use_shown_plan(Shell& shell) {
  const auto plan = shell.document().source()->shown_plan();
  if (!plan) return;
  if (!planner::find_planner(plan->planner) || !find_order(plan->order_name))
    return shell.messages().note(
        Shell::tr("This plan needs changes to the graph, such as in-place ops, and cannot be run as it is. Change Run "
                  "Settings and reopen the model."));
  shell.preferences.run.planner = QString::fromStdString(plan->planner);
  shell.preferences.run.order = QString::fromStdString(plan->order_name);
  shell.playback->show_choice(shell.preferences.run.planner, shell.preferences.run.order);
  // A shorter budget might not find the shown plan again.
  RunSettings run = shell.preferences.run;
  run.budget_seconds = std::max(run.budget_seconds, plan->budget_seconds);
  shell.document().replan(run);
}

void export_shown_plan(const Shell& shell) {
  Replanning& replanning = shell.document().jobs().replanning;
  const auto plan = replanning.shown_plan();
  if (!plan) return;
  const QString path = shell.ask_file(true, Shell::tr("Export the plan"), Shell::tr("Plans (*.json *.csv)"));
  if (path.isEmpty()) return;
  shell.document().jobs().saver->save(
      path,
      [plan, graph = replanning.graph(), path](const Saver::Progress&) {
        const bool csv = path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive);
        return write_text(
            QString::fromStdString(plan_file(*plan, graph.get(), csv ? PlanFormat::Csv : PlanFormat::Json)), path);
      },
      Shell::tr("The plan was exported to %1.").arg(path));
}

void add_searching(Shell& shell) {
  auto& a = *shell.actions;
  const auto replanning = [&shell] { return &shell.document().jobs().replanning; };
  a.add(
      "memory.replan", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Re-pl&an"), {K(Qt::CTRL | Qt::Key_R)},
      [&shell, replanning] {
        shell.show_panel(PanelId::Planners);
        replanning()->plan(replanning()->request());
      },
      QT_TRANSLATE_NOOP("Actions",
                        "Plan with the settings of the Planners panel and overlay the result on the current plan"));
  a.add(
      "memory.plan_all", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Run A&ll Planners"), {K(Qt::CTRL | Qt::Key_P)},
      [&shell, replanning] {
        shell.show_panel(PanelId::Planners);
        replanning()->plan_all();
      },
      QT_TRANSLATE_NOOP("Actions", "Run every planner with every order; results appear in the Planners table"));
  a.add(
      "memory.good_enough", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Accept &Best So Far"),
      {K(Qt::CTRL | Qt::Key_Period)}, [replanning] { replanning()->stop(); },
      QT_TRANSLATE_NOOP("Actions", "Stop the search and use the smallest plan found"));
  a.add(
      "memory.fit_under", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&Fit Under…"), {K(Qt::CTRL | Qt::Key_U)},
      [&shell] { ask_fit_under(shell); },
      QT_TRANSLATE_NOOP("Actions", "Memory limit for a plan, shown as a draggable line in the occupancy"));
  a.add("memory.no_fit", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&Remove Limit"), {},
        [replanning] { replanning()->set_fit_under(0); });
}

}  // namespace

void add_memory_actions(Shell& shell) {
  auto& a = *shell.actions;
  add_searching(shell);
  a.separator(Menu::Memory);
  a.add(
      "memory.show_used", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Show Plan in &Use"),
      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_U)},
      [&shell] {
        shell.document().source()->set_plan_before(nullptr);
        shell.document().source()->show_plan(nullptr);
      },
      QT_TRANSLATE_NOOP("Actions", "Hide the overlay of the previous plan"));
  a.add("memory.use_shown", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Run with &Shown Plan"), {},
        [&shell] { use_shown_plan(shell); });
  a.add(
      "memory.export", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&Export Shown Plan…"),
      {K(Qt::CTRL | Qt::ALT | Qt::Key_E)}, [&shell] { export_shown_plan(shell); },
      QT_TRANSLATE_NOOP("Actions", "Offsets and lifetimes as JSON or CSV, for another runtime"));
  a.separator(Menu::Memory);
  a.add(
      "memory.findings", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Find Sa&vings"), {K(Qt::CTRL | Qt::Key_L)},
      [&shell] {
        shell.show_panel(PanelId::Findings);
        shell.panels->widgets().findings->start_search();
      },
      QT_TRANSLATE_NOOP("Actions", "Possible improvements, each measured by re-planning"));
  a.add("memory.cancel", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&Cancel Planning"), {}, [&shell] {
    shell.document().jobs().replanning.cancel();
    shell.document().runner()->planning().cancel();
  });
  a.separator(Menu::Memory);
  a.add(
      "memory.arena_colour", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Next Arena &Map Colouring"), {},
      [&shell] {
        ArenaView* arena = shell.panels->widgets().arena;
        shell.show_panel(PanelId::Arena);
        arena->set_colour(static_cast<ArenaColour>((static_cast<int>(arena->colour()) + 1) % kArenaColours));
      },
      QT_TRANSLATE_NOOP("Actions", "Kind, op, layer, age, size, time; also in the context menu of the map"));
  a.add("memory.next_peak", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Go to the &Peak"), {K(Qt::SHIFT | Qt::Key_P)},
        [&shell] { shell.document().axis()->set_current(Step(shell.playback->slider()->peak_step())); });
}

}  // namespace arenascope::app
