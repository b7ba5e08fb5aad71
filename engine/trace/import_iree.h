// SPDX-License-Identifier: MIT
// IREE's device profile as `iree-profile export --format=ireeperf-jsonl` writes it: a JSON object a line. Command buffers become
// graphs of their operations (which buffers these read and write is not told, so there are no edges), their executions runs,
// and each pool of memory a space with what lay where and when.
#pragma once
#include <arenascope/trace/import.h>

namespace arenascope::trace {

bool is_iree_export(ByteSpan bytes);
bool is_iree_bundle(ByteSpan bytes);  // what the export is made from, which is not read
Result<OpenReport> import_iree_export(ByteSpan bytes, const std::string& name, Sink& sink);

}  // namespace arenascope::trace
