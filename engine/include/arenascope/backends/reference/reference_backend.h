// SPDX-License-Identifier: MIT
// The reference: a slow backend that computes every op in the simplest way, in double or better, without code of
// the other backends. They are compared with it.
#pragma once
#include <memory>

#include <arenascope/runtime/backend.h>

namespace arenascope::reference {

std::unique_ptr<Backend> make_reference_backend();

}  // namespace arenascope::reference
