// SPDX-License-Identifier: GPL-3.0-or-later
// Menu of the memory that a view shows.
#pragma once
#include <views/common/spaces.h>

#include <functional>

class QMenu;

namespace arenascope::views {

// Adds a submenu to choose the plan's arena, all spaces or those of one allocator.
void add_space_choices(QMenu& menu, const QString& title, const SessionSource& source, ArenaMode show,
                       const SpaceChoice& choice, const std::function<void(ArenaMode, const SpaceChoice&)>& chosen);

}  // namespace arenascope::views
