// SPDX-License-Identifier: MIT
// Matmuls with quantised weights as they lie in the file: unpacked in registers, or, where rows may be rounded to bytes as well,
// by integer dot products. The latter round the rows as llama.cpp does, by blocks of 32 values with a scale each.
#include <fmt/format.h>

#include "engine/backends/opencl/ops.h"

namespace arenascope::opencl {
namespace {

constexpr int64_t kBlock = 32;  // values of a block, of weights and rows

// The shape of a matmul that these kernels compute; m 0: another.
struct Shape {
  int64_t m = 0, n = 0, depth = 0;
  bool biased = false;
};

Shape shape_of(const TensorImpl& node) {
  if (node.op != Op::MulMat || node.element_count() == 0) return {};
  const TensorImpl &a = *node.sources[0], &b = *node.sources[1];
  const TensorImpl* bias = node.sources.size() > 2 ? node.sources[2] : nullptr;
  const bool plain = node.dtype == DType::F32 || node.dtype == DType::F16;
  const auto flat = [&](const TensorImpl& t) {
    return t.dtype == node.dtype && t.contiguous() && t.element_count() < (int64_t{1} << 31);
  };
  if ((a.dtype != DType::Q8_0 && a.dtype != DType::Q4_0) || !a.contiguous() || !plain || !flat(b) || !flat(node) ||
      (bias && !flat(*bias)) || a.sizes.back() == 0)
    return {};
  Shape s{node.element_count() / node.sizes.back(), node.sizes.back(), a.sizes.back(), bias != nullptr};
  return a.element_count() == s.n * s.depth && b.element_count() == s.m * s.depth ? s : Shape{};
}

// Rounding what is multiplied is for weights, whose quantisation has lost more already.
bool by_integers(const Station& station, const TensorImpl& node) {
  return station.integer_dot != IntegerDot::None && node.sources[0]->has(kFlagWeight);
}

// Bytes of the rows, and of all in front of their scales.
Bytes row_bytes(const Station& station, const Shape& s) {
  return (s.m * s.depth + station.alignment - 1) / station.alignment * station.alignment;
}

Status queue_bytes(Station& station, const TensorImpl& rows, const Shape& s, const std::string& options,
                   std::byte* work) {
  auto place = operand(station, rows);
  if (!place) return place.error();
  const int64_t blocks = s.m * s.depth / kBlock;
  return Call(station, "quantised", options, "to_bytes")
      .buffer(place->buffer)
      .arg(cl_long(place->offset))
      .scratch(work, s.m * s.depth)
      .scratch(work + row_bytes(station, s), blocks * 4)
      .arg(cl_long(blocks))
      .items(blocks);
}

}  // namespace

Bytes quantised_work_bytes(const Station& station, const TensorImpl& node) {
  const Shape s = station.blocked ? shape_of(node) : Shape{};
  return s.m > 0 && by_integers(station, node) ? row_bytes(station, s) + s.m * s.depth / kBlock * 4 : 0;
}

bool fast_quantised(Station& station, const TensorImpl& node, const ComputeParams& params, Status& status) {
  const Shape s = station.blocked ? shape_of(node) : Shape{};
  if (s.m == 0) return false;
  const bool integers = by_integers(station, node);
  // As many sums as stay in registers.
  const int rows = s.m >= 4 ? 4 : 1, columns = s.m >= 4 ? 2 : 4;
  const std::string options =
      fmt::format(" -DBITS={} -DROWS={} -DCOLUMNS={}{}{}{}", node.sources[0]->dtype == DType::Q8_0 ? 8 : 4, rows,
                  columns, node.dtype == DType::F16 ? " -DHALF" : "", integers ? " -DINTEGER" : "",
                  integers && station.integer_dot == IntegerDot::Device ? " -DHAS_DOT" : "");
  if (integers)
    if (status = queue_bytes(station, *node.sources[1], s, options, params.work); !status) return true;
  Call call(station, "quantised", options, "matmul");
  const auto buffer_of = [&](const TensorImpl& t, int64_t units, int64_t per_unit) {
    auto place = operand(station, t);
    if (!place)
      status = place.error();
    else
      call.buffer(place->buffer).arg(cl_long(place->offset / units * per_unit));
    return status.ok();
  };
  const TensorImpl &a = *node.sources[0], &bias = s.biased ? *node.sources[2] : node;
  if (!buffer_of(a, info(a.dtype).block_elements, info(a.dtype).block_bytes)) return true;
  if (integers) {
    call.scratch(params.work, s.m * s.depth).scratch(params.work + row_bytes(station, s), s.m * s.depth / kBlock * 4);
  } else if (!buffer_of(*node.sources[1], 1, 1)) {
    return true;
  }
  if (!buffer_of(bias, 1, 1) || !buffer_of(node, 1, 1)) return true;
  status = call.arg(cl_int(s.m))
               .arg(cl_int(s.n))
               .arg(cl_int(s.depth / kBlock))
               .arg(node.params.get<MulMatParams>().scale)
               .arg(cl_int(s.biased))
               .grid({(s.n + columns - 1) / columns, (s.m + rows - 1) / rows}, {1, 1});
  return true;
}

}  // namespace arenascope::opencl
