// SPDX-License-Identifier: MIT
#include "engine/peaks/bandwidth_arrays.h"

#include <arenascope/base/round_up.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <string>

namespace arenascope {

namespace {

constexpr Bytes kDefaultTotal = Bytes{512} << 20, kMinTotal = Bytes{64} << 20, kPage = 4096;

std::string line_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// "32768K"; 0: malformed.
Bytes cache_size(const std::string& text) {
  Bytes number = 0;
  size_t i = 0;
  for (; i < text.size() && i < 9 && text[i] >= '0' && text[i] <= '9'; ++i) number = number * 10 + (text[i] - '0');
  const std::string unit = text.substr(i);
  return unit == "K" ? number << 10 : unit == "M" ? number << 20 : unit.empty() ? number : 0;
}

}  // namespace

Bytes cache_bytes(const std::vector<int>& processors, int threads, const std::filesystem::path& root) {
  std::map<std::string, std::map<std::string, Bytes>> levels;  // level to the processors of each cache to its size
  for (const int processor : processors)
    for (int index = 0;; ++index) {
      const auto folder = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(processor)) / "cache" /
                          ("index" + std::to_string(index));
      const std::string level = line_of(folder / "level");
      if (level.empty()) break;
      if (line_of(folder / "type") == "Instruction") continue;
      levels[level][line_of(folder / "shared_cpu_list")] = cache_size(line_of(folder / "size"));
    }
  Bytes sum = 0;
  for (const auto& [level, caches] : levels) {
    std::vector<Bytes> sizes;
    for (const auto& [sharing, size] : caches) sizes.push_back(size);
    std::ranges::sort(sizes, std::greater<>());
    sizes.resize(std::min(sizes.size(), static_cast<size_t>(threads)));
    sum = std::accumulate(sizes.begin(), sizes.end(), sum);
  }
  return sum;
}

Result<Bytes> array_bytes(int threads, Bytes caches, const AvailableMemory& available) {
  const Bytes least = std::max(4 * caches, kMinTotal);
  const Bytes total = std::max(least, std::min(kDefaultTotal, available.bytes / 2));
  if (const Status fits = check_available("a measurement of the memory bandwidth", total, available); !fits.ok())
    return fits.error();
  return round_up((total + threads - 1) / threads, kPage);
}

}  // namespace arenascope
