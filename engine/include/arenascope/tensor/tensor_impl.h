// SPDX-License-Identifier: MIT
// What a Tensor handle points at: an array (dtype, sizes, strides, storage, offset) and, when it was made by
// an op, a graph node (op, parameters, flags, sources, view source).
// An impl lives in a Context's pool, whose counter its handles share, or alone on the heap with its own.
#pragma once
#include <atomic>
#include <span>

#include <arenascope/tensor/kept.h>
#include <arenascope/tensor/shape.h>
#include <arenascope/tensor/storage.h>

namespace arenascope {

enum class Op : uint16_t;  // engine/include/arenascope/graph/op.h lists them

enum TensorFlags : uint32_t {
  kFlagInput = 1,      // given by the caller at each run
  kFlagOutput = 2,     // wanted by the caller: its bytes are kept to the end
  kFlagParameter = 4,  // trained: a node although nothing computes it
  kFlagWeight = 8,     // constant, Persistent memory
};

// Where the bytes of a tensor lie while its graph is run.
enum class Placement : uint8_t {
  Arena,   // in the memory of the backend that runs the graph, at an offset that a memory plan chooses
  Host,    // in the host's memory, as a node on the other side of a partition
  Packed,  // in the form that its backend packs it into, such as an image
  Given,   // bound by the caller: leafs, parameters and their views
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
  Placement placement = Placement::Arena;  // of what an op computes; a graph's lifetimes (graph/lifetime.h) tell all
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

  // Bytes of an impl with what it keeps behind itself.
  static size_t byte_size(int rank, size_t sources, size_t params);
  // Makes one at `place`, aligned to 8 bytes and large enough; its sources are null until set.
  static TensorImpl* make(std::byte* place, DType dtype, std::span<const int64_t> sizes,
                          std::span<const int64_t> strides, size_t sources = 0, std::span<const std::byte> params = {});
  // Gives back one that lies alone on the heap, in memory of operator new.
  static void destroy(TensorImpl* alone);

  int rank() const { return sizes.rank(); }
  int64_t element_count() const { return arenascope::element_count(sizes); }
  // Bytes of the elements laid out contiguously (what a plan has to reserve).
  Bytes byte_count() const { return element_count() / info(dtype).block_elements * info(dtype).block_bytes; }
  // Bytes from the lowest to behind the highest element as the strides, negative ones too, have it.
  Bytes byte_span() const;
  bool contiguous() const { return is_contiguous(sizes, strides); }
  // An image with its channels innermost in memory (shape.h).
  bool channels_last() const { return is_channels_last(sizes.span(), strides.span()); }
  // Whether its bytes are byte_count() ones without gaps, from data() on.
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
