// SPDX-License-Identifier: MIT
// Applies all rewrite rules to a program's graph and collects the weights of new leaf tensors.
#pragma once
#include <arenascope/run/compile.h>

namespace arenascope {

// Errors: out of memory.
Status rewrite_program(Program& program, const models::Model& model, const Backend& backend,
                       const CompileOptions& options);

}  // namespace arenascope
