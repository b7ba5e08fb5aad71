// SPDX-License-Identifier: GPL-3.0-or-later
// Reasons why the figures of a run may be incomplete, shown next to them.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QStringList>

namespace arenascope::views {

// Short phrases; empty if the run was recorded completely. With an invalid run: of the whole session.
QStringList incomplete_notes(const trace::Snapshot& snapshot, trace::RunId run);

}  // namespace arenascope::views
