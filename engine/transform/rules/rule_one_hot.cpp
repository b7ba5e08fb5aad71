// SPDX-License-Identifier: MIT
// Matmuls with one-hot matrices become GATHER, and functions of gathered rows become a GATHER of the function's rows.
#include <algorithm>

#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

// True if it holds 0, 1, 2, … along its last dimension.
bool counts_up(const PatternMatcher& matcher, const TensorImpl& tensor, int64_t count) {
  const TensorImpl& t = matcher.spread(tensor);
  if (t.element_count() != count || tensor.sizes.back() != count) return false;
  if (t.op == Op::Arange) {
    const auto p = t.params.get<FillParams>();
    return p.start == 0 && p.step == 1;
  }
  const auto& numbers = matcher.numbers(t);
  for (int64_t i = 0; i < static_cast<int64_t>(numbers.size()); ++i)
    if (numbers[static_cast<size_t>(i)] != static_cast<double>(i)) return false;
  return static_cast<int64_t>(numbers.size()) == count;
}

// The indices that are compared with 0 … count - 1, with the sizes of `one_hot` without its last dimension.
const TensorImpl* indices_of(const PatternMatcher& matcher, const TensorImpl& one_hot) {
  const TensorImpl* t = &one_hot;
  if (t->op != Op::Cast) return nullptr;
  t = &matcher.spread(*t->sources[0]);
  if (t->op != Op::Equal || !(t->sizes == one_hot.sizes)) return nullptr;
  const int64_t count = one_hot.sizes.back();
  for (size_t i = 0; i < 2; ++i) {
    if (!counts_up(matcher, *t->sources[i], count)) continue;
    const TensorImpl* indices = t->sources[1 - i];
    while (indices->op == Op::Expand) indices = indices->sources[0];
    if (info(indices->dtype).floating || indices->dtype == DType::Bool) continue;
    Dims needed = one_hot.sizes;
    needed[needed.rank() - 1] = 1;
    if (indices->sizes == needed) return indices;
  }
  return nullptr;
}

}  // namespace

// MUL_MAT(tableᵀ, one_hot(indices)) is GATHER(table, indices). An appended row of zeros serves indices out of range.
std::optional<Replacement> find_one_hot(const PatternMatcher& matcher, const TensorImpl& root) {
  if (root.op != Op::MulMat || root.sources.size() != 2 || root.dtype != DType::F32 ||
      root.params.get<MulMatParams>().scale != 1)
    return std::nullopt;
  const TensorImpl &transposed = *root.sources[0], &one_hot = *root.sources[1];
  if (transposed.dtype != DType::F32 || !matcher.constant(transposed) || plain_sizes(transposed).rank() > 2 ||
      transposed.element_count() != transposed.sizes.back() * transposed.sizes.back(1) || one_hot.rank() < 2)
    return std::nullopt;
  const TensorImpl* indices = indices_of(matcher, one_hot);
  if (!indices) return std::nullopt;
  return Replacement{
      {&transposed, indices}, [&transposed, indices, &root](ReplacementBuilder& m) {
        const int64_t rows = transposed.sizes.back(), columns = transposed.sizes.back(1);
        const int turn[] = {1, 0};
        const Tensor table = m.contiguous(
            m.permute(m.reshape(m.mapped(transposed), {columns, rows}, ":table"), turn, ":table"), ":table");
        PadParams pad{};
        pad.end[0] = 1;
        const Tensor padded = m.op_with(Op::Pad, {table}, pad, ":padded");
        Tensor index = m.mapped(*indices);
        if (index.dtype() != DType::I64 && index.dtype() != DType::I32)
          index = m.op_with(Op::Cast, {index}, CastParams{DType::I64}, ":whole");
        // Index -1 also selects the last row.
        index = m.op_with(Op::Clamp, {index}, ClampParams{-1, static_cast<double>(rows)}, ":index");
        Dims index_sizes;
        for (int i = 0; i + 1 < indices->rank(); ++i) index_sizes.push_back(indices->sizes[i]);
        const Tensor picked = m.op_with(Op::Gather, {padded, m.reshape(index, index_sizes, ":places")}, AxisParams{0});
        return m.reshape(picked, root.sizes, ":shaped");
      }};
}

// f(GATHER(table, indices)) becomes GATHER(f(table), indices) where that computes less.
std::optional<Replacement> find_sinkable_gather(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!info(root.op).is_pointwise() || root.dtype != DType::F32 || root.op == Op::Tril || root.sources.empty() ||
      info(root.op).family == OpFamily::Norm)
    return std::nullopt;
  const TensorImpl* gather = nullptr;
  for (const TensorImpl* source : root.sources) {
    if (source->op == Op::Gather && !matcher.constant(*source)) {
      if (gather && gather != source) return std::nullopt;
      gather = source;
    } else if (!matcher.constant(*source)) {
      return std::nullopt;
    }
  }
  if (!gather || !(gather->sizes == root.sizes) || gather->dtype != DType::F32 || !matcher.sole(*gather)) {
    if (!gather || matcher.kept(*gather) || !(gather->sizes == root.sizes)) return std::nullopt;
    // Read by the root alone, more than once.
    if (matcher.graph().use_count(*gather) !=
        static_cast<int32_t>(std::count(root.sources.begin(), root.sources.end(), gather)))
      return std::nullopt;
  }
  const TensorImpl &table = *gather->sources[0], &indices = *gather->sources[1];
  if (gather->params.get<AxisParams>().axis != 0 || !matcher.constant(table) || table.dtype != DType::F32 ||
      table.byte_count() > root.byte_count())
    return std::nullopt;
  // All other inputs vary along a row at most.
  const int inner = table.rank() - 1;
  for (const TensorImpl* source : root.sources)
    if (source != gather)
      for (int i = 0; i < source->rank() - inner; ++i)
        if (source->sizes[i] != 1) return std::nullopt;
  Replacement found{{&table, &indices}, {}};
  for (const TensorImpl* source : root.sources)
    if (source != gather) found.reads.push_back(source);
  found.make = [&root, gather, &table, &indices, inner](ReplacementBuilder& m) {
    std::vector<Tensor> sources;
    for (const TensorImpl* source : root.sources) {
      if (source == gather) {
        sources.push_back(m.mapped(table));
        continue;
      }
      Dims sizes;
      for (int i = std::max(0, source->rank() - inner); i < source->rank(); ++i) sizes.push_back(source->sizes[i]);
      sources.push_back(m.reshape(m.mapped(*source), sizes, ":row"));
    }
    const Tensor rows = m.op(root.op, sources, root.params, ":rows");
    return m.op_with(Op::Gather, {rows, m.mapped(indices)}, AxisParams{0});
  };
  return found;
}

}  // namespace arenascope::rewriting
