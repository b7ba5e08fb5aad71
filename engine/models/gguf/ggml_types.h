// SPDX-License-Identifier: MIT
// The tensor types of ggml (enum ggml_type in ggml.h). Types with kernels are used as stored. The others are loaded as the
// smallest DType that holds their values exactly.
#pragma once
#include "engine/models/stored_type.h"

namespace arenascope::models {

// The type with this code; null: ggml has no such type, or has removed it.
const StoredType* ggml_type(int64_t code);

}  // namespace arenascope::models
