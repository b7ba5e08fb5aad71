// SPDX-License-Identifier: MIT
// Reductions of rows, top k, arg max and min, cumulative sums and products.
#pragma once
#include "engine/backends/cuda/kernels/row_ops.h"

namespace arenascope::cuda {

template <class N>
ARENASCOPE_DEVICE void reduce(const RowWork& p) {
  const CooperativeGroup group = group_of(p.group);
  const int64_t n = p.along.count;
  for (int64_t l = group.number; l < p.rows.count; l += group.group_count) {
    const RowOffsets row = row_at(p, l);
    N v = p.what == RowOpcode::Prod  ? N(1)
          : p.what == RowOpcode::Max ? lowest<N>()
          : p.what == RowOpcode::Min ? N(-(lowest<N>() + 1))
                                     : N(0);
    N part = 0;  // partial sum: short sums are added to the total, which preserves digits
    int parts = 0;
    for (int64_t i = group.member; i < n; i += group.size) {
      const N x = source<N>(p, row, 0, i);
      switch (p.what) {
        case RowOpcode::Prod: v *= x; break;
        case RowOpcode::Max: v = v < x ? x : v; break;
        case RowOpcode::Min: v = x < v ? x : v; break;
        default:  // sums
          part += p.what == RowOpcode::L2 ? x * x : x;
          if (++parts % 32 == 0) {
            v += part;
            part = 0;
          }
      }
    }
    if (p.what != RowOpcode::Prod && p.what != RowOpcode::Max && p.what != RowOpcode::Min) v += part;
    switch (p.what) {
      case RowOpcode::Prod: v = joined(group, v, Times()); break;
      case RowOpcode::Max: v = joined(group, v, Larger()); break;
      case RowOpcode::Min: v = joined(group, v, Smaller()); break;
      default: v = joined(group, v, Plus());
    }
    if (p.what == RowOpcode::L2) v = static_cast<N>(sqrt(static_cast<double>(v)));
    if (p.what == RowOpcode::Mean) {
      if (n > 0 || static_cast<N>(0.5f) != N(0)) v = v / static_cast<N>(n);
    }
    if (group.member == 0) put_one(p.out_type, p.out, row.start[0], v);
  }
}

template <class N>
ARENASCOPE_DEVICE void arg(const RowWork& p) {
  const CooperativeGroup group = group_of(p.group);
  const Precedes<N> precedes{p.largest, p.last};
  for (int64_t l = group.number; l < p.rows.count; l += group.group_count) {
    const RowOffsets row = row_at(p, l);
    Found<N> best{N(0), -1};
    for (int64_t i = group.member; i < p.along.count; i += group.size) {
      const Found<N> x{source<N>(p, row, 0, i), i};
      if (precedes(x, best)) best = x;
    }
    best = first_of(group, best, precedes);
    if (group.member == 0) put_one<int64_t>(p.out_type, p.out, row.start[0], best.at < 0 ? 0 : best.at);
  }
}

// Each round selects the first element after the one of the previous round.
template <class N>
ARENASCOPE_DEVICE void top_k(const RowWork& p) {
  const CooperativeGroup group = group_of(p.group);
  const Precedes<N> precedes{p.largest, false};
  for (int64_t l = group.number; l < p.rows.count; l += group.group_count) {
    const RowOffsets row = row_at(p, l);
    Found<N> found{N(0), -1};
    for (int64_t round = 0; round < p.k; ++round) {
      Found<N> best{N(0), -1};
      for (int64_t i = group.member; i < p.along.count; i += group.size) {
        const Found<N> x{source<N>(p, row, 0, i), i};
        if ((round == 0 || precedes(found, x)) && precedes(x, best)) best = x;
      }
      found = first_of(group, best, precedes);
      if (group.member != 0) continue;
      const int64_t to = row.start[0] + round * p.along.strides[0][0];
      if (p.values)
        put_one(p.out_type, p.out, to, found.value);
      else
        put_one<int64_t>(p.out_type, p.out, to, found.at);
    }
  }
}

// Cumulative sums and products, accumulated as Sum. Float products use double, so that partial products do not overflow
// where the total does not.
template <class N, class Sum, class Join>
ARENASCOPE_DEVICE void cumulate(const RowWork& p, Sum none, Join join) {
  const CooperativeGroup group = group_of(p.group);
  const int64_t n = p.along.count;
  for (int64_t l = group.number; l < p.rows.count; l += group.group_count) {
    const RowOffsets row = row_at(p, l);
    Sum before = none;
    for (int64_t first = 0; first < n; first += group.size) {
      const int64_t i = first + group.member, at = p.reverse ? n - 1 - i : i;
      const Running<Sum> r = running(group, i < n ? static_cast<Sum>(source<N>(p, row, 0, at)) : none, none, join);
      if (i < n)
        put_one(p.out_type, p.out, along(p, row, 0, at),
                static_cast<N>(join(before, p.exclusive ? r.before : r.through)));
      before = join(before, r.total);
    }
  }
}

ARENASCOPE_KERNEL(reduce_f32, RowWork) { reduce<float>(p); }
ARENASCOPE_KERNEL(reduce_f64, RowWork) { reduce<double>(p); }
ARENASCOPE_KERNEL(reduce_int, RowWork) { reduce<int64_t>(p); }
ARENASCOPE_KERNEL(arg_f32, RowWork) { arg<float>(p); }
ARENASCOPE_KERNEL(arg_f64, RowWork) { arg<double>(p); }
ARENASCOPE_KERNEL(arg_int, RowWork) { arg<int64_t>(p); }
ARENASCOPE_KERNEL(top_k_f32, RowWork) { top_k<float>(p); }
ARENASCOPE_KERNEL(top_k_f64, RowWork) { top_k<double>(p); }
ARENASCOPE_KERNEL(top_k_int, RowWork) { top_k<int64_t>(p); }
ARENASCOPE_KERNEL(cum_sum_f32, RowWork) { cumulate<float>(p, 0.0f, Plus()); }
ARENASCOPE_KERNEL(cum_sum_f64, RowWork) { cumulate<double>(p, 0.0, Plus()); }
ARENASCOPE_KERNEL(cum_sum_int, RowWork) { cumulate<int64_t>(p, int64_t{0}, Plus()); }
ARENASCOPE_KERNEL(cum_prod_f32, RowWork) { cumulate<float>(p, 1.0, Times()); }
ARENASCOPE_KERNEL(cum_prod_f64, RowWork) { cumulate<double>(p, 1.0, Times()); }
ARENASCOPE_KERNEL(cum_prod_int, RowWork) { cumulate<int64_t>(p, int64_t{1}, Times()); }

}  // namespace arenascope::cuda
