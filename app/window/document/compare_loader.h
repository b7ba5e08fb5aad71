// SPDX-License-Identifier: GPL-3.0-or-later
// Loads the other side of a comparison in the background: a recording, a trace, or a model, which is planned.
#pragma once
#include <views/common/comparison.h>
#include <views/common/task.h>

#include <QObject>

#include "run_controller.h"

namespace arenascope::app {

class CompareLoader : public QObject {
  Q_OBJECT
 public:
  explicit CompareLoader(views::TaskList* tasks) : task_(tasks) {}

  void load(const QString& spec, const RunSettings& settings);  // cancels a load in progress
  void cancel() { task_.cancel(); }
  bool busy() const { return task_.running(); }
  const views::Task& task() const { return task_; }

 Q_SIGNALS:
  void loaded(std::shared_ptr<const arenascope::views::ComparisonSide> other);
  void failed(const QString& message);

 private:
  views::Task task_;
};

}  // namespace arenascope::app
