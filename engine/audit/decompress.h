// SPDX-License-Identifier: MIT
// gzip and zlib, as far as a trace may come in them.
#pragma once
#include <arenascope/base/result.h>

#include "engine/audit/raw_events.h"

namespace arenascope::audit {

inline bool is_gzip(ByteSpan bytes) { return bytes.size() > 2 && bytes[0] == 0x1f && bytes[1] == 0x8b; }

// The plain bytes; refused beyond kLargestUnpacked, where broken, and where this build has no zlib.
inline constexpr size_t kLargestUnpacked = size_t{4} << 30;
Result<std::string> unpack(ByteSpan bytes, const std::string& name);

}  // namespace arenascope::audit
