// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/roofline_text.h>

#include <views/common/format.h>
#include <views/common/rates.h>
#include <QStringList>

#include <algorithm>

namespace arenascope::views {

using trace::RooflineGap;

QString RooflineText::gap(RooflineGap reason) {
  switch (reason) {
    case RooflineGap::NoOperations: return tr("no operations");
    case RooflineGap::UnknownFlops: return tr("operations unknown");
    case RooflineGap::UnknownBytes: return tr("sizes unknown");
    case RooflineGap::UnknownTime: return tr("no time observed");
  }
  return {};
}

QString RooflineText::missing(const trace::Roofline& roofline) {
  if (roofline.missing.empty()) return {};
  QStringList reasons;
  for (size_t i = 0; i < trace::kRooflineGaps; ++i)
    if (const size_t count = roofline.count(static_cast<RooflineGap>(i)); count > 0)
      reasons << QStringLiteral("%1 %2").arg(format_count(static_cast<int64_t>(count)),
                                             gap(static_cast<RooflineGap>(i)));
  const size_t all = roofline.points.size() + roofline.missing.size();
  return tr("%1 of %2 nodes have no point: %3")
      .arg(format_count(static_cast<int64_t>(roofline.missing.size())), format_count(static_cast<int64_t>(all)),
           reasons.join(QStringLiteral(", ")));
}

QString RooflineText::sources(const trace::Roofline& roofline) {
  if (roofline.points.empty()) return {};
  const trace::RooflineTimes& times = roofline.times;
  const QString runs = times.incomplete ? tr("times observed in incomplete runs")
                       : times.cold     ? tr("times observed in a cold run")
                                        : tr("times observed, median of %n run(s)", nullptr,
                                             static_cast<int>(std::min<int64_t>(times.runs, INT32_MAX)));
  return runs + QStringLiteral(" · ") + tr("operations and bytes computed from shapes");
}

QString RooflineText::peaks(const ShownPeaks& peaks) {
  return tr("peaks %1 GFLOP/s and %2 GB/s, float32, %n thread(s)", nullptr, peaks.threads)
      .arg(format_rate(peaks.roofs.gflops), format_rate(peaks.roofs.bandwidth));
}

bool RooflineText::is_same_processor(const trace::Roofline& roofline, const QString& processor) {
  const QString recorded = QString::fromStdString(roofline.processor);
  return recorded.isEmpty() || processor.isEmpty() || recorded == processor;
}

QString RooflineText::mismatch(const trace::Roofline& roofline, const ShownPeaks& peaks) {
  if (roofline.points.empty()) return {};
  QStringList out;
  const auto devices = std::ranges::count_if(roofline.points, &trace::RooflinePoint::on_device);
  if (devices > 0)
    out << tr("%n node(s) ran on a device, which these roofs do not describe", nullptr, static_cast<int>(devices));
  if (!is_same_processor(roofline, peaks.processor))
    out << tr("recorded on another processor: %1").arg(QString::fromStdString(roofline.processor));
  return out.join(QStringLiteral(" · "));
}

QString RooflineText::name(const trace::Snapshot& snapshot, const trace::Roofline& roofline,
                           const trace::RooflinePoint& point) {
  const trace::TensorInfo* info = snapshot.tensor(roofline.graph, trace::TensorRef::node(point.node));
  return info == nullptr ? QString() : tensor_title(*info, trace::TensorRef::node(point.node));
}

QString RooflineText::tip(const trace::Snapshot& snapshot, const trace::Roofline& roofline,
                          const trace::RooflinePoint& point, const trace::Roofs& roofs) {
  QStringList lines{name(snapshot, roofline, point),
                    tr("%1 GFLOP/s at %2 FLOP/B").arg(format_rate(point.gflops), format_rate(point.intensity)),
                    tr("median %1 of %n run(s)", nullptr, static_cast<int>(std::min<int64_t>(point.runs, INT32_MAX)))
                        .arg(format_ns(point.median))};
  if (point.on_device) {
    lines << tr("time measured by a device");
  } else if (roofs.known()) {
    const double attainable = roofs.attainable(point.intensity);
    lines << (point.intensity < roofs.ridge() ? tr("%1 of the memory roof, %2 GFLOP/s")
                                              : tr("%1 of the arithmetic roof, %2 GFLOP/s"))
                 .arg(format_percent(point.gflops / attainable), format_rate(attainable));
  }
  return lines.join(u'\n');
}

}  // namespace arenascope::views
