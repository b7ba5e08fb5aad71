// SPDX-License-Identifier: MIT
#include <arenascope/trace/info.h>

#include <fmt/format.h>

namespace arenascope::trace {

std::string sentence(const TuningInfo& n) {
  std::string out = fmt::format("{} over {}", n.kernel, n.sizes);
  out +=
      n.way ? fmt::format(": way {}", *n.way) : fmt::format(": groups of {}x{}x{}", n.local[0], n.local[1], n.local[2]);
  out += n.tried > 0 ? fmt::format(", the fastest of {} ({:.4g} ms)", n.tried, n.seconds * 1e3) : ", by rule";
  out += fmt::format(", level {}", n.level);
  if (n.remembered) out += ", remembered";
  return out;
}

}  // namespace arenascope::trace
