// SPDX-License-Identifier: MIT
// Numbers that are only moved: turns that cancel out, copies of what lies right already, and what is made twice.
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

// The places of the dimensions that are no ones.
std::vector<int> plain_places(const TensorImpl& t) {
  std::vector<int> out;
  for (int i = 0; i < t.rank(); ++i)
    if (t.sizes[i] != 1) out.push_back(i);
  return out;
}

// Of each of the root's plain dimensions, in their order, the dimension of `at` that it is.
struct Way {
  const TensorImpl* at;
  std::vector<int> dims;
  int copies = 0;     // CONT nodes on the way that nothing else needs
  int nodes = 0;      // on the way
  bool alone = true;  // nothing else reads what lies between
};

// One node further back; false where that does more than move whole dimensions.
bool step_back(const Look& look, const TensorImpl& root, Way& way) {
  const TensorImpl& t = *way.at;
  if (t.op == Op::None || t.sources.empty()) return false;
  const TensorImpl& from = *t.sources[0];
  if (t.op == Op::Permute || t.op == Op::Transpose) {
    const int rank = t.rank();
    for (int& d : way.dims)
      d = t.op == Op::Permute ? t.params.get<PermuteParams>().axes[d] : d >= rank - 2 ? 2 * rank - 3 - d : d;
  } else if (t.op == Op::Reshape && plain_sizes(t) == plain_sizes(from)) {
    const std::vector<int> here = plain_places(t), there = plain_places(from);
    for (int& d : way.dims) d = there[static_cast<size_t>(std::find(here.begin(), here.end(), d) - here.begin())];
  } else if (t.op != Op::Cont && !is_whole_view(t)) {
    return false;
  }
  way.alone = way.alone && (&t == &root || look.sole(t));
  way.copies += t.op == Op::Cont && way.alone ? 1 : 0;
  ++way.nodes;
  way.at = &from;
  return true;
}

// The value of the root over `y`, whose dimensions it has in that order.
Tensor turned(Maker& m, const TensorImpl& root, const TensorImpl& y, const std::vector<int>& dims) {
  if (std::is_sorted(dims.begin(), dims.end())) return m.reshape(m.twin(y), root.sizes);
  // The plain ones in front, then as many ones as the root has.
  const std::vector<int> places = plain_places(y);
  Dims sizes = plain_sizes(y);
  const int plain = sizes.rank();
  std::vector<int> axes;
  size_t next = 0;
  for (int64_t size : root.sizes) {
    if (size == 1) {
      axes.push_back(sizes.rank());
      sizes.push_back(1);
    } else {
      axes.push_back(static_cast<int>(std::find(places.begin(), places.end(), dims[next++]) - places.begin()));
    }
  }
  (void)plain;
  const Tensor out = m.permute(m.reshape(m.twin(y), sizes, ":plain"), axes, root.contiguous() ? ":turned" : "");
  return root.contiguous() ? m.contiguous(out) : out;
}

}  // namespace

// PERMUTE, TRANSPOSE, CONT and RESHAPE with ones, one behind the other: as one turn, or none.
std::optional<Found> find_moved(const Look& look, const TensorImpl& root) {
  if ((root.op != Op::Permute && root.op != Op::Transpose && root.op != Op::Reshape && root.op != Op::Cont) ||
      look.kept(root))
    return std::nullopt;
  Way way{&root, plain_places(root)};
  std::optional<Way> best;
  while (step_back(look, root, way)) {
    if (way.nodes < 2 || !way.at->contiguous() || info(way.at->dtype).quantised) continue;
    const bool straight = std::is_sorted(way.dims.begin(), way.dims.end());
    const int copies = !straight && root.contiguous() ? 1 : 0;
    if (copies < way.copies || (straight && copies <= way.copies && way.nodes > 1)) best = way;
  }
  if (!best) return std::nullopt;
  const TensorImpl& y = *best->at;
  return Found{{&y}, [&root, &y, dims = best->dims](Maker& m) { return turned(m, root, y, dims); }};
}

// f(CONT(PERMUTE(y)), constants): turned behind f, where it may meet another turn and f another node.
std::optional<Found> find_turned_later(const Look& look, const TensorImpl& root) {
  if (!info(root.op).is_pointwise() || info(root.op).family == OpFamily::Norm || root.op == Op::Tril ||
      root.dtype != DType::F32 || look.kept(root))
    return std::nullopt;
  const TensorImpl* copy = nullptr;
  for (const TensorImpl* source : root.sources) {
    if (look.constant(*source)) continue;
    if (copy) return std::nullopt;
    copy = source;
  }
  if (!copy || copy->op != Op::Cont || !look.sole(*copy) || !(copy->sizes == root.sizes)) return std::nullopt;
  const TensorImpl& turn = *copy->sources[0];
  if (turn.op != Op::Permute || !turn.sources[0]->contiguous() || turn.sources[0]->op == Op::None) return std::nullopt;
  const TensorImpl& y = *turn.sources[0];
  Found found{{&y}, {}};
  for (const TensorImpl* source : root.sources)
    if (source != copy) found.reads.push_back(source);
  found.make = [&root, &turn, &y, copy](Maker& m) {
    const auto p = turn.params.get<PermuteParams>();
    const std::vector<int> axes(p.axes, p.axes + root.rank());
    std::vector<int> back(axes.size());
    for (size_t i = 0; i < axes.size(); ++i) back[static_cast<size_t>(axes[i])] = static_cast<int>(i);
    std::vector<Tensor> sources;
    for (const TensorImpl* source : root.sources) {
      if (source == copy) {
        sources.push_back(m.twin(y));
        continue;
      }
      Dims sizes;
      for (int i = source->rank(); i < root.rank(); ++i) sizes.push_back(1);
      for (int64_t size : source->sizes) sizes.push_back(size);
      sources.push_back(
          m.contiguous(m.permute(m.reshape(m.twin(*source), sizes, ":shaped"), back, ":turned"), ":turned"));
    }
    return m.contiguous(m.permute(m.op(root.op, sources, root.params, ":before"), axes, ":behind"));
  };
  return found;
}

// A softmax along a dimension that a turn has put last: along that dimension where it lies, and turned behind it.
std::optional<Found> find_soft_max_turned_later(const Look& look, const TensorImpl& root) {
  if ((root.op != Op::SoftMax && root.op != Op::LogSoftMax) || root.sources.size() != 1 || look.kept(root))
    return std::nullopt;
  const TensorImpl* turn = root.sources[0];
  if (turn->op == Op::Cont && look.sole(*turn)) turn = turn->sources[0];
  if (turn->op != Op::Permute || !turn->sources[0]->contiguous() || !(turn->sizes == root.sizes)) return std::nullopt;
  const auto p = turn->params.get<PermuteParams>();
  const int last = root.rank() - 1, axis = root.params.get<SoftMaxParams>().axis;
  if (axis != last || p.axes[axis] == last) return std::nullopt;
  const TensorImpl& y = *turn->sources[0];
  return Found{{&y}, [&root, &y, p, axis](Maker& m) {
                 auto params = root.params.get<SoftMaxParams>();
                 params.axis = p.axes[axis];
                 const Tensor made = m.op_with(root.op, {m.twin(y)}, params, ":before");
                 return m.contiguous(m.permute(made, std::vector<int>(p.axes, p.axes + root.rank()), ":behind"));
               }};
}

// f(RESHAPE(y)) of one source: reshaped behind f, so that f may be fused with what makes y.
std::optional<Found> find_reshaped_later(const Look& look, const TensorImpl& root) {
  if (!info(root.op).is_fusable() || root.sources.size() != 1 || root.dtype != DType::F32 || look.kept(root))
    return std::nullopt;
  const TensorImpl& shaped = *root.sources[0];
  if (shaped.op != Op::Reshape || !look.sole(shaped) || !has_work(*shaped.sources[0]) || !look.sole(*shaped.sources[0]))
    return std::nullopt;
  const TensorImpl& y = *shaped.sources[0];
  return Found{{&y}, [&root, &y](Maker& m) {
                 const Tensor sources[] = {m.twin(y)};
                 return m.reshape(m.op(root.op, sources, root.params, ":before"), root.sizes);
               }};
}

// What broadcasts by itself need not be expanded before.
std::optional<Found> find_broadcast(const Look& look, const TensorImpl& root) {
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
  (void)look;
  return Found{sources, [&root, sources](Maker& m) {
                 std::vector<Tensor> twins;
                 for (const TensorImpl* source : sources) twins.push_back(m.twin(*source));
                 return m.op(root.op, twins, root.params);
               }};
}

// Nodes that give what they are given.
std::optional<Found> find_nothing_done(const Look& look, const TensorImpl& root) {
  if (root.sources.size() != 1 || look.kept(root)) return std::nullopt;
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
  return Found{{&x}, [&x](Maker& m) { return m.twin(x); }};
}

// Slices of a tensor that are joined again, side by side and all of it.
std::optional<Found> find_joined_slices(const Look& look, const TensorImpl& root) {
  if (root.op != Op::Concat || look.kept(root)) return std::nullopt;
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
  return Found{sources, [&root, sources](Maker& m) {
                 std::vector<Tensor> twins;
                 for (const TensorImpl* source : sources) twins.push_back(m.twin(*source));
                 return twins.size() == 1 ? twins[0] : m.op(root.op, twins, root.params);
               }};
}

// The same op over the same sources, earlier.
std::optional<Found> find_same(const Look& look, const TensorImpl& root) {
  const TensorImpl* first = look.first_like(root);
  if (!first || first == &root || look.kept(root)) return std::nullopt;
  return Found{{first}, [first](Maker& m) { return m.twin(*first); }};
}

}  // namespace arenascope::rewriting
