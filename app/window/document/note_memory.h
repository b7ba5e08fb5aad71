// SPDX-License-Identifier: GPL-3.0-or-later
// Notes pinned to moments of a file and breakpoints, remembered by it. On the window's thread.
#pragma once
#include <views/common/pinned_notes.h>

#include <QString>

#include <vector>

#include "breakpoint.h"

namespace arenascope::app {

std::vector<views::PinnedNote> remembered_notes(const QString& spec);
void remember_notes(const QString& spec, const std::vector<views::PinnedNote>& notes);

std::vector<Breakpoint> remembered_breakpoints(const QString& spec);
void remember_breakpoints(const QString& spec, const std::vector<Breakpoint>& breakpoints);

}  // namespace arenascope::app
