// SPDX-License-Identifier: MIT
// Matmuls and convolutions of dequantised 8-bit values are computed on the bytes: exact integer sums, scaled once.
#include <algorithm>

#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

// A dequantised tensor: (codes - zero) · scale.
struct Dequantised {
  const TensorImpl* codes;
  const TensorImpl* scale;
  double zero = 0;
};

// The common value of all elements of a zero point of any type; none if they differ or are not known.
std::optional<double> zero_point(const PatternMatcher& matcher, const TensorImpl& tensor) {
  const TensorImpl* bare = &tensor;
  while (bare->op == Op::Reshape || bare->op == Op::Cast) bare = bare->sources[0];
  if (const auto number = matcher.number(*bare)) return number;
  const std::vector<double>& all = matcher.numbers(*bare);
  if (all.empty() || std::any_of(all.begin(), all.end(), [&](double z) { return z != all[0]; })) return std::nullopt;
  return all[0];
}

std::optional<Dequantised> dequantised(const PatternMatcher& matcher, const TensorImpl& tensor) {
  if (tensor.op != Op::Mul || tensor.dtype != DType::F32) return std::nullopt;
  for (const size_t at : {size_t{0}, size_t{1}}) {
    const TensorImpl *part = tensor.sources[at], *scale = tensor.sources[1 - at];
    Dequantised out{nullptr, scale};
    if (part->op == Op::Sub) {
      const auto zero = zero_point(matcher, *part->sources[1]);
      if (!zero) continue;
      out.zero = *zero;
      part = part->sources[0];
    }
    if (part->op != Op::Cast || !(part->sizes == tensor.sizes) || scale->dtype != DType::F32 ||
        !matcher.constant(*scale))
      continue;
    out.codes = part->sources[0];
    if (out.codes->dtype == DType::I8 || out.codes->dtype == DType::U8) return out;
  }
  return std::nullopt;
}

// is_source: computed in the run, with one scale. is_weight: constant I8 with zero point 0 and one scale, or one per
// column.
bool is_source(const PatternMatcher& matcher, const Dequantised& x) {
  return !matcher.constant(*x.codes) && x.scale->element_count() == 1;
}
bool is_weight(const PatternMatcher& matcher, const Dequantised& w, int64_t columns) {
  return matcher.constant(*w.codes) && w.codes->dtype == DType::I8 && w.zero == 0 && columns > 0 &&
         (w.scale->element_count() == 1 || w.scale->element_count() == columns);
}

// Contribution of the input's zero point to each sum: minus zero point times the sum of the weights.
Tensor shift(ReplacementBuilder& m, const Tensor& weight, double zero) {
  const uint32_t but_first = (1u << weight->rank()) - 2;
  const Tensor wide = m.op_with(Op::Cast, {weight}, CastParams{DType::F32}, ":weights");
  const Tensor sums = m.op_with(Op::ReduceSum, {wide}, ReduceParams{but_first, false}, ":weight_sums");
  return m.op_with(Op::Scale, {sums}, ScaleParams{static_cast<float>(-zero), 0}, ":shift");
}

Tensor convolved(ReplacementBuilder& m, const Tensor& x, const Tensor& weight, double zero, const ConvParams& p) {
  if (!x || !weight) return {};
  return zero == 0 ? m.op_with(Op::Conv, {x, weight}, p, ":bytes")
                   : m.op_with(Op::Conv, {x, weight, shift(m, weight, zero)}, p, ":bytes");
}

// `sums` times both scales (one, or one per column, in a dimension followed by `trailing` more), plus the bias.
Tensor scaled(ReplacementBuilder& m, const Tensor& sums, const Dequantised& x, const Dequantised& w,
              const TensorImpl* bias, int trailing) {
  const auto line = [&](const Tensor& t, const char* suffix) {
    Dims sizes{t ? t->element_count() : 0};
    for (int i = 0; i < trailing; ++i) sizes.push_back(1);
    return m.reshape(t, sizes, suffix);
  };
  const Tensor both =
      m.op(Op::Mul, {line(m.mapped(*w.scale), ":w_scale"), line(m.mapped(*x.scale), ":x_scale")}, ":scales");
  if (!bias) return m.op(Op::Mul, {sums, both});
  return m.op(Op::Add, {m.op(Op::Mul, {sums, both}, ":scaled"), line(m.mapped(*bias), ":bias")});
}

Replacement found(const Dequantised& x, const Dequantised& w, const TensorImpl* bias,
                  std::function<Tensor(ReplacementBuilder&)> make) {
  std::vector<const TensorImpl*> reads{x.codes, x.scale, w.codes, w.scale};
  if (bias) reads.push_back(bias);
  return {std::move(reads), std::move(make)};
}

std::optional<Replacement> product(const PatternMatcher& matcher, const TensorImpl& root) {
  const TensorImpl &transposed = *root.sources[0], &rows = *root.sources[1];
  if (transposed.op != Op::Transpose || transposed.rank() != 2 || rows.rank() < 2) return std::nullopt;
  const auto w = dequantised(matcher, *transposed.sources[0]), x = dequantised(matcher, rows);
  const int64_t columns = transposed.sizes[0], depth = transposed.sizes[1], all = rows.element_count();
  const TensorImpl* bias = root.sources.size() > 2 ? root.sources[2] : nullptr;
  if (!w || !x || !is_source(matcher, *x) || !is_weight(matcher, *w, columns) || depth < 1 || all < 1 ||
      root.params.get<MulMatParams>().scale != 1 || (bias && bias->element_count() != columns))
    return std::nullopt;
  return found(*x, *w, bias, [x = *x, w = *w, bias, columns, depth, all, &root](ReplacementBuilder& m) {
    const int to_front[] = {0, 3, 1, 2}, to_back[] = {0, 2, 3, 1}, exchanged[] = {1, 0, 2, 3};
    const Tensor front = m.permute(m.reshape(m.mapped(*x.codes), {1, all / depth, 1, depth}, ":rows"), to_front, ":x");
    const Tensor weight = m.contiguous(
        m.permute(m.reshape(m.mapped(*w.codes), {depth, columns, 1, 1}, ":w"), exchanged, ":w_t"), ":w_bytes");
    const Tensor sums = convolved(m, front, weight, x.zero, ConvParams{2, {1, 1}, {1, 1}, {}, {}, {}, 1});
    const Tensor back = m.reshape(m.contiguous(m.permute(sums, to_back, ":y"), ":y_rows"), root.sizes, ":sums");
    return scaled(m, back, x, w, bias, 0);
  });
}

std::optional<Replacement> convolution(const PatternMatcher& matcher, const TensorImpl& root) {
  const auto x = dequantised(matcher, *root.sources[0]), w = dequantised(matcher, *root.sources[1]);
  const int64_t columns = root.sizes[1];
  const TensorImpl* bias = root.sources.size() > 2 ? root.sources[2] : nullptr;
  if (!x || !w || !is_source(matcher, *x) || !is_weight(matcher, *w, columns) || root.element_count() == 0)
    return std::nullopt;
  return found(*x, *w, bias, [x = *x, w = *w, bias, &root](ReplacementBuilder& m) {
    ConvParams p = root.params.get<ConvParams>();
    PadParams pad{};
    pad.mode = PadMode::Constant, pad.value = static_cast<float>(x.zero);
    bool pads = false;
    for (int i = 0; i < p.spatial; ++i) {
      pads = pads || p.pads_begin[i] != 0 || p.pads_end[i] != 0;
      pad.begin[i + 2] = p.pads_begin[i], pad.end[i + 2] = p.pads_end[i];
    }
    Tensor source = m.mapped(*x.codes);
    if (x.zero != 0 && pads) {
      source = m.op_with(Op::Pad, {source}, pad, ":padded");
      for (int i = 0; i < p.spatial; ++i) p.pads_begin[i] = p.pads_end[i] = 0;
    }
    return scaled(m, convolved(m, source, m.mapped(*w.codes), x.zero, p), x, w, bias, root.rank() - 2);
  });
}

}  // namespace

std::optional<Replacement> find_int8_matmul(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!matcher.options().bytes || root.dtype != DType::F32 || (root.op != Op::MulMat && root.op != Op::Conv))
    return std::nullopt;
  return root.op == Op::MulMat ? product(matcher, root) : convolution(matcher, root);
}

}  // namespace arenascope::rewriting
