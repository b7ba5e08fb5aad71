// SPDX-License-Identifier: MIT
#include "engine/transform/rules/pattern_matcher.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace arenascope::rewriting {
namespace {

constexpr int kDeep = 12;  // maximum depth of expressions

// True if the op is discontinuous: a minimal change of its input may change the result by much.
bool jumps(const TensorImpl& node) {
  switch (node.op) {
    case Op::Round:
    case Op::Floor:
    case Op::Ceil:
    case Op::Sign:
    case Op::Mod:
    case Op::RoundSmall: return true;
    case Op::Cast: return !info(node.dtype).floating;
    default: return info(node.op).family == OpFamily::Comparison;
  }
}

// True if an error of its input appears in its result at about the same size.
bool passes_on(const TensorImpl& node) {
  switch (info(node.op).family) {
    case OpFamily::View:
    case OpFamily::Movement:
    case OpFamily::Binary:
    case OpFamily::Unary:
    case OpFamily::Choice: return true;
    default: return false;
  }
}

double infinity() { return std::numeric_limits<double>::infinity(); }

}  // namespace

bool near(double a, double b, double tolerance) {
  return std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

Dims plain_sizes(const TensorImpl& tensor) {
  Dims out;
  for (int64_t size : tensor.sizes)
    if (size != 1) out.push_back(size);
  return out;
}

PatternMatcher::PatternMatcher(const Graph& graph, const RewriteOptions& options)
    : graph_(graph), options_(options), mutations_(graph), constant_(graph.nodes().size()) {
  const auto nodes = graph.nodes();
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto& sources = nodes[i]->sources;
    constant_[i] = nodes[i]->op != Op::None && !mutations_.written(*nodes[i]) &&
                   std::all_of(sources.begin(), sources.end(), [&](const TensorImpl* s) { return constant(*s); });
  }
  find_steps();
  // Key: op, parameters and inputs as bytes.
  std::unordered_map<std::string, const TensorImpl*> known;
  first_.resize(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const TensorImpl& node = *nodes[i];
    first_[i] = &node;
    if (node.op == Op::None || node.op == Op::Opaque) continue;
    const auto params = node.params.bytes();
    std::string key(reinterpret_cast<const char*>(&node.op), sizeof node.op);
    key.append(reinterpret_cast<const char*>(params.data()), params.size());
    for (const TensorImpl* source : node.sources) {
      // A duplicate input counts as the node that it duplicates.
      const NodeId from = graph.find_node(*source);
      const TensorImpl* const first = from.valid() && from.index() < i ? first_[from.index()] : source;
      key.append(reinterpret_cast<const char*>(&first), sizeof first);
    }
    first_[i] = known.try_emplace(std::move(key), &node).first->second;
  }
}

void PatternMatcher::find_steps() {
  const auto nodes = graph_.nodes();
  before_step_.resize(nodes.size());
  for (size_t i = nodes.size(); i-- > 0;) {
    if (!jumps(*nodes[i]) && !(before_step_[i] && passes_on(*nodes[i]))) continue;
    for (const TensorImpl* source : nodes[i]->sources)
      if (const NodeId id = graph_.find_node(*source); id.valid()) before_step_[id.index()] = 1;
  }
}

bool PatternMatcher::before_step(const TensorImpl& node) const {
  const NodeId id = graph_.find_node(node);
  return id.valid() && before_step_[id.index()] != 0;
}

const TensorImpl* PatternMatcher::first_like(const TensorImpl& node) const {
  const NodeId id = graph_.find_node(node);
  return id.valid() ? first_[id.index()] : nullptr;
}

bool PatternMatcher::constant(const TensorImpl& tensor) const {
  if (const NodeId node = graph_.find_node(tensor); node.valid()) return constant_[node.index()] != 0;
  return tensor.op == Op::None && tensor.has(kFlagWeight) && !tensor.has(kFlagParameter) && !mutations_.written(tensor);
}

bool PatternMatcher::kept(const TensorImpl& node) const {
  return node.has(kFlagOutput) || (options_.keep && options_.keep(node));
}

const std::vector<double>& PatternMatcher::numbers(const TensorImpl& tensor) const {
  static const std::vector<double> unknown;
  const TensorImpl* leaf = &tensor;
  while (leaf->op == Op::Reshape) leaf = leaf->sources[0];
  if (leaf->op != Op::None || !leaf->has(kFlagWeight) || !options_.numbers ||
      leaf->element_count() > RewriteOptions::kMaxElements || mutations_.written(*leaf))
    return unknown;
  const auto [place, fresh] = known_.try_emplace(leaf);
  if (fresh) place->second = options_.numbers(*leaf);
  return place->second;
}

std::optional<double> PatternMatcher::number(const TensorImpl& tensor) const {
  if (tensor.op == Op::Fill) return tensor.params.get<FillParams>().start;
  if (tensor.op == Op::Reshape || tensor.op == Op::Expand || tensor.op == Op::Cont || tensor.op == Op::Copy)
    return number(*tensor.sources[0]);
  if (tensor.op != Op::None || tensor.element_count() != 1) return std::nullopt;
  const auto [place, fresh] = single_.try_emplace(&tensor);
  if (fresh)
    if (const auto& all = numbers(tensor); all.size() == 1) place->second = all[0];
  return place->second;
}

const TensorImpl& PatternMatcher::spread(const TensorImpl& tensor) const {
  const TensorImpl* t = &tensor;
  for (int i = 0; i < kDeep; ++i) {
    const bool reshaped = t->op == Op::Reshape && plain_sizes(*t) == plain_sizes(*t->sources[0]);
    if (!reshaped && t->op != Op::Expand && t->op != Op::Cont && t->op != Op::Copy) break;
    t = t->sources[0];
  }
  return *t;
}

std::optional<Affine> PatternMatcher::affine_step(const TensorImpl& n) const {
  if (n.dtype != DType::F32) return std::nullopt;
  Affine a{nullptr};
  if (n.op == Op::Scale) {
    const auto p = n.params.get<ScaleParams>();
    a = {n.sources[0], static_cast<double>(p.scale), static_cast<double>(p.bias)};
  } else if (n.op == Op::Neg) {
    a = {n.sources[0], -1, 0};
  } else if (n.op == Op::Add || n.op == Op::Sub || n.op == Op::Mul || n.op == Op::Div) {
    const auto left = number(*n.sources[0]), right = number(*n.sources[1]);
    if (!left == !right || (left && n.op == Op::Div)) return std::nullopt;
    a.of = n.sources[left ? 1 : 0];
    const double known = left ? *left : *right;
    if (n.op == Op::Add) a.bias = known;
    if (n.op == Op::Sub) a.scale = left ? -1 : 1, a.bias = left ? known : -known;
    if (n.op == Op::Mul) a.scale = known;
    if (n.op == Op::Div) a.scale = 1 / known;
  }
  if (!a.of || !(a.of->sizes == n.sizes) || !std::isfinite(a.scale) || !std::isfinite(a.bias)) return std::nullopt;
  return a;
}

std::vector<Affine> PatternMatcher::affine_forms(const TensorImpl& tensor) const {
  std::vector<Affine> out{Affine{&tensor}};
  for (int i = 0; i < kDeep; ++i) {
    const Affine a = out.back();
    const auto step = affine_step(*a.of);
    if (!step) break;
    out.push_back({step->of, a.scale * step->scale, a.scale * step->bias + a.bias});
  }
  return out;
}

Affine PatternMatcher::affine(const TensorImpl& tensor) const { return affine_forms(tensor).back(); }

void PatternMatcher::flatten(const TensorImpl& t, bool up, std::span<const TensorImpl* const> whole, int depth,
                             Product& out) const {
  const auto count = [&](double factor) { out.number *= up ? factor : 1 / factor; };
  const bool stops = depth == 0 || t.dtype != DType::F32 || std::find(whole.begin(), whole.end(), &t) != whole.end();
  if (!stops && (t.op == Op::Mul || t.op == Op::Div)) {
    for (size_t i = 0; i < 2; ++i) {
      const bool over = up != (t.op == Op::Div && i == 1);
      if (const auto known = number(*t.sources[i]))
        out.number *= over ? *known : 1 / *known;
      else
        flatten(*t.sources[i], over, whole, depth - 1, out);
    }
  } else if (!stops && t.op == Op::Scale && t.params.get<ScaleParams>().bias == 0) {
    count(static_cast<double>(t.params.get<ScaleParams>().scale));
    flatten(*t.sources[0], up, whole, depth - 1, out);
  } else if (!stops && t.op == Op::Neg) {
    count(-1);
    flatten(*t.sources[0], up, whole, depth - 1, out);
  } else if (!stops && t.op == Op::Reciprocal) {
    flatten(*t.sources[0], !up, whole, depth - 1, out);
  } else {
    (up ? out.over : out.under).push_back(&t);
  }
}

Product PatternMatcher::product(const TensorImpl& root, std::initializer_list<const TensorImpl*> whole) const {
  Product out;
  flatten(root, true, {whole.begin(), whole.size()}, kDeep, out);
  return out;
}

std::optional<Polynomial> PatternMatcher::polynomial(const TensorImpl& tensor, const TensorImpl& x) const {
  return polynomial(tensor, x, kDeep);
}

std::optional<Polynomial> PatternMatcher::polynomial(const TensorImpl& t, const TensorImpl& x, int depth) const {
  if (&t == &x) return Polynomial{0, 1, 0, 0};
  if (const auto known = number(t)) return Polynomial{*known, 0, 0, 0};
  if (depth == 0 || t.dtype != DType::F32 || t.sources.empty()) return std::nullopt;
  const auto left = polynomial(*t.sources[0], x, depth - 1);
  if (!left) return std::nullopt;
  const auto times = [](const Polynomial& a, const Polynomial& b) -> std::optional<Polynomial> {
    Polynomial out{};
    for (size_t i = 0; i < 4; ++i)
      for (size_t j = 0; j < 4; ++j) {
        if (a[i] * b[j] == 0) continue;
        if (i + j > 3) return std::nullopt;
        out[i + j] += a[i] * b[j];
      }
    return out;
  };
  if (t.op == Op::Scale || t.op == Op::Neg) {
    const auto p = t.op == Op::Scale ? t.params.get<ScaleParams>() : ScaleParams{-1, 0};
    Polynomial out = *left;
    for (double& c : out) c *= static_cast<double>(p.scale);
    out[0] += static_cast<double>(p.bias);
    return out;
  }
  if (t.op == Op::Pow) {
    const auto power = number(*t.sources[1]);
    if (!power || (*power != 2 && *power != 3)) return std::nullopt;
    const auto squared = times(*left, *left);
    return *power == 2 || !squared ? squared : times(*squared, *left);
  }
  if (t.op != Op::Add && t.op != Op::Sub && t.op != Op::Mul) return std::nullopt;
  const auto right = polynomial(*t.sources[1], x, depth - 1);
  if (!right) return std::nullopt;
  if (t.op == Op::Mul) return times(*left, *right);
  Polynomial out = *left;
  for (size_t i = 0; i < 4; ++i) out[i] += t.op == Op::Add ? (*right)[i] : -(*right)[i];
  return out;
}

const TensorImpl* PatternMatcher::square(const TensorImpl& tensor) const {
  if (tensor.op == Op::Mul && tensor.sources[0] == tensor.sources[1]) return tensor.sources[0];
  if (tensor.op == Op::Pow)
    if (const auto power = number(*tensor.sources[1]); power && *power == 2) return tensor.sources[0];
  return nullptr;
}

std::optional<PatternMatcher::Limits> PatternMatcher::limits(const TensorImpl& tensor) const {
  Limits out{&tensor, -infinity(), infinity()};
  for (int i = 0; i < 2 && out.of->dtype == DType::F32; ++i) {
    const TensorImpl& n = *out.of;
    if (n.op == Op::Clamp) {
      const auto p = n.params.get<ClampParams>();
      out = {n.sources[0], std::max(out.low, p.low), std::min(out.high, p.high)};
    } else if (n.op == Op::Relu) {
      out = {n.sources[0], std::max(out.low, 0.0), out.high};
    } else if (n.op == Op::Max || n.op == Op::Min) {
      const size_t at = number(*n.sources[1]) ? 1 : 0;
      const auto known = number(*n.sources[at]);
      if (!known || !(n.sources[1 - at]->sizes == n.sizes)) break;
      out.of = n.sources[1 - at];
      (n.op == Op::Max ? out.low : out.high) = n.op == Op::Max ? std::max(out.low, *known) : std::min(out.high, *known);
    } else {
      break;
    }
  }
  if (out.of == &tensor || !(out.low <= out.high)) return std::nullopt;
  return out;
}

std::optional<Reduced> PatternMatcher::reduced(const TensorImpl& tensor) const {
  const TensorImpl* t = &tensor;
  double factor = 1;
  for (int i = 0; i < kDeep; ++i) {
    t = &spread(*t);
    const Affine a = affine(*t);
    if (a.of == t || a.bias != 0) break;
    factor *= a.scale;
    t = a.of;
  }
  if (t->op != Op::ReduceMean && t->op != Op::ReduceSum && t->op != Op::ReduceMax) return std::nullopt;
  return Reduced{t->sources[0], t->op, t->params.get<ReduceParams>().axes, factor};
}

std::optional<Reduced> PatternMatcher::mean(const TensorImpl& tensor) const {
  auto out = reduced(tensor);
  if (!out || out->op == Op::ReduceMax) return std::nullopt;
  double count = 1;
  if (out->op == Op::ReduceSum)
    for (int i = 0; i < out->of->rank(); ++i)
      if (out->axes >> i & 1) count *= static_cast<double>(out->of->sizes[i]);
  if (!near(out->factor * count, 1, 1e-6)) return std::nullopt;
  return out;
}

bool PatternMatcher::broadcasts_along(const TensorImpl& tensor, const Dims& sizes, uint32_t axes) const {
  const TensorImpl* t = &tensor;
  while (t->op == Op::Expand) t = t->sources[0];
  const int missing = sizes.rank() - t->rank();
  if (missing < 0) return false;
  for (int i = 0; i < sizes.rank(); ++i)
    if ((i < missing ? 1 : t->sizes[i - missing]) != ((axes >> i & 1) ? 1 : sizes[i])) return false;
  return true;
}

}  // namespace arenascope::rewriting
