// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/backends/reference/values.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // an op that is missing here is a compile error

namespace arenascope::reference {
namespace {

// Casts a value: conversion to an integer drops the fraction; narrower integers keep the low bits of wider ones.
Real cast(DType from, DType to, Real x) {
  if (to == DType::Bool) return x != 0;
  if (info(to).floating) return x;
  if (std::isnan(x)) return 0;
  x = std::trunc(x);
  if (info(from).floating || info(from).quantised) return x;
  const Real span = std::ldexp(Real{1}, 8 * info(to).block_bytes);
  const bool is_signed = to == DType::I8 || to == DType::I16 || to == DType::I32 || to == DType::I64;
  const Real low = is_signed ? -span / 2 : 0;
  return x - span * std::floor((x - low) / span);
}

Real padded(const TensorImpl& node, const Array& x, Dims index) {
  const auto p = node.params.get<PadParams>();
  for (int d = 0; d < index.rank(); ++d) {
    const int64_t size = x.size(d);
    int64_t at = index[d] - p.begin[d];
    if (p.mode == PadMode::Constant && (at < 0 || at >= size)) return static_cast<Real>(p.value);
    if (p.mode == PadMode::Edge) at = std::clamp<int64_t>(at, 0, size - 1);
    while (p.mode == PadMode::Reflect && (at < 0 || at >= size)) at = at < 0 ? -at : 2 * (size - 1) - at;
    index[d] = at;
  }
  return x[ravel(index, x.sizes)];
}

Real joined(const Sources& sources, int axis, Dims index) {
  for (const Array& source : sources) {
    if (index[axis] < source.size(axis)) return source[ravel(index, source.sizes)];
    index[axis] -= source.size(axis);
  }
  return 0;
}

Real depth_to_space(const TensorImpl& node, const Array& x, const Dims& index) {
  const auto p = node.params.get<DepthToSpaceParams>();
  const int64_t y = index[2] % p.block, z = index[3] % p.block, channels = node.sizes[1];
  const int64_t channel =
      p.column_row_depth ? (index[1] * p.block + y) * p.block + z : (y * p.block + z) * channels + index[1];
  return x[ravel({index[0], channel, index[2] / p.block, index[3] / p.block}, x.sizes)];
}

}  // namespace

Result<std::vector<Real>> movement(const TensorImpl& node, const Sources& sources) {
  std::vector<Real> out(static_cast<size_t>(node.element_count()));
  for (size_t i = 0; i < out.size(); ++i) {
    const Dims index = unravel(static_cast<int64_t>(i), node.sizes);
    switch (static_cast<MovementOp>(node.op)) {
      case MovementOp::Cast: out[i] = cast(node.sources[0]->dtype, node.dtype, sources[0].v[i]); break;
      case MovementOp::Concat: out[i] = joined(sources, node.params.get<AxisParams>().axis, index); break;
      case MovementOp::Pad: out[i] = padded(node, sources[0], index); break;
      case MovementOp::DepthToSpace: out[i] = depth_to_space(node, sources[0], index); break;
      case MovementOp::Fill: out[i] = static_cast<Real>(node.params.get<FillParams>().start); break;
      case MovementOp::Arange: {
        const auto p = node.params.get<FillParams>();
        out[i] = static_cast<Real>(p.start) + static_cast<Real>(i) * static_cast<Real>(p.step);
        break;
      }
      case MovementOp::Tril: {
        const auto p = node.params.get<TrilParams>();
        const int64_t over = index.back() - index.back(1) - p.diagonal;
        out[i] = (p.upper ? over >= 0 : over <= 0) ? sources[0].v[i] : 0;
        break;
      }
      case MovementOp::Gather:
      case MovementOp::GatherElements: {
        const int axis = node.params.get<AxisParams>().axis;
        const Array &table = sources[0], &indices = sources[1];
        Dims from, place;
        if (node.op == Op::Gather) {
          for (int d = 0; d < axis; ++d) from.push_back(index[d]);
          for (int d = 0; d < indices.sizes.rank(); ++d) place.push_back(index[axis + d]);
          from.push_back(0);
          for (int d = axis + indices.sizes.rank(); d < index.rank(); ++d) from.push_back(index[d]);
        } else {
          from = place = index;
        }
        const auto row_index = static_cast<int64_t>(indices[ravel(place, indices.sizes)]);
        if (row_index < -table.size(axis) || row_index >= table.size(axis))
          return Error{fmt::format("{} '{}' on the reference: index {} is out of range for a table of {} rows",
                                   name(node.op), node.name, row_index, table.size(axis))};
        from[axis] = row_index < 0 ? row_index + table.size(axis) : row_index;
        out[i] = table[ravel(from, table.sizes)];
        break;
      }
      case MovementOp::Resize: out[i] = resized(node, sources[0], index); break;
      case MovementOp::Cont:
      case MovementOp::Copy: out[i] = sources[0].v[i]; break;
    }
  }
  return out;
}

}  // namespace arenascope::reference
