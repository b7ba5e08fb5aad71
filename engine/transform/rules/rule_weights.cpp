// SPDX-License-Identifier: MIT
// What follows a convolution channel by channel goes into its weights, which are computed once, when they are loaded.
#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

// A convolution whose result only the root reads, with weights that are known.
struct Conv {
  const TensorImpl* node;
  const TensorImpl* x;
  const TensorImpl* weight;
  const TensorImpl* bias;  // null: none
  int64_t channels;
};

// `weights`: these are to change, which costs as many bytes as they take.
std::optional<Conv> conv_before(const Look& look, const TensorImpl& node, bool weights) {
  if ((node.op != Op::Conv && node.op != Op::ConvTranspose) || node.dtype != DType::F32 || !look.sole(node))
    return std::nullopt;
  if (node.op == Op::ConvTranspose && node.params.get<ConvParams>().groups != 1) return std::nullopt;
  Conv out{&node, node.sources[0], node.sources[1], node.sources.size() > 2 ? node.sources[2] : nullptr, node.sizes[1]};
  if (!look.constant(*out.weight) || out.weight->dtype != DType::F32 || look.constant(*out.x) ||
      (out.bias && (!look.constant(*out.bias) || out.bias->dtype != DType::F32)) ||
      (weights && out.weight->byte_count() > look.options().most_folded_bytes))
    return std::nullopt;
  return out;
}

// One number a channel, or one for all.
bool by_channel(const Look& look, const TensorImpl& t, const TensorImpl& node) {
  if (!look.constant(t) || t.dtype != DType::F32) return false;
  if (t.element_count() == 1) return true;
  const int missing = node.rank() - t.rank();
  if (missing < 0) return false;
  for (int i = missing; i < node.rank(); ++i)
    if (t.sizes[i - missing] != (i == 1 ? node.sizes[1] : 1)) return false;
  return t.element_count() == node.sizes[1];
}

Tensor spread_over(Maker& m, const Tensor& factor, const Conv& conv) {
  Dims sizes;
  const int channel_axis = conv.node->op == Op::Conv ? 0 : 1;
  for (int i = 0; i < conv.weight->rank(); ++i)
    sizes.push_back(i == channel_axis && factor->element_count() > 1 ? conv.channels : 1);
  return m.reshape(factor, sizes, ":factor");
}

// The convolution with other weights. `factor` may be undefined.
Tensor with_weights(Maker& m, const Conv& conv, const Tensor& factor, Tensor bias) {
  Tensor weight = m.twin(*conv.weight);
  if (factor) weight = m.op(Op::Mul, {weight, spread_over(m, factor, conv)}, ":weight");
  if (bias && bias->element_count() == 1 && conv.channels > 1)
    bias = m.contiguous(m.op_with(Op::Expand, {m.reshape(bias, {1}, ":bias")}, ReshapeParams{{conv.channels}}, ":bias"),
                        ":bias");
  if (bias) bias = m.reshape(bias, {conv.channels}, ":bias");
  const Tensor x = m.twin(*conv.x);
  std::vector<Tensor> sources{x, weight};
  if (bias) sources.push_back(bias);
  return m.op(conv.node->op, sources, conv.node->params);
}

Found found_over(const Conv& conv, std::vector<const TensorImpl*> others, std::function<Tensor(Maker&)> make) {
  others.insert(others.end(), {conv.x, conv.weight});
  if (conv.bias) others.push_back(conv.bias);
  return {std::move(others), std::move(make)};
}

}  // namespace

std::optional<Found> find_folded_norm(const Look& look, const TensorImpl& root) {
  if (root.op != Op::BatchNorm) return std::nullopt;
  const auto conv = conv_before(look, *root.sources[0], true);
  if (!conv) return std::nullopt;
  std::vector<const TensorImpl*> numbers;
  for (size_t i = 1; i < 5; ++i) {
    if (!look.constant(*root.sources[i])) return std::nullopt;
    numbers.push_back(root.sources[i]);
  }
  const float epsilon = root.params.get<BatchNormParams>().epsilon;
  return found_over(*conv, numbers, [conv = *conv, numbers, epsilon](Maker& m) {
    const Tensor gain = m.twin(*numbers[0]), shift = m.twin(*numbers[1]), mean = m.twin(*numbers[2]);
    const Tensor deviation = m.op(
        Op::Sqrt, {m.op_with(Op::Scale, {m.twin(*numbers[3])}, ScaleParams{1, epsilon}, ":variance")}, ":deviation");
    const Tensor factor = m.op(Op::Div, {gain, deviation}, ":factor");
    const Tensor from = conv.bias ? m.op(Op::Sub, {m.twin(*conv.bias), mean}, ":from") : m.op(Op::Neg, {mean}, ":from");
    const Tensor bias = m.op(Op::Add, {m.op(Op::Mul, {from, factor}, ":from"), shift}, ":bias");
    return with_weights(m, conv, factor, bias);
  });
}

// CONV + constants, CONV · constants, SCALE(CONV).
std::optional<Found> find_folded_factor(const Look& look, const TensorImpl& root) {
  if (root.op != Op::Add && root.op != Op::Sub && root.op != Op::Mul && root.op != Op::Scale && root.op != Op::Neg)
    return std::nullopt;
  const size_t at = root.sources.size() == 2 && look.constant(*root.sources[0]) ? 1 : 0;
  if (root.op == Op::Sub && at == 1) return std::nullopt;
  // Dimensions of one may come or go between both.
  const TensorImpl* from = root.sources[at];
  while (from->op == Op::Reshape && plain_sizes(*from) == plain_sizes(*from->sources[0]) && look.sole(*from))
    from = from->sources[0];
  const auto conv = conv_before(look, *from, root.op != Op::Add && root.op != Op::Sub);
  if (!conv || !(root.sources[at]->sizes == root.sizes) || root.rank() < 2 || root.sizes[1] != conv->channels ||
      (from != root.sources[at] && look.kept(root)))
    return std::nullopt;
  if (root.op == Op::Scale || root.op == Op::Neg) {
    const auto p = root.op == Op::Scale ? root.params.get<ScaleParams>() : ScaleParams{-1, 0};
    return found_over(*conv, {}, [conv = *conv, p, &root](Maker& m) {
      const auto fill = [&](float value, const char* suffix) {
        return m.op_with(Op::Fill, {}, FillParams{{1}, DType::F32, static_cast<double>(value), 0}, suffix);
      };
      Tensor bias;
      if (conv.bias)
        bias = m.op_with(Op::Scale, {m.twin(*conv.bias)}, p, ":bias");
      else if (p.bias != 0)
        bias = fill(p.bias, ":bias");
      return m.reshape(with_weights(m, conv, p.scale == 1 ? Tensor() : fill(p.scale, ":number"), bias), root.sizes);
    });
  }
  const TensorImpl& other = *root.sources[1 - at];
  if (!by_channel(look, other, root)) return std::nullopt;
  return found_over(*conv, {&other}, [conv = *conv, &other, &root, op = root.op](Maker& m) {
    const Tensor numbers = m.reshape(m.twin(other), {other.element_count()}, ":numbers");
    if (op == Op::Mul) {
      const Tensor scaled = conv.bias ? m.op(Op::Mul, {m.twin(*conv.bias), numbers}, ":bias") : Tensor();
      return m.reshape(with_weights(m, conv, numbers, scaled), root.sizes);
    }
    Tensor bias = numbers;
    if (conv.bias)
      bias = m.op(op, {m.twin(*conv.bias), numbers}, ":bias");
    else if (op == Op::Sub)
      bias = m.op(Op::Neg, {numbers}, ":bias");
    return m.reshape(with_weights(m, conv, {}, bias), root.sizes);
  });
}

// CONV(CONCAT(a, b)) of large images: a convolution of each, whose results are added, so that nothing is joined.
std::optional<Found> find_parted_join(const Look& look, const TensorImpl& root) {
  constexpr Bytes kLarge = Bytes{1} << 24;
  if (root.op != Op::Conv || look.kept(root) || root.params.get<ConvParams>().groups != 1) return std::nullopt;
  const TensorImpl &joined = *root.sources[0], &weight = *root.sources[1];
  if (joined.op != Op::Concat || joined.sources.size() != 2 || joined.params.get<AxisParams>().axis != 1 ||
      joined.dtype != DType::F32 || joined.byte_count() < kLarge || !look.sole(joined))
    return std::nullopt;
  const bool taps = weight.element_count() > weight.sizes[0] * weight.sizes[1];
  if (!taps || !look.constant(weight) || weight.dtype != DType::F32 || !weight.contiguous() ||
      weight.byte_count() > look.options().most_folded_bytes)
    return std::nullopt;
  const TensorImpl &a = *joined.sources[0], &b = *joined.sources[1];
  Found found{{&a, &b, &weight}, {}};
  if (root.sources.size() > 2) found.reads.push_back(root.sources[2]);
  found.make = [&root, &weight, &a, &b](Maker& m) {
    const auto part = [&](int64_t first, int64_t count, const char* suffix) {
      Dims sizes(weight.sizes.span());
      sizes[1] = count;
      const Dims strides(weight.strides.span());
      return m.contiguous(m.op_with(Op::View, {m.twin(weight)}, ViewParams{sizes, strides, first * strides[1]}, suffix),
                          suffix);
    };
    std::vector<Tensor> behind{m.twin(b), part(a.sizes[1], b.sizes[1], ":weight_1")};
    if (root.sources.size() > 2) behind.push_back(m.twin(*root.sources[2]));
    const Tensor before[] = {m.twin(a), part(0, a.sizes[1], ":weight_0")};
    return m.op(Op::Add, {m.op(Op::Conv, behind, root.params, ":1"), m.op(Op::Conv, before, root.params, ":0")});
  };
  return found;
}

}  // namespace arenascope::rewriting
