// SPDX-License-Identifier: GPL-3.0-or-later
// Marks how much of a live recording was saved. Shared by the window, which saves, and the recording thread.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <atomic>

namespace arenascope::app {

class SavedMark {
 public:
  void set(const trace::Snapshot& snapshot) {
    runs_ = runs_of(snapshot);
    events_ = snapshot.event_count;
  }
  void clear() { events_ = -1; }
  // For a model only runs count: the recorder samples the process's memory also while nothing runs.
  bool covers(const trace::Snapshot& snapshot, bool of_model) const {
    return events_ >= 0 && runs_of(snapshot) == runs_ && (of_model || snapshot.event_count == events_);
  }

 private:
  // Two per finished run, one for a run in progress.
  static size_t runs_of(const trace::Snapshot& snapshot) {
    return 2 * snapshot.runs.size() - (!snapshot.runs.empty() && !snapshot.runs.back().finished ? 1 : 0);
  }

  std::atomic<size_t> runs_{0};
  std::atomic<int64_t> events_{-1};
};

// True if a recording contains more than opening the document produced, such as a model's first run.
inline bool worth_keeping(const trace::Snapshot& snapshot, bool of_model) {
  return snapshot.event_count > 0 && (!of_model || snapshot.runs.size() > 1);
}

}  // namespace arenascope::app
