// SPDX-License-Identifier: MIT
#include "engine/models/seeded.h"
#include <arenascope/base/counted_random.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace arenascope::models {
namespace {

// Element i of the sequence that starts at `state`, in [0, 1) with 24 bits.
double unit(uint64_t state, int64_t i) {
  const uint64_t z = CountedRandom::mixed(state + (static_cast<uint64_t>(i) + 1) * CountedRandom::kStep);
  return static_cast<double>(z >> 40) / (1 << 24);
}

template <class T>
void put(std::byte* out, int64_t i, T value) {
  std::memcpy(out + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

}  // namespace

Status SeededNumbers::operator()(std::byte* out) const {
  const double low = range_.low, width = range_.high - low;
  const auto number = [&](int64_t i) { return low + width * unit(state_, i); };
  if (dtype_ == DType::F32)
    for (int64_t i = 0; i < count_; ++i) put(out, i, static_cast<float>(number(i)));
  else if (dtype_ == DType::I64)
    for (int64_t i = 0; i < count_; ++i) put(out, i, static_cast<int64_t>(std::floor(number(i))));
  else if (dtype_ == DType::I32)
    for (int64_t i = 0; i < count_; ++i) put(out, i, static_cast<int32_t>(std::floor(number(i))));
  else
    return Error{fmt::format("cannot generate random values of type {} for '{}'", arenascope::name(dtype_), name_)};
  return {};
}

}  // namespace arenascope::models
