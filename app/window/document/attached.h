// SPDX-License-Identifier: GPL-3.0-or-later
// A program that is started and watched, as something that is opened: what it says grows in a session while it runs.
#pragma once
#include "opener.h"

#include <QStringList>

namespace arenascope::app {

// What of a document says that a program of these words is started and watched, with these adapters.
QString attach_spec(const QStringList& words, const QStringList& with);
bool is_attach_spec(const QString& spec);

// Starts the program and returns when it has ended, or is no longer wanted: then it goes on unseen.
Opened watch_program(const QString& spec, const RunSettings& settings, const OpenVoice& voice);

}  // namespace arenascope::app
