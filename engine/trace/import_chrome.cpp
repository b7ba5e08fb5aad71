// SPDX-License-Identifier: MIT
#include <arenascope/trace/import.h>

#include <new>

#include "engine/trace/chrome_collector.h"

namespace arenascope::trace {

namespace {

constexpr LeftOut::Category kDroppedMember{"member of an event with more than 4,096 of them",
                                           "members of events with more than 4,096 of them", "not read"};

void describe_allocators(const ProfiledMemory& memory, Sink& sink) {
  sink.describe(DeviceInfo{DeviceId(0), memory.name_of(0), "", "", 0, true});
  sink.describe(AllocatorInfo{0, memory.name_of(0), MemoryKind::HostPageable, DeviceId(0)});
  for (uint32_t d = 1; d <= memory.devices(); ++d) {
    sink.describe(DeviceInfo{DeviceId(size_t{d}), memory.name_of(d), "", "", 0});
    sink.describe(AllocatorInfo{d, memory.name_of(d), MemoryKind::Default, DeviceId(size_t{d})});
  }
}

Result<OpenReport> import_events(std::string_view text, const std::string& name, Sink& sink) {
  ChromeCollector collector;
  const JsonScan scan = scan_json_list(text, "traceEvents", [&](const JsonRecord& event) { collector.add(event); });
  const std::string damage = "the JSON is truncated or malformed at byte " + std::to_string(scan.position);
  if (collector.events == 0)
    return Error{name + ": " + (scan.complete ? "the JSON file contains no trace events" : damage) + "."};
  if (scan.names.contains("samples"))
    scan_json_list(text, "samples", [&](const JsonRecord&) { collector.add_sample(); });
  collector.left_out.add(kDroppedMember, scan.dropped);
  if (!scan.complete) collector.left_out.add(damage + ", everything before it was read", Severity::Warning);
  collector.finish();
  OpenReport report{TraceKind::ChromeJson, collector.nodes.empty() ? "Chrome trace" : "ONNX Runtime profile", ""};
  collector.left_out.put(name, report, collector.builder);
  const std::vector<size_t> tracks = collector.nodes.add_tracks(collector.builder);
  collector.builder.describe(sink);
  describe_allocators(collector.allocators(), sink);
  collector.nodes.replay(name, tracks, sink);
  sink.describe(SourceInfo{report.format, collector.events});
  collector.builder.finish(sink);
  return report;
}

}  // namespace

Result<OpenReport> import_chrome_json(ByteSpan bytes, const std::string& name, Sink& sink) {
  try {
    return import_events({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name, sink);
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while reading the file."};
  }
}

}  // namespace arenascope::trace
