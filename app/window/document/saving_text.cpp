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
    case Saving::InPlace: return SavingTexts::tr("ops in place");
    case Saving::Order: return SavingTexts::tr("execution order %1").arg(name);
    case Saving::Fusion: return SavingTexts::tr("chains of ops are fused");
    case Saving::Planner: return SavingTexts::tr("planner %1").arg(name);
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
    return SavingTexts::tr("It fits under %1, with %2, given: %3.")
        .arg(format_bytes(capacity), format_bytes(answer.plan.arena_bytes), text);
  return steps.isEmpty()
             ? SavingTexts::tr("Neither in-place ops nor other orders bring it under %1.").arg(format_bytes(capacity))
             : SavingTexts::tr("Without additional computation it needs %1: %2.")
                   .arg(format_bytes(answer.plan.arena_bytes), text);
}

QString fused_text(const WhatIf& answer) {
  return SavingTexts::tr("With fusion it would need %1: Run Settings ▸ Fusion.")
      .arg(format_bytes(answer.plan.arena_bytes));
}

}  // namespace arenascope::app
