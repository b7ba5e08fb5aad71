// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/tables.h"

#include <algorithm>
#include <optional>

#include <arenascope/trace/call_site.h>
#include <arenascope/trace/difference.h>

#ifndef QT_TRANSLATE_NOOP  // no Qt here; the macro is for lupdate
#define QT_TRANSLATE_NOOP(context, text) text
#endif

namespace arenascope::query {
namespace {

using trace::Snapshot;
using SnapshotPtr = std::shared_ptr<const Snapshot>;

constexpr Type kInteger = Type::Integer, kReal = Type::Real, kText = Type::Text;

template <class Tag>
Value id_value(Id<Tag> id) {
  return id.valid() ? Value(int64_t{id.value}) : Value();
}
Value text_value(std::string_view text) { return text.empty() ? Value() : Value(std::string(text)); }
Value kind_value(trace::MemoryKind kind) { return std::string(trace::kMemoryKindNames[static_cast<size_t>(kind)]); }
Value size_value(const std::vector<int64_t>& shape) {
  std::string out;
  for (const int64_t size : shape) out += (out.empty() ? "" : "x") + std::to_string(size);
  return text_value(out);
}
Value tensor_value(const Snapshot& s, trace::GraphId graph, trace::TensorRef ref) {
  const trace::GraphInfo* info = s.graph(graph);
  return info == nullptr || !ref.valid() ? Value() : text_value(trace::display_name(*info, ref));
}
Value allocator_value(const Snapshot& s, uint32_t id) {
  const trace::AllocatorInfo* info = s.allocator(id);
  return info == nullptr ? Value() : text_value(info->name);
}

// A vector with the rows of several graphs, tracks or plans, as pairs of the owner and the position in it.
struct Position {
  uint32_t owner = 0, index = 0;
};
using Positions = std::shared_ptr<const std::vector<Position>>;

template <class Owners, class Size>
Positions positions(const Owners& owners, Size size) {
  auto out = std::make_shared<std::vector<Position>>();
  for (size_t o = 0; o < owners.size(); ++o)
    for (size_t i = 0; i < size(owners[o]); ++i) out->push_back({static_cast<uint32_t>(o), static_cast<uint32_t>(i)});
  return out;
}

// Closed and open rows of the snapshot as one list.
template <class T>
const T& either(const trace::ColumnView<T>& closed, const std::vector<T>& open, size_t row) {
  return row < closed.size() ? closed[row] : open[row - closed.size()];
}

Table graphs(const SnapshotPtr& s) {
  const auto graph = [s](size_t r) -> const trace::GraphInfo& { return *s->graphs[r]; };
  return {"graphs",
          "Graphs of models and traces",
          s->graphs.size(),
          {{"id", kInteger, "number of the graph", [=](size_t r) { return id_value(graph(r).id); }, Reference::Graph},
           {"model", kText, "name of the model", [=](size_t r) { return text_value(graph(r).model); }},
           {"nodes", kInteger, "number of nodes", [=](size_t r) { return std::ssize(graph(r).nodes); }},
           {"leaves", kInteger, "number of inputs and weights", [=](size_t r) { return std::ssize(graph(r).leafs); }}}};
}

const char* status_of(const trace::Run& run) {
  if (!run.finished) return "running";
  return run.status == trace::RunStatus::Done ? "done" : run.status == trace::RunStatus::Aborted ? "aborted" : "failed";
}

Table runs(const SnapshotPtr& s) {
  const auto run = [s](size_t r) -> const trace::Run& { return s->runs[s->forgotten_runs + r]; };
  return {
      "runs",
      "Runs of a graph",
      s->recorded_runs(),
      {{"id", kInteger, "number of the run", [=](size_t r) { return static_cast<int64_t>(s->forgotten_runs + r); },
        Reference::Run},
       {"graph", kInteger, "its graph", [=](size_t r) { return id_value(run(r).info.graph); }, Reference::Graph},
       {"plan", kInteger, "its memory plan", [=](size_t r) { return id_value(run(r).info.plan); }, Reference::Plan},
       {"begin_ns", kInteger, "when it began", [=](size_t r) { return run(r).info.begin; }},
       {"wall_ns", kInteger, "duration without pauses", [=](size_t r) { return run(r).wall(); }},
       {"threads", kInteger, "threads of each barrier", [=](size_t r) { return int64_t{run(r).info.threads}; }},
       {"backend", kText, "backend", [=](size_t r) { return text_value(run(r).info.backend); }},
       {"strategy", kText, "memory strategy", [=](size_t r) { return text_value(run(r).info.strategy); }},
       {"status", kText, "running, done, aborted or failed", [=](size_t r) { return std::string(status_of(run(r))); }},
       {"cold", kInteger, "1: first run of its plan", [=](size_t r) { return int64_t{run(r).cold}; }},
       {"complete", kInteger, "1: counts for statistics", [=](size_t r) { return int64_t{run(r).whole()}; }}}};
}

Table nodes(const SnapshotPtr& s) {
  const Positions rows = positions(s->graphs, [](const auto& graph) { return graph->nodes.size(); });
  auto stats = std::make_shared<std::vector<std::vector<trace::NodeStats>>>(s->graphs.size());
  const auto node = [s, rows](size_t r) -> const trace::TensorInfo& {
    return s->graphs[(*rows)[r].owner]->nodes[(*rows)[r].index];
  };
  // Null: the node never ran. Statistics of a graph are computed at its first row.
  const auto of = [s, rows, stats](size_t r) -> const trace::NodeStats* {
    auto& list = (*stats)[(*rows)[r].owner];
    if (list.empty()) list = s->stats(s->graphs[(*rows)[r].owner]->id);
    const size_t index = (*rows)[r].index;
    return index < list.size() && list[index].runs > 0 ? &list[index] : nullptr;
  };
  const auto integer = [of](Nanoseconds trace::NodeStats::*what) {
    return [=](size_t r) { return of(r) ? Value(int64_t{of(r)->*what}) : Value(); };
  };
  const auto real = [of](double trace::NodeStats::*what) {
    return [=](size_t r) { return of(r) ? Value(of(r)->*what) : Value(); };
  };
  return {
      "nodes",
      "Nodes of all graphs, with statistics over their runs",
      rows->size(),
      {{"graph", kInteger, "its graph", [=](size_t r) { return int64_t{(*rows)[r].owner}; }, Reference::Graph},
       {"id", kInteger, "number in the graph", [=](size_t r) { return int64_t{(*rows)[r].index}; }, Reference::Node},
       {"name", kText, "name", [=](size_t r) { return text_value(node(r).name); }, Reference::Tensor},
       {"op", kText, "op, or the ops of a fused node", [=](size_t r) { return text_value(node(r).op); }},
       {"layer", kText, "group in the graph view", [=](size_t r) { return text_value(node(r).layer); }},
       {"dtype", kText, "type of the result", [=](size_t r) { return text_value(node(r).dtype); }},
       {"shape", kText, "shape of the result, outermost first", [=](size_t r) { return size_value(node(r).shape); }},
       {"bytes", kInteger, "bytes of the result", [=](size_t r) { return node(r).bytes; }},
       {"flops", kInteger, "floating-point operations", [=](size_t r) { return node(r).flops; }},
       {"backend", kText, "where it is computed", [=](size_t r) { return text_value(node(r).backend); }},
       {"runs", kInteger, "runs in the statistics", [=](size_t r) { return of(r) ? of(r)->runs : int64_t{0}; }},
       {"median_ns", kInteger, "median wall time", integer(&trace::NodeStats::median)},
       {"p90_ns", kInteger, "90th percentile of its wall times", integer(&trace::NodeStats::percentile90)},
       {"p99_ns", kInteger, "99th percentile of its wall times", integer(&trace::NodeStats::percentile99)},
       {"shortest_ns", kInteger, "shortest wall time", integer(&trace::NodeStats::shortest)},
       {"longest_ns", kInteger, "longest wall time", integer(&trace::NodeStats::longest)},
       {"mean_ns", kReal, "mean wall time", real(&trace::NodeStats::mean)},
       {"busy_ns", kReal, "mean work per run, summed over the threads", real(&trace::NodeStats::busy)},
       {"wait_ns", kReal, "mean wait per run at the barrier after it, summed over the threads",
        real(&trace::NodeStats::wait)}}};
}

Table leaves(const SnapshotPtr& s) {
  const Positions rows = positions(s->graphs, [](const auto& graph) { return graph->leafs.size(); });
  const auto leaf = [s, rows](size_t r) -> const trace::TensorInfo& {
    return s->graphs[(*rows)[r].owner]->leafs[(*rows)[r].index];
  };
  return {
      "leaves",
      "Inputs and weights of all graphs",
      rows->size(),
      {{"graph", kInteger, "its graph", [=](size_t r) { return int64_t{(*rows)[r].owner}; }, Reference::Graph},
       {"id", kInteger, "number in the graph", [=](size_t r) { return int64_t{(*rows)[r].index}; }, Reference::Leaf},
       {"name", kText, "name", [=](size_t r) { return text_value(leaf(r).name); }, Reference::Tensor},
       {"dtype", kText, "type", [=](size_t r) { return text_value(leaf(r).dtype); }},
       {"shape", kText, "shape, outermost first", [=](size_t r) { return size_value(leaf(r).shape); }},
       {"bytes", kInteger, "bytes", [=](size_t r) { return leaf(r).bytes; }},
       {"is_weight", kInteger, "1: constant or trained",
        [=](size_t r) { return int64_t{(leaf(r).flags & (trace::kWeight | trace::kParameter)) != 0}; }}}};
}

// Importers number the identifiers that are strings from 2^32 on.
Value system_id(int64_t id) { return id > int64_t{UINT32_MAX} ? Value() : Value(id); }

Table tracks(const SnapshotPtr& s) {
  const auto info = [s](size_t r) -> const trace::ThreadInfo& { return s->tracks[r].info; };
  constexpr const char* kKinds[] = {"worker", "device queue", "copy engine", "other"};
  return {"tracks",
          "Threads, device queues and copy engines",
          s->tracks.size(),
          {{"id", kInteger, "number of the track", [](size_t r) { return static_cast<int64_t>(r); }},
           {"name", kText, "name", [=](size_t r) { return text_value(info(r).name); }},
           {"kind", kText, "worker, device queue, copy engine or other",
            [=](size_t r) { return std::string(kKinds[static_cast<size_t>(info(r).kind)]); }},
           {"device", kInteger, "its device", [=](size_t r) { return id_value(info(r).device); }},
           {"process", kInteger, "process of a traced program", [=](size_t r) { return system_id(info(r).process); }},
           {"thread", kInteger, "thread of the system", [=](size_t r) {
              const bool is_none = info(r).thread == 0 && info(r).kind == trace::TrackKind::Other;
              return is_none ? Value() : system_id(info(r).thread);
            }}}};
}

// The first row of each lane of each track, so that a row number is found in O(log lanes).
struct LaneRows {
  struct Lane {
    size_t first;
    uint32_t track, lane;
  };
  std::vector<Lane> lanes;
  size_t rows = 0;

  explicit LaneRows(const Snapshot& s) {
    for (size_t t = 0; t < s.tracks.size(); ++t)
      for (size_t l = 0; l < s.tracks[t].lanes.size(); ++l) {
        lanes.push_back({rows, static_cast<uint32_t>(t), static_cast<uint32_t>(l)});
        rows += s.tracks[t].lanes[l].rows.size();
      }
  }
  trace::SpanRef span(size_t row) const {
    const auto after =
        std::upper_bound(lanes.begin(), lanes.end(), row, [](size_t r, const Lane& lane) { return r < lane.first; });
    const Lane& lane = *(after - 1);
    return {trace::TrackId(static_cast<int32_t>(lane.track)), lane.lane, static_cast<uint32_t>(row - lane.first)};
  }
};

std::string span_kind(const trace::Event& e) {
  switch (e.kind()) {
    case trace::EventKind::Work: return "work";
    case trace::EventKind::Wait: return "wait";
    case trace::EventKind::Copy: return "copy";
    case trace::EventKind::Between: return e.is_pause() ? "pause" : "between";
    default: return "slice";
  }
}

Table spans(const SnapshotPtr& s) {
  const auto lanes = std::make_shared<const LaneRows>(*s);
  const auto event = [s, lanes](size_t r) -> const trace::Event& { return s->event(lanes->span(r)); };
  const auto is_of_run = [](const trace::Event& e) {
    return e.kind() != trace::EventKind::Copy && e.kind() != trace::EventKind::Slice;
  };
  return {
      "spans",
      "Work, waits, copies and named spans of all tracks",
      lanes->rows,
      {{"id", kInteger, "number of the span", [](size_t r) { return static_cast<int64_t>(r); }, Reference::Span},
       {"track", kInteger, "its track", [=](size_t r) { return id_value(lanes->span(r).track); }},
       {"depth", kInteger, "depth of nesting; 0: outermost", [=](size_t r) { return int64_t{lanes->span(r).lane}; }},
       {"begin_ns", kInteger, "begin", [=](size_t r) { return event(r).begin(); }},
       {"end_ns", kInteger, "end", [=](size_t r) { return event(r).end(); }},
       {"duration_ns", kInteger, "end - begin", [=](size_t r) { return event(r).end() - event(r).begin(); }},
       {"kind", kText, "work, wait, copy, between, pause or slice", [=](size_t r) { return span_kind(event(r)); }},
       {"name", kText, "as in the timeline", [=](size_t r) { return text_value(s->label(event(r))); }},
       {"kernel", kText, "kernel of a device", [=](size_t r) { return text_value(s->kernel(event(r))); }},
       {"run", kInteger, "its run", [=](size_t r) { return is_of_run(event(r)) ? id_value(event(r).run()) : Value(); },
        Reference::Run},
       {"node", kInteger, "its node; of a wait: the node before the barrier",
        [=](size_t r) { return is_of_run(event(r)) ? id_value(event(r).node()) : Value(); }, Reference::Node}}};
}

Table barriers(const SnapshotPtr& s) {
  const auto barrier = [s](size_t r) -> const trace::Barrier& { return s->barriers[r]; };
  return {
      "barriers",
      "Barriers after nodes",
      s->barriers.size(),
      {{"run", kInteger, "its run", [=](size_t r) { return id_value(barrier(r).run); }, Reference::Run},
       {"node", kInteger, "the node before it", [=](size_t r) { return id_value(barrier(r).node); }, Reference::Node},
       {"first_arrival_ns", kInteger, "first arrival", [=](size_t r) { return barrier(r).first_arrival; }},
       {"last_arrival_ns", kInteger, "last arrival", [=](size_t r) { return barrier(r).last_arrival; }},
       {"last_leave_ns", kInteger, "last departure", [=](size_t r) { return barrier(r).last_leave; }},
       {"wait_ns", kInteger, "waits summed over the threads", [=](size_t r) { return barrier(r).wait_sum; }},
       {"last_arriver", kInteger, "track of the last arriver",
        [=](size_t r) { return id_value(barrier(r).last_arriver); }},
       {"threads", kInteger, "threads with recorded waits", [=](size_t r) { return int64_t{barrier(r).threads}; }}}};
}

Table plans(const SnapshotPtr& s) {
  const auto plan = [s](size_t r) -> const trace::PlanInfo& { return *s->plans[r]; };
  return {"plans",
          "Memory plans",
          s->plans.size(),
          {{"id", kInteger, "number of the plan", [=](size_t r) { return id_value(plan(r).id); }, Reference::Plan},
           {"graph", kInteger, "its graph", [=](size_t r) { return id_value(plan(r).graph); }, Reference::Graph},
           {"planner", kText, "planner", [=](size_t r) { return text_value(plan(r).planner); }},
           {"order_name", kText, "execution order", [=](size_t r) { return text_value(plan(r).order_name); }},
           {"steps", kInteger, "steps of the order", [=](size_t r) { return std::ssize(plan(r).order); }},
           {"arena_bytes", kInteger, "size of the arena", [=](size_t r) { return plan(r).arena_bytes; }},
           {"lower_bound_bytes", kInteger, "largest sum of live bytes",
            [=](size_t r) { return plan(r).lower_bound_bytes; }},
           {"alignment", kInteger, "alignment of tensors", [=](size_t r) { return plan(r).alignment; }},
           {"planning_seconds", kReal, "duration of planning", [=](size_t r) { return plan(r).seconds; }}}};
}

Table plan_tensors(const SnapshotPtr& s) {
  const Positions rows = positions(s->plans, [](const auto& plan) { return plan->slices.size(); });
  const auto plan = [s, rows](size_t r) -> const trace::PlanInfo& { return *s->plans[(*rows)[r].owner]; };
  const auto slice = [=](size_t r) -> const trace::SliceInfo& { return plan(r).slices[(*rows)[r].index]; };
  return {"plan_tensors",
          "Offsets and lifetimes of the tensors in planned arenas",
          rows->size(),
          {{"plan", kInteger, "its plan", [=](size_t r) { return id_value(plan(r).id); }, Reference::Plan},
           {"tensor", kText, "name", [=](size_t r) { return tensor_value(*s, plan(r).graph, slice(r).tensor); },
            Reference::Tensor},
           {"node", kInteger, "number of the node",
            [=](size_t r) {
              const trace::TensorRef ref = slice(r).tensor;
              return ref.is_node() ? Value(static_cast<int64_t>(ref.index())) : Value();
            },
            Reference::Node},
           {"first_step", kInteger, "first step", [=](size_t r) { return int64_t{slice(r).first.value}; }},
           {"end_step", kInteger, "step after the last use", [=](size_t r) { return int64_t{slice(r).last.value}; }},
           {"offset", kInteger, "offset in the arena", [=](size_t r) { return slice(r).offset; }},
           {"bytes", kInteger, "size", [=](size_t r) { return slice(r).size; }},
           {"reuse_level", kInteger, "0: not reused, 1 or 2: the level that placed it",
            [=](size_t r) { return int64_t{slice(r).level}; }},
           {"in_place_of", kText, "the tensor that it overwrites",
            [=](size_t r) { return tensor_value(*s, plan(r).graph, slice(r).in_place_of); }}}};
}

Table allocations(const SnapshotPtr& s) {
  const auto slice = [s](size_t r) -> const trace::SpaceAllocation& {
    return either(s->space_slices, s->open_space_slices, r);
  };
  return {"allocations",
          "Recorded allocations",
          s->space_slices.size() + s->open_space_slices.size(),
          {{"id", kInteger, "number of the allocation", [](size_t r) { return static_cast<int64_t>(r); },
            Reference::Allocation},
           {"begin_ns", kInteger, "time of the allocation", [=](size_t r) { return slice(r).begin; }},
           {"end_ns", kInteger, "time of the free; NULL: still live",
            [=](size_t r) { return slice(r).open ? Value() : Value(slice(r).end); }},
           {"bytes", kInteger, "size with padding", [=](size_t r) { return slice(r).bytes; }},
           {"requested_bytes", kInteger, "requested size", [=](size_t r) { return slice(r).asked; }},
           {"address", kInteger, "address", [=](size_t r) { return static_cast<int64_t>(slice(r).address); }},
           {"device", kInteger, "its device", [=](size_t r) { return id_value(slice(r).device); }},
           {"allocator", kText, "its allocator", [=](size_t r) { return allocator_value(*s, slice(r).allocator); }},
           {"kind", kText, "memory kind", [=](size_t r) { return kind_value(slice(r).kind); }},
           {"tensor", kText, "the tensor that it holds",
            [=](size_t r) { return tensor_value(*s, slice(r).graph, slice(r).tensor); }, Reference::Tensor},
           {"call_site", kText, "innermost frame of the user's own code",
            [=](size_t r) { return text_value(trace::call_site(*s, s->stack_of(slice(r).block))); }},
           {"owner", kText, "tensor, else call site, else allocator",
            [=](size_t r) { return text_value(trace::display_name(*s, slice(r))); }}}};
}

Table spaces(const SnapshotPtr& s) {
  const auto space = [s](size_t r) -> const trace::Space& { return either(s->spaces, s->open_spaces, r); };
  return {"spaces",
          "Memory that allocators reserved",
          s->spaces.size() + s->open_spaces.size(),
          {{"begin_ns", kInteger, "time of the reservation", [=](size_t r) { return space(r).begin; }},
           {"end_ns", kInteger, "time of the release; NULL: still reserved",
            [=](size_t r) { return space(r).open ? Value() : Value(space(r).end); }},
           {"bytes", kInteger, "size", [=](size_t r) { return space(r).bytes; }},
           {"address", kInteger, "address", [=](size_t r) { return static_cast<int64_t>(space(r).address); }},
           {"device", kInteger, "its device", [=](size_t r) { return id_value(space(r).device); }},
           {"allocator", kText, "its allocator", [=](size_t r) { return allocator_value(*s, space(r).allocator); }},
           {"kind", kText, "memory kind", [=](size_t r) { return kind_value(space(r).kind); }},
           {"implied", kInteger, "1: an allocation outside every recorded reservation",
            [=](size_t r) { return int64_t{space(r).implied}; }}}};
}

Table memory(const SnapshotPtr& s) {
  const auto sample = [s](size_t r) -> const trace::Sample& { return s->all_active.samples[r]; };
  return {"memory",
          "Allocated bytes over time, each value until the next",
          s->all_active.samples.size(),
          {{"time_ns", kInteger, "time", [=](size_t r) { return sample(r).time; }},
           {"allocated_bytes", kInteger, "allocated bytes of all kinds",
            [=](size_t r) { return static_cast<int64_t>(sample(r).value); }},
           {"reserved_bytes", kInteger, "reserved bytes at that time; NULL: not recorded", [=](size_t r) {
              return s->all_reserved.samples.empty() ? Value()
                                                     : Value(static_cast<int64_t>(s->all_reserved.at(sample(r).time)));
            }}}};
}

Table counters(const SnapshotPtr& s) {
  const Positions rows = positions(s->counter_series, [](const auto& series) { return series.samples.size(); });
  const auto info = [s, rows](size_t r) -> const trace::CounterInfo& { return s->counters[(*rows)[r].owner]; };
  const auto sample = [s, rows](size_t r) -> const trace::Sample& {
    return s->counter_series[(*rows)[r].owner].samples[(*rows)[r].index];
  };
  return {"counters",
          "Values of counters, each until the next",
          rows->size(),
          {{"name", kText, "name", [=](size_t r) { return text_value(info(r).name); }},
           {"unit", kText, "unit", [=](size_t r) { return text_value(info(r).unit); }},
           {"time_ns", kInteger, "time", [=](size_t r) { return sample(r).time; }},
           {"value", kReal, "value", [=](size_t r) { return sample(r).value; }}}};
}

Table frames(const SnapshotPtr& s) {
  const Positions rows = positions(s->stacks, [](const auto& stack) { return stack.frames.size(); });
  const auto frame = [s, rows](size_t r) -> const trace::StackFrame& {
    return s->stacks[(*rows)[r].owner].frames[(*rows)[r].index];
  };
  return {"frames",
          "Frames of call stacks, the innermost first",
          rows->size(),
          {{"stack", kInteger, "number of the stack", [=](size_t r) { return int64_t{(*rows)[r].owner}; }},
           {"depth", kInteger, "0: innermost", [=](size_t r) { return int64_t{(*rows)[r].index}; }},
           {"function", kText, "function", [=](size_t r) { return text_value(s->name(frame(r).function)); }},
           {"file", kText, "source file", [=](size_t r) { return text_value(s->name(frame(r).file)); }},
           {"line", kInteger, "line; NULL: unknown",
            [=](size_t r) { return frame(r).line > 0 ? Value(int64_t{frame(r).line}) : Value(); }},
           {"allocations", kInteger, "allocations of the whole stack",
            [=](size_t r) { return std::ssize(s->stacks[(*rows)[r].owner].allocations); }}}};
}

Table devices(const SnapshotPtr& s) {
  const auto device = [s](size_t r) -> const trace::DeviceInfo& { return s->devices[r]; };
  return {"devices",
          "Devices",
          s->devices.size(),
          {{"id", kInteger, "number of the device", [=](size_t r) { return id_value(device(r).id); }},
           {"name", kText, "name", [=](size_t r) { return text_value(device(r).name); }},
           {"backend", kText, "backend", [=](size_t r) { return text_value(device(r).backend); }},
           {"memory_bytes", kInteger, "its memory; NULL: unknown",
            [=](size_t r) { return device(r).memory_bytes > 0 ? Value(device(r).memory_bytes) : Value(); }}}};
}

Table problems(const SnapshotPtr& s) {
  constexpr const char* kSeverities[] = {"note", "warning", "error"};
  return {"problems",
          "Messages about the recording",
          s->problems.size(),
          {{"severity", kText, "note, warning or error",
            [=](size_t r) { return std::string(kSeverities[static_cast<size_t>(s->problems[r].severity)]); }},
           {"message", kText, "message", [=](size_t r) { return text_value(s->problems[r].sentence); }},
           {"time_ns", kInteger, "time", [=](size_t r) { return s->problems[r].time; }}}};
}

}  // namespace

std::vector<Table> tables_of(SnapshotPtr s) {
  return {graphs(s),   nodes(s),  leaves(s), plans(s),       plan_tensors(s), runs(s),   tracks(s),  spans(s),
          barriers(s), memory(s), spaces(s), allocations(s), counters(s),     frames(s), devices(s), problems(s)};
}

std::optional<trace::SpanRef> span_of_row(const Snapshot& snapshot, size_t row) {
  for (size_t t = 0; t < snapshot.tracks.size(); ++t)
    for (size_t l = 0; l < snapshot.tracks[t].lanes.size(); ++l) {
      const size_t rows = snapshot.tracks[t].lanes[l].rows.size();
      if (row < rows)
        return trace::SpanRef{trace::TrackId(static_cast<int32_t>(t)), static_cast<uint32_t>(l),
                              static_cast<uint32_t>(row)};
      row -= rows;
    }
  return std::nullopt;
}

const trace::SpaceAllocation* allocation_of_row(const Snapshot& snapshot, size_t row) {
  if (row >= snapshot.space_slices.size() + snapshot.open_space_slices.size()) return nullptr;
  return &either(snapshot.space_slices, snapshot.open_space_slices, row);
}

Quantity quantity_of(std::string_view column) {
  constexpr std::string_view kMoments[] = {"time_ns",          "begin_ns",        "end_ns",
                                           "first_arrival_ns", "last_arrival_ns", "last_leave_ns"};
  if (std::ranges::find(kMoments, column) != std::end(kMoments)) return Quantity::Moment;
  if (column == "ns" || column.ends_with("_ns")) return Quantity::Duration;
  return column == "bytes" || column.ends_with("_bytes") ? Quantity::Bytes : Quantity::Number;
}

const std::vector<NamedQuery>& named_queries() {
  static const std::vector<NamedQuery> queries{
      {"slowest-nodes", QT_TRANSLATE_NOOP("Queries", "nodes by median time"),
       "SELECT name, op, median_ns, wait_ns, runs FROM nodes WHERE median_ns IS NOT NULL ORDER BY median_ns DESC LIMIT "
       "20"},
      {"time-by-op", QT_TRANSLATE_NOOP("Queries", "work by op, summed over the nodes"),
       "SELECT op, count(*) AS nodes, sum(median_ns) AS median_ns FROM nodes WHERE median_ns IS NOT NULL "
       "GROUP BY op ORDER BY 3 DESC"},
      {"longest-waits", QT_TRANSLATE_NOOP("Queries", "nodes by barrier wait"),
       "SELECT n.name, count(*) AS barriers, sum(b.wait_ns) AS wait_ns FROM barriers b JOIN runs r ON r.id = b.run "
       "JOIN nodes n ON n.graph = r.graph AND n.id = b.node GROUP BY n.graph, n.id ORDER BY 3 DESC LIMIT 20"},
      {"spans-by-name", QT_TRANSLATE_NOOP("Queries", "named spans, work and kernels by total time"),
       "SELECT name, kind, count(*) AS spans, sum(duration_ns) AS total_ns, max(duration_ns) AS longest_ns FROM spans "
       "GROUP BY name, kind ORDER BY total_ns DESC LIMIT 30"},
      {"at-the-peak", QT_TRANSLATE_NOOP("Queries", "allocations that are live at the peak, by owner"),
       "WITH peak AS (SELECT time_ns AS t FROM memory ORDER BY allocated_bytes DESC, time_ns LIMIT 1) "
       "SELECT owner, count(*) AS blocks, sum(bytes) AS bytes FROM allocations, peak "
       "WHERE begin_ns <= t AND (end_ns IS NULL OR end_ns > t) GROUP BY owner ORDER BY bytes DESC"},
      {"largest-allocations", QT_TRANSLATE_NOOP("Queries", "the largest allocations"),
       "SELECT owner, bytes, requested_bytes, begin_ns, end_ns, allocator FROM allocations ORDER BY bytes DESC LIMIT "
       "20"},
      {"plans", QT_TRANSLATE_NOOP("Queries", "arena and lower bound of each plan"),
       "SELECT planner, order_name, arena_bytes, lower_bound_bytes, 1.0 * arena_bytes / lower_bound_bytes AS ratio "
       "FROM plans WHERE lower_bound_bytes > 0"},
  };
  return queries;
}

}  // namespace arenascope::query
