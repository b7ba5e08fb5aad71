// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/spaces.h>
#include "inspector_page.h"

#include <algorithm>
#include <map>
#include <set>

namespace arenascope::views::inspector {
namespace {

constexpr size_t kMostRows = 8;
constexpr size_t kMostSpans = 50'000;  // of a range of time, summed up by name

QString share_of(double part, double whole) {
  return whole > 0 ? QStringLiteral(" (%1)").arg(format_percent(part / whole)) : QString();
}

QString time_text(double ns) { return format_ns(static_cast<Nanoseconds>(ns)); }

// Names and what they sum up to, the largest first.
template <class Key>
std::vector<std::pair<Key, std::pair<int64_t, double>>> ranked(const std::map<Key, std::pair<int64_t, double>>& sums) {
  std::vector<std::pair<Key, std::pair<int64_t, double>>> order(sums.begin(), sums.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second.second != b.second.second ? a.second.second > b.second.second : a.second.first > b.second.first;
  });
  return order;
}

void ranked_rows(Page& page, const QString& heading, const std::map<std::string, std::pair<int64_t, double>>& sums,
                 double whole) {
  if (sums.size() < 2) return;
  page.section(heading);
  size_t shown = 0;
  for (const auto& [name, sum] : ranked(sums)) {
    if (shown++ == kMostRows) {
      page.row(QStringLiteral("…"), Texts::tr("%n other(s)", nullptr, static_cast<int>(sums.size() - kMostRows)));
      break;
    }
    QString value = QStringLiteral("%1×").arg(sum.first);
    if (sum.second > 0) value += QStringLiteral("  %1%2").arg(time_text(sum.second), share_of(sum.second, whole));
    page.row(safe(name), value);
  }
}

// What some nodes of the graph are and take together.
void work(Page& page, const std::vector<NodeId>& nodes) {
  const trace::GraphInfo& graph = *page.in.graph;
  const std::vector<trace::NodeStats> stats = page.in.snapshot->stats(graph.id);
  double all = 0, time = 0, wait = 0;
  for (const trace::NodeStats& s : stats) all += s.mean;
  Bytes results = 0, weights = 0, work_bytes = 0;
  int64_t flops = 0;
  std::set<uint32_t> given;
  std::map<std::string, std::pair<int64_t, double>> by_op, by_layer;
  for (NodeId id : nodes) {
    const TensorInfo& node = graph.nodes[id.index()];
    const double mean = id.index() < stats.size() ? stats[id.index()].mean : 0;
    time += mean;
    if (id.index() < stats.size()) wait += stats[id.index()].wait;
    if ((node.flags & trace::kView) == 0) results += node.bytes;
    work_bytes = std::max(work_bytes, node.work_bytes);
    flops += node.flops;
    if (!node.op.empty()) {
      auto& sum = by_op[node.op];
      ++sum.first;
      sum.second += mean;
    }
    if (!node.layer.empty()) {
      auto& sum = by_layer[node.layer];
      ++sum.first;
      sum.second += mean;
    }
    for (TensorRef source : node.sources) {
      const TensorInfo* leaf = source.is_leaf() ? page.info(source) : nullptr;
      if (leaf != nullptr && (leaf->flags & (trace::kWeight | trace::kParameter)) != 0 &&
          given.insert(source.value).second)
        weights += leaf->bytes;
    }
  }
  page.section(Texts::tr("Sums"));
  page.row(Texts::tr("nodes"), format_count(static_cast<int64_t>(nodes.size())));
  if (time > 0) page.row(Texts::tr("mean a run"), time_text(time) + share_of(time, all));
  if (wait > 0) page.row(Texts::tr("waiting behind them"), Texts::tr("%1 a run, all threads").arg(time_text(wait)));
  page.row(Texts::tr("results"), format_bytes(results));
  if (weights > 0) page.row(Texts::tr("weights"), format_bytes(weights));
  if (work_bytes > 0) page.row(Texts::tr("largest work buffer"), format_bytes(work_bytes));
  if (flops > 0) page.row(Texts::tr("operations"), format_count(flops));
  ranked_rows(page, Texts::tr("By op"), by_op, time);
  ranked_rows(page, Texts::tr("By layer"), by_layer, time);
}

// What each row did in a stretch of time, and, where wanted, what ran by its name.
void spans_between(Page& page, Nanoseconds begin, Nanoseconds end, bool by_names) {
  const trace::Snapshot& snapshot = *page.in.snapshot;
  std::map<std::string, std::pair<int64_t, double>> by_track, by_name;
  bool all = true;
  for (size_t t = 0; t < snapshot.tracks.size(); ++t) {
    const auto spans = snapshot.spans_exact(trace::TrackId(t), begin, end, kMostSpans);
    all = all && spans.size() < kMostSpans;
    for (const trace::SpanRef& span : spans) {
      const trace::Event& e = snapshot.event(span);
      const auto inside = static_cast<double>(std::min(e.end(), end) - std::max(e.begin(), begin));
      const bool waits = e.kind() == trace::EventKind::Wait || e.kind() == trace::EventKind::Between;
      if (by_names) {
        auto& name = by_name[snapshot.label(e)];
        ++name.first;
        name.second += inside;
      }
      if (span.lane > 0 || waits) continue;  // what is nested is in the span around it
      auto& track = by_track[snapshot.tracks[t].info.name];
      ++track.first;
      track.second += inside;
    }
  }
  const auto whole = static_cast<double>(end - begin);
  ranked_rows(page, Texts::tr("By thread or queue"), by_track, whole);
  if (by_names) ranked_rows(page, Texts::tr("By name, what is nested too"), by_name, whole);
  if (!all) page.line(Texts::tr("Of the first %1 spans of each row.").arg(format_count(kMostSpans)));
}

// The step with most live bytes in a range, and how long the range lasts.
void memory(Page& page, Step first, Step last) {
  const trace::StepMap map = page.in.snapshot->steps(page.in.run);
  if (!map.empty()) page.row(Texts::tr("lasts"), format_ns(map.time_of(last.value) - map.time_of(first.value)));
  if (page.in.plan == nullptr) return;
  const std::vector<Bytes> live = trace::Snapshot::occupancy(*page.in.plan);
  Bytes most = 0;
  int32_t at = -1;
  for (int32_t s = std::max(first.value, 0); s < last.value && static_cast<size_t>(s) < live.size(); ++s)
    if (live[static_cast<size_t>(s)] > most) most = live[static_cast<size_t>(s)], at = s;
  if (at >= 0) page.row(Texts::tr("most live bytes"), Texts::tr("%1 at step %2").arg(format_bytes(most)).arg(at));
}

std::vector<TensorRef> refs(const std::vector<NodeId>& nodes) {
  std::vector<TensorRef> out;
  for (NodeId node : nodes) out.push_back(TensorRef::node(node));
  return out;
}

// From when to when a layer holds memory, and what of it stays behind its last step.
void layer_lifetime(Page& page, const LayerSelection& layer) {
  const auto steps = steps_of(layer, page.in.plan);
  if (!steps) return;
  page.section(Texts::tr("Lifetime"));
  page.row(Texts::tr("steps"), QStringLiteral("[%1, %2)").arg(steps->first.value).arg(steps->last.value));
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
  page.row(Texts::tr("last result used in"), QStringLiteral("%1").arg(until.value - 1));
  if (count > 0)
    page.row(Texts::tr("kept behind it"), Texts::tr("%1 of %n tensor(s)", nullptr, count).arg(format_bytes(kept)));
}

}  // namespace

QString range_text(Bytes offset, Bytes size) {
  return QStringLiteral("[%1, +%2)").arg(format_address(offset), format_bytes(size));
}

void steps_page(Page& page, const StepRangeSelection& range) {
  page.title(Texts::tr("Steps %1 to %2").arg(range.first.value).arg(range.last.value - 1),
             Texts::tr("%n step(s)", nullptr, range.last.value - range.first.value));
  memory(page, range.first, range.last);
  if (page.in.plan == nullptr || page.in.graph == nullptr) return;
  std::vector<NodeId> nodes;
  for (int32_t s = std::max(range.first.value, 0);
       s < range.last.value && static_cast<size_t>(s) < page.in.plan->order.size(); ++s)
    if (page.in.plan->order[static_cast<size_t>(s)].index() < page.in.graph->nodes.size())
      nodes.push_back(page.in.plan->order[static_cast<size_t>(s)]);
  work(page, nodes);
  if (const trace::StepMap map = page.in.snapshot->steps(page.in.run); !map.empty())
    spans_between(page, map.time_of(range.first.value), map.time_of(range.last.value), false);
  page.links(Texts::tr("Nodes"), refs(nodes));
}

void layer_page(Page& page, const LayerSelection& layer) {
  page.title(safe(layer.name), Texts::tr("layer of %n node(s)", nullptr, static_cast<int>(layer.nodes.size())));
  if (page.in.graph == nullptr || (!layer.nodes.empty() && layer.nodes.back().index() >= page.in.graph->nodes.size()))
    return;
  work(page, layer.nodes);
  layer_lifetime(page, layer);
  // What it reads of other layers, and what others read of it.
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
  page.title(Texts::tr("A range of time"), format_ns(range.end - range.begin));
  page.row(Texts::tr("begins"), format_ns(range.begin - snapshot.time.begin));
  if (!snapshot.all_active.samples.empty()) {
    if (const auto most = snapshot.all_active.highest(range.begin, range.end))
      page.row(Texts::tr("most allocated"), format_bytes(static_cast<Bytes>(most->value)));
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
    page.section(Texts::tr("Memory"));
    page.row(Texts::tr("taken"), QStringLiteral("%1×  %2").arg(taken).arg(format_bytes(taken_bytes)));
    page.row(Texts::tr("given back"), QStringLiteral("%1×  %2").arg(given).arg(format_bytes(given_bytes)));
  }
  spans_between(page, range.begin, range.end, true);
}

void addresses_page(Page& page, const AddressRangeSelection& range) {
  page.title(Texts::tr("Addresses"), range_text(range.first, range.last - range.first));
  if (page.in.plan == nullptr) return;
  std::vector<TensorRef> tensors;
  for (const trace::SliceInfo& slice : page.in.plan->slices)
    if (slice.offset < range.last && slice.offset + slice.size > range.first) tensors.push_back(slice.tensor);
  page.links(Texts::tr("Tensors"), tensors);
}

void allocation_page(Page& page, const AllocationSelection& allocation) {
  const trace::Snapshot& snapshot = *page.in.snapshot;
  const auto there = snapshot.space_slices_in(allocation.begin, allocation.begin + 1, trace::kMostSpaceSlices);
  const trace::SpaceSlice* found = nullptr;
  Bytes live = 0;
  for (const trace::SpaceSlice& slice : there) {
    if (slice.begin == allocation.begin && slice.address == allocation.address && slice.device == allocation.device)
      found = &slice;
    live += slice.bytes;
  }
  if (found == nullptr) return;
  page.title(Texts::tr("Allocation at %1").arg(format_address(static_cast<Bytes>(found->address))),
             format_bytes_exact(found->bytes));
  page.row(Texts::tr("for"), Words::kind(found->kind));
  page.row(Texts::tr("allocator"), allocator_name(snapshot, found->allocator).toHtmlEscaped());
  page.row(Texts::tr("asked for"), format_bytes_exact(found->asked));
  if (found->asked < found->bytes) page.row(Texts::tr("waste"), format_bytes_exact(found->bytes - found->asked));
  page.row(Texts::tr("taken"), format_ns(found->begin - snapshot.time.begin));
  page.row(Texts::tr("given back"),
           found->open ? Texts::tr("not by the end of the trace") : format_ns(found->end - snapshot.time.begin));
  page.row(Texts::tr("lasts"), format_ns(found->end - found->begin));
  for (const trace::Space& space :
       snapshot.spaces_in(allocation.begin, allocation.begin + 1, trace::kMostSpaceSlices)) {
    if (space.device != found->device || found->address - space.address >= static_cast<uint64_t>(space.bytes)) continue;
    page.section(Texts::tr("Space"));
    page.row(Texts::tr("bytes"), range_text(static_cast<Bytes>(space.address), space.bytes));
    page.row(Texts::tr("lies at"),
             QStringLiteral("+%1").arg(format_bytes(static_cast<Bytes>(found->address - space.address))));
    page.row(Texts::tr("of"), allocator_name(snapshot, space.allocator).toHtmlEscaped());
    page.row(Texts::tr("image"), image_text(space.image));
  }
  page.section(Texts::tr("When it was taken"));
  page.row(Texts::tr("live then"),
           Texts::tr("%1 in %2 allocations").arg(format_bytes(live), format_count(static_cast<int64_t>(there.size()))));
  stack_section(page, found->block);
}

}  // namespace arenascope::views::inspector
