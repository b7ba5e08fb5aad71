// SPDX-License-Identifier: GPL-3.0-or-later
// The findings of a report: the search that the window's Findings view runs, as JSON and as English sentences.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include <arenascope/trace/difference.h>

#include "app/report/report.h"

namespace arenascope::app {

// Ranked. Each has its kind, its saving (null: none), and its sentence as text with values (finding_sentence.h).
// `seconds`: limit of the search; 0: no search.
ReportJson findings_json(const std::shared_ptr<const trace::Snapshot>& snapshot, const trace::Subject& subject,
                         double seconds);

// The sentence in English. `name`: formats the names of tensors and threads.
std::string finding_text(const ReportJson& finding, const std::function<std::string(const std::string&)>& name);

// "2.30 MiB", "1.20 ms", or "—" for information without a saving.
std::string finding_saving(const ReportJson& finding);

}  // namespace arenascope::app
