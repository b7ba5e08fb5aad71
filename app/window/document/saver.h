// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a file of the document's on a thread of its own: a recording, another format, a table, a plan. One at a time;
// a document that is closed meanwhile, and a program that ends, wait until it is whole.
#pragma once
#include <arenascope/base/result.h>

#include <QString>

#include <atomic>

#include "background_job.h"

namespace arenascope::app {

class Saver : public BackgroundJob {
  Q_OBJECT
 public:
  explicit Saver(QObject* parent = nullptr);
  ~Saver() override;

  // Asked now and then, with the share that is done, below nought where nobody knows; false: it is not wanted any more.
  using Progress = std::function<bool(double share)>;
  using Write = std::function<Status(const Progress& progress)>;
  // `write` runs on the thread; behind it `done` is said, or what went wrong. Refused while another file is written.
  void save(const QString& path, Write write, const QString& done);
  void cancel() { wanted_ = false; }

  const QString& path() const { return path_; }
  double share() const override { return share_; }

 Q_SIGNALS:
  void saved(const QString& sentence);
  void failed(const QString& sentence);

 private:
  QString path_;
  std::atomic<bool> wanted_{true};
  std::atomic<double> share_{-1};
};

}  // namespace arenascope::app
