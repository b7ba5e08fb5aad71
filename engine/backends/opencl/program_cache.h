// SPDX-License-Identifier: MIT
// Compiled programs on disk, one file each, in a folder of the device and driver. A file holds a header with the key
// (source and options) and a checksum; one that does not check is as good as none.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <arenascope/base/result.h>
#include "engine/backends/opencl/device_info.h"

namespace arenascope::opencl {

// FNV-1a, 64 bits.
uint64_t hash_text(std::string_view text, uint64_t seed = 0xCBF29CE484222325u);

// $XDG_CACHE_HOME/arenascope/opencl, or ~/.cache/…; "" where there is neither.
std::string user_cache_folder();

// Whole files with a checksum, written beside and renamed, so that none is ever read half written.
std::optional<std::vector<uint8_t>> read_checked(const std::string& path, const std::string& key, bool& damaged);
bool write_checked(const std::string& path, const std::string& key, const std::vector<uint8_t>& bytes);

class ProgramCache {
 public:
  // `folder` "": the user's. Nothing is made before something is stored.
  ProgramCache(std::string folder, const DeviceFacts& facts);
  // Where this device's files lie; "" without a folder.
  const std::string& folder() const { return folder_; }

  // A program's binary for this key; sets `damaged` when there is a file that cannot be used.
  std::optional<std::vector<uint8_t>> load(const std::string& name, const std::string& key, bool& damaged) const;
  void store(const std::string& name, const std::string& key, const std::vector<uint8_t>& binary) const;

  // All of this device's files, tuning results too, as one file, and back. Errors: no folder, a file of another device or
  // driver, a damaged one, one that cannot be written.
  Status export_to(const std::string& file) const;
  Status import_from(const std::string& file) const;

 private:
  std::string path(const std::string& name, const std::string& key) const;
  std::string folder_, device_;
};

}  // namespace arenascope::opencl
