// SPDX-License-Identifier: GPL-3.0-or-later
// The flame graphs of a report: the trees of a snapshot, without the smallest frames.
#pragma once
#include "app/report/names.h"
#include "app/report/report.h"

namespace arenascope::app {

// One per weight for which the snapshot has data, of at most `limit` frames. A frame is [name, parent, total, self, count];
// parents precede their children, and the children of a frame are ordered by their totals.
ReportJson flames_json(const trace::Snapshot& snapshot, ReportNames& names, size_t limit);

}  // namespace arenascope::app
