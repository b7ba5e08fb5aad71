// SPDX-License-Identifier: GPL-3.0-or-later
// The arena that the open model would have in its other form: optimised (rewritten and fused) if it was opened as
// written, as written if it was opened optimised. Planned in the background; nothing is run.
#pragma once
#include <arenascope/base/ids.h>
#include <views/common/task.h>

#include <optional>

#include "run_settings.h"

namespace arenascope::app {

class OtherForm : public QObject {
  Q_OBJECT
 public:
  explicit OtherForm(views::TaskList* tasks);

  static bool is_optimised(const RunSettings& settings) { return settings.rewrite || settings.fuse; }
  // The settings of the other form.
  static RunSettings flipped(const RunSettings& settings);

  // `settings`: of the open form. `replanned`: they, and not the options of the file, have its planner and order.
  void plan(const QString& spec, const RunSettings& settings, bool replanned);
  void forget();
  std::optional<Bytes> arena() const { return arena_; }  // none: not planned, or it has no plan

 Q_SIGNALS:
  void changed();

 private:
  views::Task task_;
  std::optional<Bytes> arena_;
};

}  // namespace arenascope::app
