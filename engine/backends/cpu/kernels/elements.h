// SPDX-License-Identifier: MIT
// Loads and stores rows of elements of any type as one of the four compute types: float (f32, f16, bf16), double (f64),
// int64_t (signed integers, bool) and uint64_t (unsigned integers).
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::cpu {

// Compute type of an element type.
enum class Family { Float, Double, Signed, Unsigned };
Family family(DType type);

// Calls f with a zero of the compute type: with_compute_type(t, [&](auto zero) { using C = decltype(zero); … }).
template <class F>
decltype(auto) with_compute_type(DType type, F&& f) {
  switch (family(type)) {
    case Family::Double: return f(double{});
    case Family::Signed: return f(int64_t{});
    case Family::Unsigned: return f(uint64_t{});
    case Family::Float: break;
  }
  return f(float{});
}

// Reads n elements that are `stride` elements apart. Integers keep their low bits; values outside an integer's range
// are saturated; NaN becomes 0.
template <class C>
using LoadRow = void (*)(C* to, const std::byte* from, int64_t stride, int64_t n);
template <class C>
using StoreRow = void (*)(std::byte* to, int64_t stride, const C* from, int64_t n);

template <class C>
LoadRow<C> loader(DType type);
template <class C>
StoreRow<C> storer(DType type);

// True if elements of the type are stored as C.
template <class C>
constexpr bool is_native(DType type) {
  if constexpr (std::is_same_v<C, float>) return type == DType::F32;
  if constexpr (std::is_same_v<C, double>) return type == DType::F64;
  if constexpr (std::is_same_v<C, int64_t>) return type == DType::I64;
  return std::is_same_v<C, uint64_t> && type == DType::U64;
}

// Converts to C: saturated to an integer's range, NaN to 0; integers wrap.
template <class C, class From>
C convert(From value) {
  if constexpr (std::is_integral_v<C> && std::is_floating_point_v<From>) {
    constexpr double low = std::is_signed_v<C> ? -0x1p63 : 0.0, high = std::is_signed_v<C> ? 0x1p63 : 0x1p64;
    const double x = value;
    if (!(x > low)) return x == x ? (std::is_signed_v<C> ? INT64_MIN : 0) : 0;
    if (x >= high) return std::is_signed_v<C> ? static_cast<C>(INT64_MAX) : static_cast<C>(UINT64_MAX);
    return static_cast<C>(x);
  } else {
    return static_cast<C>(value);
  }
}

// Copies `count` elements from row-major index `first` on, whatever the layout, to a contiguous buffer. Quantised
// tensors are read row by row: `first` and `count` must be multiples of the innermost size.
template <class C>
void load_elements(const TensorImpl& tensor, int64_t first, int64_t count, C* to);
// The same into a contiguous tensor.
template <class C>
void store_elements(const TensorImpl& tensor, int64_t first, int64_t count, const C* from);

// The elements [first, first + count) in row-major order as C: in place if they are stored so, else copied to `buffer`.
template <class C>
const C* elements(const TensorImpl& tensor, int64_t first, int64_t count, C* buffer);

// Element at row-major index i of an I32 or I64 tensor.
int64_t integer_at(const TensorImpl& tensor, int64_t i);

}  // namespace arenascope::cpu
