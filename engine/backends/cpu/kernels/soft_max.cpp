// SPDX-License-Identifier: MIT
// SOFT_MAX and LOG_SOFT_MAX of scale·x + mask along one axis. Rows along the innermost dimension are processed one by
// one; along another dimension, a tile of adjacent columns at once, so that memory is read in rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/row_io.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kTileElements = 65536;

// Columns per tile.
int64_t tile_width(int64_t length, int64_t inner) {
  return inner == 1 ? 1
                    : std::clamp<int64_t>(kTileElements / std::max<int64_t>(length, 1) / 16 * 16, 16,
                                          std::min({int64_t{256}, kPiece, (inner + 15) / 16 * 16}));
}

struct Shape {
  int64_t outer = 1, length, inner = 1;
};
Shape shape_of(const TensorImpl& node) {
  const int axis = node.params.get<SoftMaxParams>().axis;
  Shape s{1, node.sizes[axis], 1};
  for (int d = 0; d < axis; ++d) s.outer *= node.sizes[d];
  for (int d = axis + 1; d < node.rank(); ++d) s.inner *= node.sizes[d];
  return s;
}

// y = scale·x + mask for elements [first, first + n).
template <class C>
void scaled(const KernelArgs& args, const LoopNest* mask_nest, int64_t first, int64_t n, C scale, C* y) {
  const C* x = elements(args.source(0), first, n, y);
  if (!mask_nest) {
    if constexpr (std::is_same_v<C, float>) return simd().elements.affine(y, x, n, scale, -0.0f);
    for (int64_t i = 0; i < n; ++i) y[i] = scale * x[i];
    return;
  }
  const TensorImpl& mask = args.source(1);
  const LoadRow<C> load = loader<C>(mask.dtype);
  C piece[256];
  mask_nest->rows({first, first + n}, 256, [&](const int64_t* at, int64_t m) {
    load(piece, mask.data() + at[0] * element_bytes(mask.dtype), mask_nest->inner_stride(0), m);
    for (int64_t i = 0; i < m; ++i) y[i] = scale * x[i] + piece[i];
    y += m;
    x += m;
  });
}

// y from scale·x; x may be y.
template <class C>
void line([[maybe_unused]] const Simd& s, C* out, C* y, const C* x, C scale, int64_t n, bool log) {
  if constexpr (std::is_same_v<C, float>) {
    const auto highest_of = [&](int64_t count) {
      return scale * (scale < 0 ? simd().lines.lowest(x, count) : simd().lines.highest(x, count));
    };
    if (!log && x != y) {
      // Any shift works unless a power overflows, so the maximum of a few elements saves a pass over all.
      const double sum = s.lines.exp_sum(y, x, scale, highest_of(std::min<int64_t>(n, 128)), n);
      if (sum > 0 && sum < 1e30) return s.elements.affine(out, y, n, static_cast<float>(1 / sum), 0);
    }
    const float highest = highest_of(n);
    if (log) {
      // The maximum is subtracted first: next to a large value the logarithm of the sum would be rounded away.
      simd().elements.affine(y, x, n, scale, -highest);
      double sum = 0;
      float piece[256];
      for (int64_t i = 0; i < n; i += 256)
        sum += simd().lines.exp_sum(piece, y + i, 1, 0, std::min<int64_t>(256, n - i));
      s.elements.affine(out, y, n, 1, -static_cast<float>(std::log(sum)));
    } else {
      const double sum = s.lines.exp_sum(y, x, scale, highest, n);
      s.elements.affine(out, y, n, static_cast<float>(1 / sum), 0);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = scale * x[i];
    const C highest = *std::max_element(y, y + n);
    C sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += std::exp(y[i] - highest);
    for (int64_t i = 0; i < n; ++i) out[i] = log ? y[i] - highest - std::log(sum) : std::exp(y[i] - highest) / sum;
  }
}

// `width` adjacent columns of `length` floats: SIMD loops over rows.
void tile(float* y, int64_t length, int64_t width, bool log) {
  const ElementLoops& by = simd().elements;
  float highest[256], sums[256], powers[256];
  if (!log && width % simd().lanes == 0) {
    std::fill(highest, highest + width, -std::numeric_limits<float>::infinity());
    std::fill(sums, sums + width, 0.0f);
    simd().soften(y, length, width, static_cast<int>(width / simd().lanes), highest, sums, powers);
  } else {
    std::copy(y, y + width, highest);
    for (int64_t l = 1; l < length; ++l) by.max(highest, highest, y + l * width, width);
    std::fill(sums, sums + width, 0.0f);
    for (int64_t l = 0; l < length; ++l) {
      float* const row = y + l * width;
      by.sub(row, row, highest, width);
      by.exp(log ? powers : row, row, width, 0, 0);
      by.add(sums, sums, log ? powers : row, width);
    }
  }
  for (int64_t i = 0; i < width; ++i) sums[i] = log ? std::log(sums[i]) : 1 / sums[i];
  for (int64_t l = 0; l < length; ++l) (log ? by.sub : by.mul)(y + l * width, y + l * width, sums, width);
}

void tile(double* y, int64_t length, int64_t width, bool log) {
  for (int64_t i = 0; i < width; ++i) {
    double highest = y[i], sum = 0;
    for (int64_t l = 1; l < length; ++l) highest = std::max(highest, y[l * width + i]);
    for (int64_t l = 0; l < length; ++l) sum += std::exp(y[l * width + i] - highest);
    const double logarithm = std::log(sum);
    for (int64_t l = 0; l < length; ++l) {
      double& value = y[l * width + i];
      value = log ? value - highest - logarithm : std::exp(value - highest) / sum;
    }
  }
}

template <class C>
void run(const KernelArgs& args) {
  const TensorImpl& node = args.node;
  const C scale = node.params.get<SoftMaxParams>().scale;
  const Shape s = shape_of(node);
  const int64_t width = tile_width(s.length, s.inner);
  C* const scratch = args.scratch<C>(round_to_line(s.length * width * static_cast<Bytes>(sizeof(C))));
  const bool log = node.op == Op::LogSoftMax;
  const std::optional<LoopNest> mask =
      args.sources() > 1 ? std::optional<LoopNest>(LoopNest(node.sizes, {&args.source(1)})) : std::nullopt;
  const LoopNest* mask_nest = mask ? &*mask : nullptr;
  if (s.inner == 1) {
    const Range lines = args.part(s.outer);
    const Functions functions(node);
    for (int64_t l = lines.begin; l < lines.end; ++l) {
      const bool native = is_native<C>(node.dtype);
      C* out = native ? node.data_as<C>() + l * s.length : scratch;
      // In scratch if the input is still needed or the result uses non-temporal stores.
      C* y = functions.past_caches() || node.data() == args.source(0).data() ? scratch : out;
      const C* x = y;
      if (mask_nest)
        scaled(args, mask_nest, l * s.length, s.length, scale, y);
      else
        x = elements(args.source(0), l * s.length, s.length, y);
      line(*functions, out, y, x, mask_nest ? C{1} : scale, s.length, log);
      if (!native) store_elements(node, l * s.length, s.length, out);
    }
    return;
  }
  const int64_t blocks = (s.inner + width - 1) / width;
  const Range range = args.part(s.outer * blocks);
  for (int64_t b = range.begin; b < range.end; ++b) {
    const int64_t column = b % blocks * width, w = std::min(width, s.inner - column);
    const int64_t first = b / blocks * s.length * s.inner + column;
    for (int64_t l = 0; l < s.length; ++l) {
      scaled(args, mask_nest, first + l * s.inner, w, scale, scratch + l * width);
      std::fill(scratch + l * width + w, scratch + (l + 1) * width, C{0});
    }
    tile(scratch, s.length, width, log);
    for (int64_t l = 0; l < s.length; ++l) store_elements(node, first + l * s.inner, w, scratch + l * width);
  }
}

}  // namespace

Bytes soft_max_work(const TensorImpl& node, int tasks) {
  const Shape s = shape_of(node);
  return tasks * round_to_line(s.length * tile_width(s.length, s.inner) * (node.dtype == DType::F64 ? 8 : 4));
}

Status soft_max(const KernelArgs& args) {
  args.node.dtype == DType::F64 ? run<double>(args) : run<float>(args);
  return {};
}

}  // namespace arenascope::cpu
