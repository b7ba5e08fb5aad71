// SPDX-License-Identifier: MIT
#include "engine/bench/peers.h"

namespace arenascope::cpu_bench {

Peer read_loop(int64_t) { return {}; }
Peer copy_loop(int64_t) { return {}; }
Peer combine_loop(int64_t) { return {}; }
Peer multiply_add_loop(double) { return {}; }

}  // namespace arenascope::cpu_bench
