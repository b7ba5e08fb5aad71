// SPDX-License-Identifier: MIT
// The yardstick: a slow backend that computes every op in the plainest way, in double or better, with none of the
// other backends' code. Others are compared with it.
#pragma once
#include <memory>

#include <arenascope/runtime/backend.h>

namespace arenascope::reference {

std::unique_ptr<Backend> make_reference_backend();

}  // namespace arenascope::reference
