// SPDX-License-Identifier: MIT
#include <arenascope/runtime/device_transfer.h>

#include <cstring>
#include <map>

#include <fmt/format.h>

namespace arenascope {
namespace {

// Copies strided elements to contiguous memory.
void gather(const TensorImpl& tensor, const std::byte* first, std::byte* out) {
  const DTypeInfo& type = info(tensor.dtype);
  const auto width = static_cast<size_t>(type.block_bytes);
  const size_t blocks = static_cast<size_t>(tensor.byte_count()) / width;
  Dims at = Dims::filled(tensor.rank(), 0);
  for (size_t i = 0; i < blocks; ++i) {
    int64_t from = 0;
    for (int d = 0; d < tensor.rank(); ++d) from += at[d] * tensor.strides[d];
    std::memcpy(out + i * width, first + from / type.block_elements * type.block_bytes, width);
    for (int d = tensor.rank() - 1; d >= 0; --d) {
      at[d] += d == tensor.rank() - 1 ? type.block_elements : 1;
      if (at[d] < tensor.sizes[d]) break;
      at[d] = 0;
    }
  }
}

Bytes byte_offset(const TensorImpl& tensor) {
  return tensor.offset / info(tensor.dtype).block_elements * info(tensor.dtype).block_bytes;
}

}  // namespace

Status write_tensor(DeviceMemory& memory, const TensorImpl& tensor, std::span<const std::byte> bytes) {
  const auto size = static_cast<Bytes>(bytes.size());
  if (size != tensor.byte_count())
    return Error{fmt::format("'{}' has {} bytes, but {} were given", tensor.name, tensor.byte_count(), size)};
  if (size == 0) return {};
  if (!tensor.storage.allocated()) return Error{fmt::format("cannot write '{}': it has no memory", tensor.name)};
  if (!tensor.contiguous()) return Error{fmt::format("cannot write '{}': it is not contiguous", tensor.name)};
  if (tensor.storage.device().is_cpu()) {
    std::memcpy(tensor.data(), bytes.data(), bytes.size());
    return {};
  }
  auto slice = tensor.storage.sub_storage(byte_offset(tensor), size);
  if (!slice) return slice.error();
  return memory.upload(*slice, bytes.data(), size);
}

Result<std::vector<std::byte>> read_tensor(DeviceMemory& memory, const TensorImpl& tensor) {
  std::vector<std::byte> out(static_cast<size_t>(tensor.byte_count()));
  if (out.empty()) return out;
  if (!tensor.storage.allocated()) return Error{fmt::format("cannot read '{}': it has no memory", tensor.name)};
  const auto pin = MemoryPin::take(tensor.storage.block());
  if (!pin) return Error{fmt::format("cannot read '{}': {}", tensor.name, pin.error().message)};
  const std::byte* first = tensor.data();
  std::vector<std::byte> staged;
  if (!tensor.storage.device().is_cpu()) {
    // Downloads the whole storage: a view may have negative strides.
    staged.resize(static_cast<size_t>(tensor.storage.bytes()));
    if (auto ok = memory.download(staged.data(), tensor.storage, tensor.storage.bytes()); !ok) return ok.error();
    first = staged.data() + byte_offset(tensor);
  }
  if (tensor.contiguous())
    std::memcpy(out.data(), first, out.size());
  else
    gather(tensor, first, out.data());
  return out;
}

Status move_to_device(Backend& backend, ExecutionContext& context, std::span<TensorImpl* const> tensors,
                      MemoryKind kind) {
  // Keyed by host address and size, as several tensors may share a storage; one device block per storage.
  std::map<std::pair<std::byte*, Bytes>, Storage> device_blocks;
  const auto is_on_host = [](const TensorImpl& tensor) {
    return tensor.storage.allocated() && tensor.storage.device().is_cpu() && tensor.storage.bytes() > 0;
  };
  const auto alignment = static_cast<size_t>(backend.alignment());
  for (const TensorImpl* tensor : tensors) {
    if (!is_on_host(*tensor)) continue;
    const Storage& host = tensor->storage;
    const auto [place, fresh] = device_blocks.try_emplace({host.data(), host.bytes()});
    if (!fresh) continue;
    auto storage = Storage::allocate(context, backend.device(), kind, host.bytes(), alignment);
    if (!storage) return storage.error();
    place->second = std::move(*storage);
    if (auto ok = backend.upload(place->second, host.data(), host.bytes()); !ok) return ok;
  }
  for (TensorImpl* tensor : tensors)
    if (is_on_host(*tensor))
      tensor->storage = device_blocks.find({tensor->storage.data(), tensor->storage.bytes()})->second;
  return {};
}

}  // namespace arenascope
