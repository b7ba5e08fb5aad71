// SPDX-License-Identifier: MIT
// Input and output of elementwise kernels by pieces of rows: accessed in place if type and layout match the kernel,
// otherwise through a small buffer.
#pragma once
#include <arenascope/graph/fused.h>
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/loop_nest.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {

inline constexpr int64_t kPiece = 1024;  // elements

template <class C>
class Reader {
 public:
  Reader(const TensorImpl& tensor, int64_t stride)
      : base_(tensor.data()), bytes_(element_bytes(tensor.dtype)), stride_(stride) {
    if (!is_native<C>(tensor.dtype) || stride != 1) load_ = loader<C>(tensor.dtype);
  }
  // True if elements are read in place, so that a piece may have any length.
  bool direct() const { return !load_; }
  // n ≤ kPiece elements from `offset` (elements) on.
  const C* piece(int64_t offset, int64_t n) {
    const std::byte* from = base_ + offset * bytes_;
    if (!load_) return reinterpret_cast<const C*>(from);
    if (stride_ == 0 && offset == filled_offset_ && n <= filled_) return buffer_;
    load_(buffer_, from, stride_, n);
    filled_offset_ = offset;
    filled_ = n;
    return buffer_;
  }

 private:
  const std::byte* base_;
  int64_t bytes_;
  int64_t stride_;
  LoadRow<C> load_ = nullptr;
  int64_t filled_offset_ = -1, filled_ = 0;
  alignas(64) C buffer_[kPiece];
};

// The result is contiguous.
template <class C>
class Writer {
 public:
  explicit Writer(const TensorImpl& tensor) : base_(tensor.data()), bytes_(element_bytes(tensor.dtype)) {
    if (!is_native<C>(tensor.dtype)) store_ = storer<C>(tensor.dtype);
  }
  bool direct() const { return !store_; }
  C* piece(int64_t offset) { return store_ ? buffer_ : reinterpret_cast<C*>(base_ + offset * bytes_); }
  // To be called after the piece has been computed.
  void done(int64_t offset, int64_t n) {
    if (store_) store_(base_ + offset * bytes_, 1, buffer_, n);
  }

 private:
  std::byte* base_;
  int64_t bytes_;
  StoreRow<C> store_ = nullptr;
  alignas(64) C buffer_[kPiece];
};

// Sets each element of the result to of(index, x), with element x of the first input, computed as C; `index` is that
// of the result's element.
template <class C, class F>
void each_element(const KernelArgs& args, F&& of) {
  const LoopNest nest(args.node, {&args.source(0)});
  Reader<C> source(args.source(0), nest.inner_stride(1));
  Writer<C> out(args.node);
  nest.rows(args.part(nest.count(), 64), kPiece, [&](const int64_t* at, int64_t n) {
    const C* const x = source.piece(at[1], n);
    C* const to = out.piece(at[0]);
    for (int64_t i = 0; i < n; ++i) to[i] = of(at[0] + i, x[i]);
    out.done(at[0], n);
  });
}

// The SIMD function table of a node. It uses non-temporal stores if the result is larger than the caches and does not
// overwrite an input. The destructor fences these stores.
class Functions {
 public:
  explicit Functions(const TensorImpl& node) {
    if (node.dtype != DType::F32 || node.byte_count() < kPastCaches) return;
    if (node.op == Op::Fused && anchor_of(node) != Op::Fused) return;  // the epilogue is about to read the result
    for (const TensorImpl* source : node.sources)
      if (source->data() == node.data()) return;
    table_ = &simd_past_caches();
  }
  ~Functions() { table_->settle(); }
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;
  const Simd& operator*() const { return *table_; }
  const Simd* operator->() const { return table_; }
  bool past_caches() const { return table_ != &simd(); }

 private:
  const Simd* table_ = &simd();
};

}  // namespace arenascope::cpu
