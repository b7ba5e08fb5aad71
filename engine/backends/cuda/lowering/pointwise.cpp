// SPDX-License-Identifier: MIT
// Pointwise nodes, chains of them, and what of a convolution is pointwise.
#include "engine/backends/cuda/lowering/program.h"

namespace arenascope::cuda {
namespace {

// Whether a node can stand in a chain at all.
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

struct Range {
  const char *begin, *end;
};
Range range(const TensorImpl& t) { return {bytes(t), bytes(t) + t.byte_span()}; }

// Whether the result may be written while the input is still read: they lie apart, or element upon element.
bool lies_well(const TensorImpl& result, const TensorImpl& input) {
  const Range a = range(result), b = range(input);
  if (a.end <= b.begin || b.end <= a.begin) return true;
  return a.begin == b.begin && result.sizes == input.sizes && input.contiguous() &&
         info(result.dtype).block_bytes == info(input.dtype).block_bytes;
}

// A convolution whose result the rest of the chain is computed of, once it is there.
bool is_convolution(const TensorImpl& node) {
  return (node.op == Op::Conv || node.op == Op::ConvTranspose) && class_of(node.dtype) == NumberClass::Float &&
         class_of(node.sources[0]->dtype) == NumberClass::Float;
}

// Writes the chain's program; false if it has no room for it. `bias`: what the convolution at its head still lacks.
bool write_chain(std::span<const TensorImpl* const> chain, Program& program, const TensorImpl* bias) {
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

}  // namespace

Status lower_pointwise(const Job& job) {
  Program program(job.node);
  if (!program.begin(*job.node.sources[0]) || !program.add(job.node, 0))
    return refuse(job.node, "no kernel computes it");
  return program.queue(job.queue, computes_in(job.node));
}

size_t chain_length(std::span<const TensorImpl* const> nodes,
                    bool (*only_user)(const void* context, const TensorImpl& node), const void* context) {
  if (nodes.empty() || !(is_convolution(*nodes[0]) || chains(*nodes[0]))) return 1;
  const bool convolved = is_convolution(*nodes[0]);
  const TensorImpl* bias = convolved && nodes[0]->sources.size() > 2 ? nodes[0]->sources[2] : nullptr;
  const NumberClass c = computes_in(*nodes[0]);
  size_t length = 1;
  while (length < nodes.size() && length < kLongestChain) {
    const TensorImpl &last = *nodes[length - 1], &next = *nodes[length];
    if (!chains(next) || computes_in(next) != c || !(next.sizes == last.sizes) || !only_user(context, last)) break;
    // What a narrow type would cut off must not come back in a wider one.
    if (c == NumberClass::Whole && last.dtype != DType::I64 && last.dtype != DType::U64 && last.dtype != DType::Bool)
      break;
    const auto tried = nodes.first(length + 1);
    Program program(next);
    if (!write_chain(tried, program, bias)) break;
    ++length;
  }
  // What the chain reads must not be overwritten by its result; a shorter chain may do.
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

Status lower_chain(std::span<const TensorImpl* const> chain, const Job& first) {
  const TensorImpl* bias = nullptr;
  if (is_convolution(first.node))
    if (auto ok = lower_convolution(first, bias); !ok) return ok;
  Program program(*chain.back());
  if (!write_chain(chain, program, bias)) return refuse(*chain.back(), "its chain is too long");
  return program.queue(first.queue, computes_in(first.node));
}

Status lower_convolution(const Job& job) {
  const TensorImpl* bias = nullptr;
  if (auto ok = lower_convolution(job, bias); !ok || !bias) return ok;
  Program program(job.node);
  if (!program.begin(job.node) || !program.add_channels(*bias)) return refuse(job.node, "no kernel adds its bias");
  return program.queue(job.queue, class_of(job.node.dtype));
}

}  // namespace arenascope::cuda
