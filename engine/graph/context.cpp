// SPDX-License-Identifier: MIT
#include <arenascope/graph/context.h>

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include <arenascope/graph/graph.h>
#include <arenascope/memory/cpu_allocator.h>
#include "engine/graph/context_pool.h"
#include "engine/graph/op_rules.h"

namespace arenascope {

const char* name(ObjectType type) {
  switch (type) {
    case ObjectType::Tensor: return "tensor";
    case ObjectType::Graph: return "graph";
    case ObjectType::WorkBuffer: return "work buffer";
  }
  return "?";
}

Result<std::byte*> ContextPool::append(ObjectType type, size_t size, std::string_view object_name) {
  const size_t padded = align_up(size, Context::kObjectAlignment);
  if (grows_ && padded >= size)
    if (auto ok = make_room(size); !ok) return ok.error();
  if (padded < size || !fits(padded))
    return Error{fmt::format("the context's pool is full: {}{} needed {} bytes, available {} of {}", name(type),
                             object_name.empty() ? "" : fmt::format(" '{}'", object_name),
                             sizeof(ObjectHeader) + padded, capacity_ - used_, mem_size())};
  auto* header = new (base_ + used_) ObjectHeader{begin_ + used_ + sizeof(ObjectHeader), padded, nullptr, type, 0};
  (last_ ? last_->next : first_) = header;
  last_ = header;
  ++objects_;
  used_ += sizeof(ObjectHeader) + padded;
  return reinterpret_cast<std::byte*>(header + 1);
}

Status ContextPool::make_room(size_t size) {
  constexpr size_t kMin = size_t{1} << 14, kMax = size_t{1} << 24;  // size limits of an additional block
  const size_t padded = align_up(size, Context::kObjectAlignment);
  if (!grows_ || fits(padded)) return {};
  if (padded > size_t{1} << 62) return Error{fmt::format("a context cannot hold {} bytes", size)};
  const size_t needed = sizeof(ObjectHeader) + padded, left = limit_ - std::min(limit_, mem_size());
  if (needed > left) return {};
  // Doubles the pool, so that there are few blocks and at most half of the pool is unused.
  const size_t block_size = std::max(needed, std::min(std::clamp(mem_size(), kMin, kMax), left));
  auto block =
      MemoryBlock::allocate(std::make_shared<CpuAllocator>(), MemoryKind::Default, static_cast<Bytes>(block_size));
  if (!block) return block.error();
  blocks_.push_back(std::move(*block));
  begin_ += capacity_;
  used_before_ += std::exchange(used_, 0);
  base_ = static_cast<std::byte*>(blocks_.back()->data());
  capacity_ = static_cast<size_t>(blocks_.back()->bytes());
  return {};
}

const char* ContextPool::keep_text(std::string_view text) {
  constexpr size_t kPiece = size_t{1} << 16;
  const size_t size = align_up(sizeof(KeptName::Length) + text.size(), alignof(KeptName::Length));
  if (size > text_left_) {
    const size_t piece = std::max(size, kPiece);
    text_.push_back(std::make_unique_for_overwrite<char[]>(piece));
    text_left_ = piece;
    text_end_ = text_.back().get() + piece;
  }
  char* place = text_end_ - text_left_;
  KeptName::write(place, text);
  text_left_ -= size;
  text_bytes_ += size;
  return place;
}

ContextPool::~ContextPool() {
  for (ObjectHeader* object = first_; object; object = object->next)
    if (object->type == ObjectType::Tensor) std::launder(reinterpret_cast<TensorImpl*>(object + 1))->~TensorImpl();
}

Context::Context(ContextPool* pool) : pool_(pool) {
  if (pool_) pool_->retain();
}
Context::Context(const Context& other) : Context(other.pool_) {}
Context::Context(Context&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)) {}
Context& Context::operator=(Context other) noexcept {
  std::swap(pool_, other.pool_);
  return *this;
}
Context::~Context() {
  if (pool_) pool_->release();
}

Result<Context> Context::create(const ContextParams& params) {
  const size_t least = sizeof(ObjectHeader);
  BlockPtr block;
  if (params.mem_buffer) {
    if (params.grow) return Error{"a context in a buffer that was given to it cannot grow"};
    if (reinterpret_cast<uintptr_t>(params.mem_buffer) % kObjectAlignment != 0)
      return Error{fmt::format("the buffer given to a context is not aligned to {} bytes", kObjectAlignment)};
    if (params.mem_size < least)
      return Error{fmt::format("the buffer for a context is too small: expected at least {} bytes, found {}", least,
                               params.mem_size)};
    auto borrowed = MemoryBlock::borrow(params.mem_buffer, static_cast<Bytes>(params.mem_size));
    if (!borrowed) return borrowed.error();
    block = std::move(*borrowed);
  } else {
    if (params.mem_size > size_t{1} << 62) return Error{fmt::format("a context cannot hold {} bytes", params.mem_size)};
    const auto bytes = static_cast<Bytes>(align_up(std::max(params.mem_size, least), kObjectAlignment));
    auto allocated = MemoryBlock::allocate(std::make_shared<CpuAllocator>(), MemoryKind::Default, bytes);
    if (!allocated) return allocated.error();
    block = std::move(*allocated);
  }
  auto* pool = new (std::nothrow) ContextPool(std::move(block), params);
  if (!pool) return Error{"no memory is left for a context"};
  return Context(pool);
}

size_t Context::tensor_overhead(size_t sources) {
  // Includes padding for the alignment of the data.
  const size_t most = TensorImpl::byte_size(kMaxDims, sources, OpParams::kCapacity);
  return sizeof(ObjectHeader) + align_up(most, kObjectAlignment) + kDataAlignment;
}

PoolUse Context::use() const { return {pool_->objects_, pool_->used_mem(), pool_->mem_size(), pool_->text_bytes_}; }
bool Context::grows() const { return pool_->grows(); }
bool Context::no_alloc() const { return pool_->no_alloc_; }
void Context::set_no_alloc(bool value) { pool_->no_alloc_ = value; }
const void* Context::mem_buffer() const { return pool_->first_byte(); }
const ObjectHeader* Context::first_object() const { return pool_->first_; }
const TensorImpl* Context::tensor_of(const ObjectHeader& object) const {
  return object.type == ObjectType::Tensor ? reinterpret_cast<const TensorImpl*>(&object + 1) : nullptr;
}

void Context::keep_alive(const Tensor& tensor) {
  if (tensor && tensor->owner != pool_) pool_->foreign_.push_back(tensor);
}

Scratch Context::set_scratch(Scratch scratch) { return std::exchange(pool_->scratch_, std::move(scratch)); }

const Scratch& Context::scratch() const { return pool_->scratch_; }

void Context::set_layer(std::string_view layer) {
  auto& names = pool_->layers_;
  if (layer.empty()) {
    pool_->layer_ = -1;
    return;
  }
  auto found = std::find(names.rbegin(), names.rend(), layer);
  if (found == names.rend()) names.emplace_back(layer), found = names.rbegin();
  pool_->layer_ = static_cast<int32_t>(names.rend() - found - 1);
}

std::span<const std::string> Context::layer_names() const { return pool_->layers_; }

// The properties of a tensor to be created.
struct Context::Description {
  DType dtype = DType::F32;
  std::span<const int64_t> sizes;
  std::span<const int64_t> strides;
  std::span<TensorImpl* const> sources;
  std::span<const std::byte> params;
  Bytes bytes = 0;  // bytes of its data
};

Result<Tensor> Context::place_tensor(const Description& what, std::string_view tensor_name, bool with_data, Op op) {
  const Bytes bytes = with_data ? what.bytes : 0;
  const bool in_scratch = bytes > 0 && pool_->scratch_.storage.allocated();
  const bool in_pool = bytes > 0 && !in_scratch;
  size_t size = TensorImpl::byte_size(static_cast<int>(what.sizes.size()), what.sources.size(), what.params.size());
  size_t data_at = 0;
  if (in_pool) {
    if (auto ok = pool_->make_room(size + kDataAlignment + static_cast<size_t>(bytes)); !ok) return ok.error();
    const auto start = reinterpret_cast<uintptr_t>(pool_->next_object());
    data_at = align_up(start + size, kDataAlignment) - start;
    size = data_at + static_cast<size_t>(bytes);
  }
  Storage storage;
  if (in_scratch) {
    Scratch& scratch = pool_->scratch_;
    const Bytes at = static_cast<Bytes>(align_up(static_cast<uint64_t>(scratch.used), kDataAlignment));
    auto slice = scratch.storage.sub_storage(at, bytes);
    if (!slice)
      return Error{fmt::format("the scratch buffer is full: tensor '{}' needed {} bytes, available {}", tensor_name,
                               bytes, std::max<Bytes>(scratch.storage.bytes() - at, 0))};
    storage = std::move(*slice);
  }
  const char* kept_name = tensor_name.empty() ? nullptr : pool_->keep_text(tensor_name);
  auto place = pool_->append(ObjectType::Tensor, size, tensor_name);
  if (!place) return place.error();
  if (in_scratch) pool_->scratch_.used = storage.offset() - pool_->scratch_.storage.offset() + bytes;
  TensorImpl* impl = TensorImpl::make(*place, what.dtype, what.sizes, what.strides, what.sources.size(), what.params);
  for (size_t i = 0; i < what.sources.size(); ++i) {
    if (what.sources[i]->owner != pool_) keep_alive(Tensor(what.sources[i]));
    impl->sources.set(i, what.sources[i]);
  }
  impl->owner = pool_;
  impl->op = op;
  impl->name.refer(kept_name);
  impl->layer = pool_->layer_;
  if (in_pool) {
    auto slice = pool_->slice(*place + data_at, bytes);
    if (!slice) return slice.error();
    storage = std::move(*slice);
  }
  if (bytes > 0) impl->storage = std::move(storage);
  return Tensor(impl);
}

Result<Tensor> Context::new_tensor(DType dtype, const Dims& sizes, std::string_view tensor_name) {
  try {
    // Sizes are checked before strides are computed from them.
    auto bytes = checked_byte_count(sizes, dtype);
    if (!bytes) return bytes.error();
    const Dims strides = contiguous_strides(sizes);
    return place_tensor({dtype, sizes.span(), strides.span(), {}, {}, *bytes}, tensor_name, !pool_->no_alloc_);
  } catch (const std::bad_alloc&) {
    return Error{"no memory is left for a tensor's name"};
  }
}

namespace {

// True if the result has the type and shape of the first input: the common case of a pointwise op over tensors of the
// same shape and type, which were checked when they were created.
bool is_alike(const OpInfo& op, std::span<TensorImpl* const> sources) {
  if (op.shape_rule != rules::binary_rule && op.shape_rule != rules::same_rule && op.shape_rule != rules::float_rule)
    return false;
  const TensorImpl& first = *sources[0];
  if (!info(first.dtype).floating || info(first.dtype).quantised) return false;
  for (const TensorImpl* source : sources.subspan(1))
    if (source != &first && (source->dtype != first.dtype || !(source->sizes == first.sizes))) return false;
  return true;
}

}  // namespace

Result<Tensor> Context::apply(Op op, std::span<const Tensor> sources, const OpParams& params,
                              std::string_view tensor_name) {
  constexpr size_t kFew = 8;
  TensorImpl* few[kFew];
  try {
    std::vector<TensorImpl*> many(sources.size() > kFew ? sources.size() : 0);
    const std::span<TensorImpl*> impls{many.empty() ? few : many.data(), sources.size()};
    for (size_t i = 0; i < sources.size(); ++i) impls[i] = sources[i].impl();
    return try_apply(op, impls, params, tensor_name);
  } catch (const std::bad_alloc&) {
    return Error{fmt::format("no memory is left for {}", arenascope::name(op))};
  }
}

Result<Tensor> Context::apply(Op op, std::span<TensorImpl* const> sources, const OpParams& params,
                              std::string_view tensor_name) {
  try {
    return try_apply(op, sources, params, tensor_name);
  } catch (const std::bad_alloc&) {
    return Error{fmt::format("no memory is left for {}", arenascope::name(op))};
  }
}

Result<Tensor> Context::try_apply(Op op, std::span<TensorImpl* const> sources, const OpParams& params,
                                  std::string_view tensor_name) {
  const OpInfo& op_info = info(op);
  const auto count = static_cast<int>(sources.size());
  if (count < op_info.min_sources || (op_info.max_sources >= 0 && count > op_info.max_sources))
    return Error{fmt::format("{} '{}' got {} inputs", op_info.name, tensor_name, count)};
  for (const TensorImpl* source : sources)
    if (!source) return Error{fmt::format("{} '{}' got an undefined input", op_info.name, tensor_name)};
  if (is_alike(op_info, sources)) {
    const TensorImpl& first = *sources[0];
    int64_t strides[kMaxDims], stride = 1;
    for (int i = first.rank() - 1; i >= 0; --i) {
      strides[i] = stride;
      stride *= std::max<int64_t>(first.sizes[i], 1);
    }
    return place_tensor({first.dtype,
                         first.sizes.span(),
                         {strides, static_cast<size_t>(first.rank())},
                         sources,
                         params.significant(),
                         first.byte_count()},
                        tensor_name, !pool_->no_alloc_, op);
  }
  auto inferred = op_info.shape_rule(op, sources, params);
  if (!inferred)
    return tensor_name.empty() ? inferred.error()
                               : Error{fmt::format("'{}': {}", tensor_name, inferred.error().message)};
  const bool view = op_info.is_view() || op_info.writes_source();
  auto bytes = checked_byte_count(inferred->sizes, inferred->dtype);
  if (!bytes) return bytes.error();
  if (!view) inferred->strides = contiguous_strides(inferred->sizes);
  auto tensor = place_tensor(
      {inferred->dtype, inferred->sizes.span(), inferred->strides.span(), sources, params.significant(), *bytes},
      tensor_name, !view && !pool_->no_alloc_, op);
  if (!tensor || !view) return tensor;
  TensorImpl& impl = **tensor;
  TensorImpl& source = *sources[0];
  const DTypeInfo& type = info(source.dtype);
  impl.offset = source.offset + inferred->offset;
  impl.storage = source.storage;
  impl.view_source = source.view_source ? source.view_source : &source;
  impl.view_offset = source.view_offset + inferred->offset / type.block_elements * type.block_bytes;
  return tensor;
}

Result<Tensor> Context::restore(Op op, DType dtype, const Dims& sizes, std::span<const Tensor> sources,
                                const Tensor& view_of, std::string_view tensor_name, const OpParams& params) {
  for (const Tensor& source : sources)
    if (!source) return Error{fmt::format("'{}' got an undefined input", tensor_name)};
  if (view_of && view_of->is_view()) return Error{fmt::format("'{}' is a view of a view", tensor_name)};
  try {
    if (auto bytes = checked_byte_count(sizes, dtype); !bytes) return bytes.error();
    std::vector<TensorImpl*> impls;
    for (const Tensor& source : sources) impls.push_back(source.impl());
    auto tensor =
        place_tensor({dtype, sizes, contiguous_strides(sizes), impls, params.significant()}, tensor_name, false);
    if (!tensor) return tensor;
    (*tensor)->op = op;
    if (view_of) {
      keep_alive(view_of);
      (*tensor)->view_source = view_of.impl();
    }
    return tensor;
  } catch (const std::bad_alloc&) {
    return Error{"no memory is left for a tensor's name"};
  }
}

Result<Storage> Context::new_work_buffer(Bytes bytes) {
  if (bytes < 0) return Error{fmt::format("a work buffer of {} bytes", bytes)};
  if (auto ok = pool_->make_room(kDataAlignment + static_cast<size_t>(bytes)); !ok) return ok.error();
  const auto start = reinterpret_cast<uintptr_t>(pool_->next_object());
  const size_t skip = align_up(start, kDataAlignment) - start;
  auto place = pool_->append(ObjectType::WorkBuffer, skip + static_cast<size_t>(bytes));
  if (!place) return place.error();
  return pool_->slice(*place + skip, bytes);
}

Result<std::byte*> Context::append_graph(size_t bytes) { return pool_->append(ObjectType::Graph, bytes); }

size_t Context::graph_overhead(size_t capacity, bool grads) {
  return sizeof(ObjectHeader) + align_up(Graph::byte_size(capacity, grads), kObjectAlignment);
}

Result<Graph> Context::new_graph(size_t capacity, bool grads) {
  if (capacity > Graph::kMaxNodes) return Error{fmt::format("a graph cannot hold {} nodes", capacity)};
  auto place = append_graph(Graph::byte_size(capacity, grads));
  if (!place) return place.error();
  return Graph(*this, *place, capacity, grads);
}

}  // namespace arenascope
