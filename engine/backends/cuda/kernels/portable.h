// SPDX-License-Identifier: MIT
// Portability layer of the kernels. nvcc compiles the bodies for the device; any C++ compiler compiles the same bodies
// for the host, where the emulator runs them over a grid of blocks whose threads are fibers. Blocks and grids are
// one-dimensional; a block has a multiple of 32 threads.
#pragma once
#include <cstdint>
#include <cstring>

namespace arenascope::cuda {

inline constexpr int kWarp = 32;
inline constexpr int kMaxThreads = 512;    // per block: each thread has at least 128 registers
inline constexpr int kDenseThreads = 256;  // per block of memory-bound kernels

// Launch configuration of a kernel.
struct Grid {
  uint32_t blocks = 1;
  uint32_t threads = 256;
  uint32_t shared_bytes = 0;  // dynamic shared memory
};

}  // namespace arenascope::cuda

#if defined(__CUDACC__)

#define ARENASCOPE_DEVICE __device__ __forceinline__
#define ARENASCOPE_CALLED __device__ __noinline__
#define ARENASCOPE_SHARED __shared__
#define ARENASCOPE_KERNEL(id, Params) \
  extern "C" __global__ void __launch_bounds__(::arenascope::cuda::kMaxThreads) id(const __grid_constant__ Params p)
// Memory-bound kernels: blocks of up to 256 threads, of which a multiprocessor runs at least three.
#define ARENASCOPE_DENSE_KERNEL(id, Params)                                          \
  extern "C" __global__ void __launch_bounds__(::arenascope::cuda::kDenseThreads, 3) \
      id(const __grid_constant__ Params p)
// Blocks of at most `most` threads, so that each thread may use more registers.
#define ARENASCOPE_SMALL_KERNEL(id, Params, most) \
  extern "C" __global__ void __launch_bounds__(most) id(const __grid_constant__ Params p)
#define ARENASCOPE_UNROLL _Pragma("unroll")
#define ARENASCOPE_ROLLED _Pragma("unroll 1")

namespace arenascope::cuda {

ARENASCOPE_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
ARENASCOPE_DEVICE int threads() { return static_cast<int>(blockDim.x); }
ARENASCOPE_DEVICE int64_t block() { return blockIdx.x; }
ARENASCOPE_DEVICE int64_t blocks() { return gridDim.x; }
ARENASCOPE_DEVICE void sync() { __syncthreads(); }
ARENASCOPE_DEVICE char* dynamic_shared() {
  extern __shared__ __align__(16) char arenascope_dynamic_shared[];
  return arenascope_dynamic_shared;
}
template <class T>
ARENASCOPE_DEVICE T shuffle_xor(T value, int mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask);
}
template <class T>
ARENASCOPE_DEVICE T shuffle_up(T value, int by) {
  return __shfl_up_sync(0xffffffffu, value, static_cast<unsigned>(by));
}
// Writes only if no thread did before: the first of several errors is kept.
ARENASCOPE_DEVICE bool claim(unsigned long long* word, unsigned long long value) {
  return atomicCAS(word, 0ull, value) == 0ull;
}
ARENASCOPE_DEVICE uint32_t high_product(uint32_t a, uint32_t b) { return __umulhi(a, b); }
// One instruction. If one argument is NaN, the result is the other one.
ARENASCOPE_DEVICE float larger(float a, float b) { return fmaxf(a, b); }
// Accurate to about twenty bits, for results that keep eleven.
ARENASCOPE_DEVICE float quick_exp(float x) { return __expf(x); }
ARENASCOPE_DEVICE float quick_quotient(float x, float y) { return __fdividef(x, y); }

struct alignas(16) Quad {
  uint32_t w[4];
};
ARENASCOPE_DEVICE Quad load_quad(const void* from) {
  const uint4 v = *static_cast<const uint4*>(from);
  return {{v.x, v.y, v.z, v.w}};
}
// For data that is read once: no line is allocated in the L1 cache.
ARENASCOPE_DEVICE Quad load_quad_once(const void* from) {
#if __CUDA_ARCH__ < 800
  return load_quad(from);
#else
  Quad q;
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(q.w[0]), "=r"(q.w[1]), "=r"(q.w[2]), "=r"(q.w[3])
               : "l"(from));
  return q;
#endif
}
ARENASCOPE_DEVICE void store_quad(void* to, const Quad& q) {
  *static_cast<uint4*>(to) = make_uint4(q.w[0], q.w[1], q.w[2], q.w[3]);
}
// The lines are the first to leave the L2 cache, so that a large result does not evict data that is still read.
ARENASCOPE_DEVICE void store_quad_once(void* to, const Quad& q) {
  __stcs(static_cast<uint4*>(to), make_uint4(q.w[0], q.w[1], q.w[2], q.w[3]));
}
template <class T>
ARENASCOPE_DEVICE T load(const void* from) {
  return *static_cast<const T*>(from);
}
template <class T>
ARENASCOPE_DEVICE void store(void* to, T value) {
  *static_cast<T*>(to) = value;
}
ARENASCOPE_DEVICE float float_of(uint32_t bits) { return __uint_as_float(bits); }
ARENASCOPE_DEVICE uint32_t bits_of(float value) { return __float_as_uint(value); }

}  // namespace arenascope::cuda

#else

#include "engine/backends/cuda/kernels/host.h"

#define ARENASCOPE_DEVICE inline
#define ARENASCOPE_CALLED inline
// One block runs at a time on a host thread, so shared memory is thread-local.
#define ARENASCOPE_SHARED static thread_local
#define ARENASCOPE_KERNEL(id, Params) inline void id(const Params& p)
#define ARENASCOPE_DENSE_KERNEL(id, Params) ARENASCOPE_KERNEL(id, Params)
#define ARENASCOPE_SMALL_KERNEL(id, Params, most) ARENASCOPE_KERNEL(id, Params)
#define ARENASCOPE_UNROLL
#define ARENASCOPE_ROLLED

#include <bit>
#include <cmath>

namespace arenascope::cuda {

inline int thread() { return emulated::here().thread; }
inline int threads() { return emulated::here().threads; }
inline int64_t block() { return emulated::here().block; }
inline int64_t blocks() { return emulated::here().blocks; }
inline void sync() { emulated::sync_block(); }
inline char* dynamic_shared() { return emulated::here().shared; }
template <class T>
T shuffle_xor(T value, int mask) {
  static_assert(sizeof(T) <= 8);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = emulated::exchange(bits, (emulated::here().thread % kWarp) ^ mask);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T>
T shuffle_up(T value, int by) {
  static_assert(sizeof(T) <= 8);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  const int lane = emulated::here().thread % kWarp;
  bits = emulated::exchange(bits, lane < by ? lane : lane - by);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
inline bool claim(unsigned long long* word, unsigned long long value) {
  if (*word != 0) return false;
  *word = value;
  return true;
}
inline float larger(float a, float b) { return std::fmax(a, b); }
inline float quick_exp(float x) { return std::exp(x); }
inline float quick_quotient(float x, float y) { return x / y; }
inline uint32_t high_product(uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b >> 32); }

struct alignas(16) Quad {
  uint32_t w[4];
};
inline Quad load_quad(const void* from) {
  emulated::check_aligned(from, 16);
  Quad q;
  std::memcpy(&q, from, 16);
  return q;
}
inline Quad load_quad_once(const void* from) { return load_quad(from); }
inline void store_quad(void* to, const Quad& q) {
  emulated::check_aligned(to, 16);
  std::memcpy(to, &q, 16);
}
inline void store_quad_once(void* to, const Quad& q) { store_quad(to, q); }
template <class T>
T load(const void* from) {
  emulated::check_aligned(from, sizeof(T));
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void store(void* to, T value) {
  emulated::check_aligned(to, sizeof(T));
  std::memcpy(to, &value, sizeof value);
}
inline float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

}  // namespace arenascope::cuda

#endif
