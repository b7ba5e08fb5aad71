// SPDX-License-Identifier: GPL-3.0-or-later
#include "content_model.h"

#include "attached.h"
#include "run_controller.h"
#include "trace_file.h"

namespace arenascope::app {

using views::SessionSource;

ContentModel::ContentModel(SessionSource* source, RunController* runner) : source_(source), runner_(runner) {
  QObject* bond = bond_.reset();
  connect(source_, &SessionSource::changed, bond, [this] { update(); });
  connect(source_, &SessionSource::comparison_changed, bond, [this] { update(); });
  connect(runner_, &RunController::state_changed, bond, [this] { update(); });
  connect(runner_, &RunController::opened, bond, [this] {
    replayable_ = is_pytorch_snapshot(runner_->spec());
    update();
  });
}

void ContentModel::update() {
  const DocumentRole role{runner_->has_model(), is_attach_spec(runner_->spec()), source_->comparison() != nullptr,
                          replayable_, runner_->settings().from_lesson};
  const DocumentContent now = source_->session()
                                  ? content_of(*source_->snapshot(), source_->graph(), source_->plan(), role)
                                  : DocumentContent();
  if (now == content_) return;
  content_ = now;
  Q_EMIT changed();
}

}  // namespace arenascope::app
