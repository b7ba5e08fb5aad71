// SPDX-License-Identifier: MIT
// A COPY between a device's memory and the host's as a node that is computed: on a thread of the host, which waits until
// it is done.
#pragma once
#include <arenascope/runtime/backend.h>

namespace arenascope {

// `device` and the node outlive it.
std::unique_ptr<PreparedNode> make_transfer(Backend& device, const TensorImpl& node);

}  // namespace arenascope
