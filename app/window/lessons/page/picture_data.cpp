// SPDX-License-Identifier: GPL-3.0-or-later
#include "picture_data.h"

#include <algorithm>

namespace arenascope::app {
namespace {

constexpr size_t kMaxGraphNodes = 300, kMaxSpans = 1'500;
constexpr int kTimelinePixels = 300;
constexpr double kMargin = 0.02;  // around the runs, as a share of their time

// The snapshot with the plan of the scene in place of the recorded one.
std::shared_ptr<const trace::Snapshot> shown_snapshot(const lesson::Scene& scene) {
  auto shown = std::make_shared<trace::Snapshot>(*scene.snapshot);
  for (auto& plan : shown->plans)
    if (plan && scene.plan && plan->graph == scene.plan->graph) plan = scene.plan;
  return shown;
}

// The time of the current run or of all runs; of the whole recording if nothing ran.
trace::TimeRange shown_time(const PlayedState& state) {
  const trace::Snapshot& s = *state.scene.snapshot;
  const trace::Run* run = s.run(state.scene.run);
  if (run == nullptr) return {s.time.begin, std::max(s.time.end, s.time.begin + 1)};
  const Nanoseconds begin = state.all_runs ? s.runs[s.forgotten_runs].info.begin : run->info.begin;
  const auto margin = static_cast<Nanoseconds>(kMargin * static_cast<double>(run->until() - begin));
  return {begin - margin, run->until() + margin + 1};
}

Json graph_picture(const trace::GraphInfo& graph) {
  Json nodes = Json::array();
  const auto index = [&](trace::TensorRef ref) { return ref.index() + (ref.is_leaf() ? graph.nodes.size() : 0); };
  const auto add = [&](const trace::TensorInfo& t, trace::TensorRef ref) {
    Json sources = Json::array();
    for (const trace::TensorRef source : t.sources) sources.push_back(index(source));
    nodes.push_back({{"name", tensor_name(graph, ref)},
                     {"op", t.op},
                     {"bytes", t.bytes},
                     {"shape", t.shape},
                     {"sources", sources},
                     {"leaf", ref.is_leaf()},
                     {"view", (t.flags & trace::kView) != 0}});
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i) add(graph.nodes[i], trace::TensorRef::node(NodeId(i)));
  for (size_t i = 0; i < graph.leafs.size(); ++i) add(graph.leafs[i], trace::TensorRef::leaf(LeafId(i)));
  return {{"kind", "graph"}, {"nodes", nodes}};
}

Json plan_picture(const trace::GraphInfo& graph, const trace::PlanInfo& plan) {
  Json slices = Json::array(), order = Json::array();
  for (const trace::SliceInfo& s : plan.slices)
    if (s.size > 0)
      slices.push_back({tensor_name(graph, s.tensor), s.first.value, s.last.value, s.offset, s.size, s.block.value});
  for (const NodeId node : plan.order) order.push_back(tensor_name(graph, trace::TensorRef::node(node)));
  return {{"kind", "plan"},
          {"planner", plan.planner},
          {"order_name", plan.order_name},
          {"arena", plan.arena_bytes},
          {"bound", plan.lower_bound_bytes},
          {"order", order},
          {"live", trace::Snapshot::occupancy(plan)},
          {"slices", slices}};
}

// Recorded memory over time: allocations by address, or the curves of allocated and reserved bytes. Null: not recorded.
Json memory_picture(PanelId panel, const PlayedState& state) {
  ReportLimits limits;
  limits.rectangles = 600, limits.spans = 0, limits.points = 400, limits.rows = 0;
  limits.frames = 0, limits.findings_seconds = 0;
  const Json report = make_report(shown_snapshot(state.scene), "", limits);
  const trace::TimeRange time = shown_time(state);
  const Nanoseconds origin = state.scene.snapshot->time.begin;
  Json out{{"kind", "memory"}, {"from", time.begin - origin}, {"to", time.end - origin}};
  const Json& curves = report["occupancy"];
  if (panel == PanelId::Occupancy) {
    out["active"] = curves["active"];
    out["reserved"] = curves["reserved"];
    return curves["active"].empty() && curves["reserved"].empty() ? Json() : out;
  }
  for (const Json& map : report["maps"])
    if (map["axis"] == "time") {
      out["map"] = map;
      out["names"] = report["names"];
    }
  return out.contains("map") && !out["map"]["rectangles"].empty() ? out : Json();
}

const char* span_kind(trace::EventKind kind) {
  switch (kind) {
    case trace::EventKind::Work: return "work";
    case trace::EventKind::Wait: return "wait";
    case trace::EventKind::Copy: return "copy";
    default: return "other";
  }
}

Json track_picture(const PlayedState& state, size_t track, trace::TimeRange time) {
  const trace::Snapshot& s = *state.scene.snapshot;
  const trace::TrackId id(track);
  std::vector<trace::SpanRef> spans = s.spans_exact(id, time.begin, time.end, kMaxSpans);
  if (spans.size() == kMaxSpans) {
    spans.clear();
    for (const trace::SpanCell& cell : s.spans(id, time.begin, time.end, kTimelinePixels)) spans.push_back(cell.span);
  }
  Json out = Json::array();
  for (const trace::SpanRef& ref : spans) {
    const trace::Event& e = s.event(ref);
    const bool of_node = e.kind() == trace::EventKind::Work || e.kind() == trace::EventKind::Wait;
    const trace::GraphInfo* graph = of_node ? s.graph_of(e.run()) : nullptr;
    const bool known = graph != nullptr && e.node().valid() && e.node().index() < graph->nodes.size();
    out.push_back({e.begin() - time.begin, e.end() - time.begin, ref.lane, span_kind(e.kind()),
                   known ? tensor_name(*graph, trace::TensorRef::node(e.node())) : s.label(e)});
  }
  return {{"name", s.tracks[track].info.name}, {"spans", out}};
}

Json timeline_picture(const PlayedState& state) {
  const trace::TimeRange time = shown_time(state);
  Json tracks = Json::array();
  for (size_t i = 0; i < state.scene.snapshot->tracks.size(); ++i)
    if (Json track = track_picture(state, i, time); !track["spans"].empty()) tracks.push_back(std::move(track));
  return tracks.empty() ? Json() : Json{{"kind", "timeline"}, {"length", time.length()}, {"tracks", tracks}};
}

Json objects_picture(const trace::ContextInfo& context) {
  Json objects = Json::array();
  for (const trace::ObjectInfo& o : context.objects)
    objects.push_back({{"name", o.name},
                       {"type", o.type},
                       {"header", {o.header_offset, o.header_size}},
                       {"body", {o.offset, o.size}}});
  return {{"kind", "objects"},
          {"bytes", context.mem_size},
          {"used", context.used_mem},
          {"scratch", {context.scratch_used, context.scratch_bytes}},
          {"objects", objects}};
}

Json frontier_picture(const lesson::Scene& scene) {
  Json points = Json::array();
  for (const lesson::FrontierPlan& plan : scene.frontier) points.push_back({plan.arena, plan.extra_work});
  return {{"kind", "frontier"}, {"points", points}};
}

}  // namespace

Json picture_of_panel(PanelId panel, const PlayedState& state) {
  const lesson::Scene& s = state.scene;
  const bool planned = s.plan && s.graph && !s.plan->slices.empty();
  if (panel == PanelId::Graph && s.graph && s.graph->nodes.size() <= kMaxGraphNodes) return graph_picture(*s.graph);
  if (panel == PanelId::Arena || panel == PanelId::Lifetimes || panel == PanelId::Occupancy)
    return planned ? plan_picture(*s.graph, *s.plan) : memory_picture(panel, state);
  if (panel == PanelId::Pools) return memory_picture(panel, state);
  if (panel == PanelId::Timeline) return timeline_picture(state);
  if (panel == PanelId::Objects && !s.snapshot->contexts.empty()) return objects_picture(*s.snapshot->contexts.back());
  if (panel == PanelId::Training) return frontier_picture(s);
  return nullptr;
}

size_t PictureStore::add(const Json& picture) {
  const std::string text = picture.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto known = std::ranges::find(texts_, text);
  if (known != texts_.end()) return static_cast<size_t>(known - texts_.begin());
  texts_.push_back(text);
  list_.push_back(picture);
  return texts_.size() - 1;
}

Json panels_json(PictureStore& store, const PlayedState& state) {
  Json out = Json::array();
  for (const PanelId panel : state.panels) {
    const Json picture = picture_of_panel(panel, state);
    out.push_back({{"panel", name_of(panel)}, {"picture", picture.is_null() ? Json() : Json(store.add(picture))}});
  }
  return out;
}

std::string tensor_name(const trace::GraphInfo& graph, trace::TensorRef ref) {
  const auto& list = ref.is_leaf() ? graph.leafs : graph.nodes;
  if (ref.index() < list.size() && !list[ref.index()].name.empty()) return list[ref.index()].name;
  return (ref.is_leaf() ? "leaf " : "node ") + std::to_string(ref.index());
}

}  // namespace arenascope::app
