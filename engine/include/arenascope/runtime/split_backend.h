// SPDX-License-Identifier: MIT
// One backend out of a device's and the host's, for a graph that is partitioned over both.
#pragma once
#include <memory>

#include <arenascope/runtime/backend.h>
#include <arenascope/transform/partition.h>

namespace arenascope {

// Computes a partitioned graph: nodes with Placement::Host on `host` with `threads` threads, the others on `device`, and
// COPY nodes between both. It is the device's backend for everything else. Errors: the system refuses threads.
Result<std::unique_ptr<Backend>> make_split_backend(std::shared_ptr<Backend> device, std::shared_ptr<Backend> host,
                                                    int threads);

}  // namespace arenascope
