// SPDX-License-Identifier: GPL-3.0-or-later
// Saves a file of the document on a background thread: a recording, another format, a table, a plan. One at a time;
// closing the document or the program waits until the file is complete.
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

  // Called repeatedly with the completed share, negative if unknown. Returns false to cancel.
  using Progress = std::function<bool(double share)>;
  using Write = std::function<Status(const Progress& progress)>;
  // Runs `write` on the thread, then emits saved(`done`) or failed(). Rejected while another file is being saved.
  void save(const QString& path, Write write, const QString& done);
  void cancel() { continue_ = false; }

  const QString& path() const { return path_; }
  double share() const override { return share_; }

 Q_SIGNALS:
  void saved(const QString& message);
  void failed(const QString& message);

 private:
  QString path_;
  std::atomic<bool> continue_{true};
  std::atomic<double> share_{-1};
};

}  // namespace arenascope::app
