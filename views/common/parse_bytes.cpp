// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/parse_bytes.h>

#include <QRegularExpression>
#include <cmath>

namespace arenascope::views {

std::optional<Bytes> parse_bytes(const QString& text) {
  static const QRegularExpression form(QStringLiteral("^\\s*(\\d+(?:[.,]\\d+)?)\\s*([kmgt]?)(?:i?b)?\\s*$"),
                                       QRegularExpression::CaseInsensitiveOption);
  const auto match = form.match(text);
  if (!match.hasMatch()) return std::nullopt;
  const double number = match.captured(1).replace(u',', u'.').toDouble();
  const QString unit = match.captured(2).toLower();
  const double bytes =
      std::ldexp(number, 10 * static_cast<int>(unit.isEmpty() ? 0 : QStringLiteral("kmgt").indexOf(unit) + 1));
  if (!(bytes < 9e18)) return std::nullopt;
  return static_cast<Bytes>(std::llround(bytes));
}

}  // namespace arenascope::views
