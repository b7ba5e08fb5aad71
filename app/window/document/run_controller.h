// SPDX-License-Identifier: GPL-3.0-or-later
// The UI-thread interface to a model or recording. It sends requests to a worker thread (worker_thread.h) and
// receives its reports; views never access the engine.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/session.h>

#include <views/common/background.h>
#include <views/common/task.h>
#include <views/tensor/tensor_values.h>

#include <QObject>
#include <QString>

#include <functional>
#include <memory>

#include "breakpoint.h"
#include "input_sizes.h"
#include "messages.h"
#include "run_settings.h"
#include "value_reader.h"
#include "worker_thread.h"

namespace arenascope::trace {
class Recorder;
}  // namespace arenascope::trace

namespace arenascope::app {

class SavedMark;

enum class BreakReason : uint8_t { None, Before, NotFinite };

// Position and reason of a pause, and access to values until the run continues.
struct PauseInfo {
  Step next;
  BreakReason reason = BreakReason::None;
  NodeId node;                                         // of the breakpoint, or with the non-finite result
  int resume_epoch = 0;                                // see RunChannel
  std::function<ValuesAnswer(trace::TensorRef)> read;  // any thread; see RunChannel::reading
};

class RunController : public WorkerThread {
  Q_OBJECT
 public:
  explicit RunController(views::TaskList* tasks);
  ~RunController() override;

  bool has_model() const { return has_model_; }
  const RunSettings& settings() const { return settings_; }
  const QString& spec() const { return spec_; }
  const std::shared_ptr<trace::Session>& session() const { return session_; }
  // Dynamic input dimensions of the model.
  const std::vector<InputSize>& input_sizes() const { return sizes_; }

  // These functions return at once and report by signals. The current document stays open until the new one is
  // loaded.
  void open(const QString& spec, const RunSettings& settings);
  void replan(const RunSettings& settings);
  views::Task& planning() { return planning_; }  // of replan(); cancelled, it keeps the plan in use
  void run(bool repeatedly = true);              // or continues a paused run
  void pause();
  void step();  // one node with work
  void run_to(Step step);
  void stop();  // ends the run; the model stays open
  // Adds a plan computed elsewhere to the session and returns it with its id; null without a session. For a model the
  // recorder adds it asynchronously, followed by session_grew(). Valid in any state.
  std::shared_ptr<const trace::PlanInfo> add_plan(trace::PlanInfo plan);
  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  // Answered by values() if the run is paused or ready. A worker copies them.
  void read_values(trace::TensorRef tensor);
  // Opens a model or recording, also while it is shown; records an attached program.
  views::Task& opening() { return opening_; }
  // How much of the session was saved; null if it is not also written to a file.
  SavedMark* saved_mark() const;

 Q_SIGNALS:
  void opened(const QString& title);  // session() changed
  void session_grew();                // new content, from a recording being read or an added plan
  void failed(const QString& message);
  void noted(const arenascope::app::Message& note);  // about what was opened, which did not fail
  void paused_at(int step, arenascope::app::BreakReason reason, arenascope::NodeId node);
  void planned();  // plans were added to the session
  void values(std::shared_ptr<const arenascope::views::TensorValues> values,
              const QString& title);  // null values: title has the reason

 private:
  friend class RunWorker;  // reports through RunChannel::tell

  // Reports of the worker.
  struct OpenResult {
    QString spec;
    RunSettings settings;
    std::shared_ptr<trace::Session> session;
    std::shared_ptr<trace::Recorder> recorder;
    bool can_run = false;
    QString title, problem;
    Message note = {};
    std::vector<InputSize> sizes = {};
    bool autosaved = false;  // the recording is also written to a file
  };
  void on_opened(const OpenResult& opened);
  void on_failed(const QString& problem);  // to open
  void on_iteration(const QString& text);  // of a model whose own loop runs; empty: the loop has ended
  void on_running();
  void on_paused(const PauseInfo& pause);
  void on_ready(int job);
  void on_planned(const RunSettings& settings, bool ok, const QString& problem);

  void request_quit() override;

  bool has_model_ = false;
  QString spec_;
  RunSettings settings_;
  std::shared_ptr<trace::Session> session_;
  std::vector<InputSize> sizes_;
  std::vector<Breakpoint> breakpoints_;
  Step next_;                                                   // step before which the run is paused
  Step stop_;                                                   // breakpoint that a run was sent to; invalid: none
  std::shared_ptr<trace::Recorder> recorder_;                   // thread-safe; null: nothing is recorded
  std::function<ValuesAnswer(trace::TensorRef)> value_reader_;  // set while paused
  views::Background reading_;                                   // copies values of a paused run
  bool autosaved_ = false;
  views::Task opening_, planning_, looping_;
  std::optional<views::TaskRun> loop_run_;  // of looping_
};

}  // namespace arenascope::app
