// SPDX-License-Identifier: MIT
// Data movement: copy, cast, concat, pad, fill, tril, depth to space.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/row_io.h"
#include "engine/backends/cpu/quant/quant.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

// Calls f with an unsigned integer of the elements' width.
template <class F>
void with_width(DType type, F&& f) {
  switch (element_bytes(type)) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
  }
}

template <class T>
void move_row(T* to, int64_t to_stride, const T* from, int64_t from_stride, int64_t n) {
  if (to_stride == 1 && from_stride == 1) {
    if (to != from) std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
  } else if (to_stride == 1 && from_stride == 0) {
    std::fill(to, to + n, *from);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

// Copies a range. If the innermost strides of both sides are long (a transpose), 16×16 tiles keep the touched cache
// lines cached.
template <class T>
void move(const LoopNest& nest, Range range, T* to, const T* from) {
  nest.rows(range, kAll, [&](const int64_t* at, int64_t n) {
    move_row(to + at[0], nest.inner_stride(0), from + at[1], nest.inner_stride(1), n);
  });
}

// The same for whole tiles of floats, along the input's rows, which are read as streams.
void transpose_tiles_f32(Range rows, int64_t all_rows, int64_t columns, int64_t batch_stride, int64_t column_stride,
                         float* to, const float* from, bool past) {
  constexpr int64_t kWide = 64;
  const Simd& s = past ? simd_past_caches() : simd();
  for (int64_t r = rows.begin; r < rows.end;) {
    const int64_t batch = r / all_rows, row = r % all_rows, n = std::min({int64_t{2048}, all_rows - row, rows.end - r});
    const float* source = from + batch * batch_stride + row;
    for (int64_t wide = 0; wide < columns; wide += kWide)
      for (int64_t i = 0; i < n; i += 16)
        for (int64_t c = wide; c < std::min(columns, wide + kWide); c += 16)
          s.transpose_tile(to + (r + i) * columns + c, columns, source + i + c * column_stride, column_stride);
    r += n;
  }
  s.settle();
}

// A copy of a transposed matrix: sizes [batch, rows, columns], with input row stride 1.
template <class T>
void transpose_tiles(Range rows, int64_t all_rows, int64_t columns, int64_t batch_stride, int64_t column_stride, T* to,
                     const T* from, [[maybe_unused]] bool past) {
  constexpr int64_t kTile = 16;
  if constexpr (sizeof(T) == 4) {
    if (rows.begin % kTile == 0 && rows.size() % kTile == 0 && all_rows % kTile == 0 && columns % kTile == 0) {
      transpose_tiles_f32(rows, all_rows, columns, batch_stride, column_stride, reinterpret_cast<float*>(to),
                          reinterpret_cast<const float*>(from), past);
      return;
    }
  }
  for (int64_t r = rows.begin; r < rows.end;) {
    const int64_t batch = r / all_rows, row = r % all_rows;
    const int64_t n = std::min({kTile, all_rows - row, rows.end - r});
    const T* source = from + batch * batch_stride + row;
    for (int64_t c = 0; c < columns; c += kTile) {
      const int64_t m = std::min(kTile, columns - c);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < m; ++j) to[(r + i) * columns + c + j] = source[i + (c + j) * column_stride];
    }
    r += n;
  }
}

// Shape and strides if the input, seen as [batch, rows, columns], is such a matrix.
struct Transposed {
  int64_t rows = 0, columns = 0, batch_stride = 0, column_stride = 0;
};
std::optional<Transposed> as_transposed(const Dims& sizes, const Dims& strides) {
  const int rank = sizes.rank();
  if (rank < 2 || strides.back() <= 1) return std::nullopt;
  // Rows: the longest run of dimensions outside the columns over which the input's stride-1 run continues.
  int columns_from = rank - 1;
  int64_t columns = sizes.back();
  while (columns_from > 0 && strides[columns_from - 1] == strides[columns_from] * sizes[columns_from])
    columns *= sizes[--columns_from];
  int rows_from = columns_from - 1;
  if (rows_from < 0 || strides[rows_from] != 1) return std::nullopt;
  int64_t rows = sizes[rows_from];
  while (rows_from > 0 && strides[rows_from - 1] == strides[rows_from] * sizes[rows_from]) rows *= sizes[--rows_from];
  int64_t batch_stride = 0, batch = 1;
  for (int d = rows_from - 1; d >= 0; --d) {
    if (batch == 1)
      batch_stride = strides[d];
    else if (strides[d] != batch_stride * batch && sizes[d] != 1)
      return std::nullopt;
    batch *= sizes[d];
  }
  return Transposed{rows, columns, batch_stride, strides.back()};
}

template <class C, class From>
void cast_as(const KernelArgs& args) {
  const LoopNest nest(args.node.sizes, {&args.node, &args.source(0)});
  Reader<From> source(args.source(0), nest.inner_stride(1));
  Writer<C> out(args.node);
  nest.rows(args.part(nest.count(), 64), kPiece, [&](const int64_t* at, int64_t n) {
    const From* x = source.piece(at[1], n);
    C* to = out.piece(at[0]);
    for (int64_t i = 0; i < n; ++i) to[i] = convert<C>(x[i]);
    out.done(at[0], n);
  });
}

// Between float and any other type, both contiguous.
void cast_floats(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const Range range = args.part(node.element_count(), 64);
  std::byte* const to = node.data() + range.begin * element_bytes(node.dtype);
  const std::byte* const from = source.data() + range.begin * element_bytes(source.dtype);
  if (node.dtype == DType::F32)
    loader<float>(source.dtype)(reinterpret_cast<float*>(to), from, 1, range.size());
  else
    storer<float>(node.dtype)(to, 1, reinterpret_cast<const float*>(from), range.size());
}

void cast_quantised(const KernelArgs& args) {
  const TensorImpl& source = args.source(0);
  const int64_t width = source.sizes.back();
  const Range rows = args.part(source.element_count() / width);
  const int64_t piece = 1024 / info(source.dtype).block_elements * info(source.dtype).block_elements;
  const StoreRow<float> store = storer<float>(args.node.dtype);
  const int64_t bytes = element_bytes(args.node.dtype);
  float buffer[1024];
  const LoopNest nest(source.sizes, {&args.node, &source});
  nest.rows({rows.begin * width, rows.end * width}, piece, [&](const int64_t* at, int64_t n) {
    const DTypeInfo& t = info(source.dtype);
    dequantise(source.dtype, source.data() + at[1] / t.block_elements * t.block_bytes, buffer, n);
    store(args.node.data() + at[0] * bytes, 1, buffer, n);
  });
}

}  // namespace

Status cast_supports(const TensorImpl& node) {
  if (info(node.dtype).quantised) return refuse(node, "quantisation is not supported");
  return {};
}

// CONT, COPY and CAST.
Status copy(const KernelArgs& args) {
  const TensorImpl& source = args.source(0);
  const TensorImpl& node = args.node;
  if (info(source.dtype).quantised && source.dtype != node.dtype) {
    cast_quantised(args);
    return {};
  }
  if (source.dtype != node.dtype && node.contiguous() && source.contiguous() &&
      (node.dtype == DType::F32 || source.dtype == DType::F32)) {
    cast_floats(args);
    return {};
  }
  if (source.dtype != node.dtype) {
    with_compute_type(source.dtype, [&](auto from) {
      // 0.5 becomes true; values out of an integer's range are saturated.
      if (node.dtype == DType::Bool || (info(source.dtype).floating && !info(node.dtype).floating))
        return cast_as<decltype(from), decltype(from)>(args);
      with_compute_type(node.dtype, [&](auto to) { cast_as<decltype(to), decltype(from)>(args); });
    });
    return {};
  }
  if (info(source.dtype).quantised) {
    const int64_t block = info(source.dtype).block_elements, bytes = info(source.dtype).block_bytes;
    const LoopNest nest(node.sizes, {&node, &source});
    nest.rows(args.part(nest.count(), source.sizes.back()), kAll, [&](const int64_t* at, int64_t n) {
      std::memcpy(node.data() + at[0] / block * bytes, source.data() + at[1] / block * bytes,
                  static_cast<size_t>(n / block * bytes));
    });
    return {};
  }
  with_width(node.dtype, [&](auto zero) {
    using T = decltype(zero);
    const bool last = node.channels_last();
    const Dims sizes = in_memory_order(node.sizes, last), strides = in_memory_order(source.strides, last);
    if (const auto m = as_transposed(sizes, strides)) {
      transpose_tiles(args.part(node.element_count() / m->columns, 16), m->rows, m->columns, m->batch_stride,
                      m->column_stride, node.data_as<T>(), source.data_as<T>(), node.byte_count() >= kPastCaches);
      return;
    }
    const LoopNest nest(sizes, {in_memory_order(node.strides, last), strides});
    if constexpr (sizeof(T) == 4) {  // large: non-temporal stores
      const bool runs = nest.inner_stride(0) == 1 && nest.inner_stride(1) == 1;
      if (runs && node.byte_count() >= kPastCaches && node.data() != source.data()) {
        nest.rows(args.part(nest.count(), 64), kAll, [&](const int64_t* at, int64_t n) {
          simd_past_caches().copy(node.data_as<float>() + at[0], source.data_as<float>() + at[1], n);
        });
        simd_past_caches().settle();
        return;
      }
    }
    move(nest, args.part(nest.count(), 64), node.data_as<T>(), source.data_as<T>());
  });
  return {};
}

Status concat(const KernelArgs& args) {
  const TensorImpl& node = args.node;
  const int axis = args.node.params.get<AxisParams>().axis;
  with_width(node.dtype, [&](auto zero) {
    using T = decltype(zero);
    int64_t offset = 0;
    for (const TensorImpl* source : node.sources) {
      if (source->element_count() == 0) continue;
      const bool last = node.channels_last();
      const LoopNest nest(in_memory_order(source->sizes, last),
                          {in_memory_order(node.strides, last), in_memory_order(source->strides, last)});
      move(nest, args.part(nest.count(), 64), node.data_as<T>() + offset, source->template data_as<T>());
      offset += source->sizes[axis] * node.strides[axis];
    }
  });
  return {};
}

Status pad(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<PadParams>();
  const int last = node.rank() - 1;
  with_width(node.dtype, [&](auto zero) {
    using T = decltype(zero);
    T value{};
    with_compute_type(node.dtype, [&](auto number) {
      const auto wide = convert<decltype(number)>(static_cast<double>(p.value));
      storer<decltype(number)>(node.dtype)(reinterpret_cast<std::byte*>(&value), 1, &wide, 1);
    });
    // Input index of index i in dimension d; -1: the fill value.
    const auto origin = [&](int d, int64_t i) -> int64_t {
      i -= p.begin[d];
      const int64_t size = source.sizes[d];
      if (i >= 0 && i < size) return i;
      if (p.mode == PadMode::Constant) return -1;
      if (p.mode == PadMode::Edge) return i < 0 ? 0 : size - 1;
      if (size == 1) return 0;
      const int64_t period = 2 * (size - 1), m = ((i % period) + period) % period;
      return m < size ? m : period - m;
    };
    T* to = node.data_as<T>();
    const T* from = source.data_as<T>();
    if (node.rank() == 0) {
      if (args.ith == 0) *to = *from;
      return;
    }
    const int64_t width = node.sizes[last], stride = source.strides[last];
    const int64_t begin = std::clamp<int64_t>(p.begin[last], 0, width);
    const int64_t inside = std::clamp<int64_t>(p.begin[last] + source.sizes[last], begin, width);
    const Range rows = args.part(node.element_count() / width);
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      int64_t offset = 0, rest = row;
      bool outside = false;
      for (int d = last - 1; d >= 0; --d) {
        const int64_t at = origin(d, rest % node.sizes[d]);
        rest /= node.sizes[d];
        outside = outside || at < 0;
        offset += at * source.strides[d];
      }
      T* line = to + row * width;
      if (outside) {
        std::fill(line, line + width, value);
        continue;
      }
      const auto fetch = [&](int64_t i) {
        const int64_t at = origin(last, i);
        return at < 0 ? value : from[offset + at * stride];
      };
      for (int64_t i = 0; i < begin; ++i) line[i] = fetch(i);
      if (inside > begin)
        move_row(line + begin, 1, from + offset + (begin - p.begin[last]) * stride, stride, inside - begin);
      for (int64_t i = inside; i < width; ++i) line[i] = fetch(i);
    }
  });
  return {};
}

// FILL and ARANGE: integer results are computed as integers.
Status fill(const KernelArgs& args) {
  const auto p = args.node.params.get<FillParams>();
  const double step = args.node.op == Op::Arange ? p.step : 0;
  const Range range = args.part(args.node.element_count(), 64);
  with_compute_type(args.node.dtype, [&](auto zero) {
    using C = decltype(zero);
    Writer<C> out(args.node);
    const C start = convert<C>(p.start), by = convert<C>(step);
    for (int64_t at = range.begin; at < range.end; at += kPiece) {
      const int64_t n = std::min(kPiece, range.end - at);
      C* to = out.piece(at);
      for (int64_t i = 0; i < n; ++i) {
        if constexpr (std::is_integral_v<C>)
          to[i] =
              static_cast<C>(static_cast<uint64_t>(start) + static_cast<uint64_t>(at + i) * static_cast<uint64_t>(by));
        else
          to[i] = static_cast<C>(p.start + static_cast<double>(at + i) * step);
      }
      out.done(at, n);
    }
  });
  return {};
}

// Keeps the lower (or upper) triangle of the last two dimensions; other elements become 0.
Status tril(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<TrilParams>();
  const int64_t columns = node.sizes.back(0), rows = node.sizes.back(1);
  const int64_t diagonal = std::clamp(p.diagonal, -rows - 1, columns + 1);  // beyond that everything or nothing is kept
  with_width(node.dtype, [&](auto zero) {
    using T = decltype(zero);
    const LoopNest nest(node.sizes, {&node, &source});
    T* to = node.data_as<T>();
    const T* from = source.data_as<T>();
    const int64_t stride = nest.inner_stride(1);
    nest.rows(args.part(nest.count(), 64), kAll, [&](const int64_t* at, int64_t n) {
      for (int64_t i = 0, length; i < n; i += length) {
        const int64_t column = (at[0] + i) % columns, row = (at[0] + i) / columns % rows;
        length = std::min(n - i, columns - column);
        // The upper triangle keeps the columns from `left` on, the lower one those before it.
        const int64_t left = std::clamp(row + diagonal + (p.upper ? 0 : 1) - column, int64_t{0}, length);
        const int64_t begin = p.upper ? left : 0, end = p.upper ? length : left;
        T* const out = to + at[0] + i;
        for (int64_t k = 0; k < begin; ++k) out[k] = T{};
        for (int64_t k = begin; k < end; ++k) out[k] = from[at[1] + (i + k) * stride];
        for (int64_t k = end; k < length; ++k) out[k] = T{};
      }
    });
  });
  return {};
}

// [N, C·b², H, W] → [N, C, H·b, W·b].
Status depth_to_space(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<DepthToSpaceParams>();
  const int64_t b = p.block, channels = node.sizes[1], height = node.sizes[2], width = node.sizes[3];
  with_width(node.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* to = node.data_as<T>();
    const T* from = source.data_as<T>();
    const Range rows = args.part(node.sizes[0] * channels * height);
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      const int64_t h = r % height, c = r / height % channels, n = r / height / channels;
      for (int64_t w = 0; w < width; ++w) {
        const int64_t block = h % b * b + w % b;
        const int64_t channel = p.column_row_depth ? c * b * b + block : block * channels + c;
        to[r * width + w] = from[n * source.strides[0] + channel * source.strides[1] + h / b * source.strides[2] +
                                 w / b * source.strides[3]];
      }
    }
  });
  return {};
}

}  // namespace arenascope::cpu
