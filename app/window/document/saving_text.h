// SPDX-License-Identifier: GPL-3.0-or-later
// Text for the changes of a what-if that need no additional computation. Recomputation and offloading need the graph
// with its parameters, which a description does not contain.
#pragma once
#include <arenascope/schedule/what_if.h>

#include <QString>

namespace arenascope::app {

QString saving_text(const MemorySaving& step);
// All changes of a what-if and the resulting size.
QString what_if_text(const WhatIf& answer, Bytes capacity);
// The resulting size with fusion.
QString fused_text(const WhatIf& answer);

}  // namespace arenascope::app
