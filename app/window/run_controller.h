// SPDX-License-Identifier: GPL-3.0-or-later
// Opens models and recordings and runs models, on a thread of its own; the window only asks and is told. What happens
// is written to a trace session, which the views read; no view ever sees the engine.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/runtime/run_control.h>
#include <arenascope/trace/session.h>

#include <views/tensor/tensor_values.h>

#include <QObject>
#include <QString>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "breakpoint.h"

namespace arenascope {
class Runner;  // not included here: the engine's headers do not know of Qt's keywords
}  // namespace arenascope
namespace arenascope::trace {
class Recorder;
class Sink;
}  // namespace arenascope::trace

namespace arenascope::app {

struct RunSettings {
  QString backend = QStringLiteral("cpu");
  int threads = 0;  // 0: as many as there are processors
  QString planner = QStringLiteral("search");
  QString order = QStringLiteral("depth-first");
  QString strategy = QStringLiteral("planned");
  double budget_seconds = 0.3;
  bool fuse = false;     // chains of ops as one node where the backend can
  bool autosave = true;  // what is recorded is also written to a file while the run goes on
  bool operator==(const RunSettings&) const = default;
};

enum class RunState : uint8_t { Empty, Opening, Recording, Ready, Running, Paused };

class RunController : public QObject {
  Q_OBJECT
 public:
  explicit RunController(QObject* parent = nullptr);
  ~RunController() override;  // waits until what runs has ended
  // Ends it without waiting: it goes when its thread has ended, at the latest with the program.
  static void retire(std::unique_ptr<RunController> controller);

  RunState state() const { return state_; }
  bool has_model() const { return has_model_; }
  const RunSettings& settings() const { return settings_; }
  const QString& spec() const { return spec_; }
  const std::shared_ptr<trace::Session>& session() const { return session_; }

  // All of these return at once; what comes of it is told by signals. What is open stays open until the new one is
  // there.
  void open(const QString& spec, const RunSettings& settings);  // a model, zoo:NAME or a recording, told by its content
  void replan(const RunSettings& settings);
  void run_once();
  void run();  // in a loop, from where it is paused
  void pause();
  void step();  // one node with work
  void run_to(Step step);
  void stop();  // ends the run; the model stays open
  // Tells the session of a plan that was made elsewhere; null where there is no session. Any state.
  std::shared_ptr<const trace::PlanInfo> add_plan(trace::PlanInfo plan);
  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  void read_values(trace::TensorRef tensor);  // answered by values() when the run is paused or ready
  void cancel_opening() { cancel_ = true; }

  static Status save_recording(const trace::Snapshot& snapshot, const QString& path);

 Q_SIGNALS:
  void state_changed();
  void opened(const QString& title);  // session() is another one
  void read_on();                     // of a recording that is shown while it is read: more is there, or all
  void session_changed();             // session() is another one of the same model: the old one was full
  void failed(const QString& sentence);
  void progress(const QString& phase);           // empty: done
  void paused_at(int step, const QString& why);  // why: empty, or the breakpoint
  void planned();                                // plans were added to the session
  void values(std::shared_ptr<const arenascope::views::TensorValues> values, const QString& title);  // null: why not

 private:
  using Job = std::function<void()>;
  void end();
  void post(Job job);
  void wake(const std::function<void()>& change);
  void work();
  void run_one();
  void leave_pause();
  void set_state(RunState state);
  void tell(std::function<void()> f);  // on the UI thread
  void open_now(const QString& spec, const RunSettings& settings);
  void open_recording_now(const QString& path);
  void open_intervals_now(const QString& path, const RunSettings& settings);
  void open_lesson_now(const QString& spec);
  void show_recording(const QString& spec, const std::shared_ptr<trace::Session>& session, const QString& title);
  void make_breaks();
  void renew_session();
  std::function<void()> values_now(trace::TensorRef tensor);  // what to tell the UI thread

  // UI thread
  RunState state_ = RunState::Empty;
  bool has_model_ = false;
  QString spec_;
  RunSettings settings_;
  std::shared_ptr<trace::Session> session_;
  std::shared_ptr<trace::Recorder> describer_;  // the worker's recorder; null: nothing records

  // shared
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  std::atomic<bool> quit_{false};
  bool retired_ = false;
  std::atomic<bool> cancel_{false};
  std::atomic<bool> looping_{false};
  std::atomic<bool> once_{false};
  RunControl control_;
  std::vector<Breakpoint> breakpoints_;                           // guarded by mutex_
  std::atomic<std::shared_ptr<const std::vector<char>>> breaks_;  // by node
  std::atomic<bool> nan_{false};
  std::set<NodeId> not_finite_;           // of the session: each is noted once; the worker's
  std::atomic<int32_t> paused_step_{-1};  // before which the run waits; -1: it does not
  std::string break_reason_;              // guarded by mutex_

  // worker
  std::shared_ptr<trace::Recorder> recorder_;
  std::shared_ptr<trace::Sink> autosave_;
  std::shared_ptr<trace::Session> worker_session_;
  std::unique_ptr<Runner> runner_;
  std::thread thread_;
};

}  // namespace arenascope::app
