// SPDX-License-Identifier: GPL-3.0-or-later
#include "saving_text.h"

#include <views/common/format.h>
#include <QCoreApplication>

namespace arenascope::app {

using views::format_bytes;

namespace {

struct SavingTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::SavingText)
};

QString free_text(Saving method, const MemorySaving& s) {
  const QString name = QString::fromStdString(s.name);
  switch (method) {
    case Saving::InPlace: return SavingTexts::tr("ops work in place");
    case Saving::Order: return SavingTexts::tr("the nodes run in the order %1").arg(name);
    case Saving::Fusion: return SavingTexts::tr("chains of ops are computed as one node each");
    case Saving::Planner: return SavingTexts::tr("%1 lays it out").arg(name);
    case Saving::Rematerialise:
    case Saving::Offload: break;
  }
  return {};
}

}  // namespace

QString saving_text(const MemorySaving& s) {
  QString text;
  for (const Saving other : s.with) text += free_text(other, s) + QStringLiteral(", ");
  return text + free_text(s.method, s) +
         QStringLiteral(" (%1 → %2)").arg(format_bytes(s.peak_before), format_bytes(s.peak_after));
}

QString what_if_text(const WhatIf& answer, Bytes capacity) {
  QStringList steps;
  for (const MemorySaving& step : answer.steps) steps << saving_text(step);
  const QString text = steps.join(QStringLiteral("; "));
  if (answer.fits)
    return SavingTexts::tr("It fits under %1 with %2, if: %3.")
        .arg(format_bytes(capacity), format_bytes(answer.plan.arena_bytes), text);
  return steps.isEmpty()
             ? SavingTexts::tr("No op in place and no other order brings it under %1.").arg(format_bytes(capacity))
             : SavingTexts::tr("Without computing more it comes to %1: %2.")
                   .arg(format_bytes(answer.plan.arena_bytes), text);
}

QString fused_text(const WhatIf& answer) {
  return SavingTexts::tr("Opened with fused chains it would take %1: Run Settings ▸ Fusion.")
      .arg(format_bytes(answer.plan.arena_bytes));
}

}  // namespace arenascope::app
