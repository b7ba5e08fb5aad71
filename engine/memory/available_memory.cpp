// SPDX-License-Identifier: MIT
#include <arenascope/memory/available_memory.h>

#include <arenascope/base/format_bytes.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace arenascope {
namespace {

namespace fs = std::filesystem;

// The first number of the text; kUnknownMemory where there is none, as in "max", or it is too large to be a limit.
Bytes number_in(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return kUnknownMemory;
  uint64_t value = 0;
  const auto read = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  constexpr uint64_t kNoLimit = uint64_t{1} << 62;  // version 1 writes a number near 2^63 for it
  return read.ec == std::errc() && value < kNoLimit ? static_cast<Bytes>(value) : kUnknownMemory;
}

std::string first_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// Reads a file with lines "KEY VALUE".
Bytes value_of(const fs::path& path, std::string_view key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) return number_in(std::string_view(line).substr(key.size()));
  return kUnknownMemory;
}

Bytes kibibytes(Bytes count) { return count > kUnknownMemory / 1024 ? kUnknownMemory : count * 1024; }

// A limit, what is used of it, and what of that are pages of files that the kernel can drop.
AvailableMemory left_of(Bytes limit, Bytes used, Bytes droppable, const char* source) {
  if (limit == kUnknownMemory || used == kUnknownMemory) return {};
  const Bytes kept = droppable == kUnknownMemory ? used : std::max<Bytes>(used - droppable, 0);
  return {std::max<Bytes>(limit - kept, 0), limit, source};
}

AvailableMemory lesser(const AvailableMemory& a, const AvailableMemory& b) { return b.bytes < a.bytes ? b : a; }

// The process's group in a hierarchy, from /proc/self/cgroup: "0::/user.slice" (version 2), "9:memory:/docker/1" (version 1).
std::string group_of(const fs::path& root, bool version_2) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool right =
        version_2 ? line.starts_with("0::") : ("," + controllers + ",").find(",memory,") != std::string::npos;
    if (right) return line.substr(second + 1);
  }
  return {};
}

// A limit of any group above holds too.
AvailableMemory cgroup_memory(const fs::path& root, bool version_2) {
  const std::string group = group_of(root, version_2);
  if (group.empty()) return {};
  const fs::path top = root / (version_2 ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
  AvailableMemory least;
  for (fs::path at = fs::path(group).lexically_normal().relative_path();; at = at.parent_path()) {
    const fs::path folder = at.empty() || *at.begin() == ".." ? top : top / at;
    const Bytes limit = number_in(first_line(folder / (version_2 ? "memory.max" : "memory.limit_in_bytes")));
    const Bytes used = number_in(first_line(folder / (version_2 ? "memory.current" : "memory.usage_in_bytes")));
    const Bytes files = value_of(folder / "memory.stat", version_2 ? "inactive_file " : "total_inactive_file ");
    least = lesser(least, left_of(limit, used, files, "cgroup limit"));
    if (folder == top) return least;
  }
}

}  // namespace

AvailableMemory available_memory(const fs::path& root, Bytes address_limit) {
  AvailableMemory least;
  least.bytes = kibibytes(value_of(root / "proc/meminfo", "MemAvailable:"));
  least.limit = kibibytes(value_of(root / "proc/meminfo", "MemTotal:"));
  least.source = "memory of the machine";
  least = lesser(least, cgroup_memory(root, true));
  least = lesser(least, cgroup_memory(root, false));
  if (address_limit == kUnknownMemory) return least;
  const Bytes addresses = kibibytes(value_of(root / "proc/self/status", "VmSize:"));
  return lesser(least, left_of(address_limit, addresses, 0, "address-space limit"));
}

AvailableMemory available_memory() { return available_memory("/", address_space_limit()); }

Bytes address_space_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      limit.rlim_cur >= static_cast<rlim_t>(kUnknownMemory))
    return kUnknownMemory;
  return static_cast<Bytes>(limit.rlim_cur);
}

bool addresses_left(Bytes bytes) {
  if (address_space_limit() == kUnknownMemory) return true;
  const auto size = static_cast<size_t>(bytes);
  void* const range = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return range != MAP_FAILED && munmap(range, size) == 0;
}

Status check_available(const std::string& what, Bytes needed, const AvailableMemory& available) {
  if (needed <= available.bytes) return {};
  std::string all;
  if (available.limit != kUnknownMemory) all = fmt::format(", {} in all", format_bytes(available.limit));
  return Error{fmt::format("{} needs {} of memory, and {} are free ({}{})", what, format_bytes(needed),
                           format_bytes(available.bytes), available.source, all)};
}

}  // namespace arenascope
