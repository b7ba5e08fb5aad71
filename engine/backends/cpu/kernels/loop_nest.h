// SPDX-License-Identifier: MIT
// Iteration space of a result and its inputs. Dimensions that all operands lay out alike are merged, so that the
// innermost one is as long as possible. Inputs are broadcast with stride 0.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <span>

#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::cpu {

// Half-open.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
};

// Chunk ith of nth of [0, count), split at multiples of `unit`.
inline Range split(int64_t count, int ith, int nth, int64_t unit = 1) {
  const int64_t units = (count + unit - 1) / unit;
  const auto cut = [&](int i) {
    return std::min(count, units / nth * i * unit + std::min<int64_t>(units % nth, i) * unit);
  };
  return {cut(ith), cut(ith + 1)};
}

class LoopNest {
 public:
  static constexpr int kOperands = 5;

  // A space of `sizes`; each operand is aligned at the innermost dimension.
  LoopNest(const Dims& sizes, std::initializer_list<const TensorImpl*> operands);
  // A result (operand 0) and its inputs, in the memory order of the result.
  LoopNest(const TensorImpl& result, std::initializer_list<const TensorImpl*> sources);
  // Operands with explicit strides, one per dimension of `sizes`.
  LoopNest(const Dims& sizes, std::initializer_list<Dims> strides);
  LoopNest(const Dims& sizes, std::span<const Dims> strides);

  int64_t count() const { return count_; }
  int64_t inner_stride(int operand) const { return strides_[operand][rank_ - 1]; }
  int64_t inner_size() const { return sizes_[rank_ - 1]; }

  // Calls f(offsets, n) for pieces of at most `longest` elements of a row, which together cover the range. There is one
  // offset per operand, in elements; within a piece the elements are inner_stride() apart.
  template <class F>
  void rows(Range range, int64_t longest, F&& f) const {
    if (range.begin >= range.end) return;
    int64_t index[kMaxDims], offsets[kOperands] = {};
    int64_t rest = range.begin;
    for (int d = rank_ - 1; d >= 0; --d) {
      index[d] = rest % sizes_[d];
      rest /= sizes_[d];
      for (int o = 0; o < operands_; ++o) offsets[o] += index[d] * strides_[o][d];
    }
    const int last = rank_ - 1;
    for (int64_t at = range.begin; at < range.end;) {
      const int64_t n = std::min({sizes_[last] - index[last], range.end - at, longest});
      f(static_cast<const int64_t*>(offsets), n);
      at += n;
      index[last] += n;
      for (int o = 0; o < operands_; ++o) offsets[o] += n * strides_[o][last];
      for (int d = last; index[d] == sizes_[d] && d > 0; --d) {
        index[d] = 0;
        ++index[d - 1];
        for (int o = 0; o < operands_; ++o) offsets[o] += strides_[o][d - 1] - sizes_[d] * strides_[o][d];
      }
    }
  }

 private:
  void append(int64_t size, const int64_t* strides);

  int rank_ = 0;
  int operands_ = 0;
  int64_t count_ = 1;
  int64_t sizes_[kMaxDims];
  int64_t strides_[kOperands][kMaxDims];
};

}  // namespace arenascope::cpu
