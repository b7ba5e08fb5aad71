// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/deferred_report.h"

#include <fmt/format.h>

#include "app/common/format.h"

namespace arenascope::cli {
namespace {

using app::counted;

std::string iterations_text(int64_t first, int64_t end) {
  return end - first == 1 ? fmt::format("iteration {}", first) : fmt::format("iterations {} to {}", first, end - 1);
}

std::string graph_text(const Runner& part, const char* of = "graph node") {
  return fmt::format("{}, arena {}", counted(std::ssize(part.plan().graph.nodes()), of),
                     app::format_bytes(part.plan().memory.arena_bytes));
}

std::string loop_text(const models::LoopSpec& loop_info, const LoopState& loop) {
  if (!loop_info.conditional) return fmt::format("executed: {}, branch of {}", loop_info.title, graph_text(*loop.body));
  const int64_t end = loop_info.first + loop.iterations;
  std::string text = fmt::format("executed: {}, {}", loop_info.title, counted(end, "iteration"));
  if (loop_info.first > 0) text += fmt::format("; {} in the preceding graph", iterations_text(0, loop_info.first));
  if (loop.iterations == 0) return text;
  if (loop_info.first > 0) text += fmt::format(", {}", iterations_text(loop_info.first, end));
  if (loop.graphs == 1) return fmt::format("{} as one graph of {}", text, graph_text(*loop.body, "node"));
  return fmt::format("{} as {} graphs, the last of {}", text, loop.graphs, graph_text(*loop.body, "node"));
}

void print_deferred_parts(Runner& runner, size_t depth) {
  const std::string indent(2 * depth, ' ');
  for (Runner* part = &runner; part->model().deferred; part = part->continuation()) {
    const models::DeferredSubgraph& rest = *part->model().deferred;
    cli::print("{}after {}: {}\n", indent, depth == 0 && part == &runner ? "the graph" : "it", rest.why);
    if (const LoopState* loop = part->loop()) {
      cli::print("{}{}\n", indent, loop_text(*rest.loop, *loop));
      if (loop->body) print_deferred_parts(*loop->body, depth + 1);
    }
    if (!part->continuation()) return;
    cli::print("{}deferred subgraph: {} as {}\n", indent, counted(part->continuation()->model().node_count, "operator"),
               graph_text(*part->continuation()));
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

void print_deferred(Runner& runner) { print_deferred_parts(runner, 0); }

Json deferred_json(Runner& runner) {
  Json list = Json::array();
  for (Runner *before = &runner, *rest = runner.continuation(); rest; before = rest, rest = rest->continuation()) {
    list.push_back(part_json(*rest));
    list.back()["why"] = before->model().deferred->why;
    const LoopState* loop = before->loop();
    if (!loop || !loop->body) continue;
    const models::LoopSpec& loop_info = *before->model().deferred->loop;
    list.back()["loop"] = part_json(*loop->body);
    list.back()["loop"].update({{"title", loop->title},
                                {"branch", !loop_info.conditional},
                                {"first_iteration", loop_info.first},
                                {"iterations", loop->iterations},
                                {"graphs", loop->graphs},
                                {"deferred", deferred_json(*loop->body)}});
  }
  return list;
}

std::string loop_position(Runner& runner) {
  std::string text;
  for (Runner* part = &runner; part;) {
    if (Runner* rest = part->continuation()) {
      part = rest;
      continue;
    }
    const LoopState* loop = part->loop();
    if (!loop) break;
    const models::LoopSpec& loop_info = *part->model().deferred->loop;
    if (loop_info.conditional && loop->iterations > 0)
      text += fmt::format("{}iteration {} of {}", text.empty() ? "" : ", ", loop_info.first + loop->iterations - 1,
                          loop_info.title);
    part = loop->body;
  }
  return text;
}

}  // namespace arenascope::cli
