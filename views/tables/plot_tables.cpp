// SPDX-License-Identifier: GPL-3.0-or-later
// The content of the occupancy, arena map, lifetimes and timeline views as tables.
#include <views/common/format.h>
#include <views/common/slices.h>
#include <QCoreApplication>

#include <algorithm>

#include <views/tables/space_tables.h>

namespace arenascope::views {
namespace {

using trace::TensorRef;

struct PlotTablesTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

QString name_of(const trace::GraphInfo* graph, TensorRef ref) {
  const trace::TensorInfo* info = SliceText::tensor(graph, ref);
  return info != nullptr && !info->name.empty() ? text(info->name) : DisplayNames::node(ref);
}

}  // namespace

TablePtr occupancy_table(const TableInput& input) {
  if (is_in_spaces(input)) return space_occupancy_table(input);
  auto table = std::make_shared<Table>();
  table->empty_text = PlotTablesTexts::tr("This file contains no memory plan.");
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
      number_column(PlotTablesTexts::tr("Step"), PlotTablesTexts::tr("Position in the plan's execution order"),
                    FigureUnit::Step, [](size_t r) { return static_cast<double>(r); }),
      {PlotTablesTexts::tr("Name"), PlotTablesTexts::tr("Node that runs in this step"),
       [graph, node](size_t r) {
         return node(r).valid() ? name_of(graph.get(), TensorRef::node(node(r))) : QString();
       }},
      figure_column(PlotTablesTexts::tr("Live"), PlotTablesTexts::tr("Total bytes of the live tensors"),
                    FigureUnit::Bytes, step_id("live"), [live](size_t r) { return static_cast<double>((*live)[r]); }),
      figure_column(PlotTablesTexts::tr("Tensors"), PlotTablesTexts::tr("Number of live tensors in this step"),
                    FigureUnit::Count, step_id("tensors"),
                    [tensors](size_t r) { return static_cast<double>((*tensors)[r]); }),
      figure_column(
          PlotTablesTexts::tr("% of lower bound"),
          PlotTablesTexts::tr("Live bytes as a share of the lower bound, the largest sum of live bytes"),
          FigureUnit::Share, step_id("of_bound"),
          [live, bound](size_t r) { return bound > 0 ? static_cast<double>((*live)[r]) / bound : 0.0; },
          [bound](size_t) { return bound > 0; }),
      figure_column(PlotTablesTexts::tr("Free in arena"), PlotTablesTexts::tr("Unused arena bytes in this step"),
                    FigureUnit::Bytes, step_id("unused"),
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

// The slices of the plan; for the lifetimes sorted by block and step.
TablePtr slices_table(const TableInput& input, bool by_block) {
  if (is_in_spaces(input)) return space_slices_table(input);
  auto table = std::make_shared<Table>();
  table->empty_text = PlotTablesTexts::tr("This file contains no memory plan.");
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
  const Column tensor{PlotTablesTexts::tr("Name"), {}, [=](size_t r) { return name_of(graph.get(), slice(r).tensor); }};
  const Column block = {
      PlotTablesTexts::tr("Block"),
      PlotTablesTexts::tr("Block that holds the tensor; the tensors of a block use it in sequence"),
      [slice](size_t r) { return slice(r).block.valid() ? QString::number(slice(r).block.value) : QString(); },
      [slice](size_t r) { return static_cast<double>(slice(r).block.value); }};
  const Column first =
      number_column(PlotTablesTexts::tr("First step"), PlotTablesTexts::tr("Step that writes it"), FigureUnit::Step,
                    [slice](size_t r) { return static_cast<double>(slice(r).first.value); });
  const Column last =
      number_column(PlotTablesTexts::tr("End step"), PlotTablesTexts::tr("First step after its last use"),
                    FigureUnit::Step, [slice](size_t r) { return static_cast<double>(slice(r).last.value); });
  const Column lives = number_column(
      PlotTablesTexts::tr("Steps"), PlotTablesTexts::tr("Number of steps during which it is live"), FigureUnit::Count,
      [slice](size_t r) { return static_cast<double>(slice(r).last.value - slice(r).first.value); });
  const Column offset =
      number_column(PlotTablesTexts::tr("Offset"), PlotTablesTexts::tr("First byte in the arena"), FigureUnit::Address,
                    [slice](size_t r) { return static_cast<double>(slice(r).offset); });
  const Column bytes =
      number_column(PlotTablesTexts::tr("Bytes"), PlotTablesTexts::tr("Planned size, rounded up to the alignment"),
                    FigureUnit::Bytes, [slice](size_t r) { return static_cast<double>(slice(r).size); });
  const Column level{PlotTablesTexts::tr("Reuse"), PlotTablesTexts::tr("How its block was chosen"),
                     [slice](size_t r) { return SliceText::level(slice(r).level); },
                     [slice](size_t r) { return static_cast<double>(slice(r).level); }};
  const Column in_place{
      PlotTablesTexts::tr("In place of"), PlotTablesTexts::tr("Tensor that it overwrites in place"),
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
  constexpr size_t kMaxEntries = 250'000;  // maximum number of rows
  auto table = std::make_shared<Table>();
  table->empty_text = PlotTablesTexts::tr("Nothing ran.");
  const auto snapshot = input.snapshot;
  const auto graph = input.graph;
  const trace::Run* run = snapshot->run(input.run);
  const trace::TimeRange time =
      run != nullptr ? trace::TimeRange{run->info.begin, std::max(run->end, run->info.begin + 1)} : snapshot->time;
  auto spans = std::make_shared<std::vector<trace::SpanRef>>();
  for (size_t t = 0; t < snapshot->tracks.size(); ++t) {
    const auto found = snapshot->spans_exact(trace::TrackId(t), time.begin, time.end, kMaxEntries);
    for (const trace::SpanRef& span : found) {
      const trace::Event& e = snapshot->event(span);
      const bool of_run = e.kind() == trace::EventKind::Work || e.kind() == trace::EventKind::Wait ||
                          e.kind() == trace::EventKind::Between;
      if (!of_run || run == nullptr || e.run() == input.run) spans->push_back(span);  // runs may overlap in time
    }
  }
  std::stable_sort(spans->begin(), spans->end(), [&](const trace::SpanRef& a, const trace::SpanRef& b) {
    return snapshot->event(a).begin() < snapshot->event(b).begin();
  });
  if (spans->size() > kMaxEntries) spans->resize(kMaxEntries);
  auto event = [snapshot, spans](size_t r) -> const trace::Event& { return snapshot->event((*spans)[r]); };
  const Nanoseconds origin = snapshot->time.begin;
  table->rows = spans->size();
  table->columns = {
      {PlotTablesTexts::tr("Thread"), PlotTablesTexts::tr("Worker, device queue or copy engine"),
       [snapshot, spans](size_t r) {
         const size_t track = (*spans)[r].track.index();
         return track < snapshot->tracks.size() ? text(snapshot->tracks[track].info.name) : QString();
       }},
      {PlotTablesTexts::tr("What"), PlotTablesTexts::tr("Node executed, barrier wait or copy"),
       [snapshot, event](size_t r) { return text(snapshot->label(event(r))); }},
      number_column(PlotTablesTexts::tr("Begin"), PlotTablesTexts::tr("Since the beginning of the recording"),
                    FigureUnit::Time,
                    [event, origin](size_t r) { return static_cast<double>(event(r).begin() - origin); }),
      number_column(PlotTablesTexts::tr("Duration"), PlotTablesTexts::tr("From begin to end"), FigureUnit::Time,
                    [event](size_t r) { return static_cast<double>(event(r).end() - event(r).begin()); }),
      {PlotTablesTexts::tr("Node"),
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
