// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/common/slices.h>
#include <views/common/spaces.h>

#include <algorithm>

namespace arenascope::views {

Chains chains_of(const trace::PlanInfo& plan) {
  Chains c;
  const size_t n = plan.slices.size();
  c.root.resize(n);
  c.reused_at.resize(n);
  c.has_followers.assign(n, false);
  c.next.assign(n, -1);
  std::unordered_map<uint32_t, uint32_t> of_tensor;
  of_tensor.reserve(n);
  for (uint32_t i = 0; i < n; ++i) {
    of_tensor.emplace(plan.slices[i].tensor.value, i);
    c.root[i] = i;
    c.reused_at[i] = plan.slices[i].last.value;
  }
  std::vector<uint32_t> by_start(n);
  for (uint32_t i = 0; i < n; ++i) by_start[i] = i;
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](uint32_t a, uint32_t b) { return plan.slices[a].first < plan.slices[b].first; });
  for (const uint32_t i : by_start) {
    const trace::SliceInfo& s = plan.slices[i];
    if (!s.in_place_of.valid()) continue;
    const auto source = of_tensor.find(s.in_place_of.value);
    if (source == of_tensor.end() || source->second == i) continue;
    const trace::SliceInfo& o = plan.slices[source->second];
    if (o.offset != s.offset || o.first > s.first) continue;  // at another location: not drawn as a chain
    c.root[i] = c.root[source->second];
    c.has_followers[c.root[i]] = true;
    if (s.first.value <= c.reused_at[source->second]) {
      c.reused_at[source->second] = s.first.value;
      c.next[source->second] = static_cast<int32_t>(i);
    }
  }
  return c;
}

namespace {
uint64_t run_tensor(trace::RunId run, trace::TensorRef tensor) {
  return static_cast<uint64_t>(static_cast<uint32_t>(run.value)) << 32 | tensor.value;
}
}  // namespace

VisibleEnds::VisibleEnds(const trace::Snapshot& snapshot, const AxisFrame& axis,
                         const std::vector<trace::ArenaAllocation>& seen)
    : snapshot_(snapshot), axis_(axis) {
  if (axis.mode != AxisMode::Time) return;
  begins_.reserve(seen.size());
  for (const trace::ArenaAllocation& s : seen) begins_[run_tensor(s.run, s.tensor)] = s.begin;
}

const VisibleEnds::OfPlan* VisibleEnds::of(const trace::PlanInfo* plan) {
  if (plan == nullptr) return nullptr;
  const auto [at, fresh] = plans_.try_emplace(plan);
  if (fresh) {
    at->second.chains = chains_of(*plan);
    OfPlan& own = at->second;
    for (uint32_t i = 0; i < plan->slices.size(); ++i) own.of_tensor.emplace(plan->slices[i].tensor.value, i);
    for (uint32_t i = 0; i < plan->slices.size(); ++i) {
      const auto whole = own.of_tensor.find(plan->slices[i].part_of.value);
      if (!plan->slices[i].part_of.valid() || whole == own.of_tensor.end()) continue;
      const int32_t joined = plan->slices[whole->second].first.value;
      if (joined >= own.chains.reused_at[i]) continue;
      own.chains.reused_at[i] = joined;
      own.chains.next[i] = static_cast<int32_t>(whole->second);
    }
  }
  return &at->second;
}

double VisibleEnds::end(const trace::ArenaAllocation& slice) {
  const double own = live_rect_of(slice, axis_).x1;
  const trace::PlanInfo* plan = snapshot_.plan_of(slice.run);
  const OfPlan* known = of(plan);
  if (known == nullptr) return own;
  const auto found = known->of_tensor.find(slice.tensor.value);
  const int32_t next = found == known->of_tensor.end() ? -1 : known->chains.next[found->second];
  if (next < 0) return own;
  if (axis_.mode == AxisMode::Step) return std::min(own, axis_.x_of_step(known->chains.reused_at[found->second]));
  const auto begins = begins_.find(run_tensor(slice.run, plan->slices[static_cast<size_t>(next)].tensor));
  return begins != begins_.end() && begins->second > slice.begin ? std::min(own, axis_.x_of_time(begins->second)) : own;
}

const trace::TensorInfo* SliceText::tensor(const trace::GraphInfo* graph, trace::TensorRef ref) {
  if (!graph || !ref.valid()) return nullptr;
  const auto& list = ref.is_leaf() ? graph->leafs : graph->nodes;
  return ref.index() < list.size() ? &list[ref.index()] : nullptr;
}

QString SliceText::level(int32_t level) {
  switch (level) {
    case 0: return tr("no reuse");
    case 1: return tr("first level of reuse");
    case 2: return tr("second level of reuse");
    default: return tr("level %1 of reuse").arg(level);
  }
}

namespace {

// "block 3, second level of reuse"
FigureText block_name(trace::PlanId plan, const trace::SliceInfo& slice) {
  FigureText level = plain_text(SliceText::level(slice.level));
  const Figure number = figure(slice_figure(plan, slice.tensor, "level"), slice.level, FigureUnit::Number);
  if (slice.level > 2) level.figures.push_back(number);
  return with_parts(
      SliceText::tr("block %1, %2"),
      {figure_text(figure(slice_figure(plan, slice.tensor, "block"), slice.block.value, FigureUnit::Number)), level});
}

FigureText planned_lifetime(const trace::PlanInfo& plan, const trace::SliceInfo& slice, const trace::GraphInfo* graph) {
  const auto of = [&](const char* what, double value, FigureUnit unit) {
    return figure(slice_figure(plan.id, slice.tensor, what), value, unit);
  };
  const int32_t count = slice.last.value - slice.first.value;
  const FigureText steps{SliceText::tr("%n step(s)", nullptr, count), {of("steps", count, FigureUnit::Number)}, {}};
  FigureText out = with_parts(SliceText::tr("live from step %1 to %2, for %3"),
                              {figure_text(of("first", slice.first.value, FigureUnit::Step)),
                               figure_text(of("last", slice.last.value, FigureUnit::EndStep)), steps});
  if (slice.block.valid()) out.line(block_name(plan.id, slice));
  if (!slice.in_place_of.valid()) return out;
  const trace::TensorInfo* source = SliceText::tensor(graph, slice.in_place_of);
  return out.line(
      with_parts(SliceText::tr("in place of %1"),
                 {name_text(source ? QString::fromStdString(source->name) : DisplayNames::node(slice.in_place_of))}));
}

// "f32 · 1 × 64 · output"
FigureText tensor_summary(trace::GraphId graph, trace::TensorRef ref, const trace::TensorInfo& tensor) {
  return title_text(tensor, ref)
      .line(with_parts(SliceText::tr("%1 · %2 · %3"),
                       {name_text(QString::fromStdString(tensor.dtype)), shape_text(graph, ref, tensor),
                        plain_text(DisplayNames::role(tensor))}));
}

}  // namespace

FigureText SliceText::describe(trace::TensorRef ref, const SliceFacts& known) {
  const trace::TensorInfo* t = tensor(known.graph, ref);
  FigureText out = t ? tensor_summary(known.graph->id, ref, *t) : name_text(DisplayNames::node(ref));
  const trace::SliceInfo* slice = known.slice;
  const trace::ArenaAllocation* seen = known.seen;
  const auto key = [&](const char* what) {
    return run_figure(seen->run, "residency.") + (ref.is_leaf() ? "leaf." : "node.") + std::to_string(ref.index()) +
           "." + std::to_string(seen->begin - known.origin) + "." + what;
  };
  const auto id = [&](const char* what) {
    return slice ? slice_figure(known.plan->id, ref, what) : seen ? key(what) : std::string();
  };
  const Bytes bytes = slice ? slice->size : seen ? seen->bytes : 0;
  const Bytes offset = slice ? slice->offset : seen ? seen->offset : 0;
  out.line(exact_text(id("bytes"), bytes));
  out.line(with_figures(tr("address %1 to %2"),
                        {figure(id("offset"), static_cast<double>(offset), FigureUnit::Address),
                         figure(id("end"), static_cast<double>(offset + bytes), FigureUnit::Address)}));
  if (slice) out.line(planned_lifetime(*known.plan, *slice, known.graph));
  if (seen)
    out.line(with_figures(seen->open ? tr("alive for %1 so far") : tr("alive for %1"),
                          {figure(key("lived"), static_cast<double>(seen->end - seen->begin), FigureUnit::Time)}));
  else if (known.mention_unseen)
    out.line(plain_text(tr("planned, not observed")));
  return out;
}

FigureText SliceText::describe(const trace::Snapshot& s, const trace::SpaceAllocation& slice) {
  FigureText out;
  if (const trace::TensorInfo* t = s.tensor(slice.graph, slice.tensor))
    out = tensor_summary(slice.graph, slice.tensor, *t);
  out.line(with_parts(QStringLiteral("%1 · %2"),
                      {plain_text(DisplayNames::kind(slice.kind)), name_text(allocator_name(s, slice.allocator))}));
  out.line(exact_text(block_figure(s, slice, "bytes"), slice.bytes));
  if (slice.asked < slice.bytes)
    out.line(with_parts(tr("requested %1, waste %2"),
                        {exact_text(block_figure(s, slice, "asked"), slice.asked),
                         exact_text(block_figure(s, slice, "waste"), slice.bytes - slice.asked)}));
  const auto address = static_cast<Bytes>(slice.address);
  return out.line(with_figures(
      tr("address %1 to %2"),
      {figure("chosen.address", static_cast<double>(address), FigureUnit::Address),
       figure(block_figure(s, slice, "end"), static_cast<double>(address + slice.bytes), FigureUnit::Address)}));
}

FigureText SliceText::lifetime_text(const trace::Snapshot& s, const trace::SpaceAllocation& slice) {
  return with_figures(
      slice.open ? tr("alive for %1 so far") : tr("alive for %1"),
      {figure(block_figure(s, slice, "lived"), static_cast<double>(slice.end - slice.begin), FigureUnit::Time)});
}

}  // namespace arenascope::views
