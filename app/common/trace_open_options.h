// SPDX-License-Identifier: GPL-3.0-or-later
// Options with which the programs open recordings and traces.
#pragma once
#include <arenascope/memory/available_memory.h>
#include <arenascope/trace/import.h>

#include <algorithm>

namespace arenascope::app {

// A compressed trace may use a quarter of the free memory, because its imported data needs several times that.
inline trace::OpenOptions trace_open_options() {
  trace::OpenOptions options;
  const auto share = static_cast<size_t>(available_memory().bytes / 4);
  options.largest_unpacked = std::min(options.largest_unpacked, share);
  return options;
}

}  // namespace arenascope::app
