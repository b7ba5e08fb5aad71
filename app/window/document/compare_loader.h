// SPDX-License-Identifier: GPL-3.0-or-later
// Loads the other side of a comparison in the background: a recording, a trace, or a model, which is planned.
#pragma once
#include <views/common/comparison.h>

#include <QElapsedTimer>
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
  // While it is busy.
  const QString& text() const { return text_; }
  double share() const { return share_; }  // that is done; below zero: not known
  double busy_seconds() const { return static_cast<double>(since_.elapsed()) / 1e3; }

 Q_SIGNALS:
  void changed();  // busy state, text or share
  void loaded(std::shared_ptr<const arenascope::views::ComparisonSide> other);
  void failed(const QString& message);

 private:
  void show(const QString& text, double share);
  void end();

  std::stop_source given_up_;  // stops the current job
  QString text_;
  double share_ = -1;
  QElapsedTimer since_;
  bool busy_ = false;
};

}  // namespace arenascope::app
