// SPDX-License-Identifier: GPL-3.0-or-later
// Spans aggregated by name, over all tracks: of a range of time, or of everything.
#include <arenascope/trace/durations.h>
#include <arenascope/trace/span_label.h>
#include <views/common/format.h>
#include <views/tables/table.h>
#include <QCoreApplication>

#include <algorithm>
#include <limits>
#include <map>

namespace arenascope::views {
namespace {

struct SpansTableTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

struct SpanGroup {
  QString name;
  double time = 0;                     // within the range
  std::vector<Nanoseconds> durations;  // sorted; of whole spans
  Nanoseconds longest_time = -1;
  trace::SpanRef longest;
};

struct SpanGroups {
  std::vector<SpanGroup> all;  // most time first
  double time = 0;
};

class SpanAggregation {
 public:
  SpanAggregation(const TableInput& input, const trace::TimeRange& range)
      : snapshot_(*input.snapshot), stop_(input.stop), range_(range) {}

  std::shared_ptr<const SpanGroups> run() {
    for (size_t t = 0; t < snapshot_.tracks.size(); ++t)
      for (uint32_t lane = 0; lane < snapshot_.tracks[t].lanes.size(); ++lane) {
        if (stop_.stop_requested()) return nullptr;
        add_lane(trace::TrackId(t), lane);
      }
    auto out = std::make_shared<SpanGroups>();
    for (auto& [key, group] : groups_) {
      std::sort(group.durations.begin(), group.durations.end());
      out->time += group.time;
      out->all.push_back(std::move(group));
    }
    std::stable_sort(out->all.begin(), out->all.end(),
                     [](const SpanGroup& a, const SpanGroup& b) { return a.time > b.time; });
    return out;
  }

 private:
  void add_lane(trace::TrackId track, uint32_t lane) {
    const auto& rows = snapshot_.tracks[track.index()].lanes[lane].rows;
    for (uint32_t row = 0; row < rows.size(); ++row) {
      const trace::Event& e = rows[row];
      if (!e.is_span() || e.end() <= range_.begin || e.begin() >= range_.end) continue;
      const auto [it, added] = groups_.try_emplace(trace::SpanLabelKey::of(snapshot_, e));
      SpanGroup& group = it->second;
      if (added) group.name = text(snapshot_.label(e));
      const Nanoseconds duration = e.end() - e.begin();
      group.time += static_cast<double>(std::min(e.end(), range_.end) - std::max(e.begin(), range_.begin));
      group.durations.push_back(duration);
      if (duration <= group.longest_time) continue;
      group.longest_time = duration;
      group.longest = {track, lane, row};
    }
  }

  const trace::Snapshot& snapshot_;
  std::stop_token stop_;
  trace::TimeRange range_;
  std::map<trace::SpanLabelKey, SpanGroup> groups_;
};

using Groups = std::shared_ptr<const SpanGroups>;

Column duration_column(const Groups& groups, const QString& title, const QString& tip,
                       double (*value)(const SpanGroup&)) {
  return number_column(title, tip, FigureUnit::Time, [=](size_t r) { return value(groups->all[r]); });
}

template <int per_mille>
double percentile_of(const SpanGroup& group) {
  return static_cast<double>(trace::quantile(group.durations, per_mille / 1000.0));
}

void add_columns(Table& table, const Groups& groups) {
  const auto share = [groups](size_t r) { return groups->time > 0 ? groups->all[r].time / groups->time : 0; };
  table.columns = {
      {SpansTableTexts::tr("Name"), {}, [groups](size_t r) { return groups->all[r].name; }},
      {SpansTableTexts::tr("Spans"), SpansTableTexts::tr("Number of spans with this name"),
       [groups](size_t r) { return format_count(std::ssize(groups->all[r].durations)); },
       [groups](size_t r) { return static_cast<double>(groups->all[r].durations.size()); }},
      duration_column(groups, SpansTableTexts::tr("Time"),
                      SpansTableTexts::tr("Sum of durations within the range, including nested spans"),
                      [](const SpanGroup& g) { return g.time; }),
      with_unit(FigureUnit::Share,
                {SpansTableTexts::tr("Share"), SpansTableTexts::tr("Share of the sum over all names"),
                 [=](size_t r) { return format_percent(share(r)); }, share, nullptr, share}),
      duration_column(groups, SpansTableTexts::tr("Mean"), SpansTableTexts::tr("Mean time of a span within the range"),
                      [](const SpanGroup& g) { return g.time / static_cast<double>(g.durations.size()); }),
      duration_column(groups, SpansTableTexts::tr("p50"), SpansTableTexts::tr("50th percentile, interpolated"),
                      percentile_of<500>),
      duration_column(groups, SpansTableTexts::tr("p90"), SpansTableTexts::tr("90th percentile, interpolated"),
                      percentile_of<900>),
      duration_column(groups, SpansTableTexts::tr("p99"), SpansTableTexts::tr("99th percentile, interpolated"),
                      percentile_of<990>),
      duration_column(groups, SpansTableTexts::tr("Longest"),
                      SpansTableTexts::tr("Longest duration; a click selects this span"),
                      [](const SpanGroup& g) { return static_cast<double>(g.longest_time); })};
  for (const size_t column : {size_t{1}, size_t{2}}) table.columns[column].adds_up = true;
}

}  // namespace

TablePtr spans_table(const TableInput& input, const std::optional<trace::TimeRange>& range) {
  auto table = std::make_shared<Table>();
  table->empty_text =
      range ? SpansTableTexts::tr("No spans in the selected range.") : SpansTableTexts::tr("No spans were recorded.");
  constexpr trace::TimeRange kAll{std::numeric_limits<Nanoseconds>::min(), std::numeric_limits<Nanoseconds>::max()};
  const Groups groups = SpanAggregation(input, range.value_or(kAll)).run();
  if (!groups) return nullptr;
  table->rows = groups->all.size();
  add_columns(*table, groups);
  table->selection = [groups](size_t r) { return Selection(EventSelection{groups->all[r].longest}); };
  return table;
}

TablePtr spans_table(const TableInput& input) { return spans_table(input, std::nullopt); }

}  // namespace arenascope::views
