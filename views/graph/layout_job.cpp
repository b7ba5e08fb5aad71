// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout_job.h"

namespace arenascope::views {

LayoutJob::LayoutJob(QObject* parent) : QObject(parent) {
  connect(&task_, &Task::cancelled, this, &LayoutJob::cancelled);
  connect(&task_, &Task::finished, this, [this] {
    if (const auto picture = std::exchange(picture_, nullptr)) Q_EMIT ready(picture);
  });
}

void LayoutJob::start(const GraphRequest& request) {
  picture_ = nullptr;
  const auto work = [this, request](const TaskRun& run) {
    run.post([this, picture = prepare_graph(request, run.stop())] { picture_ = picture; });
  };
  // Graphviz is another process, for which no view may wait.
  QThreadPool* pool = request.engine == LayoutEngine::Graphviz ? background_pool() : render_pool();
  task_.start(tr("Laying out the graph…"), work, pool);
}

}  // namespace arenascope::views
