// SPDX-License-Identifier: GPL-3.0-or-later
// Prepares the picture of a graph on a worker. A new request cancels the previous one.
#pragma once
#include <views/common/task.h>

#include "graph_picture.h"

namespace arenascope::views {

class LayoutJob : public QObject {
  Q_OBJECT
 public:
  explicit LayoutJob(QObject* parent = nullptr);

  void start(const GraphRequest& request);
  void cancel() { task_.discard(); }
  bool running() const { return task_.running(); }
  // Lists a running job as a task that the user can cancel; the previous picture then stays.
  void list_in(TaskList* list) { task_.list_in(list); }

 Q_SIGNALS:
  void ready(std::shared_ptr<const arenascope::views::GraphPicture> picture);
  void cancelled();  // by the user

 private:
  Task task_;
  std::shared_ptr<const GraphPicture> picture_;  // result of the job that ends
};

}  // namespace arenascope::views
