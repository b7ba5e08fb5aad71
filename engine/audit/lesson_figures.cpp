// SPDX-License-Identifier: MIT
// Metrics that lessons use in addition to those of views: tensors, nodes of a run, allocations, the object pool.
#include <fmt/format.h>

#include <set>

#include "engine/audit/figure_query.h"
#include "engine/audit/writer.h"

namespace arenascope::audit {

void audit_graphs(const Raw& raw, Writer& out) {
  for (const auto& [id, graph] : raw.graphs) {
    int64_t gradients = 0;
    for (const auto* list : {&graph.nodes, &graph.leafs})
      for (const trace::TensorInfo& t : *list) gradients += t.gradient.valid() ? 1 : 0;
    out.count(fmt::format("graph.{}.nodes", id), static_cast<int64_t>(graph.nodes.size()));
    out.count(fmt::format("graph.{}.leafs", id), static_cast<int64_t>(graph.leafs.size()));
    out.count(fmt::format("graph.{}.gradients", id), gradients);
    out.count(fmt::format("graph.{}.waits", id), graph.waits);
    int64_t runs = 0;
    for (const auto& [number, run] : raw.runs) runs += run.info.graph.value == id ? 1 : 0;
    out.count(fmt::format("graph.{}.runs", id), runs);
  }
  out.count("recording.problems", raw.problems);
  out.count("recording.tunings", raw.tunings);
  out.count("recording.max_tried", raw.max_tried);
}

// Requests for memory, of a kind and of all.
void audit_requests(const Raw& raw, Writer& out) {
  struct Requests {
    int64_t frees = 0, reservations = 0;
    Bytes largest = 0;
    std::map<uint64_t, int64_t> open;  // by address: allocated minus freed
  };
  std::map<std::string, Requests> kinds;
  for (const RawMemory& m : raw.memory)
    for (const std::string& of : {std::string("memory"), "kind." + raw.spaces[static_cast<size_t>(m.space)].kind}) {
      Requests& r = kinds[of];
      if (m.action == MemoryAction::Alloc) ++r.open[m.address], r.largest = std::max(r.largest, m.bytes);
      if (m.action == MemoryAction::Free) --r.open[m.address], ++r.frees;
      if (m.action == MemoryAction::Reserve) ++r.reservations;
    }
  for (const auto& [of, r] : kinds) {
    int64_t never_freed = 0;
    for (const auto& [address, times] : r.open) never_freed += times > 0 ? 1 : 0;
    out.count(of + ".frees", r.frees);
    if (raw.has_reservations()) out.count(of + ".reservations", r.reservations);
    out.bytes(of + ".largest_request", r.largest);
    out.count(of + ".never_freed", never_freed);
  }
}

void audit_contexts(const Raw& raw, Writer& out) {
  for (const auto& [id, context] : raw.contexts) {
    const std::string of = fmt::format("context.{}", id);
    out.bytes(of + ".bytes", context.mem_size);
    out.bytes(of + ".used", context.used_mem);
    out.count(of + ".objects", static_cast<int64_t>(context.objects.size()));
    for (size_t i = 0; i < context.objects.size(); ++i) {
      const trace::ObjectInfo& object = context.objects[i];
      out.bytes(fmt::format("{}.object.{}.bytes", of, i), object.size);
      out.bytes(fmt::format("{}.object.{}.offset", of, i), object.offset);
      out.bytes(fmt::format("{}.object.{}.header", of, i), object.header_size);
      out.bytes(fmt::format("{}.object.{}.header_offset", of, i), object.header_offset);
    }
  }
}

// Copies name no run: they are of the one that is the newest when they begin, by a device's clock that may be off by so
// much.
void audit_copies(const Raw& raw, Writer& out) {
  constexpr Nanoseconds kSlack = 1'000'000;
  for (auto run = raw.runs.begin(); run != raw.runs.end(); ++run) {
    const auto next = std::next(run);
    const Nanoseconds begin = run->second.info.begin - kSlack;
    const Nanoseconds end = next == raw.runs.end() ? INT64_MAX : next->second.info.begin - kSlack;
    int64_t count = 0;
    Bytes bytes = 0;
    for (const RawSpan& s : raw.spans)
      if (s.kind == SpanKind::Copy && s.begin >= begin && s.begin < end) ++count, bytes += s.bytes;
    out.count(fmt::format("run.{}.copies", run->first), count);
    out.bytes(fmt::format("run.{}.copied", run->first), bytes);
  }
}

namespace {

// A part belongs to the thread whose number it has, of those that took part: part * threads / parts.
int64_t taken_over(const Raw& raw, int32_t run, int32_t node, const std::vector<const RawSpan*>& parts) {
  std::set<int32_t> threads;
  for (const RawSpan& s : raw.spans)
    if (s.run == run && (s.kind == SpanKind::Work || s.kind == SpanKind::Wait)) threads.insert(s.track);
  const trace::TensorInfo* tensor =
      tensor_of(raw, raw.runs.at(run).info.graph.value, trace::TensorRef::node(NodeId(node)));
  if (tensor == nullptr) return 0;
  const auto tasks = std::min<int64_t>(tensor->tasks, static_cast<int64_t>(threads.size()));
  const auto count = static_cast<int64_t>(parts.size());
  int64_t others = 0;
  for (const RawSpan* s : parts) {
    const auto ith = static_cast<int64_t>(std::distance(threads.begin(), threads.find(s->track)));
    const bool own = tasks > 0 && ith * count / tasks <= s->part && s->part < (ith + 1) * count / tasks;
    others += own ? 0 : 1;
  }
  return others;
}

}  // namespace

// "run.R.node.N.": device spans where the device reports times.
Answered query_node(const AuditContext& context, int32_t run, FigureIdReader reader) {
  const auto node = reader.number();
  const std::string_view what = reader.next();
  std::vector<const RawSpan*> host, device;
  for (const RawSpan& s : context.raw.spans) {
    if (!node || s.run != run || s.node != *node || s.kind != SpanKind::Work) continue;
    const auto track = context.raw.tracks.find(s.track);
    const bool queue = track != context.raw.tracks.end() && track->second.kind == trace::TrackKind::DeviceQueue;
    (queue ? device : host).push_back(&s);
  }
  if (what == "wait") {  // waits of all threads at the barrier after it
    Nanoseconds wait = 0;
    for (const RawSpan& s : context.raw.spans)
      if (node && s.run == run && s.node == *node && s.kind == SpanKind::Wait)
        wait += without({s.begin, s.end}, context.raw.runs.at(run).pauses);
    return in_time(wait);
  }
  const auto& parts = device.empty() ? host : device;
  if (parts.empty()) return std::nullopt;
  if (what == "parts") return in_count(static_cast<int64_t>(parts.size()));
  if (what == "taken_over") return in_count(taken_over(context.raw, run, static_cast<int32_t>(*node), parts));
  Nanoseconds begin = INT64_MAX, end = INT64_MIN;
  for (const RawSpan* s : parts) begin = std::min(begin, s->begin), end = std::max(end, s->end);
  return what == "wall" ? Answered(in_time(end - begin)) : std::nullopt;
}

}  // namespace arenascope::audit
