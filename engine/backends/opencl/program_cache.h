// SPDX-License-Identifier: MIT
// Compiled programs on disk, one file each, in a folder per device and driver. A file has a header with the key (source
// and options) and a checksum; an invalid file is ignored.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <arenascope/base/result.h>
#include "engine/backends/opencl/device_info.h"

namespace arenascope::opencl {

// $XDG_CACHE_HOME/arenascope/opencl, or ~/.cache/…; empty if neither is set.
std::string user_cache_folder();

// Files with a checksum, written to a temporary file and renamed, so that no partial file is ever read.
std::optional<std::vector<uint8_t>> read_checked(const std::string& path, const std::string& key, bool& damaged);
bool write_checked(const std::string& path, const std::string& key, const std::vector<uint8_t>& bytes);

class ProgramCache {
 public:
  // `folder` "": the user's cache folder. It is created on the first store.
  ProgramCache(std::string folder, const DeviceFacts& facts);
  // Folder of this device's files; empty without a cache folder.
  const std::string& folder() const { return folder_; }

  // A program's binary for this key; sets `damaged` if there is an unusable file.
  std::optional<std::vector<uint8_t>> load(const std::string& name, const std::string& key, bool& damaged) const;
  void store(const std::string& name, const std::string& key, const std::vector<uint8_t>& binary) const;

  // All files of this device, tuning results included, as one archive, and back. Errors: no folder, an archive of
  // another device or driver, a damaged one, write errors.
  Status export_to(const std::string& file) const;
  Status import_from(const std::string& file) const;

 private:
  std::string path(const std::string& name, const std::string& key) const;
  std::string folder_, device_;
};

}  // namespace arenascope::opencl
