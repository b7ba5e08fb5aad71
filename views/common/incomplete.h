// SPDX-License-Identifier: GPL-3.0-or-later
// Why figures of a run may be less than the truth: what views say beside them.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QStringList>

namespace arenascope::views {

// A few words each; empty where the run was seen as a whole. Without a run: of the whole session.
QStringList incomplete_notes(const trace::Snapshot& snapshot, trace::RunId run);

}  // namespace arenascope::views
