// SPDX-License-Identifier: MIT
// Model files are mapped, not read. When another program cuts one short meanwhile, or its disk fails, the pages behind
// its end are gone, and whoever reads there gets SIGBUS, which ends the process. So may the memory that an attached
// program shares, where there is no room for its pages.
#pragma once
#include <arenascope/base/result.h>

namespace arenascope::models {

// For programs that would rather go on: from now on such pages read as zeros, and what is done with the file ends in an
// error that names it (open_model(), Model::weights_unchanged(), Runner::run()); what is read of shared memory is checked
// as ever. It is a signal handler, and the process's
// own, so no library installs it; one that was there before is asked about all other addresses. Files that are open
// already count too. Seeded weights are drawn again where their pages were given back. Error: the system refuses.
Status survive_lost_pages();

}  // namespace arenascope::models
