// SPDX-License-Identifier: GPL-3.0-or-later
// A document's model or recording as the window knows it: it asks a worker thread (run_link.h) and is told; no view ever
// sees the engine. All of this is the window's.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/session.h>

#include <views/tensor/tensor_values.h>

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <stop_token>

#include "breakpoint.h"
#include "input_sizes.h"
#include "run_link.h"
#include "run_settings.h"
#include "value_reader.h"

namespace arenascope::trace {
class Recorder;
}  // namespace arenascope::trace

namespace arenascope::app {

enum class BreakReason : uint8_t { None, Before, NotFinite };

// Where a run waits and why, and what its values can be read with until it goes on.
struct PauseInfo {
  Step next;
  BreakReason reason = BreakReason::None;
  QString node;   // that the breakpoint stands on, or whose result is not finite
  int moves = 0;  // see RunHandOver
  std::function<ValuesAnswer(trace::TensorRef)> read;
};

class RunController : public RunLink {
  Q_OBJECT
 public:
  explicit RunController(QObject* parent = nullptr);
  ~RunController() override;

  bool has_model() const { return has_model_; }
  const RunSettings& settings() const { return settings_; }
  const QString& spec() const { return spec_; }
  const std::shared_ptr<trace::Session>& session() const { return session_; }
  // Of a model's inputs, that its file leaves open.
  const std::vector<InputSize>& input_sizes() const { return sizes_; }

  // All of these return at once; what comes of it is told by signals. What is open stays open until the new one is
  // there.
  void open(const QString& spec, const RunSettings& settings);
  void replan(const RunSettings& settings);
  void cancel_planning();  // of replan(): what was in use stays
  bool planning() const { return planning_; }
  void run_once();
  void run();  // in a loop, from where it is paused
  void pause();
  void step();  // one node with work
  void run_to(Step step);
  void stop();  // ends the run; the model stays open
  // Tells the session of a plan that was made elsewhere, and gives it back as it is known there; null where there is no
  // session. Of a model the session has it a moment later, at read_on(): nobody waits for the recorder. Any state.
  std::shared_ptr<const trace::PlanInfo> add_plan(trace::PlanInfo plan);
  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  void read_values(trace::TensorRef tensor);  // answered by values() when the run is paused or ready
  void cancel_opening();

  // What the worker tells.
  struct OpenedThing {
    QString spec;
    RunSettings settings;
    std::shared_ptr<trace::Session> session;
    std::shared_ptr<trace::Recorder> recorder;
    bool can_run = false;
    QString title, problem;
    std::vector<InputSize> sizes = {};
  };
  void take_opened(const OpenedThing& opened);
  void take_failed(const QString& problem);
  void take_running();
  void take_paused(const PauseInfo& pause);
  void take_ready(int job);
  void take_planned(const RunSettings& settings, bool ok, const QString& problem);

 Q_SIGNALS:
  void opened(const QString& title);  // session() is another one
  void read_on();                     // the session has more: of a recording that is still read, or a plan
  void failed(const QString& sentence);
  void progress(const QString& phase, double share = -1);  // empty: done; below nought: nobody knows how much is done
  void paused_at(int step, arenascope::app::BreakReason reason, const QString& node);
  void planned();  // plans were added to the session
  void values(std::shared_ptr<const arenascope::views::TensorValues> values, const QString& title);  // null: why not

 private:
  Step next_break() const;
  void end() override;

  bool has_model_ = false;
  QString spec_;
  RunSettings settings_;
  std::shared_ptr<trace::Session> session_;
  std::vector<InputSize> sizes_;
  std::vector<Breakpoint> breakpoints_;
  Step next_;                                           // where it is paused
  std::shared_ptr<trace::Recorder> recorder_;           // takes descriptions from any thread; null: nothing records
  std::function<ValuesAnswer(trace::TensorRef)> lent_;  // while it is paused
  bool planning_ = false;
  std::stop_source stop_planning_;
};

}  // namespace arenascope::app
