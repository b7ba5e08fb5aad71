// SPDX-License-Identifier: MIT
// Ops along one axis whose results are places or orders: arg max and min, the k largest, running sums.
#include <algorithm>
#include <numeric>
#include <vector>

#include <arenascope/backends/cpu/elements.h>
#include <arenascope/backends/cpu/kernel.h>

namespace arenascope::cpu {
namespace {

// The lines of a tensor along `axis`: line i of the row-major others begins at source(i) with stride `stride`.
struct Lines {
  int64_t length, stride, count, inner;
  Nest others;

  Lines(const TensorImpl& tensor, int axis)
      : length(tensor.sizes[axis]), stride(tensor.strides[axis]), count(1), inner(1), others(sizes(tensor, axis), {strides(tensor, axis)}) {
    count = others.count();
    for (int d = axis + 1; d < tensor.rank(); ++d) inner *= tensor.sizes[d];
  }
  int64_t source(int64_t line) const {
    int64_t offset = 0;
    others.rows({line, line + 1}, 1, [&](const int64_t* at, int64_t) { offset = at[0]; });
    return offset;
  }
  // Where the line begins in a contiguous tensor that has `size` elements along the axis; its stride is `inner`.
  int64_t target(int64_t line, int64_t size) const { return line / inner * inner * size + line % inner; }

 private:
  static Dims sizes(const TensorImpl& t, int axis) {
    Dims out;
    for (int d = 0; d < t.rank(); ++d)
      if (d != axis) out.push_back(t.sizes[d]);
    return out;
  }
  static Dims strides(const TensorImpl& t, int axis) {
    Dims out;
    for (int d = 0; d < t.rank(); ++d)
      if (d != axis) out.push_back(t.strides[d]);
    return out;
  }
};

template <class C>
void arg(const Job& job) {
  const TensorImpl &node = job.node, &source = job.source(0);
  const auto p = node.params.get<ArgParams>();
  const Lines lines(source, p.axis);
  const LoadRow<C> load = loader<C>(source.dtype);
  const int64_t bytes = element_bytes(source.dtype);
  const bool highest = node.op == Op::ArgMax;
  const Range range = job.part(lines.count);
  C piece[256];
  for (int64_t line = range.begin; line < range.end; ++line) {
    const std::byte* from = source.data() + lines.source(line) * bytes;
    int64_t place = 0;
    C best{};
    for (int64_t begin = 0; begin < lines.length; begin += 256) {
      const int64_t n = std::min<int64_t>(256, lines.length - begin);
      load(piece, from + begin * lines.stride * bytes, lines.stride, n);
      for (int64_t i = 0; i < n; ++i) {
        const bool better = highest ? piece[i] > best : piece[i] < best;
        if (begin + i == 0 || better || (p.select_last && piece[i] == best)) {
          best = piece[i];
          place = begin + i;
        }
      }
    }
    node.data_as<int64_t>()[line] = place;
  }
}

template <class C>
void top(const Job& job) {
  const TensorImpl &node = job.node, &source = job.source(0);
  const auto p = node.params.get<TopKParams>();
  const Lines lines(source, p.axis);
  const LoadRow<C> load = loader<C>(source.dtype);
  const StoreRow<C> store = storer<C>(source.dtype);
  const int64_t bytes = element_bytes(source.dtype), n = lines.length;
  const Bytes share = round_to_line(16 * n);
  int64_t* order = job.scratch<int64_t>(share);
  C* values = reinterpret_cast<C*>(order + n);
  // Equal values keep their order: the one that comes first counts as the better. NaN counts as the largest.
  const auto better = [&](int64_t a, int64_t b) {
    const bool nan_a = values[a] != values[a], nan_b = values[b] != values[b];
    if (nan_a || nan_b) return nan_a != nan_b ? nan_a == p.largest : a < b;
    if (values[a] != values[b]) return p.largest ? values[a] > values[b] : values[a] < values[b];
    return a < b;
  };
  const Range range = job.part(lines.count);
  for (int64_t line = range.begin; line < range.end; ++line) {
    load(values, source.data() + lines.source(line) * bytes, lines.stride, n);
    std::iota(order, order + n, int64_t{0});
    std::partial_sort(order, order + p.k, order + n, better);
    const int64_t to = lines.target(line, p.k);
    for (int64_t i = 0; i < p.k; ++i) {
      const int64_t at = to + i * lines.inner;
      if (node.op == Op::TopKIndices) node.data_as<int64_t>()[at] = order[i];
      else store(node.data() + at * bytes, 1, values + order[i], 1);
    }
  }
}

template <class C>
void running_sum(const Job& job) {
  using Sum = std::conditional_t<std::is_floating_point_v<C>, double, uint64_t>;
  const TensorImpl &node = job.node, &source = job.source(0);
  const auto p = node.params.get<CumSumParams>();
  const Lines lines(source, p.axis);
  const LoadRow<C> load = loader<C>(source.dtype);
  const StoreRow<C> store = storer<C>(node.dtype);
  const int64_t bytes = element_bytes(source.dtype);
  const Range range = job.part(lines.count);
  for (int64_t line = range.begin; line < range.end; ++line) {
    const std::byte* from = source.data() + lines.source(line) * bytes;
    std::byte* to = node.data() + lines.target(line, lines.length) * bytes;
    Sum sum{};
    for (int64_t i = 0; i < lines.length; ++i) {
      const int64_t at = p.reverse ? lines.length - 1 - i : i;
      C x, y;
      load(&x, from + at * lines.stride * bytes, 1, 1);
      const Sum next = sum + static_cast<Sum>(x);
      y = static_cast<C>(p.exclusive ? sum : next);
      sum = next;
      store(to + at * lines.inner * bytes, 1, &y, 1);
    }
  }
}

}  // namespace

Status arg_extreme(const Job& job) {
  with_compute_type(job.source(0).dtype, [&](auto zero) { arg<decltype(zero)>(job); });
  return {};
}

Bytes top_k_work(const TensorImpl& node, int tasks) {
  return tasks * round_to_line(16 * node.sources[0]->sizes[node.params.get<TopKParams>().axis]);
}

Status top_k(const Job& job) {
  with_compute_type(job.source(0).dtype, [&](auto zero) { top<decltype(zero)>(job); });
  return {};
}

Status cum_sum(const Job& job) {
  with_compute_type(job.source(0).dtype, [&](auto zero) { running_sum<decltype(zero)>(job); });
  return {};
}

}  // namespace arenascope::cpu
