// SPDX-License-Identifier: MIT
// Products and convolutions of numbers that were opened from 8 bits just before, as products of the bytes: exact sums, scaled
// once.
#include <algorithm>

#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

// (codes - zero) · scale.
struct Opened {
  const TensorImpl* codes;
  const TensorImpl* scale;
  double zero = 0;
};

// The number that all of a zero point's are, whatever their type.
std::optional<double> zero_point(const Look& look, const TensorImpl& tensor) {
  const TensorImpl* bare = &tensor;
  while (bare->op == Op::Reshape || bare->op == Op::Cast) bare = bare->sources[0];
  if (const auto number = look.number(*bare)) return number;
  const std::vector<double>& all = look.numbers(*bare);
  if (all.empty() || std::any_of(all.begin(), all.end(), [&](double z) { return z != all[0]; })) return std::nullopt;
  return all[0];
}

std::optional<Opened> opened(const Look& look, const TensorImpl& tensor) {
  if (tensor.op != Op::Mul || tensor.dtype != DType::F32) return std::nullopt;
  for (const size_t at : {size_t{0}, size_t{1}}) {
    const TensorImpl *part = tensor.sources[at], *scale = tensor.sources[1 - at];
    Opened out{nullptr, scale};
    if (part->op == Op::Sub) {
      const auto zero = zero_point(look, *part->sources[1]);
      if (!zero) continue;
      out.zero = *zero;
      part = part->sources[0];
    }
    if (part->op != Op::Cast || !(part->sizes == tensor.sizes) || scale->dtype != DType::F32 || !look.constant(*scale))
      continue;
    out.codes = part->sources[0];
    if (out.codes->dtype == DType::I8 || out.codes->dtype == DType::U8) return out;
  }
  return std::nullopt;
}

// Of what a run makes, with one scale; of weights of I8 around 0, with one scale or one for each of `columns`.
bool is_source(const Look& look, const Opened& x) { return !look.constant(*x.codes) && x.scale->element_count() == 1; }
bool is_weight(const Look& look, const Opened& w, int64_t columns) {
  return look.constant(*w.codes) && w.codes->dtype == DType::I8 && w.zero == 0 && columns > 0 &&
         (w.scale->element_count() == 1 || w.scale->element_count() == columns);
}

// What the source's zero point takes from each sum: as many times its weights' sum.
Tensor shift(Maker& m, const Tensor& weight, double zero) {
  const uint32_t but_first = (1u << weight->rank()) - 2;
  const Tensor wide = m.op_with(Op::Cast, {weight}, CastParams{DType::F32}, ":weights");
  const Tensor sums = m.op_with(Op::ReduceSum, {wide}, ReduceParams{but_first, false}, ":weight_sums");
  return m.op_with(Op::Scale, {sums}, ScaleParams{static_cast<float>(-zero), 0}, ":shift");
}

Tensor convolved(Maker& m, const Tensor& x, const Tensor& weight, double zero, const ConvParams& p) {
  if (!x || !weight) return {};
  return zero == 0 ? m.op_with(Op::Conv, {x, weight}, p, ":bytes")
                   : m.op_with(Op::Conv, {x, weight, shift(m, weight, zero)}, p, ":bytes");
}

// `sums` times both scales, one or one a column, in a dimension with `behind` more after it; and the bias.
Tensor scaled(Maker& m, const Tensor& sums, const Opened& x, const Opened& w, const TensorImpl* bias, int behind) {
  const auto line = [&](const Tensor& t, const char* suffix) {
    Dims sizes{t ? t->element_count() : 0};
    for (int i = 0; i < behind; ++i) sizes.push_back(1);
    return m.reshape(t, sizes, suffix);
  };
  const Tensor both =
      m.op(Op::Mul, {line(m.twin(*w.scale), ":w_scale"), line(m.twin(*x.scale), ":x_scale")}, ":scales");
  if (!bias) return m.op(Op::Mul, {sums, both});
  return m.op(Op::Add, {m.op(Op::Mul, {sums, both}, ":scaled"), line(m.twin(*bias), ":bias")});
}

Found found(const Opened& x, const Opened& w, const TensorImpl* bias, std::function<Tensor(Maker&)> make) {
  std::vector<const TensorImpl*> reads{x.codes, x.scale, w.codes, w.scale};
  if (bias) reads.push_back(bias);
  return {std::move(reads), std::move(make)};
}

std::optional<Found> product(const Look& look, const TensorImpl& root) {
  const TensorImpl &turned = *root.sources[0], &rows = *root.sources[1];
  if (turned.op != Op::Transpose || turned.rank() != 2 || rows.rank() < 2) return std::nullopt;
  const auto w = opened(look, *turned.sources[0]), x = opened(look, rows);
  const int64_t columns = turned.sizes[0], depth = turned.sizes[1], all = rows.element_count();
  const TensorImpl* bias = root.sources.size() > 2 ? root.sources[2] : nullptr;
  if (!w || !x || !is_source(look, *x) || !is_weight(look, *w, columns) || depth < 1 || all < 1 ||
      root.params.get<MulMatParams>().scale != 1 || (bias && bias->element_count() != columns))
    return std::nullopt;
  return found(*x, *w, bias, [x = *x, w = *w, bias, columns, depth, all, &root](Maker& m) {
    const int to_front[] = {0, 3, 1, 2}, to_back[] = {0, 2, 3, 1}, exchanged[] = {1, 0, 2, 3};
    const Tensor front = m.permute(m.reshape(m.twin(*x.codes), {1, all / depth, 1, depth}, ":rows"), to_front, ":x");
    const Tensor weight = m.contiguous(
        m.permute(m.reshape(m.twin(*w.codes), {depth, columns, 1, 1}, ":w"), exchanged, ":w_t"), ":w_bytes");
    const Tensor sums = convolved(m, front, weight, x.zero, ConvParams{2, {1, 1}, {1, 1}, {}, {}, {}, 1});
    const Tensor back = m.reshape(m.contiguous(m.permute(sums, to_back, ":y"), ":y_rows"), root.sizes, ":sums");
    return scaled(m, back, x, w, bias, 0);
  });
}

std::optional<Found> convolution(const Look& look, const TensorImpl& root) {
  const auto x = opened(look, *root.sources[0]), w = opened(look, *root.sources[1]);
  const int64_t columns = root.sizes[1];
  const TensorImpl* bias = root.sources.size() > 2 ? root.sources[2] : nullptr;
  if (!x || !w || !is_source(look, *x) || !is_weight(look, *w, columns) || root.element_count() == 0)
    return std::nullopt;
  return found(*x, *w, bias, [x = *x, w = *w, bias, &root](Maker& m) {
    ConvParams p = root.params.get<ConvParams>();
    PadParams pad{};
    pad.mode = PadMode::Constant, pad.value = static_cast<float>(x.zero);
    bool pads = false;
    for (int i = 0; i < p.spatial; ++i) {
      pads = pads || p.pads_begin[i] != 0 || p.pads_end[i] != 0;
      pad.begin[i + 2] = p.pads_begin[i], pad.end[i + 2] = p.pads_end[i];
    }
    Tensor source = m.twin(*x.codes);
    if (x.zero != 0 && pads) {
      source = m.op_with(Op::Pad, {source}, pad, ":padded");
      for (int i = 0; i < p.spatial; ++i) p.pads_begin[i] = p.pads_end[i] = 0;
    }
    return scaled(m, convolved(m, source, m.twin(*w.codes), x.zero, p), x, w, bias, root.rank() - 2);
  });
}

}  // namespace

std::optional<Found> find_bytes(const Look& look, const TensorImpl& root) {
  if (!look.options().bytes || root.dtype != DType::F32 || (root.op != Op::MulMat && root.op != Op::Conv))
    return std::nullopt;
  return root.op == Op::MulMat ? product(look, root) : convolution(look, root);
}

}  // namespace arenascope::rewriting
