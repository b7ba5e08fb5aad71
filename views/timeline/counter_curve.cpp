// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/timeline/counter_curve.h>

#include <views/common/format.h>
#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace arenascope::views {
namespace {

struct CounterTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::TimelineView)
};

}  // namespace

CounterCurve curve_of(const trace::Snapshot& snapshot, trace::CounterId counter, const AxisFrame& axis, int pixels) {
  CounterCurve curve;
  curve.counter = counter;
  const trace::SeriesView& series = snapshot.counter_series[counter.index()];
  if (series.samples.empty()) return curve;
  const Nanoseconds first = series.samples[0].time;
  for (const trace::CurvePoint& all : series.curve(first, snapshot.time.end + 1, 1)) {
    curve.low = std::min(all.min, 0.0);
    curve.high = std::max(all.max, 0.0);
  }
  for (const trace::CurvePoint& point : curve_on(axis, series, pixels))
    if (point.end > first)
      curve.points.push_back(
          {axis.x_of_time(std::max(point.begin, first)), axis.x_of_time(point.end), point.min, point.max});
  return curve;
}

QString counter_text(const trace::CounterInfo& counter, double value) {
  if (counter.unit == "bytes") return format_bytes(static_cast<Bytes>(value));
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  const QString number = whole ? format_count(static_cast<int64_t>(value)) : QString::number(value, 'g', 5);
  return counter.unit.empty() || counter.unit == "count" ? number
                                                         : number + QChar(0xa0) + QString::fromStdString(counter.unit);
}

const CounterCurve* curve_at(const std::vector<CounterCurve>& curves, double y) {
  const auto found = std::ranges::find_if(
      curves, [&](const CounterCurve& curve) { return y >= curve.top && y < curve.top + curve.height; });
  return found == curves.end() ? nullptr : &*found;
}

FigureText counter_tip(const trace::Snapshot& snapshot, const CounterCurve& curve, Nanoseconds time) {
  const trace::CounterInfo& counter = snapshot.counters[curve.counter.index()];
  const trace::SeriesView& series = snapshot.counter_series[curve.counter.index()];
  FigureText text = name_text(QString::fromStdString(counter.name));
  if (time < series.samples[0].time) return text;
  const double value = series.at(time);
  const Nanoseconds since = time - snapshot.time.begin;
  const std::string id = figure_id("counter", curve.counter.value, "at", since);
  const Figure at = figure("chosen.time", static_cast<double>(since), FigureUnit::Time);
  return text.line(with_figures(CounterTexts::tr("%1, at %2"),
                                {Figure{id, value, FigureUnit::Number, counter_text(counter, value)}, at}));
}

}  // namespace arenascope::views
