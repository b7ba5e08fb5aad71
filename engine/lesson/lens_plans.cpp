// SPDX-License-Identifier: MIT
// Planning: CANN's block planners from block sizes to shrunk blocks, and the lifetimes that an execution order gives.
#include <arenascope/base/step_number.h>
#include <arenascope/graph/order.h>
#include <arenascope/planner/block_steps.h>
#include <arenascope/schedule/memory_plan.h>

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/lens.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

std::string number_of(size_t block) { return std::to_string(block + 1); }

// Plays the steps of a block planner.
class BlockLens {
 public:
  BlockLens(const Graph& graph, const GraphIntervals& intervals, const planner::BlockSteps& steps, Bytes alignment)
      : graph_(graph), intervals_(intervals), steps_(steps), alignment_(alignment) {
    push(LensEvent::Start, {});
    push(LensEvent::Range, {fmt::format("{}", fmt::join(steps.ranges, ", "))});
    for (const int32_t interval : steps.intervals) assign(static_cast<size_t>(interval));
    for (size_t block = 0; block < blocks_.size(); ++block) shrink(block);
    stack();
  }

  std::vector<LensFrame> frames;

 private:
  std::string name(size_t interval) const { return tensor_name(graph_.node(intervals_.owners[interval])); }
  Bytes size(size_t interval) const { return intervals_.problem.intervals[interval].size; }

  void assign(size_t interval) {
    const size_t block = steps_.block_of[interval].index();
    const bool opened = block >= blocks_.size();
    const Bytes range = steps_.blocks[block].range;
    if (opened) blocks_.push_back({number_of(block), LensUnit::Bytes, range, {}});
    end_operation();
    blocks_[block].cells = {{0, size(interval), CellKind::Data, name(interval), true, -1}};
    if (range > size(interval))
      blocks_[block].cells.push_back({size(interval), range - size(interval), CellKind::Padding, "", true, -1});
    push(opened ? LensEvent::Opened : LensEvent::Joined, {name(interval), number_of(block), std::to_string(range)});
  }

  void shrink(size_t block) {
    const planner::RangeBlock& shrunk = steps_.blocks[block];
    const auto largest =
        std::ranges::max_element(shrunk.intervals, {}, [&](int32_t i) { return size(static_cast<size_t>(i)); });
    end_operation();
    const std::string tensor = name(static_cast<size_t>(*largest));
    blocks_[block].length = shrunk.size;
    blocks_[block].cells = {{0, shrunk.size, CellKind::Data, tensor, true, -1}};
    push(LensEvent::Shrunk, {number_of(block), std::to_string(shrunk.range), std::to_string(shrunk.size), tensor});
    frames.back().values["size"] = static_cast<double>(shrunk.size);
  }

  // The arena, with padding up to the alignment.
  void stack() {
    end_operation();
    LensStrip arena{"arena", LensUnit::Bytes, steps_.arena_bytes, {}};
    Bytes end = 0;
    for (size_t block = 0; block < steps_.blocks.size(); ++block) {
      const planner::RangeBlock& placed = steps_.blocks[block];
      if (placed.offset > end) arena.cells.push_back({end, placed.offset - end, CellKind::Padding, "", true, -1});
      arena.cells.push_back({placed.offset, placed.size, CellKind::Data, number_of(block), true, -1});
      end = placed.offset + placed.size;
    }
    arena_ = std::move(arena);
    push(LensEvent::Stacked, {std::to_string(steps_.arena_bytes), std::to_string(alignment_)});
    frames.back().values["arena"] = static_cast<double>(steps_.arena_bytes);
  }

  void end_operation() {
    for (LensStrip& block : blocks_)
      for (LensCell& cell : block.cells) cell.current = false;
  }

  void push(LensEvent event, std::vector<std::string> arguments) {
    LensFrame frame{event, std::move(arguments), {}, {}};
    Bytes sum = 0;
    for (const LensStrip& block : blocks_) {
      sum += block.length;
      frame.strips.push_back(block);
      frame.strips.back().title = fmt::format("#{}", block.title);
    }
    if (!arena_.title.empty()) frame.strips.push_back(arena_);
    frame.values = {{"blocks", static_cast<double>(blocks_.size())},
                    {"bytes", static_cast<double>(sum)},
                    {"ranges", static_cast<double>(steps_.ranges.size())},
                    {"range", static_cast<double>(steps_.ranges.back())}};
    frames.push_back(std::move(frame));
  }

  const Graph& graph_;
  const GraphIntervals& intervals_;
  const planner::BlockSteps& steps_;
  Bytes alignment_;
  std::vector<LensStrip> blocks_;
  LensStrip arena_;
};

Result<std::vector<NodeId>> order_of(LensRun& run, const Graph& graph) {
  const std::string& name = lens_value(run, "order");
  const OrderInfo* order = find_order(name);
  if (order == nullptr) {
    std::vector<std::string> names;
    for (const OrderInfo& each : all_orders()) names.emplace_back(each.name);
    return lens_expected(run, "order", join(names, ", "), name);
  }
  OrderOptions options;
  options.budget_seconds = 0.05;
  options.by_clock = false;
  return order->make(graph, options);
}

LensFrames ranges(LensRun& run) {
  auto graph = lens_graph(lens_value(run, "graph"));
  auto unit = lens_integer(run, "alignment", 1, 1 << 20);
  const std::string& planner = lens_value(run, "planner");
  if (!graph || !unit) return graph ? unit.error() : graph.error();
  if (planner != "max-block" && planner != "binary-block")
    return lens_expected(run, "planner", "max-block, binary-block", planner);
  auto order = depth_first_order(*graph, {});
  if (!order) return order.error();
  MemoryPlanOptions options;
  options.alignment = *unit;
  options.join = false;
  const GraphIntervals intervals = graph_intervals(*graph, *order, options);
  if (intervals.problem.intervals.empty()) return Error{"graph: no node has bytes in the arena"};
  auto steps = planner::block_steps(intervals.problem, planner == "binary-block");
  if (!steps) return steps.error();
  return std::move(BlockLens(*graph, intervals, *steps, *unit).frames);
}

// --- orders

// Lifetimes while the nodes are computed in an order: a row per tensor, a column per step.
LensFrames lifetimes(LensRun& run) {
  auto graph = lens_graph(lens_value(run, "graph"));
  if (!graph) return graph.error();
  auto order = order_of(run, *graph);
  if (!order) return order.error();
  const std::vector<Lifetime> lives = find_lifetimes(*graph, *order);
  const auto steps = static_cast<int64_t>(order->size());
  const Bytes peak = peak_live_bytes(lives, order->size());
  std::vector<LensFrame> frames;
  std::map<std::string, double, std::less<>> lengths;
  for (int64_t step = -1; step < steps; ++step) {
    LensFrame frame;
    LensStrip nodes{"order", LensUnit::Steps, steps, {}}, live{"live bytes", LensUnit::Bytes, peak, {}};
    for (int64_t i = 0; i <= step; ++i)
      nodes.cells.push_back(
          {i, 1, CellKind::Table, tensor_name(graph->node((*order)[static_cast<size_t>(i)])), i == step, -1});
    frame.strips.push_back(std::move(nodes));
    Bytes sum = 0;
    for (size_t i = 0; i < lives.size(); ++i) {
      const Lifetime& life = lives[i];
      if (!life.in_arena() || life.owner != NodeId(i)) continue;
      const std::string name = tensor_name(graph->node(NodeId(i)));
      LensStrip row{name, LensUnit::Steps, steps, {}};
      const bool alive = life.first.value <= step && step < life.last.value;
      const int64_t end = std::min<int64_t>(life.last.value, step + 1);
      if (end > life.first.value)
        row.cells.push_back({life.first.value, end - life.first.value, alive ? CellKind::Data : CellKind::Value,
                             std::to_string(life.bytes), alive, -1});
      frame.strips.push_back(std::move(row));
      if (end > life.first.value) lengths[name] = static_cast<double>(end - life.first.value);
      if (!alive) continue;
      live.cells.push_back({sum, life.bytes, CellKind::Data, name, false, -1});
      sum += life.bytes;
    }
    frame.strips.push_back(std::move(live));
    frame.values = lengths;
    frame.values["live"] = static_cast<double>(sum);
    frame.values["peak"] = static_cast<double>(peak);
    frame.values["steps"] = static_cast<double>(steps);
    if (step >= 0) {
      frame.event = LensEvent::StepDone;
      frame.arguments = {std::to_string(step_number(step)),
                         tensor_name(graph->node((*order)[static_cast<size_t>(step)])), std::to_string(sum)};
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

constexpr LensParameter kRanges[] = {
    {"graph", "A 1024; B 2048 <- A; C 1024 <- B; D 512 <- B C; E 4096 <- D; out 0 <- E"},
    {"planner", "max-block"},
    {"alignment", "512"}};
// The graph of GE's article on topological orders, with sizes of our own.
constexpr LensParameter kOrder[] = {
    {"graph", "A 1024; B 2048 <- A; C 2048 <- A; D 2048 <- C; E 512 <- D; F 512 <- B E"}, {"order", "depth-first"}};

constexpr LensExperiment kPlanLenses[] = {
    {"ranges", "a block planner: block sizes, assignment in order of time, shrunk blocks", kRanges, ranges},
    {"order", "lifetimes and live bytes while the nodes are computed in an order", kOrder, lifetimes},
};

}  // namespace

std::span<const LensExperiment> plan_lenses() { return kPlanLenses; }

}  // namespace arenascope::lesson
