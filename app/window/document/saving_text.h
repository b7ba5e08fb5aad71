// SPDX-License-Identifier: GPL-3.0-or-later
// What a what-if does that costs nothing, in the window's language. What is computed again or offloaded needs the graph with
// its parameters, which a description does not have.
#pragma once
#include <arenascope/schedule/what_if.h>

#include <QString>

namespace arenascope::app {

QString saving_text(const MemorySaving& step);
// All of a what-if's in one text, and what it comes to.
QString what_if_text(const WhatIf& answer, Bytes capacity);
// What fused chains would come to.
QString fused_text(const WhatIf& answer);

}  // namespace arenascope::app
