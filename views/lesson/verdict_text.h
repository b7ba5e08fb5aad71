// SPDX-License-Identifier: GPL-3.0-or-later
// What to say to an answer: what would follow from it.
#pragma once
#include <arenascope/lesson/question.h>

#include <QString>

namespace arenascope::views {

QString sentence_of(const lesson::Verdict& verdict, const lesson::Question& question);
// The right answer in words.
QString sentence_of(const lesson::Answer& solution, const lesson::Question& question);
// What a question wants somebody to do, by its kind.
QString invitation(const lesson::Question& question);

}  // namespace arenascope::views
