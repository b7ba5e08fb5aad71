// SPDX-License-Identifier: GPL-3.0-or-later
// What an error of the engine says, for a message of the window.
#pragma once
#include <QString>

#include <arenascope/base/result.h>

namespace arenascope::app {

inline QString sentence(const Error& error) { return QString::fromStdString(error.message); }

}  // namespace arenascope::app
