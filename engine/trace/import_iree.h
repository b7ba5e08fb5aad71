// SPDX-License-Identifier: MIT
// Imports IREE's device profile in the form that `iree-profile export --format=ireeperf-jsonl` writes: one JSON object
// per line. Command buffers become graphs of their operations, without edges because the profile does not record buffer
// accesses. Their executions become runs, and each memory pool becomes a space.
#pragma once
#include <arenascope/trace/import.h>

namespace arenascope::trace {

bool is_iree_export(ByteSpan bytes);
bool is_iree_bundle(ByteSpan bytes);  // true for IREE's binary profile, which must be exported first
Result<OpenReport> import_iree_export(ByteSpan bytes, const std::string& name, Sink& sink);

}  // namespace arenascope::trace
