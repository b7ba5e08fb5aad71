// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/program_cache.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace arenascope::opencl {
namespace {

namespace fs = std::filesystem;
constexpr char kMagic[8] = {'A', 'S', 'C', 'L', 'B', 'I', 'N', '1'};
constexpr uint64_t kLargest = uint64_t{1} << 30;

struct Header {
  char magic[8];
  uint64_t key_bytes;
  uint64_t bytes;
  uint64_t checksum;  // of key and bytes
};

uint64_t checksum(const std::string& key, const std::vector<uint8_t>& bytes) {
  return hash_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, hash_text(key));
}

}  // namespace

uint64_t hash_text(std::string_view text, uint64_t h) {
  for (char c : text) h = (h ^ static_cast<uint8_t>(c)) * 0x100000001B3u;
  return h;
}

std::string user_cache_folder() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg == '/')
    return std::string(xdg) + "/arenascope/opencl";
  if (const char* home = std::getenv("HOME"); home && *home == '/')
    return std::string(home) + "/.cache/arenascope/opencl";
  return "";
}

std::optional<std::vector<uint8_t>> read_checked(const std::string& path, const std::string& key, bool& damaged) {
  damaged = false;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  damaged = true;
  Header header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.key_bytes != key.size() ||
      header.bytes > kLargest)
    return std::nullopt;
  std::string stored(key.size(), '\0');
  std::vector<uint8_t> bytes(header.bytes);
  if (!file.read(stored.data(), static_cast<std::streamsize>(stored.size())) || stored != key ||
      !file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())) ||
      checksum(key, bytes) != header.checksum)
    return std::nullopt;
  damaged = false;
  return bytes;
}

bool write_checked(const std::string& path, const std::string& key, const std::vector<uint8_t>& bytes) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error) return false;
  const std::string beside = fmt::format("{}.{}.new", path, ::getpid());
  Header header{{}, key.size(), bytes.size(), checksum(key, bytes)};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  {
    std::ofstream file(beside, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.write(key.data(), static_cast<std::streamsize>(key.size()));
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) {
      fs::remove(beside, error);
      return false;
    }
  }
  fs::rename(beside, path, error);
  return !error;
}

ProgramCache::ProgramCache(std::string folder, const DeviceFacts& facts) {
  if (folder == "none") return;
  if (folder.empty()) folder = user_cache_folder();
  if (folder.empty()) return;
  const std::string device = facts.platform_name + "|" + facts.name + "|" + facts.version + "|" + facts.driver;
  folder_ = fmt::format("{}/{:016x}", folder, hash_text(device));
}

std::string ProgramCache::path(const std::string& name, const std::string& key) const {
  return fmt::format("{}/{}-{:016x}.bin", folder_, name, hash_text(key));
}

std::optional<std::vector<uint8_t>> ProgramCache::load(const std::string& name, const std::string& key,
                                                       bool& damaged) const {
  damaged = false;
  if (folder_.empty()) return std::nullopt;
  return read_checked(path(name, key), key, damaged);
}

void ProgramCache::store(const std::string& name, const std::string& key, const std::vector<uint8_t>& binary) const {
  if (!folder_.empty()) write_checked(path(name, key), key, binary);
}

}  // namespace arenascope::opencl
