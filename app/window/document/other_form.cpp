// SPDX-License-Identifier: GPL-3.0-or-later
#include "other_form.h"

#include "opener.h"
#include "run_option_settings.h"

namespace arenascope::app {

OtherForm::OtherForm(views::TaskList* tasks) : task_(tasks) {}

RunSettings OtherForm::flipped(const RunSettings& settings) {
  RunSettings other = settings;
  other.rewrite = other.fuse = !is_optimised(settings);
  return other;
}

void OtherForm::plan(const QString& spec, const RunSettings& settings, bool replanned) {
  forget();
  // Options of the file override the settings.
  auto of_file = remembered_run(spec);
  if (of_file.contains("rewrite") || of_file.contains("fusion")) return;
  for (const char* option : {"planner", "order", "memory", "budget"})
    if (replanned) of_file.erase(option);
  const QString title =
      is_optimised(settings) ? tr("Planning the model as written…") : tr("Planning the optimised model…");
  task_.start(title, [this, spec, of_file, other = flipped(settings)](const views::TaskRun& run) {
    const auto arena = planned_arena(spec, other, of_file, run.stop());
    if (!arena) return;  // it cannot be opened in this form
    run.post([this, bytes = *arena] {
      arena_ = bytes;
      Q_EMIT changed();
    });
  });
}

void OtherForm::forget() {
  task_.discard();
  if (std::exchange(arena_, std::nullopt)) Q_EMIT changed();
}

}  // namespace arenascope::app
