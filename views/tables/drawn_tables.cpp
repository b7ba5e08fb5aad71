// SPDX-License-Identifier: GPL-3.0-or-later
// What occupancy, arena map, lifetimes and timeline draw, as tables that stand beside them.
#include <views/common/format.h>
#include <views/common/slices.h>
#include <QCoreApplication>

#include <algorithm>

#include <views/tables/space_tables.h>

namespace arenascope::views {
namespace {

using trace::TensorRef;

struct DrawnTablesTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

Column number_column(const QString& title, const QString& tip, std::function<double(size_t)> get) {
  return {title, tip, [get](size_t r) { return format_count(static_cast<int64_t>(get(r))); }, get};
}

QString name_of(const trace::GraphInfo* graph, TensorRef ref) {
  const trace::TensorInfo* info = SliceWords::tensor(graph, ref);
  return info != nullptr && !info->name.empty() ? text(info->name) : Words::node(ref);
}

}  // namespace

TablePtr occupancy_table(const TableInput& input) {
  if (lies_in_spaces(input)) return space_occupancy_table(input);
  auto table = std::make_shared<Table>();
  table->empty_text = DrawnTablesTexts::tr("No memory plan is open.");
  const auto plan = input.plan;
  const auto graph = input.graph;
  if (!plan) return table;
  const auto live = std::make_shared<const std::vector<Bytes>>(trace::Snapshot::occupancy(*plan));
  const auto tensors = std::make_shared<std::vector<int32_t>>(live->size() + 1, 0);
  for (const trace::SliceInfo& slice : plan->slices) {
    const auto first = static_cast<size_t>(std::max(slice.first.value, 0)),
               last = static_cast<size_t>(std::max(slice.last.value, 0));
    if (first >= last || last >= tensors->size()) continue;
    ++(*tensors)[first];
    --(*tensors)[last];
  }
  for (size_t i = 1; i < tensors->size(); ++i) (*tensors)[i] += (*tensors)[i - 1];
  table->rows = live->size();
  auto node = [plan](size_t r) { return r < plan->order.size() ? plan->order[r] : NodeId(); };
  const auto step_id = [plan](const char* what) {
    return [=](size_t r) { return plan_figure(plan->id, ("step." + std::to_string(r) + "." + what).c_str()); };
  };
  const auto bound = static_cast<double>(plan->lower_bound_bytes), arena = static_cast<double>(plan->arena_bytes);
  table->columns = {
      number_column(DrawnTablesTexts::tr("Step"), DrawnTablesTexts::tr("Counted in the order of the plan"),
                    [](size_t r) { return static_cast<double>(r); }),
      {DrawnTablesTexts::tr("Name"), DrawnTablesTexts::tr("The node that runs in this step"),
       [graph, node](size_t r) {
         return node(r).valid() ? name_of(graph.get(), TensorRef::node(node(r))) : QString();
       }},
      figure_column(DrawnTablesTexts::tr("Live"), DrawnTablesTexts::tr("Bytes of all tensors that are still needed"),
                    FigureUnit::Bytes, step_id("live"), [live](size_t r) { return static_cast<double>((*live)[r]); }),
      figure_column(DrawnTablesTexts::tr("Tensors"), DrawnTablesTexts::tr("How many live in this step"),
                    FigureUnit::Count, step_id("tensors"),
                    [tensors](size_t r) { return static_cast<double>((*tensors)[r]); }),
      figure_column(
          DrawnTablesTexts::tr("Of bound"),
          DrawnTablesTexts::tr("Live bytes as a share of the lower bound, the largest sum of live bytes"),
          FigureUnit::Share, step_id("of_bound"),
          [live, bound](size_t r) { return bound > 0 ? static_cast<double>((*live)[r]) / bound : 0.0; },
          [bound](size_t) { return bound > 0; }),
      figure_column(DrawnTablesTexts::tr("Free in arena"),
                    DrawnTablesTexts::tr("Bytes of the arena that nobody uses in this step"), FigureUnit::Bytes,
                    step_id("unused"),
                    [live, arena](size_t r) { return std::max(0.0, arena - static_cast<double>((*live)[r])); }),
  };
  table->selection = [graph, node](size_t r) {
    return graph && node(r).valid() ? Selection::node(graph->id, node(r)) : Selection();
  };
  table->inside = [](size_t r, const RangeFilter& f) {
    return f.has_step(static_cast<int32_t>(r), static_cast<int32_t>(r) + 1);
  };
  return table;
}

namespace {

// The plan's slices; by block and step for the lifetimes.
TablePtr slices_table(const TableInput& input, bool by_block) {
  if (lies_in_spaces(input)) return space_slices_table(input);
  auto table = std::make_shared<Table>();
  table->empty_text = DrawnTablesTexts::tr("No memory plan is open.");
  const auto plan = input.plan;
  const auto graph = input.graph;
  if (!plan) return table;
  auto rows = std::make_shared<std::vector<uint32_t>>(plan->slices.size());
  for (size_t i = 0; i < rows->size(); ++i) (*rows)[i] = static_cast<uint32_t>(i);
  if (by_block)
    std::stable_sort(rows->begin(), rows->end(), [&](uint32_t a, uint32_t b) {
      const trace::SliceInfo &x = plan->slices[a], &y = plan->slices[b];
      return std::pair(x.block.value, x.first.value) < std::pair(y.block.value, y.first.value);
    });
  auto slice = [plan, rows](size_t r) -> const trace::SliceInfo& { return plan->slices[(*rows)[r]]; };
  const Column tensor{
      DrawnTablesTexts::tr("Name"), {}, [=](size_t r) { return name_of(graph.get(), slice(r).tensor); }};
  const Column block = {
      DrawnTablesTexts::tr("Block"), DrawnTablesTexts::tr("Tensors of one block use it one after the other"),
      [slice](size_t r) { return slice(r).block.valid() ? QString::number(slice(r).block.value) : QString(); },
      [slice](size_t r) { return static_cast<double>(slice(r).block.value); }};
  const Column first = number_column(DrawnTablesTexts::tr("First step"), DrawnTablesTexts::tr("In which it is written"),
                                     [slice](size_t r) { return static_cast<double>(slice(r).first.value); });
  const Column last =
      number_column(DrawnTablesTexts::tr("Behind"), DrawnTablesTexts::tr("The step behind its last use"),
                    [slice](size_t r) { return static_cast<double>(slice(r).last.value); });
  const Column lives =
      number_column(DrawnTablesTexts::tr("Steps"), DrawnTablesTexts::tr("How many steps it lives"),
                    [slice](size_t r) { return static_cast<double>(slice(r).last.value - slice(r).first.value); });
  const Column offset{DrawnTablesTexts::tr("Offset"), DrawnTablesTexts::tr("First byte in the arena"),
                      [slice](size_t r) { return format_address(slice(r).offset); },
                      [slice](size_t r) { return static_cast<double>(slice(r).offset); }};
  const Column bytes = bytes_column(DrawnTablesTexts::tr("Bytes"),
                                    DrawnTablesTexts::tr("Size of its place, rounded up to the alignment"),
                                    [slice](size_t r) { return static_cast<double>(slice(r).size); });
  const Column level{DrawnTablesTexts::tr("Reuse"), DrawnTablesTexts::tr("How it came to its block"),
                     [slice](size_t r) { return SliceWords::level(slice(r).level); },
                     [slice](size_t r) { return static_cast<double>(slice(r).level); }};
  const Column in_place{
      DrawnTablesTexts::tr("In place of"), DrawnTablesTexts::tr("The tensor whose bytes it takes over"),
      [=](size_t r) { return slice(r).in_place_of.valid() ? name_of(graph.get(), slice(r).in_place_of) : QString(); }};
  table->rows = rows->size();
  if (by_block)
    table->columns = {block, tensor, first, last, lives, bytes, level, in_place};
  else
    table->columns = {tensor, offset, bytes, first, last, lives, block, in_place};
  table->selection = [graph, slice](size_t r) {
    return graph ? Selection(NodeSelection{graph->id, slice(r).tensor}) : Selection();
  };
  table->inside = [slice](size_t r, const RangeFilter& f) {
    return f.has_step(slice(r).first.value, slice(r).last.value) &&
           f.has_address(slice(r).offset, slice(r).offset + slice(r).size);
  };
  return table;
}

}  // namespace

TablePtr arena_table(const TableInput& input) { return slices_table(input, false); }
TablePtr lifetimes_table(const TableInput& input) { return slices_table(input, true); }

TablePtr timeline_table(const TableInput& input) {
  constexpr size_t kMost = 250'000;  // rows; a longer table than anybody reads
  auto table = std::make_shared<Table>();
  table->empty_text = DrawnTablesTexts::tr("Nothing ran.");
  const auto snapshot = input.snapshot;
  const auto graph = input.graph;
  const trace::Run* run = snapshot->run(input.run);
  const trace::TimeRange time =
      run != nullptr ? trace::TimeRange{run->info.begin, std::max(run->end, run->info.begin + 1)} : snapshot->time;
  auto spans = std::make_shared<std::vector<trace::SpanRef>>();
  for (size_t t = 0; t < snapshot->tracks.size(); ++t) {
    const auto found = snapshot->spans_exact(trace::TrackId(t), time.begin, time.end, kMost);
    for (const trace::SpanRef& span : found) {
      const trace::Event& e = snapshot->event(span);
      const bool of_run = e.kind() == trace::EventKind::Work || e.kind() == trace::EventKind::Wait ||
                          e.kind() == trace::EventKind::Between;
      if (!of_run || run == nullptr || e.run() == input.run) spans->push_back(span);  // another run may go on beside it
    }
  }
  std::stable_sort(spans->begin(), spans->end(), [&](const trace::SpanRef& a, const trace::SpanRef& b) {
    return snapshot->event(a).begin() < snapshot->event(b).begin();
  });
  if (spans->size() > kMost) spans->resize(kMost);
  auto event = [snapshot, spans](size_t r) -> const trace::Event& { return snapshot->event((*spans)[r]); };
  const Nanoseconds origin = snapshot->time.begin;
  table->rows = spans->size();
  table->columns = {
      {DrawnTablesTexts::tr("Thread"), DrawnTablesTexts::tr("Worker, device queue or copy engine"),
       [snapshot, spans](size_t r) {
         const size_t track = (*spans)[r].track.index();
         return track < snapshot->tracks.size() ? text(snapshot->tracks[track].info.name) : QString();
       }},
      {DrawnTablesTexts::tr("What"),
       DrawnTablesTexts::tr("The node that was worked on, a wait at the barrier, or a copy"),
       [snapshot, event](size_t r) { return text(snapshot->label(event(r))); }},
      {DrawnTablesTexts::tr("Begin"), DrawnTablesTexts::tr("Since the beginning of the recording"),
       [event, origin](size_t r) { return format_ns(event(r).begin() - origin); },
       [event, origin](size_t r) { return static_cast<double>(event(r).begin() - origin); }},
      {DrawnTablesTexts::tr("Took"), DrawnTablesTexts::tr("From its begin to its end"),
       [event](size_t r) { return format_ns(event(r).end() - event(r).begin()); },
       [event](size_t r) { return static_cast<double>(event(r).end() - event(r).begin()); }},
      {DrawnTablesTexts::tr("Node"),
       {},
       [graph, event](size_t r) {
         return event(r).kind() != trace::EventKind::Slice && event(r).node().valid()
                    ? name_of(graph.get(), TensorRef::node(event(r).node()))
                    : QString();
       }},
  };
  table->selection = [spans](size_t r) { return Selection(EventSelection{(*spans)[r]}); };
  table->inside = [event](size_t r, const RangeFilter& f) { return f.has_time(event(r).begin(), event(r).end()); };
  return table;
}

}  // namespace arenascope::views
