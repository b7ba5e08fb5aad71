// SPDX-License-Identifier: MIT
// What a Tensor handle points at: an array (dtype, sizes, strides, storage, offset) and, when it was made by
// an op, a graph node (op, parameters, flags, sources, view source).
// An impl lives in a Context's pool, whose counter its handles share, or alone on the heap with its own.
#pragma once
#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include <arenascope/tensor/shape.h>
#include <arenascope/tensor/storage.h>

namespace arenascope {

enum class Op : uint16_t;  // engine/graph/op.h lists them

// The parameters of an op: a small plain struct of the op's own, kept as bytes.
class OpParams {
 public:
  static constexpr size_t kCapacity = 160;
  template <class T>
  void set(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kCapacity);
    bytes_.fill(std::byte{0});
    std::memcpy(bytes_.data(), &value, sizeof(T));
  }
  template <class T>
  T get() const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kCapacity);
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    return value;
  }
  bool operator==(const OpParams&) const = default;

 private:
  std::array<std::byte, kCapacity> bytes_{};
};

enum TensorFlags : uint32_t {
  kFlagInput = 1,      // given by the caller at each run
  kFlagOutput = 2,     // wanted by the caller: its bytes are kept to the end
  kFlagParameter = 4,  // trained: a node although nothing computes it
  kFlagWeight = 8,     // constant, Persistent memory
  kFlagSpilled = 16,   // a copy that lies in host memory, outside the arena
};

// Who counts the references of pooled impls, and whom they keep alive.
class ImplOwner {
 public:
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy();
  }

 protected:
  virtual ~ImplOwner() = default;
  virtual void destroy() = 0;

 private:
  std::atomic<int64_t> references_{0};
};

struct TensorImpl {
  DType dtype = DType::F32;
  Op op{};  // Op::None for given tensors
  uint32_t flags = 0;
  Dims sizes;    // elements, outermost first
  Dims strides;  // elements; of a block type the innermost is 1 and the others are multiples of the block
  int64_t offset = 0;  // elements from the storage's start to the first one
  Storage storage;     // without a block until memory is bound
  OpParams params;
  TensorImpl* view_source = nullptr;  // the tensor that owns the bytes, never itself a view
  Bytes view_offset = 0;              // from the view source's first byte
  std::span<TensorImpl*> sources;
  int32_t layer = -1;  // index into the pool's layer names; -1: none
  std::string name;
  ImplOwner* owner = nullptr;  // the pool, or null on the heap
  std::atomic<int32_t> references{0};

  int rank() const { return sizes.rank(); }
  int64_t element_count() const { return arenascope::element_count(sizes); }
  // Bytes of the elements laid out contiguously (what a plan has to reserve).
  Bytes byte_count() const { return element_count() / info(dtype).block_elements * info(dtype).block_bytes; }
  // Bytes from the lowest to behind the highest element as the strides, negative ones too, have it.
  Bytes byte_span() const;
  bool contiguous() const { return is_contiguous(sizes, strides); }
  bool is_view() const { return view_source != nullptr; }
  bool has(TensorFlags flag) const { return (flags & flag) != 0; }
  // The first element; null until memory is bound.
  std::byte* data() const {
    std::byte* base = storage.data();
    return base ? base + offset / info(dtype).block_elements * info(dtype).block_bytes : nullptr;
  }
  template <class T>
  T* data_as() const { return reinterpret_cast<T*>(data()); }

  // ggml's view of the same tensor for display: ne[0] is the innermost size, nb[i] bytes between elements.
  std::array<int64_t, kMaxDims> ne() const;
  std::array<int64_t, kMaxDims> nb() const;
};

}  // namespace arenascope
