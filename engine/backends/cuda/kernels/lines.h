// SPDX-License-Identifier: MIT
// What looks along lines of elements: reductions, selections, running sums, softmax and normalisations. A line is what
// remains when the other dimensions are fixed; it may have several dimensions and any strides.
#pragma once
#include <math.h>

#include "engine/backends/cuda/kernels/numbers.h"
#include "engine/backends/cuda/kernels/places.h"
#include "engine/backends/cuda/kernels/team.h"

namespace arenascope::cuda {

enum class LineDo : int32_t {
  Sum,
  Mean,
  Max,
  Min,
  Prod,
  L2,  // reduce
  Norm,
  RmsNorm,
  SoftMax,
  LogSoftMax,
};

inline constexpr int kKept = 4;  // vectors of a line that a thread keeps in registers

struct LineWork {
  Places<4> lines, along;  // arrays: 0 the result, 1 the source, 2 and 3 a mask, gain or bias
  char* out = nullptr;
  const char* in[3] = {};
  DType out_type = DType::F32;
  DType types[3] = {};
  int32_t inputs = 1;
  LineDo what = LineDo::Sum;
  TeamKind team = TeamKind::Warp;
  bool kept = false;    // the line is contiguous, aligned, and fits in the team's registers
  bool values = false;  // the k largest themselves, not their places
  bool largest = false, last = false, exclusive = false, reverse = false;
  double number = 0;  // epsilon, or the softmax's scale
  int64_t k = 0;
};

// A line's elements: where it starts in each array.
struct Line {
  int64_t start[4];
};
ARENASCOPE_DEVICE Line line_at(const LineWork& p, int64_t number) {
  int64_t index[kPlaceDims];
  unravel(p.lines, number, index);
  Line line;
  ARENASCOPE_UNROLL for (int a = 0; a < 4; ++a) line.start[a] = a <= p.inputs ? offset(p.lines, a, index) : 0;
  return line;
}
ARENASCOPE_CALLED int64_t along_several(const LineWork& p, int array, int64_t i) {
  int64_t index[kPlaceDims];
  unravel(p.along, i, index);
  return offset(p.along, array, index);
}
ARENASCOPE_DEVICE int64_t along(const LineWork& p, const Line& line, int array, int64_t i) {
  return line.start[array] + (p.along.rank < 2 ? i * p.along.strides[array][0] : along_several(p, array, i));
}
template <class N>
ARENASCOPE_DEVICE N source(const LineWork& p, const Line& line, int input, int64_t i) {
  return get_one<N>(p.types[input], p.in[input], along(p, line, input + 1, i));
}

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

// Mean and variance, or mean square, of a line whose elements `each(visit)` shows.
template <class N, class Each>
ARENASCOPE_DEVICE void statistics(const LineWork& p, const Team& team, Each each, N& mean, N& scale) {
  const N n = static_cast<N>(p.along.count);
  N sum = 0;
  mean = 0;
  if (p.what == LineDo::Norm) {
    each([&](N x) { sum += x; });
    mean = joined(team, sum, Plus()) / n;
    sum = 0;
  }
  each([&](N x) { sum += (x - mean) * (x - mean); });
  scale = N(1) / sqrt(joined(team, sum, Plus()) / n + static_cast<N>(p.number));
}

template <class N>
ARENASCOPE_DEVICE N scaled(const LineWork& p, const Line& line, int64_t i, N x) {
  if (p.inputs > 1) x *= source<N>(p, line, 1, i);
  if (p.inputs > 2) x += source<N>(p, line, 2, i);
  return x;
}

// The elements of a kept line that this member has, in vectors of eight.
struct KeptLine {
  float x[kKept][kVector];
  int64_t vectors;
  Team team;

  ARENASCOPE_DEVICE KeptLine(const LineWork& p, const Line& line, const Team& t)
      : vectors(p.along.count / kVector), team(t) {
    each([&](float(&eight)[kVector], int64_t v) {
      get_floats(p.types[0], p.in[0], line.start[1] + v * kVector, eight);
    });
  }
  // visit(eight, number of the vector) for each.
  template <class Visit>
  ARENASCOPE_DEVICE void each(Visit visit) {
    ARENASCOPE_UNROLL for (int k = 0; k < kKept; ++k) {
      const int64_t v = team.member + k * team.size;
      if (v < vectors) visit(x[k], v);
    }
  }
  template <class Visit>
  ARENASCOPE_DEVICE void each_element(Visit visit) {
    each([&](float(&eight)[kVector], int64_t) { ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) visit(eight[j]); });
  }
  ARENASCOPE_DEVICE void write(const LineWork& p, const Line& line) {
    each([&](float(&eight)[kVector], int64_t v) { put_floats(p.out_type, p.out, line.start[0] + v * kVector, eight); });
  }
};

// Eight of a mask, gain or bias, which lies along the line as the source does or repeats.
ARENASCOPE_DEVICE void others(const LineWork& p, const Line& line, int input, int64_t v, float (&to)[kVector]) {
  if (p.along.strides[input + 1][0] != 0)
    return get_floats(p.types[input], p.in[input], line.start[input + 1] + v * kVector, to);
  const float x = source<float>(p, line, input, 0);
  ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) to[j] = x;
}

ARENASCOPE_DEVICE void norm_kept(const LineWork& p, const Team& team, const Line& line) {
  KeptLine kept(p, line, team);
  float mean, scale;
  statistics<float>(
      p, team, [&](auto visit) { kept.each_element([&](float& x) { visit(x); }); }, mean, scale);
  kept.each([&](float(&x)[kVector], int64_t v) {
    float gain[kVector], bias[kVector];
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) {
      gain[j] = 1;
      bias[j] = 0;
    }
    if (p.inputs > 1) others(p, line, 1, v, gain);
    if (p.inputs > 2) others(p, line, 2, v, bias);
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) x[j] = (x[j] - mean) * scale * gain[j] + bias[j];
  });
  kept.write(p, line);
}

template <class N>
ARENASCOPE_DEVICE void norm(const LineWork& p) {
  const Team team = team_of(p.team);
  for (int64_t l = team.number; l < p.lines.count; l += team.teams) {
    const Line line = line_at(p, l);
    if constexpr (sizeof(N) == 4) {
      if (p.kept) {
        norm_kept(p, team, line);
        continue;
      }
    }
    N mean, scale;
    const auto each = [&](auto visit) {
      for (int64_t i = team.member; i < p.along.count; i += team.size) visit(source<N>(p, line, 0, i));
    };
    statistics<N>(p, team, each, mean, scale);
    for (int64_t i = team.member; i < p.along.count; i += team.size)
      put_one(p.out_type, p.out, along(p, line, 0, i), scaled(p, line, i, (source<N>(p, line, 0, i) - mean) * scale));
  }
}

ARENASCOPE_DEVICE void soft_max_kept(const LineWork& p, const Team& team, const Line& line) {
  const bool logarithm = p.what == LineDo::LogSoftMax;
  const auto factor = static_cast<float>(p.number);
  KeptLine kept(p, line, team);
  float highest = lowest<float>(), sum = 0;
  kept.each([&](float(&x)[kVector], int64_t v) {
    float mask[kVector] = {};
    if (p.inputs > 1) others(p, line, 1, v, mask);
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) {
      x[j] = x[j] * factor + mask[j];
      highest = highest < x[j] ? x[j] : highest;
    }
  });
  highest = joined(team, highest, Larger());
  kept.each_element([&](float& x) {
    x -= highest;
    const float e = exp(x);
    sum += e;
    if (!logarithm) x = e;
  });
  sum = joined(team, sum, Plus());
  const float by = logarithm ? log(sum) : 1.0f / sum;
  kept.each_element([&](float& x) { x = logarithm ? x - by : x * by; });
  kept.write(p, line);
}

template <class N>
ARENASCOPE_DEVICE N masked(const LineWork& p, const Line& line, int64_t i) {
  const N x = source<N>(p, line, 0, i) * static_cast<N>(p.number);
  return p.inputs > 1 ? x + source<N>(p, line, 1, i) : x;
}

template <class N>
ARENASCOPE_DEVICE void soft_max(const LineWork& p) {
  const Team team = team_of(p.team);
  const bool logarithm = p.what == LineDo::LogSoftMax;
  for (int64_t l = team.number; l < p.lines.count; l += team.teams) {
    const Line line = line_at(p, l);
    if constexpr (sizeof(N) == 4) {
      if (p.kept) {
        soft_max_kept(p, team, line);
        continue;
      }
    }
    N highest = lowest<N>(), sum = 0;
    for (int64_t i = team.member; i < p.along.count; i += team.size) {
      const N x = masked<N>(p, line, i);
      highest = highest < x ? x : highest;
    }
    highest = joined(team, highest, Larger());
    for (int64_t i = team.member; i < p.along.count; i += team.size) sum += exp(masked<N>(p, line, i) - highest);
    sum = joined(team, sum, Plus());
    const N by = logarithm ? log(sum) : N(1) / sum;
    for (int64_t i = team.member; i < p.along.count; i += team.size) {
      const N x = masked<N>(p, line, i) - highest;
      put_one(p.out_type, p.out, along(p, line, 0, i), logarithm ? x - by : exp(x) * by);
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
ARENASCOPE_KERNEL(norm_f32, LineWork) { norm<float>(p); }
ARENASCOPE_KERNEL(norm_f64, LineWork) { norm<double>(p); }
ARENASCOPE_KERNEL(soft_max_f32, LineWork) { soft_max<float>(p); }
ARENASCOPE_KERNEL(soft_max_f64, LineWork) { soft_max<double>(p); }

}  // namespace arenascope::cuda
