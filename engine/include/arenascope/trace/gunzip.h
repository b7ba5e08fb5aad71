// SPDX-License-Identifier: MIT
// Decompression of files and packets of traces.
#pragma once
#include <arenascope/base/result.h>

#include <cstdint>
#include <span>
#include <string>

namespace arenascope::trace {

inline bool is_gzip(std::span<const uint8_t> b) { return b.size() > 2 && b[0] == 0x1f && b[1] == 0x8b; }

inline constexpr size_t kMaxDecompressed = size_t{4} << 30;

// The contents of a gzip or zlib stream. At most `largest` bytes, and at most 64 MiB and 64 times the input: traces
// compress to between a tenth and a thirtieth, and input that expands far more is made to exhaust memory. Errors: more
// than that, corrupt or truncated, or no zlib in this build.
Result<std::string> gunzip(std::span<const uint8_t> bytes, const std::string& name, size_t largest = kMaxDecompressed);

}  // namespace arenascope::trace
