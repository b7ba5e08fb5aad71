// SPDX-License-Identifier: MIT
// Data movement: copy, cast, concat, pad, gather, set rows, fill, tril, resize.
#include "engine/backends/cuda/kernels/movement.h"

#include <arenascope/graph/own_places.h>
#include "engine/backends/cuda/kernels/copies.h"
#include "engine/backends/cuda/kernels/pointwise.h"
#include "engine/backends/cuda/kernels/set_rows.h"
#include "engine/backends/cuda/lowering/copies.h"
#include "engine/backends/cuda/lowering/families.h"

namespace arenascope::cuda {
namespace {

DType bits_type(int bytes) {
  return bytes == 1 ? DType::U8 : bytes == 2 ? DType::U16 : bytes == 4 ? DType::U32 : DType::U64;
}

// Tiles pay if the input is not contiguous along the result's rows, and both sides are long enough.
bool copy_in_tiles(Queue& queue, const StridedIndexer<2>& indexer, const Strided& to, const Strided& from, int bytes,
                   Status& status) {
  if (indexer.strides[0][0] != 1 || indexer.strides[1][0] == 1 || bytes > 8) return false;
  int rows = 0;
  for (int d = 1; d < indexer.rank; ++d)
    if (indexer.strides[1][d] == 1) rows = d;
  if (rows == 0 || indexer.sizes[0] < 8 || indexer.sizes[rows] < 8) return false;
  TransposeWork work;
  for (int d = 1; d < indexer.rank; ++d)
    if (d != rows) add_dimension(work.batch, indexer.sizes[d], {indexer.strides[0][d], indexer.strides[1][d]}, false);
  finish(work.batch);
  work.out = to.data;
  work.in = from.data;
  work.columns = indexer.sizes[0];
  work.in_column = indexer.strides[1][0];
  work.rows = indexer.sizes[rows];
  work.out_row = indexer.strides[0][rows];
  work.bytes = bytes;
  const int64_t piece = 16 / bytes;
  work.vectors = (bytes == 2 || bytes == 4) && aligned(to.data, 16) && aligned(from.data, 16) &&
                 (work.rows | work.columns | work.out_row | work.in_column) % piece == 0;
  for (int a = 0; a < 2; ++a)
    for (int d = 0; d < work.batch.rank; ++d) work.vectors = work.vectors && work.batch.strides[a][d] % piece == 0;
  const int64_t side = tile_side(bytes);
  const int64_t across = (work.columns + side - 1) / side, down = (work.rows + side - 1) / side;
  const int64_t tiles = work.batch.count * down * across;
  work.many = tiles > std::numeric_limits<int32_t>::max();
  if (!work.many) {
    work.across = divider(std::max<int64_t>(across, 1));
    work.down = divider(std::max<int64_t>(down, 1));
  }
  const auto blocks = static_cast<uint32_t>(std::min<int64_t>(tiles, std::numeric_limits<int32_t>::max()));
  const KernelId id = !work.vectors ? KernelId::transpose
                      : bytes == 2  ? KernelId::transpose_two
                                    : KernelId::transpose_four;
  status = queue.launch(id, {blocks, kTransposeThreads, 0}, work);
  return true;
}

// For rows of whole sixteen-byte pieces on both sides.
bool copy_in_pieces(Queue& queue, const StridedIndexer<2>& indexer, const Strided& to, const Strided& from, int bytes,
                    Status& status) {
  if (indexer.rank == 0 || indexer.strides[0][0] != 1 || indexer.strides[1][0] != 1 || !aligned(to.data, 16) ||
      !aligned(from.data, 16))
    return false;
  const int64_t piece = 16 / bytes;
  if (indexer.sizes[0] % piece != 0) return false;
  for (int d = 1; d < indexer.rank; ++d)
    if (indexer.strides[0][d] % piece != 0 || indexer.strides[1][d] % piece != 0) return false;
  CopyWork work;
  work.out = to.data;
  work.in = from.data;
  for (int d = 0; d < indexer.rank; ++d)
    add_dimension(work.indexer, d == 0 ? indexer.sizes[0] / piece : indexer.sizes[d],
                  {d == 0 ? 1 : indexer.strides[0][d] / piece, d == 0 ? 1 : indexer.strides[1][d] / piece});
  finish(work.indexer);
  status = queue.launch(KernelId::copy, grid_for(queue, (work.indexer.count + kPieces - 1) / kPieces), work);
  return true;
}

void strided_source(StridedIndexer<1>& indexer, const TensorImpl& source, const Dims& sizes) {
  for (int d = sizes.rank() - 1; d >= 0; --d) add_dimension(indexer, sizes[d], {source.strides[d]}, false);
  finish(indexer);
}

}  // namespace

Status copy_elements(Queue& queue, const Dims& sizes, const Strided& to, const Strided& from, int element_bytes) {
  StridedIndexer<2> indexer;
  for (int d = sizes.rank() - 1; d >= 0; --d) add_dimension(indexer, sizes[d], {to.strides[d], from.strides[d]});
  finish(indexer);
  if (indexer.count == 0) return {};
  Status status;
  if (copy_in_tiles(queue, indexer, to, from, element_bytes, status)) return status;
  if (copy_in_pieces(queue, indexer, to, from, element_bytes, status)) return status;
  PointwiseWork work;
  work.indexer.rank = indexer.rank;
  work.indexer.wide = indexer.wide;
  work.indexer.count = indexer.count;
  bool vector = indexer.rank > 0 && indexer.count >= kVector && (indexer.rank == 1 || indexer.sizes[0] % kVector == 0);
  for (int d = 0; d < indexer.rank; ++d) {
    work.indexer.sizes[d] = indexer.sizes[d];
    work.indexer.dividers[d] = indexer.dividers[d];
    for (int a = 0; a < 2; ++a) {
      work.indexer.strides[a][d] = indexer.strides[a][d];
      if (d > 0 && indexer.strides[a][d] % kVector != 0) vector = false;
    }
  }
  work.out = to.data;
  work.in[0] = from.data;
  work.out_type = work.types[0] = bits_type(element_bytes);
  const size_t alignment = vector_alignment(work.out_type);
  const bool repeats = vector && indexer.strides[1][0] == 0;
  work.vector = vector && indexer.strides[0][0] == 1 && (indexer.strides[1][0] == 1 || repeats) &&
                aligned(to.data, alignment) && (repeats || aligned(from.data, alignment));
  work.steps = 1;
  return queue.launch(KernelId::pointwise_int, grid_for(queue, work.vector ? indexer.count / kVector : indexer.count),
                      work);
}

Status lower_copy(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &source = *node.sources[0];
  const DTypeInfo& type = info(node.dtype);
  if (!type.quantised)
    return copy_elements(request.queue, node.sizes, {bytes(node), node.strides}, {bytes(source), source.strides},
                         type.block_bytes);
  // Rows of whole blocks, moved as pairs of bytes.
  const int last = node.rank() - 1;
  Dims sizes = node.sizes, to = node.strides, from = source.strides;
  const auto pairs = [&](int64_t elements) { return elements / type.block_elements * (type.block_bytes / 2); };
  for (int d = 0; d < last; ++d) {
    to[d] = pairs(to[d]);
    from[d] = pairs(from[d]);
  }
  sizes[last] = pairs(sizes[last]);
  return copy_elements(request.queue, sizes, {bytes(node), to}, {bytes(source), from}, 2);
}

Status lower_cast(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &source = *node.sources[0];
  if (!info(source.dtype).quantised) return node.dtype == source.dtype ? lower_copy(request) : lower_pointwise(request);
  UnpackWork work;
  Dims rows = node.sizes;
  rows.resize(node.rank() - 1);
  strided_source(work.rows, source, rows);
  work.out = bytes(node);
  work.in = bytes(source);
  work.type = source.dtype;
  work.out_type = node.dtype;
  work.count = node.element_count();
  work.width = node.sizes.back();
  return request.queue.launch(KernelId::unpack, grid_for(request.queue, work.count), work);
}

Status lower_concat(const LaunchRequest& request) {
  const TensorImpl& node = request.node;
  const int axis = node.params.get<AxisParams>().axis;
  const int width = info(node.dtype).block_bytes;
  int64_t at = 0;
  for (const TensorImpl* source : node.sources) {
    char* to = bytes(node) + at * node.strides[axis] * width;
    at += source->sizes[axis];
    if (auto ok =
            copy_elements(request.queue, source->sizes, {to, node.strides}, {bytes(*source), source->strides}, width);
        !ok)
      return ok;
  }
  return {};
}

Status lower_depth_to_space(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &x = *node.sources[0];
  const auto p = node.params.get<DepthToSpaceParams>();
  const int64_t b = p.block, channels = node.sizes[1], h = x.sizes[2], w = x.sizes[3];
  // The result as [N, C, h, y, w, z] with row h·b + y and column w·b + z.
  const int64_t c_step = p.column_row_depth ? b * b * x.strides[1] : x.strides[1];
  const int64_t y_step = p.column_row_depth ? b * x.strides[1] : b * channels * x.strides[1];
  const int64_t z_step = p.column_row_depth ? x.strides[1] : channels * x.strides[1];
  const Dims sizes{x.sizes[0], channels, h, b, w, b};
  const Dims from{x.strides[0], c_step, x.strides[2], y_step, x.strides[3], z_step};
  return copy_elements(request.queue, sizes, {bytes(node), contiguous_strides(sizes)}, {bytes(x), from},
                       info(node.dtype).block_bytes);
}

Status lower_pad(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &x = *node.sources[0];
  const auto p = node.params.get<PadParams>();
  PadWork work;
  strided_source(work.indexer, x, node.sizes);
  for (int d = 0; d < node.rank(); ++d) {
    work.sizes[node.rank() - 1 - d] = x.sizes[d];
    work.begin[node.rank() - 1 - d] = p.begin[d];
  }
  work.out = bytes(node);
  work.in = bytes(x);
  work.type = node.dtype;
  work.mode = static_cast<int32_t>(p.mode);
  work.value = static_cast<double>(p.value);
  return request.queue.launch(KernelId::pad, grid_for(request.queue, work.indexer.count), work);
}

Status lower_gather(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &table = *node.sources[0], &indices = *node.sources[1];
  const int axis = node.params.get<AxisParams>().axis, rank = node.rank();
  const bool whole_rows = node.op == Op::Gather;
  GatherWork work;
  work.out = bytes(node);
  work.table = bytes(table);
  work.indices = bytes(indices);
  work.index_type = indices.dtype;
  work.table_type = table.dtype;
  work.out_type = node.dtype;
  work.bytes = info(node.dtype).block_bytes;
  work.entries = table.sizes[axis];
  work.stride = table.strides[axis];
  work.node = request.number;
  work.fault = request.fault;
  // Sixteen bytes at once, if the dimensions after the axis are long and contiguous enough.
  const int first_inner = whole_rows ? axis + indices.rank() : rank;
  const int64_t width = 16 / work.bytes;
  bool wide = first_inner < rank && table.strides.back() == 1 && node.sizes.back() % width == 0 &&
              !info(table.dtype).quantised && work.stride % width == 0 && aligned(work.out, 16) &&
              aligned(work.table, 16);
  for (int d = 0; wide && d < table.rank() - 1; ++d) wide = table.strides[d] % width == 0;
  const int64_t unit = wide ? width : 1;
  for (int d = rank - 1; d >= 0; --d) {
    int64_t in_table = 0, in_indices = 0;
    if (!whole_rows) {
      in_table = d == axis ? 0 : table.strides[d];
      in_indices = indices.strides[d];
    } else if (d < axis) {
      in_table = table.strides[d];
    } else if (d < first_inner) {
      in_indices = indices.strides[d - axis];
    } else {
      in_table = table.strides[d - indices.rank() + 1];
    }
    const bool last = d == rank - 1;
    add_dimension(work.indexer, last ? node.sizes[d] / unit : node.sizes[d],
                  {last ? 1 : node.strides[d] / unit, last ? in_table : in_table / unit, in_indices});
  }
  finish(work.indexer);
  if (wide) {
    work.bytes = 16;
    work.stride /= unit;
  }
  return request.queue.launch(KernelId::gather, grid_for(request.queue, work.indexer.count), work);
}

Status lower_set_rows(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &from = *node.sources[1];
  const auto [axis, has_rows] = node.params.get<SetRowsParams>();
  const TensorImpl* rows = has_rows ? node.sources[2] : nullptr;
  const bool own = own_places(node);
  const int rank = node.rank(), width = info(node.dtype).block_bytes;
  if (!rows && from.dtype == node.dtype)
    return copy_elements(request.queue, node.sizes, {bytes(node), node.strides}, {bytes(from), from.strides}, width);
  SetRowsWork work;
  work.to = bytes(node);
  work.from = bytes(from);
  work.rows = rows ? bytes(*rows) : nullptr;
  work.row_type = rows ? rows->dtype : DType::I64;
  work.to_type = node.dtype;
  work.from_type = from.dtype;
  work.entries = node.sizes[axis];
  work.node = request.number;
  work.fault = request.fault;
  // Sixteen bytes at once, if rows are long and contiguous enough on both sides.
  int64_t unit = 16 / width;
  bool wide = !own && axis < rank - 1 && from.dtype == node.dtype && node.strides.back() == 1 &&
              from.strides.back() == 1 && from.sizes.back() % unit == 0 && aligned(work.to, 16) &&
              aligned(work.from, 16);
  for (int d = 0; wide && d < rank - 1; ++d) wide = node.strides[d] % unit == 0 && from.strides[d] % unit == 0;
  if (!wide) unit = 1;
  work.bytes = static_cast<int32_t>(unit * width);
  work.stride = node.strides[axis] / unit;
  if (own) {
    work.own_places = true;
    work.steps = from.sizes[axis];
    work.from_step = from.strides[axis];
    work.row_step = rows->strides[axis];
  }
  for (int d = rank - 1; d >= 0; --d) {
    const bool last = wide && d == rank - 1, row = rows && d == axis;
    if (own) {
      if (!row) add_dimension(work.indexer, from.sizes[d], {node.strides[d], from.strides[d], rows->strides[d]});
      continue;
    }
    add_dimension(work.indexer, last ? from.sizes[d] / unit : from.sizes[d],
                  {row    ? 0
                   : last ? 1
                          : node.strides[d] / unit,
                   last ? 1 : from.strides[d] / unit, row ? rows->strides[0] : 0});
  }
  finish(work.indexer);
  return request.queue.launch(KernelId::set_rows, grid_for(request.queue, work.indexer.count), work);
}

Status lower_fill(const LaunchRequest& request) {
  const auto p = request.node.params.get<FillParams>();
  FillWork work{bytes(request.node), request.node.element_count(), request.node.dtype, p.start,
                request.node.op == Op::Arange ? p.step : 0};
  return request.queue.launch(KernelId::fill, grid_for(request.queue, work.count), work);
}

Status lower_tril(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &x = *node.sources[0];
  const auto p = node.params.get<TrilParams>();
  TrilWork work;
  for (int d = node.rank() - 1; d >= 0; --d) add_dimension(work.indexer, node.sizes[d], {x.strides[d]});
  finish(work.indexer);
  work.out = bytes(node);
  work.in = bytes(x);
  work.bytes = info(node.dtype).block_bytes;
  work.rows = node.sizes.back(1);
  work.columns = node.sizes.back();
  work.diagonal = p.diagonal;
  work.upper = p.upper;
  return request.queue.launch(KernelId::tril, grid_for(request.queue, work.indexer.count), work);
}

Status lower_resize(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &x = *node.sources[0];
  const auto p = node.params.get<ResizeParams>();
  ResizeWork work;
  strided_source(work.indexer, x, node.sizes);
  for (int d = 0; d < node.rank(); ++d) {
    const int late = d - (node.rank() - 4), at = node.rank() - 1 - d;
    work.sizes[at] = x.sizes[d];
    work.scales[at] = late >= 0 && p.scales[late] > 0 ? static_cast<double>(p.scales[late]) : 0;
  }
  work.out = bytes(node);
  work.in = bytes(x);
  work.type = node.dtype;
  work.in_type = x.dtype;
  work.mode = static_cast<int32_t>(p.mode);
  work.coordinates = static_cast<int32_t>(p.coordinates);
  work.nearest = static_cast<int32_t>(p.nearest);
  work.cubic_a = static_cast<double>(p.cubic_a);
  return request.queue.launch(KernelId::resize, grid_for(request.queue, work.indexer.count), work);
}

}  // namespace arenascope::cuda
