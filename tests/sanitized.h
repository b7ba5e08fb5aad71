// SPDX-License-Identifier: MIT
// True if the program was built with a sanitizer: it then takes several times as long, and as much memory.
#pragma once

namespace arenascope::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace arenascope::test
