// SPDX-License-Identifier: MIT
// Statistics that allocators reported, summed by memory kind.
#include <fmt/format.h>

#include <map>

#include "engine/audit/writer.h"

namespace arenascope::audit {

void audit_allocators(const Raw& raw, Writer& out) {
  struct Sum {
    int64_t hits = 0, misses = 0;
    Bytes cached = 0, waste = 0, largest = 0, deferred = 0;
    std::map<int32_t, Bytes> streams;
  };
  std::map<std::string, Sum> kinds;
  for (const auto& [allocator, state] : raw.allocator_states) {
    const auto kind = raw.allocator_kinds.find(allocator);
    if (kind == raw.allocator_kinds.end()) continue;
    Sum& sum = kinds[kind->second];
    sum.hits += state.hits;
    sum.misses += state.misses;
    sum.cached += state.cached;
    sum.waste += state.waste;
    sum.largest += state.largest_free;
    for (const trace::StreamState& stream : state.streams) {
      sum.deferred += stream.deferred;
      sum.streams[stream.stream] += stream.deferred;
    }
  }
  for (const auto& [kind, sum] : kinds) {
    const std::string id = "kind." + kind + ".";
    out.count(id + "hits", sum.hits);
    out.count(id + "misses", sum.misses);
    out.bytes(id + "cached", sum.cached);
    out.bytes(id + "waste", sum.waste);
    if (sum.cached > 0)
      out.share(id + "fragmentation", 1 - static_cast<double>(sum.largest) / static_cast<double>(sum.cached));
    out.bytes(id + "deferred", sum.deferred);
    for (const auto& [stream, bytes] : sum.streams) out.bytes(fmt::format("{}stream.{}.deferred", id, stream), bytes);
  }
}

}  // namespace arenascope::audit
