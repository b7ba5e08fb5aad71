// SPDX-License-Identifier: MIT
// Shape and flops rules of matmul, convolutions, attention, recurrences and pooling.
#include <algorithm>

#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include <arenascope/graph/op_params.h>
#include "engine/graph/op_rules.h"

namespace arenascope::rules {
namespace {

bool product_type(DType type) { return info(type).floating || info(type).quantised; }

Status check_bias(Op op, Sources sources, size_t index, int64_t channels) {
  if (sources.size() <= index) return {};
  const TensorImpl& bias = *sources[index];
  if (bias.rank() != 1 || bias.sizes[0] != channels || !info(bias.dtype).floating)
    return refuse(op,
                  fmt::format("its bias is {} {}, not {} numbers", name(bias.dtype), to_string(bias.sizes), channels));
  return {};
}

// The number of positions of a window over one dimension.
Result<int64_t> window_positions(Op op, int64_t size, int64_t kernel, int64_t stride, int64_t dilation, int64_t begin,
                                 int64_t end, bool ceil_mode) {
  if (kernel < 1 || stride < 1 || dilation < 1)
    return refuse(op, fmt::format("kernel {}, stride {} and dilation {} must be at least 1", kernel, stride, dilation));
  if (begin < 0 || end < 0) return refuse(op, fmt::format("the pads {} and {} must not be negative", begin, end));
  auto reach = checked_mul(dilation, kernel - 1);
  auto padded = checked_add(size, begin + end);
  if (!reach || !padded) return refuse(op, "its window overflows");
  const int64_t slack = *padded - *reach - 1;
  if (slack < 0)
    return refuse(op, fmt::format("a window of {} does not fit in the {} padded elements", *reach + 1, *padded));
  if (!ceil_mode) return slack / stride + 1;
  const int64_t steps = slack / stride + (slack % stride != 0);
  // A window must not begin in the end padding.
  const auto start = checked_mul(steps, stride);
  return start && *start < size + begin ? steps + 1 : steps;
}

}  // namespace

Result<Inferred> mul_mat_rule(Op op, Sources sources, const OpParams&) {
  const TensorImpl &a = *sources[0], &b = *sources[1];
  if (a.rank() < 2 || b.rank() < 2)
    return refuse(op, fmt::format("inputs {} and {} need two dimensions", to_string(a.sizes), to_string(b.sizes)));
  if (!product_type(a.dtype) || !info(b.dtype).floating)
    return refuse(op, fmt::format("it cannot multiply {} by {}", name(a.dtype), name(b.dtype)));
  if (a.sizes.back() != b.sizes.back())
    return refuse(op, fmt::format("inner dimensions differ: {} and {}", a.sizes.back(), b.sizes.back()));
  Dims batch_a = a.sizes, batch_b = b.sizes;
  batch_a.resize(a.rank() - 2);
  batch_b.resize(b.rank() - 2);
  auto sizes = broadcast(batch_a, batch_b);
  if (!sizes) return refuse(op, sizes.error().message);
  sizes->push_back(b.sizes.back(1));
  sizes->push_back(a.sizes.back(1));
  if (auto bias = check_bias(op, sources, 2, a.sizes.back(1)); !bias) return bias.error();
  return Inferred{DType::F32, *sizes, {}, 0};
}

int64_t mul_mat_flops(const TensorImpl& node) {
  return saturating_mul(saturating_mul(2, node.element_count()), node.sources[0]->sizes.back());
}

Result<Inferred> conv_rule(Op op, Sources sources, const OpParams& params) {
  const TensorImpl &x = *sources[0], &w = *sources[1];
  const auto p = params.get<ConvParams>();
  if (p.spatial < 1 || p.spatial > 3 || x.rank() != p.spatial + 2 || w.rank() != x.rank())
    return refuse(op, fmt::format("input {} and weight {} do not form a convolution in {} dimensions",
                                  to_string(x.sizes), to_string(w.sizes), p.spatial));
  // Products of 8-bit integers are accumulated exactly.
  const bool whole = (x.dtype == DType::U8 || x.dtype == DType::I8) && w.dtype == DType::I8;
  if (!whole && (!info(x.dtype).floating || !info(w.dtype).floating))
    return refuse(op, "its inputs must be floating point, or of 8 bits");
  if (p.groups < 1 || w.sizes[0] % p.groups != 0 || x.sizes[1] % p.groups != 0 || x.sizes[1] / p.groups != w.sizes[1])
    return refuse(op, fmt::format("{} channels in {} groups do not match the weight {}", x.sizes[1], p.groups,
                                  to_string(w.sizes)));
  Dims sizes{x.sizes[0], w.sizes[0]};
  for (int i = 0; i < p.spatial; ++i) {
    auto n = window_positions(op, x.sizes[i + 2], w.sizes[i + 2], p.strides[i], p.dilations[i], p.pads_begin[i],
                              p.pads_end[i], false);
    if (!n) return n.error();
    sizes.push_back(*n);
  }
  if (auto bias = check_bias(op, sources, 2, w.sizes[0]); !bias) return bias.error();
  return Inferred{whole ? DType::F32 : x.dtype, sizes, {}, 0};
}

int64_t conv_flops(const TensorImpl& node) {
  const Dims& w = node.sources[1]->sizes;
  return w[0] == 0 ? 0 : saturating_mul(saturating_mul(2, node.element_count()), element_count(w) / w[0]);
}

Result<Inferred> conv_transpose_rule(Op op, Sources sources, const OpParams& params) {
  const TensorImpl &x = *sources[0], &w = *sources[1];
  const auto p = params.get<ConvParams>();
  if (p.spatial < 1 || p.spatial > 3 || x.rank() != p.spatial + 2 || w.rank() != x.rank() || p.groups < 1 ||
      x.sizes[1] % p.groups != 0 || w.sizes[0] != x.sizes[1])
    return refuse(op, fmt::format("input {} and weight {} do not match in {} groups", to_string(x.sizes),
                                  to_string(w.sizes), p.groups));
  if (!info(x.dtype).floating || !info(w.dtype).floating) return refuse(op, "its inputs must be floating point");
  auto channels = checked_mul(w.sizes[1], p.groups);
  if (!channels) return refuse(op, "its channels overflow");
  Dims sizes{x.sizes[0], *channels};
  for (int i = 0; i < p.spatial; ++i) {
    if (p.strides[i] < 1 || p.dilations[i] < 1) return refuse(op, "strides and dilations must be at least 1");
    if (x.sizes[i + 2] < 1 || w.sizes[i + 2] < 1) return refuse(op, "its input and its kernel must not be empty");
    auto span = checked_mul(x.sizes[i + 2] - 1, p.strides[i]);
    auto reach = checked_mul(w.sizes[i + 2] - 1, p.dilations[i]);
    auto sum = span && reach ? checked_add(*span, *reach) : std::nullopt;
    const int64_t rest = int64_t{1} + p.output_padding[i] - p.pads_begin[i] - p.pads_end[i];
    auto n = sum ? checked_add(*sum, rest) : std::nullopt;
    if (!n) return refuse(op, "its window overflows");
    if (*n < 0) return refuse(op, "its pads leave nothing");
    sizes.push_back(*n);
  }
  if (auto bias = check_bias(op, sources, 2, *channels); !bias) return bias.error();
  return Inferred{x.dtype, sizes, {}, 0};
}

int64_t conv_transpose_flops(const TensorImpl& node) {
  const Dims& w = node.sources[1]->sizes;
  return w[0] == 0 ? 0 : saturating_mul(saturating_mul(2, node.sources[0]->element_count()), element_count(w) / w[0]);
}

Result<Inferred> attention_rule(Op op, Sources sources, const OpParams&) {
  const Dims &q = sources[0]->sizes, &k = sources[1]->sizes, &v = sources[2]->sizes;
  bool fits = q.rank() >= 3 && k.rank() == q.rank() && v.rank() == q.rank() && q.back() == k.back() &&
              k.back(1) == v.back(1) && k.back(2) == v.back(2) && k.back(2) > 0 && q.back(2) % k.back(2) == 0;
  for (int i = 0; fits && i < q.rank() - 3; ++i) fits = q[i] == k[i] && q[i] == v[i];
  if (!fits)
    return refuse(op, fmt::format("q {}, k {} and v {} do not match", to_string(q), to_string(k), to_string(v)));
  for (size_t i = 0; i < 3; ++i)
    if (!(i > 0 ? product_type(sources[i]->dtype) : info(sources[i]->dtype).floating))
      return refuse(op, "its inputs must be floating point, keys and values may be quantised");
  Dims sizes = q;
  sizes[q.rank() - 1] = v.back();
  if (sources.size() > 3) {
    Dims scores = q;
    scores[q.rank() - 1] = k.back(1);
    auto mask = broadcast(sources[3]->sizes, scores);
    if (!mask || !(*mask == scores) || sources[3]->dtype != DType::F32)
      return refuse(
          op, fmt::format("its mask {} does not broadcast to {}", to_string(sources[3]->sizes), to_string(scores)));
  }
  return Inferred{DType::F32, sizes, {}, 0};
}

int64_t attention_flops(const TensorImpl& node) {
  const Dims &q = node.sources[0]->sizes, &v = node.sources[2]->sizes;
  const int64_t rows = q.back() == 0 ? 0 : element_count(q) / q.back();
  const int64_t scores = saturating_mul(rows, v.back(1));
  return saturating_mul(scores, saturating_add(5, saturating_mul(2, saturating_add(q.back(), v.back()))));
}

namespace {

// Inputs X, W, R and those in the bit mask `present`: bias, then the states of the cell. `states`: blocks of states at
// the end of the result.
Result<Inferred> recurrence(Op op, Sources sources, int64_t gates, int64_t h, int direction, int present, int states) {
  const Dims &x = sources[0]->sizes, &w = sources[1]->sizes, &r = sources[2]->sizes;
  const int64_t directions = direction == 2 ? 2 : 1;
  if (h < 1 || direction < 0 || direction > 2 || x.rank() != 3 || w.rank() != 3 || r.rank() != 3 ||
      !(w == Dims{directions, gates * h, x[2]}) || !(r == Dims{directions, gates * h, h}))
    return refuse(op, fmt::format("X {}, W {} and R {} do not match a hidden size of {}", to_string(x), to_string(w),
                                  to_string(r), h));
  if (const int all = (2 << states) - 1; (present & ~all) != 0)
    return refuse(op, fmt::format("the mask of its optional inputs is {}: expected 0 to {}", present, all));
  size_t next = 3;
  const Dims state{directions, x[1], h};
  for (int bit = 1; bit <= 1 << states; bit *= 2) {
    if (!(present & bit)) continue;
    if (next >= sources.size()) return refuse(op, "an optional input is missing");
    const Dims expected = bit == 1 ? Dims{directions, 2 * gates * h} : state;
    if (!(sources[next]->sizes == expected))
      return refuse(op,
                    fmt::format("input {} is {}, not {}", next, to_string(sources[next]->sizes), to_string(expected)));
    ++next;
  }
  if (next != sources.size()) return refuse(op, "there are more inputs than it takes");
  for (const TensorImpl* source : sources)
    if (source->dtype != DType::F32) return refuse(op, "its inputs must be f32");
  auto count = checked_element_count({x[0] + states, directions, x[1], h});
  if (!count) return refuse(op, count.error().message);
  return Inferred{DType::F32, {*count}, {}, 0};
}

}  // namespace

Result<Inferred> lstm_rule(Op op, Sources sources, const OpParams& params) {
  const auto p = params.get<LstmParams>();
  return recurrence(op, sources, 4, p.hidden, p.direction, p.present, 2);
}

Result<Inferred> recurrent_rule(Op op, Sources sources, const OpParams& params) {
  const auto p = params.get<RecurrentParams>();
  if (op == Op::Rnn && p.linear_before_reset)
    return refuse(op, "linear_before_reset is set, but only a GRU has a reset gate");
  return recurrence(op, sources, op == Op::Gru ? 3 : 1, p.hidden, p.direction, p.present, 1);
}

int64_t lstm_flops(const TensorImpl& node) {
  const Dims &x = node.sources[0]->sizes, &w = node.sources[1]->sizes, &r = node.sources[2]->sizes;
  return saturating_mul(saturating_mul(2, saturating_mul(x[0], x[1])),
                        saturating_add(element_count(w), element_count(r)));
}

Result<Inferred> pool_rule(Op op, Sources sources, const OpParams& params) {
  const TensorImpl& x = *sources[0];
  const auto p = params.get<PoolParams>();
  if (auto plain = refuse_quantised(op, sources); !plain) return plain.error();
  if (p.spatial < 1 || p.spatial > 3 || x.rank() != p.spatial + 2)
    return refuse(op, fmt::format("input {} does not have {} spatial dimensions", to_string(x.sizes), p.spatial));
  Dims sizes{x.sizes[0], x.sizes[1]};
  for (int i = 0; i < p.spatial; ++i) {
    auto n = window_positions(op, x.sizes[i + 2], p.kernel[i], p.strides[i], p.dilations[i], p.pads_begin[i],
                              p.pads_end[i], p.ceil_mode);
    if (!n) return n.error();
    sizes.push_back(*n);
  }
  return Inferred{x.dtype, sizes, {}, 0};
}

Result<Inferred> max_pool_back_rule(Op op, Sources sources, const OpParams& params) {
  auto pooled = pool_rule(op, sources.first(1), params);
  if (!pooled) return pooled;
  if (!(pooled->sizes == sources[1]->sizes) || sources[1]->dtype != sources[0]->dtype)
    return refuse(op, fmt::format("a gradient {} {} of windows {} {}", name(sources[1]->dtype),
                                  to_string(sources[1]->sizes), name(pooled->dtype), to_string(pooled->sizes)));
  return Inferred{sources[0]->dtype, sources[0]->sizes, {}, 0};
}

int64_t pool_flops(const TensorImpl& node) {
  const auto p = node.params.get<PoolParams>();
  int64_t window = 1;
  for (int i = 0; i < p.spatial; ++i) window = saturating_mul(window, p.kernel[i]);
  return saturating_mul(node.element_count(), window);
}

Result<Inferred> lrn_rule(Op op, Sources sources, const OpParams& params) {
  const int32_t size = params.get<LrnParams>().size;
  if (sources[0]->rank() < 2) return refuse(op, "its input needs a channel dimension");
  if (size < 1) return refuse(op, fmt::format("a window of {} channels", size));
  return float_rule(op, sources, params);
}

int64_t lrn_flops(const TensorImpl& node) {
  return saturating_mul(node.element_count(), int64_t{2} * node.params.get<LrnParams>().size + 3);
}

}  // namespace arenascope::rules
