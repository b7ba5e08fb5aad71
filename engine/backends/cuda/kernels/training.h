// SPDX-License-Identifier: MIT
// Training ops and MUL_MAT_ID: gradient of GATHER, optimiser step, dropout, matmul with a matrix per row. One thread
// per element.
#pragma once
#include <math.h>

#include <arenascope/graph/dropout_mask.h>
#include "engine/backends/cuda/kernels/movement.h"
#include "engine/backends/cuda/kernels/quant.h"

namespace arenascope::cuda {

struct GatherBackWork {
  StridedIndexer<1> rows;  // dy
  char* out = nullptr;
  const char *dy = nullptr, *indices = nullptr, *base = nullptr;  // base: null or contiguous
  DType type = DType::F32, index_type = DType::I64;
  int64_t size = 0, width = 0, count = 0, index_stride = 1;
  unsigned long long node = 0;
  IndexFault* fault = nullptr;
};

struct OptimizerWork {
  float *to = nullptr, *first = nullptr, *second = nullptr;
  const float *gradient = nullptr, *numbers = nullptr;
  const char* spoilt = nullptr;
  int64_t count = 0;
  int32_t keep = 0;
  bool adaptive = false;
  float beta1 = 0, rest1 = 0, beta2 = 0, rest2 = 0, epsilon = 0, decay = 0;
};

struct DropoutWork {
  StridedIndexer<1> indexer;  // x
  char* out = nullptr;
  const char* x = nullptr;
  const int64_t* seed = nullptr;  // and the step
  DType type = DType::F32;
  int64_t seed_stride = 1;
  float ratio = 0;
  uint32_t sequence = 0;
};

struct MulMatIdWork {
  float* out = nullptr;
  const char *matrices = nullptr, *x = nullptr, *ids = nullptr;
  DType type = DType::F32, x_type = DType::F32, id_type = DType::I64;
  int64_t a_strides[3] = {}, x_strides[3] = {}, id_strides[2] = {};  // x: of tokens, of their rows, of depth
  int64_t count = 0, columns = 0, depth = 0, each = 1, entries = 0;
  unsigned long long node = 0;
  IndexFault* fault = nullptr;
};

ARENASCOPE_KERNEL(gather_back, GatherBackWork) {
  for (int64_t i = block() * threads() + thread(); i < p.size * p.width; i += blocks() * threads()) {
    const int64_t row = i / p.width, within = i % p.width;
    double sum = p.base ? get<double>(p.type, p.base, i) : 0;
    for (int64_t k = 0; k < p.count; ++k) {
      const int64_t given = get<int64_t>(p.index_type, p.indices, k * p.index_stride);
      if (i == 0 && (given < -p.size || given >= p.size)) note_fault(p.fault, p.node, given, p.size);
      if ((given < 0 ? given + p.size : given) == row)
        sum += get<double>(p.type, p.dy, element_offset(p.rows, k * p.width + within));
    }
    put<double>(p.type, p.out, i, sum);
  }
}

ARENASCOPE_KERNEL(dropout, DropoutWork) {
  const DropoutMask mask(p.ratio, p.sequence, p.seed[0], p.seed[p.seed_stride]);
  const double factor = static_cast<double>(DropoutMask::factor(p.ratio));
  for (int64_t i = block() * threads() + thread(); i < p.indexer.count; i += blocks() * threads())
    put<double>(
        p.type, p.out, i,
        mask.keeps(static_cast<uint64_t>(i)) ? get<double>(p.type, p.x, element_offset(p.indexer, i)) * factor : 0);
}

ARENASCOPE_KERNEL(optimizer_step, OptimizerWork) {
  if (*p.spoilt) return;
  for (int64_t i = block() * threads() + thread(); i < p.count; i += blocks() * threads()) {
    const float g = p.gradient[i];
    if (p.adaptive) {
      const float m = p.beta1 * p.first[i] + p.rest1 * g, v = p.beta2 * p.second[i] + p.rest2 * (g * g);
      p.first[i] = m;
      p.second[i] = v;
      p.to[i] = p.to[i] * p.numbers[p.keep] - p.numbers[1] * (m / (sqrtf(v) * p.numbers[2] + p.epsilon));
      continue;
    }
    float step = g + p.decay * p.to[i];
    if (p.first) p.first[i] = step = p.beta1 * p.first[i] + step;
    p.to[i] -= p.numbers[0] * step;
  }
}

ARENASCOPE_KERNEL(mul_mat_id, MulMatIdWork) {
  for (int64_t i = block() * threads() + thread(); i < p.count; i += blocks() * threads()) {
    const int64_t column = i % p.columns, row = i / p.columns, token = row / p.each, one = row % p.each;
    const int64_t id = get<int64_t>(p.id_type, p.ids, token * p.id_strides[0] + one * p.id_strides[1]);
    if (id < 0 || id >= p.entries) {
      note_fault(p.fault, p.node, id, p.entries);
      continue;
    }
    const int64_t a = id * p.a_strides[0] + column * p.a_strides[1], x = token * p.x_strides[0] + one * p.x_strides[1];
    double sum = 0;
    for (int64_t k = 0; k < p.depth; ++k)
      sum +=
          any<double>(p.type, p.matrices, a + k * p.a_strides[2]) * get<double>(p.x_type, p.x, x + k * p.x_strides[2]);
    p.out[i] = static_cast<float>(sum);
  }
}

}  // namespace arenascope::cuda
