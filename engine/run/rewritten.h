// SPDX-License-Identifier: MIT
// The model's graph after all rewrite rules, with what its new leafs are made of.
#pragma once
#include <arenascope/run/compile.h>

namespace arenascope {

// Errors: no memory.
Status rewrite_program(Program& program, const models::Model& model, const Backend& backend,
                       const CompileOptions& options);

}  // namespace arenascope
