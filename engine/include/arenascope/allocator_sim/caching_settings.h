// SPDX-License-Identifier: MIT
// How PyTorch's caching allocator of a device is set up: the settings of PYTORCH_CUDA_ALLOC_CONF that decide which
// memory it takes and how it cuts it (PyTorch's documentation, "CUDA semantics", memory management).
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace arenascope::allocator_sim {

struct CachingSettings {
  static constexpr Bytes kMiB = Bytes{1} << 20, kNoLimit = INT64_MAX;
  static constexpr size_t kIntervals = 16;  // of sizes: up to 2 MiB, up to 4 MiB, … up to 64 GiB and above

  Bytes max_split_size = kNoLimit;          // a block for this much or more is never split
  double garbage_collection_threshold = 0;  // share of device_memory above which unused segments are released; 0: never
  bool expandable_segments = false;         // one growing segment per pool and stream
  std::array<int32_t, kIntervals> roundup_power2_divisions{};  // by interval; 0: sizes are not rounded by it
  Bytes device_memory = 0;                                     // of the device; 0: unlimited

  bool operator==(const CachingSettings&) const = default;

  // The block size for a request of at least 1 byte, before a remainder is split off.
  Bytes rounded(Bytes asked) const;
};

// `text` in the form of the variable: "max_split_size_mb:128,expandable_segments:True", "roundup_power2_divisions:
// [256:1,512:2,>:4]"; settings that it omits are as in `base`. An error names the setting.
Result<CachingSettings> parse_caching_settings(std::string_view text, const CachingSettings& base);

// Inverse of the parser; "defaults" if all settings have their defaults. The device's memory is not included.
std::string to_string(const CachingSettings& settings);

}  // namespace arenascope::allocator_sim
