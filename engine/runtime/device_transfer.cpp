// SPDX-License-Identifier: MIT
#include <arenascope/runtime/device_transfer.h>

#include <cstring>
#include <map>

#include <fmt/format.h>

namespace arenascope {
namespace {

// Gathers elements that lie at strides into contiguous ones.
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
    return Error{fmt::format("'{}' has {} bytes, {} were given", tensor.name, tensor.byte_count(), size)};
  if (size == 0) return {};
  if (!tensor.storage.allocated()) return Error{fmt::format("'{}' has no memory to be written to", tensor.name)};
  if (!tensor.contiguous())
    return Error{fmt::format("'{}' is not contiguous and cannot be written as a whole", tensor.name)};
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
  if (!tensor.storage.allocated()) return Error{fmt::format("'{}' holds no data now", tensor.name)};
  const std::byte* first = tensor.data();
  std::vector<std::byte> staged;
  if (!tensor.storage.device().is_cpu()) {
    // All of the storage's slice: views may step backwards.
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
  // By their bytes on the host, which several may share: a block each, so that each is seen as its own.
  std::map<std::pair<std::byte*, Bytes>, Storage> places;
  const auto lies_on_host = [](const TensorImpl& tensor) {
    return tensor.storage.allocated() && tensor.storage.device().is_cpu() && tensor.storage.bytes() > 0;
  };
  const auto alignment = static_cast<size_t>(backend.alignment());
  for (const TensorImpl* tensor : tensors) {
    if (!lies_on_host(*tensor)) continue;
    const Storage& host = tensor->storage;
    const auto [place, fresh] = places.try_emplace({host.data(), host.bytes()});
    if (!fresh) continue;
    auto storage = Storage::allocate(context, backend.device(), kind, host.bytes(), alignment);
    if (!storage) return storage.error();
    place->second = std::move(*storage);
    if (auto ok = backend.upload(place->second, host.data(), host.bytes()); !ok) return ok;
  }
  for (TensorImpl* tensor : tensors)
    if (lies_on_host(*tensor)) tensor->storage = places.find({tensor->storage.data(), tensor->storage.bytes()})->second;
  return {};
}

}  // namespace arenascope
