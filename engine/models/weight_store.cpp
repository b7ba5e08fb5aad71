// SPDX-License-Identifier: MIT
#include <arenascope/models/weight_store.h>
#include <arenascope/tensor/alignment.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace arenascope::models {
namespace {

constexpr Bytes kMinReleased = 32 << 10;   // smaller generated weights stay in memory
constexpr Bytes kMappedAround = 64 << 10;  // the kernel may map this much around a page fault

Result<Storage> copy_of(const TensorImpl& tensor, ExecutionContext& context) {
  constexpr Bytes kSlice = 4 << 20;
  const BlockPtr& from = tensor.storage.block();
  const Bytes offset = tensor.storage.offset(), bytes = tensor.storage.bytes();
  auto to = Storage::allocate(context, {}, MemoryKind::Persistent, bytes);
  if (!to) return to;
  for (Bytes at = 0; at < bytes; at += kSlice) {
    const Bytes count = std::min(kSlice, bytes - at);
    std::memcpy(to->data() + at, from->data() + offset + at, static_cast<size_t>(count));
    from->drop_pages(offset + at, count);
  }
  return to;
}

bool is_file(const TensorImpl& leaf) {
  return leaf.storage.kind() == MemoryKind::Mapped && !leaf.storage.block()->is_restorable();
}

// True if most bytes of the files are packed, so that only small weights would keep their pages resident.
bool mostly_packed(std::span<TensorImpl* const> weights, const std::unordered_set<const TensorImpl*>& unpacked) {
  Bytes stay = 0, all = 0;
  for (const TensorImpl* weight : weights) {
    if (!is_file(*weight)) continue;
    all += weight->storage.bytes();
    if (unpacked.contains(weight) && weight->storage.bytes() >= kMappedAround) stay += weight->storage.bytes();
  }
  return stay < all / 2;
}

// Copies a weight of a file; its views follow. Generated weights are pinned.
Status copy_weight(TensorImpl& weight, const Graph& graph, ExecutionContext& context, std::vector<MemoryPin>& pins) {
  if (!is_file(weight)) {
    auto pin = MemoryPin::take(weight.storage.block());
    if (!pin) return Error{fmt::format("weight '{}' cannot be generated: {}", weight.name, pin.error().message)};
    pins.push_back(std::move(*pin));
    return {};
  }
  auto copy = copy_of(weight, context);
  if (!copy) return copy.error();
  weight.storage = std::move(*copy);
  for (TensorImpl* node : graph.nodes())
    if (node->is_view() && node->view_source == &weight) node->storage = weight.storage;
  return {};
}

}  // namespace

Status WeightStore::load(std::span<const Weight> weights, std::string_view model, ExecutionContext& context,
                         LoadOptions options) {
  for (const Weight& weight : weights) {
    if (options.keep && weight.tensor->storage.allocated()) continue;
    if (auto ok = load_one(weight, model, context, options); !ok) return ok;
  }
  return {};
}

Status WeightStore::load_one(const Weight& weight, std::string_view model, ExecutionContext& context,
                             LoadOptions options) {
  TensorImpl& tensor = *weight.tensor;
  const Bytes bytes = tensor.byte_count();
  if (const auto in_file = static_cast<Bytes>(weight.source.bytes().size()); in_file > 0 && in_file != bytes)
    return Error{
        fmt::format("weight '{}' of '{}' takes {} bytes, but its file has {}", tensor.name, model, bytes, in_file)};
  if (weight.source.can_borrow()) {
    auto mapped = weight.source.borrow(context);
    if (!mapped) return mapped.error();
    tensor.storage = std::move(*mapped);
    if (!is_aligned(tensor)) misaligned_ += bytes;
    return {};
  }
  const bool constant = tensor.has(kFlagWeight) && !tensor.has(kFlagParameter);
  const bool restorable = options.release && constant && bytes >= kMinReleased && !weight.source.is_absent();
  auto storage = restorable ? weight.source.restorable(context, bytes)
                            : Storage::allocate(context, Device{}, MemoryKind::Persistent, bytes);
  if (!storage)
    return Error{fmt::format("cannot allocate weight '{}' of '{}': {}", tensor.name, model, storage.error().message)};
  if (bytes > 0 && !restorable) {
    if (auto written = weight.source.write(storage->data()); !written) return written;
    allocated_ += bytes;
  }
  tensor.storage = std::move(*storage);
  return {};
}

Status WeightStore::settle(const Graph& graph, std::span<TensorImpl* const> unpacked, ExecutionContext& context) {
  std::vector<TensorImpl*> weights;
  for (TensorImpl* leaf : graph.leafs())
    if (leaf->has(kFlagWeight) && leaf->storage.allocated()) weights.push_back(leaf);
  const std::unordered_set<const TensorImpl*> reads(unpacked.begin(), unpacked.end());
  const bool copies_small = mostly_packed(weights, reads);
  std::vector<MemoryPin>
      pins;  // the previous ones are released last, so that a weight which stays is not written again
  bytes_ = {};
  for (TensorImpl* weight : weights) {
    const Bytes bytes = weight->storage.bytes();
    const bool read = reads.contains(weight), mapped = weight->storage.kind() == MemoryKind::Mapped;
    if (mapped && !read) {
      if (is_file(*weight)) weight->storage.block()->drop_pages(weight->storage.offset(), bytes);
      bytes_.packed += bytes;
    } else if (is_file(*weight) && is_aligned(*weight) && !(copies_small && bytes < kMappedAround)) {
      bytes_.borrowed += bytes;
    } else {
      if (auto ok = copy_weight(*weight, graph, context, pins); !ok) return ok;
      bytes_.copied += bytes;
    }
  }
  pins_ = std::move(pins);
  return {};
}

void WeightStore::add_files(std::span<const Weight> weights) {
  for (const Weight& weight : weights) {
    const MappedFile* file = weight.source.file();
    const auto same = [&](const WeightSource& known) { return known.file() == file; };
    if (file && std::none_of(files_.begin(), files_.end(), same)) files_.push_back(weight.source);
  }
}

void WeightStore::drop_file_pages() const {
  for (const WeightSource& source : files_) source.advise_dontneed();
}

}  // namespace arenascope::models
