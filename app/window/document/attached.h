// SPDX-License-Identifier: GPL-3.0-or-later
// A program that is launched and recorded as a document, with a session that grows while it runs.
#pragma once
#include "opener.h"

#include <QStringList>

namespace arenascope::app {

// The document spec for launching a program with these arguments and adapters.
QString attach_spec(const QStringList& argv, const QStringList& adapters);
bool is_attach_spec(const QString& spec);

// Launches the program and returns when it has ended, or when cancelled, in which case the program continues
// unrecorded.
Opened watch_program(const QString& spec, const RunSettings& settings, const OpenCallbacks& callbacks);

}  // namespace arenascope::app
