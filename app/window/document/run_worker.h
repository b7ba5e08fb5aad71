// SPDX-License-Identifier: GPL-3.0-or-later
// The thread that opens, plans and runs a document's model. It owns everything here; requests arrive through
// RunChannel, and reports return through RunChannel::tell.
#pragma once
#include <arenascope/runtime/run_control.h>

#include <mutex>
#include <optional>
#include <set>

#include "breakpoint.h"
#include "mpsc_queue.h"
#include "opener.h"
#include "run_controller.h"
#include "saved_mark.h"
#include "value_reader.h"

namespace arenascope::app {

class RunWorker;

// State shared by the two threads.
struct RunChannel {
  MpscQueue<std::function<void(RunWorker&)>> jobs;
  MpscQueue<std::vector<Breakpoint>> breakpoints;  // apply from the next node on, also to a run in progress
  RunControl control;                              // the engine's pause, step and abort control
  std::atomic<bool> quit{false};
  SavedMark saved;                   // mark of the open session
  std::atomic<int> resume_epoch{0};  // incremented when the window resumes the run; outdates earlier pauses
  std::mutex reading;                // held while values of a paused run are read; the run continues when it is free
  // Runs the function on the UI thread if the window still exists.
  std::function<void(std::function<void(RunController&)>)> tell;
};

class RunWorker {
 public:
  explicit RunWorker(RunChannel* shared);
  ~RunWorker();
  void work();  // until quit is set

  // Jobs.
  // Returns the error; nullopt: it is open.
  std::optional<QString> open(const QString& spec, const RunSettings& settings, const views::TaskRun& task);
  void replan(const RunSettings& settings, const views::TaskRun& task);
  void read(trace::TensorRef tensor);
  void run(bool in_a_loop);
  void stop();
  // Number of the current job, counted by the window.
  void set_job_number(int number) { job_number_ = number; }

 private:
  void run_one();
  void watch(Runner& part, RunOptions& options);
  bool breaks_before(Runner& part, NodeId node);
  bool check_finite(Runner& part, NodeId node);
  void on_pause(Step next, bool paused);
  void receive_breakpoints();
  void update_breakpoints(Runner& part);
  void rotate_file();
  void close();
  void close_autosave();
  void settled();
  void leave_loop();

  RunChannel* shared_;
  QString spec_;  // specification of the open document
  std::unique_ptr<Runner> runner_;
  std::shared_ptr<trace::Recorder> recorder_;
  std::shared_ptr<Autosave> autosave_, earlier_;  // current and previous file
  std::shared_ptr<trace::Session> session_;
  std::vector<Breakpoint> breakpoints_;
  trace::GraphId breakpoint_graph_;                   // graph of breaks_
  std::vector<char> breaks_;                          // by node
  bool nan_ = false;                                  // check results for NaN and infinity
  std::set<std::pair<int32_t, int32_t>> not_finite_;  // (graph, node) pairs already recorded in this session
  NodeId break_node_;                                 // node of the next pause
  BreakReason break_kind_ = BreakReason::None;
  bool looping_ = false, once_ = false;
  bool in_loop_ = false;  // the window shows a loop iteration as progress
  int job_number_ = 0;
};

}  // namespace arenascope::app
