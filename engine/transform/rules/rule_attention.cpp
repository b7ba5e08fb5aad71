// SPDX-License-Identifier: MIT
// Attention and rotary embedding emitted as several nodes.
#include <cmath>

#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

// The argument of the softmax: scale · matmul (+ mask).
struct Scores {
  const TensorImpl* product;
  double scale;
  const TensorImpl* mask = nullptr;
};

std::optional<Scores> scores_of(const PatternMatcher& matcher, const TensorImpl& soft_max) {
  const auto params = soft_max.params.get<SoftMaxParams>();
  if (params.axis != soft_max.rank() - 1 || soft_max.sources.size() > 2) return std::nullopt;
  Scores out{soft_max.sources[0], static_cast<double>(params.scale), nullptr};
  if (soft_max.sources.size() == 2) out.mask = soft_max.sources[1];
  if (!out.mask && params.scale == 1 && out.product->op == Op::Add) {
    for (size_t i = 0; i < 2 && !out.mask; ++i) {
      const TensorImpl& scores = *out.product->sources[i];
      if (matcher.affine(scores).of->op != Op::MulMat || !(scores.sizes == out.product->sizes)) continue;
      out.mask = out.product->sources[1 - i];
      out.product = &scores;
    }
  }
  const Affine a = matcher.affine(*out.product);
  if (a.of->op != Op::MulMat || a.bias != 0 || a.of->sources.size() != 2) return std::nullopt;
  out.product = a.of;
  out.scale *= a.scale * static_cast<double>(a.of->params.get<MulMatParams>().scale);
  return out;
}

bool same_outer(const TensorImpl& a, const TensorImpl& b, int count) {
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < count; ++i)
    if (a.sizes[i] != b.sizes[i]) return false;
  return true;
}

}  // namespace

// MUL_MAT(vᵀ, SOFT_MAX(scale · MUL_MAT(k, q) + mask))
std::optional<Replacement> find_attention(const PatternMatcher& matcher, const TensorImpl& root) {
  if (root.op != Op::MulMat || root.sources.size() != 2 || root.dtype != DType::F32) return std::nullopt;
  const TensorImpl &transposed_values = *root.sources[0], &weights = matcher.spread(*root.sources[1]);
  if (weights.op != Op::SoftMax || !(weights.sizes == root.sources[1]->sizes) || !matcher.sole(weights))
    return std::nullopt;
  const auto scores = scores_of(matcher, weights);
  if (!scores) return std::nullopt;
  // A scale of queries or keys is a scale of the scores.
  const Affine keys = matcher.affine(*scores->product->sources[0]),
               queries = matcher.affine(*scores->product->sources[1]);
  const TensorImpl &k = keys.bias == 0 ? *keys.of : *scores->product->sources[0],
                   &q = queries.bias == 0 ? *queries.of : *scores->product->sources[1];
  const int rank = root.rank();
  if (rank < 3 || q.dtype != DType::F32 || k.dtype != DType::F32 || transposed_values.dtype != DType::F32 ||
      !same_outer(q, k, rank - 2) || !same_outer(q, transposed_values, rank - 2) || !same_outer(q, root, rank - 2))
    return std::nullopt;
  if (scores->mask && scores->mask->dtype != DType::F32) return std::nullopt;
  if (root.params.get<MulMatParams>().scale != 1) return std::nullopt;
  const double scale = scores->scale * (keys.bias == 0 ? keys.scale : 1) * (queries.bias == 0 ? queries.scale : 1);
  Replacement found{{&q, &k, &transposed_values}, {}};
  if (scores->mask) found.reads.push_back(scores->mask);
  found.make = [&q, &k, &transposed_values, mask = scores->mask, scale](ReplacementBuilder& m) {
    std::vector<int> turn;
    for (int i = 0; i < transposed_values.rank(); ++i) turn.push_back(i);
    std::swap(turn[turn.size() - 1], turn[turn.size() - 2]);
    const Tensor values = m.permute(m.mapped(transposed_values), turn, ":values");
    const AttentionParams params{static_cast<float>(scale), false};
    return mask ? m.op_with(Op::Attention, {m.mapped(q), m.mapped(k), values, m.mapped(*mask)}, params)
                : m.op_with(Op::Attention, {m.mapped(q), m.mapped(k), values}, params);
  };
  return found;
}

namespace {

// A slice [begin, begin + length) of the last dimension, as a view.
struct LastDimSlice {
  const TensorImpl* of;
  int64_t begin, length;
};

std::optional<LastDimSlice> last_dim_slice(const TensorImpl& tensor) {
  const TensorImpl& t = tensor.op == Op::Cont ? *tensor.sources[0] : tensor;
  if (t.op != Op::View) return std::nullopt;
  const TensorImpl& from = *t.sources[0];
  const auto p = t.params.get<ViewParams>();
  if (from.rank() != t.rank() || !from.contiguous() || p.strides.rank() != from.rank()) return std::nullopt;
  for (int i = 0; i < t.rank(); ++i)
    if (p.strides[i] != from.strides[i] || (i + 1 < t.rank() && t.sizes[i] != from.sizes[i])) return std::nullopt;
  if (p.offset < 0 || p.offset + t.sizes.back() > from.sizes.back()) return std::nullopt;
  return LastDimSlice{&from, p.offset, t.sizes.back()};
}

// True if it is (-x2, x1), where x1 and x2 are the halves of x.
bool is_rotated_half(const PatternMatcher& matcher, const TensorImpl& tensor, const TensorImpl& x) {
  if (tensor.op != Op::Concat || tensor.sources.size() != 2 ||
      tensor.params.get<AxisParams>().axis != tensor.rank() - 1)
    return false;
  const Affine negative = matcher.affine(*tensor.sources[0]);
  const auto second = last_dim_slice(*negative.of), first = last_dim_slice(*tensor.sources[1]);
  const int64_t half = x.sizes.back() / 2;
  return negative.scale == -1 && negative.bias == 0 && first && second && first->of == &x && second->of == &x &&
         first->begin == 0 && first->length == half && second->begin == half && second->length == half;
}

// Position of the first row and base of the angles of a table [T, D] of cosines or sines.
struct Angles {
  int64_t start;
  double base;
};

std::optional<Angles> angles(const std::vector<double>& table, int64_t rows, int64_t width, bool sine) {
  const int64_t half = width / 2;
  if (static_cast<int64_t>(table.size()) != rows * width || half < 2 || rows < 1) return std::nullopt;
  const auto at = [&](int64_t t, int64_t i) { return table[static_cast<size_t>(t * width + i)]; };
  const double first = sine ? std::asin(std::clamp(at(0, 0), -1.0, 1.0)) : std::acos(std::clamp(at(0, 0), -1.0, 1.0));
  const auto start = static_cast<int64_t>(std::llround(first));
  constexpr double kBases[] = {10000, 500000, 1000000};
  constexpr double kClose = 2e-5;
  for (const double base : kBases) {
    bool fits = true;
    for (int64_t t = 0; t < rows && fits; ++t)
      for (int64_t i = 0; i < width && fits; ++i) {
        const double angle = static_cast<double>(t + start) *
                             std::pow(base, -2.0 * static_cast<double>(i % half) / static_cast<double>(width));
        fits = std::abs((sine ? std::sin(angle) : std::cos(angle)) - at(t, i)) < kClose;
      }
    if (fits) return Angles{start, base};
  }
  return std::nullopt;
}

}  // namespace

// x · cos + (-x2, x1) · sin, with tables of constants [T, D].
std::optional<Replacement> find_rotary(const PatternMatcher& matcher, const TensorImpl& root) {
  if (root.op != Op::Add || root.dtype != DType::F32 || root.rank() < 2 || root.sizes.back() % 2 != 0)
    return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const TensorImpl &plain = *root.sources[i], &transposed = *root.sources[1 - i];
    if (plain.op != Op::Mul || transposed.op != Op::Mul) continue;
    for (size_t j = 0; j < 4; ++j) {
      const TensorImpl &x = *plain.sources[j % 2], &cosines = *plain.sources[1 - j % 2];
      const TensorImpl &halves = *transposed.sources[j / 2], &sines = *transposed.sources[1 - j / 2];
      const int64_t rows = root.sizes.back(1), width = root.sizes.back();
      if (!(x.sizes == root.sizes) || !x.contiguous() || !is_rotated_half(matcher, halves, x)) continue;
      if (!(plain_sizes(cosines) == plain_sizes(sines)) || cosines.element_count() != rows * width ||
          cosines.sizes.back() != width || (rows > 1 && cosines.sizes.back(1) != rows))
        continue;
      const auto of_cosine = angles(matcher.numbers(cosines), rows, width, false),
                 of_sine = angles(matcher.numbers(sines), rows, width, true);
      if (!of_cosine || !of_sine || of_cosine->start != of_sine->start || of_cosine->base != of_sine->base) continue;
      const RopeParams params{static_cast<int32_t>(width), static_cast<float>(of_sine->base), 1.0f,
                              static_cast<int32_t>(of_sine->start), true};
      return Replacement{{&x},
                         [&x, params](ReplacementBuilder& m) { return m.op_with(Op::Rope, {m.mapped(x)}, params); }};
    }
  }
  return std::nullopt;
}

}  // namespace arenascope::rewriting
