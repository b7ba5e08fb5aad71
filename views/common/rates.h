// SPDX-License-Identifier: GPL-3.0-or-later
// The text form of the rates of a node (arenascope/trace/node_rates.h).
#pragma once
#include <arenascope/trace/node_rates.h>

#include <QString>

namespace arenascope::views {

// With three significant digits.
QString format_rate(double rate);

}  // namespace arenascope::views
