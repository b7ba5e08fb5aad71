// SPDX-License-Identifier: GPL-3.0-or-later
// Planners and execution orders by their names in the language of the user. Settings, files and the command line keep the
// names of the engine.
#pragma once
#include <QString>

#include <string_view>

namespace arenascope::views {

// In English, and for an unknown name, the name of the engine.
QString planner_text(std::string_view name);
QString order_text(std::string_view name);

}  // namespace arenascope::views
