// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/program_cache.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <arenascope/base/fnv1a.h>
#include <arenascope/base/folder_entries.h>
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
  uint64_t checksum;  // checksum of key and bytes
};

uint64_t checksum(const std::string& key, const std::vector<uint8_t>& bytes) {
  return fnv1a({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, fnv1a(key));
}

}  // namespace

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
  device_ = facts.platform_name + "|" + facts.name + "|" + facts.version + "|" + facts.driver;
  folder_ = fmt::format("{}/{:016x}", folder, fnv1a(device_));
}

std::string ProgramCache::path(const std::string& name, const std::string& key) const {
  return fmt::format("{}/{}-{:016x}.bin", folder_, name, fnv1a(key));
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

namespace {

// A valid file name in an archive: it must not leave the folder.
bool is_plain_name(std::string_view name) {
  return name.size() < 256 && name.ends_with(".bin") && name.front() != '.' && name.find('/') == name.npos;
}

void put_number(std::vector<uint8_t>& out, uint64_t n) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<uint8_t>(n >> 8 * i));
}
void put_bytes(std::vector<uint8_t>& out, std::string_view bytes) {
  put_number(out, bytes.size());
  out.insert(out.end(), bytes.begin(), bytes.end());
}
std::optional<std::string_view> take_bytes(std::string_view& in) {
  if (in.size() < 8) return std::nullopt;
  uint64_t size = 0;
  for (size_t i = 0; i < 8; ++i) size |= uint64_t{static_cast<uint8_t>(in[i])} << 8 * i;
  if (size > in.size() - 8) return std::nullopt;
  const std::string_view bytes = in.substr(8, size);
  in.remove_prefix(8 + size);
  return bytes;
}

std::string archive_key(const std::string& device) { return "arenascope's cache of an OpenCL device|" + device; }

}  // namespace

Status ProgramCache::export_to(const std::string& file) const {
  if (folder_.empty()) return Error{"cannot export: no cache folder is set"};
  std::vector<uint8_t> all;
  std::error_code error;
  for (const fs::directory_entry& entry : folder_entries(folder_)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file(error) || !is_plain_name(name)) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    put_bytes(all, name);
    put_bytes(all, bytes);
  }
  if (all.empty()) return Error{"cannot export: the cache is empty"};
  const std::string whole = fs::absolute(file, error).string();
  return write_checked(whole, archive_key(device_), all) ? Status() : Error{fmt::format("cannot write '{}'", file)};
}

Status ProgramCache::import_from(const std::string& file) const {
  if (folder_.empty()) return Error{"cannot import: no cache folder is set"};
  bool damaged = false;
  const auto bytes = read_checked(file, archive_key(device_), damaged);
  if (!bytes)
    return Error{damaged ? fmt::format("'{}' is not a cache of this device and driver, or it is damaged", file)
                         : fmt::format("cannot read '{}'", file)};
  std::string_view rest(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  std::error_code error;
  fs::create_directories(folder_, error);
  while (!rest.empty()) {
    const auto name = take_bytes(rest), content = name ? take_bytes(rest) : std::nullopt;
    if (!content || name->empty() || !is_plain_name(*name)) return Error{fmt::format("'{}' is damaged", file)};
    std::ofstream out(fs::path(folder_) / *name, std::ios::binary);
    if (!out.write(content->data(), static_cast<std::streamsize>(content->size())))
      return Error{fmt::format("cannot write the contents of '{}' to {}", file, folder_)};
  }
  return {};
}

}  // namespace arenascope::opencl
