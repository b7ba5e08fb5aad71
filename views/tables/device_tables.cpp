// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of allocator memory by piece, and of the tuning results of a device's kernels.

#include <views/common/format.h>
#include <QCoreApplication>

#include <algorithm>

#include <views/tables/pool_rows.h>
#include <views/tables/table.h>

namespace arenascope::views {
namespace {

struct DeviceTablesTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

}  // namespace

TablePtr pools_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = DeviceTablesTexts::tr("No allocator holds any memory.");
  const auto blocks = std::make_shared<const std::vector<PoolRow>>(pool_rows(*input.snapshot));
  const auto block = [blocks](size_t r) -> const PoolRow& { return (*blocks)[r]; };
  auto state = [block](size_t r) {
    return block(r).used == 0  ? DeviceTablesTexts::tr("Free")
           : block(r).uses > 1 ? DeviceTablesTexts::tr("In use, reused")
                               : DeviceTablesTexts::tr("In use");
  };
  table->rows = blocks->size();
  table->columns = {
      with_unit(FigureUnit::Address,
                {DeviceTablesTexts::tr("Address"), DeviceTablesTexts::tr("Start address, as reported by the allocator"),
                 [block](size_t r) { return format_address(static_cast<Bytes>(block(r).address)); },
                 [block](size_t r) { return static_cast<double>(block(r).address); }}),
      {DeviceTablesTexts::tr("Kind"), DeviceTablesTexts::tr("Use of the memory"),
       [block](size_t r) { return DisplayNames::kind(block(r).kind); }},
      {DeviceTablesTexts::tr("State"), DeviceTablesTexts::tr("Free: cached for the next request that fits"), state},
      number_column(DeviceTablesTexts::tr("Bytes"), DeviceTablesTexts::tr("Obtained from the system or the device"),
                    FigureUnit::Bytes, [block](size_t r) { return static_cast<double>(block(r).bytes); }),
      number_column(DeviceTablesTexts::tr("Active"), DeviceTablesTexts::tr("Currently allocated"), FigureUnit::Bytes,
                    [block](size_t r) { return static_cast<double>(block(r).used); }),
      {DeviceTablesTexts::tr("Uses"), DeviceTablesTexts::tr("Number of allocations served from it"),
       [block](size_t r) { return format_count(block(r).uses); },
       [block](size_t r) { return static_cast<double>(block(r).uses); }},
      number_column(DeviceTablesTexts::tr("Requested"),
                    DeviceTablesTexts::tr("Bytes requested by the current holder, or by the last one if free"),
                    FigureUnit::Bytes, [block](size_t r) { return static_cast<double>(block(r).requested()); }),
      number_column(DeviceTablesTexts::tr("Waste"), DeviceTablesTexts::tr("Bytes of the block beyond the request"),
                    FigureUnit::Bytes, [block](size_t r) { return static_cast<double>(block(r).waste()); }),
      {DeviceTablesTexts::tr("Storage"), DeviceTablesTexts::tr("A buffer, or an image with its texels"),
       [block](size_t r) { return pool_storage_text(block(r)); }},
      {DeviceTablesTexts::tr("Use"),
       DeviceTablesTexts::tr(
           "Dynamic: allocated and freed repeatedly; static: long-lived, such as weights; separate: a single tensor"),
       [block](size_t r) { return pool_use_text(block(r)); }},
      {DeviceTablesTexts::tr("Tensor"), DeviceTablesTexts::tr("Tensor stored there now, if the device reports it"),
       [block](size_t r) { return block(r).tensor; }},
  };
  return table;
}

namespace {

QString group_text(const std::array<uint32_t, 3>& local, const std::optional<int32_t>& way) {
  if (way) return DeviceTablesTexts::tr("variant %1").arg(*way + 1);
  return QStringLiteral("%1 × %2 × %3").arg(local[0]).arg(local[1]).arg(local[2]);
}

QString candidates_text(const trace::TuningInfo& tuning) {
  std::vector<trace::TuningCandidate> all = tuning.candidates;
  const auto rank = [](const trace::TuningCandidate& c) { return c.seconds < 0 ? 1e300 : c.seconds; };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  QStringList texts;
  for (const trace::TuningCandidate& c : all)
    texts << group_text(c.local, c.way) + QStringLiteral(": ") +
                 (c.seconds < 0 ? QStringLiteral("–") : format_ns(static_cast<Nanoseconds>(c.seconds * 1e9)));
  return texts.join(QStringLiteral("; "));
}

}  // namespace

TablePtr tuning_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = DeviceTablesTexts::tr("No tuning results: only device kernels are tuned, while they run.");
  auto notes = std::make_shared<std::vector<trace::TuningInfo>>();
  for (size_t i = 0; i < input.snapshot->tunings.size(); ++i) notes->push_back(input.snapshot->tunings[i]);
  auto choice = [notes](size_t r) { return group_text((*notes)[r].local, (*notes)[r].way); };
  table->rows = notes->size();
  table->columns = {
      {DeviceTablesTexts::tr("Kernel"), {}, [notes](size_t r) { return text((*notes)[r].kernel); }},
      {DeviceTablesTexts::tr("Work items"), DeviceTablesTexts::tr("Global size or shape that the choice applies to"),
       [notes](size_t r) { return text((*notes)[r].sizes); }},
      {DeviceTablesTexts::tr("Group size"),
       DeviceTablesTexts::tr("Work items per group, or which of several kernels was chosen"), choice},
      number_column(
          DeviceTablesTexts::tr("Time"), DeviceTablesTexts::tr("Time of the best candidate; empty if chosen by rule"),
          FigureUnit::Time, [notes](size_t r) { return (*notes)[r].seconds * 1e9; },
          [notes](size_t r) { return (*notes)[r].tried > 0; }),
      {DeviceTablesTexts::tr("Tried"), DeviceTablesTexts::tr("Number of candidates measured"),
       [notes](size_t r) { return QString::number((*notes)[r].tried); },
       [notes](size_t r) { return static_cast<double>((*notes)[r].tried); }},
      {DeviceTablesTexts::tr("Level"), DeviceTablesTexts::tr("Tuning effort: none, fast, normal, wide or heavy"),
       [notes](size_t r) { return text((*notes)[r].level); }},
      {DeviceTablesTexts::tr("From"),
       DeviceTablesTexts::tr("Measured by this run, by an earlier run, or chosen by a rule"),
       [notes](size_t r) {
         const trace::TuningInfo& n = (*notes)[r];
         if (!n.nearest.empty()) return DeviceTablesTexts::tr("result for %1").arg(text(n.nearest));
         return n.tried == 0   ? DeviceTablesTexts::tr("a rule")
                : n.remembered ? DeviceTablesTexts::tr("an earlier run")
                               : DeviceTablesTexts::tr("this run");
       }},
      {DeviceTablesTexts::tr("Candidates"),
       DeviceTablesTexts::tr("Candidates with their times, fastest first; – for those that could not run"),
       [notes](size_t r) { return candidates_text((*notes)[r]); }},
  };
  return table;
}

}  // namespace arenascope::views
