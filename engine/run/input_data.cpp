// SPDX-License-Identifier: MIT
#include "engine/run/input_data.h"

#include <cstring>

#include <fmt/format.h>

namespace arenascope {
namespace {

uint64_t hash_name(std::string_view text) {  // FNV-1a, 64 bit
  uint64_t h = 0xCBF29CE484222325u;
  for (char c : text) h = (h ^ static_cast<uint8_t>(c)) * 0x100000001B3u;
  return h;
}

uint64_t splitmix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

Status copy_input(const Tensor& given, TensorImpl& tensor) {
  if (given.dtype() != tensor.dtype || !(given.sizes() == tensor.sizes))
    return Error{fmt::format("input '{}' must be {} {}, but {} {} was given", tensor.name, name(tensor.dtype),
                             to_string(tensor.sizes), name(given.dtype()), to_string(given.sizes()))};
  if (tensor.byte_count() > 0) std::memcpy(tensor.data(), given->data(), static_cast<size_t>(tensor.byte_count()));
  return {};
}

Status fill_seeded(TensorImpl& tensor) {
  const auto bytes = static_cast<size_t>(tensor.byte_count());
  std::memset(tensor.data(), 0, bytes);
  const uint64_t seed = hash_name(tensor.name);
  const int64_t count = tensor.element_count();
  const auto number = [&](int64_t i) {
    const uint64_t z = splitmix(seed + static_cast<uint64_t>(i + 1) * 0x9E3779B97F4A7C15u);
    return static_cast<double>(z >> 40) / double(1 << 23) - 1.0;
  };
  if (tensor.dtype == DType::F32)
    for (int64_t i = 0; i < count; ++i) tensor.data_as<float>()[i] = static_cast<float>(number(i));
  else if (tensor.dtype == DType::F64)
    for (int64_t i = 0; i < count; ++i) tensor.data_as<double>()[i] = number(i);
  return {};
}

}  // namespace arenascope
