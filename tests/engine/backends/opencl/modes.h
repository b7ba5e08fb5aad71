// SPDX-License-Identifier: MIT
// Op cases as graphs of their own, run as a program runs them: stored as float16 if wanted, on images where there are
// kernels for them, with the conversions that this takes.
#pragma once
#include <arenascope/runtime/device_transfer.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/transform/partition.h>
#include <arenascope/transform/precision.h>

#include <bit>
#include <cmath>

#include "fixture.h"

namespace arenascope::test {

struct Mode {
  bool low = false;     // float16 storage
  bool images = false;  // the backend was opened with memory=image
};

struct ModeResult {
  Difference difference;
  int64_t packed = 0;       // nodes on images
  int64_t conversions = 0;  // COPY nodes between images and buffers
};

inline float float_from_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float magnitude = exponent == 31  ? (fraction ? std::nanf("") : HUGE_VALF)
                          : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                          : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

inline Result<ModeResult> run_in_mode(Opened& device, const OpCase& op_case, const Mode& mode) {
  Built c = build(op_case);
  for (size_t i = 0; i < c.built.inputs.size(); ++i) {
    TensorImpl& input = *c.built.inputs[i].tensor;
    if (i > 0) input.flags |= kFlagWeight;
    // Numbers that float16 holds, so that what is lost is lost by the op.
    if (mode.low && input.dtype == DType::F32)
      for (int64_t e = 0; e < input.element_count(); ++e)
        input.data_as<float>()[e] = float_from_half(half_from_float(input.data_as<float>()[e]));
  }
  TensorImpl& node = *c.built.output;
  const auto reference = reference::make_reference_backend();
  std::vector<std::vector<std::byte>> given;  // an op may write what it reads
  for (const CaseInput& input : c.built.inputs)
    given.emplace_back(input.tensor->data(), input.tensor->data() + input.tensor->byte_count());
  if (has_work(node))
    if (auto ok = compute_in_parts(*reference, node, 1); !ok) return ok.error();
  const std::vector<std::byte> expected(node.data(), node.data() + node.byte_count());
  for (size_t i = 0; i < given.size(); ++i)
    std::copy(given[i].begin(), given[i].end(), c.built.inputs[i].tensor->data());

  auto described = Context::create({.mem_size = Context::graph_overhead(256)});
  if (!described) return described.error();
  auto made = described->new_graph(256);
  if (!made) return made.error();
  Graph graph = *made;
  if (auto ok = graph.expand(c.built.output); !ok) return ok.error();
  Tensor output = c.built.output;
  std::optional<PrecisionGraph> half;
  if (mode.low) {
    auto converted = convert_precision(graph);
    if (!converted) return converted.error();
    output = converted->node_map[graph.find_node(*output).index()];
    graph = converted->graph;
    half = std::move(*converted);
    if (auto ok = convert_weights(*half, *device.memory); !ok) return ok.error();
  }
  ModeResult result;
  std::optional<PartitionedGraph> split;
  if (mode.images) {
    const PartitionOptions options{
        Placement::Packed, " (packed)", " (plain)",
        [&](const TensorImpl& n, int source) { return device.backend->packing(n, source) == PartitionSide::Other; },
        true};
    const auto sides = choose_sides(
        graph,
        [&](const TensorImpl& n) {
          const bool plain = n.is_view() || n.op == Op::Cast || (n.has(kFlagOutput) && mode.low);
          return plain || device.backend->packing(n, -1) == PartitionSide::Main ? PartitionSide::Main
                                                                                : PartitionSide::Other;
        },
        options);
    auto done = partition_graph(graph, sides, options);
    if (!done) return done.error();
    result.packed = done->other_nodes;
    result.conversions = done->copies;
    output = done->node_map[graph.find_node(*output).index()];
    graph = done->graph;
    if (output->placement == Placement::Packed) {  // what is read in the end is a buffer
      Context context = graph.context();
      const Tensor sources[] = {output};
      auto copy = context.apply(Op::Copy, sources, {}, "plain");
      if (!copy) return copy.error();
      output->flags &= ~uint32_t{kFlagOutput};
      (*copy)->flags |= kFlagOutput;
      output = *copy;
      ++result.conversions;
      if (auto ok = graph.expand(output); !ok) return ok.error();
    }
    split = std::move(*done);
  }
  std::vector<TensorImpl*> leafs(graph.leafs().begin(), graph.leafs().end());
  for (TensorImpl* n : graph.nodes())
    if (n->op == Op::None)
      leafs.push_back(n);
    else
      n->storage = Storage();
  if (auto ok = move_to_device(*device.backend, *device.memory, leafs, MemoryKind::Persistent); !ok) return ok.error();
  MemoryPlanOptions plan_options;
  plan_options.alignment = device.backend->alignment();
  auto planned = plan_memory(graph, "two-level", "depth-first", plan_options, {});
  if (!planned) return planned.error();
  auto plan = ExecutionPlan::make(graph, std::move(*planned), *device.backend, 1);
  if (!plan) return plan.error();
  auto executor = Executor::create(*device.backend, device.memory, {});
  if (!executor) return executor.error();
  if (auto ok = (*executor)->prepare(std::move(*plan)); !ok) return ok.error();
  if (auto ran = (*executor)->run(); !ran) return ran.error();
  auto got = read_tensor(*device.backend, *output);
  if (!got) return got.error();
  result.difference = compare_elements(node.dtype, got->data(), expected.data(), node.element_count());
  return result;
}

}  // namespace arenascope::test
