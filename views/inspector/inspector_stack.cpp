// SPDX-License-Identifier: GPL-3.0-or-later
#include "facts_builder.h"

namespace arenascope::views::inspector {
namespace {

constexpr size_t kMaxFrames = 64;

QString file_of(const trace::Snapshot& snapshot, const trace::StackFrame& frame) {
  const QString file = QString::fromStdString(std::string(snapshot.name(frame.file)));
  if (file.isEmpty()) return {};
  const QString name = file.section(u'/', -2);  // including its folder
  return frame.line > 0 ? QStringLiteral("%1:%2").arg(name).arg(frame.line) : name;
}

}  // namespace

void stack_section(FactsBuilder& facts, uint32_t allocation) {
  const trace::Snapshot& snapshot = *facts.in.snapshot;
  const trace::StackInfo* stack = snapshot.stack_of(allocation);
  if (stack == nullptr) return;
  facts.section(Texts::tr("Allocated by"));
  if (stack->allocations.size() > 1)
    facts.line(Texts::tr("%n allocation(s) from here", nullptr, static_cast<int>(stack->allocations.size())));
  size_t shown = 0;
  for (const trace::StackFrame& frame : stack->frames) {
    if (shown++ == kMaxFrames) {
      facts.line(Texts::tr("and %n more", nullptr, static_cast<int>(stack->frames.size() - kMaxFrames)));
      break;
    }
    const QString function = to_text(std::string(snapshot.name(frame.function)));
    const QString file = file_of(snapshot, frame);
    FactValue called(function.isEmpty() ? QStringLiteral("?") : function);
    called.note = file;
    facts.line(called);
  }
}

}  // namespace arenascope::views::inspector
