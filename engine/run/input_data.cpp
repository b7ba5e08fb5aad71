// SPDX-License-Identifier: MIT
#include "engine/run/input_data.h"

#include <cstring>

#include <arenascope/base/counted_random.h>
#include <arenascope/base/fnv1a.h>
#include <fmt/format.h>

namespace arenascope {

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
  const uint64_t seed = fnv1a(tensor.name);
  const int64_t count = tensor.element_count();
  const auto number = [&](int64_t i) {
    const uint64_t z = CountedRandom::mixed(seed + static_cast<uint64_t>(i + 1) * CountedRandom::kStep);
    return static_cast<double>(z >> 40) / double(1 << 23) - 1.0;
  };
  if (tensor.dtype == DType::F32)
    for (int64_t i = 0; i < count; ++i) tensor.data_as<float>()[i] = static_cast<float>(number(i));
  else if (tensor.dtype == DType::F64)
    for (int64_t i = 0; i < count; ++i) tensor.data_as<double>()[i] = number(i);
  return {};
}

}  // namespace arenascope
