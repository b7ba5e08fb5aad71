// SPDX-License-Identifier: GPL-3.0-or-later
// Feedback on an answer: the consequences that it would have.
#pragma once
#include <arenascope/lesson/question.h>

#include <QString>

namespace arenascope::views {

QString sentence_of(const lesson::Verdict& verdict, const lesson::Question& question);
// The correct answer as text.
QString sentence_of(const lesson::Answer& solution, const lesson::Question& question);
// The instruction to the user for a kind of question.
QString invitation(const lesson::Question& question);

}  // namespace arenascope::views
