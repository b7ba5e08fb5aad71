// SPDX-License-Identifier: MIT
// The figures of a small stream of events, nanosecond by nanosecond and byte by byte: slower still than the auditor,
// and so simple that it can be read at a glance.
#pragma once
#include <arenascope/audit/audit.h>

#include <map>

#include "support/random_events.h"

namespace arenascope::test {

// Values by id, as in audit::Report::figures; only those that it computes.
std::map<std::string, double> brute_force(const Stream& stream);

}  // namespace arenascope::test
