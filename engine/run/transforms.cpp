// SPDX-License-Identifier: MIT
#include "engine/run/transforms.h"

#include <algorithm>

#include <arenascope/schedule/memory_plan.h>
#include <arenascope/transform/fusion.h>
#include <arenascope/transform/image_layout.h>
#include <arenascope/transform/partition.h>

namespace arenascope {

void take_over(Program& program, const Graph& graph, const std::vector<Tensor>& twins) {
  for (Tensor& output : program.transformed_outputs)
    if (const NodeId node = program.transformed.find_node(*output); node.valid()) output = twins[node.index()];
  program.transformed = graph;
}

namespace {

// A graph with its outputs.
struct Form {
  Graph graph;
  std::vector<Tensor> outputs;

  Form then(const Graph& next, const std::vector<Tensor>& twins) const {
    Form out{next, outputs};
    for (Tensor& output : out.outputs)
      if (const NodeId node = graph.find_node(*output); node.valid()) output = twins[node.index()];
    return out;
  }
};

// Ways to lay out images, the soonest one first: those of at most so large a part of the largest one.
constexpr struct {
  const char* way;
  Bytes part;
} kLayouts[] = {{"fused, images with channels last", 1},
                {"fused, images with channels last but the largest", 4},
                {"fused, small images with channels last", 16}};

Bytes largest_image(const Graph& graph) {
  Bytes out = 0;
  for (const TensorImpl* node : graph.nodes())
    if (node->rank() == 4 && has_work(*node)) out = std::max(out, node->byte_count());
  return out;
}

// How the graph of a program is fused and laid out: the soonest way first, until one takes no more bytes than it may.
class Weighing {
 public:
  Weighing(Program& program, const Backend& backend, const CompileOptions& options)
      : program_(program), backend_(backend), options_(options) {}

  Status run() {
    const Form plain{program_.transformed, program_.transformed_outputs};
    auto without = arena_of(plain);
    if (!without) return without.error();
    most_ = static_cast<double>(*without) * most_arena_ratio(options_.prefer);
    auto fused = fuse(plain);
    if (!fused) return fused.error();
    bool taken = false;
    if (options_.channels_last)
      for (const auto& layout : kLayouts) {
        auto laid_out = lay_out_images(fused->graph, backend_, {largest_image(fused->graph) / layout.part});
        if (!laid_out) return laid_out.error();
        if (laid_out->channels_last == 0) break;
        auto done = weigh(layout.way, fused->then(laid_out->graph, laid_out->twins));
        if (!done) return done.error();
        if ((taken = *done)) break;
      }
    if (!taken) {
      auto done = weigh("fused", *fused);
      if (!done) return done.error();
      taken = *done;
    }
    program_.forms.push_back({"without", *without, !taken});
    return {};
  }

 private:
  Result<Form> fuse(const Form& plain) const {
    auto fused = fuse_graph(plain.graph, backend_, {[&](const TensorImpl& node) {
                              const auto is_node = [&](const Tensor& output) { return output.impl() == &node; };
                              return std::any_of(plain.outputs.begin(), plain.outputs.end(), is_node) ||
                                     (options_.watched && options_.watched(node));
                            }});
    if (!fused) return fused.error();
    return fused->fused.empty() ? plain : plain.then(fused->graph, fused->twins);
  }

  // Bytes of the arena, by a planner that does not search.
  Result<Bytes> arena_of(const Form& form) const {
    MemoryPlanOptions plan;
    plan.alignment = std::max(backend_.alignment(), options_.alignment);
    plan.in_place = options_.in_place;
    auto memory = plan_memory(form.graph, "greedy-by-size", "depth-first", plan);
    if (!memory) return memory.error();
    return memory->arena_bytes;
  }

  // Whether the form takes no more than it may: then it is the program's.
  Result<bool> weigh(const char* way, Form form) {
    auto arena = arena_of(form);
    if (!arena) return arena.error();
    const bool fits = static_cast<double>(*arena) <= most_;
    program_.forms.push_back({way, *arena, fits});
    if (!fits) return false;
    program_.transformed = form.graph;
    program_.transformed_outputs = std::move(form.outputs);
    return true;
  }

  Program& program_;
  const Backend& backend_;
  const CompileOptions& options_;
  double most_ = 0;
};

// In low precision a device's tensors are float16.
Status store_in_half(Program& program) {
  auto half = convert_precision(program.transformed);
  if (!half) return half.error();
  take_over(program, half->graph, half->twins);
  program.precision = std::move(*half);
  return {};
}

bool on_host_by_wish(const TensorImpl& node, const CompileOptions& options) {
  return std::find(options.host_ops.begin(), options.host_ops.end(), node.op) != options.host_ops.end();
}

// Nodes that the backend computes on packed tensors, with copies where others need plain ones.
Status pack(Program& program, const Backend& backend, const CompileOptions& options) {
  PartitionOptions partition{
      Placement::Packed, " (packed)", " (plain)",
      [&](const TensorImpl& node, int source) { return backend.packing(node, source) == Side::Other; }, true};
  const auto packed = choose_sides(
      program.transformed,
      [&](const TensorImpl& node) {
        return node.has(kFlagOutput) || node.is_view() || on_host_by_wish(node, options) ? Side::Main
                                                                                         : backend.packing(node, -1);
      },
      partition);
  if (std::find(packed.begin(), packed.end(), 1) == packed.end()) return {};
  auto parts = partition_graph(program.transformed, packed, partition);
  if (!parts) return parts.error();
  take_over(program, parts->graph, parts->twins);
  return {};
}

// Which nodes the host computes: what the device cannot, or is told not to.
std::vector<uint8_t> nodes_on_host(const Graph& graph, const Backend& device, const CompileOptions& options) {
  const auto must = [&](const TensorImpl& node) {
    return has_work(node) && (!device.supports(node).ok() || on_host_by_wish(node, options));
  };
  const auto choose = [&](bool small_ones_too) {
    return choose_sides(graph, [&](const TensorImpl& node) {
      const auto packed = [](const TensorImpl* t) { return t->placement == Placement::Packed; };
      if (packed(&node) || std::any_of(node.sources.begin(), node.sources.end(), packed)) return Side::Main;
      return small_ones_too || !has_work(node) || must(node) ? side_for(node, must(node)) : Side::Main;
    });
  };
  auto on_host = choose(true);
  // Copies are fewest where a small graph is the host's as a whole; the device that was asked for gets what it can do.
  const auto nodes = graph.nodes();
  for (size_t i = 0; i < nodes.size(); ++i)
    if (on_host[i] == 0 && has_work(*nodes[i])) return on_host;
  return choose(false);
}

Status partition(Program& program, const Devices& devices, const CompileOptions& options) {
  const auto on_host = nodes_on_host(program.transformed, *devices.main, options);
  if (std::find(on_host.begin(), on_host.end(), 1) == on_host.end()) return {};
  auto parts = partition_graph(program.transformed, on_host);
  if (!parts) return parts.error();
  program.host = devices.host;
  program.device_leafs = parts->main_leafs;
  take_over(program, parts->graph, parts->twins);
  return {};
}

}  // namespace

const char* name(Prefer prefer) { return prefer == Prefer::Time ? "time" : "memory"; }

std::optional<Prefer> parse_prefer(std::string_view name) {
  if (name == "time") return Prefer::Time;
  if (name == "memory") return Prefer::Memory;
  return std::nullopt;
}

double most_arena_ratio(Prefer prefer) { return prefer == Prefer::Time ? 1.15 : 1.0; }

Status transform_for(Program& program, const Devices& devices, const CompileOptions& options) {
  program.backend = devices.main;
  if (devices.main->runs_on_host_threads())
    return options.fuse ? Weighing(program, *devices.main, options).run() : Status();
  if (options.precision == Precision::Low)
    if (auto ok = store_in_half(program); !ok) return ok;
  if (auto ok = pack(program, *devices.main, options); !ok) return ok;
  return devices.host ? partition(program, devices, options) : Status();
}

}  // namespace arenascope
