// SPDX-License-Identifier: MIT
#include <arenascope/tensor/shape.h>

#include <algorithm>

#include <fmt/format.h>

#include <arenascope/base/checked.h>

namespace arenascope {

std::string to_string(const Dims& dims) { return fmt::format("[{}]", fmt::join(dims.begin(), dims.end(), ", ")); }

Result<Dims> checked_dims(std::span<const int64_t> values) {
  if (values.size() > static_cast<size_t>(kMaxDims))
    return Error{
        fmt::format("a shape of {} dimensions, more than the {} that a tensor can have", values.size(), kMaxDims)};
  return Dims(values);
}

Result<int64_t> checked_element_count(const Dims& sizes) {
  int64_t count = 1;
  bool zero = false;
  for (int64_t size : sizes) {
    if (size < 0) return Error{fmt::format("shape {} has the negative size {}", to_string(sizes), size)};
    if (size == 0) zero = true;
  }
  for (int64_t size : sizes) {
    auto product = checked_mul(count, size == 0 ? 1 : size);
    if (!product) return Error{fmt::format("shape {} has more than 2^63-1 elements", to_string(sizes))};
    count = *product;
  }
  return zero ? 0 : count;
}

Result<Bytes> checked_byte_count(const Dims& sizes, DType type) {
  auto count = checked_element_count(sizes);
  if (!count) return count.error();
  const DTypeInfo& type_info = info(type);
  if (type_info.quantised && sizes.empty())
    return Error{fmt::format("a scalar cannot have the block type {}", type_info.name)};
  if (type_info.quantised && sizes.back() % type_info.block_elements != 0)
    return Error{fmt::format("shape {} has rows of {} elements: expected a multiple of {}, the block size of {}",
                             to_string(sizes), sizes.back(), type_info.block_elements, type_info.name)};
  auto bytes = checked_mul(*count / type_info.block_elements, type_info.block_bytes);
  if (!bytes) return Error{fmt::format("shape {} of {} has more than 2^63-1 bytes", to_string(sizes), type_info.name)};
  return *bytes;
}

int64_t element_count(std::span<const int64_t> sizes) {
  int64_t count = 1;
  bool zero = false;
  for (int64_t size : sizes) {
    zero = zero || size == 0;
    count *= size == 0 ? 1 : size;
  }
  return zero ? 0 : count;
}

Dims contiguous_strides(const Dims& sizes) {
  Dims strides = sizes;
  int64_t stride = 1;
  for (int i = sizes.rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}

bool is_contiguous(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  for (int64_t size : sizes)
    if (size == 0) return true;
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1 && strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

Dims channels_last_strides(const Dims& sizes) {
  Dims strides = sizes;
  int64_t stride = 1;
  for (int i = 3; i >= 0; --i) {
    const int d = kChannelsLastOrder[i];
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
  return strides;
}

Dims in_memory_order(const Dims& dims, bool channels_last) {
  Dims out = dims;
  if (channels_last)
    for (int d = 0; d < 4; ++d) out[d] = dims[kChannelsLastOrder[d]];
  return out;
}

bool has_two_layouts(std::span<const int64_t> sizes) {
  return sizes.size() == 4 && sizes[0] > 0 && sizes[1] > 1 && sizes[2] > 0 && sizes[3] > 0 && sizes[2] * sizes[3] > 1;
}

bool is_channels_last(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  if (!has_two_layouts(sizes) || strides[1] != 1) return false;
  int64_t expected = 1;
  for (size_t i = 4; i-- > 0;) {
    const auto d = static_cast<size_t>(kChannelsLastOrder[i]);
    if (sizes[d] != 1 && strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

Result<Dims> broadcast(const Dims& a, const Dims& b) {
  const int rank = std::max(a.rank(), b.rank());
  Dims out = Dims::filled(rank, 1);
  for (int i = 0; i < rank; ++i) {
    const int64_t x = a.back(i), y = b.back(i);
    if (x != y && x != 1 && y != 1)
      return Error{fmt::format("shapes {} and {} do not broadcast: {} against {} in dimension -{}", to_string(a),
                               to_string(b), x, y, i + 1)};
    out[rank - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

}  // namespace arenascope
