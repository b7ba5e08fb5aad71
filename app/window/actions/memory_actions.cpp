// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>
#include <arenascope/schedule/plan_file.h>

#include <views/arena/arena_view.h>
#include <views/findings/findings_view.h>
#include <QLineEdit>

#include "app/window/shell.h"

namespace arenascope::app {

using namespace views;
using K = QKeySequence;

namespace {

// A line to be dragged, a little below what is; and the field to type into.
void ask_fit_under(const Shell& shell) {
  shell.show_panel("occupancy");
  shell.show_panel("planners");
  Replanning& replanning = *shell.document().replanning();
  if (const trace::PlanInfo* plan = shell.document().source()->plan(); plan && replanning.wish().fit_under == 0)
    replanning.set_fit_under(std::max(plan->arena_bytes * 9 / 10, plan->lower_bound_bytes));
  auto* field =
      shell.panels->parts(QStringLiteral("planners")).widget->findChild<QLineEdit*>(QStringLiteral("fit_under"));
  if (field != nullptr) field->setFocus();
}

void use_shown_plan(Shell& shell) {
  const auto plan = shell.document().source()->shown_plan();
  if (!plan) return;
  if (!planner::find_planner(plan->planner) || !find_order(plan->order_name))
    return shell.messages().note(
        Shell::tr("This plan answers a what-if: it can be looked at and exported, but not run."));
  shell.preferences.run.planner = QString::fromStdString(plan->planner);
  shell.preferences.run.order = QString::fromStdString(plan->order_name);
  shell.playback->show_choice(shell.preferences.run.planner, shell.preferences.run.order);
  // What was found in 20 seconds is not found again in less.
  RunSettings run = shell.preferences.run;
  run.budget_seconds = std::max(run.budget_seconds, plan->budget_seconds);
  shell.document().replan(run);
}

void export_shown_plan(const Shell& shell) {
  Replanning& replanning = *shell.document().replanning();
  const auto plan = replanning.shown_plan();
  if (!plan) return;
  const QString path = shell.ask_file(true, Shell::tr("Export the plan"), Shell::tr("Plans (*.json *.csv)"));
  if (path.isEmpty()) return;
  shell.document().saver()->save(
      path,
      [plan, graph = replanning.graph(), path](const Saver::Progress&) {
        const bool csv = path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive);
        return write_text(
            QString::fromStdString(plan_file(*plan, graph.get(), csv ? PlanFormat::Csv : PlanFormat::Json)), path);
      },
      Shell::tr("The plan was written to %1.").arg(path));
}

void add_searching(Shell& shell) {
  auto& a = *shell.actions;
  const auto replanning = [&shell] { return shell.document().replanning(); };
  a.add(
      "memory.replan", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Plan &Anew"), {K(Qt::CTRL | Qt::Key_R)},
      [&shell, replanning] {
        shell.show_panel("planners");
        replanning()->plan(replanning()->wish());
      },
      QT_TRANSLATE_NOOP("Actions", "With what the panel Planners says, shown over the plan at hand"));
  a.add(
      "memory.plan_all", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Plan with A&ll"), {K(Qt::CTRL | Qt::Key_P)},
      [&shell, replanning] {
        shell.show_panel("planners");
        replanning()->plan_all();
      },
      QT_TRANSLATE_NOOP("Actions", "Every planner with every order, into the table Planners"));
  a.add(
      "memory.good_enough", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&Good Enough"), {K(Qt::CTRL | Qt::Key_Period)},
      [replanning] { replanning()->stop(); },
      QT_TRANSLATE_NOOP("Actions", "Stop the search and take the smallest plan so far"));
  a.add(
      "memory.fit_under", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&Fit Under…"), {K(Qt::CTRL | Qt::Key_U)},
      [&shell] { ask_fit_under(shell); },
      QT_TRANSLATE_NOOP("Actions",
                        "Bytes that a plan is to fit under: a line in the occupancy, to be typed and dragged"));
  a.add("memory.no_fit", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&No Line to Fit Under"), {},
        [replanning] { replanning()->set_fit_under(0); });
}

}  // namespace

void add_memory_actions(Shell& shell) {
  auto& a = *shell.actions;
  add_searching(shell);
  a.separator(Menu::Memory);
  a.add(
      "memory.show_used", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Show the Plan in &Use"),
      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_U)},
      [&shell] {
        shell.document().source()->set_plan_before(nullptr);
        shell.document().source()->show_plan(nullptr);
      },
      QT_TRANSLATE_NOOP("Actions", "And no ghost under it"));
  a.add("memory.use_shown", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Run with the Plan &Shown"), {},
        [&shell] { use_shown_plan(shell); });
  a.add(
      "memory.export", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&Export the Plan Shown…"),
      {K(Qt::CTRL | Qt::ALT | Qt::Key_E)}, [&shell] { export_shown_plan(shell); },
      QT_TRANSLATE_NOOP("Actions", "Offsets and lifetimes as JSON or CSV, for another runtime"));
  a.separator(Menu::Memory);
  a.add(
      "memory.findings", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Look for Sa&vings"), {K(Qt::CTRL | Qt::Key_L)},
      [&shell] {
        shell.show_panel("findings");
        shell.panels->find<FindingsView>("findings")->look();
      },
      QT_TRANSLATE_NOOP("Actions", "What could be better, each saving measured by replanning"));
  a.add("memory.cancel", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "&Cancel Planning"), {}, [&shell] {
    shell.document().replanning()->cancel();
    shell.document().runner()->cancel_planning();
  });
  a.separator(Menu::Memory);
  a.add(
      "memory.arena_colour", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Colour the Arena &Map by the Next"), {},
      [&shell] {
        auto* arena = qobject_cast<ArenaView*>(shell.panels->parts(QStringLiteral("arena")).drawn);
        shell.show_panel("arena");
        arena->set_colour(static_cast<ArenaColour>((static_cast<int>(arena->colour()) + 1) % kArenaColours));
      },
      QT_TRANSLATE_NOOP("Actions", "Kind, op, layer, age, size, time; the map's own menu has them by name"));
  a.add("memory.next_peak", Menu::Memory, QT_TRANSLATE_NOOP("Actions", "Go to the &Peak"), {K(Qt::SHIFT | Qt::Key_P)},
        [&shell] { shell.document().axis()->set_current(Step(shell.playback->slider()->peak_step())); });
}

}  // namespace arenascope::app
