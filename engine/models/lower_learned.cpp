// SPDX-License-Identifier: MIT
// ONNX's operators of classical machine learning: columns, thresholds and trees.
#include <fmt/format.h>
#include "engine/models/lowering.h"

#include <cmath>
#include <vector>

namespace arenascope::models {
namespace {

// Columns of the last dimension; one line becomes a row.
void array_feature_extractor(OpCall& c) {
  const Tensor x = c.in(0), y = c.in(1);
  if (!x || !y || x->rank() < 1) return c.refuse("it has no columns");
  const Tensor rows = x->rank() == 1 ? c.reshape(x, {1, x->element_count()}, ":row") : x;
  if (!rows) return;
  const Tensor columns = c.reshape(y, {y->element_count()}, ":columns");
  c.out(0, c.op_with(Op::Gather, {rows, columns}, AxisParams{rows->rank() - 1}));
}

void binarizer(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const auto threshold = static_cast<double>(c.attr_float("threshold", 0));
  c.out(0, c.cast(c.op(Op::Greater, {x, c.scalar(threshold, x.dtype(), ":threshold")}, ":above"), x.dtype()));
}

// A forest as the file lists it: nodes by number, each with a test and two places to go, to nodes or leaves.
struct Forest {
  std::vector<int64_t> features, modes, true_ids, false_ids, true_leafs, false_leafs, missing, roots, targets;
  std::vector<double> splits, weights, members;
  std::vector<std::vector<double>> sets;  // of nodes that ask for membership
  int64_t target_count = 1;
  static constexpr int64_t kMostNodes = 1 << 12;
};

std::vector<double> tensor_of(OpCall& c, const char* name) {
  std::vector<double> out;
  const auto* a = c.attr(name);
  if (!a || !a->tensor) return out;
  const ir::TensorData& t = *a->tensor;
  if (!t.dtype || element_count(t.sizes) > HostArray::kMaxElements) {
    c.refuse(fmt::format("its '{}' is no small tensor of numbers", name));
    return out;
  }
  const HostArray array = HostArray::from_bytes(*t.dtype, t.sizes, t.bytes().data());
  for (int64_t i = 0; i < array.count(); ++i) out.push_back(array.number(i));
  return out;
}

bool read_forest(OpCall& c, Forest& f) {
  f.features = c.attr_ints("nodes_featureids"), f.true_ids = c.attr_ints("nodes_truenodeids");
  f.false_ids = c.attr_ints("nodes_falsenodeids"), f.true_leafs = c.attr_ints("nodes_trueleafs");
  f.false_leafs = c.attr_ints("nodes_falseleafs"), f.missing = c.attr_ints("nodes_missing_value_tracks_true");
  f.roots = c.attr_ints("tree_roots"), f.targets = c.attr_ints("leaf_targetids");
  for (const double mode : tensor_of(c, "nodes_modes")) f.modes.push_back(static_cast<int64_t>(mode));
  f.splits = tensor_of(c, "nodes_splits"), f.weights = tensor_of(c, "leaf_weights");
  f.members = tensor_of(c, "membership_values");
  f.target_count = c.attr_int("n_targets", 1);
  const size_t n = f.features.size();
  const bool whole = n > 0 && n <= static_cast<size_t>(Forest::kMostNodes) && f.modes.size() == n &&
                     f.splits.size() == n && f.true_ids.size() == n && f.false_ids.size() == n &&
                     f.true_leafs.size() == n && f.false_leafs.size() == n &&
                     (f.missing.empty() || f.missing.size() == n) && !f.roots.empty() && !f.weights.empty() &&
                     f.targets.size() == f.weights.size() && f.target_count >= 1 && f.target_count <= 1 << 16;
  if (!whole) c.refuse("its lists of nodes and leaves do not fit each other");
  for (const int64_t target : f.targets)
    if (target < 0 || target >= f.target_count) c.refuse(fmt::format("target {} of {}", target, f.target_count));
  if (static_cast<int64_t>(f.weights.size()) * f.target_count > HostArray::kMaxElements)
    c.refuse(fmt::format("{} leaves of {} targets", f.weights.size(), f.target_count));
  // Sets of members, parted by NaN, in the order of the nodes that ask for them.
  f.sets.resize(n);
  size_t at = 0;
  for (size_t i = 0; i < f.modes.size() && i < n; ++i) {
    if (f.modes[i] < 0 || f.modes[i] > 6) c.refuse(fmt::format("a node of mode {}", f.modes[i]));
    if (f.modes[i] != 6) continue;
    for (; at < f.members.size() && !std::isnan(f.members[at]); ++at) f.sets[i].push_back(f.members[at]);
    ++at;
  }
  return c.ok();
}

class Growing {
 public:
  Growing(OpCall& c, const Forest& forest, const Tensor& x) : c_(c), f_(forest), x_(x) {}

  // Which leaf each row comes to, from a node on; [N].
  Tensor leaf(int64_t node, int depth) {
    if (node < 0 || node >= static_cast<int64_t>(f_.features.size()) || depth > 64 || ++visits_ > Forest::kMostNodes) {
      c_.refuse(fmt::format("its nodes lead to node {} at depth {}", node, depth));
      return {};
    }
    const auto n = static_cast<size_t>(node);
    const std::string name = fmt::format(":node_{}_{}", visits_, node);
    const Tensor test = test_of(n, name);
    const Tensor yes = next(f_.true_ids[n], f_.true_leafs[n] != 0, depth, name + "_yes"),
                 no = next(f_.false_ids[n], f_.false_leafs[n] != 0, depth, name + "_no");
    return c_.ok() ? c_.op(Op::Where, {test, yes, no}, name.c_str()) : Tensor();
  }

 private:
  Tensor next(int64_t to, bool is_leaf, int depth, const std::string& name) {
    if (!c_.ok()) return {};
    if (!is_leaf) return leaf(to, depth + 1);
    if (to < 0 || to >= static_cast<int64_t>(f_.weights.size())) {
      c_.refuse(fmt::format("leaf {} of {}", to, f_.weights.size()));
      return {};
    }
    return c_.scalar(static_cast<double>(to), DType::I64, name.c_str());
  }
  Tensor test_of(size_t n, const std::string& name) {
    const int64_t feature = f_.features[n];
    if (feature < 0 || feature >= x_.sizes()[1]) {
      c_.refuse(fmt::format("feature {} of {}", feature, x_.sizes()[1]));
      return {};
    }
    const Tensor column = c_.reshape(c_.slice(x_, 1, feature, feature + 1, 1, (name + "_feature").c_str()),
                                     {x_.sizes()[0]}, (name + "_column").c_str());
    static constexpr Op kTests[] = {Op::LessEqual, Op::Less, Op::GreaterEqual, Op::Greater, Op::Equal};
    const auto compared = [&](Op op, double value, const std::string& at) {
      return c_.op(op, {column, c_.scalar(value, x_.dtype(), (at + "_value").c_str())}, at.c_str());
    };
    Tensor test;
    if (f_.modes[n] < 5) {
      test = compared(kTests[f_.modes[n]], f_.splits[n], name + "_test");
    } else if (f_.modes[n] == 5) {
      test = c_.op(Op::Not, {compared(Op::Equal, f_.splits[n], name + "_same")}, (name + "_test").c_str());
    } else {
      for (size_t i = 0; i < f_.sets[n].size() && c_.ok(); ++i) {
        const Tensor one = compared(Op::Equal, f_.sets[n][i], fmt::format("{}_is_{}", name, i));
        test = test ? c_.op(Op::Or, {test, one}, fmt::format("{}_among_{}", name, i).c_str()) : one;
      }
      if (!test) c_.refuse("a node asks for a member of nothing");
    }
    if (test && !f_.missing.empty() && f_.missing[n] != 0)
      test = c_.op(Op::Or, {test, c_.op(Op::IsNan, {column}, (name + "_missing").c_str())}, (name + "_or").c_str());
    return test;
  }

  OpCall& c_;
  const Forest& f_;
  const Tensor x_;
  int64_t visits_ = 0;
};

void tree_ensemble(OpCall& c) {
  const Tensor x = c.in(0);
  Forest f;
  if (!x || !read_forest(c, f)) return;
  if (x->rank() != 2 || !info(x.dtype()).floating) return c.refuse("its source is no table of numbers");
  const int64_t aggregate = c.attr_int("aggregate_function", 1), after = c.attr_int("post_transform", 0);
  if (aggregate < 0 || aggregate > 1 || after < 0 || after > 2)
    return c.refuse(fmt::format("aggregate {} and transform {}", aggregate, after));
  // A row for each leaf, with its weight at its target.
  HostArray leaves = HostArray::make(x.dtype(), {static_cast<int64_t>(f.weights.size()), f.target_count});
  for (size_t i = 0; i < f.weights.size(); ++i)
    leaves.set(static_cast<int64_t>(i) * f.target_count + f.targets[i], f.weights[i]);
  const Tensor table = c.constant(std::move(leaves), ":leaves");
  Growing growing(c, f, x);
  Tensor sum;
  for (size_t t = 0; t < f.roots.size() && c.ok(); ++t) {
    Tensor leaf = growing.leaf(f.roots[t], 0);
    if (!leaf) return;
    const std::string name = fmt::format(":tree_{}", t);
    leaf = c.expand(leaf, {x.sizes()[0]}, (name + "_leaf").c_str());
    const Tensor one = c.op_with(Op::Gather, {table, leaf}, AxisParams{0}, name.c_str());
    sum = sum ? c.op(Op::Add, {sum, one}, (name + "_sum").c_str()) : one;
  }
  if (sum && aggregate == 0)
    sum = c.op_with(Op::Scale, {sum}, ScaleParams{1 / static_cast<float>(f.roots.size()), 0}, ":mean");
  if (!sum) return;
  if (after == 1) return c.out(0, c.op_with(Op::SoftMax, {sum}, SoftMaxParams{1, 1}));
  c.out(0, after == 2 ? c.op(Op::Sigmoid, {sum}) : c.op(Op::Copy, {sum}));
}

constexpr HandlerEntry kLearnedHandlers[] = {
    {"ai.onnx.ml::ArrayFeatureExtractor", array_feature_extractor},
    {"ai.onnx.ml::Binarizer", binarizer},
    {"ai.onnx.ml::TreeEnsemble", tree_ensemble},
};

}  // namespace

std::span<const HandlerEntry> learned_handlers() { return kLearnedHandlers; }

}  // namespace arenascope::models
