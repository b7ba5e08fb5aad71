// SPDX-License-Identifier: MIT
// Imports the track events of a Perfetto trace: slices, instants, counters and states.
#include <arenascope/trace/import.h>
#include "engine/trace/left_out.h"
#include "engine/trace/perfetto_packets.h"
#include "engine/trace/saturate.h"

#include <fmt/format.h>
#include <algorithm>
#include <new>

namespace arenascope::trace {

namespace {

// Adds the events to rows in the order of their times.
class PerfettoTimeline {
 public:
  explicit PerfettoTimeline(PerfettoPackets& packets, ImportBuilder& builder)
      : packets_(packets), tracks_(packets.tracks), builder_(builder) {}

  int64_t unmatched = 0;  // ends without a begin
  int64_t overlapping = 0, open = 0;
  size_t slices = 0;

  void add_events() {
    for (PerfettoEvent& event : packets_.events) {
      const auto time = packets_.clocks.to_trace(event.time);
      event.time.ns = time.value_or(INT64_MIN);
      packets_.invalid += time ? 0 : 1;
    }
    std::stable_sort(packets_.events.begin(), packets_.events.end(),
                     [](const auto& a, const auto& b) { return a.time.ns < b.time.ns; });
    for (const PerfettoEvent& event : packets_.events)
      if (event.time.ns != INT64_MIN) add(event);
    for (auto& row : tracks_.rows()) {
      open += row.slices.finish(end_);
      slices += row.slices.slices().size();
    }
    unnamed_ = builder_.name("");
    tracks_.name_rows(builder_);
  }

  void send(Sink& sink) const {
    std::vector<TrackEvent> batch;
    for (auto& row : tracks_.rows()) {
      if (row.slices.slices().empty()) continue;
      batch.clear();
      for (const auto& s : row.slices.slices())
        batch.push_back({TrackId(row.track), slice(s.begin, s.end, s.name.valid() ? s.name : unnamed_, s.depth)});
      sink.events(batch);
    }
  }

 private:
  void add(const PerfettoEvent& event) {
    const Nanoseconds time = event.time.ns;
    if (!is_sensible_time(time + event.length)) {
      ++packets_.invalid;
      return;
    }
    end_ = std::max(end_, time + event.length);
    if (event.type == PerfettoEventType::Counter) {
      const auto [id, track] = tracks_.counter(event.track, builder_);
      return builder_.point(track, counter(time, id, event.value));
    }
    const bool occupies = event.type == PerfettoEventType::Begin || event.type == PerfettoEventType::State;
    const auto use = occupies                               ? PerfettoUse::Begin
                     : event.type == PerfettoEventType::End ? PerfettoUse::End
                                                            : PerfettoUse::Instant;
    PerfettoTracks::Row& row = row_of(event, use);
    if (use != PerfettoUse::End) tracks_.add(row, builder_);
    switch (event.type) {
      case PerfettoEventType::Begin: return row.slices.begin(time, event.name, event.category);
      case PerfettoEventType::End: unmatched += row.slices.end(time, event.name, event.category) ? 0 : 1; return;
      case PerfettoEventType::Complete:
      case PerfettoEventType::Instant:
        overlapping += row.slices.complete(time, event.length, event.name) ? 0 : 1;
        return;
      case PerfettoEventType::State:  // until the next state of the track, or an event without a name
        row.slices.end(time, NameId::none(), 0);
        if (event.name.valid()) row.slices.begin(time, event.name, 0);
        return;
      case PerfettoEventType::Counter: return;
    }
  }

  PerfettoTracks::Row& row_of(const PerfettoEvent& event, PerfettoUse use) {
    const std::string_view name = event.name.valid() ? builder_.text(event.name) : std::string_view();
    if (event.legacy == 0) return tracks_.row(event.track, use, name);
    const LegacyTarget& target = packets_.targets[event.legacy - 1];
    if (target.asynchronous) return tracks_.row(target.scope, target.thread.process, target.id, use, name);
    return tracks_.row(target.thread);
  }

  PerfettoPackets& packets_;
  PerfettoTracks& tracks_;
  ImportBuilder& builder_;
  NameId unnamed_;
  Nanoseconds end_ = 0;
};

// The losses of a trace, "" if there are none.
std::string losses(const PerfettoPackets& packets, const PerfettoTimeline& timeline) {
  std::string out;
  const auto add = [&out](int64_t count, const char* one, const char* many) {
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : "; ", count, count == 1 ? one : many);
  };
  add(packets.damaged, "damaged packet was skipped", "damaged packets were skipped");
  add(packets.dropped, "gap: the tracing program lost packets", "gaps: the tracing program lost packets");
  add(packets.lost, "event was skipped because the packet with its names was lost",
      "events were skipped because the packets with their names were lost");
  add(packets.invalid, "event without a valid time or type was skipped",
      "events without a valid time or type were skipped");
  add(timeline.overlapping, "slice that overlaps another was skipped", "slices that overlap others were skipped");
  add(timeline.unmatched, "slice has no begin", "slices have no begin");
  add(timeline.open, "slice has no end and is shown to the end of the trace",
      "slices have no end and are shown to the end of the trace");
  return out;
}

}  // namespace

Result<OpenReport> import_perfetto(ByteSpan bytes, const std::string& name, Sink& sink) {
  try {
    ImportBuilder builder;
    PerfettoPackets packets(name, builder);
    const size_t good = packets.read(bytes);
    if (packets.packets == 0) return Error{name + ": not a Perfetto trace: it contains no complete packet."};
    const std::string unread = packets.unread.text();
    if (packets.track_events == 0)
      return Error{name + ": the Perfetto trace contains no track events (slices or counters)" +
                   (unread.empty() ? "." : "; not read: " + unread + ".")};
    PerfettoTimeline timeline(packets, builder);
    timeline.add_events();
    const std::string lost = losses(packets, timeline);
    if (timeline.slices + builder.size() == 0) {
      const std::string reason = !lost.empty() ? lost : !unread.empty() ? unread : "none has a name or a value";
      return Error{fmt::format("{}: none of the {} track events of the Perfetto trace can be used: {}.", name,
                               packets.track_events, reason)};
    }
    LeftOut left_out;
    if (good < bytes.size())
      left_out.add(
          fmt::format("the trace is truncated or corrupt at byte {}; {} bytes were skipped", good, bytes.size() - good),
          Severity::Warning);
    else if (!lost.empty())
      left_out.add(lost, Severity::Warning);
    if (!unread.empty()) left_out.add("not read: " + unread, Severity::Note);
    OpenReport report{TraceKind::Perfetto, "Perfetto trace", ""};
    left_out.put(name, report, builder);
    builder.rename(packets.renamed);
    builder.describe(sink);
    sink.describe(SourceInfo{report.format, packets.packets});
    timeline.send(sink);
    builder.finish(sink);
    return report;
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while reading the file."};
  }
}

}  // namespace arenascope::trace
