// SPDX-License-Identifier: MIT
// Lines folded into a result or followed by running ones: reductions, the largest elements and their places, running
// sums and products.
#pragma once
#include "engine/backends/cuda/kernels/lines.h"

namespace arenascope::cuda {

template <class N>
ARENASCOPE_DEVICE void reduce(const LineWork& p) {
  const Team team = team_of(p.team);
  const int64_t n = p.along.count;
  for (int64_t l = team.number; l < p.lines.count; l += team.teams) {
    const Line line = line_at(p, l);
    N v = p.what == LineDo::Prod  ? N(1)
          : p.what == LineDo::Max ? lowest<N>()
          : p.what == LineDo::Min ? N(-(lowest<N>() + 1))
                                  : N(0);
    N part = 0;  // of a sum: short sums are added to the long one, which keeps their digits
    int parts = 0;
    for (int64_t i = team.member; i < n; i += team.size) {
      const N x = source<N>(p, line, 0, i);
      switch (p.what) {
        case LineDo::Prod: v *= x; break;
        case LineDo::Max: v = v < x ? x : v; break;
        case LineDo::Min: v = x < v ? x : v; break;
        default:  // sums
          part += p.what == LineDo::L2 ? x * x : x;
          if (++parts % 32 == 0) {
            v += part;
            part = 0;
          }
      }
    }
    if (p.what != LineDo::Prod && p.what != LineDo::Max && p.what != LineDo::Min) v += part;
    switch (p.what) {
      case LineDo::Prod: v = joined(team, v, Times()); break;
      case LineDo::Max: v = joined(team, v, Larger()); break;
      case LineDo::Min: v = joined(team, v, Smaller()); break;
      default: v = joined(team, v, Plus());
    }
    if (p.what == LineDo::L2) v = static_cast<N>(sqrt(static_cast<double>(v)));
    if (p.what == LineDo::Mean) {
      if (n > 0 || static_cast<N>(0.5f) != N(0)) v = v / static_cast<N>(n);
    }
    if (team.member == 0) put_one(p.out_type, p.out, line.start[0], v);
  }
}

template <class N>
ARENASCOPE_DEVICE void arg(const LineWork& p) {
  const Team team = team_of(p.team);
  const Precedes<N> precedes{p.largest, p.last};
  for (int64_t l = team.number; l < p.lines.count; l += team.teams) {
    const Line line = line_at(p, l);
    Found<N> best{N(0), -1};
    for (int64_t i = team.member; i < p.along.count; i += team.size) {
      const Found<N> x{source<N>(p, line, 0, i), i};
      if (precedes(x, best)) best = x;
    }
    best = first_of(team, best, precedes);
    if (team.member == 0) put_one<int64_t>(p.out_type, p.out, line.start[0], best.at < 0 ? 0 : best.at);
  }
}

// Round by round the first of those that come behind the last one found.
template <class N>
ARENASCOPE_DEVICE void top_k(const LineWork& p) {
  const Team team = team_of(p.team);
  const Precedes<N> precedes{p.largest, false};
  for (int64_t l = team.number; l < p.lines.count; l += team.teams) {
    const Line line = line_at(p, l);
    Found<N> found{N(0), -1};
    for (int64_t round = 0; round < p.k; ++round) {
      Found<N> best{N(0), -1};
      for (int64_t i = team.member; i < p.along.count; i += team.size) {
        const Found<N> x{source<N>(p, line, 0, i), i};
        if ((round == 0 || precedes(found, x)) && precedes(x, best)) best = x;
      }
      found = first_of(team, best, precedes);
      if (team.member != 0) continue;
      const int64_t to = line.start[0] + round * p.along.strides[0][0];
      if (p.values)
        put_one(p.out_type, p.out, to, found.value);
      else
        put_one<int64_t>(p.out_type, p.out, to, found.at);
    }
  }
}

// Running sums and products, which are kept as Sum. Products of floats are multiplied as doubles, so that those of a part
// of a line do not overflow where the whole does not.
template <class N, class Sum, class Join>
ARENASCOPE_DEVICE void cumulate(const LineWork& p, Sum none, Join join) {
  const Team team = team_of(p.team);
  const int64_t n = p.along.count;
  for (int64_t l = team.number; l < p.lines.count; l += team.teams) {
    const Line line = line_at(p, l);
    Sum before = none;
    for (int64_t first = 0; first < n; first += team.size) {
      const int64_t i = first + team.member, at = p.reverse ? n - 1 - i : i;
      const Running<Sum> r = running(team, i < n ? static_cast<Sum>(source<N>(p, line, 0, at)) : none, none, join);
      if (i < n)
        put_one(p.out_type, p.out, along(p, line, 0, at),
                static_cast<N>(join(before, p.exclusive ? r.before : r.through)));
      before = join(before, r.total);
    }
  }
}

ARENASCOPE_KERNEL(reduce_f32, LineWork) { reduce<float>(p); }
ARENASCOPE_KERNEL(reduce_f64, LineWork) { reduce<double>(p); }
ARENASCOPE_KERNEL(reduce_whole, LineWork) { reduce<int64_t>(p); }
ARENASCOPE_KERNEL(arg_f32, LineWork) { arg<float>(p); }
ARENASCOPE_KERNEL(arg_f64, LineWork) { arg<double>(p); }
ARENASCOPE_KERNEL(arg_whole, LineWork) { arg<int64_t>(p); }
ARENASCOPE_KERNEL(top_k_f32, LineWork) { top_k<float>(p); }
ARENASCOPE_KERNEL(top_k_f64, LineWork) { top_k<double>(p); }
ARENASCOPE_KERNEL(top_k_whole, LineWork) { top_k<int64_t>(p); }
ARENASCOPE_KERNEL(cum_sum_f32, LineWork) { cumulate<float>(p, 0.0f, Plus()); }
ARENASCOPE_KERNEL(cum_sum_f64, LineWork) { cumulate<double>(p, 0.0, Plus()); }
ARENASCOPE_KERNEL(cum_sum_whole, LineWork) { cumulate<int64_t>(p, int64_t{0}, Plus()); }
ARENASCOPE_KERNEL(cum_prod_f32, LineWork) { cumulate<float>(p, 1.0, Times()); }
ARENASCOPE_KERNEL(cum_prod_f64, LineWork) { cumulate<double>(p, 1.0, Times()); }
ARENASCOPE_KERNEL(cum_prod_whole, LineWork) { cumulate<int64_t>(p, int64_t{1}, Times()); }

}  // namespace arenascope::cuda
