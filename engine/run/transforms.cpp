// SPDX-License-Identifier: MIT
#include <arenascope/run/compile.h>

#include <algorithm>

#include <arenascope/schedule/memory_plan.h>
#include <arenascope/transform/fusion.h>
#include <arenascope/transform/image_layout.h>
#include <arenascope/transform/partition.h>
#include <fmt/format.h>

#include "engine/run/pass.h"

namespace arenascope {

void replace_graph(Program& program, const Graph& graph, const std::vector<Tensor>& node_map) {
  for (Tensor& output : program.transformed_outputs)
    if (const NodeId node = program.transformed.find_node(*output); node.valid()) output = node_map[node.index()];
  program.transformed = graph;
}

namespace {

// A variant of the graph with its outputs.
struct GraphVariant {
  Graph graph;
  std::vector<Tensor> outputs;

  GraphVariant then(const Graph& next, const std::vector<Tensor>& node_map) const {
    GraphVariant out{next, outputs};
    for (Tensor& output : out.outputs)
      if (const NodeId node = graph.find_node(*output); node.valid()) output = node_map[node.index()];
    return out;
  }
};

// Image layouts from the fastest: images of at most 1/divisor of the largest image become channels-last.
constexpr struct {
  const char* name;
  Bytes divisor;
} kLayouts[] = {{"fused, channels-last images", 1},
                {"fused, channels-last images except the largest", 4},
                {"fused, channels-last small images", 16}};

Bytes largest_image(const Graph& graph) {
  Bytes out = 0;
  for (const TensorImpl* node : graph.nodes())
    if (node->rank() == 4 && has_work(*node)) out = std::max(out, node->byte_count());
  return out;
}

// Selects fusion and image layout: tries candidates from the fastest until the arena of one is within the limit.
class LayoutSelection {
 public:
  // `plan` receives the memory plan of the selected graph.
  LayoutSelection(Program& program, const Backend& backend, const CompileOptions& options,
                  std::optional<MemoryPlan>& plan)
      : program_(program), backend_(backend), options_(options), plan_(plan) {}

  Status run() {
    const GraphVariant plain{program_.transformed, program_.transformed_outputs};
    auto without = plan_graph(plain.graph, backend_, options_);
    if (!without) return without.error();
    const Bytes arena_without = without->arena_bytes;
    max_arena_bytes_ = static_cast<double>(arena_without) * max_arena_ratio(options_.prefer);
    plan_ = std::move(*without);
    auto fused = fuse(plain);
    if (!fused) return fused.error();
    bool chosen = false;
    if (options_.channels_last)
      for (const auto& layout : kLayouts) {
        auto laid_out = lay_out_images(fused->graph, backend_, {largest_image(fused->graph) / layout.divisor});
        if (!laid_out) return laid_out.error();
        if (laid_out->channels_last == 0) break;
        auto done = try_candidate(layout.name, fused->then(laid_out->graph, laid_out->node_map));
        if (!done) return done.error();
        if ((chosen = *done)) break;
      }
    if (!chosen) {
      auto done = try_candidate("fused", *fused);
      if (!done) return done.error();
      chosen = *done;
    }
    program_.layout_candidates.push_back({"unfused", arena_without, !chosen});
    return {};
  }

 private:
  Result<GraphVariant> fuse(const GraphVariant& plain) const {
    auto fused = fuse_graph(plain.graph, backend_, {[&](const TensorImpl& node) {
                              const auto is_node = [&](const Tensor& output) { return output.impl() == &node; };
                              return std::any_of(plain.outputs.begin(), plain.outputs.end(), is_node) ||
                                     (options_.watched && options_.watched(node));
                            }});
    if (!fused) return fused.error();
    return fused->fused.empty() ? plain : plain.then(fused->graph, fused->node_map);
  }

  // If the arena of the variant is within the limit, makes it the program's graph and returns true.
  Result<bool> try_candidate(const char* name, GraphVariant form) {
    auto plan = plan_graph(form.graph, backend_, options_);
    if (!plan) return plan.error();
    const bool fits = static_cast<double>(plan->arena_bytes) <= max_arena_bytes_;
    program_.layout_candidates.push_back({name, plan->arena_bytes, fits});
    if (!fits) return false;
    plan_ = std::move(*plan);
    program_.transformed = form.graph;
    program_.transformed_outputs = std::move(form.outputs);
    return true;
  }

  Program& program_;
  const Backend& backend_;
  const CompileOptions& options_;
  std::optional<MemoryPlan>& plan_;
  double max_arena_bytes_ = 0;
};

bool requested_on_host(const TensorImpl& node, const CompileOptions& options) {
  return std::find(options.host_ops.begin(), options.host_ops.end(), node.op) != options.host_ops.end();
}

// The nodes that the host computes: unsupported by the device, or requested by CompileOptions::host_ops.
std::vector<uint8_t> nodes_on_host(const Graph& graph, const Backend& device, const CompileOptions& options) {
  const auto must = [&](const TensorImpl& node) {
    return has_work(node) && (!device.supports(node).ok() || requested_on_host(node, options));
  };
  const auto choose = [&](bool small_ones_too) {
    return choose_sides(graph, [&](const TensorImpl& node) {
      const auto packed = [](const TensorImpl* t) { return t->placement == Placement::Packed; };
      if (packed(&node) || std::any_of(node.sources.begin(), node.sources.end(), packed)) return PartitionSide::Main;
      return small_ones_too || !has_work(node) || must(node) ? side_for(node, must(node)) : PartitionSide::Main;
    });
  };
  auto on_host = choose(true);
  // Moving a small graph entirely to the host would minimise copies, but the requested device should be used if it can compute
  // any node.
  const auto nodes = graph.nodes();
  for (size_t i = 0; i < nodes.size(); ++i)
    if (on_host[i] == 0 && has_work(*nodes[i])) return on_host;
  return choose(false);
}

}  // namespace

const char* name(Prefer prefer) { return prefer == Prefer::Time ? "time" : "memory"; }

std::optional<Prefer> parse_prefer(std::string_view name) {
  if (name == "time") return Prefer::Time;
  if (name == "memory") return Prefer::Memory;
  return std::nullopt;
}

double max_arena_ratio(Prefer prefer) { return prefer == Prefer::Time ? 1.15 : 1.0; }

Result<std::string> import_model(PassContext& context) {
  Program& program = context.program;
  program.backend = context.devices->main;
  program.transformed = context.model->graph;
  for (const models::ValueInfo& output : context.model->outputs) program.transformed_outputs.push_back(output.tensor);
  return std::string();
}

Result<std::string> convert_to_fp16(PassContext& context) {
  auto half = convert_precision(context.program.transformed, context.backend().multiplies_halves());
  if (!half) return half.error();
  replace_graph(context.program, half->graph, half->node_map);
  std::string change = fmt::format("{} weights stored as float16", half->weights.size());
  context.program.precision = std::move(*half);
  return change;
}

Result<std::string> pack_images(PassContext& context) {
  Program& program = context.program;
  const Backend& backend = context.backend();
  PartitionOptions partition{
      Placement::Packed, " (packed)", " (plain)",
      [&](const TensorImpl& node, int source) { return backend.packing(node, source) == PartitionSide::Other; }, true};
  const auto packed = choose_sides(
      program.transformed,
      [&](const TensorImpl& node) {
        return node.has(kFlagOutput) || node.is_view() || requested_on_host(node, context.options)
                   ? PartitionSide::Main
                   : backend.packing(node, -1);
      },
      partition);
  if (std::find(packed.begin(), packed.end(), 1) == packed.end()) return std::string();
  auto parts = partition_graph(program.transformed, packed, partition);
  if (!parts) return parts.error();
  replace_graph(program, parts->graph, parts->node_map);
  return fmt::format("{} tensors in images, {} copies", parts->other_nodes, parts->copies);
}

Result<std::string> partition_program(PassContext& context) {
  Program& program = context.program;
  const auto on_host = nodes_on_host(program.transformed, context.backend(), context.options);
  if (std::find(on_host.begin(), on_host.end(), 1) == on_host.end()) return std::string();
  auto parts = partition_graph(program.transformed, on_host);
  if (!parts) return parts.error();
  program.host = context.devices->host;
  program.device_leafs = parts->main_leafs;
  replace_graph(program, parts->graph, parts->node_map);
  return fmt::format("{} nodes on the host, {} copies of {} bytes", parts->other_nodes, parts->copies, parts->copied);
}

Result<std::string> select_layout(PassContext& context) {
  if (auto ok = LayoutSelection(context.program, context.backend(), context.options, context.memory).run(); !ok)
    return ok.error();
  for (const LayoutCandidate& candidate : context.program.layout_candidates)
    if (candidate.chosen && &candidate != &context.program.layout_candidates.back()) return std::string(candidate.name);
  return std::string();
}

}  // namespace arenascope
