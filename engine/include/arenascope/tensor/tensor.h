// SPDX-License-Identifier: MIT
// A handle to a TensorImpl, one pointer wide. Copying it copies no data. The handle keeps the impl and its pool alive.
#pragma once
#include <span>
#include <string_view>
#include <utility>

#include <arenascope/tensor/tensor_impl.h>

namespace arenascope {

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(TensorImpl* impl) : impl_(impl) { retain(); }
  Tensor(const Tensor& other) : impl_(other.impl_) { retain(); }
  Tensor(Tensor&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Tensor() { release(); }

  // An uninitialised contiguous tensor outside any pool, from the allocator for (device, kind). A tensor without
  // elements has a device but no memory. Errors: negative or overflowing sizes, a host kind on a device other than the
  // CPU.
  static Result<Tensor> empty(ExecutionContext& context, const Dims& sizes, DType dtype, Device device = {},
                              MemoryKind kind = MemoryKind::Default);
  // A contiguous tensor over existing bytes. Error: `storage` does not hold all elements from element `offset` on.
  static Result<Tensor> wrap(Storage storage, const Dims& sizes, DType dtype, int64_t offset = 0);

  bool defined() const { return impl_ != nullptr; }
  explicit operator bool() const { return defined(); }
  TensorImpl* impl() const { return impl_; }
  TensorImpl* operator->() const { return impl_; }
  TensorImpl& operator*() const { return *impl_; }
  bool operator==(const Tensor& other) const { return impl_ == other.impl_; }

  DType dtype() const { return impl_->dtype; }
  const KeptDims& sizes() const { return impl_->sizes; }
  const KeptDims& strides() const { return impl_->strides; }
  Device device() const { return impl_->storage.device(); }
  MemoryKind memory_kind() const { return impl_->storage.kind(); }
  std::string_view name() const { return impl_->name; }
  const Tensor& set_name(std::string_view text) const {
    impl_->name.assign(text);
    return *this;
  }
  const Tensor& set_flag(TensorFlags flag) const {
    impl_->flags |= flag;
    return *this;
  }
  template <class T>
  T* data_as() const {
    return impl_->data_as<T>();
  }

 private:
  void retain() {
    if (!impl_) return;
    if (impl_->owner)
      impl_->owner->retain();
    else
      impl_->references.fetch_add(1, std::memory_order_relaxed);
  }
  void release() {
    if (!impl_) return;
    if (impl_->owner)
      impl_->owner->release();
    else if (impl_->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      TensorImpl::destroy(impl_);
    impl_ = nullptr;
  }

  TensorImpl* impl_ = nullptr;
};

}  // namespace arenascope
