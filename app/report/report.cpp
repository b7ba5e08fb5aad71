// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <arenascope/trace/difference.h>
#include <arenascope/trace/space_use.h>

#include "app/report/findings.h"
#include "app/report/flames.h"

namespace arenascope::app {
namespace {

using trace::Snapshot;
using Json = ReportJson;

// A snapshot with its subject, and what the parts of a report share.
struct Source {
  const Snapshot& snapshot;
  const ReportLimits& limits;
  trace::Subject subject;
  Nanoseconds origin;
  ReportNames names;

  Source(const Snapshot& s, const ReportLimits& l) : snapshot(s), limits(l), subject(s), origin(s.time.begin) {}
  Nanoseconds at(Nanoseconds time) const { return time - origin; }
};

Json totals_json(const Source& source) {
  const Snapshot& s = source.snapshot;
  const auto peak = trace::highest(s, s.all_active), reserved = trace::highest(s, s.all_reserved);
  const auto whole = [](const std::optional<double>& value) { return value ? Json(std::llround(*value)) : Json(); };
  Json out{{"peak_bytes", peak ? Json(std::llround(peak->value)) : Json()},
           {"peak_nanoseconds", peak ? Json(source.at(peak->time)) : Json()},
           {"reserved_bytes", reserved ? Json(std::llround(reserved->value)) : Json()},
           {"arena_bytes", whole(trace::measure(s, trace::Metric::Arena))},
           {"lower_bound_bytes", source.subject.plan ? Json(source.subject.plan->lower_bound_bytes) : Json()},
           {"run_nanoseconds", whole(trace::measure(s, trace::Metric::RunTime))},
           {"node_nanoseconds", whole(trace::measure(s, trace::Metric::NodeTime))},
           {"length_nanoseconds", s.event_count > 0 ? Json(s.time.length()) : Json()},
           {"events", s.event_count},
           {"lost_events", s.lost},
           {"runs", s.recorded_runs()},
           {"nodes", source.subject.graph ? Json(source.subject.graph->nodes.size()) : Json()}};
  return out;
}

// Parts of the peak by tensor, call site or allocator; of the plan if no allocations were recorded.
Json peak_json(const Source& source) {
  const Snapshot& s = source.snapshot;
  std::map<std::string, std::pair<Bytes, int64_t>> parts;
  const char* from = nullptr;
  if (const auto peak = trace::highest(s, s.all_active)) {
    from = "observed";
    for (const auto& slice : s.space_slices_in(peak->time, peak->time + 1, trace::kMaxSpaceAllocations)) {
      auto& part = parts[trace::display_name(s, slice)];
      part.first += slice.bytes, ++part.second;
    }
  } else if (const trace::PlanInfo* plan = source.subject.plan; plan && source.subject.graph) {
    from = "planned";
    const std::vector<Bytes> live = Snapshot::occupancy(*plan);
    const auto fullest = std::max_element(live.begin(), live.end());
    if (fullest != live.end())
      for (const size_t i : Snapshot::plan_slices_live(*plan, Step(static_cast<int32_t>(fullest - live.begin())))) {
        auto& part = parts[trace::display_name(*source.subject.graph, plan->slices[i].tensor)];
        part.first += plan->slices[i].size, ++part.second;
      }
  }
  Json list = Json::array();
  for (const auto& [name, part] : parts)
    list.push_back({{"name", name}, {"bytes", part.first}, {"count", part.second}});
  std::stable_sort(list.begin(), list.end(), [](const Json& a, const Json& b) { return a["bytes"] > b["bytes"]; });
  const size_t count = list.size();
  if (count > source.limits.rows)
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(source.limits.rows), list.end());
  return {{"source", from ? Json(from) : Json()}, {"parts", list}, {"part_count", count}};
}

// [begin, end, smallest, largest] of each point in which something changes.
Json curve_json(const Source& source, const trace::SeriesView& series) {
  Json out = Json::array();
  const Snapshot& s = source.snapshot;
  if (series.samples.empty()) return out;
  for (const trace::CurvePoint& p : series.curve(s.time.begin, s.time.end + 1, static_cast<int>(source.limits.points)))
    out.push_back({source.at(p.begin), source.at(p.end), std::llround(p.min), std::llround(p.max)});
  return out;
}

Json occupancy_json(const Source& source) {
  const Snapshot& s = source.snapshot;
  Json out{{"active", curve_json(source, s.all_active)}, {"reserved", curve_json(source, s.all_reserved)}};
  Json steps = Json::array();
  if (source.subject.plan)
    for (const Bytes bytes : Snapshot::occupancy(*source.subject.plan)) steps.push_back(bytes);
  out["planned"] = steps;
  return out;
}

// Starts of the steps of the run, for the change between the axes of steps and time.
Json step_times_json(const Source& source) {
  Json out = Json::array();
  if (source.subject.run == nullptr) return out;
  const trace::StepMap steps = source.snapshot.steps(source.subject.run->info.id);
  for (int32_t i = 0; i <= steps.steps() && !steps.empty(); ++i) out.push_back(source.at(steps.time_of(i)));
  return out;
}

struct Rectangle {
  int64_t x0, x1;
  Bytes y, bytes;
  size_t name;
  double area() const { return static_cast<double>(x1 - x0) * static_cast<double>(bytes); }
};

Json rectangles_json(std::vector<Rectangle> rectangles, size_t limit) {
  const size_t count = rectangles.size();
  if (count > limit) {
    std::stable_sort(rectangles.begin(), rectangles.end(),
                     [](const Rectangle& a, const Rectangle& b) { return a.area() > b.area(); });
    rectangles.resize(limit);
  }
  Json list = Json::array();
  for (const Rectangle& r : rectangles) list.push_back({r.x0, r.x1, r.y, r.bytes, r.name});
  return {{"rectangles", list}, {"omitted", count - rectangles.size()}};
}

// The arena of the plan: steps to the right, addresses upwards.
Json planned_map_json(Source& source) {
  const trace::PlanInfo& plan = *source.subject.plan;
  std::vector<Rectangle> rectangles;
  for (const trace::SliceInfo& slice : plan.slices)
    if (slice.size > 0)
      rectangles.push_back({slice.first.value, slice.last.value, slice.offset, slice.size,
                            source.names.number(trace::display_name(*source.subject.graph, slice.tensor))});
  Json out{{"axis", "step"}, {"source", "planned"}, {"bytes", plan.arena_bytes}, {"end", plan.order.size()}};
  out.update(rectangles_json(std::move(rectangles), source.limits.rectangles));
  return out;
}

// Reserved address ranges of one device that overlap or touch, stacked without the gaps between them.
struct Region {
  trace::DeviceId device;
  uint64_t begin = 0, end = 0;
  Bytes y = 0;
};

std::vector<Region> regions_of(const std::vector<trace::Space>& spaces) {
  std::vector<Region> regions;
  for (const trace::Space& space : spaces)
    regions.push_back({space.device, space.address, space.address + static_cast<uint64_t>(space.bytes)});
  std::sort(regions.begin(), regions.end(), [](const Region& a, const Region& b) {
    return std::pair(a.device.value, a.begin) < std::pair(b.device.value, b.begin);
  });
  std::vector<Region> merged;
  for (const Region& r : regions) {
    if (!merged.empty() && merged.back().device == r.device && r.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, r.end);
    else
      merged.push_back(r);
  }
  Bytes y = 0;
  for (Region& r : merged) {
    r.y = y;
    y += static_cast<Bytes>(r.end - r.begin);
  }
  return merged;
}

// Recorded allocations in the ranges that allocators reserved: time to the right, addresses upwards.
Json recorded_map_json(Source& source) {
  const Snapshot& s = source.snapshot;
  const trace::TimeRange all{s.time.begin, s.time.end + 1};
  const auto regions = regions_of(s.spaces_in(all.begin, all.end, trace::kMaxSpaceAllocations));
  std::vector<Rectangle> rectangles;
  for (const auto& slice : s.space_slices_in(all.begin, all.end, trace::kMaxSpaceAllocations)) {
    const auto above =
        std::upper_bound(regions.begin(), regions.end(), slice, [](const trace::SpaceAllocation& a, const Region& r) {
          return std::pair(a.device.value, a.address) < std::pair(r.device.value, r.begin);
        });
    if (above == regions.begin()) continue;
    const Region& region = *(above - 1);
    if (!(region.device == slice.device) || slice.address >= region.end || slice.bytes <= 0) continue;
    rectangles.push_back({source.at(slice.begin), source.at(slice.open ? s.time.end : slice.end),
                          region.y + static_cast<Bytes>(slice.address - region.begin), slice.bytes,
                          source.names.number(trace::display_name(s, slice))});
  }
  const Bytes bytes =
      regions.empty() ? 0 : regions.back().y + static_cast<Bytes>(regions.back().end - regions.back().begin);
  Json boundaries = Json::array();
  for (const Region& region : regions) boundaries.push_back(region.y);
  Json out{{"axis", "time"}, {"source", "observed"}, {"bytes", bytes}, {"end", s.time.length()}};
  out.update(rectangles_json(std::move(rectangles), source.limits.rectangles));
  out["boundaries"] = boundaries;
  return out;
}

Json maps_json(Source& source) {
  Json maps = Json::array();
  if (source.subject.plan && source.subject.graph && !source.subject.plan->slices.empty())
    maps.push_back(planned_map_json(source));
  if (!source.snapshot.space_slices.empty() || !source.snapshot.open_space_slices.empty())
    maps.push_back(recorded_map_json(source));
  return maps;
}

// [begin, end, lane, name, count]; count > 1: spans of one pixel, of which `name` is the longest.
Json track_json(Source& source, size_t track, size_t budget) {
  const Snapshot& s = source.snapshot;
  const trace::TrackView& view = s.tracks[track];
  const trace::TrackId id(track);
  size_t rows = 0;
  for (const trace::LaneView& lane : view.lanes) rows += lane.rows.size();
  Json spans = Json::array();
  const bool is_exact = rows <= budget;
  if (is_exact) {
    for (const trace::SpanRef& ref : s.spans_exact(id, s.time.begin, s.time.end + 1, rows)) {
      const trace::Event& e = s.event(ref);
      spans.push_back({source.at(e.time), source.at(e.end()), ref.lane, source.names.number(s.label(e)), 1});
    }
  } else {
    const auto pixels = static_cast<int>(std::max<size_t>(budget / std::max<size_t>(view.lanes.size(), 1), 1));
    for (const trace::SpanCell& cell : s.spans(id, s.time.begin, s.time.end + 1, pixels))
      spans.push_back({source.at(cell.begin), source.at(cell.end), cell.span.lane,
                       source.names.number(s.label(s.event(cell.span))), cell.count});
  }
  return {{"name", view.info.name}, {"exact", is_exact}, {"span_count", rows}, {"spans", spans}};
}

Json timeline_json(Source& source) {
  const Snapshot& s = source.snapshot;
  std::vector<size_t> shown;
  size_t total = 0;
  for (size_t i = 0; i < s.tracks.size(); ++i) {
    size_t rows = 0;
    for (const trace::LaneView& lane : s.tracks[i].lanes) rows += lane.rows.size();
    if (rows > 0) shown.push_back(i);
    total += rows;
  }
  Json out = Json::array();
  for (const size_t track : shown)
    out.push_back(track_json(source, track, total <= source.limits.spans ? total : source.limits.spans / shown.size()));
  return out;
}

Json nodes_json(const Source& source) {
  Json list = Json::array();
  if (source.subject.graph == nullptr) return list;
  const trace::GraphInfo& graph = *source.subject.graph;
  const auto stats = source.snapshot.stats(graph.id);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const bool ran = i < stats.size() && stats[i].runs > 0;
    list.push_back({{"name", trace::display_name(graph, trace::TensorRef::node(NodeId(i)))},
                    {"op", graph.nodes[i].op},
                    {"bytes", graph.nodes[i].bytes},
                    {"median_nanoseconds", ran ? Json(stats[i].median) : Json()},
                    {"wait_nanoseconds", ran ? Json(std::llround(stats[i].wait)) : Json()},
                    {"runs", ran ? stats[i].runs : 0}});
  }
  std::stable_sort(list.begin(), list.end(), [](const Json& a, const Json& b) {
    const auto time = [](const Json& row) {
      return row["median_nanoseconds"].is_null() ? 0 : row["median_nanoseconds"].get<int64_t>();
    };
    return std::pair(time(a), a["bytes"].get<int64_t>()) > std::pair(time(b), b["bytes"].get<int64_t>());
  });
  if (list.size() > source.limits.rows)
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(source.limits.rows), list.end());
  return list;
}

}  // namespace

Json make_report(const std::shared_ptr<const Snapshot>& shared, const std::string& file, const ReportLimits& limits) {
  const Snapshot& snapshot = *shared;
  Source source(snapshot, limits);
  const trace::Subject& subject = source.subject;
  Json out{{"format", "arenascope-report"}, {"version", 1}, {"file", file}};
  out["model"] = subject.graph && !subject.graph->model.empty() ? Json(subject.graph->model) : Json();
  out["source_format"] = snapshot.source.format.empty() ? Json() : Json(snapshot.source.format);
  out["planner"] = subject.plan ? Json(subject.plan->planner) : Json();
  out["order"] = subject.plan ? Json(subject.plan->order_name) : Json();
  out["totals"] = totals_json(source);
  out["peak"] = peak_json(source);
  out["findings"] = findings_json(shared, subject, limits.findings_seconds);
  out["step_times"] = step_times_json(source);
  out["occupancy"] = occupancy_json(source);
  out["maps"] = maps_json(source);
  out["tracks"] = timeline_json(source);
  out["flames"] = flames_json(snapshot, source.names, limits.frames);
  out["nodes"] = nodes_json(source);
  out["problems"] = Json::array();
  for (size_t i = 0; i < snapshot.problems.size(); ++i) out["problems"].push_back(snapshot.problems[i].sentence);
  out["names"] = source.names.list();
  return out;
}

}  // namespace arenascope::app
