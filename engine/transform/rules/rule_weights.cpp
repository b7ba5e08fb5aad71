// SPDX-License-Identifier: MIT
// Per-channel ops after a convolution are folded into its weights, once, when the weights are loaded.
#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

// A convolution with constant weights whose result only the root reads.
struct Conv {
  const TensorImpl* node;
  const TensorImpl* x;
  const TensorImpl* weight;
  const TensorImpl* bias;  // null: none
  int64_t channels;
};

// `weights`: the weights change, which allocates as many bytes as they take.
std::optional<Conv> conv_before(const PatternMatcher& matcher, const TensorImpl& node, bool weights) {
  if ((node.op != Op::Conv && node.op != Op::ConvTranspose) || node.dtype != DType::F32 || !matcher.sole(node))
    return std::nullopt;
  if (node.op == Op::ConvTranspose && node.params.get<ConvParams>().groups != 1) return std::nullopt;
  Conv out{&node, node.sources[0], node.sources[1], node.sources.size() > 2 ? node.sources[2] : nullptr, node.sizes[1]};
  if (!matcher.constant(*out.weight) || out.weight->dtype != DType::F32 || matcher.constant(*out.x) ||
      (out.bias && (!matcher.constant(*out.bias) || out.bias->dtype != DType::F32)) ||
      (weights && out.weight->byte_count() > matcher.options().max_folded_bytes))
    return std::nullopt;
  return out;
}

// One value per channel, or one for all.
bool by_channel(const PatternMatcher& matcher, const TensorImpl& t, const TensorImpl& node) {
  if (!matcher.constant(t) || t.dtype != DType::F32) return false;
  if (t.element_count() == 1) return true;
  const int missing = node.rank() - t.rank();
  if (missing < 0) return false;
  for (int i = missing; i < node.rank(); ++i)
    if (t.sizes[i - missing] != (i == 1 ? node.sizes[1] : 1)) return false;
  return t.element_count() == node.sizes[1];
}

Tensor spread_over(ReplacementBuilder& m, const Tensor& factor, const Conv& conv) {
  Dims sizes;
  const int channel_axis = conv.node->op == Op::Conv ? 0 : 1;
  for (int i = 0; i < conv.weight->rank(); ++i)
    sizes.push_back(i == channel_axis && factor->element_count() > 1 ? conv.channels : 1);
  return m.reshape(factor, sizes, ":factor");
}

// The convolution with other weights. `factor` may be undefined.
Tensor with_weights(ReplacementBuilder& m, const Conv& conv, const Tensor& factor, Tensor bias) {
  Tensor weight = m.mapped(*conv.weight);
  if (factor) weight = m.op(Op::Mul, {weight, spread_over(m, factor, conv)}, ":weight");
  if (bias && bias->element_count() == 1 && conv.channels > 1)
    bias = m.contiguous(m.op_with(Op::Expand, {m.reshape(bias, {1}, ":bias")}, ReshapeParams{{conv.channels}}, ":bias"),
                        ":bias");
  if (bias) bias = m.reshape(bias, {conv.channels}, ":bias");
  const Tensor x = m.mapped(*conv.x);
  std::vector<Tensor> sources{x, weight};
  if (bias) sources.push_back(bias);
  return m.op(conv.node->op, sources, conv.node->params);
}

Replacement found_over(const Conv& conv, std::vector<const TensorImpl*> others,
                       std::function<Tensor(ReplacementBuilder&)> make) {
  others.insert(others.end(), {conv.x, conv.weight});
  if (conv.bias) others.push_back(conv.bias);
  return {std::move(others), std::move(make)};
}

}  // namespace

std::optional<Replacement> find_foldable_batch_norm(const PatternMatcher& matcher, const TensorImpl& root) {
  if (root.op != Op::BatchNorm) return std::nullopt;
  const auto conv = conv_before(matcher, *root.sources[0], true);
  if (!conv) return std::nullopt;
  std::vector<const TensorImpl*> numbers;
  for (size_t i = 1; i < 5; ++i) {
    if (!matcher.constant(*root.sources[i])) return std::nullopt;
    numbers.push_back(root.sources[i]);
  }
  const float epsilon = root.params.get<BatchNormParams>().epsilon;
  return found_over(*conv, numbers, [conv = *conv, numbers, epsilon](ReplacementBuilder& m) {
    const Tensor gain = m.mapped(*numbers[0]), shift = m.mapped(*numbers[1]), mean = m.mapped(*numbers[2]);
    const Tensor deviation = m.op(
        Op::Sqrt, {m.op_with(Op::Scale, {m.mapped(*numbers[3])}, ScaleParams{1, epsilon}, ":variance")}, ":deviation");
    const Tensor factor = m.op(Op::Div, {gain, deviation}, ":factor");
    const Tensor from =
        conv.bias ? m.op(Op::Sub, {m.mapped(*conv.bias), mean}, ":from") : m.op(Op::Neg, {mean}, ":from");
    const Tensor bias = m.op(Op::Add, {m.op(Op::Mul, {from, factor}, ":from"), shift}, ":bias");
    return with_weights(m, conv, factor, bias);
  });
}

// CONV + constants, CONV · constants, SCALE(CONV).
std::optional<Replacement> find_foldable_scale(const PatternMatcher& matcher, const TensorImpl& root) {
  if (root.op != Op::Add && root.op != Op::Sub && root.op != Op::Mul && root.op != Op::Scale && root.op != Op::Neg)
    return std::nullopt;
  const size_t at = root.sources.size() == 2 && matcher.constant(*root.sources[0]) ? 1 : 0;
  if (root.op == Op::Sub && at == 1) return std::nullopt;
  // Reshapes that only add or drop dimensions of size 1 may be in between.
  const TensorImpl* from = root.sources[at];
  while (from->op == Op::Reshape && plain_sizes(*from) == plain_sizes(*from->sources[0]) && matcher.sole(*from))
    from = from->sources[0];
  const auto conv = conv_before(matcher, *from, root.op != Op::Add && root.op != Op::Sub);
  if (!conv || !(root.sources[at]->sizes == root.sizes) || root.rank() < 2 || root.sizes[1] != conv->channels ||
      (from != root.sources[at] && matcher.kept(root)))
    return std::nullopt;
  if (root.op == Op::Scale || root.op == Op::Neg) {
    const auto p = root.op == Op::Scale ? root.params.get<ScaleParams>() : ScaleParams{-1, 0};
    return found_over(*conv, {}, [conv = *conv, p, &root](ReplacementBuilder& m) {
      const auto fill = [&](float value, const char* suffix) {
        return m.op_with(Op::Fill, {}, FillParams{{1}, DType::F32, static_cast<double>(value), 0}, suffix);
      };
      Tensor bias;
      if (conv.bias)
        bias = m.op_with(Op::Scale, {m.mapped(*conv.bias)}, p, ":bias");
      else if (p.bias != 0)
        bias = fill(p.bias, ":bias");
      return m.reshape(with_weights(m, conv, p.scale == 1 ? Tensor() : fill(p.scale, ":number"), bias), root.sizes);
    });
  }
  const TensorImpl& other = *root.sources[1 - at];
  if (!by_channel(matcher, other, root)) return std::nullopt;
  return found_over(*conv, {&other}, [conv = *conv, &other, &root, op = root.op](ReplacementBuilder& m) {
    const Tensor numbers = m.reshape(m.mapped(other), {other.element_count()}, ":numbers");
    if (op == Op::Mul) {
      const Tensor scaled = conv.bias ? m.op(Op::Mul, {m.mapped(*conv.bias), numbers}, ":bias") : Tensor();
      return m.reshape(with_weights(m, conv, numbers, scaled), root.sizes);
    }
    Tensor bias = numbers;
    if (conv.bias)
      bias = m.op(op, {m.mapped(*conv.bias), numbers}, ":bias");
    else if (op == Op::Sub)
      bias = m.op(Op::Neg, {numbers}, ":bias");
    return m.reshape(with_weights(m, conv, {}, bias), root.sizes);
  });
}

// CONV(CONCAT(a, b)) of large images: the sum of one convolution each, without the concatenation.
std::optional<Replacement> find_splittable_concat(const PatternMatcher& matcher, const TensorImpl& root) {
  constexpr Bytes kLarge = Bytes{1} << 24;
  if (root.op != Op::Conv || matcher.kept(root) || root.params.get<ConvParams>().groups != 1) return std::nullopt;
  const TensorImpl &joined = *root.sources[0], &weight = *root.sources[1];
  if (joined.op != Op::Concat || joined.sources.size() != 2 || joined.params.get<AxisParams>().axis != 1 ||
      joined.dtype != DType::F32 || joined.byte_count() < kLarge || !matcher.sole(joined))
    return std::nullopt;
  const bool taps = weight.element_count() > weight.sizes[0] * weight.sizes[1];
  if (!taps || !matcher.constant(weight) || weight.dtype != DType::F32 || !weight.contiguous() ||
      weight.byte_count() > matcher.options().max_folded_bytes)
    return std::nullopt;
  const TensorImpl &a = *joined.sources[0], &b = *joined.sources[1];
  Replacement found{{&a, &b, &weight}, {}};
  if (root.sources.size() > 2) found.reads.push_back(root.sources[2]);
  found.make = [&root, &weight, &a, &b](ReplacementBuilder& m) {
    const auto part = [&](int64_t first, int64_t count, const char* suffix) {
      Dims sizes(weight.sizes.span());
      sizes[1] = count;
      const Dims strides(weight.strides.span());
      return m.contiguous(
          m.op_with(Op::View, {m.mapped(weight)}, ViewParams{sizes, strides, first * strides[1]}, suffix), suffix);
    };
    std::vector<Tensor> second_sources{m.mapped(b), part(a.sizes[1], b.sizes[1], ":weight_1")};
    if (root.sources.size() > 2) second_sources.push_back(m.mapped(*root.sources[2]));
    const Tensor first_sources[] = {m.mapped(a), part(0, a.sizes[1], ":weight_0")};
    return m.op(Op::Add,
                {m.op(Op::Conv, second_sources, root.params, ":1"), m.op(Op::Conv, first_sources, root.params, ":0")});
  };
  return found;
}

}  // namespace arenascope::rewriting
