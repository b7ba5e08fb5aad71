// SPDX-License-Identifier: MIT
#include "engine/runtime/machine.h"

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <sched.h>

namespace arenascope {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (!line.starts_with("model name") || colon == std::string::npos || colon + 2 > line.size()) continue;
    return line.substr(colon + 2);
  }
  return {};
}

std::vector<int32_t> allowed_processors() {
  std::vector<int32_t> out;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return out;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &allowed)) out.push_back(i);
  return out;
}

std::string build_text() {
#ifdef NDEBUG
  const char* assertions = "";
#else
  const char* assertions = ", with assertions";
#endif
  return fmt::format("arenascope {}, {}{}", ARENASCOPE_VERSION_TEXT, __VERSION__, assertions);
}

double machine_load() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : -1;
}

}  // namespace arenascope
