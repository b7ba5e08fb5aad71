// SPDX-License-Identifier: MIT
// Loops that measure the machine's limits, compiled once per instruction set. Independent of the kernels.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/peaks/loops.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include <arenascope/peaks/loops.h>

HWY_BEFORE_NAMESPACE();
namespace arenascope::loops {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D d;

float read_all(const float* x, int64_t n) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V s[8];
  for (V& v : s) v = hn::Zero(d);
  for (int64_t i = 0; i + 8 * lanes <= n; i += 8 * lanes)
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) s[j] = hn::Add(s[j], hn::LoadU(d, x + i + j * lanes));
  V all = s[0];
  for (int j = 1; j < 8; ++j) all = hn::Add(all, s[j]);
  return hn::GetLane(hn::SumOfLanes(d, all));
}

void copy_all(float* to, const float* x, const float* y, int64_t n, bool past) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i + 4 * lanes <= n; i += 4 * lanes)
#pragma GCC unroll 4
    for (int64_t j = 0; j < 4; ++j) {
      V v = hn::LoadU(d, x + i + j * lanes);
      if (y) v = hn::Add(v, hn::LoadU(d, y + i + j * lanes));
      if (past)
        hn::Stream(v, d, to + i + j * lanes);
      else
        hn::StoreU(v, d, to + i + j * lanes);
    }
  if (past) hwy::FlushStream();
}

float multiply_add_rounds(int64_t rounds) {
  V s[20];
  for (int i = 0; i < 20; ++i) s[i] = hn::Set(d, static_cast<float>(i));
  const V a = hn::Set(d, 0.999f), b = hn::Set(d, 0.001f);
  for (int64_t r = 0; r < rounds; ++r)
#pragma GCC unroll 20
    for (int i = 0; i < 20; ++i) s[i] = hn::MulAdd(s[i], a, b);
  V all = s[0];
  for (int i = 1; i < 20; ++i) all = hn::Add(all, s[i]);
  return hn::GetLane(hn::SumOfLanes(d, all));
}

int64_t lanes() { return static_cast<int64_t>(hn::Lanes(d)); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace arenascope::loops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arenascope::loops {
namespace {

HWY_EXPORT(read_all);
HWY_EXPORT(copy_all);
HWY_EXPORT(multiply_add_rounds);
HWY_EXPORT(lanes);

constexpr int64_t kPastCaches = 2 << 20;  // floats

// Page-aligned arrays of n floats on huge pages, as for the engine's large blocks, so that the loops reach the limits.
struct Arrays {
  Arrays(size_t count, int64_t n) : each((static_cast<size_t>(n) * 4 + 4095) / 4096 * 4096) {
    constexpr size_t kHugePage = size_t{2} << 20;
    const size_t bytes = (count * each + kHugePage - 1) / kHugePage * kHugePage;
    all = static_cast<std::byte*>(std::aligned_alloc(kHugePage, bytes));
    if (!all) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    (void)madvise(all, bytes, MADV_HUGEPAGE);
#endif
    std::memset(all, 0, bytes);
  }
  ~Arrays() { std::free(all); }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;
  float* at(int i) { return reinterpret_cast<float*>(all + static_cast<size_t>(i) * each); }
  size_t each;
  std::byte* all;
};

}  // namespace

Loop read(int64_t n) {
  auto a = std::make_shared<Arrays>(size_t{1}, n);
  auto kept = std::make_shared<float>();
  return [=] { *kept += HWY_DYNAMIC_DISPATCH(read_all)(a->at(0), n); };
}

Loop copy(int64_t n) {
  auto a = std::make_shared<Arrays>(size_t{2}, n);
  return [=] { HWY_DYNAMIC_DISPATCH(copy_all)(a->at(0), a->at(1), nullptr, n, n >= kPastCaches); };
}

Loop combine(int64_t n) {
  auto a = std::make_shared<Arrays>(size_t{3}, n);
  return [=] { HWY_DYNAMIC_DISPATCH(copy_all)(a->at(0), a->at(1), a->at(2), n, n >= kPastCaches); };
}

Loop multiply_add(double flops) {
  const auto rounds =
      static_cast<int64_t>(flops / (2.0 * 20 * static_cast<double>(HWY_DYNAMIC_DISPATCH(lanes)())) + 0.999);
  auto kept = std::make_shared<float>();
  return [=] { *kept += HWY_DYNAMIC_DISPATCH(multiply_add_rounds)(rounds); };
}

}  // namespace arenascope::loops
#endif
