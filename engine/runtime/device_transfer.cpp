// SPDX-License-Identifier: MIT
#include <arenascope/runtime/device_transfer.h>

#include <cstring>
#include <map>

#include <fmt/format.h>

#include <arenascope/base/checked.h>

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
  struct Place {
    Storage host;
    Bytes offset;
  };
  std::map<std::pair<std::byte*, Bytes>, Place> places;
  const auto alignment = static_cast<uint64_t>(backend.alignment());
  Bytes total = 0;
  for (const TensorImpl* tensor : tensors) {
    const Storage& storage = tensor->storage;
    if (!storage.allocated() || !storage.device().is_cpu() || storage.bytes() == 0) continue;
    if (!places.try_emplace({storage.data(), storage.bytes()}, Place{storage, total}).second) continue;
    const auto end = checked_add(total, storage.bytes());
    if (!end || *end > INT64_MAX - static_cast<int64_t>(alignment))
      return Error{"tensors to be moved to a device overflow 2^63 bytes"};
    total = static_cast<Bytes>(align_up(static_cast<uint64_t>(*end), alignment));
  }
  if (total == 0) return {};
  auto block = Storage::allocate(context, backend.device(), kind, total, static_cast<size_t>(alignment));
  if (!block) return block.error();
  for (auto& [key, place] : places) {
    auto slice = block->sub_storage(place.offset, place.host.bytes());
    if (!slice) return slice.error();
    if (auto ok = backend.upload(*slice, place.host.data(), place.host.bytes()); !ok) return ok;
  }
  for (TensorImpl* tensor : tensors) {
    const Storage& storage = tensor->storage;
    if (!storage.allocated() || !storage.device().is_cpu() || storage.bytes() == 0) continue;
    const Place& place = places.find({storage.data(), storage.bytes()})->second;
    auto slice = block->sub_storage(place.offset, storage.bytes());
    if (!slice) return slice.error();
    tensor->storage = std::move(*slice);
  }
  return {};
}

}  // namespace arenascope
