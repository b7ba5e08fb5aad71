// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/common/incomplete.h>
#include <QCoreApplication>

namespace arenascope::views {

namespace {
struct IncompleteTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Incomplete)
};
}  // namespace

QStringList incomplete_notes(const trace::Snapshot& snapshot, trace::RunId id) {
  QStringList notes;
  const trace::Run* run = snapshot.run(id);
  const int64_t lost = run ? run->lost : snapshot.lost;
  if (lost > 0) notes << IncompleteTexts::tr("%1 events lost").arg(format_count(lost));
  if (run ? run->evicted : snapshot.forgotten > 0) notes << IncompleteTexts::tr("older events discarded");
  if (!run) return notes;
  if (run->finished && run->status == trace::RunStatus::Aborted) notes << IncompleteTexts::tr("aborted");
  if (run->finished && run->status == trace::RunStatus::Failed) notes << IncompleteTexts::tr("failed");
  if (run->info.stepped) notes << IncompleteTexts::tr("stepped through");
  return notes;
}

}  // namespace arenascope::views
