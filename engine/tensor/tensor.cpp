// SPDX-License-Identifier: MIT
#include <arenascope/tensor/tensor.h>

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include <arenascope/base/checked.h>

namespace arenascope {

Bytes TensorImpl::byte_span() const {
  int64_t last = 0;
  for (int i = 0; i < rank(); ++i) {
    if (sizes[i] == 0) return 0;
    last += (sizes[i] - 1) * strides[i];
  }
  const DTypeInfo& type = info(dtype);
  return (last / type.block_elements + 1) * type.block_bytes;
}

std::array<int64_t, kMaxDims> TensorImpl::ne() const {
  std::array<int64_t, kMaxDims> out;
  for (int i = 0; i < kMaxDims; ++i) out[static_cast<size_t>(i)] = sizes.back(i);
  return out;
}

std::array<int64_t, kMaxDims> TensorImpl::nb() const {
  const DTypeInfo& type = info(dtype);
  std::array<int64_t, kMaxDims> out;
  int64_t filler = type.block_bytes;
  for (int i = 0; i < kMaxDims; ++i) {
    if (i < rank()) {
      const int64_t stride = strides.back(i);
      filler = i == 0 && type.quantised ? type.block_bytes : stride / type.block_elements * type.block_bytes;
      out[static_cast<size_t>(i)] = filler;
      filler *= std::max<int64_t>(i == 0 ? sizes.back(0) / type.block_elements : sizes.back(i), 1);
    } else {
      out[static_cast<size_t>(i)] = filler;
    }
  }
  return out;
}

Result<Tensor> Tensor::empty(ExecutionContext& context, const Dims& sizes, DType dtype, Device device,
                             MemoryKind kind) {
  auto bytes = checked_byte_count(sizes, dtype);
  if (!bytes) return bytes.error();
  auto storage = Storage::allocate(context, device, kind, *bytes);
  if (!storage) return storage.error();
  return wrap(std::move(*storage), sizes, dtype);
}

Result<Tensor> Tensor::wrap(Storage storage, const Dims& sizes, DType dtype, int64_t offset) {
  auto bytes = checked_byte_count(sizes, dtype);
  if (!bytes) return bytes.error();
  const DTypeInfo& type = info(dtype);
  if (offset < 0 || offset % type.block_elements != 0)
    return Error{fmt::format("an offset of {} elements does not begin a block of {}", offset, type.name)};
  const auto start = checked_mul(offset / type.block_elements, type.block_bytes);
  if (!start || *start > storage.bytes() || *bytes > storage.bytes() - *start)
    return Error{fmt::format("a {} tensor of shape {} at element {} does not fit in a storage of {} bytes", type.name,
                             to_string(sizes), offset, storage.bytes())};
  auto* impl = new (std::nothrow) TensorImpl;
  if (!impl) return Error{"no memory is left for a tensor's description"};
  impl->dtype = dtype;
  impl->sizes = sizes;
  impl->strides = contiguous_strides(sizes);
  impl->offset = offset;
  impl->storage = std::move(storage);
  return Tensor(impl);
}

}  // namespace arenascope
