// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/shown_graph.h>
#include "app/window/shell.h"

namespace arenascope::app {

using namespace views;

namespace {

void add_run_states(Shell& shell) {
  auto& a = *shell.actions;
  const auto runner = [&shell] { return shell.document().runner(); };
  const auto state = [runner] { return runner()->state(); };
  const auto steps = [&shell] { return shell.document().axis()->steps() > 0; };
  const auto playing = [&shell] { return shell.document().debugger()->playing(); };
  const auto idle = [state] { return state() != RunState::Running && state() != RunState::Opening; };
  a.when({"run.run", "run.step"}, [runner, steps, idle] { return runner()->has_model() ? idle() : steps(); });
  a.when({"run.reverse"}, [state, steps] { return steps() && state() != RunState::Running; });
  a.when({"run.pause"}, [state, playing] { return state() == RunState::Running || playing(); });
  a.when({"run.stop"},
         [state, playing] { return state() == RunState::Running || state() == RunState::Paused || playing(); });
  a.when({"run.cursor", "run.layer", "run.step_threads", "run.step_threads_back", "run.play", "run.play_back",
          "run.breakpoint", "run.first", "run.back", "run.forward", "run.next_peak", "memory.next_peak"},
         steps);
  a.when({"run.run_before", "run.run_behind", "view.runs"},
         [&shell] { return shell.document().source()->snapshot()->recorded_runs() > 1; });
  a.when({"view.range_begin", "view.range_end"}, [&shell, steps] {
    const Selection& selected = shell.document().selection()->current();
    return steps() || selected.get<EventSelection>() != nullptr || selected.get<TimeRangeSelection>() != nullptr;
  });
}

void add_memory_states(Shell& shell) {
  auto& a = *shell.actions;
  const auto source = [&shell] { return shell.document().source(); };
  const auto searching = [&shell] { return shell.document().jobs().replanning.busy(); };
  a.when({"memory.replan", "memory.plan_all", "memory.fit_under", "memory.export", "memory.findings"},
         [source] { return source()->graph() != nullptr && !source()->shows_file_graph(); });
  a.when({"graph.file"}, [source] { return file_graph(*source()->snapshot()) != nullptr; });
  a.when({"graph.producer", "graph.user", "graph.toggle", "graph.expand", "graph.collapse", "graph.fit",
          "graph.save_dot", "graph.dot_layout", "graph.colour_state", "graph.colour_op", "graph.colour_backend",
          "graph.colour_time", "graph.colour_bytes", "graph.colour_block", "graph.colour_column", "graph.shapes"},
         [source] { return source()->graph() != nullptr; });
  a.when({"memory.good_enough"}, searching);
  a.when({"memory.cancel"},
         [&shell, searching] { return searching() || shell.document().runner()->planning().running(); });
  a.when({"memory.no_fit"}, [&shell] { return shell.document().jobs().replanning.request().fit_under > 0; });
  a.when({"memory.use_shown"},
         [&shell, source] { return shell.document().runner()->has_model() && source()->shown_plan() != nullptr; });
  a.when({"memory.show_used"},
         [source] { return source()->shown_plan() != nullptr || source()->plan_before() != nullptr; });
}

}  // namespace

void add_action_states(Shell& shell) {
  auto& a = *shell.actions;
  const auto any = [&shell] {
    const SessionSource& source = *shell.document().source();
    return source.graph() != nullptr || source.snapshot()->event_count > 0;
  };
  const auto several = [&shell] { return shell.documents->size() > 1; };
  a.when({"file.save_recording", "file.convert",    "file.save_picture",   "file.save_table",
          "edit.copy_picture",   "edit.copy_table", "edit.copy_markdown",  "compare.file",
          "compare.keep",        "view.zoom_in",    "view.zoom_out",       "view.left",
          "view.right",          "view.all",        "view.mode",           "view.table",
          "view.sort",           "view.note",       "memory.arena_colour", "edit.find",
          "edit.find_view",      "edit.find_next",  "edit.find_previous",  "edit.query",
          "run.breakpoints"},
         any);
  a.when({"file.close"}, [&shell] { return shell.documents->size() > 1 || !shell.document().empty(); });
  a.when({"file.sizes"}, [&shell] { return !shell.document().runner()->input_sizes().empty(); });
  a.when({"file.next", "file.previous", "compare.tab"}, several);
  a.when({"graph.colour_difference"}, [&shell] { return shell.document().source()->comparison() != nullptr; });
  a.when({"compare.stop"}, [&shell] {
    return shell.document().source()->comparison() != nullptr || shell.document().jobs().comparing.busy();
  });
  a.when({"edit.undo"}, [&shell] { return shell.undo->can_go(-1); });
  a.when({"edit.redo"}, [&shell] { return shell.undo->can_go(1); });
  a.when({"edit.back"}, [&shell] { return shell.document().selection()->can_go_back(); });
  a.when({"edit.forward"}, [&shell] { return shell.document().selection()->can_go_forward(); });
  a.when({"edit.clear", "edit.copy_name", "view.frame"},
         [&shell] { return !shell.document().selection()->current().empty(); });
  add_run_states(shell);
  add_memory_states(shell);
}

}  // namespace arenascope::app
