// SPDX-License-Identifier: GPL-3.0-or-later
// Feedback on an answer: the consequences that it would have.
#pragma once
#include <arenascope/lesson/question.h>

#include <QString>

namespace arenascope::views {

QString sentence_of(const lesson::Verdict& verdict, const lesson::Question& question);
// The correct answer as text.
QString sentence_of(const lesson::Answer& solution, const lesson::Question& question);
// The sentences about numbers, placements and orders with %1, %2, … for names and values, for a page that judges an answer
// by itself.
struct VerdictTemplates {
  QString no_number, too_many, too_many_bytes, too_few, fits, collides_at_step, collides, misaligned, arena, missing,
      not_before;
};
VerdictTemplates verdict_templates();
// The instruction to the user for a kind of question.
QString invitation(const lesson::Question& question);

}  // namespace arenascope::views
