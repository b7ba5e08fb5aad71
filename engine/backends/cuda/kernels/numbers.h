// SPDX-License-Identifier: MIT
// Elements of any unquantised type as numbers of one of three classes: float for f32, f16 and bf16, double for f64,
// int64_t for all integers (u64 as its bit pattern). The element type is known at run time; all threads take the same
// branch.
#pragma once
#include <arenascope/tensor/dtype.h>
#include "engine/backends/cuda/kernels/portable.h"

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif

namespace arenascope::cuda {

#if defined(__CUDACC__)
ARENASCOPE_DEVICE float half_to_float(uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
ARENASCOPE_DEVICE uint16_t float_to_half(float x) { return __half_as_ushort(__float2half_rn(x)); }
// Two adjacent values at once; `low` has the lower address.
ARENASCOPE_DEVICE void open_halves(uint32_t pair, float& low, float& high) {
  __half2_raw raw;
  raw.x = static_cast<unsigned short>(pair);
  raw.y = static_cast<unsigned short>(pair >> 16);
  const float2 both = __half22float2(__half2(raw));
  low = both.x;
  high = both.y;
}
ARENASCOPE_DEVICE uint32_t pack_halves(float low, float high) {
  const __half2_raw raw = __floats2half2_rn(low, high);
  return raw.x | static_cast<uint32_t>(raw.y) << 16;
}
#else
// IEEE 754 binary16, round to nearest, ties to even.
inline float half_to_float(uint16_t bits) {
  const uint32_t exponent = bits >> 10 & 31u, fraction = bits & 1023u;
  const float a = exponent == 31  ? (fraction ? NAN : INFINITY)
                  : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                  : std::ldexp(static_cast<float>(1024 + fraction), static_cast<int>(exponent) - 25);
  return bits & 0x8000u ? -a : a;
}
inline uint16_t float_to_half(float x) {
  const uint32_t sign = bits_of(x) >> 16 & 0x8000u;
  const float a = std::fabs(x);
  if (std::isnan(x)) return static_cast<uint16_t>(sign | 0x7e00u);
  if (a >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00u);
  if (a == 0) return static_cast<uint16_t>(sign);
  int exponent = 0;
  std::frexp(a, &exponent);
  const int unit = exponent - 11 < -24 ? -24 : exponent - 11;  // exponent of the last of eleven binary digits
  const auto count = static_cast<uint32_t>(std::nearbyint(std::ldexp(a, -unit)));
  return static_cast<uint16_t>(sign | (count + (static_cast<uint32_t>(unit + 24) << 10)));
}
inline void open_halves(uint32_t pair, float& low, float& high) {
  low = half_to_float(static_cast<uint16_t>(pair));
  high = half_to_float(static_cast<uint16_t>(pair >> 16));
}
inline uint32_t pack_halves(float low, float high) {
  return float_to_half(low) | static_cast<uint32_t>(float_to_half(high)) << 16;
}
#endif

ARENASCOPE_DEVICE float bfloat_to_float(uint16_t bits) { return float_of(static_cast<uint32_t>(bits) << 16); }
ARENASCOPE_DEVICE uint16_t float_to_bfloat(float x) {
  const uint32_t bits = bits_of(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

ARENASCOPE_DEVICE int bytes_of(DType type) {
  switch (type) {
    case DType::F64:
    case DType::I64:
    case DType::U64: return 8;
    case DType::F32:
    case DType::I32:
    case DType::U32: return 4;
    case DType::F16:
    case DType::BF16:
    case DType::I16:
    case DType::U16: return 2;
    default: return 1;
  }
}

ARENASCOPE_DEVICE bool is_float(DType type) {
  return type == DType::F32 || type == DType::F16 || type == DType::BF16 || type == DType::F64;
}

template <class N>
ARENASCOPE_DEVICE N lowest();
template <>
ARENASCOPE_DEVICE float lowest<float>() {
  return -INFINITY;
}
template <>
ARENASCOPE_DEVICE double lowest<double>() {
  return -static_cast<double>(INFINITY);
}
template <>
ARENASCOPE_DEVICE int64_t lowest<int64_t>() {
  return INT64_MIN;
}

// An integer in its class: u64 beyond 2^63 keeps its value only as bits of the integer class.
template <class N>
ARENASCOPE_DEVICE N from_unsigned(uint64_t x) {
  return static_cast<N>(x);
}

// Element `i` of an array.
template <class N>
ARENASCOPE_DEVICE N get(DType type, const char* base, int64_t i) {
  switch (type) {
    case DType::F32: return static_cast<N>(load<float>(base + i * 4));
    case DType::F16: return static_cast<N>(half_to_float(load<uint16_t>(base + i * 2)));
    case DType::BF16: return static_cast<N>(bfloat_to_float(load<uint16_t>(base + i * 2)));
    case DType::F64: return static_cast<N>(load<double>(base + i * 8));
    case DType::I8: return static_cast<N>(load<int8_t>(base + i));
    case DType::U8: return static_cast<N>(load<uint8_t>(base + i));
    case DType::I16: return static_cast<N>(load<int16_t>(base + i * 2));
    case DType::U16: return static_cast<N>(load<uint16_t>(base + i * 2));
    case DType::I32: return static_cast<N>(load<int32_t>(base + i * 4));
    case DType::U32: return static_cast<N>(load<uint32_t>(base + i * 4));
    case DType::I64: return static_cast<N>(load<int64_t>(base + i * 8));
    case DType::U64: return from_unsigned<N>(load<uint64_t>(base + i * 8));
    default: return static_cast<N>(load<uint8_t>(base + i) != 0);
  }
}

// A number as an integer of the type: saturated, NaN becomes 0.
template <class T>
ARENASCOPE_DEVICE T saturated(double x, double low, double high_plus_one, T low_value, T high_value) {
  if (!(x == x)) return 0;
  if (x < low) return low_value;
  if (x >= high_plus_one) return high_value;
  return static_cast<T>(x);
}
ARENASCOPE_DEVICE int64_t whole(double x, DType type) {
  switch (type) {
    case DType::I8: return saturated<int64_t>(x, -128.0, 128.0, -128, 127);
    case DType::U8: return saturated<int64_t>(x, 0.0, 256.0, 0, 255);
    case DType::I16: return saturated<int64_t>(x, -32768.0, 32768.0, -32768, 32767);
    case DType::U16: return saturated<int64_t>(x, 0.0, 65536.0, 0, 65535);
    case DType::I32: return saturated<int64_t>(x, -2147483648.0, 2147483648.0, INT32_MIN, INT32_MAX);
    case DType::U32: return saturated<int64_t>(x, 0.0, 4294967296.0, 0, 0xffffffffll);
    case DType::U64: return static_cast<int64_t>(saturated<uint64_t>(x, 0.0, 18446744073709551616.0, 0, UINT64_MAX));
    default: return saturated<int64_t>(x, -9223372036854775808.0, 9223372036854775808.0, INT64_MIN, INT64_MAX);
  }
}
ARENASCOPE_DEVICE int64_t whole(float x, DType type) { return whole(static_cast<double>(x), type); }
// Narrower integers keep the low bits.
ARENASCOPE_DEVICE int64_t whole(int64_t x, DType) { return x; }

template <class N>
ARENASCOPE_DEVICE void put(DType type, char* base, int64_t i, N x) {
  switch (type) {
    case DType::F32: return store(base + i * 4, static_cast<float>(x));
    case DType::F16: return store(base + i * 2, float_to_half(static_cast<float>(x)));
    case DType::BF16: return store(base + i * 2, float_to_bfloat(static_cast<float>(x)));
    case DType::F64: return store(base + i * 8, static_cast<double>(x));
    case DType::I8:
    case DType::U8: return store(base + i, static_cast<uint8_t>(whole(x, type)));
    case DType::I16:
    case DType::U16: return store(base + i * 2, static_cast<uint16_t>(whole(x, type)));
    case DType::I32:
    case DType::U32: return store(base + i * 4, static_cast<uint32_t>(whole(x, type)));
    case DType::I64:
    case DType::U64: return store(base + i * 8, whole(x, type));
    default: return store(base + i, static_cast<uint8_t>(x != 0));
  }
}

// The same as function calls, to keep kernels small: only f32 is inlined.
template <class N>
ARENASCOPE_CALLED N get_called(DType type, const char* base, int64_t i) {
  return get<N>(type, base, i);
}
template <class N>
ARENASCOPE_CALLED void put_called(DType type, char* base, int64_t i, N x) {
  put(type, base, i, x);
}
template <class N>
ARENASCOPE_DEVICE N get_one(DType type, const char* base, int64_t i) {
  return type == DType::F32 ? static_cast<N>(load<float>(base + i * 4)) : get_called<N>(type, base, i);
}
template <class N>
ARENASCOPE_DEVICE void put_one(DType type, char* base, int64_t i, N x) {
  if (type == DType::F32)
    store(base + i * 4, static_cast<float>(x));
  else
    put_called(type, base, i, x);
}

inline constexpr int kVector = 8;  // elements per thread and access

// Memory-bound kernels also exist for fixed types, so that no instruction selects a type.
enum class FixedType { None, F32, F16 };
template <FixedType kFixed>
ARENASCOPE_DEVICE DType fixed(DType type) {
  return kFixed == FixedType::F32 ? DType::F32 : kFixed == FixedType::F16 ? DType::F16 : type;
}

// Eight adjacent elements of f32, f16 or bf16 as raw bits, so that several loads can be in flight before a value is
// needed.
struct RawVector {
  Quad q[2];  // for 16-bit types only the first
};
ARENASCOPE_DEVICE RawVector raw_vector(DType type, const char* base, int64_t i) {
  RawVector raw{};
  raw.q[0] = load_quad(base + i * (type == DType::F32 ? 4 : 2));
  if (type == DType::F32) raw.q[1] = load_quad(base + i * 4 + 16);
  return raw;
}
ARENASCOPE_DEVICE void open_vector(DType type, const RawVector& raw, float* to) {
  if (type == DType::F32) {
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) to[j] = float_of(raw.q[j / 4].w[j % 4]);
  } else if (type == DType::F16) {
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; j += 2) open_halves(raw.q[0].w[j / 2], to[j], to[j + 1]);
  } else {
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) to[j] =
        bfloat_to_float(static_cast<uint16_t>(raw.q[0].w[j / 2] >> (j % 2 * 16)));
  }
}
ARENASCOPE_DEVICE void get_floats(DType type, const char* base, int64_t i, float (&to)[kVector]) {
  open_vector(type, raw_vector(type, base, i), to);
}
ARENASCOPE_DEVICE void put_floats(DType type, char* base, int64_t i, const float (&from)[kVector]) {
  if (type == DType::F32) {
    ARENASCOPE_UNROLL for (int h = 0; h < 2; ++h) {
      Quad q;
      ARENASCOPE_UNROLL for (int j = 0; j < 4; ++j) q.w[j] = bits_of(from[h * 4 + j]);
      store_quad(base + (i + h * 4) * 4, q);
    }
    return;
  }
  Quad q;
  ARENASCOPE_UNROLL for (int j = 0; j < 4; ++j) q.w[j] =
      type == DType::F16 ? pack_halves(from[j * 2], from[j * 2 + 1])
                         : float_to_bfloat(from[j * 2]) | static_cast<uint32_t>(float_to_bfloat(from[j * 2 + 1])) << 16;
  store_quad(base + i * 2, q);
}

// Sixteen bytes as four f32 or eight f16 values.
template <FixedType kFixed>
struct Piece {
  static constexpr int kCount = kFixed == FixedType::F32 ? 4 : 8;
  ARENASCOPE_DEVICE static void open(const Quad& q, float* x) {
    ARENASCOPE_UNROLL for (int j = 0; j < 4; ++j) {
      if constexpr (kFixed == FixedType::F32)
        x[j] = float_of(q.w[j]);
      else
        open_halves(q.w[j], x[j * 2], x[j * 2 + 1]);
    }
  }
  ARENASCOPE_DEVICE static Quad pack(const float* x) {
    Quad q;
    ARENASCOPE_UNROLL for (int j = 0; j < 4; ++j) {
      if constexpr (kFixed == FixedType::F32)
        q.w[j] = bits_of(x[j]);
      else
        q.w[j] = pack_halves(x[j * 2], x[j * 2 + 1]);
    }
    return q;
  }
};

// Eight adjacent elements, the first at index i, which is a multiple of eight elements from a 16-byte boundary: 16-byte
// loads, or 8-byte loads for 8-bit types.
template <class N>
ARENASCOPE_DEVICE void get_vector(DType type, const char* base, int64_t i, N (&to)[kVector]) {
  switch (type) {
    case DType::F32: {
      ARENASCOPE_UNROLL for (int h = 0; h < 2; ++h) {
        const Quad q = load_quad(base + (i + h * 4) * 4);
        ARENASCOPE_UNROLL for (int j = 0; j < 4; ++j) to[h * 4 + j] = static_cast<N>(float_of(q.w[j]));
      }
      return;
    }
    case DType::F16:
    case DType::BF16: {
      const Quad q = load_quad(base + i * 2);
      ARENASCOPE_UNROLL for (int j = 0; j < 8; ++j) {
        const auto bits = static_cast<uint16_t>(q.w[j / 2] >> (j % 2 * 16));
        to[j] = static_cast<N>(type == DType::F16 ? half_to_float(bits) : bfloat_to_float(bits));
      }
      return;
    }
    case DType::I64:
    case DType::U64:
    case DType::F64: {
      ARENASCOPE_UNROLL for (int h = 0; h < 4; ++h) {
        const Quad q = load_quad(base + (i + h * 2) * 8);
        ARENASCOPE_UNROLL for (int j = 0; j < 2; ++j) {
          const uint64_t bits = q.w[j * 2] | static_cast<uint64_t>(q.w[j * 2 + 1]) << 32;
          if (type == DType::F64) {
            double d;
            memcpy(&d, &bits, 8);
            to[h * 2 + j] = static_cast<N>(d);
          } else {
            to[h * 2 + j] = type == DType::U64 ? from_unsigned<N>(bits) : static_cast<N>(static_cast<int64_t>(bits));
          }
        }
      }
      return;
    }
    case DType::I32:
    case DType::U32: {
      ARENASCOPE_UNROLL for (int h = 0; h < 2; ++h) {
        const Quad q = load_quad(base + (i + h * 4) * 4);
        ARENASCOPE_UNROLL for (int j = 0; j < 4; ++j) to[h * 4 + j] =
            type == DType::I32 ? static_cast<N>(static_cast<int32_t>(q.w[j])) : static_cast<N>(q.w[j]);
      }
      return;
    }
    case DType::I16:
    case DType::U16: {
      const Quad q = load_quad(base + i * 2);
      ARENASCOPE_UNROLL for (int j = 0; j < 8; ++j) {
        const auto bits = static_cast<uint16_t>(q.w[j / 2] >> (j % 2 * 16));
        to[j] = type == DType::I16 ? static_cast<N>(static_cast<int16_t>(bits)) : static_cast<N>(bits);
      }
      return;
    }
    default: {
      const auto bits = load<uint64_t>(base + i);
      ARENASCOPE_UNROLL for (int j = 0; j < 8; ++j) {
        const auto byte = static_cast<uint8_t>(bits >> (j * 8));
        to[j] = type == DType::I8   ? static_cast<N>(static_cast<int8_t>(byte))
                : type == DType::U8 ? static_cast<N>(byte)
                                    : static_cast<N>(byte != 0);
      }
    }
  }
}

template <class N>
ARENASCOPE_DEVICE void put_vector(DType type, char* base, int64_t i, const N (&from)[kVector]) {
  switch (type) {
    case DType::F32: {
      ARENASCOPE_UNROLL for (int h = 0; h < 2; ++h) {
        Quad q;
        ARENASCOPE_UNROLL for (int j = 0; j < 4; ++j) q.w[j] = bits_of(static_cast<float>(from[h * 4 + j]));
        store_quad(base + (i + h * 4) * 4, q);
      }
      return;
    }
    case DType::F16:
    case DType::BF16:
    case DType::I16:
    case DType::U16: {
      Quad q;
      ARENASCOPE_UNROLL for (int j = 0; j < 4; ++j) {
        uint32_t pair[2];
        ARENASCOPE_UNROLL for (int h = 0; h < 2; ++h) {
          const N x = from[j * 2 + h];
          pair[h] = type == DType::F16    ? float_to_half(static_cast<float>(x))
                    : type == DType::BF16 ? float_to_bfloat(static_cast<float>(x))
                                          : static_cast<uint16_t>(whole(x, type));
        }
        q.w[j] = pair[0] | pair[1] << 16;
      }
      store_quad(base + i * 2, q);
      return;
    }
    case DType::I64:
    case DType::U64:
    case DType::F64: {
      ARENASCOPE_UNROLL for (int h = 0; h < 4; ++h) {
        Quad q;
        ARENASCOPE_UNROLL for (int j = 0; j < 2; ++j) {
          uint64_t bits;
          if (type == DType::F64) {
            const double d = static_cast<double>(from[h * 2 + j]);
            memcpy(&bits, &d, 8);
          } else {
            bits = static_cast<uint64_t>(whole(from[h * 2 + j], type));
          }
          q.w[j * 2] = static_cast<uint32_t>(bits);
          q.w[j * 2 + 1] = static_cast<uint32_t>(bits >> 32);
        }
        store_quad(base + (i + h * 2) * 8, q);
      }
      return;
    }
    case DType::I32:
    case DType::U32: {
      ARENASCOPE_UNROLL for (int h = 0; h < 2; ++h) {
        Quad q;
        ARENASCOPE_UNROLL for (int j = 0; j < 4; ++j) q.w[j] = static_cast<uint32_t>(whole(from[h * 4 + j], type));
        store_quad(base + (i + h * 4) * 4, q);
      }
      return;
    }
    default: {
      uint64_t bits = 0;
      ARENASCOPE_UNROLL for (int j = 0; j < 8; ++j) {
        const N x = from[j];
        const uint8_t byte = type == DType::Bool ? x != 0 : static_cast<uint8_t>(whole(x, type));
        bits |= static_cast<uint64_t>(byte) << (j * 8);
      }
      store(base + i, bits);
    }
  }
}

}  // namespace arenascope::cuda
