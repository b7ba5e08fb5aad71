// SPDX-License-Identifier: MIT
// Pointwise nodes, chains of them, and the pointwise part of a convolution.
#include "engine/backends/cuda/lowering/pointwise_program.h"

namespace arenascope::cuda {
namespace {

// True if a node can be part of a chain.
bool chains(const TensorImpl& node) {
  if (!has_work(node) || (node.op != Op::Cast && node.op != Op::BatchNorm && !has_step(node.op))) return false;
  return !info(node.dtype).quantised && !info(node.sources[0]->dtype).quantised;
}

size_t source_place(const TensorImpl& node, const TensorImpl& source) {
  size_t found = node.sources.size();
  for (size_t i = 0; i < node.sources.size(); ++i)
    if (node.sources[i] == &source) found = found == node.sources.size() ? i : node.sources.size() + 1;
  return found;
}

// True if the result may be written while the input is still read: disjoint, or identical element by element.
bool lies_well(const TensorImpl& result, const TensorImpl& input) {
  if (is_disjoint(result, input)) return true;
  return bytes(result) == bytes(input) && result.sizes == input.sizes && input.contiguous() &&
         info(result.dtype).block_bytes == info(input.dtype).block_bytes;
}

// Writes the chain's program; false if it does not fit. `bias`: the convolution's bias that is still to be added.
bool write_chain(std::span<const TensorImpl* const> chain, PointwiseProgram& program, const TensorImpl* bias) {
  const TensorImpl& head = *chain[0];
  if (is_convolution(head)) {
    if (!program.begin(head) || (bias && !program.add_channels(*bias))) return false;
  } else if (!program.begin(*head.sources[0]) || !program.add(head, 0)) {
    return false;
  }
  for (size_t i = 1; i < chain.size(); ++i) {
    const size_t at = source_place(*chain[i], *chain[i - 1]);
    if (at >= chain[i]->sources.size() || !program.add(*chain[i], at)) return false;
  }
  return true;
}

// True if the memory of the result overlaps none of the inputs.
bool disjoint_from_inputs(const TensorImpl& result, const TensorImpl& node) {
  return std::all_of(node.sources.begin(), node.sources.end(),
                     [&](const TensorImpl* source) { return is_disjoint(result, *source); });
}

}  // namespace

bool is_convolution(const TensorImpl& node) {
  return (node.op == Op::Conv || node.op == Op::ConvTranspose) && class_of(node.dtype) == NumberClass::Float &&
         class_of(node.sources[0]->dtype) == NumberClass::Float;
}

Status lower_pointwise(const LaunchRequest& request) {
  PointwiseProgram program(request.node);
  if (!program.begin(*request.node.sources[0]) || !program.add(request.node, 0))
    return refuse(request.node, "no kernel supports this node");
  return program.queue(request.queue, computes_in(request.node));
}

size_t chain_length(std::span<const TensorImpl* const> nodes,
                    bool (*only_user)(const void* context, const TensorImpl& node), const void* context) {
  if (nodes.size() > 1 && casts_matmul(*nodes[0], *nodes[1]))
    return only_user(context, *nodes[0]) && disjoint_from_inputs(*nodes[1], *nodes[0]) ? 2 : 1;
  if (nodes.empty() || !(is_convolution(*nodes[0]) || chains(*nodes[0]))) return 1;
  const bool convolved = is_convolution(*nodes[0]);
  const TensorImpl* bias = convolved && nodes[0]->sources.size() > 2 ? nodes[0]->sources[2] : nullptr;
  const NumberClass c = computes_in(*nodes[0]);
  size_t length = 1;
  while (length < nodes.size() && length < kLongestChain) {
    const TensorImpl &last = *nodes[length - 1], &next = *nodes[length];
    if (!chains(next) || computes_in(next) != c || !(next.sizes == last.sizes) || !only_user(context, last)) break;
    // Truncation to a narrow integer type must happen before a wider step.
    if (c == NumberClass::Whole && last.dtype != DType::I64 && last.dtype != DType::U64 && last.dtype != DType::Bool)
      break;
    const auto tried = nodes.first(length + 1);
    PointwiseProgram program(next);
    if (!write_chain(tried, program, bias)) break;
    ++length;
  }
  // The result must not overwrite an input of the chain; a shorter chain may be possible.
  for (; length > 1; --length) {
    bool well = true;
    const TensorImpl& result = *nodes[length - 1];
    if (convolved) well = lies_well(result, *nodes[0]) && (!bias || lies_well(result, *bias));
    for (size_t i = convolved ? 1 : 0; well && i < length; ++i)
      for (const TensorImpl* source : nodes[i]->sources)
        if (i == 0 || source != nodes[i - 1]) well = well && lies_well(result, *source);
    if (well) break;
  }
  return length;
}

Status lower_chain(std::span<const TensorImpl* const> chain, const LaunchRequest& first, const QueueAround& around) {
  if (casts_matmul(*chain[0], *chain[1])) return around(*chain[1], [&] { return lower_cast_matmul(first, *chain[1]); });
  if (LibraryConvolution all; fused_convolution(chain, all) && first.queue.libraries().takes(all)) {
    const Status done =
        around(*chain.back(), [&] { return first.queue.libraries().run(all, first.scratch, first.scratch_bytes); });
    if (done.ok() || first.queue.libraries().takes(all)) return done;
  }
  const TensorImpl* bias = nullptr;
  if (is_convolution(first.node))
    if (auto ok = around(first.node, [&] { return lower_convolution(first, bias); }); !ok) return ok;
  return around(*chain.back(), [&] {
    PointwiseProgram program(*chain.back());
    if (!write_chain(chain, program, bias)) return Status(refuse(*chain.back(), "the chain is too long"));
    return program.queue(first.queue, computes_in(first.node));
  });
}

Status lower_convolution(const LaunchRequest& request) {
  const TensorImpl* bias = nullptr;
  if (auto ok = lower_convolution(request, bias); !ok || !bias) return ok;
  PointwiseProgram program(request.node);
  if (!program.begin(request.node) || !program.add_channels(*bias))
    return refuse(request.node, "no kernel supports the bias");
  return program.queue(request.queue, class_of(request.node.dtype));
}

}  // namespace arenascope::cuda
