// SPDX-License-Identifier: GPL-3.0-or-later
// Pinned notes and breakpoints of a file, stored in the settings. UI thread only.
#pragma once
#include <views/common/pinned_notes.h>

#include <QString>

#include <optional>
#include <vector>

#include "breakpoint.h"

namespace arenascope::app {

// Nullopt: the user has edited none of its notes. An empty list: all were deleted.
std::optional<std::vector<views::PinnedNote>> remembered_notes(const QString& spec);
void remember_notes(const QString& spec, const std::vector<views::PinnedNote>& notes);

std::vector<Breakpoint> remembered_breakpoints(const QString& spec);
void remember_breakpoints(const QString& spec, const std::vector<Breakpoint>& breakpoints);

}  // namespace arenascope::app
