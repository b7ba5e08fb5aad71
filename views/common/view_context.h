// SPDX-License-Identifier: GPL-3.0-or-later
// The models of a document that every view receives. set_context() switches a view to another document: it disconnects
// from the old models and shows the new ones.
#pragma once
#include <views/common/pinned_notes.h>
#include <views/common/selection.h>
#include <views/common/session_source.h>
#include <views/common/shared_axis.h>
#include <views/common/task.h>
#include <views/common/theme.h>

#include <memory>

namespace arenascope::views {

// Owned by the document, the theme by the window; all of it outlives the time it is shown.
struct ViewContext {
  SessionSource* source = nullptr;
  SelectionModel* selection = nullptr;
  SharedAxis* axis = nullptr;
  Theme* theme = nullptr;
  PinnedNotes* notes = nullptr;  // null: notes are not supported
  TaskList* tasks = nullptr;     // lists what the views compute; null: not listed
};

// Owns a view's connections to the current context as their context object; reset() disconnects them.
class ConnectionScope {
 public:
  QObject* reset() {
    object_ = std::make_unique<QObject>();
    return object_.get();
  }

 private:
  std::unique_ptr<QObject> object_;
};

}  // namespace arenascope::views
