// SPDX-License-Identifier: MIT
// The panels of a step, and which of them would be empty.
#include <arenascope/graph/order_ge.h>
#include <arenascope/lesson/stage.h>
#include <arenascope/schedule/restore.h>

#include <algorithm>

namespace arenascope::lesson {
namespace {

bool has_graph(const Scene& s) { return s.graph && !s.graph->nodes.empty(); }
bool has_plan(const Scene& s) { return s.plan && !s.plan->slices.empty(); }
bool has_spaces(const Scene& s) { return !s.snapshot->spaces.empty() || !s.snapshot->open_spaces.empty(); }
bool has_memory(const Scene& s) { return !s.snapshot->memory_events.empty(); }
bool has_spans(const Scene& s) {
  return std::ranges::any_of(s.snapshot->tracks, [](const trace::TrackView& track) {
    return std::ranges::any_of(track.lanes, [](const trace::LaneView& lane) { return !lane.rows.empty(); });
  });
}

bool has_moves(const Scene& s) {
  if (!s.graph) return false;
  const auto graph = restore_graph(*s.graph);
  return graph && std::ranges::any_of(kGeBaseOrders, [&](std::string_view base) {
           GeOptions options;
           options.base = base;
           const auto ge = optimise_like_ge(*graph, options);
           return ge && !ge->moves.empty();
         });
}

struct Content {
  const char* panel;
  bool (*has)(const Scene& s);
  const char* missing;
};

constexpr Content kContent[] = {
    {"graph", has_graph, "no graph is open"},
    {"inspector", has_graph, "no graph is open"},
    {"nodes", has_graph, "no graph is open"},
    {"ops", has_graph, "no graph is open"},
    {"moves", has_moves, "GE's rules move no node of this graph"},
    {"layers", [](const Scene& s) { return has_graph(s) && !s.graph->nodes.front().layer.empty(); },
     "no node has a layer"},
    {"objects", [](const Scene& s) { return !s.snapshot->contexts.empty(); }, "no object pool was recorded"},
    {"occupancy", [](const Scene& s) { return has_plan(s) || has_memory(s); },
     "no plan is open, no memory was recorded"},
    {"arena", [](const Scene& s) { return has_plan(s) || has_spaces(s); }, "no plan is open, no memory was recorded"},
    {"lifetimes", [](const Scene& s) { return has_plan(s) || has_spaces(s); },
     "no plan is open, no memory was recorded"},
    {"blocks", has_plan, "no plan is open"},
    {"planners", has_plan, "no plan is open"},
    {"reuse", has_plan, "no plan is open"},
    {"holes", has_plan, "no plan is open"},
    {"findings", [](const Scene& s) { return has_graph(s) || has_memory(s); },
     "no graph is open, no memory was recorded"},
    {"allocators", has_memory, "no memory was recorded"},
    {"laboratory", has_memory, "no memory was recorded"},
    {"pools", [](const Scene& s) { return !s.snapshot->pools.empty() || has_spaces(s); }, "no pool was recorded"},
    {"timeline", has_spans, "nothing ran"},
    {"barriers", [](const Scene& s) { return !s.snapshot->barriers.empty(); }, "no barrier was recorded"},
    {"counters", [](const Scene& s) { return !s.snapshot->counters.empty(); }, "no counter was recorded"},
    {"tuning", [](const Scene& s) { return !s.snapshot->tunings.empty(); }, "no kernel was tuned"},
    {"problems", [](const Scene& s) { return !s.snapshot->problems.empty(); }, "no problem was reported"},
    {"training", [](const Scene& s) { return !s.frontier.empty(); }, "'frontier' was not computed"},
    {"compare", [](const Scene&) { return false; }, "a lesson opens one document"},
};

}  // namespace

std::vector<std::string> panels_of(const Lesson& lesson, size_t step) {
  std::vector<std::string> panels;
  for (const Action& action : entering(lesson, step))
    if (action.verb == "show") panels = action.arguments;
  return panels;
}

std::string empty_panel(const std::string& panel, const Lesson& lesson, size_t step, const Scene& scene) {
  if (panel == "text" &&
      std::ranges::none_of(entering(lesson, step), [](const Action& a) { return a.verb == "generate"; }))
    return "no tokens were generated";
  if (panel == "bytes" &&
      std::ranges::none_of(entering(lesson, step), [](const Action& a) { return a.verb == "lens"; }))
    return "no experiment is shown";
  for (const Content& content : kContent)
    if (panel == content.panel && !content.has(scene)) return content.missing;
  return {};
}

}  // namespace arenascope::lesson
