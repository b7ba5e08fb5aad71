// SPDX-License-Identifier: MIT
// Seeded random numbers for the zoo's weights and inputs: element i of a tensor depends only on the name, the seed
// and i, so the bytes are the same in every run, for every order and thread count.
// Source: splitmix64 (Steele, Lea, Flood 2014) over the 64-bit FNV-1a hash of the name.
#pragma once
#include <arenascope/base/fnv1a.h>
#include <arenascope/base/result.h>
#include <arenascope/tensor/dtype.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace arenascope::models {

// The range of a tensor's elements: uniform in [low, high).
struct Range {
  double low = 0;
  double high = 0;
};

// `count` elements of type F32, I64 or I32 (integers in [low, high)).
class SeededNumbers {
 public:
  SeededNumbers(std::string name, DType dtype, int64_t count, Range range, uint64_t seed = 1)
      : name_(std::move(name)), dtype_(dtype), count_(count), range_(range), state_(fnv1a(name_) ^ seed) {}

  // Writes all elements. Error: unsupported type.
  Status operator()(std::byte* out) const;
  size_t bytes() const { return static_cast<size_t>(count_ * element_bytes(dtype_)); }

 private:
  std::string name_;
  DType dtype_;
  int64_t count_;
  Range range_;
  uint64_t state_;
};

}  // namespace arenascope::models
