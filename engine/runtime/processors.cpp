// SPDX-License-Identifier: MIT
#include <arenascope/runtime/processors.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include <sched.h>

namespace arenascope {
namespace {

// "QUOTA PERIOD" or "max PERIOD".
std::optional<double> read_max(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string quota_text;
  double period = 0;
  if (!(in >> quota_text >> period) || quota_text == "max" || !(period > 0)) return std::nullopt;
  const double quota = std::atof(quota_text.c_str()) / period;
  return quota > 0 ? std::optional(quota) : std::nullopt;
}

std::optional<double> read_v1(const std::filesystem::path& folder) {
  std::ifstream quota_file(folder / "cpu.cfs_quota_us"), period_file(folder / "cpu.cfs_period_us");
  double quota = -1, period = 0;
  if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

// The folder of a group and its ancestors, up to the root.
template <class Read>
void climb(const std::filesystem::path& root, const std::string& group, Read&& read) {
  std::filesystem::path at = std::filesystem::path(group).lexically_normal().relative_path();
  while (true) {
    read(at.empty() ? root : root / at);
    if (at.empty()) return;
    at = at.parent_path();
  }
}

}  // namespace

std::optional<double> processor_quota(const std::filesystem::path& root, const std::string& own) {
  std::optional<double> minimum;
  const auto note = [&minimum](std::optional<double> quota) {
    if (quota && (!minimum || *quota < *minimum)) minimum = quota;
  };
  // In a container the group of the container is often mounted as the root.
  note(read_max(root / "cpu.max"));
  for (const char* controller : {"cpu", "cpu,cpuacct"}) note(read_v1(root / controller));
  std::istringstream lines(own);
  for (std::string line; std::getline(lines, line);) {  // "ID:CONTROLLERS:GROUP"
    const size_t first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (group.find("..") != std::string::npos) continue;  // outside the mounted hierarchy
    if (controllers.empty()) {
      climb(root, group, [&](const std::filesystem::path& folder) { note(read_max(folder / "cpu.max")); });
    } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      for (const std::string& mounted : {controllers, std::string("cpu")})
        climb(root / mounted, group, [&](const std::filesystem::path& folder) { note(read_v1(folder)); });
    }
  }
  return minimum;
}

int usable_processors() {
  int count = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
  std::ifstream file("/proc/self/cgroup");
  const std::string own{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (const auto quota = processor_quota("/sys/fs/cgroup", own))
    count = std::min(count, static_cast<int>(std::ceil(*quota)));
  return std::max(count, 1);
}

}  // namespace arenascope
