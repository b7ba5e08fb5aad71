// SPDX-License-Identifier: MIT
// The parameters of an op: a small trivially copyable struct specific to the op, stored as bytes.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace arenascope {

// A type without padding bytes. Padding is not initialised, so bytes that include it differ between
// equal values. std::has_unique_object_representations is not used because it is false for floating-point members. The
// constant expression is ill-formed if it reads a padding byte.
template <class T>
concept WithoutPadding = requires {
  typename std::integral_constant<int, [] {
    int zeros = 0;
    for (const std::byte byte : std::bit_cast<std::array<std::byte, sizeof(T)>>(T{})) zeros += byte == std::byte{0};
    return zeros;
  }()>;
};

// A value followed by zeros up to `kBytes`, where the compiler would otherwise insert padding.
template <class T, size_t kBytes>
class ZeroPadded {
 public:
  constexpr ZeroPadded() = default;
  constexpr ZeroPadded(T value) : value_(value) {}
  constexpr operator T() const { return value_; }

 private:
  T value_{};
  std::array<std::byte, kBytes - sizeof(T)> zeros_{};
};

class OpParams {
 public:
  static constexpr size_t kCapacity = 176;

  OpParams() = default;
  // From stored bytes; missing bytes at the end count as zeros.
  explicit OpParams(std::span<const std::byte> bytes) : size_(static_cast<uint16_t>(bytes.size())) {
    if (size_ > 0) std::memcpy(bytes_, bytes.data(), size_);
  }
  OpParams(const OpParams& other) : OpParams(other.bytes()) {}
  OpParams& operator=(const OpParams& other) {
    size_ = other.size_;
    if (size_ > 0) std::memmove(bytes_, other.bytes_, size_);
    return *this;
  }

  template <class T>
  void set(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kCapacity);
    static_assert(WithoutPadding<T>, "parameters are copied and compared as bytes: replace padding by ZeroPadded");
    std::memcpy(bytes_, &value, sizeof(T));
    size_ = sizeof(T);
  }
  template <class T>
  T get() const {
    return read<T>(bytes());
  }

  // Reads the struct from bytes; missing bytes are zeros, surplus bytes are ignored.
  template <class T>
  static T read(std::span<const std::byte> bytes) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kCapacity);
    alignas(T) std::byte whole[sizeof(T)];
    const size_t have = std::min(bytes.size(), sizeof(T));
    if (have > 0) std::memcpy(whole, bytes.data(), have);
    if (have < sizeof(T)) std::memset(whole + have, 0, sizeof(T) - have);
    T value;
    std::memcpy(static_cast<void*>(&value), whole, sizeof(T));
    return value;
  }

  std::span<const std::byte> bytes() const { return {bytes_, size_}; }
  // The bytes without trailing zeros, which need not be stored.
  std::span<const std::byte> significant() const {
    size_t n = size_;
    while (n > 0 && bytes_[n - 1] == std::byte{0}) --n;
    return {bytes_, n};
  }
  bool operator==(const OpParams& other) const {
    const auto a = significant(), b = other.significant();
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  uint16_t size_ = 0;
  alignas(8) std::byte bytes_[kCapacity];  // bytes from size_ on are never read
};

}  // namespace arenascope
