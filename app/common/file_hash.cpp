// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/file_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include <fmt/format.h>

namespace arenascope::app {
namespace {

Status hash_range(std::ifstream& file, uint64_t begin, uint64_t end, XXH64_state_t& hash) {
  std::vector<char> buffer(size_t{1} << 20);
  file.seekg(static_cast<std::streamoff>(begin));
  while (begin < end) {
    const uint64_t part = std::min<uint64_t>(end - begin, buffer.size());
    if (!file.read(buffer.data(), static_cast<std::streamsize>(part)))
      return Error{"the file became shorter while it was read"};
    XXH64_update(&hash, buffer.data(), part);
    begin += part;
  }
  return {};
}

}  // namespace

Result<std::string> file_hash(const std::filesystem::path& file, uint64_t whole_file) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(file, error);
  std::ifstream in(file, std::ios::binary);
  if (error || !in) return Error{fmt::format("{}: the file cannot be read", file.string())};
  XXH64_state_t hash;
  XXH64_reset(&hash, 0);
  const bool whole = size <= whole_file;
  const uint64_t head = whole ? size : whole_file / 2;
  Status read = hash_range(in, 0, head, hash);
  if (read.ok() && !whole) read = hash_range(in, size - whole_file / 2, size, hash);
  if (!read.ok()) return Error{fmt::format("{}: {}", file.string(), read.error().message)};
  return fmt::format("{}:{:016x}", whole ? "xxh64" : "xxh64-ends", XXH64_digest(&hash));
}

}  // namespace arenascope::app
