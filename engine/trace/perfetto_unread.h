// SPDX-License-Identifier: MIT
// Counts what a Perfetto trace contains and no view shows, by kind.
#pragma once
#include <arenascope/trace/wire.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace arenascope::trace {

class PerfettoUnread {
 public:
  // A field of a packet that the importer does not read.
  void packet_field(const WireReader& field);
  void add(std::string_view kind, std::string_view unit, int64_t count = 1) { counts_[{kind, unit}] += count; }
  // "ftrace scheduling, 12,345 events; arguments, 7 events", the most frequent first; "" if there is nothing.
  std::string text() const;

 private:
  void ftrace(ByteSpan bundle);
  std::map<std::pair<std::string_view, std::string_view>, int64_t> counts_;
  std::map<uint32_t, int64_t> unknown_;  // packets by field
};

}  // namespace arenascope::trace
