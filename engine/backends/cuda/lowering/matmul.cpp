// SPDX-License-Identifier: MIT
// Matmul, attention, rotary embedding, LSTM.
#include "engine/backends/cuda/kernels/matmul.h"

#include "engine/backends/cuda/kernels/attention.h"
#include "engine/backends/cuda/lowering/families.h"
#include "engine/backends/cuda/lowering/shapes.h"

#include <optional>

namespace arenascope::cuda {
namespace {

constexpr Bytes kScratchAlignment = 256;
Bytes padded(Bytes bytes) { return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment; }

MatmulWork product_of(const TensorImpl& node) {
  const TensorImpl &a = *node.sources[0], &b = *node.sources[1];
  const int rank = node.rank();
  MatmulWork work;
  for (int d = rank - 3; d >= 0; --d)
    add_dimension(work.batch, node.sizes[d],
                  {node.strides[d], broadcast_stride(a, rank, d), broadcast_stride(b, rank, d)});
  finish(work.batch);
  work.out = bytes(node);
  work.a = bytes(a);
  work.b = bytes(b);
  work.a_type = a.dtype;
  work.b_type = b.dtype;
  work.n = node.sizes.back();
  work.m = node.sizes.back(1);
  work.k = a.sizes.back();
  work.a_row = a.strides.back(1);
  work.a_step = a.strides.back();
  work.b_row = b.strides.back(1);
  work.b_step = b.strides.back();
  work.out_row = work.n;
  work.scale = node.params.get<MulMatParams>().scale;
  if (node.sources.size() > 2) {
    work.bias = bytes(*node.sources[2]);
    work.bias_type = node.sources[2]->dtype;
    work.bias_step = node.sources[2]->strides[0];
  }
  // One matrix with many rows is one matmul, not a batch of small ones.
  if (work.batch.rank == 1 && work.batch.strides[1][0] == 0 && work.batch.strides[0][0] == work.m * work.n &&
      work.batch.strides[2][0] == work.m * work.b_row) {
    work.m *= work.batch.count;
    work.batch = {};
    finish(work.batch);
  }
  return work;
}

bool whole_vectors(const MatmulWork& p) {
  if (p.k % kVector != 0 || p.a_step != 1 || p.b_step != 1 || p.b_row % kVector != 0) return false;
  if (!aligned(p.b, vector_alignment(p.b_type))) return false;
  const bool quantised = info(p.a_type).quantised;
  if (!quantised && (p.a_row % kVector != 0 || !aligned(p.a, vector_alignment(p.a_type)))) return false;
  for (int d = 0; d < p.batch.rank; ++d)
    if (p.batch.strides[2][d] % kVector != 0 || (!quantised && p.batch.strides[1][d] % kVector != 0)) return false;
  return true;
}

// True if the library supports the matmul with a result of this type; fills `out`.
bool as_library(const MatmulWork& p, DType out_type, LibraryMatmul& out) {
  if (p.a_type != p.b_type || p.batch.rank > 1 || p.k == 0 || (p.bias && (p.bias_type != out_type || p.bias_step != 1)))
    return false;
  const auto transposed = [](int64_t step, int64_t row, bool& is) {
    is = step != 1;
    return step == 1 || row == 1;
  };
  if (!transposed(p.a_step, p.a_row, out.a_transposed) || !transposed(p.b_step, p.b_row, out.b_transposed))
    return false;
  out.a_row = out.a_transposed ? p.a_step : p.a_row;
  out.b_row = out.b_transposed ? p.b_step : p.b_row;
  if (out.a_row < (out.a_transposed ? p.n : p.k) || out.b_row < (out.b_transposed ? p.m : p.k)) return false;
  out.out = p.out;
  out.a = p.a;
  out.b = p.b;
  out.bias = p.bias;
  out.type = p.a_type;
  out.out_type = out_type;
  out.n = p.n;
  out.m = p.m;
  out.k = p.k;
  out.count = p.batch.count;
  if (p.batch.rank == 1) {
    out.out_batch = p.batch.strides[0][0];
    out.a_batch = p.batch.strides[1][0];
    out.b_batch = p.batch.strides[2][0];
  }
  out.scale = p.scale;
  return true;
}

// Float16 weights with f32 rows, and quantised weights, are dequantised into scratch and multiplied in f32.
bool unpacks(const MatmulWork& p) {
  return p.b_type == DType::F32 && p.a_type != DType::F32 && p.a_type != DType::F64 && p.batch.count == 1 &&
         p.a_step == 1;
}

// The bias of float16 operands is dequantised too if the result stays f32.
bool unpacks_bias(const MatmulWork& p) { return p.bias && p.bias_type == DType::F16 && p.a_type == DType::F16; }

// Scratch for the dequantised weights and the bias, in this order; the library's scratch comes after them.
struct MatmulScratch {
  Bytes weights = 0, bias = 0;
  Bytes bytes() const { return weights + bias; }
};
MatmulScratch matmul_scratch(const MatmulWork& p) {
  return {unpacks(p) ? padded(p.n * p.k * 4) : 0, unpacks_bias(p) ? padded(p.n * 4) : 0};
}

// `scratch` may be null if only the size of the scratch is needed.
bool as_library(MatmulWork p, const char* scratch, LibraryMatmul& out) {
  const MatmulScratch parts = matmul_scratch(p);
  if (parts.weights > 0) {
    p.a = scratch;
    p.a_type = DType::F32;
    p.a_row = p.k;
  }
  if (parts.bias > 0) {
    p.bias =
        reinterpret_cast<const char*>(reinterpret_cast<uintptr_t>(scratch) + static_cast<uintptr_t>(parts.weights));
    p.bias_type = DType::F32;
    p.bias_step = 1;
  }
  return as_library(p, DType::F32, out);
}

// With few rows of b the matmul is memory-bound; a kernel that reads a once is fastest.
bool has_few_rows(const MatmulWork& work) { return work.m <= kThinRows; }

Status queue_matmul(Queue& queue, MatmulWork work) {
  if (has_few_rows(work)) {
    work.vector = whole_vectors(work);
    return queue.launch(KernelId::thin_matmul, grid_for(queue, work.batch.count * work.n * kWarp, 128), work);
  }
  const int64_t tiles =
      work.batch.count * ((work.m + kProductTile - 1) / kProductTile) * ((work.n + kProductTile - 1) / kProductTile);
  return queue.launch(KernelId::matmul, grid_for(queue, tiles * 256), work);
}

// A warp reads contiguous rows of a; column-major a is left to the library.
bool is_thin(const MatmulWork& work) { return has_few_rows(work) && work.a_step == 1; }

Status unpack_rows(Queue& queue, const char* from, DType type, int64_t rows, int64_t width, int64_t stride, char* to) {
  UnpackWork unpack;
  add_dimension(unpack.rows, rows, {stride});
  finish(unpack.rows);
  unpack.out = to;
  unpack.in = from;
  unpack.type = type;
  unpack.count = rows * width;
  unpack.width = width;
  return queue.launch(KernelId::unpack, grid_for(queue, unpack.count), unpack);
}

// The kernel for rows of whole vectors; nullopt if it does not support these rows.
std::optional<KernelId> dense_attention(const AttentionWork& p) {
  const int64_t widest = std::max(p.width, p.value_width);
  if (widest > 128 || p.width % kVector != 0 || p.value_width % kVector != 0 || p.outer.wide) return std::nullopt;
  const auto whole = [&](int array, const char* base, DType type, const int64_t(&strides)[3]) {
    if (class_of(type) != NumberClass::Float || info(type).quantised || !aligned(base, vector_alignment(type)) ||
        strides[2] != 1 || strides[0] % kVector != 0 || strides[1] % kVector != 0)
      return false;
    for (int d = 0; d < p.outer.rank; ++d)
      if (p.outer.strides[array][d] % kVector != 0) return false;
    return true;
  };
  if (!whole(0, p.q, p.q_type, p.q_strides) || !whole(1, p.k, p.k_type, p.k_strides) ||
      !whole(2, p.v, p.v_type, p.v_strides))
    return std::nullopt;
  return widest > 64 ? KernelId::attention_128 : KernelId::attention_64;
}

}  // namespace

Bytes mul_mat_scratch(const TensorImpl& node, Queue& queue) {
  const MatmulWork work = product_of(node);
  if (is_thin(work)) return 0;
  LibraryMatmul library;
  if (!as_library(work, nullptr, library) || !queue.libraries().takes(library)) return 0;
  return matmul_scratch(work).bytes() + queue.libraries().scratch(library);
}

Status lower_mul_mat(const LaunchRequest& request) {
  const MatmulWork work = product_of(request.node);
  if (is_thin(work)) return queue_matmul(request.queue, work);
  const MatmulScratch parts = matmul_scratch(work);
  LibraryMatmul library;
  if (request.scratch_bytes < parts.bytes() || (work.bias && parts.bias > 0 && work.bias_step != 1) ||
      !as_library(work, request.scratch, library) || !request.queue.libraries().takes(library))
    return queue_matmul(request.queue, work);
  if (parts.weights > 0)
    if (auto ok = unpack_rows(request.queue, work.a, work.a_type, work.n, work.k, work.a_row, request.scratch); !ok)
      return ok;
  if (parts.bias > 0)
    if (auto ok =
            unpack_rows(request.queue, work.bias, work.bias_type, 1, work.n, work.n, request.scratch + parts.weights);
        !ok)
      return ok;
  const Status done = request.queue.libraries().run(
      library, request.scratch ? request.scratch + parts.bytes() : nullptr, request.scratch_bytes - parts.bytes());
  return done.ok() || request.queue.libraries().takes(library) ? done : queue_matmul(request.queue, work);
}

bool casts_matmul(const TensorImpl& matmul, const TensorImpl& cast) {
  if (matmul.op != Op::MulMat || cast.op != Op::Cast || cast.dtype != DType::F16 || !(cast.sizes == matmul.sizes) ||
      cast.sources[0] != &matmul || matmul.element_count() == 0)
    return false;
  return matmul.sources[0]->dtype == DType::F16 && matmul.sources[1]->dtype == DType::F16 &&
         !is_thin(product_of(matmul));
}

Status lower_cast_matmul(const LaunchRequest& request, const TensorImpl& cast) {
  MatmulWork work = product_of(request.node);
  work.out = bytes(cast);
  if (LibraryMatmul library; as_library(work, DType::F16, library) && request.queue.libraries().takes(library)) {
    const Status done = request.queue.libraries().run(library, request.scratch, request.scratch_bytes);
    if (done.ok() || request.queue.libraries().takes(library)) return done;
  }
  if (auto ok = lower_mul_mat(request); !ok) return ok;
  return lower({cast, request.queue, request.scratch, request.scratch_bytes, request.number, request.fault});
}

Status lower_attention(const LaunchRequest& request) {
  const TensorImpl& node = request.node;
  const TensorImpl &q = *node.sources[0], &k = *node.sources[1], &v = *node.sources[2];
  const TensorImpl* mask = node.sources.size() > 3 ? node.sources[3] : nullptr;
  const auto p = node.params.get<AttentionParams>();
  const int rank = node.rank();
  AttentionWork work;
  for (int d = rank - 4; d >= 0; --d)
    add_dimension(work.outer, node.sizes[d],
                  {q.strides[d], k.strides[d], v.strides[d], mask ? broadcast_stride(*mask, rank, d) : 0});
  finish(work.outer);
  work.out = bytes(node);
  work.q = bytes(q);
  work.k = bytes(k);
  work.v = bytes(v);
  work.mask = mask ? bytes(*mask) : nullptr;
  work.q_type = q.dtype;
  work.k_type = k.dtype;
  work.v_type = v.dtype;
  work.heads = q.sizes.back(2);
  work.key_heads = k.sizes.back(2);
  work.queries = q.sizes.back(1);
  work.keys = k.sizes.back(1);
  work.width = q.sizes.back();
  work.value_width = v.sizes.back();
  for (int d = 0; d < 3; ++d) {
    work.q_strides[d] = q.strides.back(2 - d);
    work.k_strides[d] = k.strides.back(2 - d);
    work.v_strides[d] = v.strides.back(2 - d);
    work.mask_strides[d] = mask ? broadcast_stride(*mask, rank, rank - 3 + d) : 0;
  }
  work.scale = p.scale;
  work.causal = p.causal;
  if (const auto fast = dense_attention(work)) {
    const int64_t blocks = work.outer.count * work.heads * ((work.queries + kQueries - 1) / kQueries);
    return request.queue.launch(
        *fast, {static_cast<uint32_t>(std::min<int64_t>(blocks, INT32_MAX)), kAttentionThreads, 0}, work);
  }
  const int64_t tiles = work.outer.count * work.heads * ((work.queries + kQueries - 1) / kQueries) *
                        ((work.value_width + kValuePart - 1) / kValuePart);
  return request.queue.launch(KernelId::attention,
                              grid_for(request.queue, tiles * kAttentionThreads, kAttentionThreads), work);
}

Status lower_rope(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &x = *node.sources[0];
  const auto p = node.params.get<RopeParams>();
  RopeWork work;
  for (int d = node.rank() - 2; d >= 0; --d) add_dimension(work.rows, node.sizes[d], {x.strides[d]});
  finish(work.rows);
  work.out = bytes(node);
  work.in = bytes(x);
  work.type = node.dtype;
  work.step = x.strides.back();
  work.steps = node.sizes.back(1);
  work.width = node.sizes.back();
  work.start = p.start;
  work.dims = p.dims;
  work.base = static_cast<double>(p.base);
  work.scale = static_cast<double>(p.scale);
  work.neox = p.neox;
  if (node.sources.size() > 1) {
    work.positions = bytes(*node.sources[1]);
    work.position_type = node.sources[1]->dtype;
    work.position_step = node.sources[1]->strides[0];
  }
  const bool wide = node.dtype == DType::F64;
  return request.queue.launch(wide ? KernelId::rope_f64 : KernelId::rope_f32,
                              grid_for(request.queue, work.rows.count * (work.width - work.dims / 2)), work);
}

Bytes lstm_scratch(const TensorImpl& node) {
  const Dims &x = node.sources[0]->sizes, &w = node.sources[1]->sizes;
  return padded(w[0] * x[0] * x[1] * w[1] * 4);
}

Status lower_lstm(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &x = *node.sources[0], &w = *node.sources[1], &r = *node.sources[2];
  const auto p = node.params.get<LstmParams>();
  const int64_t steps = x.sizes[0], batch = x.sizes[1], directions = w.sizes[0], h = p.hidden;
  // W·x for all steps at once: a batch over directions and steps.
  MatmulWork gates;
  add_dimension(gates.batch, steps, {batch * 4 * h, 0, x.strides[0]}, false);
  add_dimension(gates.batch, directions, {steps * batch * 4 * h, w.strides[0], 0}, false);
  finish(gates.batch);
  gates.out = request.scratch;
  gates.a = bytes(w);
  gates.b = bytes(x);
  gates.n = gates.out_row = 4 * h;
  gates.m = batch;
  gates.k = x.sizes[2];
  gates.a_row = w.strides[1];
  gates.a_step = w.strides[2];
  gates.b_row = x.strides[1];
  gates.b_step = x.strides[2];
  if (auto ok = queue_matmul(request.queue, gates); !ok) return ok;
  LstmWork work;
  work.out = bytes(node);
  work.gates = request.scratch;
  work.r = bytes(r);
  for (int d = 0; d < 3; ++d) work.r_strides[d] = r.strides[d];
  size_t next = 3;
  if (p.present & 1) {
    const TensorImpl& bias = *node.sources[next++];
    work.bias = bytes(bias);
    for (int d = 0; d < 2; ++d) work.bias_strides[d] = bias.strides[d];
  }
  if (p.present & 2) {
    const TensorImpl& h0 = *node.sources[next++];
    work.h0 = bytes(h0);
    for (int d = 0; d < 3; ++d) work.h0_strides[d] = h0.strides[d];
  }
  if (p.present & 4) {
    const TensorImpl& c0 = *node.sources[next++];
    work.c0 = bytes(c0);
    for (int d = 0; d < 3; ++d) work.c0_strides[d] = c0.strides[d];
  }
  work.steps = steps;
  work.batch = batch;
  work.hidden = h;
  work.directions = directions;
  work.reverse = p.direction == 1;
  Grid grid = grid_for(request.queue, directions * batch * 512, 512);
  grid.shared_bytes = static_cast<uint32_t>(6 * h * 4);
  return request.queue.launch(KernelId::lstm, grid, work);
}

}  // namespace arenascope::cuda
