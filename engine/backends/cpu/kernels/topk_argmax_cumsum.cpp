// SPDX-License-Identifier: MIT
// Ops along one axis: arg max and min, top k, cumulative sum and product.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

// The vectors of a tensor along `axis`: vector i, in row-major order of the other dimensions, starts at source(i) with
// stride `stride`.
struct Lines {
  int64_t length, stride, count, inner;
  LoopNest others;

  Lines(const TensorImpl& tensor, int axis)
      : length(tensor.sizes[axis]),
        stride(tensor.strides[axis]),
        count(1),
        inner(1),
        others(sizes(tensor, axis), {strides(tensor, axis)}) {
    count = others.count();
    for (int d = axis + 1; d < tensor.rank(); ++d) inner *= tensor.sizes[d];
  }
  int64_t source(int64_t line) const {
    int64_t offset = 0;
    others.rows({line, line + 1}, 1, [&](const int64_t* at, int64_t) { offset = at[0]; });
    return offset;
  }
  // Start of the vector in a contiguous tensor with `size` elements along the axis; its stride is `inner`.
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
void arg(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<ArgParams>();
  const Lines lines(source, p.axis);
  const LoadRow<C> load = loader<C>(source.dtype);
  const int64_t bytes = element_bytes(source.dtype);
  const bool highest = node.op == Op::ArgMax;
  const Range range = args.part(lines.count);
  C piece[256];
  for (int64_t line = range.begin; line < range.end; ++line) {
    const std::byte* from = source.data() + lines.source(line) * bytes;
    int64_t place = 0;
    C best{};
    for (int64_t begin = 0; begin < lines.length; begin += 256) {
      const int64_t n = std::min<int64_t>(256, lines.length - begin);
      load(piece, from + begin * lines.stride * bytes, lines.stride, n);
      for (int64_t i = 0; i < n; ++i) {
        const C x = piece[i];
        // NaN is more extreme than any number.
        const bool better = (highest ? x > best : x < best) || (x != x && best == best);
        if (begin + i == 0 || better || (p.select_last && (x == best || (x != x && best != best)))) {
          best = x;
          place = begin + i;
        }
      }
    }
    node.data_as<int64_t>()[line] = place;
  }
}

// A small k of a long vector: the best so far are kept sorted, and few elements are inserted.
constexpr int64_t kFewest = 64;
bool by_threshold(int64_t n, int64_t k) { return k <= kFewest && 8 * k <= n; }

// Vectors of at least this length use a radix sort when most of the order is needed.
constexpr int64_t kDigitsFrom = 256;

// True if a node of vectors of n floats uses the radix sort.
bool by_digits(const TensorImpl& source, int64_t n, int64_t k) {
  return source.dtype == DType::F32 && n >= kDigitsFrom && n < (int64_t{1} << 31) && k >= n / 16 && !by_threshold(n, k);
}

constexpr int kDigit = 11;  // bits per digit; two digits are all but ten bits of a float
constexpr int64_t kBuckets = int64_t{1} << kDigit;
Bytes digits_work(int64_t n) { return round_to_line(16 * n + 2 * kBuckets * 4); }

// The indices of a vector's floats in sorted order: two radix passes over the upper digits (Knuth 5.2.5), then
// insertion sort, which has little left to do. An item is the order-preserving integer key of the float in the upper
// half and the index in the lower half, so the sort is stable.
struct Digits {
  uint64_t *from, *to;
  uint32_t (*counts)[kBuckets];

  Digits(std::byte* work, int64_t n)
      : from(reinterpret_cast<uint64_t*>(work)),
        to(from + n),
        counts(reinterpret_cast<uint32_t (*)[kBuckets]>(to + n)) {}

  // −0 equals 0; NaN of either sign is the largest.
  static uint32_t key(float value, bool largest) {
    uint32_t bits = std::bit_cast<uint32_t>(value + 0.0f);
    if (value != value) bits = 0x7fffffffu;
    const uint32_t ascending = bits ^ (static_cast<uint32_t>(static_cast<int32_t>(bits) >> 31) | 0x80000000u);
    return largest ? ~ascending : ascending;
  }
  static uint64_t high(uint64_t item) { return item >> (64 - kDigit); }
  static uint64_t middle(uint64_t item) { return item >> (64 - 2 * kDigit) & (kBuckets - 1); }

  const uint64_t* sort(const float* values, int64_t n, bool largest) {
    std::memset(counts, 0, sizeof(*counts) * 2);
    for (int64_t i = 0; i < n; ++i) {
      to[i] = uint64_t{key(values[i], largest)} << 32 | static_cast<uint64_t>(i);
      ++counts[0][middle(to[i])], ++counts[1][high(to[i])];
    }
    uint32_t begin[2] = {0, 0};
    for (int64_t b = 0; b < kBuckets; ++b)
      for (int digit = 0; digit < 2; ++digit) begin[digit] += std::exchange(counts[digit][b], begin[digit]);
    for (int64_t i = 0; i < n; ++i) from[counts[0][middle(to[i])]++] = to[i];
    for (int64_t i = 0; i < n; ++i) to[counts[1][high(from[i])]++] = from[i];
    insert(n);
    return to;
  }

 private:
  void insert(int64_t n) {
    uint64_t last = to[0];
    int64_t moved = 0;
    for (int64_t i = 1; i < n; ++i) {
      const uint64_t item = to[i];
      if (item >= last) {
        last = item;
        continue;
      }
      int64_t place = i;
      for (; place > 0 && to[place - 1] > item; --place) to[place] = to[place - 1];
      to[place] = item;
      moved += i - place;
      if (moved > 8 * n) return std::sort(to, to + n);  // floats that differ only in their last digits
    }
  }
};

void top_by_digits(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<TopKParams>();
  const Lines lines(source, p.axis);
  const LoadRow<float> load = loader<float>(DType::F32);
  const int64_t n = lines.length;
  const Bytes share = digits_work(n) + round_to_line(4 * n);
  auto* const values = args.scratch<float>(share);
  Digits digits(reinterpret_cast<std::byte*>(values) + round_to_line(4 * n), n);
  const Range range = args.part(lines.count);
  for (int64_t line = range.begin; line < range.end; ++line) {
    const float* from = source.data_as<float>() + lines.source(line);
    if (lines.stride != 1) load(values, reinterpret_cast<const std::byte*>(from), lines.stride, n);
    const float* x = lines.stride == 1 ? from : values;
    const uint64_t* sorted = digits.sort(x, n, p.largest);
    const int64_t to = lines.target(line, p.k);
    if (node.op == Op::TopKIndices) {
      int64_t* const indices = node.data_as<int64_t>() + to;
      for (int64_t i = 0; i < p.k; ++i) indices[i * lines.inner] = static_cast<uint32_t>(sorted[i]);
    } else {
      float* const sorted_values = node.data_as<float>() + to;
      for (int64_t i = 0; i < p.k; ++i) sorted_values[i * lines.inner] = x[static_cast<uint32_t>(sorted[i])];
    }
  }
}

// The k best of a vector, sorted.
template <class C>
class Best {
 public:
  Best(int64_t k, bool largest) : k_(k), largest_(largest) {}

  void take(const C* x, int64_t n) {
    count_ = 0;
    int64_t i = 0;
    for (; count_ < k_; ++i) insert(x[i], i);
    if (largest_)
      rest<true>(x, i, n);
    else
      rest<false>(x, i, n);
  }
  C value(int64_t i) const { return values_[i]; }
  int64_t place(int64_t i) const { return places_[i]; }

 private:
  // True if a later element is better; NaN is the largest.
  bool better(C a, C b) const {
    const bool nan_a = a != a, nan_b = b != b;
    if (nan_a || nan_b) return nan_a != nan_b && nan_a == largest_;
    return largest_ ? a > b : a < b;
  }
  template <bool largest>
  void rest(const C* x, int64_t i, int64_t n) {
    C last = values_[k_ - 1];
    for (; i < n; ++i) {
      if (largest ? x[i] <= last : x[i] >= last) continue;
      if (!better(x[i], last)) continue;
      --count_;
      insert(x[i], i);
      last = values_[k_ - 1];
    }
  }
  void insert(C value, int64_t place) {
    int64_t at = count_++;
    for (; at > 0 && better(value, values_[at - 1]); --at) values_[at] = values_[at - 1], places_[at] = places_[at - 1];
    values_[at] = value, places_[at] = place;
  }

  const int64_t k_;
  const bool largest_;
  int64_t count_ = 0;
  C values_[kFewest + 1];
  int64_t places_[kFewest + 1];
};

template <class C>
void top_few(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<TopKParams>();
  const Lines lines(source, p.axis);
  const LoadRow<C> load = loader<C>(source.dtype);
  const StoreRow<C> store = storer<C>(source.dtype);
  const int64_t bytes = element_bytes(source.dtype), n = lines.length;
  C* const values = args.scratch<C>(round_to_line(16 * n));
  const bool in_place = is_native<C>(source.dtype) && lines.stride == 1;
  Best<C> best(p.k, p.largest);
  const Range range = args.part(lines.count);
  for (int64_t line = range.begin; line < range.end; ++line) {
    const std::byte* const from = source.data() + lines.source(line) * bytes;
    if (!in_place) load(values, from, lines.stride, n);
    best.take(in_place ? reinterpret_cast<const C*>(from) : values, n);
    const int64_t to = lines.target(line, p.k);
    for (int64_t i = 0; i < p.k; ++i) {
      const int64_t at = to + i * lines.inner;
      const C value = best.value(i);
      if (node.op == Op::TopKIndices)
        node.data_as<int64_t>()[at] = best.place(i);
      else
        store(node.data() + at * bytes, 1, &value, 1);
    }
  }
}

template <class C>
void top(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<TopKParams>();
  const Lines lines(source, p.axis);
  const LoadRow<C> load = loader<C>(source.dtype);
  const StoreRow<C> store = storer<C>(source.dtype);
  const int64_t bytes = element_bytes(source.dtype), n = lines.length;
  const Bytes share = round_to_line(16 * n);
  int64_t* order = args.scratch<int64_t>(share);
  C* values = reinterpret_cast<C*>(order + n);
  // Stable: the first of equal values is the better one. NaN is the largest.
  const auto better = [&](int64_t a, int64_t b) {
    const bool nan_a = values[a] != values[a], nan_b = values[b] != values[b];
    if (nan_a || nan_b) return nan_a != nan_b ? nan_a == p.largest : a < b;
    if (values[a] != values[b]) return p.largest ? values[a] > values[b] : values[a] < values[b];
    return a < b;
  };
  const Range range = args.part(lines.count);
  for (int64_t line = range.begin; line < range.end; ++line) {
    load(values, source.data() + lines.source(line) * bytes, lines.stride, n);
    std::iota(order, order + n, int64_t{0});
    std::partial_sort(order, order + p.k, order + n, better);
    const int64_t to = lines.target(line, p.k);
    for (int64_t i = 0; i < p.k; ++i) {
      const int64_t at = to + i * lines.inner;
      if (node.op == Op::TopKIndices)
        node.data_as<int64_t>()[at] = order[i];
      else
        store(node.data() + at * bytes, 1, values + order[i], 1);
    }
  }
}

// Vectors with stride 1 in input and result, in sequence.
template <class C, class Sum>
void run_along(const KernelArgs& args, const CumSumParams& p, bool product) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const Lines lines(source, p.axis);
  const LoadRow<C> load = loader<C>(source.dtype);
  const StoreRow<C> store = storer<C>(node.dtype);
  const int64_t bytes = element_bytes(source.dtype), length = lines.length;
  constexpr int64_t kTogether = 256;
  C x[kTogether], y[kTogether];
  const Range range = args.part(lines.count);
  for (int64_t line = range.begin; line < range.end; ++line) {
    const std::byte* const from = source.data() + lines.source(line) * bytes;
    std::byte* const to = node.data() + lines.target(line, length) * bytes;
    Sum sum = product ? Sum{1} : Sum{0};
    for (int64_t done = 0, n; done < length; done += n) {
      n = std::min(kTogether, length - done);
      const int64_t at = p.reverse ? length - done - n : done;
      load(x, from + at * bytes, 1, n);
      for (int64_t i = 0; i < n; ++i) {
        const int64_t k = p.reverse ? n - 1 - i : i;
        const Sum next = product ? sum * static_cast<Sum>(x[k]) : sum + static_cast<Sum>(x[k]);
        y[k] = static_cast<C>(p.exclusive ? sum : next);
        sum = next;
      }
      store(to + at * bytes, 1, y, n);
    }
  }
}

// CUM_SUM and CUM_PROD.
template <class C>
void running(const KernelArgs& args) {
  using Sum = std::conditional_t<std::is_floating_point_v<C>, double, uint64_t>;
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<CumSumParams>();
  const bool product = node.op == Op::CumProd;
  const Lines lines(source, p.axis);
  if (lines.inner == 1 && lines.stride == 1) return run_along<C, Sum>(args, p, product);
  const LoadRow<C> load = loader<C>(source.dtype);
  const StoreRow<C> store = storer<C>(node.dtype);
  const int64_t bytes = element_bytes(source.dtype);
  constexpr int64_t kTogether = 1024;  // adjacent vectors
  const auto add = product || source.dtype != DType::F32 ? nullptr : simd().lines.add_to_sums;
  Sum sums[kTogether];
  C x[kTogether], y[kTogether];
  const Range range = args.part(lines.count);
  for (int64_t line = range.begin, n; line < range.end; line += n) {
    const int64_t first = lines.source(line);
    const int64_t most = std::min({kTogether, range.end - line, lines.inner - line % lines.inner});
    for (n = 1; n < most && lines.source(line + n) == first + n; ++n) continue;
    std::fill_n(sums, n, product ? Sum{1} : Sum{0});
    std::byte* const to = node.data() + lines.target(line, lines.length) * bytes;
    for (int64_t i = 0; i < lines.length; ++i) {
      const int64_t at = p.reverse ? lines.length - 1 - i : i;
      if constexpr (std::is_same_v<C, float>)
        if (add) {
          add(reinterpret_cast<float*>(to) + at * lines.inner, sums,
              source.data_as<float>() + first + at * lines.stride, p.exclusive, n);
          continue;
        }
      load(x, source.data() + (first + at * lines.stride) * bytes, 1, n);
      for (int64_t k = 0; k < n; ++k) {
        const Sum next = product ? sums[k] * static_cast<Sum>(x[k]) : sums[k] + static_cast<Sum>(x[k]);
        y[k] = static_cast<C>(p.exclusive ? sums[k] : next);
        sums[k] = next;
      }
      store(to + at * lines.inner * bytes, 1, y, n);
    }
  }
}

}  // namespace

Status arg_extreme(const KernelArgs& args) {
  with_compute_type(args.source(0).dtype, [&](auto zero) { arg<decltype(zero)>(args); });
  return {};
}

Bytes top_k_work(const TensorImpl& node, int tasks) {
  const auto p = node.params.get<TopKParams>();
  const int64_t n = node.sources[0]->sizes[p.axis];
  return tasks * (by_digits(*node.sources[0], n, p.k) ? digits_work(n) + round_to_line(4 * n) : round_to_line(16 * n));
}

Status top_k(const KernelArgs& args) {
  const auto p = args.node.params.get<TopKParams>();
  if (by_digits(args.source(0), args.source(0).sizes[p.axis], p.k)) {
    top_by_digits(args);
    return {};
  }
  with_compute_type(args.source(0).dtype, [&](auto zero) {
    if (by_threshold(args.source(0).sizes[p.axis], p.k))
      top_few<decltype(zero)>(args);
    else
      top<decltype(zero)>(args);
  });
  return {};
}

Status cum_sum(const KernelArgs& args) {
  with_compute_type(args.source(0).dtype, [&](auto zero) { running<decltype(zero)>(args); });
  return {};
}

}  // namespace arenascope::cpu
