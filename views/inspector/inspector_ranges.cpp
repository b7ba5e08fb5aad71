// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/trace/recorded.h>
#include <views/common/spaces.h>
#include "inspector_page.h"

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
void ranked_rows(Page& page, const QString& heading, const Sums& sums, double whole, const FigureId& id,
                 const std::string& of, const std::string& time) {
  if (sums.size() < 2) return;
  std::vector<std::pair<std::string, std::pair<int64_t, double>>> order(sums.begin(), sums.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second.second != b.second.second ? a.second.second > b.second.second : a.second.first > b.second.first;
  });
  page.section(heading);
  size_t shown = 0;
  for (const auto& [name, sum] : order) {
    if (shown++ == kMaxRows) {
      const auto more = static_cast<int>(sums.size() - kMaxRows);
      page.row(
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
    page.row(safe(name), value);
  }
}

struct WorkSums {
  double all = 0, time = 0, wait = 0;
  Bytes results = 0, weights = 0, work_bytes = 0;
  bool sized = false;  // the sizes of some results were recorded
  int64_t flops = 0;
  Sums by_op, by_layer;
};

WorkSums sums_of(const Page& page, const std::vector<NodeId>& nodes) {
  const trace::GraphInfo& graph = *page.in.graph;
  const std::vector<trace::NodeStats> stats = page.in.snapshot->stats(graph.id);
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
      const TensorInfo* leaf = source.is_leaf() ? page.info(source) : nullptr;
      if (leaf != nullptr && (leaf->flags & (trace::kWeight | trace::kParameter)) != 0 &&
          given.insert(source.value).second)
        out.weights += leaf->bytes;
    }
  }
  return out;
}

// Totals of a set of nodes.
void work(Page& page, const std::vector<NodeId>& nodes, const FigureId& id) {
  const WorkSums s = sums_of(page, nodes);
  page.section(Texts::tr("Totals"));
  page.row(Texts::tr("nodes"), count_text(id("nodes"), static_cast<int64_t>(nodes.size())));
  if (s.time > 0)
    page.row(Texts::tr("mean per run"), with_share(time_text(id("mean"), s.time), id, "mean_share", s.time, s.all));
  if (s.wait > 0)
    page.row(Texts::tr("barrier wait after these nodes"),
             with_parts(Texts::tr("%1 per run, all threads"), {time_text(id("wait"), s.wait)}));
  page.row(Texts::tr("results"),
           s.sized ? bytes_text(id("results"), s.results) : plain_text(Texts::tr("not recorded")));
  if (s.weights > 0) page.row(Texts::tr("weights"), bytes_text(id("weights"), s.weights));
  if (s.work_bytes > 0) page.row(Texts::tr("largest work buffer"), bytes_text(id("largest_work"), s.work_bytes));
  if (s.flops > 0) page.row(Texts::tr("operations"), count_text(id("flops"), s.flops));
  ranked_rows(page, Texts::tr("By op"), s.by_op, s.time, id, "op.", "mean");
  ranked_rows(page, Texts::tr("By layer"), s.by_layer, s.time, id, "layer.", "mean");
}

FigureId of_time(const Page& page, Nanoseconds begin, Nanoseconds end) {
  const Nanoseconds origin = page.in.snapshot->time.begin;
  return [=](const std::string& what) { return figure_id("time", begin - origin, end - origin, what); };
}

// Activity of each track in a time interval, and optionally totals by span name.
void spans_between(Page& page, Nanoseconds begin, Nanoseconds end, bool by_names) {
  const trace::Snapshot& snapshot = *page.in.snapshot;
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
  const FigureId id = of_time(page, begin, end);
  ranked_rows(page, Texts::tr("By thread or queue"), by_track, whole, id, "track.", "time");
  if (by_names) ranked_rows(page, Texts::tr("By name, including nested spans"), by_name, whole, id, "name.", "time");
  if (!all)
    page.line(with_parts(Texts::tr("Only the first %1 spans of each row are included."),
                         {count_text("chosen.most", kMaxSpans)}));
}

// Duration of a range of steps without pauses, and the step with the most live bytes in the plan.
void memory(Page& page, Step first, Step last) {
  const trace::StepMap map = page.in.snapshot->steps(page.in.run);
  if (!map.empty()) {
    const Nanoseconds begin = map.time_of(first.value), end = map.time_of(last.value);
    Nanoseconds time = end - begin;
    if (const trace::Run* run = page.in.snapshot->run(page.in.run); run != nullptr && run->table)
      for (const trace::TimeRange& pause : run->table->pauses)
        time -= std::max<Nanoseconds>(0, std::min(pause.end, end) - std::max(pause.begin, begin));
    page.row(Texts::tr("duration"),
             time_text(figure_id("run", page.in.run.value, "steps", first.value, last.value, "lasts"),
                       static_cast<double>(time)));
  }
  if (page.in.plan == nullptr) return;
  const std::vector<Bytes> live = trace::Snapshot::occupancy(*page.in.plan);
  Bytes most = 0;
  int32_t at = -1;
  for (int32_t s = std::max(first.value, 0); s < last.value && static_cast<size_t>(s) < live.size(); ++s)
    if (live[static_cast<size_t>(s)] > most) most = live[static_cast<size_t>(s)], at = s;
  const auto id = [&](const char* what) {
    return figure_id("plan", page.in.plan->id.value, "steps", first.value, last.value, what);
  };
  if (at >= 0)
    page.row(
        Texts::tr("most live bytes, planned"),
        with_parts(Texts::tr("%1 at step %2"), {bytes_text(id("max_live"), most),
                                                figure_text(figure(id("max_live_step"), at, FigureUnit::Number))}));
}

std::vector<TensorRef> refs(const std::vector<NodeId>& nodes) {
  std::vector<TensorRef> out;
  for (NodeId node : nodes) out.push_back(TensorRef::node(node));
  return out;
}

// The steps during which a layer holds memory, and the tensors that stay live after its last step.
void layer_lifetime(Page& page, const LayerSelection& layer) {
  const auto steps = steps_of(layer, page.in.plan);
  if (!steps) return;
  const auto step = [&](const char* what, int32_t s) {
    const std::string of = "plan." + std::to_string(page.in.plan->id.value);
    return figure(nodes_figure(of, *page.in.graph, layer.nodes, what), s, FigureUnit::Number);
  };
  page.section(Texts::tr("Lifetime"));
  page.row(Texts::tr("steps"), with_figures(QStringLiteral("[%1, %2)"),
                                            {step("first", steps->first.value), step("end", steps->last.value)}));
  memory(page, steps->first, steps->last);
  Step until = steps->last;
  Bytes kept = 0;
  int count = 0;
  for (const trace::SliceInfo& slice : page.in.plan->slices) {
    if (!means(layer, slice.tensor, *page.in.snapshot)) continue;
    until = std::max(until, slice.last);
    if (slice.last <= steps->last) continue;
    kept += slice.size;
    ++count;
  }
  page.row(Texts::tr("last use of the results"), step("last_use", until.value - 1));
  if (count == 0) return;
  FigureText kept_text =
      with_parts(Texts::tr("%1 of %n tensor(s)", nullptr, count), {bytes_text(step("kept", 0).id, kept)});
  kept_text.figures.push_back(step("kept_tensors", count));
  page.row(Texts::tr("kept after it"), kept_text);
}

Figure chosen(const char* what, double value, FigureUnit unit = FigureUnit::Number) {
  return figure(std::string("chosen.") + what, value, unit);
}

}  // namespace

QString range_text(Bytes offset, Bytes size) {
  return QStringLiteral("[%1, +%2)").arg(format_address(offset), format_bytes(size));
}

void steps_page(Page& page, const StepRangeSelection& range) {
  const int32_t count = range.last.value - range.first.value;
  page.title(with_figures(Texts::tr("Steps %1 to %2"),
                          {chosen("first", range.first.value), chosen("last", range.last.value - 1)}),
             FigureText{Texts::tr("%n step(s)", nullptr, count), {chosen("steps", count)}, {}});
  memory(page, range.first, range.last);
  if (page.in.plan == nullptr || page.in.graph == nullptr) return;
  std::vector<NodeId> nodes;
  for (int32_t s = std::max(range.first.value, 0);
       s < range.last.value && static_cast<size_t>(s) < page.in.plan->order.size(); ++s)
    if (page.in.plan->order[static_cast<size_t>(s)].index() < page.in.graph->nodes.size())
      nodes.push_back(page.in.plan->order[static_cast<size_t>(s)]);
  work(page, nodes, [&](const std::string& what) {
    return figure_id("plan", page.in.plan->id.value, "steps", std::max(range.first.value, 0), range.last.value, what);
  });
  if (const trace::StepMap map = page.in.snapshot->steps(page.in.run); !map.empty())
    spans_between(page, map.time_of(range.first.value), map.time_of(range.last.value), false);
  page.links(Texts::tr("Nodes"), refs(nodes));
}

void layer_page(Page& page, const LayerSelection& layer) {
  const bool known =
      page.in.graph != nullptr && (layer.nodes.empty() || layer.nodes.back().index() < page.in.graph->nodes.size());
  const std::string of = "graph." + std::to_string(page.in.graph ? page.in.graph->id.value : -1);
  const FigureId id = [&](const std::string& what) {
    return known ? nodes_figure(of, *page.in.graph, layer.nodes, what) : std::string();
  };
  const auto count = static_cast<int>(layer.nodes.size());
  page.title(name_text(safe(layer.name)), FigureText{Texts::tr("layer of %n node(s)", nullptr, count),
                                                     {figure(id("nodes"), count, FigureUnit::Number)},
                                                     {}});
  if (!known) return;
  work(page, layer.nodes, id);
  layer_lifetime(page, layer);
  // Inputs from other layers, and results used by other layers.
  std::set<TensorRef> in, out;
  for (size_t i = 0; i < page.in.graph->nodes.size(); ++i) {
    const bool inside = std::binary_search(layer.nodes.begin(), layer.nodes.end(), NodeId(i));
    for (TensorRef source : page.in.graph->nodes[i].sources) {
      if (!source.is_node()) continue;
      const bool from_inside = std::binary_search(layer.nodes.begin(), layer.nodes.end(), NodeId(source.index()));
      if (inside && !from_inside) in.insert(source);
      if (!inside && from_inside) out.insert(source);
    }
  }
  page.links(Texts::tr("Reads"), std::vector<TensorRef>(in.begin(), in.end()));
  page.links(Texts::tr("Read by other layers"), std::vector<TensorRef>(out.begin(), out.end()));
  page.links(Texts::tr("Nodes"), refs(layer.nodes));
}

void time_page(Page& page, const TimeRangeSelection& range) {
  const trace::Snapshot& snapshot = *page.in.snapshot;
  const FigureId id = of_time(page, range.begin, range.end);
  page.title(plain_text(Texts::tr("Time range")),
             figure_text(chosen("length", static_cast<double>(range.end - range.begin), FigureUnit::Time)));
  page.row(Texts::tr("begin"),
           figure_text(chosen("begin", static_cast<double>(range.begin - snapshot.time.begin), FigureUnit::Time)));
  if (!snapshot.all_active.samples.empty()) {
    if (const auto most = snapshot.all_active.highest(range.begin, range.end))
      page.row(Texts::tr("peak allocated"), bytes_text(id("most_allocated"), static_cast<Bytes>(most->value)));
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
    page.section(Texts::tr("Memory"));
    page.row(Texts::tr("allocated"), both("taken", taken, taken_bytes));
    page.row(Texts::tr("freed"), both("given", given, given_bytes));
  }
  spans_between(page, range.begin, range.end, true);
}

void addresses_page(Page& page, const AddressRangeSelection& range) {
  page.title(plain_text(Texts::tr("Addresses")),
             with_figures(QStringLiteral("[%1, +%2)"),
                          {chosen("address", static_cast<double>(range.first), FigureUnit::Address),
                           chosen("bytes", static_cast<double>(range.last - range.first), FigureUnit::Bytes)}));
  if (page.in.plan == nullptr) return;
  std::vector<TensorRef> tensors;
  for (const trace::SliceInfo& slice : page.in.plan->slices)
    if (slice.offset < range.last && slice.offset + slice.size > range.first) tensors.push_back(slice.tensor);
  page.links(Texts::tr("Tensors"), tensors);
}

namespace {

void space_section(Page& page, const trace::SpaceAllocation& slice, const trace::Space& space) {
  const trace::Snapshot& s = *page.in.snapshot;
  page.section(Texts::tr("Space"));
  page.row(Texts::tr("bytes"),
           with_parts(QStringLiteral("[%1, +%2)"),
                      {figure_text(chosen("address", static_cast<double>(space.address), FigureUnit::Address)),
                       bytes_text(piece_figure(s, space, "bytes"), space.bytes)}));
  page.row(Texts::tr("offset"),
           with_figures(QStringLiteral("+%1"),
                        {chosen("offset", static_cast<double>(slice.address - space.address), FigureUnit::Bytes)}));
  page.row(Texts::tr("allocator"), name_text(allocator_name(s, space.allocator).toHtmlEscaped()));
  page.row(Texts::tr("image"), image_text(s, space));
}

}  // namespace

void allocation_page(Page& page, const AllocationSelection& allocation) {
  const trace::Snapshot& snapshot = *page.in.snapshot;
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
  page.title(with_figures(Texts::tr("Allocation at %1"),
                          {chosen("address", static_cast<double>(found->address), FigureUnit::Address)}),
             exact_text(of("bytes"), found->bytes));
  page.row(Texts::tr("purpose"), DisplayNames::kind(found->kind));
  page.row(Texts::tr("allocator"), name_text(allocator_name(snapshot, found->allocator).toHtmlEscaped()));
  page.row(Texts::tr("requested"), exact_text(of("asked"), found->asked));
  if (found->asked < found->bytes) page.row(Texts::tr("waste"), exact_text(of("waste"), found->bytes - found->asked));
  page.row(Texts::tr("allocated"), time("from", found->begin - snapshot.time.begin));
  page.row(Texts::tr("freed"), found->open ? plain_text(Texts::tr("still allocated at the end of the trace"))
                                           : time("until", found->end - snapshot.time.begin));
  page.row(Texts::tr("duration"), time("lived", found->end - found->begin));
  for (const trace::Space& space :
       snapshot.spaces_in(allocation.begin, allocation.begin + 1, trace::kMaxSpaceAllocations)) {
    if (space.device != found->device || found->address - space.address >= static_cast<uint64_t>(space.bytes)) continue;
    space_section(page, *found, space);
  }
  page.section(Texts::tr("At allocation"));
  const std::string at = figure_id("recording.at", found->begin - snapshot.time.begin) + ".";
  page.row(Texts::tr("live at that time"), with_parts(Texts::tr("%1 in %2 allocations"),
                                                      {bytes_text(at + "block_bytes", live),
                                                       count_text(at + "blocks", static_cast<int64_t>(there.size()))}));
  stack_section(page, found->block);
}

}  // namespace arenascope::views::inspector
