// SPDX-License-Identifier: MIT
// Model files are mapped, not read. If another program truncates the file or the disk fails, reading the missing
// pages raises SIGBUS, which terminates the process. The same holds for memory shared with an attached program when
// the system has no pages left for it.
#pragma once
#include <arenascope/base/result.h>

namespace arenascope::models {

// Installs a SIGBUS handler for the process: missing pages read as zeros, and operations on the file fail with an
// error that names it (open_model(), Model::weights_unchanged(), Runner::run()). Shared memory is validated as before.
// Libraries do not call this because the handler is process-wide; a handler that was installed before receives all
// other addresses. Files that are already open are covered too. Error: the system refuses the handler.
Status survive_lost_pages();

}  // namespace arenascope::models
