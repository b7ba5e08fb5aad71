// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/base/step_number.h>
#include <views/common/format.h>
#include <views/common/tickers.h>
#include <QCoreApplication>

#include <cmath>

namespace arenascope::views {

double nice_step(double rough) {
  if (!(rough > 0) || !std::isfinite(rough)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double m : {1.0, 2.0, 5.0}) {
    if (m * power >= rough * (1 - 1e-9)) return m * power;
  }
  return 10 * power;
}

double StepTicker::getTickStep(const QCPRange& range) { return std::max(1.0, nice_step(range.size() / mTickCount)); }

QString StepTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  return tick < 0 || tick >= end_ ? QString() : format_count(step_number(std::llround(tick)));
}

QString RunTicker::getTickLabel(double tick, const QLocale& locale, QChar format, int precision) {
  const QString number = StepTicker::getTickLabel(tick, locale, format, precision);
  return number.isEmpty() ? number : QCoreApplication::translate("arenascope::views::RunTicker", "run %1").arg(number);
}

double TimeTicker::getTickStep(const QCPRange& range) {
  return step_ = std::max(1.0, nice_step(range.size() / mTickCount));
}

QString TimeTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  if (std::abs(tick) < step_ / 2) return QStringLiteral("0");
  return format_time(static_cast<Nanoseconds>(std::llround(tick)), static_cast<Nanoseconds>(step_));
}

double BytesTicker::getTickStep(const QCPRange& range) {
  const double rough = std::max(1.0, range.size() / mTickCount);
  const double power = std::pow(1024.0, std::floor(std::log2(rough) / 10));
  const double in_unit = rough / power;  // 1 to 1023 of the unit
  for (const double m : {1.0, 2.0, 4.0, 5.0, 10.0, 20.0, 25.0, 50.0, 100.0, 128.0, 200.0, 256.0, 512.0}) {
    if (m >= in_unit) return m * power;
  }
  return 1024 * power;
}

QString BytesTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  if (tick < 0.5) return QStringLiteral("0");
  return format_bytes(static_cast<Bytes>(std::llround(tick)));
}

}  // namespace arenascope::views
