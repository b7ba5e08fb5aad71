// SPDX-License-Identifier: GPL-3.0-or-later
// Loads the other side of a comparison in the background: a recording, a trace, or a model, which is planned.
#pragma once
#include <views/common/comparison.h>

#include <QObject>
#include <stop_token>

#include "run_controller.h"

namespace arenascope::app {

class CompareLoader : public QObject {
  Q_OBJECT
 public:
  explicit CompareLoader(QObject* parent = nullptr) : QObject(parent) {}
  ~CompareLoader() override;

  void load(const QString& spec, const RunSettings& settings);  // cancels a load in progress
  void cancel();
  bool busy() const { return busy_; }

 Q_SIGNALS:
  void progress(const QString& phase, double share = -1);  // empty: done; share negative: unknown
  void loaded(std::shared_ptr<const arenascope::views::ComparisonSide> other);
  void failed(const QString& message);

 private:
  std::stop_source given_up_;  // of the current job
  bool busy_ = false;
};

}  // namespace arenascope::app
