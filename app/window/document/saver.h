// SPDX-License-Identifier: GPL-3.0-or-later
// Saves a file of the document on a background thread: a recording, another format, a table, a plan. One at a time;
// closing the document or the program does not discard a file.
#pragma once
#include <arenascope/base/result.h>
#include <views/common/task.h>

#include <QString>
#include <QThreadPool>

#include <deque>

namespace arenascope::app {

class Saver : public QObject {
  Q_OBJECT
 public:
  explicit Saver(views::TaskList* tasks);
  ~Saver() override;  // waits until all files are complete
  // Does not wait; the object is deleted when all files are complete, at the latest at program exit.
  static void close_async(std::unique_ptr<Saver> saver);

  // Called repeatedly with the completed share, negative if unknown. Returns false to cancel.
  using Progress = std::function<bool(double share)>;
  using Write = std::function<Status(const Progress& progress)>;
  // Runs `write` on the thread, after all earlier requests, then emits saved(`done`) or failed(). `written` is called on the
  // UI thread once the file is complete.
  void save(const QString& path, Write write, const QString& done, std::function<void()> written = {});
  const views::Task& task() const { return task_; }  // writes one file; the others wait
  bool busy() const { return task_.running(); }
  size_t waiting() const { return waiting_.size(); }  // files, after the one that is being written

 Q_SIGNALS:
  void saved(const QString& message);
  void failed(const QString& message);

 private:
  struct Request {
    QString path;
    Write write;
    QString done;
    std::function<void()> written;
  };
  void begin_next();

  QThreadPool pool_;  // its own: other long work must not delay a file
  std::deque<Request> waiting_;
  views::Task task_;
  bool closed_ = false;
};

}  // namespace arenascope::app
