// SPDX-License-Identifier: MIT
// Sums, means, products, extremes and norms over any set of dimensions.
//
// The input's dimensions are ordered as (kept…, reduced…); each result is a loop over the reduced ones. If the
// innermost dimension in memory is a kept one, a whole row of results is accumulated at once, so that memory is read
// sequentially.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/row_io.h"
#include "engine/backends/cpu/simd/simd.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // a missing op is a compile error

namespace arenascope::cpu {
namespace {

constexpr int64_t kAcross = 2048;  // results accumulated together
constexpr int64_t kSome = 16;

// Accumulator type of the results.
template <class C>
using Total = std::conditional_t<std::is_floating_point_v<C>, double, C>;

template <class C>
Total<C> start(ReductionOp op) {
  using T = Total<C>;
  switch (op) {
    case ReductionOp::ReduceProd: return T{1};
    case ReductionOp::ReduceMax:
      return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    case ReductionOp::ReduceMin:
      return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
    case ReductionOp::ReduceSum:
    case ReductionOp::ReduceMean:
    case ReductionOp::ReduceL2: break;
  }
  return T{0};
}

template <class T>
T combine(ReductionOp op, T a, T x) {
  using W = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;  // integers wrap
  switch (op) {
    case ReductionOp::ReduceProd: return static_cast<T>(static_cast<W>(a) * static_cast<W>(x));
    case ReductionOp::ReduceMax: return a != a || a > x ? a : x;
    case ReductionOp::ReduceMin: return a != a || a < x ? a : x;
    case ReductionOp::ReduceL2: return static_cast<T>(static_cast<W>(a) + static_cast<W>(x) * static_cast<W>(x));
    case ReductionOp::ReduceSum:
    case ReductionOp::ReduceMean: break;
  }
  return static_cast<T>(static_cast<W>(a) + static_cast<W>(x));
}

template <class C>
Total<C> row(ReductionOp op, Total<C> total, const C* x, int64_t n) {
  if constexpr (std::is_same_v<C, float>) {
    const Simd& s = simd();
    switch (op) {
      case ReductionOp::ReduceMax: return combine<double>(op, total, s.lines.highest(x, n));
      case ReductionOp::ReduceMin: return combine<double>(op, total, s.lines.lowest(x, n));
      case ReductionOp::ReduceL2:
        if (const double squares = s.lines.square_sum(x, 0, n); squares > 1e-18 && squares < 1e37)
          return total + squares;
        break;  // squares may underflow or overflow a float
      case ReductionOp::ReduceProd: break;
      case ReductionOp::ReduceSum:
      case ReductionOp::ReduceMean: return total + s.lines.sum(x, n);
    }
  }
  for (int64_t i = 0; i < n; ++i) total = combine<Total<C>>(op, total, x[i]);
  return total;
}

template <class C>
C finish(ReductionOp op, Total<C> total, int64_t count) {
  if (op == ReductionOp::ReduceL2) return convert<C>(std::sqrt(static_cast<double>(total)));
  if (op == ReductionOp::ReduceMean) {
    if constexpr (std::is_integral_v<C>) return count == 0 ? C{0} : total / static_cast<C>(count);
    return static_cast<C>(total / static_cast<Total<C>>(count));
  }
  return static_cast<C>(total);
}

struct Space {
  Dims kept, kept_strides, reduced, reduced_strides;
};

Space space_of(const TensorImpl& source, uint32_t axes) {
  Space s;
  for (int d = 0; d < source.rank(); ++d) {
    const bool gone = axes >> d & 1;
    (gone ? s.reduced : s.kept).push_back(source.sizes[d]);
    (gone ? s.reduced_strides : s.kept_strides).push_back(source.strides[d]);
  }
  return s;
}

template <class C>
void run(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto op = static_cast<ReductionOp>(node.op);
  const Space space = space_of(source, node.params.get<ReduceParams>().axes);
  const LoopNest kept(space.kept, {space.kept_strides}), reduced(space.reduced, {space.reduced_strides});
  const int64_t count = reduced.count();
  Writer<C> out(node);
  // Rows of adjacent results, if the kept innermost dimension is contiguous in memory.
  const bool across = kept.inner_stride(0) == 1 && kept.inner_size() > 1 && reduced.inner_stride(0) != 1;
  const int64_t piece = !across ? 1 : is_native<C>(source.dtype) ? kAcross : kPiece;
  Reader<C> values(source, across ? 1 : reduced.inner_stride(0));
  Total<C> totals[kAcross];
  [[maybe_unused]] float sums[kAcross];
  const bool sum = op == ReductionOp::ReduceSum || op == ReductionOp::ReduceMean;
  const Range range = args.part(kept.count(), across ? 64 : 1);
  int64_t result = range.begin;
  kept.rows(range, piece, [&](const int64_t* at, int64_t n) {
    const int64_t base = at[0];
    std::fill(totals, totals + n, start<C>(op));
    if (std::is_same_v<C, float> && across && sum) {
      // Some rows in float, then added to the totals.
      int64_t added = 0;
      if constexpr (std::is_same_v<C, float>) {
        const auto flush = [&] {
          for (int64_t i = 0; i < n; ++i) totals[i] += static_cast<double>(sums[i]);
        };
        reduced.rows({0, count}, 1, [&](const int64_t* inner, int64_t) {
          const float* x = values.piece(base + inner[0], n);
          if (added % kSome == 0) {
            if (added > 0) flush();
            simd().copy(sums, x, n);
          } else {
            simd().elements.add(sums, sums, x, n);
          }
          ++added;
        });
        if (added > 0) flush();
      }
    } else if (across) {
      reduced.rows({0, count}, 1, [&](const int64_t* inner, int64_t) {
        const C* x = values.piece(base + inner[0], n);
        for (int64_t i = 0; i < n; ++i) totals[i] = combine<Total<C>>(op, totals[i], x[i]);
      });
    } else {
      reduced.rows({0, count}, kPiece, [&](const int64_t* inner, int64_t m) {
        totals[0] = row<C>(op, totals[0], values.piece(base + inner[0], m), m);
      });
    }
    C* to = out.piece(result);
    for (int64_t i = 0; i < n; ++i) to[i] = finish<C>(op, totals[i], count);
    out.done(result, n);
    result += n;
  });
}

}  // namespace

Status reduce(const KernelArgs& args) {
  with_compute_type(args.node.dtype, [&](auto zero) { run<decltype(zero)>(args); });
  return {};
}

}  // namespace arenascope::cpu
