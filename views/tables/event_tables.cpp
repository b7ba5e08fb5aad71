// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of barriers, allocators, plans and problems.

#include <arenascope/trace/space_use.h>
#include <views/common/choice_names.h>
#include <views/common/format.h>
#include <QCoreApplication>

#include <cmath>
#include <map>
#include <set>

#include <views/tables/compare_columns.h>

namespace arenascope::views {
namespace {

struct EventTablesTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

QString track_name(const trace::Snapshot& snapshot, trace::TrackId id) {
  return id.valid() && id.index() < snapshot.tracks.size() ? text(snapshot.tracks[id.index()].info.name) : QString();
}

Column bytes_figure_column(const QString& title, const QString& tip, std::function<std::string(size_t)> id,
                           std::function<double(size_t)> get, std::function<bool(size_t)> there = nullptr) {
  return figure_column(title, tip, FigureUnit::Bytes, std::move(id), std::move(get), std::move(there));
}

Column time_column(const QString& title, const QString& tip, std::function<std::string(size_t)> id,
                   std::function<double(size_t)> get) {
  return figure_column(title, tip, FigureUnit::Time, std::move(id), std::move(get));
}

// Limited to the current run: a live recording would make an endless table. The latest barriers are last.
std::vector<uint32_t> barriers_of(const trace::Snapshot& snapshot, trace::RunId run) {
  std::vector<uint32_t> rows;
  for (size_t i = snapshot.barriers.size(); i-- > 0;) {
    const trace::Barrier& barrier = snapshot.barriers[i];
    if (run.valid() && barrier.run.value < run.value) break;
    if (!run.valid() || barrier.run == run) rows.push_back(static_cast<uint32_t>(i));
  }
  std::reverse(rows.begin(), rows.end());
  return rows;
}

// Running with another plan describes the graph again: the same nodes with the same numbers.
bool same_nodes(const trace::Snapshot& s, trace::GraphId a, trace::GraphId b) {
  if (a == b) return true;
  if (!a.valid() || !b.valid() || a.index() >= s.graphs.size() || b.index() >= s.graphs.size()) return false;
  const auto same = [](const trace::TensorInfo& x, const trace::TensorInfo& y) {
    return x.name == y.name && x.bytes == y.bytes;
  };
  const trace::GraphInfo &x = *s.graphs[a.index()], &y = *s.graphs[b.index()];
  return x.leafs.size() == y.leafs.size() &&
         std::equal(x.nodes.begin(), x.nodes.end(), y.nodes.begin(), y.nodes.end(), same);
}

using Plans = std::vector<std::shared_ptr<const trace::PlanInfo>>;

// All plans; of plans that differ only in planning time, the first.
Plans plans_of(const TableInput& input) {
  Plans plans;
  for (const auto& plan : input.snapshot->plans) {
    if (input.graph && !same_nodes(*input.snapshot, plan->graph, input.graph->id)) continue;
    const bool again = std::any_of(plans.begin(), plans.end(), [&](const auto& p) {
      return p->planner == plan->planner && p->order_name == plan->order_name && p->arena_bytes == plan->arena_bytes &&
             p->capacity_bytes == plan->capacity_bytes && p->budget_seconds == plan->budget_seconds &&
             p->slices == plan->slices;
    });
    if (!again || (input.plan && plan->id == input.plan->id)) plans.push_back(plan);
  }
  return plans;
}

// Bars for the arena and its lower bound, relative to the largest arena. The bound is also a mark on the arena's bar,
// to show the gap.
void show_bars(Table& table, const std::shared_ptr<const Plans>& plans) {
  constexpr size_t kArena = 3, kBound = 4;  // columns
  Bytes largest = 1;
  for (const auto& plan : *plans) largest = std::max(largest, plan->arena_bytes);
  const auto share = [plans, largest](Bytes trace::PlanInfo::*bytes) {
    return [=](size_t r) { return static_cast<double>((*plans)[r].get()->*bytes) / static_cast<double>(largest); };
  };
  table.columns[kArena].bar = share(&trace::PlanInfo::arena_bytes);
  table.columns[kArena].mark = share(&trace::PlanInfo::lower_bound_bytes);
  table.columns[kBound].bar = share(&trace::PlanInfo::lower_bound_bytes);
  table.sorted_by = kArena;
}

// ● the plan of the current run; ○ the plan shown in its place.
QString use_mark(trace::PlanId id, trace::PlanId shown, trace::PlanId used) {
  return used.valid() && id == used      ? QStringLiteral("●")
         : !shown.valid() || id != shown ? QString()
         : used.valid()                  ? QStringLiteral("○")
                                         : QStringLiteral("●");
}

// False: the reserved bytes of the kind are unknown.
bool has_reservations(const trace::Snapshot& snapshot, trace::MemoryKind kind) {
  return !snapshot.series(kind, trace::MemoryCount::Reserved).samples.empty();
}

// The unallocated part of a kind's reserved memory, and the number of reservations and releases.
void add_reserve_columns(Table& table, const SnapshotPtr& snapshot, std::function<trace::MemoryKind(size_t row)> kind) {
  const auto last = [snapshot, kind](size_t r, trace::MemoryCount count) {
    const auto& samples = snapshot->series(kind(r), count).samples;
    return samples.size() == 0 ? 0.0 : samples[samples.size() - 1].value;
  };
  const auto recorded = [snapshot, kind](size_t r) { return has_reservations(*snapshot, kind(r)); };
  table.columns.push_back(bytes_figure_column(
      EventTablesTexts::tr("Unallocated"),
      EventTablesTexts::tr("Reserved but not allocated: cached for the next request, or waste inside blocks"),
      [kind](size_t r) { return kind_figure(kind(r), "kept.end"); },
      [last](size_t r) {
        return std::max(last(r, trace::MemoryCount::Reserved) - last(r, trace::MemoryCount::Active), 0.0);
      },
      recorded));
  table.columns.push_back(figure_column(
      EventTablesTexts::tr("Reserved changes"),
      EventTablesTexts::tr(
          "Reservations and releases together: how often memory was obtained from the system or released to it"),
      FigureUnit::Count, [kind](size_t r) { return kind_figure(kind(r), "reserved.changes"); },
      [snapshot, kind](size_t r) {
        return static_cast<double>(snapshot->series(kind(r), trace::MemoryCount::Reserved).samples.size());
      },
      recorded));
}

// The latest state reported by the allocators of a kind.
struct KindState {
  bool reported = false;
  int64_t hits = 0, misses = 0;
  Bytes cached = 0, waste = 0, largest = 0, deferred = 0;
  std::map<int32_t, Bytes> streams;

  double fragmentation() const { return 1 - static_cast<double>(largest) / static_cast<double>(cached); }
};

KindState state_of(const trace::Snapshot& snapshot, trace::MemoryKind kind) {
  KindState out;
  for (const trace::AllocatorState& state : snapshot.allocator_states) {
    const trace::AllocatorInfo* allocator = snapshot.allocator(state.allocator);
    if (allocator == nullptr || allocator->kind != kind) continue;
    out.reported = true;
    out.hits += state.hits;
    out.misses += state.misses;
    out.cached += state.cached;
    out.waste += state.waste;
    out.largest += state.largest_free;
    for (const trace::StreamState& stream : state.streams) {
      out.deferred += stream.deferred;
      out.streams[stream.stream] += stream.deferred;
    }
  }
  return out;
}

// Cache hits and misses, cached bytes and their fragmentation, and deferred frees per stream.
void add_state_columns(Table& table, const SnapshotPtr& snapshot, const std::vector<trace::MemoryKind>& kinds) {
  if (snapshot->allocator_states.empty()) return;
  const auto states = std::make_shared<std::vector<std::pair<trace::MemoryKind, KindState>>>();
  std::set<int32_t> streams;
  for (const trace::MemoryKind kind : kinds) {
    states->emplace_back(kind, state_of(*snapshot, kind));
    for (const auto& [stream, bytes] : states->back().second.streams) streams.insert(stream);
  }
  const auto add = [&](const QString& title, const QString& tip, FigureUnit unit, const std::string& what, auto get,
                       std::function<bool(const KindState&)> has) {
    table.columns.push_back(figure_column(
        title, tip, unit, [=](size_t r) { return kind_figure((*states)[r].first, what.c_str()); },
        [=](size_t r) { return static_cast<double>(get((*states)[r].second)); },
        [=](size_t r) { return has((*states)[r].second); }));
  };
  const auto reported = [](const KindState& s) { return s.reported; };
  add(
      EventTablesTexts::tr("Hits"), EventTablesTexts::tr("Requests served from reserved memory"), FigureUnit::Count,
      "hits", [](const KindState& s) { return s.hits; }, reported);
  add(
      EventTablesTexts::tr("Misses"), EventTablesTexts::tr("Requests that required a new reservation"),
      FigureUnit::Count, "misses", [](const KindState& s) { return s.misses; }, reported);
  add(
      EventTablesTexts::tr("Cached"), EventTablesTexts::tr("Reserved and available for reuse"), FigureUnit::Bytes,
      "cached", [](const KindState& s) { return s.cached; }, reported);
  add(
      EventTablesTexts::tr("Waste"), EventTablesTexts::tr("Held by rounding and by frees that wait for a stream"),
      FigureUnit::Bytes, "waste", [](const KindState& s) { return s.waste; }, reported);
  add(
      EventTablesTexts::tr("Fragmentation"),
      EventTablesTexts::tr("Share of the free memory that a single request could not get"), FigureUnit::Share,
      "fragmentation", [](const KindState& s) { return s.fragmentation(); },
      [](const KindState& s) { return s.reported && s.cached > 0; });
  for (const int32_t stream : streams)
    add(
        EventTablesTexts::tr("Deferred, stream %1").arg(stream),
        EventTablesTexts::tr("Freed, but held until the stream that uses it has finished"), FigureUnit::Bytes,
        "stream." + std::to_string(stream) + ".deferred",
        [stream](const KindState& s) {
          const auto own = s.streams.find(stream);
          return own == s.streams.end() ? Bytes{0} : own->second;
        },
        [stream](const KindState& s) { return s.streams.contains(stream); });
}

// All allocators of the kind on all devices; the figures of a row are their totals.
QString allocators_of(const trace::Snapshot& snapshot, const std::vector<trace::Space>& spaces,
                      trace::MemoryKind kind) {
  std::set<uint32_t> used;
  for (const trace::Space& space : spaces)
    if (space.kind == kind) used.insert(space.allocator);
  QStringList names, all;
  for (const trace::AllocatorInfo& a : snapshot.allocators) {
    if (a.kind != kind) continue;
    all << text(a.name);
    if (used.contains(a.id)) names << all.back();
  }
  return (names.isEmpty() ? all : names).join(QStringLiteral(", "));
}

}  // namespace

TablePtr barriers_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = EventTablesTexts::tr("No barriers: nothing ran, or only one thread was used.");
  const auto snapshot = input.snapshot;
  const auto rows = std::make_shared<const std::vector<uint32_t>>(barriers_of(*snapshot, input.run));
  auto barrier = [snapshot, rows](size_t r) -> const trace::Barrier& { return snapshot->barriers[(*rows)[r]]; };
  const Nanoseconds origin = snapshot->time.begin;
  const auto graph = input.graph;
  const auto barrier_id = [barrier](const char* what) {
    return [=](size_t r) { return barrier_figure(barrier(r), what); };
  };
  table->rows = rows->size();
  table->columns = {
      {EventTablesTexts::tr("Node"), EventTablesTexts::tr("Node after which the threads synchronised"),
       [=](size_t r) {
         const NodeId id = barrier(r).node;
         if (!graph || !id.valid() || id.index() >= graph->nodes.size()) return QString();
         const auto& node = graph->nodes[id.index()];
         return node.name.empty() ? DisplayNames::node(trace::TensorRef::node(id)) : text(node.name);
       }},
      {EventTablesTexts::tr("Op"),
       {},
       [=](size_t r) {
         const NodeId id = barrier(r).node;
         return graph && id.valid() && id.index() < graph->nodes.size() ? text(graph->nodes[id.index()].op) : QString();
       }},
      figure_column(
          EventTablesTexts::tr("Nodes"),
          EventTablesTexts::tr(
              "Nodes executed since the previous barrier; more than one if there was no barrier between them"),
          FigureUnit::Count, barrier_id("nodes"), [=](size_t r) { return static_cast<double>(barrier(r).nodes); }),
      time_column(EventTablesTexts::tr("At"),
                  EventTablesTexts::tr("Arrival of the first thread, since the start of the recording"),
                  barrier_id("at"), [=](size_t r) { return static_cast<double>(barrier(r).first_arrival - origin); }),
      {EventTablesTexts::tr("Last arriver"), EventTablesTexts::tr("Thread that the others waited for"),
       [=](size_t r) { return track_name(*snapshot, barrier(r).last_arriver); }},
      time_column(EventTablesTexts::tr("Spread"), EventTablesTexts::tr("From the first arrival to the last"),
                  barrier_id("spread"),
                  [=](size_t r) { return static_cast<double>(barrier(r).last_arrival - barrier(r).first_arrival); }),
      time_column(EventTablesTexts::tr("Waited"),
                  EventTablesTexts::tr("Total wait of all threads: the cost of the imbalance"), barrier_id("waited"),
                  [=](size_t r) { return static_cast<double>(barrier(r).wait_sum); }),
      time_column(EventTablesTexts::tr("Leaving"), EventTablesTexts::tr("From the last arrival to the last departure"),
                  barrier_id("leaving"),
                  [=](size_t r) { return static_cast<double>(barrier(r).last_leave - barrier(r).last_arrival); }),
      figure_column(EventTablesTexts::tr("Threads"), {}, FigureUnit::Count, barrier_id("threads"),
                    [=](size_t r) { return static_cast<double>(barrier(r).threads); }),
  };
  add_barrier_columns(*table, input, barrier);
  if (graph) table->selection = [=](size_t r) { return Selection::node(graph->id, barrier(r).node); };
  table->inside = [=](size_t r, const RangeFilter& f) {
    return f.has_time(barrier(r).first_arrival, barrier(r).last_leave + 1);
  };
  return table;
}

TablePtr allocators_table(const TableInput& input) {
  struct Line {
    QString name;
    trace::MemoryKind kind;
  };
  auto table = std::make_shared<Table>();
  table->empty_text = EventTablesTexts::tr("No memory was allocated yet.");
  const auto snapshot = input.snapshot;
  auto lines = std::make_shared<std::vector<Line>>();
  const auto spaces = snapshot->spaces_in(snapshot->time.begin, snapshot->time.end + 1, trace::kMaxSpaceAllocations);
  for (size_t k = 0; k < trace::kMemoryKinds; ++k) {
    const auto kind = static_cast<trace::MemoryKind>(k);
    if (snapshot->series(kind, trace::MemoryCount::Active).samples.size() == 0 &&
        snapshot->series(kind, trace::MemoryCount::Reserved).samples.size() == 0)
      continue;
    lines->push_back({allocators_of(*snapshot, spaces, kind), kind});
  }
  auto last = [snapshot, lines](size_t r, trace::MemoryCount count) {
    const auto& samples = snapshot->series((*lines)[r].kind, count).samples;
    return samples.size() == 0 ? 0.0 : samples[samples.size() - 1].value;
  };
  auto changes = [snapshot, lines](size_t r) {
    return static_cast<double>(snapshot->series((*lines)[r].kind, trace::MemoryCount::Active).samples.size());
  };
  const auto kind_id = [lines](const char* what) {
    return [=](size_t r) { return kind_figure((*lines)[r].kind, what); };
  };
  const auto reserved_known = [snapshot, lines](size_t r) { return has_reservations(*snapshot, (*lines)[r].kind); };
  using trace::MemoryCount;
  table->rows = lines->size();
  table->columns = {
      {EventTablesTexts::tr("Kind"), EventTablesTexts::tr("Use of the memory"),
       [lines](size_t r) { return DisplayNames::kind((*lines)[r].kind); }},
      {EventTablesTexts::tr("Allocator"), {}, [lines](size_t r) { return (*lines)[r].name; }},
      bytes_figure_column(EventTablesTexts::tr("Active"), EventTablesTexts::tr("Currently allocated"),
                          kind_id("active.end"), [last](size_t r) { return last(r, MemoryCount::Active); }),
      bytes_figure_column(
          EventTablesTexts::tr("Reserved"), EventTablesTexts::tr("Currently obtained from the system"),
          kind_id("reserved.end"), [last](size_t r) { return last(r, MemoryCount::Reserved); }, reserved_known),
      bytes_figure_column(
          EventTablesTexts::tr("Peak active"), {}, kind_id("active.peak"),
          [=](size_t r) { return static_cast<double>(snapshot->peak((*lines)[r].kind, MemoryCount::Active)); }),
      bytes_figure_column(
          EventTablesTexts::tr("Peak reserved"), {}, kind_id("reserved.peak"),
          [=](size_t r) { return static_cast<double>(snapshot->peak((*lines)[r].kind, MemoryCount::Reserved)); },
          reserved_known),
      figure_column(EventTablesTexts::tr("Changes"), EventTablesTexts::tr("Allocations and frees together"),
                    FigureUnit::Count, kind_id("active.changes"), changes),
  };
  add_reserve_columns(*table, snapshot, [lines](size_t r) { return (*lines)[r].kind; });
  std::vector<trace::MemoryKind> kinds;
  for (const Line& line : *lines) kinds.push_back(line.kind);
  add_state_columns(*table, snapshot, kinds);
  add_allocator_columns(*table, input, [lines](size_t r) { return (*lines)[r].kind; });
  return table;
}

TablePtr planners_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text =
      EventTablesTexts::tr("No plan yet. “Memory ▸ Run All Planners” tries every planner with every order.");
  const auto plans = std::make_shared<const Plans>(plans_of(input));
  const auto current = input.plan;
  auto ratio = [plans](size_t r) {
    const auto& p = *(*plans)[r];
    return p.lower_bound_bytes > 0 ? static_cast<double>(p.arena_bytes) / static_cast<double>(p.lower_bound_bytes)
                                   : 1.0;
  };
  auto change = [plans, current](size_t r) {
    return current ? static_cast<double>((*plans)[r]->arena_bytes - current->arena_bytes) : 0.0;
  };
  const auto plan_id = [plans](const char* what) {
    return [=](size_t r) { return plan_figure((*plans)[r]->id, what); };
  };
  table->rows = plans->size();
  table->columns = {
      {EventTablesTexts::tr("In use"), EventTablesTexts::tr("●: plan of the current run; ○: plan shown in its place"),
       [plans, shown = current ? current->id : trace::PlanId(), used = input.in_use](size_t r) {
         return use_mark((*plans)[r]->id, shown, used);
       }},
      {EventTablesTexts::tr("Planner"), {}, [plans](size_t r) { return planner_text((*plans)[r]->planner); }},
      {EventTablesTexts::tr("Order"), {}, [plans](size_t r) { return order_text((*plans)[r]->order_name); }},
      bytes_figure_column(EventTablesTexts::tr("Arena"),
                          EventTablesTexts::tr("Size of the one block that holds all activations"), plan_id("arena"),
                          [plans](size_t r) { return static_cast<double>((*plans)[r]->arena_bytes); }),
      bytes_figure_column(EventTablesTexts::tr("Lower bound"),
                          EventTablesTexts::tr("Largest sum of live bytes: no plan of this order can be smaller"),
                          plan_id("lower_bound"),
                          [plans](size_t r) { return static_cast<double>((*plans)[r]->lower_bound_bytes); }),
      figure_column(EventTablesTexts::tr("Ratio"), EventTablesTexts::tr("Arena over lower bound; 1 is perfect"),
                    FigureUnit::Ratio, plan_id("ratio"), ratio),
      with_unit(
          FigureUnit::Bytes,
          {EventTablesTexts::tr("Δ vs. current"), {}, [change](size_t r) { return signed_bytes(change(r)); }, change}),
      time_column(
          EventTablesTexts::tr("Planning"), EventTablesTexts::tr("Planning time"), plan_id("planning"),
          [plans](size_t r) { return static_cast<double>(static_cast<Nanoseconds>((*plans)[r]->seconds * 1e9)); }),
      figure_column(
          EventTablesTexts::tr("Budget"),
          EventTablesTexts::tr("Search time limit of the planner; empty if it does not search"), FigureUnit::Time,
          plan_id("budget"),
          [plans](size_t r) {
            return static_cast<double>(static_cast<Nanoseconds>((*plans)[r]->budget_seconds * 1e9));
          },
          [plans](size_t r) { return (*plans)[r]->budget_seconds > 0; }),
  };
  show_bars(*table, plans);
  table->id = [plans](size_t r) { return static_cast<int64_t>((*plans)[r]->id.index()); };
  add_planner_columns(*table, input, [plans](size_t r) -> const trace::PlanInfo& { return *(*plans)[r]; });
  return table;
}

TablePtr problems_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = EventTablesTexts::tr("No problems.");
  const auto snapshot = input.snapshot;
  auto rows = std::make_shared<std::vector<const trace::Problem*>>();
  const auto take = [&](const trace::Snapshot& from) {
    for (size_t i = 0; i < from.problems.size(); ++i) rows->push_back(&from.problems[i]);
  };
  take(*snapshot);
  if (snapshot->lost > 0) rows->push_back(nullptr);
  const size_t ours = rows->size();
  const SnapshotPtr other = input.comparison ? input.comparison->other.snapshot : nullptr;
  if (other) take(*other);
  table->rows = rows->size();
  auto severity = [rows](size_t r) { return (*rows)[r] ? (*rows)[r]->severity : trace::Severity::Warning; };
  auto word = [severity](size_t r) {
    switch (severity(r)) {
      case trace::Severity::Error: return EventTablesTexts::tr("Error");
      case trace::Severity::Warning: return EventTablesTexts::tr("Warning");
      default: return EventTablesTexts::tr("Note");
    }
  };
  table->columns = {
      {EventTablesTexts::tr("Severity"), {}, word, [severity](size_t r) { return static_cast<double>(severity(r)); }},
      {EventTablesTexts::tr("Problem"),
       {},
       [rows, snapshot, other](size_t r) {
         return (*rows)[r] ? text((*rows)[r]->sentence)
                           : EventTablesTexts::tr("%1 events were lost because a ring buffer was full.")
                                 .arg(format_count(snapshot->lost));
       }},
  };
  if (other)
    table->columns.push_back({EventTablesTexts::tr("In"),
                              EventTablesTexts::tr("A: only in this document, B: only in the other"),
                              [ours](size_t r) { return r < ours ? QStringLiteral("A") : QStringLiteral("B"); }});
  const auto graph = input.graph;
  if (graph)
    table->selection = [=](size_t r) {
      return r < ours && (*rows)[r] && (*rows)[r]->node.valid() ? Selection::node(graph->id, (*rows)[r]->node)
                                                                : Selection();
    };
  return table;
}

}  // namespace arenascope::views
