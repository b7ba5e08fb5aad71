// SPDX-License-Identifier: GPL-3.0-or-later
// Saves a file of the document on a background thread: a recording, another format, a table, a plan. One at a time;
// closing the document or the program waits until the file is complete.
#pragma once
#include <arenascope/base/result.h>

#include <QString>

#include <atomic>
#include <deque>

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
  // Runs `write` on the thread, after all earlier requests, then emits saved(`done`) or failed(). `written` is called on the
  // UI thread once the file is complete.
  void save(const QString& path, Write write, const QString& done, std::function<void()> written = {});
  void cancel() { continue_ = false; }  // the file being written; waiting ones are still written

  const QString& path() const { return path_; }
  size_t waiting() const { return waiting_.size(); }  // files, after the one that is being written
  double share() const override { return share_; }

 Q_SIGNALS:
  void saved(const QString& message);
  void failed(const QString& message);

 protected:
  void ended() override { begin_next(); }

 private:
  struct Request {
    QString path;
    Write write;
    QString done;
    std::function<void()> written;
  };
  void begin_next();

  std::deque<Request> waiting_;
  QString path_;
  std::atomic<bool> continue_{true};
  std::atomic<double> share_{-1};
};

}  // namespace arenascope::app
