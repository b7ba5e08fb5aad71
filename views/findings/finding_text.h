// SPDX-License-Identifier: GPL-3.0-or-later
// A finding as a sentence in the user's language, and its formatted saving.
#pragma once
#include <views/common/session_source.h>

#include <arenascope/schedule/findings.h>
#include <QString>

namespace arenascope::views {

QString finding_text(const Finding& finding, const FindingsInput& about);
QString finding_saving(const Finding& finding);  // "2.0 MiB", "1.2 ms", or "—" for information without a saving

}  // namespace arenascope::views
