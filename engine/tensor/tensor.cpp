// SPDX-License-Identifier: MIT
#include <arenascope/tensor/tensor.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include <arenascope/tensor/ggml_shape.h>

namespace arenascope {

size_t TensorImpl::byte_size(int rank, size_t sources, size_t params) {
  return sizeof(TensorImpl) + 2 * static_cast<size_t>(rank) * sizeof(int64_t) + sources * sizeof(TensorImpl*) +
         align_up(params, alignof(TensorImpl*));
}

TensorImpl* TensorImpl::make(std::byte* place, DType dtype, std::span<const int64_t> sizes,
                             std::span<const int64_t> strides, size_t sources, std::span<const std::byte> params) {
  auto* impl = new (place) TensorImpl;
  std::byte* at = place + sizeof(TensorImpl);
  const auto distance = [&at](const void* member) { return at - static_cast<const std::byte*>(member); };
  const auto keep_dims = [&](KeptDims& to, std::span<const int64_t> values) {
    to.distance_ = static_cast<uint16_t>(distance(&to));
    to.rank_ = static_cast<int8_t>(values.size());
    std::copy(values.begin(), values.end(), reinterpret_cast<int64_t*>(at));
    at += values.size_bytes();
  };
  impl->dtype = dtype;
  keep_dims(impl->sizes, sizes);
  keep_dims(impl->strides, strides);
  impl->params.distance_ = static_cast<uint16_t>(distance(&impl->params));
  impl->params.size_ = static_cast<uint16_t>(params.size());
  if (!params.empty()) std::memcpy(at, params.data(), params.size());
  at += align_up(params.size(), alignof(TensorImpl*));
  impl->sources.distance_ = static_cast<uint32_t>(distance(&impl->sources));
  impl->sources.count_ = static_cast<uint32_t>(sources);
  std::fill_n(reinterpret_cast<TensorImpl**>(at), sources, nullptr);
  return impl;
}

void TensorImpl::destroy(TensorImpl* alone) {
  alone->~TensorImpl();
  ::operator delete(alone);
}

Bytes TensorImpl::byte_span() const {
  if (element_count() == 0) return 0;
  int64_t reach = 0;
  for (int i = 0; i < rank(); ++i) reach += (sizes[i] - 1) * std::abs(strides[i]);
  const DTypeInfo& type = info(dtype);
  return (reach / type.block_elements + 1) * type.block_bytes;
}

GgmlShape ggml_shape(const TensorImpl& tensor) {
  const DTypeInfo& type = info(tensor.dtype);
  GgmlShape out;
  int64_t bytes = type.block_bytes;
  for (int i = 0; i < kMaxDims; ++i) {
    const int64_t size = tensor.sizes.back(i);
    const bool innermost_block = i == 0 && type.quantised;
    if (i < tensor.rank() && !innermost_block) bytes = tensor.strides.back(i) / type.block_elements * type.block_bytes;
    out.ne[static_cast<size_t>(i)] = size;
    out.nb[static_cast<size_t>(i)] = bytes;
    // Missing dimensions have the stride that follows from the outermost existing one.
    const int64_t count = innermost_block ? size / type.block_elements : size;
    bytes = checked_mul(bytes, std::max<int64_t>(count, 1)).value_or(bytes);
  }
  return out;
}

namespace {

// A contiguous impl on the heap, reference-counted by its handles; null if out of memory.
TensorImpl* make_alone(DType dtype, const Dims& sizes) {
  void* place = ::operator new(TensorImpl::byte_size(sizes.rank(), 0, 0), std::nothrow);
  if (!place) return nullptr;
  return TensorImpl::make(static_cast<std::byte*>(place), dtype, sizes.span(), contiguous_strides(sizes).span());
}

}  // namespace

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
  auto* impl = make_alone(dtype, sizes);
  if (!impl) return Error{"no memory is left for a tensor's description"};
  impl->offset = offset;
  impl->storage = std::move(storage);
  return Tensor(impl);
}

}  // namespace arenascope
