// SPDX-License-Identifier: GPL-3.0-or-later
// Counters over time: resident memory of the process, the filled part of caches, and the counters of imported traces.
#include <views/tables/table.h>
#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace arenascope::views {
namespace {

struct CountersTableTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

struct Line {
  trace::CounterId id;
  QString name, unit;
  FigureUnit figure = FigureUnit::Count;
  double least = 0, most = 0;
  size_t samples = 0;
};

std::vector<Line> lines_of(const trace::Snapshot& snapshot) {
  std::vector<Line> lines;
  for (size_t c = 0; c < snapshot.counters.size() && c < snapshot.counter_series.size(); ++c) {
    const auto& samples = snapshot.counter_series[c].samples;
    if (samples.empty()) continue;
    const trace::CounterInfo& counter = snapshot.counters[c];
    Line line{trace::CounterId(c), QString::fromStdString(counter.name), QString::fromStdString(counter.unit)};
    line.least = line.most = samples[0].value;
    line.samples = samples.size();
    bool whole = true;
    for (size_t i = 0; i < samples.size(); ++i) {
      line.least = std::min(line.least, samples[i].value);
      line.most = std::max(line.most, samples[i].value);
      whole = whole && samples[i].value == std::floor(samples[i].value);
    }
    line.figure = !whole ? FigureUnit::Ratio : counter.unit == "bytes" ? FigureUnit::Bytes : FigureUnit::Count;
    lines.push_back(std::move(line));
  }
  return lines;
}

using Lines = std::shared_ptr<const std::vector<Line>>;

Column value_column(const QString& title, const Lines& lines, const char* what, double Line::*value) {
  const auto figure_of = [=](size_t r) {
    const Line& line = (*lines)[r];
    return figure("counter." + std::to_string(line.id.value) + what, line.*value, line.figure);
  };
  return {
      title, {}, [=](size_t r) { return figure_of(r).text; }, [=](size_t r) { return (*lines)[r].*value; }, figure_of};
}

}  // namespace

TablePtr counters_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = CountersTableTexts::tr("No counters.");
  const Lines lines = std::make_shared<const std::vector<Line>>(lines_of(*input.snapshot));
  table->rows = lines->size();
  table->columns = {
      {CountersTableTexts::tr("Counter"), {}, [lines](size_t r) { return (*lines)[r].name; }},
      {CountersTableTexts::tr("Unit"), {}, [lines](size_t r) { return (*lines)[r].unit; }},
      value_column(CountersTableTexts::tr("Min"), lines, ".least", &Line::least),
      value_column(CountersTableTexts::tr("Max"), lines, ".most", &Line::most),
      figure_column(
          CountersTableTexts::tr("Samples"), {}, FigureUnit::Count,
          [lines](size_t r) { return "counter." + std::to_string((*lines)[r].id.value) + ".samples"; },
          [lines](size_t r) { return static_cast<double>((*lines)[r].samples); }),
  };
  return table;
}

}  // namespace arenascope::views
