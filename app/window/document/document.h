// SPDX-License-Identifier: GPL-3.0-or-later
// One opened thing, with all that belongs to it: the model that runs or the recording, its session, what is selected,
// the x axis, the plan shown, replanning, comparison, findings, debugger, messages and undo. A tab shows a document;
// what a job of it comes to is told here, whichever tab is looked at, and closing it ends its jobs.
#pragma once
#include <views/findings/findings_search.h>
#include <views/graph/graph_view.h>
#include <views/tables/table_panel.h>

#include <QMap>

#include "allocator_replays.h"
#include "compare_loader.h"
#include "debugger.h"
#include "learning.h"
#include "messages.h"
#include "replanning.h"
#include "run_controller.h"
#include "saver.h"
#include "view_history.h"
#include "writing.h"

namespace arenascope::app {

// What a document owns. Made together, since most of it refers to the session and the runner.
class DocumentParts {
 public:
  explicit DocumentParts(views::Theme* theme);

  views::ViewContext context() { return {&source_, &selection_, &axis_, theme_, &notes_}; }
  views::SessionSource* source() { return &source_; }
  views::SelectionModel* selection() { return &selection_; }
  views::SharedAxis* axis() { return &axis_; }
  views::PinnedNotes* notes() { return &notes_; }
  RunController* runner() { return runner_.get(); }
  Replanning* replanning() { return &replanning_; }
  CompareLoader* comparing() { return &comparing_; }
  views::FindingsSearch* findings() { return &findings_; }
  Debugger* debugger() { return &debugger_; }
  Messages* messages() { return &messages_; }
  Writing* writing() { return writing_.get(); }
  Learning* learning() { return learning_.get(); }
  AllocatorReplays* replays() { return replays_.get(); }
  Saver* saver() { return saver_.get(); }
  ViewHistory& history() { return history_; }
  // How the views that hold something of their own look at it; kept while another document is shown.
  struct Looks {
    views::GraphView::Look graph;
    QMap<QString, views::TablePanel::Look> tables;
    std::optional<views::TimeRangeSelection> mark;  // the first of two, in a trace without steps
    bool operator==(const Looks&) const = default;
  };
  Looks& looks() { return looks_; }

 protected:
  views::Theme* theme_;
  std::unique_ptr<RunController> runner_ = std::make_unique<RunController>();
  views::SessionSource source_;
  views::SelectionModel selection_;
  views::SharedAxis axis_{&source_};
  views::PinnedNotes notes_{&axis_};
  Messages messages_;
  Replanning replanning_{&source_, runner_.get()};
  CompareLoader comparing_;
  views::FindingsSearch findings_{&source_};
  Debugger debugger_;
  std::unique_ptr<Writing> writing_ = std::make_unique<Writing>();
  std::unique_ptr<Learning> learning_ = std::make_unique<Learning>();
  std::unique_ptr<AllocatorReplays> replays_ = std::make_unique<AllocatorReplays>();
  std::unique_ptr<Saver> saver_ = std::make_unique<Saver>();
  ViewHistory history_;
  Looks looks_;
};

class Document : public QObject, public DocumentParts {
  Q_OBJECT
 public:
  explicit Document(views::Theme* theme);
  ~Document() override;
  // Ends its jobs without waiting for them.
  static void retire(std::unique_ptr<Document> document);

  const QString& title() const { return title_; }
  QString spec() const { return runner_->spec(); }           // where it came from
  const QString& progress() const { return progress_; }      // of what is opened or read; empty: nothing is
  double progress_share() const { return progress_share_; }  // of that; below nought: not known
  double progress_seconds() const;                           // since it began
  const QString& paused_before() const { return paused_before_; }
  bool empty() const { return !source_.session() && runner_->state() == RunState::Empty; }

  void open(const QString& spec, const RunSettings& settings) { runner_->open(spec, settings); }
  void show_session(std::shared_ptr<trace::Session> session, const QString& title);
  // A model runs with the new plan; of a recording it is shown. Either way the old one lies under it.
  void replan(const RunSettings& settings);
  void compare_with(std::shared_ptr<const views::Other> other);  // null: with nothing
  void look_away();                                              // another document is shown: it does not run unseen

 Q_SIGNALS:
  void opened();         // another session is there
  void state_changed();  // of the run
  void progress_changed();
  void compared();
  void failed(const QString& sentence);  // said in messages() too
  void values(std::shared_ptr<const arenascope::views::TensorValues> values, const QString& title);  // as the runner's

 private:
  void connect_runner();
  void connect_jobs();
  void take_opened(const QString& title);
  void take_state();
  void take_plans();
  void pause_at(int step, BreakReason reason, const QString& node);
  void settle_playhead();
  void restore_breakpoints();
  void tell_of_older_runs();
  void set_progress(const QString& text, double share = -1);

  QString title_, progress_, paused_before_;
  QString notes_of_;        // what the pinned notes are remembered by; empty: they are not
  QString breakpoints_of_;  // the same of breakpoints
  double progress_share_ = -1;
  QElapsedTimer progress_since_;
  QTimer settle_timer_;
  std::shared_ptr<const trace::PlanInfo> plan_before_;  // to be drawn under the one that is being made
  bool older_gone_ = false;                             // the session let go of runs, and it was said
  bool to_peak_ = false;                                // the playhead goes to the peak when the first run is through
  bool shows_paused_ = false;                           // a run that was chosen because it is paused
};

}  // namespace arenascope::app
