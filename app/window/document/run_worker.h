// SPDX-License-Identifier: GPL-3.0-or-later
// The thread on which a document's model is opened, planned and run. All of this is the worker's own; what the window
// wants comes through RunHandOver, and what it is told goes back through RunHandOver::tell.
#pragma once
#include <arenascope/runtime/run_control.h>

#include <set>
#include <stop_token>

#include "breakpoint.h"
#include "hand_over.h"
#include "opener.h"
#include "run_controller.h"
#include "value_reader.h"

namespace arenascope::app {

class RunWorker;

// What the two threads share, and nothing else.
struct RunHandOver {
  HandOver<std::function<void(RunWorker&)>> jobs;
  HandOver<std::vector<Breakpoint>> breakpoints;  // they count from the next node on, in a run that goes on too
  RunControl control;                             // the engine's own: pause, step, abort
  std::atomic<bool> quit{false};
  std::atomic<bool> cancel{false};  // opening
  std::atomic<int> moves{0};        // how often the window let the run go on: a pause of before is over
  // On the window's thread, while there is a window.
  std::function<void(std::function<void(RunController&)>)> tell;
};

class RunWorker {
 public:
  explicit RunWorker(RunHandOver* shared);
  ~RunWorker();
  void work();  // until told to quit

  // Jobs.
  void open(const QString& spec, const RunSettings& settings);
  void replan(const RunSettings& settings, const std::stop_token& stop);
  void read(trace::TensorRef tensor);
  void run(bool in_a_loop);
  void stop();
  // How many jobs the window had given when it gave the one at hand.
  void set_asked(int asked) { asked_ = asked; }

 private:
  void run_one();
  void watch(Runner& part, RunOptions& options);
  bool breaks_before(Runner& part, NodeId node);
  bool looks_at(Runner& part, NodeId node);
  void on_pause(Step next, bool paused);
  void take_breakpoints();
  void make_breaks(Runner& part);
  void turn_file();
  void close();
  void settled();
  void leave_loop();

  RunHandOver* shared_;
  QString spec_;  // of what is open
  std::unique_ptr<Runner> runner_;
  std::shared_ptr<trace::Recorder> recorder_;
  std::vector<std::shared_ptr<trace::Recorder>> told_before_;  // of runs whose weights the one at hand took over
  std::shared_ptr<Autosave> autosave_, earlier_;               // what is written now, and the one before
  std::shared_ptr<trace::Session> session_;
  std::vector<Breakpoint> breakpoints_;
  trace::GraphId breaks_of_;                          // the graph that has
  std::vector<char> breaks_;                          // by node
  bool nan_ = false;                                  // results are looked at
  std::set<std::pair<int32_t, int32_t>> not_finite_;  // of the session, by graph and node: each is noted once
  QString break_reason_;                              // of the pause to come
  BreakReason break_kind_ = BreakReason::None;
  bool looping_ = false, once_ = false;
  bool in_loop_ = false;  // the window says which turn of the model's own loop runs
  int asked_ = 0;
};

}  // namespace arenascope::app
