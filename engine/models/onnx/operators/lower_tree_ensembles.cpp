// SPDX-License-Identifier: MIT
// ONNX's tree ensembles. All rows walk all trees at once: a table has each node's test and its two children, leaves are
// their own children, and after as many steps as the deepest tree has levels every row is at its leaves.
#include <fmt/format.h>
#include "engine/models/onnx/operators/ml_common.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace arenascope::models {
namespace {

enum class Aggregate { Average, Sum, Min, Max };
// In the order of TreeEnsemble's codes; the last one has no code.
enum NodeMode : int64_t { kLessEqual, kLess, kGreaterEqual, kGreater, kEqual, kNotEqual, kMember, kLeaf };

// The contribution of a leaf to a target.
struct LeafWeight {
  int64_t node, target;
  double weight;
};

struct Forest {
  std::vector<int64_t> features, modes, yes, no, missing, roots;  // nodes of all trees, concatenated
  std::vector<double> splits;
  std::vector<std::vector<double>> sets;  // sets of the membership nodes
  std::vector<LeafWeight> weights;
  int64_t targets = 1, depth = 0;
  Aggregate aggregate = Aggregate::Sum;
  std::vector<double> base;  // one, or one for each target
  PostTransform after = PostTransform::None;

  size_t count() const { return modes.size(); }
};

constexpr int64_t kMaxDepth = 2048;
constexpr int64_t kMaxTable = int64_t{1} << 24;    // numbers of the table of leaves
constexpr int64_t kMaxMembers = int64_t{1} << 21;  // members of the sets of all nodes

// Computes the depth of the deepest leaf; an error if nodes form a cycle or refer to missing nodes.
void measure_depth(OpCall& c, Forest& f) {
  const auto count = static_cast<int64_t>(f.count());
  std::vector<bool> seen(f.count(), false);
  std::vector<int64_t> now = f.roots;
  for (const int64_t root : f.roots)
    if (root < 0 || root >= count) return c.fail(fmt::format("the root {} is out of range for {} nodes", root, count));
  for (; !now.empty(); ++f.depth) {
    if (f.depth > kMaxDepth) return c.fail(fmt::format("its trees have more than {} levels", kMaxDepth));
    std::vector<int64_t> next;
    for (const int64_t node : now) {
      const auto n = static_cast<size_t>(node);
      if (f.modes[n] == kLeaf) continue;
      if (seen[n]) return c.fail(fmt::format("node {} has two parents", node));
      seen[n] = true;
      for (const int64_t to : {f.yes[n], f.no[n]}) {
        if (to < 0 || to >= count)
          return c.fail(fmt::format("node {} has the child {}, out of range for {} nodes", node, to, count));
        next.push_back(to);
      }
    }
    now = std::move(next);
  }
  f.depth = std::max<int64_t>(f.depth - 1, 0);
  for (size_t n = 0; n < f.count(); ++n)
    if (!seen[n] && f.modes[n] != kLeaf) return c.fail(fmt::format("node {} cannot be reached from a root", n));
}

// Walks a forest with rows x [N, F].
class Walk {
 public:
  Walk(OpCall& c, const Forest& f, const Tensor& x) : c_(c), f_(f), x_(x) {}

  // The nodes that the rows end at, [N, T].
  Tensor run() {
    const auto trees = static_cast<int64_t>(f_.roots.size());
    Tensor at = c_.expand(ml_table(c_, {1, trees}, f_.roots, ":roots"), {x_.sizes()[0], trees}, ":begin");
    if (f_.depth > 0) make_tables();
    for (int64_t level = 0; level < f_.depth && c_.ok(); ++level) at = step(at, fmt::format(":level_{}", level));
    return at;
  }

 private:
  void make_tables() {
    const auto count = static_cast<int64_t>(f_.count());
    features_ = ml_table(c_, {count}, f_.features, ":features");
    splits_ = ml_table(c_, x_.dtype(), {count}, f_.splits, ":splits");
    yes_ = ml_table(c_, {count}, f_.yes, ":yes"), no_ = ml_table(c_, {count}, f_.no, ":no");
    for (int64_t mode = kLessEqual; mode < kLeaf; ++mode)
      if (std::find(f_.modes.begin(), f_.modes.end(), mode) != f_.modes.end()) modes_.push_back(mode);
    if (modes_.size() > 1) mode_table_ = ml_table(c_, {count}, f_.modes, ":modes");
    if (std::find(f_.missing.begin(), f_.missing.end(), 1) != f_.missing.end()) {
      HostArray missing = HostArray::make(DType::Bool, {count});
      missing.ints = f_.missing;
      missing_ = c_.constant(std::move(missing), ":missing");
    }
    size_t most = 0;
    for (const auto& set : f_.sets) most = std::max(most, set.size());
    if (most == 0) return;
    if (static_cast<int64_t>(most) * count > kMaxMembers) return c_.fail("its nodes have too many members");
    std::vector<double> members(f_.count() * most, std::numeric_limits<double>::quiet_NaN());
    for (size_t n = 0; n < f_.sets.size(); ++n)
      std::copy(f_.sets[n].begin(), f_.sets[n].end(), members.begin() + static_cast<std::ptrdiff_t>(n * most));
    members_ = ml_table(c_, x_.dtype(), {count, static_cast<int64_t>(most)}, members, ":members");
  }

  Tensor step(const Tensor& at, const std::string& name) {
    const auto read = [&](const Tensor& table, const char* what) {
      return c_.op_with(Op::Gather, {table, at}, AxisParams{0}, (name + what).c_str());
    };
    const Tensor value =
        c_.op_with(Op::GatherElements, {x_, read(features_, "_feature")}, AxisParams{1}, (name + "_value").c_str());
    const Tensor split = read(splits_, "_split");
    Tensor test;
    for (const int64_t mode : modes_) {
      const std::string own = fmt::format("{}_{}", name, mode);
      const Tensor one = compared(mode, value, split, at, own);
      if (!test) {
        test = one;
        continue;
      }
      const Tensor is = c_.op(Op::Equal,
                              {read(mode_table_, fmt::format("_mode_{}", mode).c_str()),
                               c_.scalar(static_cast<double>(mode), DType::I64, (own + "_own").c_str())},
                              (own + "_is").c_str());
      test = c_.op(Op::Where, {is, one, test}, (own + "_test").c_str());
    }
    if (missing_) {
      const Tensor gone = c_.op(Op::IsNan, {value}, (name + "_gone").c_str());
      const Tensor both = c_.op(Op::And, {gone, read(missing_, "_tracks")}, (name + "_missing").c_str());
      test = c_.op(Op::Or, {test, both}, (name + "_or").c_str());
    }
    return c_.op(Op::Where, {test, read(yes_, "_yes"), read(no_, "_no")}, name.c_str());
  }

  Tensor compared(int64_t mode, const Tensor& value, const Tensor& split, const Tensor& at, const std::string& name) {
    static constexpr Op kTests[] = {Op::LessEqual, Op::Less, Op::GreaterEqual, Op::Greater, Op::Equal};
    if (mode < kNotEqual) return c_.op(kTests[mode], {value, split}, name.c_str());
    if (mode == kNotEqual)
      return c_.op(Op::Not, {c_.op(Op::Equal, {value, split}, (name + "_same").c_str())}, name.c_str());
    if (!members_ || !value) return c_.ok() ? c_.op(Op::Less, {value, value}, name.c_str()) : Tensor();
    const Tensor members = c_.op_with(Op::Gather, {members_, at}, AxisParams{0}, (name + "_members").c_str());
    const Tensor column = c_.reshape(value, {value.sizes()[0], value.sizes()[1], 1}, (name + "_column").c_str());
    const Tensor same =
        c_.cast(c_.op(Op::Equal, {column, members}, (name + "_among").c_str()), DType::F32, (name + "_found").c_str());
    const Tensor any = c_.op_with(Op::ReduceMax, {same}, ReduceParams{1u << 2, false}, (name + "_any").c_str());
    return c_.cast(any, DType::Bool, name.c_str());
  }

  OpCall& c_;
  const Forest& f_;
  const Tensor x_;
  Tensor features_, splits_, yes_, no_, mode_table_, missing_, members_;
  std::vector<int64_t> modes_;
};

// Each leaf has a row of contributions, [rows, targets]; `row_of` maps nodes to rows. Targets without a contribution have
// 0, or the neutral element of the extremum.
Tensor weight_table(OpCall& c, const Forest& f, DType dtype, std::vector<int64_t>& row_of) {
  row_of.assign(f.count(), 0);  // row 0: no contribution
  int64_t rows = 1;
  for (const LeafWeight& w : f.weights)
    if (row_of[static_cast<size_t>(w.node)] == 0) row_of[static_cast<size_t>(w.node)] = rows++;
  // Each leaf gives something to at least a thousandth of the targets, or the table is small.
  const int64_t most = std::min(kMaxTable, (int64_t{1} << 18) + 1024 * static_cast<int64_t>(f.weights.size()));
  if (rows > most / f.targets) {
    c.fail(fmt::format("{} leaves for {} targets exceed the limit of a constant", rows, f.targets));
    return {};
  }
  const double infinite = std::numeric_limits<double>::infinity();
  const double none = f.aggregate == Aggregate::Min ? infinite : f.aggregate == Aggregate::Max ? -infinite : 0;
  std::vector<double> table(static_cast<size_t>(rows * f.targets), none);
  for (const LeafWeight& w : f.weights) {
    double& entry = table[static_cast<size_t>(row_of[static_cast<size_t>(w.node)] * f.targets + w.target)];
    entry = none == 0 ? entry + w.weight : w.weight;
  }
  return ml_table(c, dtype, {rows, f.targets}, table, ":leaves");
}

// The targets that have a contribution from a leaf of each row, [N, targets] as booleans.
Tensor given_targets(OpCall& c, const Forest& f, const Tensor& rows, const std::vector<int64_t>& row_of) {
  const int64_t count = 1 + *std::max_element(row_of.begin(), row_of.end());
  std::vector<double> table(static_cast<size_t>(count * f.targets), 0);
  for (const LeafWeight& w : f.weights)
    table[static_cast<size_t>(row_of[static_cast<size_t>(w.node)] * f.targets + w.target)] = 1;
  const Tensor there = c.op_with(Op::Gather, {ml_table(c, DType::F32, {count, f.targets}, table, ":weighed"), rows},
                                 AxisParams{0}, ":weighed_leaves");
  const Tensor any = c.op_with(Op::ReduceMax, {there}, ReduceParams{1u << 1, false}, ":any_weighed");
  return c.cast(any, DType::Bool, ":weighed_targets");
}

// The scores of each row's targets from all trees, [N, targets], with the base values; optionally also the targets that
// have a contribution.
Tensor forest_scores(OpCall& c, Forest& f, const Tensor& x, Tensor* given_any = nullptr) {
  for (const int64_t feature : f.features)
    if (feature < 0 || feature >= x.sizes()[1])
      c.fail(fmt::format("the feature index {} is out of range for {} columns", feature, x.sizes()[1]));
  for (const LeafWeight& w : f.weights)
    if (w.node < 0 || w.node >= static_cast<int64_t>(f.count()) || w.target < 0 || w.target >= f.targets)
      c.fail(fmt::format("the weight of node {} for target {} is out of range for {} targets", w.node, w.target,
                         f.targets));
  if (c.ok()) measure_depth(c, f);
  if (!c.ok()) return {};
  std::vector<int64_t> row_of;
  const Tensor table = weight_table(c, f, x.dtype(), row_of);
  const Tensor ends = Walk(c, f, x).run();
  if (!c.ok()) return {};
  const auto count = static_cast<int64_t>(f.count());
  const Tensor rows = c.op_with(Op::Gather, {ml_table(c, {count}, row_of, ":rows"), ends}, AxisParams{0}, ":row");
  if (given_any) *given_any = given_targets(c, f, rows, row_of);
  const Tensor given = c.op_with(Op::Gather, {table, rows}, AxisParams{0}, ":given");
  const ReduceParams trees{1u << 1, false};
  Tensor y;
  if (f.aggregate == Aggregate::Min || f.aggregate == Aggregate::Max) {
    const Op op = f.aggregate == Aggregate::Min ? Op::ReduceMin : Op::ReduceMax;
    const Tensor best = c.op_with(op, {given}, trees, ":best");
    const double infinite = std::numeric_limits<double>::infinity();
    const Tensor none =
        c.op(Op::Equal, {c.op(Op::Abs, {best}, ":abs"), c.scalar(infinite, x.dtype(), ":infinite")}, ":none");
    y = c.op(Op::Where, {none, c.scalar(0, x.dtype(), ":nothing"), best}, ":there");
  } else {
    y = c.op_with(Op::ReduceSum, {given}, trees, ":sum");
    if (f.aggregate == Aggregate::Average)
      y = c.op(Op::Div, {y, c.scalar(static_cast<double>(f.roots.size()), x.dtype(), ":trees")}, ":mean");
  }
  if (f.base.empty()) return y;
  const auto bases = static_cast<int64_t>(f.base.size());
  if (bases != 1 && bases != f.targets)
    c.fail(fmt::format("found {} base values for {} targets: expected one, or one per target", bases, f.targets));
  return c.ok() ? c.op(Op::Add, {y, ml_table(c, x.dtype(), {bases}, f.base, ":base")}, ":based") : Tensor();
}

// TreeEnsemble's lists number nodes and leaves separately; here the leaves follow the nodes.
bool read_numbered_forest(OpCall& c, Forest& f) {
  const auto yes_leaf = c.attr_ints("nodes_trueleafs"), no_leaf = c.attr_ints("nodes_falseleafs"),
             targets = c.attr_ints("leaf_targetids");
  f.features = c.attr_ints("nodes_featureids"), f.yes = c.attr_ints("nodes_truenodeids");
  f.no = c.attr_ints("nodes_falsenodeids"), f.missing = c.attr_ints("nodes_missing_value_tracks_true");
  f.roots = c.attr_ints("tree_roots"), f.targets = c.attr_int("n_targets", 1);
  for (const double mode : attr_tensor(c, "nodes_modes")) f.modes.push_back(static_cast<int64_t>(mode));
  f.splits = attr_tensor(c, "nodes_splits");
  const std::vector<double> weights = attr_tensor(c, "leaf_weights"), members = attr_tensor(c, "membership_values");
  const size_t n = f.features.size();
  const bool whole = n > 0 && f.modes.size() == n && f.splits.size() == n && f.yes.size() == n && f.no.size() == n &&
                     yes_leaf.size() == n && no_leaf.size() == n && (f.missing.empty() || f.missing.size() == n) &&
                     !f.roots.empty() && !weights.empty() && targets.size() == weights.size() && f.targets >= 1 &&
                     f.targets <= 1 << 16;
  if (!whole) c.fail(fmt::format("its nodes_* or leaf_* attributes differ in length or lack entries: {} nodes", n));
  f.sets.resize(n);
  size_t at = 0;  // sets are separated by NaN, in the order of their nodes
  for (size_t i = 0; i < n && c.ok(); ++i) {
    if (f.modes[i] < 0 || f.modes[i] > kMember) c.fail(fmt::format("the node mode {} is unknown", f.modes[i]));
    if (f.modes[i] != kMember) continue;
    for (; at < members.size() && !std::isnan(members[at]); ++at) f.sets[i].push_back(members[at]);
    ++at;
  }
  const auto leaves = static_cast<int64_t>(weights.size()), nodes = static_cast<int64_t>(n);
  for (size_t i = 0; i < n && c.ok(); ++i)
    for (auto* side : {&f.yes, &f.no}) {
      int64_t& to = (*side)[i];
      const bool leaf = (side == &f.yes ? yes_leaf : no_leaf)[i] != 0;
      if (to < 0 || to >= (leaf ? leaves : nodes))
        c.fail(fmt::format("node {} has the invalid child {} {}", i, leaf ? "leaf" : "node", to));
      if (leaf) to += nodes;
    }
  for (int64_t i = 0; i < leaves && c.ok(); ++i) {
    f.features.push_back(0), f.modes.push_back(kLeaf), f.splits.push_back(0);
    f.yes.push_back(nodes + i), f.no.push_back(nodes + i);
    if (!f.missing.empty()) f.missing.push_back(0);
    f.weights.push_back({nodes + i, targets[static_cast<size_t>(i)], weights[static_cast<size_t>(i)]});
  }
  return c.ok();
}

int64_t mode_of(OpCall& c, const std::string& name) {
  static constexpr const char* kNames[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                           "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
  for (int64_t i = 0; i <= kLeaf; ++i)
    if (i != kMember && name == kNames[i]) return i;
  c.fail(fmt::format("the node mode '{}' is unknown", name));
  return kLeaf;
}

// Numbers of an attribute that is floats, or, of doubles, a tensor.
std::vector<double> floats_or_tensor(OpCall& c, const std::string& name) {
  std::vector<double> out = attr_tensor(c, (name + "_as_tensor").c_str());
  return out.empty() ? attr_floats(c, name.c_str()) : out;
}

// The lists of the two older operators: nodes have a tree and a number in it. `kind`: what leaves are weighed for.
bool read_named_forest(OpCall& c, const std::string& kind, Forest& f) {
  const auto trees = c.attr_ints("nodes_treeids"), numbers = c.attr_ints("nodes_nodeids");
  const auto yes = c.attr_ints("nodes_truenodeids"), no = c.attr_ints("nodes_falsenodeids");
  f.features = c.attr_ints("nodes_featureids"), f.missing = c.attr_ints("nodes_missing_value_tracks_true");
  f.splits = floats_or_tensor(c, "nodes_values"), f.base = floats_or_tensor(c, "base_values");
  const auto* modes = c.attr("nodes_modes");
  const size_t n = trees.size();
  if (n == 0 || !modes || modes->strings.size() != n || numbers.size() != n || yes.size() != n || no.size() != n ||
      f.features.size() != n || f.splits.size() != n || (!f.missing.empty() && f.missing.size() != n)) {
    c.fail(fmt::format("its nodes_* attributes must be as long as nodes_treeids, which has {} entries", n));
    return false;
  }
  std::map<std::pair<int64_t, int64_t>, int64_t> indices;
  for (size_t i = 0; i < n; ++i)
    if (!indices.emplace(std::pair(trees[i], numbers[i]), static_cast<int64_t>(i)).second)
      c.fail(fmt::format("node {} of tree {} is duplicated", numbers[i], trees[i]));
  const auto place = [&](int64_t tree, int64_t number) {
    const auto found = indices.find({tree, number});
    if (found == indices.end()) c.fail(fmt::format("node {} of tree {} is missing", number, tree));
    return found == indices.end() ? int64_t{0} : found->second;
  };
  std::vector<bool> led_to(n, false);
  for (size_t i = 0; i < n && c.ok(); ++i) {
    f.modes.push_back(mode_of(c, modes->strings[i]));
    const auto own = static_cast<int64_t>(i);
    const bool leaf = f.modes.back() == kLeaf;
    f.yes.push_back(leaf ? own : place(trees[i], yes[i])), f.no.push_back(leaf ? own : place(trees[i], no[i]));
    if (leaf)
      f.features[i] = 0;
    else
      led_to[static_cast<size_t>(f.yes[i])] = led_to[static_cast<size_t>(f.no[i])] = true;
  }
  std::map<int64_t, int> begun;  // by tree: how often
  for (size_t i = 0; i < n && c.ok(); ++i)
    if (begun[trees[i]] += led_to[i] ? 0 : 1; !led_to[i]) f.roots.push_back(static_cast<int64_t>(i));
  for (const auto& [tree, times] : begun)
    if (times != 1) c.fail(fmt::format("tree {} has {} nodes that no other leads to", tree, times));
  const auto weight_trees = c.attr_ints((kind + "_treeids").c_str()),
             weight_nodes = c.attr_ints((kind + "_nodeids").c_str()), ids = c.attr_ints((kind + "_ids").c_str());
  const std::vector<double> weights = floats_or_tensor(c, kind + "_weights");
  if (weight_trees.size() != weights.size() || weight_nodes.size() != weights.size() || ids.size() != weights.size())
    c.fail(
        fmt::format("{0}_treeids, _nodeids, _ids and _weights must have the same length: found {1}, {2}, {3} and {4}",
                    kind, weight_trees.size(), weight_nodes.size(), ids.size(), weights.size()));
  for (size_t i = 0; i < weights.size() && c.ok(); ++i)
    f.weights.push_back({place(weight_trees[i], weight_nodes[i]), ids[i], weights[i]});
  f.after = read_post_transform(c);
  return c.ok();
}

void tree_ensemble(OpCall& c) {
  const Tensor x = c.in(0);
  Forest f;
  if (!x || !read_numbered_forest(c, f)) return;
  if (x->rank() != 2 || !info(x.dtype()).floating) return c.fail("its input must be a floating-point matrix");
  const int64_t aggregate = c.attr_int("aggregate_function", 1), after = c.attr_int("post_transform", 0);
  if (aggregate < 0 || aggregate > 3 || after < 0 || after > 4)
    return c.fail(fmt::format("aggregate_function {} or post_transform {} is unknown", aggregate, after));
  f.aggregate = static_cast<Aggregate>(aggregate);
  const Tensor y = post_transformed(c, forest_scores(c, f, x), static_cast<PostTransform>(after), ":transformed");
  if (y) c.out(0, c.op(Op::Copy, {y}));
}

void tree_regressor(OpCall& c) {
  const Tensor x = learned_rows(c, 0);
  Forest f;
  if (!x || !read_named_forest(c, "target", f)) return;
  f.targets = c.attr_int("n_targets", 1);
  if (f.targets < 1 || f.targets > 1 << 16)
    return c.fail(fmt::format("the number of targets is {}: expected 1 to 65536", f.targets));
  const std::string aggregate = c.attr_string("aggregate_function", "SUM");
  static constexpr const char* kNames[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), aggregate);
  if (found == std::end(kNames)) return c.fail(fmt::format("the aggregate_function '{}' is not supported", aggregate));
  f.aggregate = static_cast<Aggregate>(found - std::begin(kNames));
  const Tensor y = post_transformed(c, forest_scores(c, f, x), f.after, ":transformed");
  if (y) c.out(0, y.dtype() == DType::F32 ? c.op(Op::Copy, {y}) : c.cast(y, DType::F32));
}

void out_class_scores(OpCall& c, const Tensor& scores) {
  if (scores)
    c.out(1,
          scores.dtype() == DType::F32 ? c.op(Op::Copy, {scores}, ":scores") : c.cast(scores, DType::F32, ":scores"));
}

// Binary classification with weights for one class only: its score decides.
void one_sided(OpCall& c, const Forest& f, const ClassLabels& labels, const Tensor& score, bool second) {
  const bool positive =
      std::none_of(f.weights.begin(), f.weights.end(), [](const LeafWeight& w) { return w.weight < 0; });
  const Tensor edge = c.scalar(positive ? 0.5 : 0, score.dtype(), ":edge");
  const Tensor flat = c.reshape(score, {score.sizes()[0]}, ":score");
  out_labels_by(c, labels, c.op(Op::Greater, {flat, edge}, ":above"));
  if (!c.has_output(1)) return;
  if (second) {  // the first class has no score
    const Tensor parts[] = {c.op(Op::Sub, {score, score}, ":none"), score};
    const Tensor both = c.op_list(Op::Concat, parts, AxisParams{1}, ":both");
    return out_class_scores(c, post_transformed(c, both, f.after, ":transformed"));
  }
  if (f.after == PostTransform::Probit) return out_class_scores(c, post_transformed(c, score, f.after, ":probit"));
  const bool logistic = f.after == PostTransform::Logistic;
  const Tensor other = c.op_with(Op::Scale, {score}, ScaleParams{-1, positive && !logistic ? 1.0f : 0.0f}, ":other");
  const Tensor parts[] = {logistic ? c.op(Op::Sigmoid, {other}, ":other_sigmoid") : other,
                          logistic ? c.op(Op::Sigmoid, {score}, ":sigmoid") : score};
  out_class_scores(c, c.op_list(Op::Concat, parts, AxisParams{1}, ":both"));
}

void tree_classifier(OpCall& c) {
  const Tensor x = learned_rows(c, 0);
  Forest f;
  const ClassLabels labels = read_labels(c, "classlabels_int64s", "classlabels_strings");
  if (!x || !c.ok() || !read_named_forest(c, "class", f)) return;
  f.targets = static_cast<int64_t>(labels.size());
  const int64_t first = f.weights.empty() ? 0 : f.weights[0].target;
  const bool one =
      std::all_of(f.weights.begin(), f.weights.end(), [&](const LeafWeight& w) { return w.target == first; });
  if (labels.size() == 2 && one && (first == 0 || first == 1)) {
    for (LeafWeight& w : f.weights) w.target = 0;
    f.targets = 1;
    if (f.base.size() == 2) f.base = {f.base[1]};
    const Tensor score = forest_scores(c, f, x);
    return score ? one_sided(c, f, labels, score, first == 1) : void();
  }
  Tensor given;
  const Tensor scores = forest_scores(c, f, x, f.base.empty() ? &given : nullptr);
  if (!scores) return;
  Tensor ranked = scores;  // a class without a contribution cannot be chosen
  if (given) {
    const double infinite = std::numeric_limits<double>::infinity();
    ranked = c.op(Op::Where, {given, scores, c.scalar(-infinite, scores.dtype(), ":never")}, ":ranked");
  }
  out_labels(c, labels, c.op_with(Op::ArgMax, {ranked}, ArgParams{1, false, false}, ":best"));
  if (c.has_output(1)) out_class_scores(c, post_transformed(c, scores, f.after, ":transformed"));
}

constexpr HandlerEntry kTreeHandlers[] = {
    {"ai.onnx.ml::TreeEnsemble", tree_ensemble},
    {"ai.onnx.ml::TreeEnsembleClassifier", tree_classifier},
    {"ai.onnx.ml::TreeEnsembleRegressor", tree_regressor},
};

}  // namespace

std::span<const HandlerEntry> tree_ensemble_handlers() { return kTreeHandlers; }

}  // namespace arenascope::models
