// SPDX-License-Identifier: MIT
#include "engine/models/zoo/zoo_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arenascope::models {
namespace {

// The i-th head's slope: a geometric sequence for the nearest power of two, then every other one of the next.
double alibi_slope(int64_t heads, int64_t head) {
  int64_t power = 1;
  while (power * 2 <= heads) power *= 2;
  if (head < power) return std::pow(2.0, -8.0 * static_cast<double>(head + 1) / static_cast<double>(power));
  return std::pow(2.0, -4.0 * static_cast<double>(2 * (head - power) + 1) / static_cast<double>(power));
}

}  // namespace

Tensor split_heads(ModelBuilder& builder, const Tensor& x, int64_t heads, const std::string& name) {
  if (!x) return {};
  const Tensor rows = builder.g().reshape(x, {x.sizes()[0], heads, x.sizes()[1] / heads}, name + ".heads");
  return builder.g().permute(rows, {1, 0, 2}, name + ".by_head");
}

Tensor split_heads_of(ModelBuilder& builder, const Tensor& joined, int64_t which, int64_t width, int64_t heads,
                      const std::string& name) {
  return split_heads(builder, builder.g().slice(joined, 1, which * width, (which + 1) * width, 1, name), heads, name);
}

Tensor attend(ModelBuilder& builder, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
              const std::string& prefix, const AttendOptions& options) {
  if (!q || !v) return {};
  GraphBuilder& g = builder.g();
  const int64_t tokens = q.sizes().back(1), depth = v.sizes().back(), rows = tokens * options.sequences;
  const int64_t heads = element_count(q.sizes()) / std::max<int64_t>(rows * q.sizes().back(), 1);
  Tensor scores = g.mul_mat(k, q, {}, prefix + "kq");
  float scale = options.scale > 0 ? options.scale : 1.0f / std::sqrt(static_cast<float>(q.sizes().back()));
  if (options.cap > 0) {
    scores = g.scale(g.op(Op::Tanh, {g.scale(scores, scale / options.cap)}), options.cap, 0, prefix + "kq_capped");
    scale = 1;
  }
  const Tensor weights = g.soft_max(scores, q->rank() - 1, scale, mask, prefix + "kq_soft_max");
  Tensor mixed = g.mul_mat(g.transpose(v, prefix + "v_t"), weights, {}, prefix + "kqv");
  if (q->rank() > 3) mixed = g.reshape(mixed, {heads, rows, depth}, prefix + "kqv_heads");
  const Tensor merged = g.cont(g.permute(mixed, {1, 0, 2}, prefix + "kqv_merged"), prefix + "kqv_merged_cont");
  return g.reshape(merged, {rows, heads * depth}, prefix + "kqv_out");
}

std::function<Status(std::byte*)> causal_mask_writer(int64_t heads, int64_t tokens, int64_t seen, bool alibi,
                                                     int64_t window) {
  return [=](std::byte* out) -> Status {
    auto* numbers = reinterpret_cast<float*>(out);
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t t = 0; t < tokens; ++t)
        for (int64_t s = 0; s < seen; ++s) {
          const int64_t back = seen - tokens + t - s;
          const double bias = alibi ? -alibi_slope(heads, h) * static_cast<double>(back) : 0;
          const bool hidden = back < 0 || (window > 0 && back >= window);
          *numbers++ = hidden ? -std::numeric_limits<float>::infinity() : static_cast<float>(bias);
        }
    return {};
  };
}

std::function<Status(std::byte*)> positions_writer(int64_t first, int64_t count, int64_t times) {
  return [=](std::byte* out) -> Status {
    auto* numbers = reinterpret_cast<int64_t*>(out);
    for (int64_t i = 0; i < count * times; ++i) numbers[i] = first + i % count;
    return {};
  };
}

}  // namespace arenascope::models
