// SPDX-License-Identifier: MIT
// Field numbers are from trace_packet.proto and ftrace_event_bundle.proto.
#include "engine/trace/perfetto_unread.h"
#include <arenascope/base/grouped.h>

#include <fmt/format.h>
#include <algorithm>
#include <vector>

namespace arenascope::trace {

namespace {

struct PacketKind {
  uint32_t field;
  std::string_view kind;  // "": describes the trace or the machine, not what happened
};

// By field.
constexpr PacketKind kPacketKinds[] = {
    {1, "ftrace events"},
    {3, ""},
    {4, "file names"},
    {5, "Chrome events of the older format"},
    {7, "system statistics"},
    {9, "process statistics"},
    {33, ""},
    {34, ""},
    {35, ""},
    {36, ""},
    {37, "heap profiles"},
    {38, "battery counters"},
    {39, "Android log messages"},
    {40, "power rails"},
    {45, ""},
    {46, "triggers"},
    {47, "packages"},
    {48, ""},
    {49, "metrics of the tracer"},
    {51, ""},
    {52, "GPU counters"},
    {53, "GPU render stages"},
    {54, "sampled call stacks"},
    {56, "Java heap graphs"},
    {57, "frame events"},
    {61, "symbols"},
    {62, "Vulkan memory events"},
    {63, "GPU log messages"},
    {64, "deobfuscation tables"},
    {65, "Vulkan API events"},
    {66, "CPU samples"},
    {67, ""},
    {68, "memory mappings"},
    {69, ""},
    {70, "display states"},
    {71, "GPU memory totals"},
    {72, ""},
    {73, "memory snapshots"},
    {74, "heap allocations"},
    {75, "heap frees"},
    {76, "frame timelines"},
    {77, "energy estimates"},
    {78, ""},
    {83, "game interventions"},
    {84, "statsd atoms"},
    {86, "system properties"},
    {88, "network packets"},
    {89, ""},
    {90, ""},
    {91, "power states"},
    {92, "network packets"},
    {93, "layer snapshots"},
    {94, "window transactions"},
    {95, "Windows kernel events"},
    {96, "shell transitions"},
    {97, "shell transitions"},
    {98, ""},
    {99, "JavaScript code"},
    {100, "JavaScript code"},
    {101, "JavaScript code"},
    {102, "JavaScript code"},
    {103, "JavaScript code"},
    {104, "window system log messages"},
    {107, "clocks of other machines"},
    {109, "triggers"},
    {110, "modem events"},
    {111, "modem events"},
    {112, "window system traces"},
    {113, "triggers"},
    {115, "kernel wakelocks"},
    {117, "scheduling of a generic kernel"},
    {118, "CPU frequencies of a generic kernel"},
    {119, "CPU times by user"},
    {120, "renamed tasks of a generic kernel"},
    {122, "processes of a generic kernel"},
    {123, "users"},
    {124, ""},
    {125, ""},
    {126, ""},
    {127, ""},
    {128, ""},
    {129, "GPU frequencies"},
    {130, "interrupts"},
    {131, "processes of the Android runtime"},
    {132, "journal messages"},
    {133, "packets compressed with zstd"},
    {134, ""},
    {135, "sampled call stacks"},
};

// Fields of FtraceEvent about scheduling: sched_switch, sched_wakeup, sched_waking and the like.
bool is_scheduling(uint32_t field) {
  constexpr uint32_t kFields[] = {4, 17, 18, 20, 114, 237, 238, 239, 240, 241, 242, 353, 421, 487, 491, 540, 604};
  return std::find(std::begin(kFields), std::end(kFields), field) != std::end(kFields);
}

// The number of elements of a packed field of varints: each ends with a byte without the continuation bit.
int64_t packed_count(ByteSpan bytes) {
  return std::count_if(bytes.begin(), bytes.end(), [](uint8_t b) { return b < 0x80; });
}

}  // namespace

void PerfettoUnread::ftrace(ByteSpan bundle) {
  int64_t scheduling = 0, other = 0;
  WireReader in(bundle);
  while (in.next()) {
    if (in.type != WireType::Bytes) continue;
    if (in.field == 4) {  // compact_sched: switches and wakings, column by column
      WireReader columns(in.payload);
      while (columns.next())
        if ((columns.field == 1 || columns.field == 7) && columns.type == WireType::Bytes)
          scheduling += packed_count(columns.payload);
    }
    if (in.field != 2) continue;
    bool is_sched = false;
    WireReader event(in.payload);
    while (event.next()) is_sched |= event.type == WireType::Bytes && is_scheduling(event.field);
    ++(is_sched ? scheduling : other);
  }
  if (scheduling > 0) add("ftrace scheduling", "events", scheduling);
  if (other > 0) add("other ftrace events", "events", other);
}

void PerfettoUnread::packet_field(const WireReader& field) {
  const auto* known = std::find_if(std::begin(kPacketKinds), std::end(kPacketKinds),
                                   [&](const PacketKind& kind) { return kind.field == field.field; });
  if (field.field == 1)
    ftrace(field.payload);
  else if (known == std::end(kPacketKinds))
    ++unknown_[field.field];
  else if (!known->kind.empty())
    add(known->kind, "packets");
}

std::string PerfettoUnread::text() const {
  std::vector<std::pair<int64_t, std::string>> kinds;
  const auto counted = [](int64_t count, std::string_view unit) {
    if (count == 1) unit.remove_suffix(1);
    return fmt::format("{} {}", grouped(count), unit);
  };
  for (const auto& [kind, count] : counts_)
    kinds.emplace_back(count, fmt::format("{}, {}", kind.first, counted(count, kind.second)));
  for (const auto& [field, count] : unknown_)
    kinds.emplace_back(count, fmt::format("packet field {}, {}", field, counted(count, "packets")));
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  for (const auto& [count, text] : kinds) out += (out.empty() ? "" : "; ") + text;
  return out;
}

}  // namespace arenascope::trace
