// SPDX-License-Identifier: GPL-3.0-or-later
// Steps as every view and text names them: from 1, the first and the last one in use, "1 – 3".
#pragma once
#include <arenascope/base/step_number.h>
#include <views/common/figure.h>

#include <QString>

namespace arenascope::views {

// `end` is exclusive; both are indices.
inline QString format_steps(int64_t first, int64_t end) {
  const QString from = QString::number(step_number(first));
  return end <= first + 1 ? from : QStringLiteral("%1 – %2").arg(from).arg(last_step_number(end));
}

// The same of figures with the units Step and EndStep.
inline FigureText steps_text(const Figure& first, const Figure& end) {
  FigureText text = with_figures(QStringLiteral("%1 – %2"), {first, end});
  if (first.text == end.text) text.text = first.text;
  return text;
}

}  // namespace arenascope::views
