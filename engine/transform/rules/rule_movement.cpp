// SPDX-License-Identifier: MIT
// Data movement: transposes that cancel out, copies of tensors that already have the right layout, and duplicate nodes.
#include <algorithm>

#include "engine/transform/rules/rule.h"
#include "engine/transform/slices.h"

namespace arenascope::rewriting {
namespace {

bool is_whole_view(const TensorImpl& t) {
  if (t.op != Op::View || !(t.sizes == t.sources[0]->sizes)) return false;
  const auto p = t.params.get<ViewParams>();
  return p.offset == 0 && t.sources[0]->contiguous() && p.strides == contiguous_strides(Dims(t.sizes));
}

// Indices of the dimensions that are not of size 1.
std::vector<int> non_unit_dims(const TensorImpl& t) {
  std::vector<int> out;
  for (int i = 0; i < t.rank(); ++i)
    if (t.sizes[i] != 1) out.push_back(i);
  return out;
}

// A position in a chain of movement ops: for each dimension of the root that is not of size 1, the dimension of `at`
// that it comes from.
struct MovementChain {
  const TensorImpl* at;
  std::vector<int> dims;
  int copies = 0;     // CONT nodes in the chain without other users
  int nodes = 0;      // in the chain
  bool alone = true;  // no intermediate has another reader
};

// One node further back; false if that node does more than permute whole dimensions.
bool step_back(const PatternMatcher& matcher, const TensorImpl& root, MovementChain& chain) {
  const TensorImpl& t = *chain.at;
  if (t.op == Op::None || t.sources.empty()) return false;
  const TensorImpl& from = *t.sources[0];
  if (t.op == Op::Permute || t.op == Op::Transpose) {
    const int rank = t.rank();
    for (int& d : chain.dims)
      d = t.op == Op::Permute ? t.params.get<PermuteParams>().axes[d] : d >= rank - 2 ? 2 * rank - 3 - d : d;
  } else if (t.op == Op::Reshape && plain_sizes(t) == plain_sizes(from)) {
    const std::vector<int> here = non_unit_dims(t), there = non_unit_dims(from);
    for (int& d : chain.dims) d = there[static_cast<size_t>(std::find(here.begin(), here.end(), d) - here.begin())];
  } else if (t.op != Op::Cont && !is_whole_view(t)) {
    return false;
  }
  chain.alone = chain.alone && (&t == &root || matcher.sole(t));
  chain.copies += t.op == Op::Cont && chain.alone ? 1 : 0;
  ++chain.nodes;
  chain.at = &from;
  return true;
}

// The root's value from `y`, with the dimensions of `y` in the order `dims`.
Tensor transposed(ReplacementBuilder& m, const TensorImpl& root, const TensorImpl& y, const std::vector<int>& dims) {
  if (std::is_sorted(dims.begin(), dims.end())) return m.reshape(m.mapped(y), root.sizes);
  // Dimensions that are not of size 1 first, then as many of size 1 as the root has.
  const std::vector<int> kept_dims = non_unit_dims(y);
  Dims sizes = plain_sizes(y);
  const int plain = sizes.rank();
  std::vector<int> axes;
  size_t next = 0;
  for (int64_t size : root.sizes) {
    if (size == 1) {
      axes.push_back(sizes.rank());
      sizes.push_back(1);
    } else {
      axes.push_back(static_cast<int>(std::find(kept_dims.begin(), kept_dims.end(), dims[next++]) - kept_dims.begin()));
    }
  }
  (void)plain;
  const Tensor out = m.permute(m.reshape(m.mapped(y), sizes, ":plain"), axes, root.contiguous() ? ":turned" : "");
  return root.contiguous() ? m.contiguous(out) : out;
}

}  // namespace

// A chain of PERMUTE, TRANSPOSE, CONT and RESHAPE (of dimensions of size 1) becomes one transpose, or none.
std::optional<Replacement> find_transpose_chain(const PatternMatcher& matcher, const TensorImpl& root) {
  if ((root.op != Op::Permute && root.op != Op::Transpose && root.op != Op::Reshape && root.op != Op::Cont) ||
      matcher.kept(root))
    return std::nullopt;
  MovementChain chain{&root, non_unit_dims(root)};
  std::optional<MovementChain> best;
  while (step_back(matcher, root, chain)) {
    if (chain.nodes < 2 || !chain.at->contiguous() || info(chain.at->dtype).quantised) continue;
    const bool is_identity = std::is_sorted(chain.dims.begin(), chain.dims.end());
    const int copies = !is_identity && root.contiguous() ? 1 : 0;
    if (copies < chain.copies || (is_identity && copies <= chain.copies && chain.nodes > 1)) best = chain;
  }
  if (!best) return std::nullopt;
  const TensorImpl& y = *best->at;
  return Replacement{{&y},
                     [&root, &y, dims = best->dims](ReplacementBuilder& m) { return transposed(m, root, y, dims); }};
}

// f(CONT(PERMUTE(y)), constants): the transpose moves after f, where it may cancel another one and f may be fused.
std::optional<Replacement> find_sinkable_transpose(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!info(root.op).is_pointwise() || info(root.op).family == OpFamily::Norm || root.op == Op::Tril ||
      root.dtype != DType::F32 || matcher.kept(root))
    return std::nullopt;
  const TensorImpl* copy = nullptr;
  for (const TensorImpl* source : root.sources) {
    if (matcher.constant(*source)) continue;
    if (copy) return std::nullopt;
    copy = source;
  }
  if (!copy || copy->op != Op::Cont || !matcher.sole(*copy) || !(copy->sizes == root.sizes)) return std::nullopt;
  const TensorImpl& turn = *copy->sources[0];
  if (turn.op != Op::Permute || !turn.sources[0]->contiguous() || turn.sources[0]->op == Op::None) return std::nullopt;
  const TensorImpl& y = *turn.sources[0];
  Replacement found{{&y}, {}};
  for (const TensorImpl* source : root.sources)
    if (source != copy) found.reads.push_back(source);
  found.make = [&root, &turn, &y, copy](ReplacementBuilder& m) {
    const auto p = turn.params.get<PermuteParams>();
    const std::vector<int> axes(p.axes, p.axes + root.rank());
    std::vector<int> back(axes.size());
    for (size_t i = 0; i < axes.size(); ++i) back[static_cast<size_t>(axes[i])] = static_cast<int>(i);
    std::vector<Tensor> sources;
    for (const TensorImpl* source : root.sources) {
      if (source == copy) {
        sources.push_back(m.mapped(y));
        continue;
      }
      Dims sizes;
      for (int i = source->rank(); i < root.rank(); ++i) sizes.push_back(1);
      for (int64_t size : source->sizes) sizes.push_back(size);
      sources.push_back(
          m.contiguous(m.permute(m.reshape(m.mapped(*source), sizes, ":shaped"), back, ":turned"), ":turned"));
    }
    return m.contiguous(m.permute(m.op(root.op, sources, root.params, ":before"), axes, ":after"));
  };
  return found;
}

// A softmax along a dimension that a transpose made the last one: softmax along the original dimension, then transpose.
std::optional<Replacement> find_soft_max_transpose(const PatternMatcher& matcher, const TensorImpl& root) {
  if ((root.op != Op::SoftMax && root.op != Op::LogSoftMax) || root.sources.size() != 1 || matcher.kept(root))
    return std::nullopt;
  const TensorImpl* turn = root.sources[0];
  if (turn->op == Op::Cont && matcher.sole(*turn)) turn = turn->sources[0];
  if (turn->op != Op::Permute || !turn->sources[0]->contiguous() || !(turn->sizes == root.sizes)) return std::nullopt;
  const auto p = turn->params.get<PermuteParams>();
  const int last = root.rank() - 1, axis = root.params.get<SoftMaxParams>().axis;
  if (axis != last || p.axes[axis] == last) return std::nullopt;
  const TensorImpl& y = *turn->sources[0];
  return Replacement{{&y}, [&root, &y, p, axis](ReplacementBuilder& m) {
                       auto params = root.params.get<SoftMaxParams>();
                       params.axis = p.axes[axis];
                       const Tensor made = m.op_with(root.op, {m.mapped(y)}, params, ":before");
                       return m.contiguous(m.permute(made, std::vector<int>(p.axes, p.axes + root.rank()), ":after"));
                     }};
}

// f(RESHAPE(y)) with one input: the reshape moves after f, so that f may be fused with the node that computes y.
std::optional<Replacement> find_sinkable_reshape(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!info(root.op).is_fusable() || root.sources.size() != 1 || root.dtype != DType::F32 || matcher.kept(root))
    return std::nullopt;
  const TensorImpl& shaped = *root.sources[0];
  if (shaped.op != Op::Reshape || !matcher.sole(shaped) || !has_work(*shaped.sources[0]) ||
      !matcher.sole(*shaped.sources[0]))
    return std::nullopt;
  const TensorImpl& y = *shaped.sources[0];
  return Replacement{{&y}, [&root, &y](ReplacementBuilder& m) {
                       const Tensor sources[] = {m.mapped(y)};
                       return m.reshape(m.op(root.op, sources, root.params, ":before"), root.sizes);
                     }};
}

// An operand that broadcasts need not be expanded before.
std::optional<Replacement> find_broadcast(const PatternMatcher& matcher, const TensorImpl& root) {
  const OpFamily family = info(root.op).family;
  if (family != OpFamily::Binary && family != OpFamily::Comparison && family != OpFamily::Choice) return std::nullopt;
  std::vector<const TensorImpl*> sources;
  bool expanded = false;
  Dims sizes;
  for (const TensorImpl* source : root.sources) {
    const TensorImpl* from = source;
    while (from->op == Op::Expand) from = from->sources[0];
    expanded = expanded || from != source;
    sources.push_back(from);
    auto both = broadcast(sizes, Dims(from->sizes));
    if (!both) return std::nullopt;
    sizes = *both;
  }
  if (!expanded || !(root.sizes == sizes)) return std::nullopt;
  (void)matcher;
  return Replacement{sources, [&root, sources](ReplacementBuilder& m) {
                       std::vector<Tensor> node_map;
                       for (const TensorImpl* source : sources) node_map.push_back(m.mapped(*source));
                       return m.op(root.op, node_map, root.params);
                     }};
}

// Nodes that return their input unchanged.
std::optional<Replacement> find_identity(const PatternMatcher& matcher, const TensorImpl& root) {
  if (root.sources.size() != 1 || matcher.kept(root)) return std::nullopt;
  const TensorImpl& x = *root.sources[0];
  bool nothing = x.sizes == root.sizes && x.dtype == root.dtype;
  switch (root.op) {
    case Op::Reshape:
    case Op::Expand:
    case Op::Cast: break;
    case Op::Cont: nothing = nothing && x.contiguous() && root.contiguous(); break;
    case Op::View: nothing = nothing && is_whole_view(root); break;
    case Op::Concat: break;
    case Op::Scale: {
      const auto p = root.params.get<ScaleParams>();
      nothing = nothing && p.scale == 1 && p.bias == 0;
      break;
    }
    case Op::Permute:
      for (int i = 0; i < root.rank(); ++i) nothing = nothing && root.params.get<PermuteParams>().axes[i] == i;
      break;
    default: return std::nullopt;
  }
  if (!nothing) return std::nullopt;
  return Replacement{{&x}, [&x](ReplacementBuilder& m) { return m.mapped(x); }};
}

// Slices that together are a whole tensor, concatenated again in order.
std::optional<Replacement> find_joined_slices(const PatternMatcher& matcher, const TensorImpl& root) {
  if (root.op != Op::Concat || matcher.kept(root)) return std::nullopt;
  const int axis = root.params.get<AxisParams>().axis;
  std::vector<const TensorImpl*> sources;
  for (size_t i = 0; i < root.sources.size(); ++i) {
    const TensorImpl& first = *root.sources[i];
    sources.push_back(&first);
    if (slice_begin(first, axis) != 0) continue;
    const TensorImpl& whole = *first.sources[0];
    int64_t end = first.sizes[axis];
    size_t next = i + 1;
    for (; next < root.sources.size() && end < whole.sizes[axis]; ++next) {
      const TensorImpl& slice = *root.sources[next];
      if (slice_begin(slice, axis) != end || slice.sources[0] != &whole) break;
      end += slice.sizes[axis];
    }
    if (next == i + 1 || end != whole.sizes[axis]) continue;
    sources.back() = &whole;
    i = next - 1;
  }
  if (sources.size() == root.sources.size()) return std::nullopt;
  return Replacement{sources, [&root, sources](ReplacementBuilder& m) {
                       std::vector<Tensor> node_map;
                       for (const TensorImpl* source : sources) node_map.push_back(m.mapped(*source));
                       return node_map.size() == 1 ? node_map[0] : m.op(root.op, node_map, root.params);
                     }};
}

// An earlier node with the same op, parameters and inputs.
std::optional<Replacement> find_common_subexpression(const PatternMatcher& matcher, const TensorImpl& root) {
  const TensorImpl* first = matcher.first_like(root);
  if (!first || first == &root || matcher.kept(root)) return std::nullopt;
  return Replacement{{first}, [first](ReplacementBuilder& m) { return m.mapped(*first); }};
}

}  // namespace arenascope::rewriting
