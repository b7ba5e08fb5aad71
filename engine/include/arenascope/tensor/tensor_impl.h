// SPDX-License-Identifier: MIT
// The object that a Tensor handle refers to: an array (dtype, sizes, strides, storage, offset) and, for the result of an op, a
// graph node (op, parameters, flags, sources, view source).
// An impl is stored in a Context's pool and shares the pool's reference count, or on the heap with its own count.
#pragma once
#include <atomic>
#include <span>

#include <arenascope/tensor/kept.h>
#include <arenascope/tensor/shape.h>
#include <arenascope/tensor/storage.h>

namespace arenascope {

enum class Op : uint16_t;  // engine/include/arenascope/graph/op.h lists them

enum TensorFlags : uint32_t {
  kFlagInput = 1,      // set by the caller for each run
  kFlagOutput = 2,     // output of the graph: its bytes are kept to the end of the run
  kFlagParameter = 4,  // trained parameter: a node although no op computes it
  kFlagWeight = 8,     // constant, Persistent memory
};

// The location of a tensor's bytes while its graph runs.
enum class Placement : uint8_t {
  Arena,   // in the arena of the backend that runs the graph, at an offset of the memory plan
  Host,    // in host memory: a node of the host's side of a partition
  Packed,  // in a packed format of its backend, such as an image
  Given,   // bound by the caller: leafs, parameters and their views
};

// The owner of pooled impls: counts their references and is kept alive by them.
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
  Placement placement = Placement::Arena;  // of computed tensors only; see placement_of() in graph/lifetime.h
  Op op{};                                 // Op::None for given tensors
  uint32_t flags = 0;
  KeptDims sizes;    // elements, outermost first
  KeptDims strides;  // elements; of a block type the innermost is 1 and the others are multiples of the block
  KeptParams params;
  int32_t layer = -1;  // index into the pool's layer names; -1: none
  KeptSources sources;
  KeptName name;
  int64_t offset = 0;                     // elements from the storage's start to the first one
  TensorImpl* view_source = nullptr;      // the tensor that owns the bytes, never itself a view
  Bytes view_offset = 0;                  // from the view source's first byte
  ImplOwner* owner = nullptr;             // the pool, or null on the heap
  [[no_unique_address]] Storage storage;  // without a block until memory is bound
  std::atomic<int32_t> references{0};

  // Bytes of an impl including the data stored after it.
  static size_t byte_size(int rank, size_t sources, size_t params);
  // Constructs an impl at `place`, which is aligned to 8 bytes and large enough. Its sources are null until set.
  static TensorImpl* make(std::byte* place, DType dtype, std::span<const int64_t> sizes,
                          std::span<const int64_t> strides, size_t sources = 0, std::span<const std::byte> params = {});
  // Destroys an impl outside any pool, whose memory is from operator new.
  static void destroy(TensorImpl* alone);

  int rank() const { return sizes.rank(); }
  int64_t element_count() const { return arenascope::element_count(sizes); }
  // Bytes of the elements in contiguous layout: the size that a plan must reserve.
  Bytes byte_count() const { return element_count() / info(dtype).block_elements * info(dtype).block_bytes; }
  // Bytes from the element with the lowest address to the end of the highest, with the actual (possibly negative)
  // strides.
  Bytes byte_span() const;
  bool contiguous() const { return is_contiguous(sizes, strides); }
  // An image with its channels innermost in memory (shape.h).
  bool channels_last() const { return is_channels_last(sizes.span(), strides.span()); }
  // True if the elements occupy byte_count() bytes from data() on without gaps.
  bool dense() const { return contiguous() || channels_last(); }
  bool is_view() const { return view_source != nullptr; }
  bool has(TensorFlags flag) const { return (flags & flag) != 0; }
  // The first element; null until memory is bound.
  std::byte* data() const {
    std::byte* base = storage.data();
    return base ? base + offset / info(dtype).block_elements * info(dtype).block_bytes : nullptr;
  }
  template <class T>
  T* data_as() const {
    return reinterpret_cast<T*>(data());
  }

 private:
  TensorImpl() = default;
};

}  // namespace arenascope
