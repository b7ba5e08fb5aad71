// SPDX-License-Identifier: MIT
// Lines brought to a common scale: softmax and normalisations. A line that fits is kept in its team's registers.
#pragma once
#include "engine/backends/cuda/kernels/lines.h"

namespace arenascope::cuda {

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
  int32_t vectors;
  Team team;

  ARENASCOPE_DEVICE KeptLine(const LineWork& p, const Line& line, const Team& t)
      : vectors(static_cast<int32_t>(p.along.count / kVector)), team(t) {
    // All are under way before the first one is opened.
    const char* from = p.in[0];
    if (p.types[0] == DType::F32) {
      from += (line.start[1] + team.member * kVector) * 4;
      ARENASCOPE_UNROLL for (int k = 0; k < kKept; ++k) {
        RawVector raw{};
        if (team.member + k * team.size < vectors) raw = raw_vector(DType::F32, from, int64_t{k} * team.size * kVector);
        open_vector(DType::F32, raw, x[k]);
      }
      return;
    }
    from += (line.start[1] + team.member * kVector) * 2;
    RawVector raw[kKept] = {};
    ARENASCOPE_UNROLL for (int k = 0; k < kKept; ++k) if (team.member + k * team.size < vectors) raw[k] =
        raw_vector(DType::F16, from, int64_t{k} * team.size * kVector);
    ARENASCOPE_UNROLL for (int k = 0; k < kKept; ++k) open_vector(p.types[0], raw[k], x[k]);
  }
  // visit(eight, number of the vector) for each.
  template <class Visit>
  ARENASCOPE_DEVICE void each(Visit visit) {
    ARENASCOPE_UNROLL for (int k = 0; k < kKept; ++k) {
      const int v = team.member + k * team.size;
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

ARENASCOPE_DEVICE void norm_of_kept(const LineWork& p, const Team& team, const Line& line) {
  KeptLine kept(p, line, team);
  float mean, scale;
  statistics<float>(
      p, team, [&](auto visit) { kept.each_element([&](float& x) { visit(x); }); }, mean, scale);
  if (p.inputs == 1) {
    const float shift = -mean * scale;
    kept.each_element([&](float& x) { x = x * scale + shift; });
    return kept.write(p, line);
  }
  kept.each([&](float(&x)[kVector], int64_t v) {
    float gain[kVector], bias[kVector] = {};
    others(p, line, 1, v, gain);
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
    N mean, scale;
    const auto each = [&](auto visit) {
      for (int64_t i = team.member; i < p.along.count; i += team.size) visit(source<N>(p, line, 0, i));
    };
    statistics<N>(p, team, each, mean, scale);
    for (int64_t i = team.member; i < p.along.count; i += team.size)
      put_one(p.out_type, p.out, along(p, line, 0, i), scaled(p, line, i, (source<N>(p, line, 0, i) - mean) * scale));
  }
}

ARENASCOPE_DEVICE void soft_max_of_kept(const LineWork& p, const Team& team, const Line& line) {
  const auto factor = static_cast<float>(p.number);
  KeptLine kept(p, line, team);
  float highest = lowest<float>(), sum = 0;
  if (p.inputs > 1) {
    kept.each([&](float(&x)[kVector], int64_t v) {
      float mask[kVector];
      others(p, line, 1, v, mask);
      ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) x[j] = x[j] * factor + mask[j];
    });
  } else if (factor != 1) {
    kept.each_element([&](float& x) { x *= factor; });
  }
  kept.each_element([&](float& x) { highest = highest < x ? x : highest; });
  highest = joined(team, highest, Larger());
  if (p.what == LineDo::LogSoftMax) {
    kept.each_element([&](float& x) { sum += exp(x - highest); });
    const float by = log(joined(team, sum, Plus()));
    kept.each_element([&](float& x) { x = x - highest - by; });
    return kept.write(p, line);
  }
  kept.each_element([&](float& x) {
    x = quick_exp(x - highest);  // off by less than 2^-22 of the largest
    sum += x;
  });
  const float by = 1.0f / joined(team, sum, Plus());
  kept.each_element([&](float& x) { x *= by; });
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

ARENASCOPE_KERNEL(norm_f32, LineWork) { norm<float>(p); }
ARENASCOPE_KERNEL(norm_f64, LineWork) { norm<double>(p); }
ARENASCOPE_KERNEL(soft_max_f32, LineWork) { soft_max<float>(p); }
ARENASCOPE_KERNEL(soft_max_f64, LineWork) { soft_max<double>(p); }
ARENASCOPE_DENSE_KERNEL(norm_kept, LineWork) {
  const Team team = team_of(p.team);
  for (int64_t l = team.number; l < p.lines.count; l += team.teams) norm_of_kept(p, team, line_at(p, l));
}
ARENASCOPE_DENSE_KERNEL(soft_max_kept, LineWork) {
  const Team team = team_of(p.team);
  for (int64_t l = team.number; l < p.lines.count; l += team.teams) soft_max_of_kept(p, team, line_at(p, l));
}

}  // namespace arenascope::cuda
