// SPDX-License-Identifier: MIT
#include "engine/models/seeded.h"
#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace arenascope::models {
namespace {

// Element i of the sequence that starts at `state`, in [0, 1) with 24 bits.
double unit(uint64_t state, int64_t i) {
  uint64_t z = state + (static_cast<uint64_t>(i) + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return static_cast<double>(z >> 40) / (1 << 24);
}

template <class T>
void put(std::byte* out, int64_t i, T value) {
  std::memcpy(out + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

}  // namespace

uint64_t fnv1a(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325ull;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

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
