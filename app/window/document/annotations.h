// SPDX-License-Identifier: GPL-3.0-or-later
// Notes, ranges and the state of the views as they travel in a recording (trace::AnnotationInfo).
#pragma once
#include <views/common/pinned_notes.h>

#include <string>
#include <vector>

#include "view_state.h"

namespace arenascope::app {

struct Annotations {
  std::vector<views::PinnedNote> notes;
  ViewState view;
  bool operator==(const Annotations&) const = default;

  std::string to_json() const;
  // Nullopt: there are none, or they are damaged or longer than 1 MiB. At most 10,000 notes of 10,000 characters; a
  // position of 1e15 and more is none. The graph has the built-in layout.
  static std::optional<Annotations> from_json(const std::string& json);
};

}  // namespace arenascope::app
