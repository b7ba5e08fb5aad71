// SPDX-License-Identifier: MIT
// Sizes and strides of up to eight dimensions, outermost first, as small values without allocation.
#pragma once
#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>

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
  // Counted from the innermost: back(0) is the last dimension; 1 if there is none.
  int64_t back(int i = 0) const { return i < rank_ ? v_[static_cast<size_t>(rank_ - 1 - i)] : 1; }
  void push_back(int64_t v) {
    assert(rank_ < kMaxDims);
    v_[static_cast<size_t>(rank_++)] = v;
  }
  void resize(int rank) {
    assert(rank <= kMaxDims);
    for (int i = rank; i < rank_; ++i) v_[static_cast<size_t>(i)] = 0;  // equal dimensions have equal bytes
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
  std::array<int8_t, 7> zeros_{};  // no byte is padding: parameters are copied and compared as bytes
};
static_assert(std::has_unique_object_representations_v<Dims>);

// "[1, 3, 224, 224]"
std::string to_string(const Dims& dims);

// Converts sizes from a file or a user to Dims. Error: more than kMaxDims dimensions.
Result<Dims> checked_dims(std::span<const int64_t> values);

// The number of elements. Errors: a negative size, a product over 2^63-1. Sizes of 0 count as 1 in the overflow check,
// so that strides cannot overflow either.
Result<int64_t> checked_element_count(const Dims& sizes);
// Bytes of a contiguous tensor. Errors also: the innermost size of a quantised type is not a multiple of the block
// size.
Result<Bytes> checked_byte_count(const Dims& sizes, DType type);

// The number of elements, for sizes that have been checked.
int64_t element_count(std::span<const int64_t> sizes);
inline int64_t element_count(const Dims& sizes) { return element_count(sizes.span()); }

// Row-major strides in elements. Dimensions of size 0 count as 1, so that no stride becomes 0.
Dims contiguous_strides(const Dims& sizes);
bool is_contiguous(std::span<const int64_t> sizes, std::span<const int64_t> strides);
inline bool is_contiguous(const Dims& sizes, const Dims& strides) {
  return is_contiguous(sizes.span(), strides.span());
}

// Channels-last layout of images with sizes [N, C, H, W]: channels are innermost, the order in memory is N, H, W, C.
inline constexpr int kChannelsLastOrder[4] = {0, 2, 3, 1};
Dims channels_last_strides(const Dims& sizes);
// Sizes or strides of an image permuted to the order in memory; unchanged if not `channels_last`.
Dims in_memory_order(const Dims& dims, bool channels_last);
// True for a channels-last layout that is not also row-major (as with one channel or one position).
bool is_channels_last(std::span<const int64_t> sizes, std::span<const int64_t> strides);
// True if row-major and channels-last layouts differ for this shape.
bool has_two_layouts(std::span<const int64_t> sizes);

// NumPy broadcasting of two shapes: aligned at the innermost dimension. Error: sizes that differ and are not 1.
Result<Dims> broadcast(const Dims& a, const Dims& b);

}  // namespace arenascope
