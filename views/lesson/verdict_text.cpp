// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/base/step_number.h>
#include <views/common/format.h>
#include <views/lesson/lesson.h>
#include <views/lesson/verdict_text.h>

#include <QCoreApplication>

namespace arenascope::views {
namespace {

struct VerdictTextTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Lessons)
};

using lesson::QuestionKind;
using lesson::Verdict;

QString list(const std::vector<std::string>& names) {
  QStringList out;
  for (const std::string& name : names) out << text_of(name);
  return out.join(QStringLiteral(", "));
}

QString name(const Verdict& v, size_t i) { return i < v.names.size() ? text_of(v.names[i]) : QString(); }

QString number(const Verdict& v) {
  const VerdictTemplates texts = verdict_templates();
  if (v.why == Verdict::Why::NoNumber) return texts.no_number;
  if (v.why == Verdict::Why::TooLarge)
    return v.bytes > 0 ? texts.too_many_bytes.arg(format_bytes(v.bytes)) : texts.too_many;
  if (v.step < 0) return texts.too_few;
  return VerdictTextTexts::tr("Too few: at step %1, %2 are live, %3 in total.")
      .arg(step_number(v.step))
      .arg(list(v.names), format_bytes(v.bytes));
}

// Two different sizes, with as many digits as it takes to tell them apart.
std::pair<QString, QString> sizes(Bytes a, Bytes b) {
  const QString rounded = format_bytes(a), other = format_bytes(b);
  if (rounded != other) return {rounded, other};
  return {VerdictTextTexts::tr("%1 bytes").arg(format_count(a)), VerdictTextTexts::tr("%1 bytes").arg(format_count(b))};
}

QString clicked(const Verdict& v) {
  if (v.why == Verdict::Why::Reads)
    return VerdictTextTexts::tr("%1 reads %2, not %3.")
        .arg(name(v, 0), list({v.names.begin() + 1, v.names.end()}), text_of(v.text));
  if (v.why == Verdict::Why::NotRead)
    return VerdictTextTexts::tr("%2 does not read %1.").arg(name(v, 0), text_of(v.text));
  if (v.why == Verdict::Why::RunsOn)
    return VerdictTextTexts::tr("%1 is computed by %2.").arg(name(v, 0), text_of(v.text));
  if (v.why == Verdict::Why::Waits)
    return VerdictTextTexts::tr("After %1 the threads waited %2. That is not the longest wait.")
        .arg(name(v, 0), format_ns(v.time));
  if (v.first < 0) return VerdictTextTexts::tr("You selected %1 (%2).").arg(name(v, 0), format_bytes(v.bytes));
  return VerdictTextTexts::tr("That is %1: %2, needed from step %3 to step %4.")
      .arg(name(v, 0), format_bytes(v.bytes))
      .arg(step_number(v.first))
      .arg(step_number(v.last));
}

QString placed(const Verdict& v) {
  const VerdictTemplates texts = verdict_templates();
  switch (v.why) {
    case Verdict::Why::Collides:
      if (v.first == v.last)
        return texts.collides_at_step.arg(name(v, 0), name(v, 1)).arg(step_number(v.first)).arg(format_bytes(v.bytes));
      return texts.collides.arg(name(v, 0), name(v, 1))
          .arg(step_number(v.first))
          .arg(step_number(v.last))
          .arg(format_bytes(v.bytes));
    case Verdict::Why::Misaligned: return texts.misaligned.arg(name(v, 0), format_bytes(v.bytes));
    case Verdict::Why::Arena: return texts.arena.arg(sizes(v.bytes, v.limit).first, sizes(v.bytes, v.limit).second);
    default: return texts.missing.arg(list(v.names));
  }
}

QString ordered(const Verdict& v) {
  switch (v.why) {
    case Verdict::Why::NotBefore: return verdict_templates().not_before.arg(name(v, 0), name(v, 1));
    case Verdict::Why::HigherPeak:
      return VerdictTextTexts::tr(
                 "This order is valid, but at step %1, %2 are live (%3 in total). A peak of %4 is possible.")
          .arg(step_number(v.step))
          .arg(list(v.names), sizes(v.bytes, v.limit).first, sizes(v.bytes, v.limit).second);
    default:
      return VerdictTextTexts::tr(
                 "This order is valid, but the inputs of each node must be visited in sequence: %2 is not at position "
                 "%1.")
          .arg(step_number(v.step))
          .arg(name(v, 0));
  }
}

}  // namespace

VerdictTemplates verdict_templates() {
  return {VerdictTextTexts::tr("Not a number. A unit such as KiB or MiB may follow it."),
          VerdictTextTexts::tr("Too many."),
          VerdictTextTexts::tr("Too many: %1 of it would never be used."),
          VerdictTextTexts::tr("Too few."),
          VerdictTextTexts::tr("%1 fits."),
          VerdictTextTexts::tr("%1 overlaps %2: both are needed at step %3, and they share %4."),
          VerdictTextTexts::tr("%1 overlaps %2: both are needed from step %3 to step %4, and they share %5."),
          VerdictTextTexts::tr("%1 must begin at a multiple of %2."),
          VerdictTextTexts::tr("Everything fits, but this layout needs %1; %2 is enough."),
          VerdictTextTexts::tr("Not yet placed: %1."),
          VerdictTextTexts::tr("%1 is before %2, which it reads: that result would not exist yet.")};
}

QString sentence_of(const Verdict& v, const lesson::Question& q) {
  if (v.right) return text_of(q.right);
  if (v.why == Verdict::Why::Authored) return text_of(v.text);
  if (v.why == Verdict::Why::None) return VerdictTextTexts::tr("Not this one.");
  if (v.why == Verdict::Why::BadRule) return text_of(v.text);
  switch (q.kind) {
    case QuestionKind::Number: return number(v);
    case QuestionKind::Rule:
    case QuestionKind::Place: return placed(v);
    case QuestionKind::Order: return ordered(v);
    default: return clicked(v);
  }
}

QString sentence_of(const lesson::Answer& solution, const lesson::Question& q) {
  if (q.kind == QuestionKind::Choice) {
    for (const lesson::Option& option : q.options)
      if (option.value == solution.text) return text_of(option.text);
    return {};
  }
  if (q.kind == QuestionKind::Order) return list(solution.names);
  if (q.kind == QuestionKind::Place) {
    QStringList out;
    for (const lesson::Placed& p : solution.placed)
      out << VerdictTextTexts::tr("%1 at %2").arg(text_of(p.name), format_bytes(p.offset));
    return out.join(QStringLiteral(", "));
  }
  return text_of(solution.text);
}

QString invitation(const lesson::Question& q) {
  switch (q.kind) {
    case QuestionKind::Choice: return VerdictTextTexts::tr("Choose one.");
    case QuestionKind::Number: return VerdictTextTexts::tr("Type a number.");
    case QuestionKind::Node: return VerdictTextTexts::tr("Click the tensor, in any panel.");
    case QuestionKind::Block: return VerdictTextTexts::tr("Click the block, or a tensor in it.");
    case QuestionKind::Barrier:
      return VerdictTextTexts::tr("Click the barrier in the timeline, or its row in the table.");
    case QuestionKind::Place:
      return VerdictTextTexts::tr(
          "Drag each tensor to its position, or select it with Tab and move it with the arrow keys.");
    case QuestionKind::Rule:
      return VerdictTextTexts::tr(
          "Type a rule: `sort` keys, smallest first; then `fit lowest` or `fit tightest`. Keys use "
          "size, first, last, length, area and live.");
    case QuestionKind::Order: break;
  }
  return VerdictTextTexts::tr("Drag the rows into order, or move the selected row with Ctrl and the arrow keys.");
}

}  // namespace arenascope::views
