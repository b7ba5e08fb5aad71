// SPDX-License-Identifier: MIT
// Operators of inputs with more dimensions than kMaxDims: neighbouring dimensions that an operator treats alike are folded to
// one, the operator is lowered as ever, and its result has the file's dimensions again.
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include "engine/models/onnx/high_rank_shapes.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace arenascope::models {
namespace {

// Input i in memory, reshaped to `sizes`.
Tensor wide_shaped(OpCall& c, size_t i, const Dims& sizes, const char* suffix) {
  Tensor x = c.in(i);
  if (x && !x->contiguous()) x = c.op(Op::Cont, {x}, fmt::format("{}_laid", suffix).c_str());
  return c.reshape(x, sizes, suffix);
}

// Dimensions folded by their runs (-1: a dimension of size 1 without a run).
Dims by_runs(const WideSizes& sizes, const std::vector<int>& runs, int count) {
  Dims out = Dims::filled(count, 1);
  for (size_t d = 0; d < sizes.size(); ++d)
    if (runs[d] >= 0) out[runs[d]] *= sizes[d];
  return out;
}

bool few_enough(OpCall& c, int runs) {
  if (runs > kMaxDims)
    c.fail(fmt::format("it has {} dimensions after folding: at most {} are supported", runs, kMaxDims));
  return runs <= kMaxDims;
}

// The same node with folded inputs and other attributes.
Tensor inner_result(OpCall& c, const ir::Node& node, std::vector<ValuePtr> sources, Dims& sizes) {
  OpCall inner(c.lowering(), node, std::move(sources));
  find_handler(node.domain, node.op)(inner);
  if (!inner.ok()) c.fail(inner.status().error().message);
  if (!inner.ok() || inner.outputs().empty() || !inner.outputs()[0]) return {};
  Status status;
  const Tensor made = c.lowering().materialise(*inner.outputs()[0], status);
  if (!status.ok()) c.fail(status.error().message);
  if (made) sizes = made.sizes();
  return made;
}

ValuePtr folded_value(OpCall& c, size_t i, const Dims& sizes) {
  const Tensor x = wide_shaped(c, i, sizes, fmt::format(":folded_{}", i).c_str());
  return x ? tensor_value(c.name_of(fmt::format(":folded_{}", i).c_str()), x) : nullptr;
}

// Sizes with ones in front, so that there are `rank`.
WideSizes wide_aligned(WideSizes sizes, size_t rank) {
  sizes.insert(sizes.begin(), rank - sizes.size(), 1);
  return sizes;
}

// Element by element, broadcast: dimensions of a run are broadcast by the same inputs.
void wide_pointwise(OpCall& c) {
  size_t rank = 0;
  for (const ValuePtr& input : c.inputs())
    if (input) rank = std::max(rank, full_sizes(*input).size());
  std::vector<WideSizes> sources;
  WideSizes out(rank, 1);
  for (const ValuePtr& input : c.inputs()) {
    sources.push_back(input ? wide_aligned(full_sizes(*input), rank) : WideSizes(rank, 1));
    for (size_t d = 0; d < rank; ++d) {
      if (out[d] != 1 && sources.back()[d] != 1 && out[d] != sources.back()[d])
        return c.fail(fmt::format("its inputs do not broadcast: {} against {}", out[d], sources.back()[d]));
      if (sources.back()[d] != 1) out[d] = sources.back()[d];
    }
  }
  std::vector<int> runs(rank, -1);
  int count = 0;
  const size_t none = rank;
  for (size_t d = 0, before = none; d < rank; ++d) {
    if (out[d] == 1) continue;
    const bool same = before != none && std::all_of(sources.begin(), sources.end(), [&](const WideSizes& s) {
                        return (s[d] == 1) == (s[before] == 1);
                      });
    runs[d] = same ? count - 1 : count++;
    before = d;
  }
  if (!few_enough(c, count)) return;
  std::vector<ValuePtr> folded;
  for (size_t i = 0; i < sources.size() && c.ok(); ++i) {
    const ValuePtr& input = c.inputs()[i];
    // A scalar stays unchanged, and known.
    const bool one =
        !input || (input->full_shape.empty() && input->sizes.rank() <= 1 && element_count(input->sizes) == 1);
    folded.push_back(one ? input : folded_value(c, i, by_runs(sources[i], runs, count)));
  }
  Dims sizes;
  const Tensor made = c.ok() ? inner_result(c, c.node(), std::move(folded), sizes) : Tensor();
  if (made) out_wide(c, 0, made, out);
}

void wide_transpose(OpCall& c) {
  const WideSizes from = full_sizes(c.value(0));
  std::vector<int64_t> order = c.attr_ints("perm");
  if (order.empty())
    for (size_t d = from.size(); d-- > 0;) order.push_back(static_cast<int64_t>(d));
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t d = 0; d < from.size(); ++d)
    if (sorted.size() != from.size() || sorted[d] != static_cast<int64_t>(d))
      return c.fail(fmt::format("its perm must be a permutation of {} dimensions", from.size()));
  // Dimensions that follow each other before and after are a run; numbered as they come after.
  std::vector<int> runs(from.size(), -1);
  WideSizes out;
  int count = 0;
  int64_t before = -1;
  for (const int64_t d : order) {
    out.push_back(from[static_cast<size_t>(d)]);
    if (out.back() == 1) continue;
    bool follows = before >= 0 && d > before;
    for (int64_t between = before + 1; follows && between < d; ++between)
      follows = from[static_cast<size_t>(between)] == 1;
    runs[static_cast<size_t>(d)] = follows ? count - 1 : count++;
    before = d;
  }
  if (!few_enough(c, count)) return;
  std::vector<int> first;  // runs in the input's order
  for (size_t d = 0; d < from.size(); ++d)
    if (runs[d] >= 0 && std::find(first.begin(), first.end(), runs[d]) == first.end()) first.push_back(runs[d]);
  const Dims sizes = by_runs(from, runs, count);
  Dims source;
  std::vector<int> axes(static_cast<size_t>(count));
  for (size_t i = 0; i < first.size(); ++i) {
    source.push_back(sizes[first[i]]);
    axes[static_cast<size_t>(first[i])] = static_cast<int>(i);
  }
  const Tensor x = wide_shaped(c, 0, source, ":folded");
  if (x) out_wide(c, 0, c.permute(x, axes, ":turned"), out);
}

std::vector<size_t> wide_read_axes(OpCall& c, size_t i, int64_t since, size_t rank) {
  std::vector<int64_t> given = c.opset() < since ? c.attr_ints("axes") : std::vector<int64_t>();
  if (c.opset() >= since && c.has(i))
    if (const auto from = c.ints(i)) given = *from;
  std::vector<size_t> out;
  const auto count = static_cast<int64_t>(rank);
  for (int64_t axis : given) {
    if (axis < -count || axis >= count) c.fail(fmt::format("axis {} is out of range for {} dimensions", axis, rank));
    out.push_back(static_cast<size_t>(axis < 0 ? axis + count : axis));
  }
  return c.ok() ? out : std::vector<size_t>();
}

void wide_reshape(OpCall& c) {
  const auto given = c.opset() < 5 ? std::optional(c.attr_ints("shape")) : c.ints(1);
  if (!given) return c.fail("it has no shape");
  reshape_wide(c, *given, c.attr_int("allowzero", 0) == 0);
}

void wide_flatten(OpCall& c) {
  const WideSizes from = full_sizes(c.value(0));
  const auto rank = static_cast<int64_t>(from.size());
  int64_t axis = c.attr_int("axis", 1);
  if (axis < -rank || axis > rank) return c.fail(fmt::format("axis {} is out of range for {} dimensions", axis, rank));
  if (axis < 0) axis += rank;
  WideSizes out{1, 1};
  for (int64_t d = 0; d < rank; ++d) out[d < axis ? 0 : 1] *= from[static_cast<size_t>(d)];
  reshape_wide(c, out, false);
}

void wide_squeeze(OpCall& c) {
  const WideSizes from = full_sizes(c.value(0));
  const auto axes = wide_read_axes(c, 1, 13, from.size());
  WideSizes out;
  for (size_t d = 0; d < from.size(); ++d) {
    const bool named = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (named && from[d] != 1) return c.fail(fmt::format("dimension {} has {} elements", d, from[d]));
    if (!named && (!axes.empty() || from[d] != 1)) out.push_back(from[d]);
  }
  if (c.ok()) reshape_wide(c, out, false);
}

void wide_unsqueeze(OpCall& c) {
  const WideSizes from = full_sizes(c.value(0));
  const auto* attribute = c.attr("axes");
  const auto known = c.known(1);
  const int64_t added =
      c.opset() < 13 ? static_cast<int64_t>(attribute ? attribute->ints.size() : 0) : (known ? known->count() : 0);
  if (added > 1 << 10) return c.fail(fmt::format("adding {} dimensions is not supported", added));
  const size_t rank = from.size() + static_cast<size_t>(added);
  const auto axes = wide_read_axes(c, 1, 13, rank);
  if (!c.ok()) return;
  WideSizes out(rank, 0);
  for (const size_t axis : axes) {
    if (out[axis] == 1) return c.fail(fmt::format("axis {} is duplicated", axis));
    out[axis] = 1;
  }
  size_t next = 0;
  for (int64_t& size : out)
    if (size == 0 && next < from.size()) size = from[next++];
  // A size that is still 0 was 0 in the input.
  reshape_wide(c, out, false);
}

// Reductions over alternating kept and reduced dimensions.
void wide_reduce(OpCall& c) {
  const WideSizes from = full_sizes(c.value(0));
  std::vector<size_t> axes = wide_read_axes(c, 1, c.node().op == "ReduceSum" ? 13 : 18, from.size());
  if (!c.ok()) return;
  if (axes.empty() && c.attr_int("noop_with_empty_axes", 0) != 0)
    return c.fail("noop_with_empty_axes is not supported for tensors of more than 8 dimensions");
  if (axes.empty()) axes.resize(from.size()), std::iota(axes.begin(), axes.end(), size_t{0});
  std::vector<int> runs(from.size(), -1);
  std::vector<int64_t> gone;
  WideSizes out;
  int count = 0, before = -1;
  for (size_t d = 0; d < from.size(); ++d) {
    const bool goes = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (!goes || c.attr_int("keepdims", 1) != 0) out.push_back(goes ? 1 : from[d]);
    if (from[d] == 1) continue;
    if (before != (goes ? 1 : 0)) {
      if (goes) gone.push_back(count);
      ++count;
    }
    before = goes ? 1 : 0;
    runs[d] = count - 1;
  }
  if (!few_enough(c, count)) return;
  Dims sizes = by_runs(from, runs, count);
  if (gone.empty()) {  // only dimensions of one element: one more of them, so that there is what goes
    if (!few_enough(c, count + 1)) return;
    gone.push_back(count), sizes.push_back(1);
  }
  ir::Node node = c.node();
  node.inputs.resize(1);
  node.attributes["axes"].ints = gone;
  node.attributes["keepdims"].i = 0;
  node.opset = 11;  // its axes are an attribute
  const Tensor made = inner_result(c, node, {folded_value(c, 0, sizes)}, sizes);
  if (made) out_wide(c, 0, made, out);
}

// The shape around one axis: the product of the sizes before it, its size, and the product of those after it.
Dims wide_around(const WideSizes& sizes, size_t axis) {
  Dims out{1, sizes[axis], 1};
  for (size_t d = 0; d < sizes.size(); ++d)
    if (d != axis) out[d < axis ? 0 : 2] *= sizes[d];
  return out;
}

void wide_along_axis(OpCall& c) {
  WideSizes out = full_sizes(c.value(0));
  const auto rank = static_cast<int64_t>(out.size());
  int64_t axis = c.attr_int("axis", c.node().op == "Concat" ? 0 : -1);
  if (axis < -rank || axis >= rank) return c.fail(fmt::format("axis {} is out of range for {} dimensions", axis, rank));
  if (axis < 0) axis += rank;
  if (c.opset() < 13 && c.node().op != "Concat")
    return c.fail(fmt::format("it has {} dimensions: at most {} are supported", rank, kMaxDims));
  const auto at = static_cast<size_t>(axis);
  std::vector<ValuePtr> folded;
  for (size_t i = 0; i < c.input_count() && c.ok(); ++i) {
    const WideSizes own = full_sizes(c.value(i));
    bool fits = own.size() == out.size();
    for (size_t d = 0; fits && d < own.size(); ++d) fits = d == at || own[d] == out[d];
    if (!fits) return c.fail(fmt::format("input {} does not match the first one in all other dimensions", i));
    folded.push_back(folded_value(c, i, wide_around(own, at)));
  }
  if (!c.ok()) return;
  ir::Node node = c.node();
  node.attributes["axis"].i = 1;
  Dims sizes;
  const Tensor made = inner_result(c, node, std::move(folded), sizes);
  if (!made) return;
  out[at] = sizes[1];
  out_wide(c, 0, made, out);
}

void wide_expand(OpCall& c) {
  const auto given = c.ints(1);
  if (given) expand_wide(c, *given);
}

void wide_shape(OpCall& c) {
  const WideSizes from = full_sizes(c.value(0));
  const auto rank = static_cast<int64_t>(from.size());
  const auto place = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
  const int64_t start = place(c.attr_int("start", 0)), end = std::max(place(c.attr_int("end", rank)), start);
  if (c.ok()) c.out(0, HostArray::of({from.begin() + start, from.begin() + end}));
}

bool works_by_element(std::string_view op) {
  static constexpr std::string_view kOps =
      " Abs Acos Acosh Add And Asin Asinh Atan Atanh BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast Ceil "
      "Celu Clip Cos Cosh Div Dropout Elu Equal Erf Exp Floor Gelu Greater GreaterOrEqual HardSigmoid "
      "HardSwish Identity IsInf IsNaN LeakyRelu Less LessOrEqual Log Max Mean Min Mish Mod Mul Neg Not Or "
      "PRelu Pow Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Sub Sum "
      "Swish Tan Tanh ThresholdedRelu Where Xor ";
  return op.find(' ') == op.npos && kOps.find(fmt::format(" {} ", op)) != kOps.npos;
}

}  // namespace

WideSizes full_sizes(const Value& value) {
  return value.full_shape.empty() ? WideSizes(value.sizes.begin(), value.sizes.end()) : value.full_shape;
}

void out_wide(OpCall& c, size_t i, const Tensor& made, const WideSizes& sizes) {
  const auto folded = ir::fold_outermost(sizes);
  if (!folded) return c.fail("its sizes overflow");
  Tensor laid = made;
  if (laid && !laid->contiguous()) laid = c.op(Op::Cont, {laid}, ":laid");
  c.out(i, c.reshape(laid, *folded));
  if (sizes.size() > kMaxDims && i < c.outputs().size() && c.outputs()[i]) c.outputs()[i]->full_shape = sizes;
}

void reshape_wide(OpCall& c, WideSizes sizes, bool keeps) {
  const WideSizes from = full_sizes(c.value(0));
  if (!c.ok()) return;
  int64_t known = 1;
  size_t unknown = sizes.size();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0 && keeps) {
      if (d >= from.size())
        return c.fail(fmt::format("its shape keeps dimension {} of an input with {} dimensions", d, from.size()));
      sizes[d] = from[d];
    }
    if (sizes[d] == -1 && unknown == sizes.size()) {
      unknown = d;
      continue;
    }
    const auto product = sizes[d] < 0 ? std::nullopt : checked_mul(known, sizes[d]);
    if (!product) return c.fail(fmt::format("its shape {} has a negative size or overflows", fmt::join(sizes, ", ")));
    known = *product;
  }
  const int64_t count = element_count(c.sizes(0));
  if (unknown < sizes.size()) {
    if (known == 0 || count % known != 0)
      return c.fail(fmt::format("{} elements do not fit in the shape [{}]", count, fmt::join(sizes, ", ")));
    sizes[unknown] = count / known;
    known = count;
  }
  const auto folded = ir::fold_outermost(sizes);
  if (known != count || !folded)
    return c.fail(fmt::format("{} elements do not fit in the shape [{}]", count, fmt::join(sizes, ", ")));
  out_wide(c, 0, wide_shaped(c, 0, *folded, ":folded"), sizes);
}

void expand_wide(OpCall& c, const WideSizes& sizes) {
  const WideSizes given = full_sizes(c.value(0));
  const size_t rank = std::max(given.size(), sizes.size());
  const WideSizes from = wide_aligned(given, rank);
  WideSizes out = wide_aligned(sizes, rank);
  std::vector<int> runs(rank, -1);
  int count = 0, before = -1;
  for (size_t d = 0; d < rank; ++d) {
    if (out[d] == 1) out[d] = from[d];
    if (from[d] != 1 && from[d] != out[d])
      return c.fail(fmt::format("{} elements do not expand to {}", from[d], out[d]));
    if (out[d] == 1) continue;
    const int spread = from[d] == 1 ? 1 : 0;
    if (spread != before) ++count;
    before = spread;
    runs[d] = count - 1;
  }
  if (!few_enough(c, count)) return;
  const auto folded = ir::fold_outermost(out);
  if (!folded || !checked_element_count(*folded)) return c.fail("its sizes overflow");
  const Tensor x = wide_shaped(c, 0, by_runs(from, runs, count), ":folded");
  if (x) out_wide(c, 0, c.expand(x, by_runs(out, runs, count), ":spread"), out);
}

Handler find_wide_handler(const std::string& domain, const std::string& op) {
  if (!domain.empty()) return nullptr;
  static const std::unordered_map<std::string_view, Handler> table{
      {"Concat", wide_along_axis},     {"Expand", wide_expand},          {"Flatten", wide_flatten},
      {"LogSoftmax", wide_along_axis}, {"Reshape", wide_reshape},        {"Shape", wide_shape},
      {"Softmax", wide_along_axis},    {"Squeeze", wide_squeeze},        {"Transpose", wide_transpose},
      {"Unsqueeze", wide_unsqueeze},   {"ReduceL1", wide_reduce},        {"ReduceL2", wide_reduce},
      {"ReduceLogSum", wide_reduce},   {"ReduceLogSumExp", wide_reduce}, {"ReduceMax", wide_reduce},
      {"ReduceMean", wide_reduce},     {"ReduceMin", wide_reduce},       {"ReduceProd", wide_reduce},
      {"ReduceSum", wide_reduce},      {"ReduceSumSquare", wide_reduce}};
  const auto found = table.find(op);
  if (found != table.end()) return found->second;
  return works_by_element(op) ? wide_pointwise : nullptr;
}

}  // namespace arenascope::models
