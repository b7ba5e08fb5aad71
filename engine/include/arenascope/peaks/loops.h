// SPDX-License-Identifier: MIT
// Loops that measure the machine's limits, with the widest vectors of the processor. Empty functions in a build without
// Highway.
#pragma once
#include <cstdint>
#include <functional>

namespace arenascope::loops {

using Loop = std::function<void()>;

// Over own arrays of n floats. The number of bytes is 4·n written and 4·n read per source.
Loop read(int64_t n);
Loop copy(int64_t n);             // widest loads, and non-temporal stores for large arrays
Loop combine(int64_t n);          // a[i] + b[i], likewise
Loop multiply_add(double flops);  // at least this many per call

}  // namespace arenascope::loops
