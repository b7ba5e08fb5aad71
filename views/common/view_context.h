// SPDX-License-Identifier: GPL-3.0-or-later
// What every view is given of the document that it shows. Another document's is handed over by set_context(): the view
// stops listening to the one before and shows the other.
#pragma once
#include <views/common/pinned_notes.h>
#include <views/common/selection.h>
#include <views/common/session_source.h>
#include <views/common/shared_axis.h>
#include <views/common/theme.h>

#include <memory>

namespace arenascope::views {

// Owned by the document, the theme by the window; all of it outlives its being shown.
struct ViewContext {
  SessionSource* source = nullptr;
  SelectionModel* selection = nullptr;
  SharedAxis* axis = nullptr;
  Theme* theme = nullptr;
  PinnedNotes* notes = nullptr;  // null: none can be pinned
};

// The connections of a view to the context at hand: an object in whose name they are made, and with which they go.
class ContextBond {
 public:
  QObject* renew() {
    object_ = std::make_unique<QObject>();
    return object_.get();
  }

 private:
  std::unique_ptr<QObject> object_;
};

}  // namespace arenascope::views
