// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/trace_info.h"

#include <map>
#include <optional>

#include <arenascope/trace/difference.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>

#include "app/common/format.h"
#include "app/common/left_out.h"

namespace arenascope::cli {
namespace {

using app::counted;
using trace::Snapshot;

std::optional<Bytes> highest_bytes(const Snapshot& s, const trace::SeriesView& series) {
  const auto most = trace::highest(s, series);
  return most ? std::optional(static_cast<Bytes>(most->value)) : std::nullopt;
}
std::string bytes_text(std::optional<Bytes> bytes) { return bytes ? app::format_bytes(*bytes) : "not recorded"; }
template <class T>
Json json_value(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// The newest plan of a graph.
const trace::PlanInfo* plan_of(const Snapshot& s, trace::GraphId graph) {
  const trace::PlanInfo* newest = nullptr;
  for (const auto& plan : s.plans)
    if (plan->graph == graph) newest = plan.get();
  return newest;
}

std::map<int32_t, int64_t> runs_by_graph(const Snapshot& s) {
  std::map<int32_t, int64_t> runs;
  for (size_t i = s.forgotten_runs; i < s.runs.size(); ++i) ++runs[s.runs[i].info.graph.value];
  return runs;
}

Json graph_json(const Snapshot& s, const trace::GraphInfo& graph, int64_t runs) {
  Json out{{"name", graph.model}, {"nodes", graph.nodes.size()}, {"leaves", graph.leafs.size()}, {"runs", runs}};
  const trace::PlanInfo* plan = plan_of(s, graph.id);
  out["plan"] = plan == nullptr ? Json()
                                : Json{{"planner", plan->planner},
                                       {"arena_bytes", plan->arena_bytes},
                                       {"lower_bound_bytes", plan->lower_bound_bytes},
                                       {"tensors", plan->slices.size()}};
  return out;
}

// The part of a run in which its nodes were computed; nodes may overlap.
struct NodeTimes {
  int64_t nodes = 0;
  Nanoseconds busy = 0;               // sum over the nodes
  Nanoseconds before = 0, after = 0;  // the first node begins, the last one ends
  // False: the file has no begin and end of the run, so that those of its nodes are used.
  bool is_inside() const { return before > 0 || after > 0; }
};
// None if no node ran.
std::optional<NodeTimes> node_times(const trace::Run& run) {
  NodeTimes out;
  Nanoseconds first = INT64_MAX, last = INT64_MIN;
  for (size_t n = 0; run.table && n < run.table->nodes.size(); ++n) {
    const trace::NodeRun::Parts& parts = run.table->nodes[n].parts();
    if (parts.count == 0) continue;
    ++out.nodes;
    out.busy += parts.busy;
    first = std::min(first, parts.begin);
    last = std::max(last, parts.end);
  }
  if (out.nodes == 0) return std::nullopt;
  out.before = std::max<Nanoseconds>(first - run.info.begin, 0);
  out.after = std::max<Nanoseconds>(run.until() - last, 0);
  return out;
}

Json runs_json(const Snapshot& s) {
  Json out = Json::array();
  for (size_t i = s.forgotten_runs; i < s.runs.size(); ++i) {
    const trace::Run& run = s.runs[i];
    out.push_back({{"graph", run.info.graph.value},
                   {"wall_nanoseconds", run.wall()},
                   {"complete", run.whole()},
                   {"nodes", Json()}});
    const auto times = node_times(run);
    if (times) out.back().update({{"nodes", times->nodes}, {"nodes_nanoseconds", times->busy}});
    if (times && times->is_inside())
      out.back().update({{"before_nodes_nanoseconds", times->before}, {"after_nodes_nanoseconds", times->after}});
  }
  return out;
}

Json json_of(const std::string& file, const trace::OpenReport& report, const Snapshot& s) {
  const bool timed = s.event_count > 0;
  Json out{{"file", file},
           {"format", report.format},
           {"entries", s.source.entries > 0 ? Json(s.source.entries) : Json()},
           {"events", s.event_count},
           {"lost_events", s.lost},
           {"length_nanoseconds", timed ? Json(s.time.length()) : Json()}};
  const auto runs = runs_by_graph(s);
  out["graphs"] = Json::array();
  for (const auto& graph : s.graphs) {
    const auto own = runs.find(graph->id.value);
    out["graphs"].push_back(graph_json(s, *graph, own == runs.end() ? 0 : own->second));
  }
  out["runs"] = runs_json(s);
  out["threads"] = Json::array();
  for (const trace::TrackView& track : s.tracks) out["threads"].push_back(track.info.name);
  out["peak_bytes"] = json_value(highest_bytes(s, s.all_active));
  out["peak_reserved_bytes"] = json_value(highest_bytes(s, s.all_reserved));
  out["problems"] = Json::array();
  for (size_t i = 0; i < s.problems.size(); ++i) out["problems"].push_back(s.problems[i].sentence);
  return out;
}

void print_graph(const Snapshot& s, const trace::GraphInfo& graph, int64_t runs) {
  cli::print("{:<12} {}: {}, {}{}\n", "graph", graph.model.empty() ? "(unnamed)" : graph.model,
             counted(std::ssize(graph.nodes), "node"), counted(std::ssize(graph.leafs), "leaf tensor"),
             runs > 0 ? ", " + counted(runs, "run") : std::string());
  if (const trace::PlanInfo* plan = plan_of(s, graph.id))
    cli::print("{:<12} {} for {} (planner {}), lower bound {}\n", "plan", app::format_bytes(plan->arena_bytes),
               counted(std::ssize(plan->slices), "tensor"), plan->planner, app::format_bytes(plan->lower_bound_bytes));
}

void print(const std::string& file, const trace::OpenReport& report, const Snapshot& s) {
  cli::print("{:<12} {} ({})\n", "file", file, report.format);
  if (s.source.entries > 0) cli::print("{:<12} {}\n", "entries", s.source.entries);
  if (s.event_count > 0)
    cli::print("{:<12} {} in {}{}\n", "events", s.event_count, app::format_nanoseconds(s.time.length()),
               s.lost > 0 ? fmt::format(", {} lost", s.lost) : std::string());
  auto runs = runs_by_graph(s);
  for (const auto& graph : s.graphs) print_graph(s, *graph, runs[graph->id.value]);
  if (!s.runs.empty()) {
    const trace::Run& newest = s.runs[s.runs.size() - 1];
    cli::print("{:<12} {}, the newest {}{}\n", "runs", s.recorded_runs(), app::format_nanoseconds(newest.wall()),
               newest.whole() ? "" : " (incomplete)");
    if (const auto times = node_times(newest))
      cli::print("{:<12} {} in {}{}{}\n", "", app::format_nanoseconds(times->busy), counted(times->nodes, "node"),
                 times->busy > newest.wall() ? ", which overlap" : "",
                 times->is_inside()
                     ? fmt::format("; {} before the first node, {} after the last",
                                   app::format_nanoseconds(times->before), app::format_nanoseconds(times->after))
                     : std::string());
  }
  if (!s.tracks.empty()) cli::print("{:<12} {}\n", "threads", s.tracks.size());
  const auto peak = highest_bytes(s, s.all_active), reserved = highest_bytes(s, s.all_reserved);
  if (!peak && !reserved)
    cli::print("{:<12} not recorded\n", "memory");
  else
    cli::print("{:<12} peak {}, reserved {}\n", "memory", bytes_text(peak), bytes_text(reserved));
  for (size_t i = 0; i < s.problems.size(); ++i) cli::print("{:<12} {}\n", "problem", s.problems[i].sentence);
}

}  // namespace

int show_trace_info(Context& context, const std::string& file) {
  Progress progress;
  progress.phase("reading");
  trace::Session session;
  const auto report = trace::open_trace(file, session);
  if (!report) return fail(kUsage, report.error().message);
  const auto snapshot = session.snapshot();
  context.incomplete = app::left_out(*snapshot, file);
  if (context.json)
    print_json(context, json_of(file, *report, *snapshot));
  else
    print(file, *report, *snapshot);
  return kDone;
}

}  // namespace arenascope::cli
