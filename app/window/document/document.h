// SPDX-License-Identifier: GPL-3.0-or-later
// An opened model or recording with everything that belongs to it: session, selection, x axis, shown plan,
// re-planning, comparison, findings, debugger, messages and undo history. A tab shows a document. Results of its jobs
// are stored here, whichever tab is shown, and closing the document ends its jobs.
#pragma once
#include "content_model.h"
#include "debugger.h"
#include "document_jobs.h"
#include "messages.h"
#include "run_controller.h"
#include "view_history.h"
#include "view_state.h"

namespace arenascope::app {

// The models of a document, created together because most refer to the session and the runner.
class DocumentModels {
 public:
  explicit DocumentModels(views::Theme* theme);

  views::ViewContext context() { return {&source_, &selection_, &axis_, theme_, &notes_, &tasks_}; }
  views::SessionSource* source() { return &source_; }
  views::SelectionModel* selection() { return &selection_; }
  views::SharedAxis* axis() { return &axis_; }
  RunController* runner() { return runner_.get(); }
  Debugger* debugger() { return &debugger_; }
  ContentModel* content_model() { return &content_; }
  Messages* messages() { return &messages_; }
  DocumentJobs& jobs() { return jobs_; }
  ViewHistory& history() { return history_; }
  ViewState& view_state() { return view_state_; }

 protected:
  views::Theme* theme_;
  views::TaskList tasks_;
  std::unique_ptr<RunController> runner_ = std::make_unique<RunController>(&tasks_);
  views::SessionSource source_;
  views::SelectionModel selection_;
  views::SharedAxis axis_{&source_};
  views::PinnedNotes notes_{&axis_};
  Messages messages_;
  Debugger debugger_;
  ContentModel content_{&source_, runner_.get()};
  DocumentJobs jobs_{&source_, runner_.get(), &tasks_};
  ViewHistory history_;
  ViewState view_state_;
};

class Document : public QObject, public DocumentModels {
  Q_OBJECT
 public:
  explicit Document(views::Theme* theme);
  ~Document() override;
  // Ends its jobs without waiting for them.
  static void close_async(std::unique_ptr<Document> document);

  const QString& title() const { return title_; }
  QString spec() const { return runner_->spec(); }
  const QString& paused_before() const { return paused_before_; }
  bool empty() const { return !source_.session() && runner_->state() == RunState::Empty; }

  void open(const QString& spec, const RunSettings& settings);
  QString take_requested() { return std::exchange(requested_, {}); }  // the spec that is being opened; empty: none
  void show_session(std::shared_ptr<trace::Session> session, const QString& title);
  // Re-runs a model with the new plan, or shows the plan of a recording; in both cases over the previous plan.
  void replan(const RunSettings& settings);
  void compare_with(std::shared_ptr<const views::ComparisonSide> other);  // null: ends the comparison
  // view_state() with the axis and the selection.
  ViewState whole_view_state();
  // Shows the notes that came with a recording, unless there are own notes, also if those were all deleted. They become
  // own notes when the user edits them.
  void show_notes_of_file(const std::vector<views::PinnedNote>& notes);
  void save_recording(const QString& path);
  // True if it has recorded data that was not saved, which is kept for recovery when the document is closed.
  bool will_be_kept() const;
  void deactivate();  // called when another document is shown; pauses a looping run

 Q_SIGNALS:
  void opened();  // a new session
  void state_changed();
  void tasks_changed();
  void compared();
  void failed(const QString& message);               // also posted to messages()
  void noted(const arenascope::app::Message& note);  // about what was opened; also posted to messages()
  void values(std::shared_ptr<const arenascope::views::TensorValues> values, const QString& title);

 private:
  void connect_runner();
  void connect_jobs();
  void on_opened(const QString& title);
  void on_state_changed();
  void on_plans_added();
  void pause_at(int step, BreakReason reason, NodeId node);
  void settle_playhead();
  void plan_other_form(bool replanned);
  void restore_breakpoints();
  void tell_of_older_runs();

  QString title_, paused_before_, requested_;
  QString notes_of_;         // settings key of the pinned notes; empty: not saved
  QString breakpoints_key_;  // settings key of the breakpoints
  QTimer settle_timer_;
  std::shared_ptr<const trace::PlanInfo> plan_before_;  // drawn under the plan that is being computed
  bool discard_reported_ = false;                       // the message about discarded runs was posted
  bool to_peak_ = false;                                // move the playhead to the peak after the first run
  bool shows_paused_ = false;                           // showing a run because it is paused
};

}  // namespace arenascope::app
