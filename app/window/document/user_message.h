// SPDX-License-Identifier: GPL-3.0-or-later
// The message of an engine error as a QString.
#pragma once
#include <QString>

#include <arenascope/base/result.h>

namespace arenascope::app {

inline QString user_message(const Error& error) { return QString::fromStdString(error.message); }

}  // namespace arenascope::app
