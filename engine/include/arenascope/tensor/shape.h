// SPDX-License-Identifier: MIT
// Sizes and strides of up to eight dimensions, outermost first, as small values without allocation.
#pragma once
#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/tensor/dtype.h>

namespace arenascope {

inline constexpr int kMaxDims = 8;

// A list of at most kMaxDims numbers: sizes in elements or strides in elements. Rank 0 is a scalar.
class Dims {
 public:
  constexpr Dims() = default;
  constexpr Dims(std::initializer_list<int64_t> values) {
    assert(values.size() <= kMaxDims);
    for (int64_t v : values) v_[rank_++] = v;
  }
  explicit Dims(std::span<const int64_t> values) {
    assert(values.size() <= kMaxDims);
    for (int64_t v : values) v_[rank_++] = v;
  }
  static Dims filled(int rank, int64_t value) {
    Dims d;
    for (int i = 0; i < rank; ++i) d.push_back(value);
    return d;
  }

  int rank() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  int64_t operator[](int i) const {
    assert(i >= 0 && i < rank_);
    return v_[static_cast<size_t>(i)];
  }
  int64_t& operator[](int i) {
    assert(i >= 0 && i < rank_);
    return v_[static_cast<size_t>(i)];
  }
  // Counted from the innermost: back(0) is the last dimension; 1 where there is none.
  int64_t back(int i = 0) const { return i < rank_ ? v_[static_cast<size_t>(rank_ - 1 - i)] : 1; }
  void push_back(int64_t v) {
    assert(rank_ < kMaxDims);
    v_[static_cast<size_t>(rank_++)] = v;
  }
  void resize(int rank) {
    assert(rank <= kMaxDims);
    rank_ = static_cast<int8_t>(rank);
  }
  const int64_t* begin() const { return v_.data(); }
  const int64_t* end() const { return v_.data() + rank_; }
  std::span<const int64_t> span() const { return {begin(), end()}; }
  bool operator==(const Dims& o) const {
    if (rank_ != o.rank_) return false;
    for (int i = 0; i < rank_; ++i)
      if (v_[static_cast<size_t>(i)] != o.v_[static_cast<size_t>(i)]) return false;
    return true;
  }

 private:
  std::array<int64_t, kMaxDims> v_{};
  int8_t rank_ = 0;
};

// "[1, 3, 224, 224]"
std::string to_string(const Dims& dims);

// The sizes that a file or a user gave, as Dims; more than kMaxDims are refused.
Result<Dims> checked_dims(std::span<const int64_t> values);

// The product of the sizes; negative sizes and products over 2^63-1 are refused. So that strides always fit too,
// the product must fit even when an empty dimension makes it 0.
Result<int64_t> checked_element_count(const Dims& sizes);
// Bytes of a contiguous tensor; also refuses a quantised innermost size that is no multiple of the block.
Result<Bytes> checked_byte_count(const Dims& sizes, DType type);

// The same for sizes that have been checked before.
int64_t element_count(std::span<const int64_t> sizes);
inline int64_t element_count(const Dims& sizes) { return element_count(sizes.span()); }

// Row-major strides in elements. Dimensions of size 0 count as 1, so strides never vanish by accident.
Dims contiguous_strides(const Dims& sizes);
bool is_contiguous(std::span<const int64_t> sizes, std::span<const int64_t> strides);
inline bool is_contiguous(const Dims& sizes, const Dims& strides) {
  return is_contiguous(sizes.span(), strides.span());
}

// Images, [N, C, H, W], whose channels lie innermost in memory: "channels last". Their order in memory is N, H, W, C.
inline constexpr int kChannelsLastOrder[4] = {0, 2, 3, 1};
Dims channels_last_strides(const Dims& sizes);
// Sizes or strides of an image in that order, or as they are.
Dims in_memory_order(const Dims& dims, bool channels_last);
// Whether they lie so; never where that is row-major as well (one channel, or one position).
bool is_channels_last(std::span<const int64_t> sizes, std::span<const int64_t> strides);
// Whether the two layouts are different ones for this shape.
bool has_two_layouts(std::span<const int64_t> sizes);

// NumPy broadcasting of two shapes: aligned at the innermost, sizes equal or one of them 1.
Result<Dims> broadcast(const Dims& a, const Dims& b);

}  // namespace arenascope
