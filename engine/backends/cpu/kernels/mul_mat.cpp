// SPDX-License-Identifier: MIT
// MUL_MAT: out[.., m, n] = scale · Σ b[.., m, k] · a[.., n, k] (+ bias[n]). Few rows of b (decoding) are dot products
// along the rows of a, which are read and dequantised once; more rows use packed GEMM, for which prepare() packs constant f32
// weights. Error bounds: float and f16 depth·2^-24·Σ|a·b|; bf16 and quantised weights as in onednn_matmul.h and
// quant_kernels.h; f16 with rounding enabled 2^-8·Σ|a·b| (matmul_fp16.h).
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/gemm.h"
#include "engine/backends/cpu/kernels/matmul_fp16.h"
#include "engine/backends/cpu/onednn/onednn.h"
#include "engine/backends/cpu/packed.h"
#include "engine/backends/cpu/quant/quant.h"
#include "engine/backends/cpu/quant/quant_matmul.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kFewRows = 8;
constexpr int64_t kSliceBytes = 8 << 20;  // bytes of weights packed at once, before their pages are released
constexpr int64_t kDotPiece = 1024;       // a multiple of every quantised block

struct Product {
  int64_t rows, columns, depth;  // M, N, K
  int64_t batches;
  LoopNest batch;  // offsets of out, a, b

  explicit Product(const TensorImpl& node)
      : rows(node.sizes.back(1)),
        columns(node.sizes.back()),
        depth(node.sources[0]->sizes.back()),
        batches(node.element_count() / (rows * columns)),
        batch(outer(node.sizes), {outer_strides(node, node), outer_strides(node, *node.sources[0]),
                                  outer_strides(node, *node.sources[1])}) {}

 private:
  static Dims outer(Dims d) {
    d.resize(d.rank() - 2);
    return d;
  }
  // The operand's strides over the result's batch dimensions; 0 where it is broadcast.
  static Dims outer_strides(const TensorImpl& node, const TensorImpl& operand) {
    Dims out;
    for (int d = 0; d < node.rank() - 2; ++d) {
      const int own = d - (node.rank() - operand.rank());
      out.push_back(own < 0 || operand.sizes[own] == 1 ? 0 : operand.strides[own]);
    }
    return out;
  }
};

Lines lines_of(const TensorImpl& tensor, int64_t offset) {
  const DTypeInfo& type = info(tensor.dtype);
  return {tensor.data() + offset / type.block_elements * type.block_bytes, tensor.dtype, tensor.strides.back(1),
          tensor.strides.back()};
}

// Elements [begin, begin + n) of row i as floats.
const float* line(const Lines& l, int64_t i, int64_t begin, int64_t n, float* buffer) {
  const DTypeInfo& type = info(l.type);
  const std::byte* from = l.data + (i * l.line_stride + begin * l.stride) / type.block_elements * type.block_bytes;
  if (type.quantised) {
    dequantise(l.type, from, buffer, n);
    return buffer;
  }
  if (l.type == DType::F32 && (l.stride == 1 || n == 1)) return reinterpret_cast<const float*>(from);
  loader<float>(l.type)(buffer, from, l.stride, n);
  return buffer;
}

// Index in Simd::dots for rows of this type; -1: not supported.
int place_of(DType type) { return type == DType::F32 ? 0 : type == DType::F16 ? 1 : type == DType::BF16 ? 2 : -1; }

// Contiguous rows of a: SIMD dot products by blocks of depth, so that b stays in the caches.
bool few_plain_rows(const Product& p, Range columns, const Lines& a, const Lines& b, float* c) {
  const int place = place_of(a.type);
  if (place < 0 || a.stride != 1) return false;
  const int64_t bytes = element_bytes(a.type),
                block = b.type == DType::F32 && b.stride == 1 ? 32768 / p.rows : kDotPiece;
  alignas(64) float buffer[kFewRows * kDotPiece];
  for (int64_t m = 0; m < p.rows; ++m)
    std::fill(c + m * p.columns + columns.begin, c + m * p.columns + columns.end, 0.0f);
  for (int64_t k = 0; k < p.depth; k += block) {
    const int64_t depth = std::min(block, p.depth - k);
    const float* x = reinterpret_cast<const float*>(b.data) + k;
    int64_t stride = b.line_stride;
    if (b.type != DType::F32 || b.stride != 1) {
      for (int64_t m = 0; m < p.rows; ++m)
        std::copy_n(line(b, m, k, depth, buffer + m * kDotPiece), depth, buffer + m * kDotPiece);
      x = buffer, stride = kDotPiece;
    }
    simd().dots[place](a.data + (columns.begin * a.line_stride + k) * bytes, a.line_stride, columns.size(), x, stride,
                       p.rows, depth, c + columns.begin, p.columns);
  }
  return true;
}

void few_rows(const Product& p, Range columns, const Lines& a, const Lines& b, float* c) {
  if (few_plain_rows(p, columns, a, b, c)) return;
  alignas(64) float piece_a[kDotPiece], piece_b[kDotPiece];
  for (int64_t n = columns.begin; n < columns.end; ++n) {
    double sums[kFewRows] = {};
    for (int64_t k = 0; k < p.depth; k += kDotPiece) {
      const int64_t depth = std::min(kDotPiece, p.depth - k);
      const float* x = line(a, n, k, depth, piece_a);
      for (int64_t m = 0; m < p.rows; ++m)
        sums[m] += static_cast<double>(simd().lines.dot(x, line(b, m, k, depth, piece_b), depth));
    }
    for (int64_t m = 0; m < p.rows; ++m) c[m * p.columns + n] = static_cast<float>(sums[m]);
  }
}

// Scale and bias for the columns of some rows; c is the batch's first element.
void scale_and_bias(const KernelArgs& args, Range rows, Range columns, int64_t stride, float* c) {
  const float scale = args.node.params.get<MulMatParams>().scale;
  const bool biased = args.sources() > 2;
  if (scale == 1 && !biased) return;
  alignas(64) float buffer[512];
  for (int64_t n = columns.begin; n < columns.end; n += 512) {
    const int64_t count = std::min<int64_t>(512, columns.end - n);
    const float* bias = biased ? elements(args.source(2), n, count, buffer) : nullptr;
    for (int64_t m = rows.begin; m < rows.end; ++m) {
      float* to = c + m * stride + n;
      if (scale != 1) simd().elements.affine(to, to, count, scale, 0);
      if (bias) simd().elements.add(to, to, bias, count);
    }
  }
}

void finish(const KernelArgs& args, Range rows, Range columns, int64_t stride, float* c) {
  scale_and_bias(args, rows, columns, stride, c);
  if (!args.epilogue) return;
  const int64_t first = c - args.node.data_as<float>();
  if (columns.size() == stride) return args.done(first + rows.begin * stride, rows.size() * stride);
  for (int64_t m = rows.begin; m < rows.end; ++m) args.done(first + m * stride + columns.begin, columns.size());
}

// True if prepare() packs the weights into panels of gemm().
bool packs_panels(const TensorImpl& node) {
  const TensorImpl& a = *node.sources[0];
  return a.dtype == DType::F32 && a.rank() == 2 && node.sizes.back(1) > kFewRows;
}

}  // namespace

Bytes packed_mul_mat_bytes(const TensorImpl& node) {
  const Dims& sizes = node.sources[0]->sizes;
  const int64_t nr = simd().tile_columns;
  return packs_panels(node) ? 4 * ((sizes[0] + nr - 1) / nr * nr) * sizes[1] : 0;
}

void pack_mul_mat(const TensorImpl& node, float* to) {
  const TensorImpl& weight = *node.sources[0];
  const int64_t columns = weight.sizes[0], depth = weight.sizes[1], column_bytes = 4 * depth, nr = simd().tile_columns;
  const int64_t slice = std::max<int64_t>(kSliceBytes / std::max<int64_t>(column_bytes, 1) / nr, 1) * nr;
  for (int64_t column = 0; column < columns; column += slice) {
    const int64_t count = std::min(slice, columns - column);
    pack_all(lines_of(weight, column * weight.strides[0]), count, nr, depth, to + column * depth);
    if (const BlockPtr& block = weight.storage.block(); block && weight.contiguous())
      block->drop_pages(weight.data() + column * column_bytes - block->data(), count * column_bytes);
  }
}

Bytes mul_mat_work(const TensorImpl& node, int tasks) {
  const Bytes floats =
      node.sizes.back(1) <= kFewRows
          ? 0
          : round_to_line(gemm_scratch(node.sizes.back(1), node.sizes.back(), node.sources[0]->sizes.back()));
  const Bytes halves = node.sizes.back(1) > kFewRows ? fp16_matmul_work(node) : 0;
  const Bytes panels =
      packs_panels(node) ? round_to_line(packed_gemm_scratch(node.sizes.back(1), node.sources[0]->sizes[1])) : 0;
  return tasks * std::max({floats, panels, halves, quant_product_work(node), onednn_matmul_work(node)});
}

Status mul_mat(const KernelArgs& args) {
  const TensorImpl &a = args.source(0), &b = args.source(1);
  const Product p(args.node);
  const bool few = p.rows <= kFewRows, halves = !few && args.rounds && is_fp16_matmul(args.node);
  const QuantPanels* quantised = args.packed ? args.packed->quantised() : nullptr;
  // Chunks: whole matrices if there are enough, else columns (rows of a), else rows.
  const int64_t unit_rows = simd().tile_rows, unit_columns = quantised ? quantised->layout().width
                                                             : few     ? 16
                                                                       : simd().tile_columns;
  Range batches{0, p.batches}, rows{0, p.rows}, columns{0, p.columns};
  const bool panels = args.packed && packs_panels(args.node);
  OnednnMatmul* const library =
      args.packed && p.batches == 1 && args.packed->product() && args.packed->product()->takes(p.rows, args.nth)
          ? args.packed->product()
          : nullptr;
  if (library)
    rows = args.part(p.rows, 8);
  else if (p.batches >= 2 * args.nth || p.batches % args.nth == 0)
    batches = args.part(p.batches);
  else if (few || halves || p.columns / unit_columns >= 2 * args.nth || p.columns >= p.rows)
    columns = args.part(p.columns, unit_columns);
  else
    rows = args.part(p.rows, unit_rows);
  if (rows.size() <= 0 || columns.size() <= 0) return {};
  float* const scratch = args.scratch<float>(mul_mat_work(args.node, 1));
  p.batch.rows(batches, 1, [&](const int64_t* at, int64_t) {
    const Lines lines_a = lines_of(a, at[1]), lines_b = lines_of(b, at[2]);
    float* c = args.node.data_as<float>() + at[0];
    if (!quantised && !library && !panels) args.need_original_weights();
    bool done = quantised &&
                quant_product(*quantised, rows, columns, lines_b, reinterpret_cast<std::byte*>(scratch), c, p.columns);
    done = done ||
           (halves && fp16_matmul(p.rows, columns, p.depth, lines_b, lines_a, reinterpret_cast<std::byte*>(scratch), c,
                                  p.columns)) ||
           (library && library->compute(rows, lines_b, args.packed->bytes(), reinterpret_cast<std::byte*>(scratch), c));
    if (panels) {
      gemm(rows, columns, p.depth, scratch, LeftLines{lines_b, gemm_row(scratch)},
           PackedRight{args.packed->data(), p.depth}, c, p.columns);
    } else if (!done) {
      args.need_original_weights();
      if (few)
        few_rows(p, columns, lines_a, lines_b, c);
      else if (!onednn_matmul(rows, columns, p.depth, lines_b, lines_a, c, p.columns))
        gemm(rows, columns, p.depth, scratch, LeftLines{lines_b, gemm_row(scratch)},
             RightLines{lines_a, gemm_row(scratch)}, c, p.columns);
    }
    finish(args, rows, columns, p.columns, c);
  });
  return {};
}

}  // namespace arenascope::cpu
