// SPDX-License-Identifier: MIT
// A counted pointer whose count lives in the object: one word, no control block. The last pointer deletes the object.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace arenascope {

// Base of objects held by IntrusivePtr. A new object counts 0; the first IntrusivePtr makes it 1.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  // How many pointers hold the object now; exact only where no other thread holds one.
  int64_t use_count() const { return count_.load(std::memory_order_acquire); }

 protected:
  ~RefCounted() = default;

 private:
  template <class T>
  friend class IntrusivePtr;
  mutable std::atomic<int64_t> count_{0};
};

template <class T>
class IntrusivePtr {
 public:
  constexpr IntrusivePtr() = default;
  constexpr IntrusivePtr(std::nullptr_t) {}
  explicit IntrusivePtr(T* p) : p_(p) { hold(); }
  IntrusivePtr(const IntrusivePtr& o) : p_(o.p_) { hold(); }
  IntrusivePtr(IntrusivePtr&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  IntrusivePtr& operator=(IntrusivePtr o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~IntrusivePtr() { drop(); }

  T* get() const { return p_; }
  T& operator*() const { return *p_; }
  T* operator->() const { return p_; }
  explicit operator bool() const { return p_ != nullptr; }
  void reset() {
    drop();
    p_ = nullptr;
  }
  friend bool operator==(const IntrusivePtr& a, const IntrusivePtr& b) { return a.p_ == b.p_; }
  friend bool operator==(const IntrusivePtr& a, std::nullptr_t) { return a.p_ == nullptr; }

 private:
  void hold() const {
    if (p_) p_->count_.fetch_add(1, std::memory_order_relaxed);
  }
  void drop() {
    if (p_ && p_->count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete p_;
  }
  T* p_ = nullptr;
};

}  // namespace arenascope

template <class T>
struct std::hash<arenascope::IntrusivePtr<T>> {
  size_t operator()(const arenascope::IntrusivePtr<T>& p) const noexcept { return std::hash<T*>()(p.get()); }
};
