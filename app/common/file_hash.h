// SPDX-License-Identifier: GPL-3.0-or-later
// Identifies the content of an input file in reports.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include <arenascope/base/result.h>

namespace arenascope::app {

// XXH64 (Collet, xxhash.com) with seed 0, in parts of any size.
class Xxh64 {
 public:
  void add(std::span<const std::byte> bytes);
  uint64_t value() const;

 private:
  void add_stripe(const std::byte* bytes);

  static constexpr size_t kStripe = 32;
  static constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F, kPrime3 = 0x165667B19E3779F9,
                            kPrime4 = 0x85EBCA77C2B2AE63, kPrime5 = 0x27D4EB2F165667C5;
  static uint64_t round(uint64_t lane, uint64_t input);

  uint64_t lanes_[4] = {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
  std::byte pending_[kStripe] = {};
  size_t pending_size_ = 0;
  uint64_t size_ = 0;
};

// "xxh64:" and 16 hexadecimal digits, as xxhsum prints them. If the file has more than kWholeFile bytes, only the first and
// the last half of these are read, so that planning a large model stays fast: "xxh64-ends:". Error: the file cannot be read.
inline constexpr uint64_t kWholeFile = uint64_t{1} << 30;
Result<std::string> file_hash(const std::filesystem::path& file, uint64_t whole_file = kWholeFile);

}  // namespace arenascope::app
