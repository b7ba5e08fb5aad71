// SPDX-License-Identifier: MIT
// A COPY between device and host memory as a prepared node. A host thread performs it and waits for its completion.
#pragma once
#include <arenascope/runtime/backend.h>

namespace arenascope {

// `device` and the node must outlive the result.
std::unique_ptr<PreparedNode> make_transfer(Backend& device, const TensorImpl& node);

}  // namespace arenascope
