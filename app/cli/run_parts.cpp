// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_parts.h"

#include <fmt/format.h>

#include "app/common/format.h"

namespace arenascope::cli {
namespace {

using app::counted;

std::string turns_text(int64_t first, int64_t end) {
  return end - first == 1 ? fmt::format("turn {}", first) : fmt::format("turns {} to {}", first, end - 1);
}

std::string graph_text(const Runner& part, const char* of = "graph node") {
  return fmt::format("{}, arena {}", counted(std::ssize(part.plan().graph.nodes()), of),
                     app::format_bytes(part.plan().memory.arena_bytes));
}

std::string loop_text(const models::Turns& turns, const LoopRun& loop) {
  if (!turns.conditional) return fmt::format("ran: {}, its branch as {}", turns.title, graph_text(*loop.body));
  const int64_t end = turns.first + loop.turns;
  std::string text = fmt::format("went round: {}, {}", turns.title, counted(end, "turn"));
  if (turns.first > 0) text += fmt::format("; {} in the graph before", turns_text(0, turns.first));
  if (loop.turns == 0) return text;
  if (turns.first > 0) text += fmt::format(", {}", turns_text(turns.first, end));
  if (loop.openings == 1) return fmt::format("{} as one graph of {}", text, graph_text(*loop.body, "node"));
  return fmt::format("{} as {} graphs, the last of {}", text, loop.openings, graph_text(*loop.body, "node"));
}

void print_behind(Runner& runner, size_t depth) {
  const std::string indent(2 * depth, ' ');
  for (Runner* part = &runner; part->model().rest; part = part->rest()) {
    const models::Rest& rest = *part->model().rest;
    fmt::print("{}behind {}, for {}\n", indent, depth == 0 && part == &runner ? "the graph" : "it", rest.why);
    if (const LoopRun* loop = part->loop()) {
      fmt::print("{}{}\n", indent, loop_text(*rest.turns, *loop));
      print_behind(*loop->body, depth + 1);
    }
    if (!part->rest()) return;
    fmt::print("{}then opened: {} as {}\n", indent, counted(part->rest()->model().node_count, "operator"),
               graph_text(*part->rest()));
  }
}

Json part_json(Runner& part) {
  Json nodes = Json::array();
  for (const PlannedStep& step : part.plan().steps) {
    const TensorImpl& node = part.plan().graph.node(step.node);
    nodes.push_back({{"name", node.name}, {"op", name(node.op)}});
  }
  return {{"operators", part.model().node_count},
          {"nodes", std::move(nodes)},
          {"arena_bytes", part.plan().memory.arena_bytes},
          {"planner", part.plan().memory.planner},
          {"order", part.plan().memory.order_name}};
}

}  // namespace

void print_parts(Runner& runner) { print_behind(runner, 0); }

Json rest_json(Runner& runner) {
  Json list = Json::array();
  for (Runner *before = &runner, *rest = runner.rest(); rest; before = rest, rest = rest->rest()) {
    list.push_back(part_json(*rest));
    list.back()["why"] = before->model().rest->why;
    const LoopRun* loop = before->loop();
    if (!loop) continue;
    const models::Turns& turns = *before->model().rest->turns;
    list.back()["loop"] = part_json(*loop->body);
    list.back()["loop"].update({{"title", loop->title},
                                {"branch", !turns.conditional},
                                {"first_turn", turns.first},
                                {"turns", loop->turns},
                                {"openings", loop->openings},
                                {"rest", rest_json(*loop->body)}});
  }
  return list;
}

std::string place_in_loops(Runner& runner) {
  std::string text;
  for (Runner* part = &runner; part;) {
    if (Runner* rest = part->rest()) {
      part = rest;
      continue;
    }
    const LoopRun* loop = part->loop();
    if (!loop) break;
    const models::Turns& turns = *part->model().rest->turns;
    if (turns.conditional && loop->turns > 0)
      text += fmt::format("{}turn {} of {}", text.empty() ? "" : ", ", turns.first + loop->turns - 1, turns.title);
    part = loop->body.get();
  }
  return text;
}

}  // namespace arenascope::cli
