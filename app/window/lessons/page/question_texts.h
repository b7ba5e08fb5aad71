// SPDX-License-Identifier: GPL-3.0-or-later
// The replies to answers to a question in the current language. Where the answers are finite, the engine judges each of
// them; placements and numbers in between are judged by the script of the page with the same rules.
#pragma once
#include <arenascope/lesson/question.h>

#include "app/report/report.h"

namespace arenascope::app {

// Errors: a fact that is not available, too many orders.
Result<ReportJson> question_texts(const lesson::Question& question, const lesson::Scene& scene);

// Independent of the language. Errors as above.
Result<ReportJson> question_data(const lesson::Question& question, const lesson::Scene& scene);

}  // namespace arenascope::app
