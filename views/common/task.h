// SPDX-License-Identifier: GPL-3.0-or-later
// Background work of the window, such as opening, planning, saving, generating or searching, with its title, progress,
// cancellation and result. A task may be executed many times, one execution after another. The list of a document shows
// its running tasks, each with a Cancel button.
#pragma once
#include <QElapsedTimer>
#include <QFutureWatcher>
#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

class QThreadPool;

namespace arenascope::views {

// The thread pool for long work (searches, reading files), separate from the pool that renders views, which must
// respond within milliseconds. The program waits for its running work at exit.
QThreadPool* background_pool();
// Not Qt's global pool: painting uses it to fill large or shaded areas in parallel and waits for it.
QThreadPool* render_pool();

class Task;

// One execution of a task, for the thread that does the work; copies refer to the same execution. It ends with finish()
// or when the last copy is destroyed. All functions are thread-safe.
class TaskRun {
 public:
  const std::stop_token& stop() const;
  bool active() const;  // neither finished nor discarded
  // `share` is negative if unknown; an empty title keeps the current one.
  void progress(double share, const QString& title = {}) const;
  // Runs `report` on the UI thread, in order, unless the execution was discarded or the task destroyed.
  void post(std::function<void()> report) const;
  void finish() const;

 private:
  friend class Task;
  struct State;
  explicit TaskRun(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// The tasks of a document, or of the window.
class TaskList : public QObject {
  Q_OBJECT
 public:
  std::vector<Task*> running() const;  // in the order in which the tasks were created

 Q_SIGNALS:
  void changed();

 private:
  friend class Task;
  std::vector<Task*> all_;
};

class Task : public QObject {
  Q_OBJECT
 public:
  // cancel() ends the work and uses its results so far, or discards them.
  enum class OnCancel : uint8_t { Keep, Discard };
  using Work = std::function<void(const TaskRun& run)>;

  // `list` null: not listed.
  explicit Task(TaskList* list = nullptr, OnCancel on_cancel = OnCancel::Discard);
  ~Task() override;              // discards a running execution without waiting
  void list_in(TaskList* list);  // discards a running execution

  // Both discard a running execution. start() runs `work` on a thread of the pool; after begin() another thread works.
  void start(const QString& title, Work work, QThreadPool* pool = background_pool());
  TaskRun begin(const QString& title);
  void stop();     // ends the work early; its results so far are used
  void discard();  // stops and ignores all results; finished() is not emitted
  void cancel();   // the user pressed Cancel
  void wait();     // until the work has ended

  bool running() const { return run_ != nullptr; }
  int number() const { return number_; }  // of the current or last execution
  const QString& title() const { return title_; }
  void set_title(const QString& title);
  void set_expected(double seconds) { expected_ = seconds; }  // of the current execution; its share follows from time
  double share() const;                                       // completed, 0 to 1; negative: unknown
  double seconds() const;                                     // elapsed; 0 if it is not running
  double seconds_left() const;                                // negative: unknown

 Q_SIGNALS:
  void changed();    // running, title or share
  void finished();   // all reports were delivered
  void cancelled();  // by the user

 private:
  friend class TaskRun;
  void notify();
  void take_progress();
  void on_finished();

  QPointer<TaskList> list_;
  const OnCancel on_cancel_;
  std::shared_ptr<TaskRun::State> run_;  // null: not running
  QFutureWatcher<void> watcher_;
  QString title_;
  double share_ = -1, expected_ = 0;
  QElapsedTimer since_;
  int number_ = 0;
};

}  // namespace arenascope::views
