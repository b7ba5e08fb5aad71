// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what is to be compared with off the UI thread: a recording, another tool's trace, or a model, which is planned.
#pragma once
#include <views/common/other.h>

#include <QObject>
#include <stop_token>

#include "run_controller.h"

namespace arenascope::app {

class CompareLoader : public QObject {
  Q_OBJECT
 public:
  explicit CompareLoader(QObject* parent = nullptr) : QObject(parent) {}
  ~CompareLoader() override;

  void load(const QString& spec, const RunSettings& settings);  // another one is given up
  void cancel();
  bool busy() const { return busy_; }

 Q_SIGNALS:
  void progress(const QString& phase, double share = -1);  // empty: done; below nought: nobody knows how much is done
  void loaded(std::shared_ptr<const arenascope::views::Other> other);
  void failed(const QString& sentence);

 private:
  std::stop_source given_up_;  // of the job at hand
  bool busy_ = false;
};

}  // namespace arenascope::app
