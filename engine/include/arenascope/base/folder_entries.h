// SPDX-License-Identifier: MIT
// The entries of a folder without exceptions: a loop over std::filesystem::directory_iterator throws if it cannot be
// incremented.
#pragma once
#include <filesystem>
#include <system_error>
#include <vector>

namespace arenascope {

// In no particular order. A folder that cannot be read, or not to its end, has the entries that were read.
inline std::vector<std::filesystem::directory_entry> folder_entries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::directory_entry> entries;
  std::error_code error;
  const std::filesystem::directory_iterator end;
  for (std::filesystem::directory_iterator at(folder, error); !error && at != end; at.increment(error))
    entries.push_back(*at);
  return entries;
}

}  // namespace arenascope
