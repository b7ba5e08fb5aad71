// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/trace/recorded.h>
#include <views/common/spaces.h>
#include <views/common/steps_text.h>
#include "facts_builder.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace arenascope::views::inspector {
namespace {

constexpr size_t kMaxRows = 8;
constexpr size_t kMaxSpans = 50'000;  // spans of a time range, aggregated by name

// Builds the audit id of a sum over a layer's nodes or a range of steps.
using FigureId = std::function<std::string(const std::string&)>;

FigureText with_share(const FigureText& text, const FigureId& id, const std::string& what, double part, double whole) {
  if (whole <= 0) return text;
  return with_parts(QStringLiteral("%1 (%2)"), {text, figure_text(figure(id(what), part / whole, FigureUnit::Share))});
}

FigureText time_text(std::string id, double ns) { return figure_text(figure(std::move(id), ns, FigureUnit::Time)); }
FigureText bytes_text(std::string id, Bytes bytes) {
  return figure_text(figure(std::move(id), static_cast<double>(bytes), FigureUnit::Bytes));
}
FigureText count_text(std::string id, int64_t count) {
  return figure_text(figure(std::move(id), static_cast<double>(count), FigureUnit::Count));
}

// Count and sum, by name.
using Sums = std::map<std::string, std::pair<int64_t, double>>;

// Rows sorted by decreasing sum. `of`: prefix of their ids, such as "op."; `time`: the last part of the ids.
void ranked_rows(FactsBuilder& facts, const QString& heading, const Sums& sums, double whole, const FigureId& id,
                 const std::string& of, const std::string& time) {
  if (sums.size() < 2) return;
  std::vector<std::pair<std::string, std::pair<int64_t, double>>> order(sums.begin(), sums.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second.second != b.second.second ? a.second.second > b.second.second : a.second.first > b.second.first;
  });
  facts.section(heading);
  size_t shown = 0;
  for (const auto& [name, sum] : order) {
    if (shown++ == kMaxRows) {
      const auto more = static_cast<int>(sums.size() - kMaxRows);
      facts.row(
          QStringLiteral("…"),
          FigureText{Texts::tr("%n other(s)", nullptr, more), {figure("chosen.rows", more, FigureUnit::Number)}, {}});
      break;
    }
    const auto own = [&](const char* what) { return id(of + what + "." + name); };
    FigureText value =
        with_figures(QStringLiteral("%1×"), {figure(own("count"), static_cast<double>(sum.first), FigureUnit::Number)});
    if (sum.second > 0)
      value.add(with_share(time_text(own(time.c_str()), sum.second), id, of + "share." + name, sum.second, whole),
                QStringLiteral("  "));
    facts.row(to_text(name), value);
  }
}

struct WorkSums {
  double all = 0, time = 0, wait = 0;
  Bytes results = 0, weights = 0, work_bytes = 0;
  bool sized = false;  // the sizes of some results were recorded
  int64_t flops = 0;
  Sums by_op, by_layer;
};

WorkSums sums_of(const FactsBuilder& facts, const std::vector<NodeId>& nodes) {
  const trace::GraphInfo& graph = *facts.in.graph;
  const std::vector<trace::NodeStats> stats = facts.in.snapshot->stats(graph.id);
  WorkSums out;
  for (const trace::NodeStats& s : stats) out.all += s.mean;
  std::set<uint32_t> given;
  for (NodeId id : nodes) {
    const TensorInfo& node = graph.nodes[id.index()];
    const double mean = id.index() < stats.size() ? stats[id.index()].mean : 0;
    out.time += mean;
    if (id.index() < stats.size()) out.wait += stats[id.index()].wait;
    if ((node.flags & trace::kView) == 0) out.results += node.bytes;
    out.sized |= has_size(node);
    out.work_bytes = std::max(out.work_bytes, node.work_bytes);
    out.flops += node.flops;
    const auto add = [&](Sums& sums, const std::string& name) {
      if (name.empty()) return;
      auto& sum = sums[name];
      ++sum.first;
      sum.second += mean;
    };
    add(out.by_op, node.op);
    add(out.by_layer, node.layer);
    for (TensorRef source : node.sources) {
      const TensorInfo* leaf = source.is_leaf() ? facts.info(source) : nullptr;
      if (leaf != nullptr && (leaf->flags & (trace::kWeight | trace::kParameter)) != 0 &&
          given.insert(source.value).second)
        out.weights += leaf->bytes;
    }
  }
  return out;
}

// Totals of a set of nodes.
void work(FactsBuilder& facts, const std::vector<NodeId>& nodes, const FigureId& id) {
  const WorkSums s = sums_of(facts, nodes);
  facts.section(Texts::tr("Totals"));
  facts.row(Texts::tr("nodes"), count_text(id("nodes"), static_cast<int64_t>(nodes.size())));
  if (s.time > 0)
    facts.row(Texts::tr("mean per run"), with_share(time_text(id("mean"), s.time), id, "mean_share", s.time, s.all));
  if (s.wait > 0)
    facts.row(Texts::tr("barrier wait after these nodes"),
              with_parts(Texts::tr("%1 per run, all threads"), {time_text(id("wait"), s.wait)}));
  facts.row(Texts::tr("results"),
            s.sized ? bytes_text(id("results"), s.results) : plain_text(Texts::tr("not recorded")));
  if (s.weights > 0) facts.row(Texts::tr("weights"), bytes_text(id("weights"), s.weights));
  if (s.work_bytes > 0) facts.row(Texts::tr("largest work buffer"), bytes_text(id("largest_work"), s.work_bytes));
  if (s.flops > 0) facts.row(Texts::tr("operations"), count_text(id("flops"), s.flops));
  ranked_rows(facts, Texts::tr("By op"), s.by_op, s.time, id, "op.", "mean");
  ranked_rows(facts, Texts::tr("By layer"), s.by_layer, s.time, id, "layer.", "mean");
}

FigureId of_time(const FactsBuilder& facts, Nanoseconds begin, Nanoseconds end) {
  const Nanoseconds origin = facts.in.snapshot->time.begin;
  return [=](const std::string& what) { return figure_id("time", begin - origin, end - origin, what); };
}

// Activity of each track in a time interval, and optionally totals by span name.
void spans_between(FactsBuilder& facts, Nanoseconds begin, Nanoseconds end, bool by_names) {
  const trace::Snapshot& snapshot = *facts.in.snapshot;
  Sums by_track, by_name;
  bool all = true;
  for (size_t t = 0; t < snapshot.tracks.size(); ++t) {
    const auto spans = snapshot.spans_exact(trace::TrackId(t), begin, end, kMaxSpans);
    all = all && spans.size() < kMaxSpans;
    for (const trace::SpanRef& span : spans) {
      const trace::Event& e = snapshot.event(span);
      const auto inside = static_cast<double>(std::min(e.end(), end) - std::max(e.begin(), begin));
      const bool waits = e.kind() == trace::EventKind::Wait || e.kind() == trace::EventKind::Between;
      if (by_names) {
        auto& name = by_name[snapshot.label(e)];
        ++name.first;
        name.second += inside;
      }
      if (span.lane > 0 || waits) continue;  // nested spans are included in their parent
      auto& track = by_track[snapshot.tracks[t].info.name];
      ++track.first;
      track.second += inside;
    }
  }
  const auto whole = static_cast<double>(end - begin);
  const FigureId id = of_time(facts, begin, end);
  ranked_rows(facts, Texts::tr("By thread or queue"), by_track, whole, id, "track.", "time");
  if (by_names) ranked_rows(facts, Texts::tr("By name, including nested spans"), by_name, whole, id, "name.", "time");
  if (!all)
    facts.line(with_parts(Texts::tr("Only the first %1 spans of each row are included."),
                          {count_text("chosen.most", kMaxSpans)}));
}

// Duration of a range of steps without pauses, and the step with the most live bytes in the plan.
void memory(FactsBuilder& facts, Step first, Step last) {
  const trace::StepMap map = facts.in.snapshot->steps(facts.in.run);
  if (!map.empty()) {
    const Nanoseconds begin = map.time_of(first.value), end = map.time_of(last.value);
    Nanoseconds time = end - begin;
    if (const trace::Run* run = facts.in.snapshot->run(facts.in.run); run != nullptr && run->table)
      for (const trace::TimeRange& pause : run->table->pauses)
        time -= std::max<Nanoseconds>(0, std::min(pause.end, end) - std::max(pause.begin, begin));
    facts.row(Texts::tr("duration"),
              time_text(figure_id("run", facts.in.run.value, "steps", first.value, last.value, "lasts"),
                        static_cast<double>(time)));
  }
  if (facts.in.plan == nullptr) return;
  const std::vector<Bytes> live = trace::Snapshot::occupancy(*facts.in.plan);
  Bytes most = 0;
  int32_t at = -1;
  for (int32_t s = std::max(first.value, 0); s < last.value && static_cast<size_t>(s) < live.size(); ++s)
    if (live[static_cast<size_t>(s)] > most) most = live[static_cast<size_t>(s)], at = s;
  const auto id = [&](const char* what) {
    return figure_id("plan", facts.in.plan->id.value, "steps", first.value, last.value, what);
  };
  if (at >= 0)
    facts.row(Texts::tr("most live bytes, planned"),
              with_parts(Texts::tr("%1 at step %2"), {bytes_text(id("max_live"), most),
                                                      figure_text(figure(id("max_live_step"), at, FigureUnit::Step))}));
}

std::vector<TensorRef> refs(const std::vector<NodeId>& nodes) {
  std::vector<TensorRef> out;
  for (NodeId node : nodes) out.push_back(TensorRef::node(node));
  return out;
}

// The steps during which a layer holds memory, and the tensors that stay live after its last step.
void layer_lifetime(FactsBuilder& facts, const LayerSelection& layer) {
  const auto steps = steps_of(layer, facts.in.plan);
  if (!steps) return;
  const auto of_layer = [&](const char* what, int32_t value, FigureUnit unit) {
    const std::string of = "plan." + std::to_string(facts.in.plan->id.value);
    return figure(nodes_figure(of, *facts.in.graph, layer.nodes, what), value, unit);
  };
  facts.section(Texts::tr("Lifetime"));
  facts.row(Texts::tr("steps"), steps_text(of_layer("first", steps->first.value, FigureUnit::Step),
                                           of_layer("end", steps->last.value, FigureUnit::EndStep)));
  memory(facts, steps->first, steps->last);
  Step until = steps->last;
  Bytes kept = 0;
  int count = 0;
  for (const trace::SliceInfo& slice : facts.in.plan->slices) {
    if (!means(layer, slice.tensor, *facts.in.snapshot)) continue;
    until = std::max(until, slice.last);
    if (slice.last <= steps->last) continue;
    kept += slice.size;
    ++count;
  }
  facts.row(Texts::tr("last use of the results"), of_layer("last_use", until.value - 1, FigureUnit::Step));
  if (count == 0) return;
  FigureText kept_text = with_parts(Texts::tr("%1 of %n tensor(s)", nullptr, count),
                                    {bytes_text(of_layer("kept", 0, FigureUnit::Bytes).id, kept)});
  kept_text.figures.push_back(of_layer("kept_tensors", count, FigureUnit::Number));
  facts.row(Texts::tr("kept after it"), kept_text);
}

Figure chosen(const char* what, double value, FigureUnit unit = FigureUnit::Number) {
  return figure(std::string("chosen.") + what, value, unit);
}

}  // namespace

QString range_text(Bytes offset, Bytes size) {
  return QStringLiteral("[%1, +%2)").arg(format_address(offset), format_bytes(size));
}

void steps_facts(FactsBuilder& facts, const StepRangeSelection& range) {
  const int32_t count = range.last.value - range.first.value;
  facts.title(with_figures(Texts::tr("Steps %1 to %2"), {chosen("first", range.first.value, FigureUnit::Step),
                                                         chosen("last", range.last.value, FigureUnit::EndStep)}),
              FigureText{Texts::tr("%n step(s)", nullptr, count), {chosen("steps", count)}, {}});
  memory(facts, range.first, range.last);
  if (facts.in.plan == nullptr || facts.in.graph == nullptr) return;
  std::vector<NodeId> nodes;
  for (int32_t s = std::max(range.first.value, 0);
       s < range.last.value && static_cast<size_t>(s) < facts.in.plan->order.size(); ++s)
    if (facts.in.plan->order[static_cast<size_t>(s)].index() < facts.in.graph->nodes.size())
      nodes.push_back(facts.in.plan->order[static_cast<size_t>(s)]);
  work(facts, nodes, [&](const std::string& what) {
    return figure_id("plan", facts.in.plan->id.value, "steps", std::max(range.first.value, 0), range.last.value, what);
  });
  if (const trace::StepMap map = facts.in.snapshot->steps(facts.in.run); !map.empty())
    spans_between(facts, map.time_of(range.first.value), map.time_of(range.last.value), false);
  facts.links(Texts::tr("Nodes"), refs(nodes));
}

void layer_facts(FactsBuilder& facts, const LayerSelection& layer) {
  const bool known =
      facts.in.graph != nullptr && (layer.nodes.empty() || layer.nodes.back().index() < facts.in.graph->nodes.size());
  const std::string of = "graph." + std::to_string(facts.in.graph ? facts.in.graph->id.value : -1);
  const FigureId id = [&](const std::string& what) {
    return known ? nodes_figure(of, *facts.in.graph, layer.nodes, what) : std::string();
  };
  const auto count = static_cast<int>(layer.nodes.size());
  facts.title(name_text(to_text(layer.name)), FigureText{Texts::tr("layer of %n node(s)", nullptr, count),
                                                         {figure(id("nodes"), count, FigureUnit::Number)},
                                                         {}});
  if (!known) return;
  work(facts, layer.nodes, id);
  layer_lifetime(facts, layer);
  // Inputs from other layers, and results used by other layers.
  std::set<TensorRef> in, out;
  for (size_t i = 0; i < facts.in.graph->nodes.size(); ++i) {
    const bool inside = std::binary_search(layer.nodes.begin(), layer.nodes.end(), NodeId(i));
    for (TensorRef source : facts.in.graph->nodes[i].sources) {
      if (!source.is_node()) continue;
      const bool from_inside = std::binary_search(layer.nodes.begin(), layer.nodes.end(), NodeId(source.index()));
      if (inside && !from_inside) in.insert(source);
      if (!inside && from_inside) out.insert(source);
    }
  }
  facts.links(Texts::tr("Reads"), std::vector<TensorRef>(in.begin(), in.end()));
  facts.links(Texts::tr("Read by other layers"), std::vector<TensorRef>(out.begin(), out.end()));
  facts.links(Texts::tr("Nodes"), refs(layer.nodes));
}

void time_facts(FactsBuilder& facts, const TimeRangeSelection& range) {
  const trace::Snapshot& snapshot = *facts.in.snapshot;
  const FigureId id = of_time(facts, range.begin, range.end);
  facts.title(plain_text(Texts::tr("Time range")),
              figure_text(chosen("length", static_cast<double>(range.end - range.begin), FigureUnit::Time)));
  facts.row(Texts::tr("begin"),
            figure_text(chosen("begin", static_cast<double>(range.begin - snapshot.time.begin), FigureUnit::Time)));
  if (!snapshot.all_active.samples.empty()) {
    if (const auto most = snapshot.all_active.highest(range.begin, range.end))
      facts.row(Texts::tr("peak allocated"), bytes_text(id("most_allocated"), static_cast<Bytes>(most->value)));
  }
  int64_t taken = 0, given = 0;
  Bytes taken_bytes = 0, given_bytes = 0;
  for (size_t i = 0; i < snapshot.memory_events.size(); ++i) {
    const trace::Event& e = snapshot.event(snapshot.memory_events[i]);
    if (e.begin() < range.begin || e.begin() >= range.end) continue;
    if (e.kind() == trace::EventKind::Alloc) ++taken, taken_bytes += e.b;
    if (e.kind() == trace::EventKind::Free) ++given, given_bytes += e.b;
  }
  if (taken + given > 0) {
    const auto both = [&](const char* what, int64_t count, Bytes bytes) {
      return with_parts(QStringLiteral("%1×  %2"),
                        {figure_text(figure(id(what), static_cast<double>(count), FigureUnit::Number)),
                         bytes_text(id(std::string(what) + "_bytes"), bytes)});
    };
    facts.section(Texts::tr("Memory"));
    facts.row(Texts::tr("allocated"), both("taken", taken, taken_bytes));
    facts.row(Texts::tr("freed"), both("given", given, given_bytes));
  }
  spans_between(facts, range.begin, range.end, true);
}

void addresses_facts(FactsBuilder& facts, const AddressRangeSelection& range) {
  facts.title(plain_text(Texts::tr("Addresses")),
              with_figures(QStringLiteral("[%1, +%2)"),
                           {chosen("address", static_cast<double>(range.first), FigureUnit::Address),
                            chosen("bytes", static_cast<double>(range.last - range.first), FigureUnit::Bytes)}));
  if (facts.in.plan == nullptr) return;
  std::vector<TensorRef> tensors;
  for (const trace::SliceInfo& slice : facts.in.plan->slices)
    if (slice.offset < range.last && slice.offset + slice.size > range.first) tensors.push_back(slice.tensor);
  facts.links(Texts::tr("Tensors"), tensors);
}

namespace {

void space_section(FactsBuilder& facts, const trace::SpaceAllocation& slice, const trace::Space& space) {
  const trace::Snapshot& s = *facts.in.snapshot;
  facts.section(Texts::tr("Space"));
  facts.row(Texts::tr("bytes"),
            with_parts(QStringLiteral("[%1, +%2)"),
                       {figure_text(chosen("address", static_cast<double>(space.address), FigureUnit::Address)),
                        bytes_text(piece_figure(s, space, "bytes"), space.bytes)}));
  facts.row(Texts::tr("offset"),
            with_figures(QStringLiteral("+%1"),
                         {chosen("offset", static_cast<double>(slice.address - space.address), FigureUnit::Bytes)}));
  facts.row(Texts::tr("allocator"), name_text(allocator_name(s, space.allocator)));
  facts.row(Texts::tr("image"), image_text(s, space));
}

}  // namespace

void allocation_facts(FactsBuilder& facts, const AllocationSelection& allocation) {
  const trace::Snapshot& snapshot = *facts.in.snapshot;
  const auto there = snapshot.space_slices_in(allocation.begin, allocation.begin + 1, trace::kMaxSpaceAllocations);
  const trace::SpaceAllocation* found = nullptr;
  Bytes live = 0;
  for (const trace::SpaceAllocation& slice : there) {
    if (slice.begin == allocation.begin && slice.address == allocation.address && slice.device == allocation.device)
      found = &slice;
    live += slice.bytes;
  }
  if (found == nullptr) return;
  const auto of = [&](const char* what) { return block_figure(snapshot, *found, what); };
  const auto time = [&](const char* what, Nanoseconds ns) { return time_text(of(what), static_cast<double>(ns)); };
  facts.title(with_figures(Texts::tr("Allocation at %1"),
                           {chosen("address", static_cast<double>(found->address), FigureUnit::Address)}),
              exact_text(of("bytes"), found->bytes));
  facts.row(Texts::tr("purpose"), DisplayNames::kind(found->kind));
  facts.row(Texts::tr("allocator"), name_text(allocator_name(snapshot, found->allocator)));
  facts.row(Texts::tr("requested"), exact_text(of("asked"), found->asked));
  if (found->asked < found->bytes) facts.row(Texts::tr("waste"), exact_text(of("waste"), found->bytes - found->asked));
  facts.row(Texts::tr("allocated"), time("from", found->begin - snapshot.time.begin));
  facts.row(Texts::tr("freed"), found->open ? plain_text(Texts::tr("still allocated at the end of the trace"))
                                            : time("until", found->end - snapshot.time.begin));
  facts.row(Texts::tr("duration"), time("lived", found->end - found->begin));
  for (const trace::Space& space :
       snapshot.spaces_in(allocation.begin, allocation.begin + 1, trace::kMaxSpaceAllocations)) {
    if (space.device != found->device || found->address - space.address >= static_cast<uint64_t>(space.bytes)) continue;
    space_section(facts, *found, space);
  }
  facts.section(Texts::tr("At allocation"));
  const std::string at = figure_id("recording.at", found->begin - snapshot.time.begin) + ".";
  facts.row(
      Texts::tr("live at that time"),
      with_parts(Texts::tr("%1 in %2 allocations"), {bytes_text(at + "block_bytes", live),
                                                     count_text(at + "blocks", static_cast<int64_t>(there.size()))}));
  stack_section(facts, found->block);
}

}  // namespace arenascope::views::inspector
