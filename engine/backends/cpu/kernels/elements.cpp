// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/elements.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/backends/cpu/kernels/half.h"
#include "engine/backends/cpu/kernels/loop_nest.h"
#include "engine/backends/cpu/quant/quant.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

struct Bool8 {
  uint8_t value;
};

template <class C, class T>
C widen(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>)
    return convert<C>(to_float(value));
  else if constexpr (std::is_same_v<T, Bool8>)
    return static_cast<C>(value.value != 0);
  else
    return convert<C>(value);
}

template <class T, class C>
T convert(C value) {
  if constexpr (std::is_same_v<T, Half>) {
    return to_half(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, BFloat>) {
    return to_bfloat(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, Bool8>) {
    return {static_cast<uint8_t>(value != C{0})};
  } else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<C>) {
    if (!(value == value)) return 0;
    constexpr C low = static_cast<C>(std::numeric_limits<T>::lowest()),
                high = static_cast<C>(std::numeric_limits<T>::max());
    if (value <= low) return std::numeric_limits<T>::lowest();
    if (value >= high) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

// A SIMD loop for the type; null: none.
template <class T>
CastLoops::From fast_load() {
  const CastLoops& casts = simd().casts;
  if constexpr (std::is_same_v<T, BFloat>) return casts.from_bfloat;
  if constexpr (std::is_same_v<T, uint8_t>) return casts.from_u8;
  if constexpr (std::is_same_v<T, int8_t>) return casts.from_i8;
  if constexpr (std::is_same_v<T, int32_t>) return casts.from_i32;
  if constexpr (std::is_same_v<T, int64_t>) return casts.from_i64;
  return nullptr;
}
template <class T>
CastLoops::To fast_store() {
  const CastLoops& casts = simd().casts;
  if constexpr (std::is_same_v<T, Half>) return casts.to_half;
  if constexpr (std::is_same_v<T, BFloat>) return casts.to_bfloat;
  if constexpr (std::is_same_v<T, uint8_t>) return casts.to_u8;
  if constexpr (std::is_same_v<T, int8_t>) return casts.to_i8;
  if constexpr (std::is_same_v<T, int32_t>) return casts.to_i32;
  if constexpr (std::is_same_v<T, int64_t>) return casts.to_i64;
  if constexpr (std::is_same_v<T, Bool8>) return casts.to_bool;
  return nullptr;
}

template <class C, class T>
void load_row(C* to, const std::byte* from, int64_t stride, int64_t n) {
  const T* p = reinterpret_cast<const T*>(from);
  if (stride == 1) {
    if constexpr (std::is_same_v<T, Half> && std::is_same_v<C, float>) {
      simd().half_to_float(to, reinterpret_cast<const uint16_t*>(p), n);
      return;
    }
    if constexpr (std::is_same_v<C, float>)
      if (const CastLoops::From fast = fast_load<T>()) return fast(to, from, n);
    for (int64_t i = 0; i < n; ++i) to[i] = widen<C>(p[i]);
  } else if (stride == 0) {
    std::fill(to, to + n, widen<C>(*p));
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = widen<C>(p[i * stride]);
  }
}

template <class C, class T>
void store_row(std::byte* to, int64_t stride, const C* from, int64_t n) {
  T* p = reinterpret_cast<T*>(to);
  if constexpr (std::is_same_v<C, float>)
    if (const CastLoops::To fast = stride == 1 ? fast_store<T>() : nullptr) return fast(to, from, n);
  if (stride == 1)
    for (int64_t i = 0; i < n; ++i) p[i] = convert<T>(from[i]);
  else
    for (int64_t i = 0; i < n; ++i) p[i * stride] = convert<T>(from[i]);
}

// Calls f with a null pointer to the C++ type of the elements.
template <class F>
auto with_element_type(DType type, F&& f) {
  switch (type) {
    case DType::F16: return f(static_cast<Half*>(nullptr));
    case DType::BF16: return f(static_cast<BFloat*>(nullptr));
    case DType::F64: return f(static_cast<double*>(nullptr));
    case DType::I8: return f(static_cast<int8_t*>(nullptr));
    case DType::U8: return f(static_cast<uint8_t*>(nullptr));
    case DType::I16: return f(static_cast<int16_t*>(nullptr));
    case DType::U16: return f(static_cast<uint16_t*>(nullptr));
    case DType::I32: return f(static_cast<int32_t*>(nullptr));
    case DType::U32: return f(static_cast<uint32_t*>(nullptr));
    case DType::I64: return f(static_cast<int64_t*>(nullptr));
    case DType::U64: return f(static_cast<uint64_t*>(nullptr));
    case DType::Bool: return f(static_cast<Bool8*>(nullptr));
    default: return f(static_cast<float*>(nullptr));
  }
}

}  // namespace

Family family(DType type) {
  switch (type) {
    case DType::F64: return Family::Double;
    case DType::I8:
    case DType::I16:
    case DType::I32:
    case DType::I64:
    case DType::Bool: return Family::Signed;
    case DType::U8:
    case DType::U16:
    case DType::U32:
    case DType::U64: return Family::Unsigned;
    default: return Family::Float;
  }
}

template <class C>
LoadRow<C> loader(DType type) {
  return with_element_type(type, []<class T>(T*) -> LoadRow<C> { return &load_row<C, T>; });
}

template <class C>
StoreRow<C> storer(DType type) {
  return with_element_type(type, []<class T>(T*) -> StoreRow<C> { return &store_row<C, T>; });
}

template <class C>
void load_elements(const TensorImpl& tensor, int64_t first, int64_t count, C* to) {
  if (info(tensor.dtype).quantised) {
    if constexpr (std::is_same_v<C, float>) {
      const int64_t width = tensor.sizes.back();
      for (int64_t done = 0; done < count; done += width) dequantise_row(tensor, (first + done) / width, to + done);
    }
    return;
  }
  const LoadRow<C> load = loader<C>(tensor.dtype);
  const int64_t bytes = element_bytes(tensor.dtype);
  const std::byte* base = tensor.data();
  const LoopNest nest(tensor.sizes, {&tensor});
  const int64_t stride = nest.inner_stride(0);
  nest.rows({first, first + count}, std::numeric_limits<int64_t>::max(), [&](const int64_t* offsets, int64_t n) {
    load(to, base + offsets[0] * bytes, stride, n);
    to += n;
  });
}

template <class C>
void store_elements(const TensorImpl& tensor, int64_t first, int64_t count, const C* from) {
  storer<C>(tensor.dtype)(tensor.data() + first * element_bytes(tensor.dtype), 1, from, count);
}

template <class C>
const C* elements(const TensorImpl& tensor, int64_t first, int64_t count, C* buffer) {
  if (is_native<C>(tensor.dtype)) {
    const C* base = reinterpret_cast<const C*>(tensor.data());
    if (tensor.contiguous()) return base + first;
    // A run inside one row of a tensor with stride-1 rows.
    const int64_t width = tensor.sizes.back();
    if (width > 0 && tensor.rank() > 0 && tensor.strides.back() == 1 && first % width + count <= width) {
      int64_t rest = first / width, offset = first % width;
      for (int d = tensor.rank() - 2; d >= 0; --d) {
        offset += rest % tensor.sizes[d] * tensor.strides[d];
        rest /= tensor.sizes[d];
      }
      return base + offset;
    }
  }
  load_elements(tensor, first, count, buffer);
  return buffer;
}

int64_t integer_at(const TensorImpl& tensor, int64_t i) {
  int64_t value;
  load_elements(tensor, i, 1, &value);
  return value;
}

#define ARENASCOPE_INSTANTIATE(C)                                                 \
  template LoadRow<C> loader<C>(DType);                                           \
  template StoreRow<C> storer<C>(DType);                                          \
  template void load_elements<C>(const TensorImpl&, int64_t, int64_t, C*);        \
  template void store_elements<C>(const TensorImpl&, int64_t, int64_t, const C*); \
  template const C* elements<C>(const TensorImpl&, int64_t, int64_t, C*);
ARENASCOPE_INSTANTIATE(float)
ARENASCOPE_INSTANTIATE(double)
ARENASCOPE_INSTANTIATE(int64_t)
ARENASCOPE_INSTANTIATE(uint64_t)

}  // namespace arenascope::cpu
