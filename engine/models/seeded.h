// SPDX-License-Identifier: MIT
// Seeded numbers for the zoo's weights and inputs: the i-th number of a tensor depends on its name, the seed and i
// only, so that a tensor's bytes are the same in every run, order and thread count.
// Source: splitmix64 (Steele, Lea, Flood 2014) over the 64-bit FNV-1a hash of the name.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/tensor/dtype.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace arenascope::models {

uint64_t fnv1a(std::string_view text);

// Where the numbers of a tensor lie: uniform in [low, high).
struct Range {
  double low = 0;
  double high = 0;
};

// `count` numbers of type F32, I64 or I32 (whole numbers from `low` to below `high`).
class SeededNumbers {
 public:
  SeededNumbers(std::string name, DType dtype, int64_t count, Range range, uint64_t seed = 1)
      : name_(std::move(name)), dtype_(dtype), count_(count), range_(range), state_(fnv1a(name_) ^ seed) {}

  // Writes all of them. Error: of this type there are none.
  Status operator()(std::byte* out) const;
  size_t bytes() const { return static_cast<size_t>(count_ * element_bytes(dtype_)); }
  // Writes whole numbers of those, from a byte on. May be called by a signal handler.
  void draw(size_t offset, size_t bytes, std::byte* out) const noexcept;

 private:
  std::string name_;
  DType dtype_;
  int64_t count_;
  Range range_;
  uint64_t state_;
};

}  // namespace arenascope::models
