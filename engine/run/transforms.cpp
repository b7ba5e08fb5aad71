// SPDX-License-Identifier: MIT
#include "engine/run/transforms.h"

#include <algorithm>

#include <arenascope/transform/fusion.h>
#include <arenascope/transform/image_layout.h>
#include <arenascope/transform/partition.h>

namespace arenascope {
namespace {

void take_over(Program& program, const Graph& graph, const std::vector<Tensor>& twins) {
  for (Tensor& output : program.transformed_outputs)
    if (const NodeId node = program.transformed.find_node(*output); node.valid()) output = twins[node.index()];
  program.transformed = graph;
}

Status fuse(Program& program, const Backend& backend, const CompileOptions& options) {
  auto fused = fuse_graph(program.transformed, backend, {[&](const TensorImpl& node) {
                            const auto is_node = [&](const Tensor& output) { return output.impl() == &node; };
                            return std::any_of(program.transformed_outputs.begin(), program.transformed_outputs.end(),
                                               is_node) ||
                                   (options.watched && options.watched(node));
                          }});
  if (!fused) return fused.error();
  if (!fused->fused.empty()) take_over(program, fused->graph, fused->twins);
  if (!options.channels_last) return {};
  auto laid_out = lay_out_images(program.transformed, backend);
  if (!laid_out) return laid_out.error();
  if (laid_out->channels_last > 0) take_over(program, laid_out->graph, laid_out->twins);
  return {};
}

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

Status transform_for(Program& program, const Devices& devices, const CompileOptions& options) {
  program.backend = devices.main;
  if (devices.main->runs_on_host_threads()) return options.fuse ? fuse(program, *devices.main, options) : Status();
  if (options.precision == Precision::Low)
    if (auto ok = store_in_half(program); !ok) return ok;
  if (auto ok = pack(program, *devices.main, options); !ok) return ok;
  return devices.host ? partition(program, devices, options) : Status();
}

}  // namespace arenascope
