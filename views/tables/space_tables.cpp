// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/common/spaces.h>
#include <views/tables/space_tables.h>
#include <QCoreApplication>

#include <algorithm>
#include <tuple>

namespace arenascope::views {
namespace {

struct SpaceTableTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

constexpr size_t kMaxMoments = 20'000;   // as many as the audit lists
constexpr size_t kMaxSpaceHoles = 2000;  // the largest

using Slices = std::vector<trace::SpaceAllocation>;

std::string id_of(trace::RunId run, const std::string& what) {
  return run.valid() ? run_figure(run, what.c_str()) : "recording." + what;
}

}  // namespace

bool is_in_spaces(const TableInput& input) {
  const auto& plans = input.snapshot->plans;
  const bool never_run = input.plan && (!input.plan->id.valid() || input.plan->id.index() >= plans.size() ||
                                        plans[input.plan->id.index()] != input.plan);
  return !never_run && trace::is_in_spaces(*input.snapshot, input.run, input.plan.get());
}

TablePtr space_blocks_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  const SnapshotPtr snapshot = input.snapshot;
  const trace::TimeRange range = trace::range_of_run(*snapshot, input.run);
  const auto slices = std::make_shared<const Slices>(trace::slices_of(*snapshot, range, {}));
  const auto ranges = std::make_shared<const std::vector<trace::SpaceAddress>>(trace::group_by_address(*slices, range));
  // Addresses are numbered by their first use.
  std::vector<std::tuple<Nanoseconds, uint64_t, size_t>> firsts;
  for (const trace::SpaceAddress& p : *ranges)
    firsts.emplace_back(std::max((*slices)[p.slices.front()].begin, range.begin), p.address, firsts.size());
  std::sort(firsts.begin(), firsts.end());
  const auto ids = std::make_shared<std::vector<std::string>>(firsts.size());
  for (size_t k = 0; k < firsts.size(); ++k)
    (*ids)[std::get<2>(firsts[k])] = id_of(input.run, "place." + std::to_string(k) + ".");
  const auto id = [ids](const char* what) { return [=](size_t r) { return (*ids)[r] + what; }; };
  const auto users = [snapshot, slices, ranges, sites = std::make_shared<const CallSites>(*snapshot)](size_t r) {
    QStringList names;
    for (const uint32_t i : (*ranges)[r].slices) {
      if (names.size() == 12) {
        names << QStringLiteral("…");
        break;
      }
      names << slice_name(*snapshot, (*slices)[i], *sites);
    }
    return names.join(QStringLiteral(" → "));
  };
  table->rows = ranges->size();
  table->columns = {
      {SpaceTableTexts::tr("Allocator"), SpaceTableTexts::tr("Allocator that owns its space"),
       [snapshot, ranges](size_t r) { return allocator_name(*snapshot, (*ranges)[r].allocator); }},
      number_column(SpaceTableTexts::tr("Address"), SpaceTableTexts::tr("First byte"), FigureUnit::Address,
                    [ranges](size_t r) { return static_cast<double>((*ranges)[r].address); }),
      figure_column(SpaceTableTexts::tr("Bytes"), SpaceTableTexts::tr("Size of the largest block at this address"),
                    FigureUnit::Bytes, id("bytes"),
                    [ranges](size_t r) { return static_cast<double>((*ranges)[r].bytes); }),
      figure_column(SpaceTableTexts::tr("Blocks"), SpaceTableTexts::tr("Number of blocks at this address, in sequence"),
                    FigureUnit::Count, id("blocks"),
                    [ranges](size_t r) { return static_cast<double>((*ranges)[r].slices.size()); }),
      figure_column(SpaceTableTexts::tr("Filled"),
                    SpaceTableTexts::tr("Share of the time in which one of them was allocated"), FigureUnit::Share,
                    id("used"), [ranges](size_t r) { return (*ranges)[r].used; }),
      {SpaceTableTexts::tr("Used by"), SpaceTableTexts::tr("Blocks at this address, in time order"), users},
  };
  table->selection = [slices, ranges](size_t r) {
    const auto& own = (*ranges)[r].slices;
    const auto largest = std::max_element(
        own.begin(), own.end(), [&](uint32_t a, uint32_t b) { return (*slices)[a].bytes < (*slices)[b].bytes; });
    return slice_selection((*slices)[*largest]);
  };
  table->inside = [slices, ranges](size_t r, const RangeFilter& f) {
    const auto& own = (*ranges)[r].slices;
    return std::any_of(own.begin(), own.end(),
                       [&](uint32_t i) { return f.has_time((*slices)[i].begin, (*slices)[i].end + 1); });
  };
  return table;
}

TablePtr space_holes_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  const SnapshotPtr snapshot = input.snapshot;
  const trace::TimeRange range = trace::range_of_run(*snapshot, input.run);
  table->empty_text = trace::space_totals(*snapshot, range, {}).reserved_known
                          ? SpaceTableTexts::tr("All reserved memory was in use all the time.")
                          : SpaceTableTexts::tr("Reserved memory was not recorded.");
  const auto slices = std::make_shared<const Slices>(trace::slices_of(*snapshot, range, {}));
  auto spaces = std::make_shared<std::vector<trace::Space>>(
      snapshot->spaces_in(range.begin, range.end, trace::kMaxSpaceAllocations));
  std::erase_if(*spaces, [](const trace::Space& s) { return !shows(SpaceChoice(), s); });
  auto free = std::make_shared<std::vector<trace::FreeRange>>(trace::free_ranges(*spaces, *slices, range));
  const auto room = [](const trace::FreeRange& f) {
    return static_cast<double>(f.bytes) * static_cast<double>(f.end - f.begin) / 1e9;
  };
  std::stable_sort(free->begin(), free->end(), [&](const auto& a, const auto& b) { return room(a) > room(b); });
  free->resize(std::min(free->size(), kMaxSpaceHoles));
  const auto sites = std::make_shared<const CallSites>(*snapshot);
  const auto name = [=](int32_t slice) {
    return slice < 0 ? SpaceTableTexts::tr("end of the space")
                     : slice_name(*snapshot, (*slices)[static_cast<size_t>(slice)], *sites);
  };
  const Nanoseconds origin = snapshot->time.begin;
  table->rows = free->size();
  table->columns = {
      number_column(SpaceTableTexts::tr("Bytes"), SpaceTableTexts::tr("Unused bytes of a space"), FigureUnit::Bytes,
                    [free](size_t r) { return static_cast<double>((*free)[r].bytes); }),
      {SpaceTableTexts::tr("Time"), SpaceTableTexts::tr("While the hole exists"),
       [=](size_t r) {
         return QStringLiteral("%1 – %2").arg(format_ns((*free)[r].begin - origin), format_ns((*free)[r].end - origin));
       },
       [=](size_t r) { return static_cast<double>((*free)[r].begin - origin); }},
      number_column(SpaceTableTexts::tr("Address"), SpaceTableTexts::tr("First byte"), FigureUnit::Address,
                    [free](size_t r) { return static_cast<double>((*free)[r].address); }),
      number_column(SpaceTableTexts::tr("Byte seconds"),
                    SpaceTableTexts::tr("Bytes × seconds: total waste of the hole"), FigureUnit::Bytes,
                    [=](size_t r) { return room((*free)[r]); }),
      {SpaceTableTexts::tr("Allocator"), SpaceTableTexts::tr("Allocator that owns its space"),
       [=](size_t r) { return allocator_name(*snapshot, (*spaces)[(*free)[r].space].allocator); }},
      number_column(SpaceTableTexts::tr("Space"), SpaceTableTexts::tr("Size of the containing space"),
                    FigureUnit::Bytes,
                    [=](size_t r) { return static_cast<double>((*spaces)[(*free)[r].space].bytes); }),
      {SpaceTableTexts::tr("Below it"), SpaceTableTexts::tr("Block located there when the hole appeared"),
       [=](size_t r) { return name((*free)[r].below); }},
      {SpaceTableTexts::tr("Above it"), SpaceTableTexts::tr("Block located there when the hole appeared"),
       [=](size_t r) { return name((*free)[r].above); }},
  };
  table->selection = [=](size_t r) {
    const trace::FreeRange& f = (*free)[r];
    const int32_t beside = f.above >= 0 ? f.above : f.below;
    return beside < 0 ? Selection(TimeRangeSelection{f.begin, f.end})
                      : slice_selection((*slices)[static_cast<size_t>(beside)]);
  };
  table->inside = [free](size_t r, const RangeFilter& f) { return f.has_time((*free)[r].begin, (*free)[r].end); };
  return table;
}

TablePtr space_slices_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  const SnapshotPtr snapshot = input.snapshot;
  auto all = std::make_shared<Slices>(trace::slices_of(*snapshot, trace::range_of_run(*snapshot, input.run), {}));
  std::stable_sort(all->begin(), all->end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  const auto slice = [all](size_t r) -> const trace::SpaceAllocation& { return (*all)[r]; };
  const auto sites = std::make_shared<const CallSites>(*snapshot);
  const Nanoseconds origin = snapshot->time.begin;
  table->rows = all->size();
  table->columns = {
      {SpaceTableTexts::tr("Name"), {}, [=](size_t r) { return slice_name(*snapshot, slice(r), *sites); }},
      {SpaceTableTexts::tr("Kind"), SpaceTableTexts::tr("Requested memory kind"),
       [=](size_t r) { return DisplayNames::kind(slice(r).kind); }},
      {SpaceTableTexts::tr("Allocator"), {}, [=](size_t r) { return allocator_name(*snapshot, slice(r).allocator); }},
      number_column(SpaceTableTexts::tr("Address"), SpaceTableTexts::tr("First byte"), FigureUnit::Address,
                    [=](size_t r) { return static_cast<double>(slice(r).address); }),
      number_column(SpaceTableTexts::tr("Bytes"), SpaceTableTexts::tr("Bytes of the allocated block"),
                    FigureUnit::Bytes, [=](size_t r) { return static_cast<double>(slice(r).bytes); }),
      number_column(SpaceTableTexts::tr("Waste"), SpaceTableTexts::tr("Bytes of the block that were not requested"),
                    FigureUnit::Bytes, [=](size_t r) { return static_cast<double>(slice(r).bytes - slice(r).asked); }),
      number_column(SpaceTableTexts::tr("Begin"), SpaceTableTexts::tr("Since the beginning of the recording"),
                    FigureUnit::Time, [=](size_t r) { return static_cast<double>(slice(r).begin - origin); }),
      with_unit(FigureUnit::Time, {SpaceTableTexts::tr("Lifetime"), SpaceTableTexts::tr("From allocation to free"),
                                   [=](size_t r) {
                                     const QString time = format_ns(slice(r).end - slice(r).begin);
                                     return slice(r).open ? SpaceTableTexts::tr("%1, not freed").arg(time) : time;
                                   },
                                   [=](size_t r) { return static_cast<double>(slice(r).end - slice(r).begin); }}),
  };
  table->selection = [=](size_t r) { return slice_selection(slice(r)); };
  table->inside = [=](size_t r, const RangeFilter& f) { return f.has_time(slice(r).begin, slice(r).end + 1); };
  return table;
}

TablePtr space_occupancy_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  const SnapshotPtr snapshot = input.snapshot;
  const auto moments = std::make_shared<const std::vector<trace::SpaceMoment>>(
      trace::space_moments(*snapshot, trace::range_of_run(*snapshot, input.run), {}));
  if (moments->size() > kMaxMoments) {
    table->empty_text = SpaceTableTexts::tr("Too many points in time for this table.");
    return table;
  }
  const Nanoseconds origin = snapshot->time.begin;
  const trace::RunId run = input.run;
  const bool reserved = trace::space_totals(*snapshot, trace::range_of_run(*snapshot, run), {}).reserved_known;
  const auto reserved_known = [=](size_t) { return reserved; };
  const auto id = [=](const char* what) {
    return [=](size_t r) { return id_of(run, "moment." + std::to_string(r) + "." + what); };
  };
  table->rows = moments->size();
  table->columns = {
      number_column(SpaceTableTexts::tr("Time"), SpaceTableTexts::tr("Since the beginning of the recording"),
                    FigureUnit::Time, [=](size_t r) { return static_cast<double>((*moments)[r].time - origin); }),
      figure_column(SpaceTableTexts::tr("Live"), SpaceTableTexts::tr("Allocated bytes, excluding weights"),
                    FigureUnit::Bytes, id("active"),
                    [=](size_t r) { return static_cast<double>((*moments)[r].active); }),
      figure_column(
          SpaceTableTexts::tr("Reserved"), SpaceTableTexts::tr("Bytes of the spaces"), FigureUnit::Bytes,
          id("reserved"), [=](size_t r) { return static_cast<double>((*moments)[r].reserved); }, reserved_known),
      figure_column(
          SpaceTableTexts::tr("Free"), SpaceTableTexts::tr("Unused bytes of the spaces"), FigureUnit::Bytes,
          id("unused"), [=](size_t r) { return static_cast<double>((*moments)[r].reserved - (*moments)[r].active); },
          reserved_known),
      figure_column(SpaceTableTexts::tr("Blocks"), SpaceTableTexts::tr("Number of allocated blocks"), FigureUnit::Count,
                    id("blocks"), [=](size_t r) { return static_cast<double>((*moments)[r].slices); }),
  };
  table->selection = [=](size_t r) {
    const Nanoseconds time = (*moments)[r].time;
    return Selection(TimeRangeSelection{time, r + 1 < moments->size() ? (*moments)[r + 1].time : time + 1});
  };
  table->inside = [=](size_t r, const RangeFilter& f) {
    return f.has_time((*moments)[r].time, (*moments)[r].time + 1);
  };
  return table;
}

}  // namespace arenascope::views
