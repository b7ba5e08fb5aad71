// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "engine/backends/reference/values.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // an op that is missing here is a compile error

namespace arenascope::reference {
namespace {

using Out = std::vector<Real>;
using Places = std::vector<int64_t>;

// The row-major indices of `sizes` in groups: one group for each combination of the dimensions not in `axes`,
// groups and indices both in row-major order.
std::vector<Places> grouped(const Dims& sizes, const std::function<bool(int)>& in_axes) {
  std::map<int64_t, Places> groups;
  for (int64_t i = 0; i < element_count(sizes); ++i) {
    const Dims index = unravel(i, sizes);
    int64_t key = 0;
    for (int d = 0; d < sizes.rank(); ++d)
      if (!in_axes(d)) key = key * sizes[d] + index[d];
    groups[key].push_back(i);
  }
  std::vector<Places> out;
  for (auto& [key, places] : groups) out.push_back(std::move(places));
  return out;
}
std::vector<Places> along(const Dims& sizes, int axis) {
  return grouped(sizes, [axis](int d) { return d == axis; });
}

void norm(const TensorImpl& node, const Sources& s, Out& out) {
  const auto p = node.params.get<NormParams>();
  for (const Places& group : grouped(node.sizes, [&](int d) { return d >= p.axis; })) {
    const auto n = static_cast<Real>(group.size());
    Real mean = 0, variance = 0;
    if (node.op == Op::Norm)
      for (int64_t i : group) mean += s[0][i] / n;
    for (int64_t i : group) variance += (s[0][i] - mean) * (s[0][i] - mean) / n;
    for (int64_t i : group) {
      const Dims index = unravel(i, node.sizes);
      Real value = (s[0][i] - mean) / std::sqrt(variance + static_cast<Real>(p.epsilon));
      if (s.size() > 1) value *= broadcast_at(s[1], index);
      if (s.size() > 2) value += broadcast_at(s[2], index);
      out[static_cast<size_t>(i)] = value;
    }
  }
}

void group_norm(const TensorImpl& node, const Sources& s, Out& out) {
  const auto p = node.params.get<GroupNormParams>();
  const int64_t block = node.element_count() / (node.sizes[0] * p.groups),
                spatial = node.element_count() / (node.sizes[0] * node.sizes[1]);
  for (int64_t first = 0; first < node.element_count(); first += block) {
    Real mean = 0, variance = 0;
    for (int64_t i = first; i < first + block; ++i) mean += s[0][i] / static_cast<Real>(block);
    for (int64_t i = first; i < first + block; ++i)
      variance += (s[0][i] - mean) * (s[0][i] - mean) / static_cast<Real>(block);
    for (int64_t i = first; i < first + block; ++i) {
      const int64_t channel = i / spatial % node.sizes[1];
      const Real value = (s[0][i] - mean) / std::sqrt(variance + static_cast<Real>(p.epsilon));
      out[static_cast<size_t>(i)] = value * (s.size() > 1 ? s[1][channel] : 1) + (s.size() > 2 ? s[2][channel] : 0);
    }
  }
}

void soft_max(const TensorImpl& node, const Sources& s, Out& out) {
  const auto p = node.params.get<SoftMaxParams>();
  const auto value = [&](int64_t i) {
    return static_cast<Real>(p.scale) * s[0][i] + (s.size() > 1 ? broadcast_at(s[1], unravel(i, node.sizes)) : 0);
  };
  for (const Places& line : along(node.sizes, p.axis)) {
    Real highest = -INFINITY, sum = 0;
    for (int64_t i : line) highest = std::max(highest, value(i));
    for (int64_t i : line) sum += std::exp(value(i) - highest);
    for (int64_t i : line) {
      const Real less = value(i) - highest;
      out[static_cast<size_t>(i)] = node.op == Op::LogSoftMax ? less - std::log(sum) : std::exp(less) / sum;
    }
  }
}

Real reduced(ReductionOp op, const Array& x, const Places& places, bool whole) {
  Real sum = 0, squares = 0, product = 1, highest = -INFINITY, lowest = INFINITY;
  for (int64_t i : places) {
    sum += x[i];
    squares += x[i] * x[i];
    product *= x[i];
    highest = std::isnan(highest) || highest > x[i] ? highest : x[i];  // NaN wins
    lowest = std::isnan(lowest) || lowest < x[i] ? lowest : x[i];
  }
  switch (op) {
    case ReductionOp::ReduceSum: return sum;
    case ReductionOp::ReduceMean:
      return whole ? std::trunc(sum / static_cast<Real>(places.size())) : sum / static_cast<Real>(places.size());
    case ReductionOp::ReduceMax: return highest;
    case ReductionOp::ReduceMin: return lowest;
    case ReductionOp::ReduceProd: return product;
    case ReductionOp::ReduceL2: return whole ? std::trunc(std::sqrt(squares)) : std::sqrt(squares);
  }
  return NAN;
}

void arg(const TensorImpl& node, const Sources& s, Out& out) {
  const auto p = node.params.get<ArgParams>();
  size_t result = 0;
  for (const Places& line : along(s[0].sizes, p.axis)) {
    size_t best = 0;
    for (size_t i = 1; i < line.size(); ++i) {
      const Real x = s[0][line[i]], y = s[0][line[best]];
      // NaN is more extreme than any number.
      const bool more = std::isnan(x) || std::isnan(y) ? std::isnan(x) && !std::isnan(y)
                        : node.op == Op::ArgMax        ? x > y
                                                       : x < y;
      if (more || (p.select_last && (x == y || (std::isnan(x) && std::isnan(y))))) best = i;
    }
    out[result++] = static_cast<Real>(best);
  }
}

void top_k(const TensorImpl& node, const Sources& s, Out& out) {
  const auto p = node.params.get<TopKParams>();
  const auto from = along(s[0].sizes, p.axis), to = along(node.sizes, p.axis);
  for (size_t l = 0; l < to.size(); ++l) {
    std::vector<size_t> order(from[l].size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const Real x = s[0][from[l][a]], y = s[0][from[l][b]];
      if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) != std::isnan(y) && std::isnan(x) == p.largest;  // the largest
      return p.largest ? x > y : x < y;
    });
    for (size_t i = 0; i < to[l].size(); ++i)
      out[static_cast<size_t>(to[l][i])] =
          node.op == Op::TopKIndices ? static_cast<Real>(order[i]) : s[0][from[l][order[i]]];
  }
}

void cumulated(const TensorImpl& node, const Sources& s, Out& out) {
  const auto p = node.params.get<CumSumParams>();
  for (Places line : along(node.sizes, p.axis)) {
    if (p.reverse) std::reverse(line.begin(), line.end());
    Real running = node.op == Op::CumProd ? 1 : 0;
    for (int64_t i : line) {
      const Real next = node.op == Op::CumProd ? running * s[0][i] : running + s[0][i];
      out[static_cast<size_t>(i)] = p.exclusive ? running : next;
      running = next;
    }
  }
}

void rope(const TensorImpl& node, const Sources& s, Out& out) {
  const auto p = node.params.get<RopeParams>();
  for (int64_t i = 0; i < node.element_count(); ++i) {
    const Dims index = unravel(i, node.sizes);
    const int64_t t = index.back(1), place = index.back(), first = i - place, half = p.dims / 2;
    if (place >= p.dims) {
      out[static_cast<size_t>(i)] = s[0][i];
      continue;
    }
    const int64_t pair = p.neox ? place % half : place / 2;
    const bool second = p.neox ? place >= half : place % 2 == 1;
    const Real position = s.size() > 1 ? s[1][t] : static_cast<Real>(t + p.start);
    const Real angle = position * static_cast<Real>(p.scale) *
                       std::pow(static_cast<Real>(p.base), -2 * static_cast<Real>(pair) / p.dims);
    const Real u = s[0][first + (p.neox ? pair : 2 * pair)], v = s[0][first + (p.neox ? pair + half : 2 * pair + 1)];
    out[static_cast<size_t>(i)] =
        second ? u * std::sin(angle) + v * std::cos(angle) : u * std::cos(angle) - v * std::sin(angle);
  }
}

// One element a channel (dimension 1).
void batch_norm(const TensorImpl& node, const Sources& s, Out& out) {
  const auto epsilon = static_cast<Real>(node.params.get<BatchNormParams>().epsilon);
  for (int64_t i = 0; i < node.element_count(); ++i) {
    const int64_t c = unravel(i, node.sizes)[1];
    out[static_cast<size_t>(i)] = (s[0][i] - s[3][c]) / std::sqrt(s[4][c] + epsilon) * s[1][c] + s[2][c];
  }
}

}  // namespace

std::vector<Real> norms(const TensorImpl& node, const Sources& sources) {
  Out out(static_cast<size_t>(node.element_count()));
  switch (static_cast<NormOp>(node.op)) {
    case NormOp::BatchNorm: batch_norm(node, sources, out); break;
    case NormOp::Norm:
    case NormOp::RmsNorm: norm(node, sources, out); break;
    case NormOp::GroupNorm: group_norm(node, sources, out); break;
    case NormOp::SoftMax:
    case NormOp::LogSoftMax: soft_max(node, sources, out); break;
  }
  return out;
}

std::vector<Real> reductions(const TensorImpl& node, const Sources& sources) {
  Out out(static_cast<size_t>(node.element_count()));
  const auto p = node.params.get<ReduceParams>();
  const auto groups = grouped(sources[0].sizes, [&](int d) { return (p.axes >> d & 1) != 0; });
  const bool whole = !info(node.dtype).floating;
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = reduced(static_cast<ReductionOp>(node.op), sources[0], groups.empty() ? Places() : groups[i], whole);
  return out;
}

std::vector<Real> lines(const TensorImpl& node, const Sources& sources) {
  Out out(static_cast<size_t>(node.element_count()));
  switch (static_cast<LineOp>(node.op)) {
    case LineOp::ArgMax:
    case LineOp::ArgMin: arg(node, sources, out); break;
    case LineOp::TopKValues:
    case LineOp::TopKIndices: top_k(node, sources, out); break;
    case LineOp::CumSum:
    case LineOp::CumProd: cumulated(node, sources, out); break;
    case LineOp::Rope: rope(node, sources, out); break;
  }
  return out;
}

}  // namespace arenascope::reference
