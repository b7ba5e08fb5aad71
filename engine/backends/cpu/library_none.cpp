// SPDX-License-Identifier: MIT
#include <arenascope/backends/cpu/library.h>

namespace arenascope::cpu {

bool library_present() { return false; }

bool library_product(Range, Range, int64_t, const Lines&, const Lines&, float*, int64_t) { return false; }

}  // namespace arenascope::cpu
