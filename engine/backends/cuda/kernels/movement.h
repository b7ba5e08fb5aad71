// SPDX-License-Identifier: MIT
// Data movement: gather, pad, fill, tril, resize, and dequantisation of blocks. Moved elements are raw bits of 1, 2, 4,
// 8 or 16 bytes; their type does not matter.
#pragma once
#include <math.h>

#include "engine/backends/cuda/kernels/quant.h"
#include "engine/backends/cuda/kernels/strided_indexer.h"

namespace arenascope::cuda {

// The first index out of range. The host clears it before a run and reads it afterwards.
struct IndexFault {
  unsigned long long node = 0;  // 1 + the node's index, 0: none
  long long index = 0;
  long long entries = 0;
};

// Records an index out of range, unless one is recorded already.
ARENASCOPE_DEVICE void note_fault(IndexFault* fault, unsigned long long node, int64_t index, int64_t entries) {
  if (!fault || !claim(&fault->node, node)) return;
  fault->index = index;
  fault->entries = entries;
}

struct GatherWork {
  StridedIndexer<3> indexer;  // over the result: 0 the result, 1 the table without the indexed dimension, 2 the indices
  char* out = nullptr;
  const char* table = nullptr;
  const char* indices = nullptr;
  DType index_type = DType::I64;
  DType table_type = DType::F32;  // quantised types are dequantised to out_type
  DType out_type = DType::F32;
  int32_t bytes = 4;                // per copy, if nothing is dequantised
  int64_t entries = 0, stride = 0;  // size and stride of the indexed dimension
  unsigned long long node = 0;
  IndexFault* fault = nullptr;
};

struct PadWork {
  StridedIndexer<1> indexer;  // the result's sizes, the input's strides; dimensions are not merged
  char* out = nullptr;
  const char* in = nullptr;
  DType type = DType::F32;
  int64_t sizes[kIndexerDims] = {};  // sizes of the input, innermost first
  int64_t begin[kIndexerDims] = {};
  int32_t mode = 0;  // 0 constant, 1 reflect, 2 edge
  double value = 0;
};

struct FillWork {
  char* out = nullptr;
  int64_t count = 0;
  DType type = DType::F32;
  double start = 0, step = 0;
};

struct TrilWork {
  StridedIndexer<1> indexer;  // the input
  char* out = nullptr;
  const char* in = nullptr;
  int32_t bytes = 4;
  int64_t rows = 1, columns = 1, diagonal = 0;
  bool upper = false;
};

struct ResizeWork {
  StridedIndexer<1> indexer;  // the result's sizes, the input's strides; dimensions are not merged
  char* out = nullptr;
  const char* in = nullptr;
  DType type = DType::F32, in_type = DType::F32;
  int64_t sizes[kIndexerDims] = {};                // sizes of the input, innermost first
  double scales[kIndexerDims] = {};                // specified by the node; else 0
  int32_t mode = 0, coordinates = 0, nearest = 0;  // as ResizeMode, ResizeCoordinates and ResizeNearest
  double cubic_a = 0;
};

struct UnpackWork {
  StridedIndexer<1> rows;  // rows of whole blocks, in elements
  char* out = nullptr;
  const char* in = nullptr;
  DType type = DType::Q4_0, out_type = DType::F32;
  int64_t count = 0, width = 0;
};

ARENASCOPE_DEVICE void move(int bytes, char* out, int64_t to, const char* in, int64_t from) {
  switch (bytes) {
    case 1: return store(out + to, load<uint8_t>(in + from));
    case 2: return store(out + to * 2, load<uint16_t>(in + from * 2));
    case 4: return store(out + to * 4, load<uint32_t>(in + from * 4));
    case 8: return store(out + to * 8, load<uint64_t>(in + from * 8));
    default: return store_quad(out + to * 16, load_quad(in + from * 16));
  }
}

ARENASCOPE_KERNEL(gather, GatherWork) {
  for (int64_t i = block() * threads() + thread(); i < p.indexer.count; i += blocks() * threads()) {
    int64_t at[3];
    offsets_of(p.indexer, i, at);
    const int64_t row_index = get<int64_t>(p.index_type, p.indices, at[2]);
    int64_t entry = row_index < 0 ? row_index + p.entries : row_index;
    if (row_index < -p.entries || row_index >= p.entries) {
      note_fault(p.fault, p.node, row_index, p.entries);
      if (p.entries == 0) continue;
      entry = 0;
    }
    const int64_t from = at[1] + entry * p.stride, to = at[0];
    if (is_quantised(p.table_type))
      put(p.out_type, p.out, to, any<float>(p.table_type, p.table, from));
    else
      move(p.bytes, p.out, to, p.table, from);
  }
}

ARENASCOPE_KERNEL(pad, PadWork) {
  for (int64_t i = block() * threads() + thread(); i < p.indexer.count; i += blocks() * threads()) {
    int64_t index[kIndexerDims], from = 0;
    unravel(p.indexer, i, index);
    bool inside = true;
    ARENASCOPE_UNROLL for (int d = 0; d < kIndexerDims; ++d) {
      if (d >= p.indexer.rank) continue;
      const int64_t size = p.sizes[d];
      int64_t at = index[d] - p.begin[d];
      if (p.mode == 0) {
        inside = inside && at >= 0 && at < size;
      } else if (p.mode == 2) {
        at = at < 0 ? 0 : at >= size ? size - 1 : at;
      } else if (size == 1) {
        at = 0;
      } else {
        const int64_t period = 2 * (size - 1);
        at %= period;
        if (at < 0) at += period;
        if (at >= size) at = period - at;
      }
      from += at * p.indexer.strides[0][d];
    }
    if (inside)
      move(bytes_of(p.type), p.out, i, p.in, from);
    else
      put(p.type, p.out, i, p.value);
  }
}

ARENASCOPE_KERNEL(fill, FillWork) {
  for (int64_t i = block() * threads() + thread(); i < p.count; i += blocks() * threads())
    put(p.type, p.out, i, p.start + static_cast<double>(i) * p.step);
}

ARENASCOPE_KERNEL(tril, TrilWork) {
  for (int64_t i = block() * threads() + thread(); i < p.indexer.count; i += blocks() * threads()) {
    const int64_t over = i % p.columns - i / p.columns % p.rows - p.diagonal;
    if (p.upper ? over >= 0 : over <= 0) {
      move(p.bytes, p.out, i, p.in, element_offset(p.indexer, i));
      continue;
    }
    for (int b = 0; b < p.bytes; ++b) p.out[i * p.bytes + b] = 0;
  }
}

// Input coordinate of element `i` of a resized dimension.
ARENASCOPE_DEVICE double resize_place(const ResizeWork& p, int d, int64_t i, int64_t out) {
  const auto in = static_cast<double>(p.sizes[d]), to = static_cast<double>(out), x = static_cast<double>(i);
  const double scale = p.scales[d];
  const auto by = [&](double at) { return scale > 0 ? at / scale : at * in / to; };
  if (p.sizes[d] == out && (scale == 0 || scale == 1)) return x;
  switch (p.coordinates) {
    case 1: return by(x);
    case 2: {  // the extent before it is truncated to an integer
      const double extent = scale > 0 ? in * scale : to;
      return out == 1 || extent <= 1 ? 0 : x * (in - 1) / (extent - 1);
    }
    case 3: return out == 1 ? 0 : by(x + 0.5) - 0.5;
    default: return by(x + 0.5) - 0.5;
  }
}

ARENASCOPE_DEVICE double cubic(double s, double a) {
  s = fabs(s);
  if (s <= 1) return ((a + 2) * s - (a + 3)) * s * s + 1;
  return s < 2 ? ((a * s - 5 * a) * s + 8 * a) * s - 4 * a : 0;
}

ARENASCOPE_KERNEL(resize, ResizeWork) {
  for (int64_t i = block() * threads() + thread(); i < p.indexer.count; i += blocks() * threads()) {
    int64_t index[kIndexerDims], base[kIndexerDims];
    double part[kIndexerDims];
    int taps[kIndexerDims];
    unravel(p.indexer, i, index);
    int64_t from = 0;
    int all = 1;
    ARENASCOPE_UNROLL for (int d = 0; d < kIndexerDims; ++d) {
      taps[d] = 1;
      base[d] = 0;
      part[d] = 0;
      if (d >= p.indexer.rank) continue;
      const double last = static_cast<double>(p.sizes[d] - 1);
      double at = resize_place(p, d, index[d], p.indexer.sizes[d]);
      if (p.mode == 0) {
        at = p.nearest == 0 ? ceil(at - 0.5) : p.nearest == 1 ? floor(at + 0.5) : p.nearest == 2 ? floor(at) : ceil(at);
        at = at < 0 ? 0 : at > last ? last : at;
        from += static_cast<int64_t>(at) * p.indexer.strides[0][d];
        continue;
      }
      if (p.mode == 1) at = at < 0 ? 0 : at > last ? last : at;
      const double low = floor(at);
      part[d] = at - low;
      base[d] = static_cast<int64_t>(low);
      taps[d] = part[d] == 0 ? 1 : p.mode == 1 ? 2 : 4;
      all *= taps[d];
    }
    if (p.mode == 0) {
      move(bytes_of(p.type), p.out, i, p.in, from);
      continue;
    }
    double sum = 0;
    for (int t = 0; t < all; ++t) {
      int rest = t;
      double weight = 1;
      int64_t at = 0;
      ARENASCOPE_UNROLL for (int d = 0; d < kIndexerDims; ++d) {
        if (d >= p.indexer.rank) continue;
        const int tap = rest % taps[d];
        rest /= taps[d];
        int64_t element_offset = base[d] + tap;
        if (taps[d] == 2) weight *= tap == 0 ? 1 - part[d] : part[d];
        if (taps[d] == 4) {
          weight *= cubic(part[d] - (tap - 1), p.cubic_a);
          element_offset -= 1;
        }
        element_offset = element_offset < 0 ? 0 : element_offset >= p.sizes[d] ? p.sizes[d] - 1 : element_offset;
        at += element_offset * p.indexer.strides[0][d];
      }
      sum += weight * get<double>(p.in_type, p.in, at);
    }
    put(p.type, p.out, i, sum);
  }
}

ARENASCOPE_KERNEL(unpack, UnpackWork) {
  for (int64_t i = block() * threads() + thread(); i < p.count; i += blocks() * threads())
    put(p.out_type, p.out, i, any<float>(p.type, p.in, element_offset(p.rows, i / p.width) + i % p.width));
}

}  // namespace arenascope::cuda
