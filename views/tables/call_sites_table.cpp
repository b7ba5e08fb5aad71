// SPDX-License-Identifier: GPL-3.0-or-later
// Live bytes at the peak and all allocations, by call site.
#include <arenascope/trace/call_site.h>
#include <views/common/call_sites.h>
#include <views/common/format.h>
#include <views/common/spaces.h>
#include <views/tables/table.h>
#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace arenascope::views {
namespace {

struct CallSiteTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

constexpr size_t kMaxFrames = 24;  // frames of a stack in the tooltip

struct CallSiteRow {
  QString name;
  Bytes at_peak = 0, allocated = 0;
  int64_t live = 0, allocations = 0;
  trace::SpaceAllocation largest;  // largest allocation at the peak, or of all
  bool largest_is_live = false;
};

std::vector<CallSiteRow> rows_of(const trace::Snapshot& snapshot, trace::RunId run) {
  const CallSites sites(snapshot);
  const trace::TimeRange range = trace::range_of_run(snapshot, run);
  const auto peak = snapshot.all_active.highest(range.begin, range.end);
  std::vector<CallSiteRow> rows(sites.size());
  for (uint32_t i = 0; i < sites.size(); ++i) rows[i].name = text(sites.name(i));
  rows[CallSites::kUnknown].name = CallSiteTexts::tr("unknown");
  for (const trace::SpaceAllocation& slice : trace::slices_of(snapshot, range, {})) {
    CallSiteRow& row = rows[sites.of(slice.block)];
    const bool live = peak && slice.begin <= peak->time && (slice.open || slice.end > peak->time);
    row.allocated += slice.bytes;
    ++row.allocations;
    if (live) row.at_peak += slice.bytes, ++row.live;
    if (row.allocations > 1 && std::pair(live, slice.bytes) <= std::pair(row.largest_is_live, row.largest.bytes))
      continue;
    row.largest = slice;
    row.largest_is_live = live;
  }
  std::erase_if(rows, [](const CallSiteRow& row) { return row.allocations == 0; });
  std::stable_sort(rows.begin(), rows.end(), [](const CallSiteRow& a, const CallSiteRow& b) {
    return std::pair(a.at_peak, a.allocated) > std::pair(b.at_peak, b.allocated);
  });
  return rows;
}

QString stack_text(const trace::Snapshot& snapshot, const trace::SpaceAllocation& slice) {
  const trace::StackInfo* stack = snapshot.stack_of(slice.block);
  if (stack == nullptr) return {};
  QStringList lines;
  for (size_t i = 0; i < std::min(stack->frames.size(), kMaxFrames); ++i)
    lines << text(trace::frame_text(snapshot, stack->frames[i]));
  return lines.join(u'\n');
}

}  // namespace

TablePtr call_sites_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = CallSiteTexts::tr("This file contains no call stacks of allocations.");
  const SnapshotPtr snapshot = input.snapshot;
  if (snapshot->stacks.empty()) return table;
  const auto rows = std::make_shared<const std::vector<CallSiteRow>>(rows_of(*snapshot, input.run));
  Bytes most = 1, all = 0;
  for (const CallSiteRow& row : *rows) most = std::max(most, row.at_peak), all += row.at_peak;
  const auto row = [rows](size_t r) -> const CallSiteRow& { return (*rows)[r]; };
  const auto count = [row](int64_t CallSiteRow::*value) {
    return [=](size_t r) { return format_count(row(r).*value); };
  };
  const auto number = [row](auto CallSiteRow::*value) {
    return [=](size_t r) { return static_cast<double>(row(r).*value); };
  };
  table->rows = rows->size();
  Column at_peak = number_column(CallSiteTexts::tr("At the peak"), CallSiteTexts::tr("Live bytes at the peak"),
                                 FigureUnit::Bytes, number(&CallSiteRow::at_peak));
  at_peak.bar = [=](size_t r) { return static_cast<double>(row(r).at_peak) / static_cast<double>(most); };
  at_peak.adds_up = true;
  const auto share = [=](size_t r) {
    return all > 0 ? static_cast<double>(row(r).at_peak) / static_cast<double>(all) : 0;
  };
  Column allocated =
      number_column(CallSiteTexts::tr("Allocated"), CallSiteTexts::tr("Bytes allocated at this call site"),
                    FigureUnit::Bytes, number(&CallSiteRow::allocated));
  allocated.adds_up = true;
  table->columns = {
      {CallSiteTexts::tr("Call site"), CallSiteTexts::tr("Innermost frame outside PyTorch and the system's libraries"),
       [row](size_t r) { return row(r).name; }},
      std::move(at_peak),
      number_column(CallSiteTexts::tr("Share"), CallSiteTexts::tr("Share of the peak"), FigureUnit::Share, share),
      {CallSiteTexts::tr("Live"), CallSiteTexts::tr("Live allocations at the peak"), count(&CallSiteRow::live),
       number(&CallSiteRow::live)},
      std::move(allocated),
      {CallSiteTexts::tr("Allocations"), CallSiteTexts::tr("Number of allocations at this call site"),
       count(&CallSiteRow::allocations), number(&CallSiteRow::allocations)},
  };
  table->selection = [row](size_t r) { return slice_selection(row(r).largest); };
  table->details = [snapshot, row](size_t r) { return stack_text(*snapshot, row(r).largest); };
  return table;
}

}  // namespace arenascope::views
