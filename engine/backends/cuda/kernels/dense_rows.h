// SPDX-License-Identifier: MIT
// Softmax and normalisations of adjacent, aligned rows of one type, f32 or f16. A group of 32, 128 or 256 threads keeps
// a row in registers, in pieces of sixteen bytes.
#pragma once
#include "engine/backends/cuda/kernels/row_ops.h"

namespace arenascope::cuda {

// Elements of the longest row that `threads` threads can keep.
ARENASCOPE_DEVICE constexpr int dense_row_elements(int threads) { return threads * 32; }

// Reduction over the threads that share a row; `shared` has one value per warp.
template <int kThreads, class Join>
ARENASCOPE_DEVICE float joined_of(float value, float* shared, Join join) {
  ARENASCOPE_UNROLL for (int mask = kWarp / 2; mask > 0; mask /= 2) value = join(value, shuffle_xor(value, mask));
  if constexpr (kThreads > kWarp) {
    sync();  // all threads have read the previous values
    if (thread() % kWarp == 0) shared[thread() / kWarp] = value;
    sync();
    value = shared[0];
    ARENASCOPE_UNROLL for (int w = 1; w < kThreads / kWarp; ++w) value = join(value, shared[w]);
  }
  return value;
}

template <FixedType kFixed, int kThreads>
struct DenseRow {
  using P = Piece<kFixed>;
  static constexpr int kPieces = 32 / P::kCount;
  float x[kPieces][P::kCount];
  int pieces, member;

  ARENASCOPE_DEVICE DenseRow(const RowWork& p, int64_t row)
      : pieces(static_cast<int>(p.along.count) / P::kCount), member(thread() % kThreads) {
    const char* from = p.in[0] + row * p.along.count * (16 / P::kCount);
    Quad raw[kPieces] = {};
    ARENASCOPE_UNROLL for (int k = 0; k < kPieces; ++k) if (member + k * kThreads < pieces) raw[k] =
        load_quad(from + (member + k * kThreads) * 16);
    ARENASCOPE_UNROLL for (int k = 0; k < kPieces; ++k) P::open(raw[k], x[k]);
  }
  // visit(elements, index of the piece)
  template <class Visit>
  ARENASCOPE_DEVICE void each(Visit visit) {
    ARENASCOPE_UNROLL for (int k = 0; k < kPieces; ++k) if (member + k * kThreads < pieces)
        visit(x[k], member + k * kThreads);
  }
  // The sum of value(element) over this thread's part of the row.
  template <class Value>
  ARENASCOPE_DEVICE float sum(Value value) {
    float parts[4] = {};
    each([&](float(&piece)[P::kCount], int) {
      ARENASCOPE_UNROLL for (int j = 0; j < P::kCount; ++j) parts[j % 4] += value(piece[j]);
    });
    return (parts[0] + parts[1]) + (parts[2] + parts[3]);
  }
  ARENASCOPE_DEVICE void write(const RowWork& p, int64_t row) {
    char* to = p.out + row * p.along.count * (16 / P::kCount);
    each([&](float(&piece)[P::kCount], int at) { store_quad(to + at * 16, P::pack(piece)); });
  }
};

template <FixedType kFixed, int kThreads>
ARENASCOPE_DEVICE void soft_max_row(const RowWork& p, int64_t row, float* shared) {
  using P = Piece<kFixed>;
  DenseRow<kFixed, kThreads> kept(p, row);
  const auto factor = static_cast<float>(p.number);
  float highest = lowest<float>();
  kept.each([&](float(&piece)[P::kCount], int) {
    ARENASCOPE_UNROLL for (int j = 0; j < P::kCount; ++j) {
      piece[j] *= factor;
      highest = larger(highest, piece[j]);
    }
  });
  highest = joined_of<kThreads>(highest, shared, [](float a, float b) { return larger(a, b); });
  const float total =
      joined_of<kThreads>(kept.sum([&](float& x) { return x = quick_exp(x - highest); }), shared, Plus());
  const float by = 1.0f / total;
  kept.each(
      [&](float(&piece)[P::kCount], int) { ARENASCOPE_UNROLL for (int j = 0; j < P::kCount; ++j) piece[j] *= by; });
  kept.write(p, row);
}

template <FixedType kFixed, int kThreads>
ARENASCOPE_DEVICE void norm_row(const RowWork& p, int64_t row, float* shared) {
  using P = Piece<kFixed>;
  DenseRow<kFixed, kThreads> kept(p, row);
  const auto n = static_cast<float>(p.along.count);
  float mean = 0;
  if (p.what == RowOpcode::Norm) mean = joined_of<kThreads>(kept.sum([](float& x) { return x; }), shared, Plus()) / n;
  const float squares =
      joined_of<kThreads>(kept.sum([&](float& x) { return (x - mean) * (x - mean); }), shared, Plus());
  const float scale = 1.0f / sqrt(squares / n + static_cast<float>(p.number));
  kept.each([&](float(&piece)[P::kCount], int at) {
    float gain[P::kCount] = {}, bias[P::kCount] = {};
    if (p.inputs > 1) P::open(load_quad(p.in[1] + at * 16), gain);
    if (p.inputs > 2) P::open(load_quad(p.in[2] + at * 16), bias);
    ARENASCOPE_UNROLL for (int j = 0; j < P::kCount; ++j) {
      piece[j] = (piece[j] - mean) * scale;
      if (p.inputs > 1) piece[j] *= gain[j];
      if (p.inputs > 2) piece[j] += bias[j];
    }
  });
  kept.write(p, row);
}

// Blocks of 128 threads with a row per warp, or of 128 or 256 threads with one row.
template <class OfWarp, class OfBlock, class OfWideBlock>
ARENASCOPE_DEVICE void each_dense_row(const RowWork& p, OfWarp of_warp, OfBlock of_block, OfWideBlock of_wide_block) {
  if (p.group == GroupKind::Warp) {
    const int64_t row = block() * (threads() / kWarp) + thread() / kWarp;
    if (row < p.rows.count) of_warp(row);
  } else if (threads() == 128) {
    of_block(block());
  } else {
    of_wide_block(block());
  }
}
template <FixedType kFixed>
ARENASCOPE_DEVICE void soft_max_dense_of(const RowWork& p) {
  ARENASCOPE_SHARED float shared[8];
  each_dense_row(
      p, [&](int64_t row) { soft_max_row<kFixed, kWarp>(p, row, shared); },
      [&](int64_t row) { soft_max_row<kFixed, 128>(p, row, shared); },
      [&](int64_t row) { soft_max_row<kFixed, 256>(p, row, shared); });
}
template <FixedType kFixed>
ARENASCOPE_DEVICE void norm_dense_of(const RowWork& p) {
  ARENASCOPE_SHARED float shared[8];
  each_dense_row(
      p, [&](int64_t row) { norm_row<kFixed, kWarp>(p, row, shared); },
      [&](int64_t row) { norm_row<kFixed, 128>(p, row, shared); },
      [&](int64_t row) { norm_row<kFixed, 256>(p, row, shared); });
}
ARENASCOPE_DENSE_KERNEL(soft_max_dense_f32, RowWork) { soft_max_dense_of<FixedType::F32>(p); }
ARENASCOPE_DENSE_KERNEL(soft_max_dense_f16, RowWork) { soft_max_dense_of<FixedType::F16>(p); }
ARENASCOPE_DENSE_KERNEL(norm_dense_f32, RowWork) { norm_dense_of<FixedType::F32>(p); }
ARENASCOPE_DENSE_KERNEL(norm_dense_f16, RowWork) { norm_dense_of<FixedType::F16>(p); }

}  // namespace arenascope::cuda
