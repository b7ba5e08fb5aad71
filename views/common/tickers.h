// SPDX-License-Identifier: GPL-3.0-or-later
// Axis tickers: whole steps, runs, time since the start of the session, bytes in binary units.
#pragma once
#include <qcustomplot.h>
#include <views/common/axis_mapping.h>

#include <limits>

namespace arenascope::views {

// Steps are counted from 1, at the begin of each: round numbers have ticks.
class StepTicker : public QCPAxisTicker {
 public:
  StepTicker() { setTickOrigin(-1); }
  void set_end(double end) { end_ = end; }  // the number of steps; none is labelled after the last

 protected:
  double getTickStep(const QCPRange& range) override;
  int getSubTickCount(double) override { return 0; }
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

 private:
  double end_ = std::numeric_limits<double>::infinity();
};

class RunTicker : public StepTicker {
 protected:
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

class TimeTicker : public QCPAxisTicker {
 protected:
  double getTickStep(const QCPRange& range) override;
  int getSubTickCount(double) override { return 4; }
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

 private:
  double step_ = 1;
};

class BytesTicker : public QCPAxisTicker {
 protected:
  double getTickStep(const QCPRange& range) override;
  int getSubTickCount(double) override { return 0; }
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

// The smallest of 1, 2 or 5 times a power of ten that is at least `rough`.
double nice_step(double rough);

}  // namespace arenascope::views
