// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of the roofline view.
#pragma once
#include <arenascope/trace/roofline.h>
#include <views/common/session_source.h>

#include <QCoreApplication>
#include <QString>

namespace arenascope::views {

// The measured peaks of this machine, and the machine.
struct ShownPeaks {
  trace::Roofs roofs;
  int threads = 0;
  QString processor;  // empty: unknown
};

struct RooflineText {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::RooflineText)
 public:
  static QString gap(trace::RooflineGap reason);
  // "12 of 40 nodes have no point: 8 without operations, 4 without a time"; empty: all have one.
  static QString missing(const trace::Roofline& roofline);
  // Where times, operations and bytes are from.
  static QString sources(const trace::Roofline& roofline);
  static QString peaks(const ShownPeaks& peaks);
  static bool is_same_processor(const trace::Roofline& roofline, const QString& processor);  // or one is unknown
  // Warns if the times are of another processor than the peaks, or of a device; empty: neither.
  static QString mismatch(const trace::Roofline& roofline, const ShownPeaks& peaks);
  static QString name(const trace::Snapshot& snapshot, const trace::Roofline& roofline,
                      const trace::RooflinePoint& point);
  static QString tip(const trace::Snapshot& snapshot, const trace::Roofline& roofline,
                     const trace::RooflinePoint& point, const trace::Roofs& roofs);
};

}  // namespace arenascope::views
