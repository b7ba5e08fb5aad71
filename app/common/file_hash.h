// SPDX-License-Identifier: GPL-3.0-or-later
// Identifies the content of an input file in reports.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include <arenascope/base/result.h>

namespace arenascope::app {

// XXH64 (xxhash.com) with seed 0: "xxh64:" and 16 hexadecimal digits, as xxhsum prints them. If the file has more than
// `whole_file` bytes, only the first and the last half of these are read, so that planning a large model stays fast:
// "xxh64-ends:". Error: the file cannot be read.
inline constexpr uint64_t kWholeFile = uint64_t{1} << 30;
Result<std::string> file_hash(const std::filesystem::path& file, uint64_t whole_file = kWholeFile);

}  // namespace arenascope::app
