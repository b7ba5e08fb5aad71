// SPDX-License-Identifier: MIT
// Softmax and normalisations of rows. A row that fits is kept in the registers of its group.
#pragma once
#include "engine/backends/cuda/kernels/row_ops.h"

namespace arenascope::cuda {

// Mean and variance, or mean square, of a row; `each(visit)` visits its elements.
template <class N, class Each>
ARENASCOPE_DEVICE void statistics(const RowWork& p, const CooperativeGroup& group, Each each, N& mean, N& scale) {
  const N n = static_cast<N>(p.along.count);
  N sum = 0;
  mean = 0;
  if (p.what == RowOpcode::Norm) {
    each([&](N x) { sum += x; });
    mean = joined(group, sum, Plus()) / n;
    sum = 0;
  }
  each([&](N x) { sum += (x - mean) * (x - mean); });
  scale = N(1) / sqrt(joined(group, sum, Plus()) / n + static_cast<N>(p.number));
}

template <class N>
ARENASCOPE_DEVICE N scaled(const RowWork& p, const RowOffsets& row, int64_t i, N x) {
  if (p.inputs > 1) x *= source<N>(p, row, 1, i);
  if (p.inputs > 2) x += source<N>(p, row, 2, i);
  return x;
}

// The elements of a row that this member holds, in vectors of eight.
struct RegisterRow {
  float x[kKept][kVector];
  int32_t vectors;
  CooperativeGroup group;

  ARENASCOPE_DEVICE RegisterRow(const RowWork& p, const RowOffsets& row, const CooperativeGroup& t)
      : vectors(static_cast<int32_t>(p.along.count / kVector)), group(t) {
    // All loads are issued before the first value is converted.
    const char* from = p.in[0];
    if (p.types[0] == DType::F32) {
      from += (row.start[1] + group.member * kVector) * 4;
      ARENASCOPE_UNROLL for (int k = 0; k < kKept; ++k) {
        RawVector raw{};
        if (group.member + k * group.size < vectors)
          raw = raw_vector(DType::F32, from, int64_t{k} * group.size * kVector);
        open_vector(DType::F32, raw, x[k]);
      }
      return;
    }
    from += (row.start[1] + group.member * kVector) * 2;
    RawVector raw[kKept] = {};
    ARENASCOPE_UNROLL for (int k = 0; k < kKept; ++k) if (group.member + k * group.size < vectors) raw[k] =
        raw_vector(DType::F16, from, int64_t{k} * group.size * kVector);
    ARENASCOPE_UNROLL for (int k = 0; k < kKept; ++k) open_vector(p.types[0], raw[k], x[k]);
  }
  // visit(eight elements, index of the vector) for each.
  template <class Visit>
  ARENASCOPE_DEVICE void each(Visit visit) {
    ARENASCOPE_UNROLL for (int k = 0; k < kKept; ++k) {
      const int v = group.member + k * group.size;
      if (v < vectors) visit(x[k], v);
    }
  }
  template <class Visit>
  ARENASCOPE_DEVICE void each_element(Visit visit) {
    each([&](float(&eight)[kVector], int64_t) { ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) visit(eight[j]); });
  }
  ARENASCOPE_DEVICE void write(const RowWork& p, const RowOffsets& row) {
    each([&](float(&eight)[kVector], int64_t v) { put_floats(p.out_type, p.out, row.start[0] + v * kVector, eight); });
  }
};

// Eight elements of a mask, gain or bias, which has the input's layout along the row or is broadcast.
ARENASCOPE_DEVICE void others(const RowWork& p, const RowOffsets& row, int input, int64_t v, float (&to)[kVector]) {
  if (p.along.strides[input + 1][0] != 0)
    return get_floats(p.types[input], p.in[input], row.start[input + 1] + v * kVector, to);
  const float x = source<float>(p, row, input, 0);
  ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) to[j] = x;
}

ARENASCOPE_DEVICE void norm_of_kept(const RowWork& p, const CooperativeGroup& group, const RowOffsets& row) {
  RegisterRow kept(p, row, group);
  float mean, scale;
  statistics<float>(
      p, group, [&](auto visit) { kept.each_element([&](float& x) { visit(x); }); }, mean, scale);
  if (p.inputs == 1) {
    const float shift = -mean * scale;
    kept.each_element([&](float& x) { x = x * scale + shift; });
    return kept.write(p, row);
  }
  kept.each([&](float(&x)[kVector], int64_t v) {
    float gain[kVector], bias[kVector] = {};
    others(p, row, 1, v, gain);
    if (p.inputs > 2) others(p, row, 2, v, bias);
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) x[j] = (x[j] - mean) * scale * gain[j] + bias[j];
  });
  kept.write(p, row);
}

template <class N>
ARENASCOPE_DEVICE void norm(const RowWork& p) {
  const CooperativeGroup group = group_of(p.group);
  for (int64_t l = group.number; l < p.rows.count; l += group.group_count) {
    const RowOffsets row = row_at(p, l);
    N mean, scale;
    const auto each = [&](auto visit) {
      for (int64_t i = group.member; i < p.along.count; i += group.size) visit(source<N>(p, row, 0, i));
    };
    statistics<N>(p, group, each, mean, scale);
    for (int64_t i = group.member; i < p.along.count; i += group.size)
      put_one(p.out_type, p.out, along(p, row, 0, i), scaled(p, row, i, (source<N>(p, row, 0, i) - mean) * scale));
  }
}

ARENASCOPE_DEVICE void soft_max_of_kept(const RowWork& p, const CooperativeGroup& group, const RowOffsets& row) {
  const auto factor = static_cast<float>(p.number);
  RegisterRow kept(p, row, group);
  float highest = lowest<float>(), sum = 0;
  if (p.inputs > 1) {
    kept.each([&](float(&x)[kVector], int64_t v) {
      float mask[kVector];
      others(p, row, 1, v, mask);
      ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) x[j] = x[j] * factor + mask[j];
    });
  } else if (factor != 1) {
    kept.each_element([&](float& x) { x *= factor; });
  }
  kept.each_element([&](float& x) { highest = highest < x ? x : highest; });
  highest = joined(group, highest, Larger());
  if (p.what == RowOpcode::LogSoftMax) {
    kept.each_element([&](float& x) { sum += exp(x - highest); });
    const float by = log(joined(group, sum, Plus()));
    kept.each_element([&](float& x) { x = x - highest - by; });
    return kept.write(p, row);
  }
  kept.each_element([&](float& x) {
    x = quick_exp(x - highest);  // the error is below 2^-22 of the largest element
    sum += x;
  });
  const float by = 1.0f / joined(group, sum, Plus());
  kept.each_element([&](float& x) { x *= by; });
  kept.write(p, row);
}

template <class N>
ARENASCOPE_DEVICE N masked(const RowWork& p, const RowOffsets& row, int64_t i) {
  const N x = source<N>(p, row, 0, i) * static_cast<N>(p.number);
  return p.inputs > 1 ? x + source<N>(p, row, 1, i) : x;
}

template <class N>
ARENASCOPE_DEVICE void soft_max(const RowWork& p) {
  const CooperativeGroup group = group_of(p.group);
  const bool logarithm = p.what == RowOpcode::LogSoftMax;
  for (int64_t l = group.number; l < p.rows.count; l += group.group_count) {
    const RowOffsets row = row_at(p, l);
    N highest = lowest<N>(), sum = 0;
    for (int64_t i = group.member; i < p.along.count; i += group.size) {
      const N x = masked<N>(p, row, i);
      highest = highest < x ? x : highest;
    }
    highest = joined(group, highest, Larger());
    for (int64_t i = group.member; i < p.along.count; i += group.size) sum += exp(masked<N>(p, row, i) - highest);
    sum = joined(group, sum, Plus());
    const N by = logarithm ? log(sum) : N(1) / sum;
    for (int64_t i = group.member; i < p.along.count; i += group.size) {
      const N x = masked<N>(p, row, i) - highest;
      put_one(p.out_type, p.out, along(p, row, 0, i), logarithm ? x - by : exp(x) * by);
    }
  }
}

ARENASCOPE_KERNEL(norm_f32, RowWork) { norm<float>(p); }
ARENASCOPE_KERNEL(norm_f64, RowWork) { norm<double>(p); }
ARENASCOPE_KERNEL(soft_max_f32, RowWork) { soft_max<float>(p); }
ARENASCOPE_KERNEL(soft_max_f64, RowWork) { soft_max<double>(p); }
ARENASCOPE_DENSE_KERNEL(norm_kept, RowWork) {
  const CooperativeGroup group = group_of(p.group);
  for (int64_t l = group.number; l < p.rows.count; l += group.group_count) norm_of_kept(p, group, row_at(p, l));
}
ARENASCOPE_DENSE_KERNEL(soft_max_kept, RowWork) {
  const CooperativeGroup group = group_of(p.group);
  for (int64_t l = group.number; l < p.rows.count; l += group.group_count) soft_max_of_kept(p, group, row_at(p, l));
}

}  // namespace arenascope::cuda
