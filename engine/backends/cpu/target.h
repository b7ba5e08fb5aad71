// SPDX-License-Identifier: MIT
// Functions between ARENASCOPE_BEGIN_TARGET("avx2,fma") and ARENASCOPE_END_TARGET are compiled for these instruction sets.
// Include headers before: their inline functions must remain usable on every processor.
#pragma once

#define ARENASCOPE_PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define ARENASCOPE_BEGIN_TARGET(features) \
  ARENASCOPE_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define ARENASCOPE_END_TARGET ARENASCOPE_PRAGMA(clang attribute pop)
#else
#define ARENASCOPE_BEGIN_TARGET(features) ARENASCOPE_PRAGMA(GCC push_options) ARENASCOPE_PRAGMA(GCC target(features))
#define ARENASCOPE_END_TARGET ARENASCOPE_PRAGMA(GCC pop_options)
#endif
