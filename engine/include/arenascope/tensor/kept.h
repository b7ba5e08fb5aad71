// SPDX-License-Identifier: MIT
// The variable-length data stored directly after a TensorImpl: sizes, strides, parameters, sources. Each member stores
// the distance from itself to its data, which takes less space than a pointer; therefore the members cannot be copied
// and an impl never moves. Layout of an impl of rank r with n sources:
//
//   ┌────────────┬────────────────┬──────────────────┬─────────────────┬─────┬────────────┐
//   │ TensorImpl │ int64 sizes[r] │ int64 strides[r] │ parameter bytes │ pad │ sources[n] │
//   └────────────┴────────────────┴──────────────────┴─────────────────┴─────┴────────────┘
#pragma once
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <arenascope/tensor/op_params_bytes.h>
#include <arenascope/tensor/shape.h>

namespace arenascope {

struct TensorImpl;

// Sizes or strides of an impl: has the read interface of Dims and converts to it.
class KeptDims {
 public:
  KeptDims() = default;
  KeptDims(const KeptDims&) = delete;
  KeptDims& operator=(const KeptDims&) = delete;

  int rank() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  const int64_t* begin() const {
    return reinterpret_cast<const int64_t*>(reinterpret_cast<uintptr_t>(this) + distance_);
  }
  const int64_t* end() const { return begin() + rank_; }
  int64_t operator[](int i) const {
    assert(i >= 0 && i < rank_);
    return begin()[i];
  }
  // Counted from the innermost: back(0) is the last dimension; 1 if there is none.
  int64_t back(int i = 0) const { return i < rank_ ? begin()[rank_ - 1 - i] : 1; }
  std::span<const int64_t> span() const { return {begin(), end()}; }
  operator Dims() const { return Dims(span()); }
  // Replaces the values; the rank cannot change.
  void set(std::span<const int64_t> values) {
    assert(values.size() == static_cast<size_t>(rank_));
    std::copy(values.begin(), values.end(), reinterpret_cast<int64_t*>(reinterpret_cast<uintptr_t>(this) + distance_));
  }

  friend bool operator==(const KeptDims& a, const KeptDims& b) { return std::ranges::equal(a.span(), b.span()); }
  friend bool operator==(const KeptDims& a, const Dims& b) { return std::ranges::equal(a.span(), b.span()); }

 private:
  friend struct TensorImpl;
  uint16_t distance_ = 0;
  int8_t rank_ = 0;
};

inline int64_t element_count(const KeptDims& sizes) { return element_count(sizes.span()); }
inline bool is_contiguous(const KeptDims& sizes, const KeptDims& strides) {
  return is_contiguous(sizes.span(), strides.span());
}

// The parameters of an impl's op.
class KeptParams {
 public:
  KeptParams() = default;
  KeptParams(const KeptParams&) = delete;
  KeptParams& operator=(const KeptParams&) = delete;

  std::span<const std::byte> bytes() const {
    return {reinterpret_cast<const std::byte*>(reinterpret_cast<uintptr_t>(this) + distance_), size_};
  }
  template <class T>
  T get() const {
    return OpParams::read<T>(bytes());
  }
  operator OpParams() const { return OpParams(bytes()); }

 private:
  friend struct TensorImpl;
  uint16_t distance_ = 0;
  uint16_t size_ = 0;
};

// The sources of an impl.
class KeptSources {
 public:
  KeptSources() = default;
  KeptSources(const KeptSources&) = delete;
  KeptSources& operator=(const KeptSources&) = delete;

  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  TensorImpl* const* begin() const {
    return reinterpret_cast<TensorImpl* const*>(reinterpret_cast<uintptr_t>(this) + distance_);
  }
  TensorImpl* const* end() const { return begin() + count_; }
  TensorImpl* operator[](size_t i) const {
    assert(i < count_);
    return begin()[i];
  }
  TensorImpl* front() const { return (*this)[0]; }
  TensorImpl* back() const { return (*this)[count_ - 1]; }
  operator std::span<TensorImpl* const>() const { return {begin(), count_}; }
  // Replaces source i.
  void set(size_t i, TensorImpl* source) {
    assert(i < count_);
    const_cast<TensorImpl**>(begin())[i] = source;
  }

 private:
  friend struct TensorImpl;
  uint32_t distance_ = 0;
  uint32_t count_ = 0;
};

// A name in one pointer: either a reference to text owned by the pool, or owned text.
class KeptName {
 public:
  // The length that precedes the characters. Text is aligned to 4 bytes.
  using Length = uint32_t;

  KeptName() = default;
  KeptName(const KeptName&) = delete;
  KeptName& operator=(const KeptName&) = delete;
  ~KeptName() { drop(); }

  std::string_view view() const {
    if (!at_) return {};
    const auto* place = reinterpret_cast<const char*>(at_ & ~uintptr_t{1});
    Length length;
    std::memcpy(&length, place, sizeof length);
    return {place + sizeof length, length};
  }
  operator std::string_view() const { return view(); }
  std::string str() const { return std::string(view()); }
  bool empty() const { return view().empty(); }
  size_t size() const { return view().size(); }
  const char* data() const { return view().data(); }
  // Copies the text. Throws std::bad_alloc.
  void assign(std::string_view text) {
    char* copy = nullptr;
    if (!text.empty()) {
      copy = new char[sizeof(Length) + text.size()];
      write(copy, text);
    }
    drop();
    at_ = copy ? reinterpret_cast<uintptr_t>(copy) | 1 : 0;
  }
  // Refers to text written with write(), which must outlive the impl; null: no name.
  void refer(const char* kept) {
    drop();
    at_ = reinterpret_cast<uintptr_t>(kept);
  }
  static void write(char* place, std::string_view text) {
    const auto length = static_cast<Length>(text.size());
    std::memcpy(place, &length, sizeof length);
    std::memcpy(place + sizeof length, text.data(), text.size());
  }

  friend bool operator==(const KeptName& a, const KeptName& b) { return a.view() == b.view(); }
  friend bool operator==(const KeptName& a, std::string_view b) { return a.view() == b; }

 private:
  void drop() {
    if (at_ & 1) delete[] reinterpret_cast<char*>(at_ & ~uintptr_t{1});
  }
  uintptr_t at_ = 0;  // bit 0: owned
};

inline std::string operator+(const char* a, const KeptName& b) { return a + b.str(); }
inline std::string operator+(const KeptName& a, const char* b) { return a.str() + b; }
inline std::string operator+(std::string a, const KeptName& b) { return std::move(a.append(b.view())); }

}  // namespace arenascope
