// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/rates.h>

#include <QLocale>

#include <cmath>

namespace arenascope::views {

QString format_rate(double rate) {
  const double size = std::abs(rate);
  if (size > 0 && size < 0.9995)
    return QLocale().toString(rate, 'f', 2 - static_cast<int>(std::floor(std::log10(size))));
  return QLocale().toString(rate, 'f', size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

}  // namespace arenascope::views
