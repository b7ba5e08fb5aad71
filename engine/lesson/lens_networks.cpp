// SPDX-License-Identifier: MIT
// Planners on whole networks, and the peak of a model of 13 billion parameters before and after nodes are moved. All
// graphs are generated; nothing is run.
#include <arenascope/graph/order_ge.h>
#include <arenascope/models/zoo.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/transform/weight_paths.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/lesson/lens.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

constexpr size_t kMaxNetworks = 24;

struct PlannedNetwork {
  Bytes bound = 0, none = 0, max_block = 0, binary_block = 0, two_level = 0;
};

Result<PlannedNetwork> plan_network(const std::string& name) {
  models::OpenOptions options;
  options.prefill = name.starts_with("llama") || name.starts_with("baichuan");
  auto model = models::open_zoo(name, options);
  if (!model) return model.error();
  auto order = depth_first_order(model->graph, {});
  if (!order) return order.error();
  PlannedNetwork out;
  const std::pair<const char*, Bytes*> planners[] = {{"none", &out.none},
                                                     {"max-block", &out.max_block},
                                                     {"binary-block", &out.binary_block},
                                                     {"two-level", &out.two_level}};
  MemoryPlanOptions planning;
  planning.join = false;
  const GraphIntervals intervals = graph_intervals(model->graph, *order, planning);
  for (const auto& [planner, arena] : planners) {
    auto plan = planner::find_planner(planner)->plan(intervals.problem, {});
    if (!plan) return plan.error();
    *arena = plan->arena_bytes;
    out.bound = std::max(out.bound, plan->lower_bound);
  }
  return out;
}

// Ranges from one arena to the next larger one; the last is the arena without reuse.
LensStrip marks_of(const std::string& name, const PlannedNetwork& planned) {
  std::vector<std::pair<Bytes, CellKind>> marks = {{planned.bound, CellKind::LowerBound},
                                                   {planned.two_level, CellKind::TwoLevel},
                                                   {planned.max_block, CellKind::MaxBlock},
                                                   {planned.binary_block, CellKind::BinaryBlock},
                                                   {planned.none, CellKind::NoReuse}};
  std::ranges::stable_sort(marks, {}, &std::pair<Bytes, CellKind>::first);
  LensStrip strip{name, LensUnit::Bytes, planned.none, {}};
  Bytes end = 0;
  for (const auto& [bytes, kind] : marks) {
    if (bytes > end) strip.cells.push_back({end, bytes - end, kind, "", true, -1});
    end = std::max(end, bytes);
  }
  return strip;
}

LensFrames networks(LensRun& run) {
  const std::vector<std::string> names = split(lens_value(run, "networks"), " ,");
  if (names.empty() || names.size() > kMaxNetworks) return lens_count(run, "networks", 1, kMaxNetworks, names.size());
  std::vector<LensStrip> strips;
  std::vector<LensFrame> frames{{}};
  double optimal = 0, worst = 0;
  for (const std::string& name : names) {
    auto planned = plan_network(name);
    if (!planned) return Error{fmt::format("networks: {}", planned.error().message)};
    for (LensStrip& strip : strips)
      for (LensCell& cell : strip.cells) cell.current = false;
    strips.push_back(marks_of(name, *planned));
    const double ratio = static_cast<double>(planned->two_level) / static_cast<double>(planned->bound);
    optimal += planned->two_level == planned->bound ? 1 : 0;
    worst = std::max(worst, ratio);
    frames.push_back(
        {LensEvent::Network,
         {name, std::to_string(planned->bound), std::to_string(planned->two_level), fmt::format("{:.3f}", ratio)},
         strips,
         {{"networks", static_cast<double>(strips.size())},
          {"optimal", optimal},
          {"worst", worst},
          {"ratio", ratio},
          {"bound", static_cast<double>(planned->bound)},
          {"none", static_cast<double>(planned->none)},
          {"max-block", static_cast<double>(planned->max_block)},
          {"binary-block", static_cast<double>(planned->binary_block)},
          {"two-level", static_cast<double>(planned->two_level)}}});
  }
  return frames;
}

// --- moves

CellKind kind_of(LiveClass live) {
  switch (live) {
    case LiveClass::WeightCopy: return CellKind::WeightCopy;
    case LiveClass::Gradient: return CellKind::Gradient;
    case LiveClass::Output: return CellKind::Output;
    case LiveClass::Activation: break;
  }
  return CellKind::Activation;
}

LensStrip peak_strip(const std::string& title, const PeakByClass& peak, Bytes length) {
  LensStrip strip{title, LensUnit::Bytes, length, {}};
  Bytes end = 0;
  for (size_t i = 0; i < kLiveClasses; ++i) {
    if (peak[i] <= 0) continue;
    strip.cells.push_back({end, peak[i], kind_of(static_cast<LiveClass>(i)), "", true, -1});
    end += peak[i];
  }
  return strip;
}

struct MovedModel {
  GeOrder ge;
  PeakByClass before, after;
};

Result<MovedModel> move_nodes(const models::OpenOptions& options, const std::string& name, const std::string& base) {
  auto model = models::open_zoo(name, options);
  if (!model) return model.error();
  auto paths = add_weight_paths(model->graph, {});
  if (!paths) return paths.error();
  auto ge = optimise_like_ge(paths->graph, {.base = base});
  if (!ge) return ge.error();
  MovedModel out;
  out.ge = std::move(*ge);
  out.before = peak_by_class(paths->graph, out.ge.base);
  out.after = peak_by_class(paths->graph, out.ge.order);
  return out;
}

LensFrames moves(LensRun& run) {
  auto tokens = lens_integer(run, "tokens", 1, 1 << 16);
  auto devices = lens_integer(run, "devices", 1, 8);
  if (!tokens || !devices) return tokens ? devices.error() : tokens.error();
  const std::string &name = lens_value(run, "network"), &base = lens_value(run, "order");
  if (std::ranges::find(kGeBaseOrders, base) == std::end(kGeBaseOrders))
    return lens_expected(run, "order", "depth-first, breadth-first, reverse-depth-first", base);
  models::OpenOptions options;
  options.training = lens_value(run, "training") == "yes";
  options.prefill = !options.training;
  options.tokens = *tokens;
  options.dims["devices"] = *devices;
  auto moved = move_nodes(options, name, base);
  if (!moved) return moved.error();
  const double before = static_cast<double>(moved->ge.base_peak), after = static_cast<double>(moved->ge.peak);
  const std::string ge = base + " + GE";
  const LensStrip first = peak_strip(base, moved->before, moved->ge.base_peak);
  LensStrip shown = first;
  for (LensCell& cell : shown.cells) cell.current = false;
  std::vector<LensFrame> frames{{LensEvent::Start, {}, {{base, LensUnit::Bytes, moved->ge.base_peak, {}}}, {}}};
  const auto copies = static_cast<size_t>(LiveClass::WeightCopy);
  frames.push_back({LensEvent::OrderPeak,
                    {base, std::to_string(moved->ge.base_peak)},
                    {first},
                    {{"peak", before}, {"copies", static_cast<double>(moved->before[copies])}}});
  frames.push_back({LensEvent::OrderPeak,
                    {ge, std::to_string(moved->ge.peak)},
                    {shown, peak_strip(ge, moved->after, moved->ge.base_peak)},
                    {{"peak", after},
                     {"copies", static_cast<double>(moved->after[copies])},
                     {"saved", before - after},
                     {"percent", before > 0 ? std::round(100 * (1 - after / before)) : 0},
                     {"moves", static_cast<double>(moved->ge.moves.size())},
                     {"tokens", static_cast<double>(*tokens)}}});
  return frames;
}

constexpr LensParameter kNetworks[] = {
    {"networks",
     "mnist_fc mnist_cnn squeezenet resnet50 mobilenet_v2 unet yolo vit_b16 bert_base gpt2 nano_gpt lstm llama_7b "
     "llama_13b baichuan_13b mul_mat_add_relu"}};
constexpr LensParameter kMoves[] = {
    {"network", "baichuan_13b"}, {"tokens", "4096"}, {"devices", "2"}, {"training", "no"}, {"order", "breadth-first"}};

constexpr LensExperiment kNetworkLenses[] = {
    {"networks", "the arenas of planners on built-in networks", kNetworks, networks},
    {"moves", "the peak of a model with casts of its weights, before and after nodes are moved", kMoves, moves},
};

}  // namespace

std::span<const LensExperiment> network_lenses() { return kNetworkLenses; }

}  // namespace arenascope::lesson
