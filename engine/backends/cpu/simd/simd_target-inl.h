// SPDX-License-Identifier: MIT
// Shared by the files that Highway compiles once per target: float vectors, and the macro that turns a file's `void
// fill(Simd& table, bool past)` into a function that dispatches to the best target. Include it after highway.h, and end
// the file with ARENASCOPE_FILL_BY_TARGET(name of that function).
#if defined(ARENASCOPE_SIMD_TARGET_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARENASCOPE_SIMD_TARGET_INL_H
#undef ARENASCOPE_SIMD_TARGET_INL_H
#else
#define ARENASCOPE_SIMD_TARGET_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "engine/backends/cpu/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace arenascope::cpu::HWY_NAMESPACE {
namespace floats {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
[[maybe_unused]] constexpr D d;
inline int64_t lanes() { return static_cast<int64_t>(hn::Lanes(d)); }

}  // namespace floats
}  // namespace arenascope::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#undef ARENASCOPE_FILL_BY_TARGET
#if HWY_ONCE
#define ARENASCOPE_FILL_BY_TARGET(name)                                          \
  namespace arenascope::cpu {                                                    \
  HWY_EXPORT(fill);                                                              \
  void name(Simd& table, bool past) { HWY_DYNAMIC_DISPATCH(fill)(table, past); } \
  }
#else
#define ARENASCOPE_FILL_BY_TARGET(name)
#endif

#endif
