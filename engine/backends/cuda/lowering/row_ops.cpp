// SPDX-License-Identifier: MIT
// Reductions, selections, cumulative sums, softmax and norms: splits dimensions into rows and chooses the group per
// row.
#include "engine/backends/cuda/kernels/row_ops.h"

#include <optional>

#include "engine/backends/cuda/kernels/dense_rows.h"
#include "engine/backends/cuda/lowering/families.h"
#include "engine/backends/cuda/lowering/shapes.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // a missing op is a compile error

namespace arenascope::cuda {
namespace {

RowOpcode line_op(ReductionOp op) {
  switch (op) {
    case ReductionOp::ReduceSum: return RowOpcode::Sum;
    case ReductionOp::ReduceMean: return RowOpcode::Mean;
    case ReductionOp::ReduceMax: return RowOpcode::Max;
    case ReductionOp::ReduceMin: return RowOpcode::Min;
    case ReductionOp::ReduceProd: return RowOpcode::Prod;
    case ReductionOp::ReduceL2: return RowOpcode::L2;
  }
  return RowOpcode::Sum;
}

// Chooses the group that shares a row: a thread if adjacent threads then read adjacent elements, a warp for short rows,
// else a block.
Grid share(RowWork& work, const Queue& queue, bool may_keep) {
  const auto &rows = work.rows, &along = work.along;
  const bool inner = along.rank == 0 || (along.rank == 1 && along.strides[1][0] == 1);
  const bool across = rows.rank > 0 && rows.strides[1][0] == 1;
  if ((!inner && across && rows.count >= 128) || along.count <= 4) {
    work.group = GroupKind::Thread;
    return grid_for(queue, rows.count, 128);
  }
  const auto keeps = [&](int64_t group) {
    if (!may_keep || along.rank != 1 || along.strides[0][0] != 1 || along.strides[1][0] != 1) return false;
    if (along.count % kVector != 0 || along.count > group * kKept * kVector || group > kDenseThreads) return false;
    if (class_of(work.out_type) != NumberClass::Float) return false;
    for (int i = 1; i < work.inputs; ++i) {
      if (along.strides[i + 1][0] == 0) continue;
      if (along.strides[i + 1][0] != 1 || class_of(work.types[i]) != NumberClass::Float) return false;
      if (!aligned(work.in[i], vector_alignment(work.types[i]))) return false;
      for (int d = 0; d < rows.rank; ++d)
        if (rows.strides[i + 1][d] % kVector != 0) return false;
    }
    for (int a = 0; a < 2; ++a)
      for (int d = 0; d < rows.rank; ++d)
        if (rows.strides[a][d] % kVector != 0) return false;
    return aligned(work.out, vector_alignment(work.out_type)) && aligned(work.in[0], vector_alignment(work.types[0]));
  };
  if (along.count <= kWarp * kKept * kVector) {
    work.group = GroupKind::Warp;
    work.kept = keeps(kWarp);
    return grid_for(queue, rows.count * kWarp, 256);
  }
  work.group = GroupKind::Block;
  const uint32_t threads = along.count <= 128 * kKept * kVector   ? 128
                           : along.count <= 256 * kKept * kVector ? 256
                                                                  : 512;
  work.kept = keeps(threads);
  return grid_for(queue, rows.count * threads, threads);
}

// The grid of the kernel for adjacent rows; nullopt if it does not support these rows. Sets the group: if there are too
// few rows to fill the device, each gets more threads.
std::optional<Grid> dense_rows(RowWork& work, const Queue& queue) {
  const auto &rows = work.rows, &along = work.along;
  const DType type = work.out_type;
  if ((type != DType::F32 && type != DType::F16) || work.types[0] != type || rows.wide || rows.rank > 1 ||
      along.rank != 1 || rows.count == 0)
    return std::nullopt;
  const auto adjacent = [&](int array, const char* base) {
    return along.strides[array][0] == 1 && aligned(base, 16) &&
           (rows.rank == 0 || rows.strides[array][0] == along.count);
  };
  if (along.count % (16 / info(type).block_bytes) != 0 || along.count > dense_row_elements(256) ||
      !adjacent(0, work.out) || !adjacent(1, work.in[0]))
    return std::nullopt;
  for (int i = 1; i < work.inputs; ++i) {  // a gain and a bias, the same for all rows
    if (work.types[i] != type || along.strides[i + 1][0] != 1 || !aligned(work.in[i], 16)) return std::nullopt;
    if (rows.rank == 1 && rows.strides[i + 1][0] != 0) return std::nullopt;
  }
  const bool few = along.count > kWarp * kVector && rows.count <= 4 * queue.multiprocessors();
  work.group = along.count <= dense_row_elements(kWarp) && !few ? GroupKind::Warp : GroupKind::Block;
  if (work.group == GroupKind::Warp)
    return Grid{static_cast<uint32_t>((rows.count + 128 / kWarp - 1) / (128 / kWarp)), 128, 0};
  return Grid{static_cast<uint32_t>(rows.count), along.count <= dense_row_elements(128) ? 128u : 256u, 0};
}

// Layout of the result and up to three inputs over the input's dimensions; `in_row(d)` selects those of the row.
struct Layout {
  int64_t strides[4] = {};
};
template <class InLine, class LayoutOf>
void lay_out(RowWork& work, const Dims& sizes, InLine in_row, LayoutOf layout) {
  for (int d = sizes.rank() - 1; d >= 0; --d) {
    const Layout l = layout(d);
    add_dimension(in_row(d) ? work.along : work.rows, sizes[d], l.strides);
  }
  finish(work.rows);
  finish(work.along);
}

void set_arrays(RowWork& work, const TensorImpl& node) {
  work.out = bytes(node);
  work.out_type = node.dtype;
  work.inputs = static_cast<int32_t>(node.sources.size());
  for (size_t i = 0; i < node.sources.size(); ++i) {
    work.in[i] = bytes(*node.sources[i]);
    work.types[i] = node.sources[i]->dtype;
  }
}

// Reduces the input's dimensions in `axes` with one of three kernels.
Status lower_axes(const LaunchRequest& request, RowWork& work, uint32_t axes, KernelId f32, KernelId f64,
                  KernelId whole) {
  const TensorImpl& x = *request.node.sources[0];
  // The result's strides by input dimension: row-major over the kept ones.
  Dims kept = x.sizes;
  for (int d = 0; d < x.rank(); ++d)
    if (axes >> d & 1) kept[d] = 1;
  const Dims out = contiguous_strides(kept);
  lay_out(
      work, x.sizes, [&](int d) { return (axes >> d & 1) != 0; },
      [&](int d) {
        return Layout{{axes >> d & 1 ? 0 : out[d], x.strides[d]}};
      });
  const Grid grid = share(work, request.queue, false);
  return request.queue.launch(pick(class_of(x.dtype), f32, f64, whole), grid, work);
}

Status lower_extreme(const LaunchRequest& request) {
  const auto p = request.node.params.get<ArgParams>();
  RowWork work;
  set_arrays(work, request.node);
  work.largest = request.node.op == Op::ArgMax;
  work.last = p.select_last;
  return lower_axes(request, work, 1u << p.axis, KernelId::arg_f32, KernelId::arg_f64, KernelId::arg_int);
}

Status lower_selection(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &x = *node.sources[0];
  RowWork work;
  set_arrays(work, node);
  const bool sums = node.op == Op::CumSum, products = node.op == Op::CumProd;
  int axis = 0;
  if (sums || products) {
    const auto p = node.params.get<CumSumParams>();
    axis = p.axis;
    work.exclusive = p.exclusive;
    work.reverse = p.reverse;
  } else {
    const auto p = node.params.get<TopKParams>();
    axis = p.axis;
    work.k = p.k;
    work.largest = p.largest;
    work.values = node.op == Op::TopKValues;
  }
  for (int d = x.rank() - 1; d >= 0; --d)
    add_dimension(d == axis ? work.along : work.rows, x.sizes[d], {node.strides[d], x.strides[d], 0, 0}, d != axis);
  finish(work.rows);
  finish(work.along);
  const Grid grid = share(work, request.queue, false);
  const NumberClass c = class_of(x.dtype);
  if (sums)
    return request.queue.launch(pick(c, KernelId::cum_sum_f32, KernelId::cum_sum_f64, KernelId::cum_sum_int), grid,
                                work);
  if (products)
    return request.queue.launch(pick(c, KernelId::cum_prod_f32, KernelId::cum_prod_f64, KernelId::cum_prod_int), grid,
                                work);
  return request.queue.launch(pick(c, KernelId::top_k_f32, KernelId::top_k_f64, KernelId::top_k_int), grid, work);
}

Status lower_soft_max(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &x = *node.sources[0];
  const auto p = node.params.get<SoftMaxParams>();
  RowWork work;
  set_arrays(work, node);
  work.what = node.op == Op::SoftMax ? RowOpcode::SoftMax : RowOpcode::LogSoftMax;
  work.number = node.op == Op::SoftMax ? static_cast<double>(p.scale) : 1;
  lay_out(
      work, node.sizes, [&](int d) { return d == p.axis; },
      [&](int d) {
        Layout l{{node.strides[d], x.strides[d]}};
        if (node.sources.size() > 1) l.strides[2] = broadcast_stride(*node.sources[1], node.rank(), d);
        return l;
      });
  if (work.inputs == 1 && work.what == RowOpcode::SoftMax)
    if (const auto grid = dense_rows(work, request.queue))
      return request.queue.launch(
          node.dtype == DType::F32 ? KernelId::soft_max_dense_f32 : KernelId::soft_max_dense_f16, *grid, work);
  const Grid grid = share(work, request.queue, true);
  const KernelId id = work.kept                                     ? KernelId::soft_max_kept
                      : class_of(node.dtype) == NumberClass::Double ? KernelId::soft_max_f64
                                                                    : KernelId::soft_max_f32;
  return request.queue.launch(id, grid, work);
}

Status lower_norm(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &x = *node.sources[0];
  RowWork work;
  set_arrays(work, node);
  work.what = node.op == Op::RmsNorm ? RowOpcode::RmsNorm : RowOpcode::Norm;
  if (node.op == Op::GroupNorm) {
    const auto p = node.params.get<GroupNormParams>();
    work.number = static_cast<double>(p.epsilon);
    const int64_t together = node.sizes[1] / p.groups;
    const auto channel = [&](size_t i) {
      return node.sources.size() > i && node.sources[i]->sizes[0] > 1 ? node.sources[i]->strides[0] : 0;
    };
    for (int d = node.rank() - 1; d >= 2; --d)
      add_dimension(work.along, node.sizes[d], {node.strides[d], x.strides[d], 0, 0});
    add_dimension(work.along, together, {node.strides[1], x.strides[1], channel(1), channel(2)});
    add_dimension(work.rows, p.groups,
                  {node.strides[1] * together, x.strides[1] * together, channel(1) * together, channel(2) * together});
    add_dimension(work.rows, node.sizes[0], {node.strides[0], x.strides[0], 0, 0});
    finish(work.rows);
    finish(work.along);
  } else {
    const auto p = node.params.get<NormParams>();
    work.number = static_cast<double>(p.epsilon);
    lay_out(
        work, node.sizes, [&](int d) { return d >= p.axis; },
        [&](int d) {
          Layout l{{node.strides[d], x.strides[d]}};
          for (size_t i = 1; i < node.sources.size(); ++i)
            l.strides[i + 1] = broadcast_stride(*node.sources[i], node.rank(), d);
          return l;
        });
  }
  if (node.op != Op::GroupNorm)
    if (const auto grid = dense_rows(work, request.queue))
      return request.queue.launch(node.dtype == DType::F32 ? KernelId::norm_dense_f32 : KernelId::norm_dense_f16, *grid,
                                  work);
  const Grid grid = share(work, request.queue, true);
  const KernelId id = work.kept                                     ? KernelId::norm_kept
                      : class_of(node.dtype) == NumberClass::Double ? KernelId::norm_f64
                                                                    : KernelId::norm_f32;
  return request.queue.launch(id, grid, work);
}

}  // namespace

Status lower_reduction(const LaunchRequest& request) {
  RowWork work;
  set_arrays(work, request.node);
  work.what = line_op(static_cast<ReductionOp>(request.node.op));
  return lower_axes(request, work, request.node.params.get<ReduceParams>().axes, KernelId::reduce_f32,
                    KernelId::reduce_f64, KernelId::reduce_int);
}

Status lower_norms(const LaunchRequest& request) {
  switch (static_cast<NormOp>(request.node.op)) {
    case NormOp::BatchNorm: return lower_pointwise(request);
    case NormOp::Norm:
    case NormOp::RmsNorm:
    case NormOp::GroupNorm: return lower_norm(request);
    case NormOp::SoftMax:
    case NormOp::LogSoftMax: return lower_soft_max(request);
  }
  return refuse(request.node, "no kernel supports this node");
}

Status lower_row_ops(const LaunchRequest& request) {
  switch (static_cast<LineOp>(request.node.op)) {
    case LineOp::ArgMax:
    case LineOp::ArgMin: return lower_extreme(request);
    case LineOp::TopKValues:
    case LineOp::TopKIndices:
    case LineOp::CumSum:
    case LineOp::CumProd: return lower_selection(request);
    case LineOp::Rope: return lower_rope(request);
  }
  return refuse(request.node, "no kernel supports this node");
}

}  // namespace arenascope::cuda
