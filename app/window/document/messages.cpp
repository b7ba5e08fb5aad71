// SPDX-License-Identifier: GPL-3.0-or-later
#include "messages.h"

#include <algorithm>

#include "run_controller.h"

namespace arenascope::app {

namespace {
constexpr size_t kMost = 3;
}

void Messages::say(MessageKind kind, const QString& sentence, const QString& action) {
  if (sentence.isEmpty() || sentences().contains(sentence)) return;
  if (kind == MessageKind::Note) std::erase_if(all_, [](const Message& m) { return m.kind == MessageKind::Note; });
  if (all_.size() >= kMost) all_.erase(all_.begin());
  all_.push_back({kind, sentence, action});
  Q_EMIT changed();
}

void Messages::remove(const QString& sentence) {
  if (std::erase_if(all_, [&](const Message& m) { return m.sentence == sentence; }) > 0) Q_EMIT changed();
}

void Messages::drop_notes() {
  if (std::erase_if(all_, [](const Message& m) { return m.kind == MessageKind::Note; }) > 0) Q_EMIT changed();
}

void Messages::clear() {
  if (all_.empty()) return;
  all_.clear();
  Q_EMIT changed();
}

QStringList Messages::sentences() const {
  QStringList all;
  for (const Message& m : all_) all << m.sentence;
  return all;
}

QString pause_sentence(BreakReason reason, const QString& node) {
  return reason == BreakReason::NotFinite
             ? Messages::tr("Paused behind %1: its result holds NaN or infinity.").arg(node)
             : Messages::tr("Paused before %1 by a breakpoint.").arg(node);
}

}  // namespace arenascope::app
