// SPDX-License-Identifier: GPL-3.0-or-later
#include "messages.h"

#include <algorithm>

#include "run_controller.h"

namespace arenascope::app {

namespace {
constexpr size_t kMaxMessages = 3;
}

void Messages::post(MessageKind kind, const QString& message, const QString& action) {
  if (message.isEmpty() || texts().contains(message)) return;
  if (kind == MessageKind::Note) std::erase_if(all_, [](const Message& m) { return m.kind == MessageKind::Note; });
  if (all_.size() >= kMaxMessages) all_.erase(all_.begin());
  all_.push_back({kind, message, action});
  Q_EMIT changed();
}

void Messages::remove(const QString& message) {
  if (std::erase_if(all_, [&](const Message& m) { return m.text == message; }) > 0) Q_EMIT changed();
}

void Messages::drop_notes() {
  if (std::erase_if(all_, [](const Message& m) { return m.kind == MessageKind::Note; }) > 0) Q_EMIT changed();
}

void Messages::clear() {
  if (all_.empty()) return;
  all_.clear();
  Q_EMIT changed();
}

QStringList Messages::texts() const {
  QStringList all;
  for (const Message& m : all_) all << m.text;
  return all;
}

QString pause_message(BreakReason reason, const QString& node) {
  return reason == BreakReason::NotFinite
             ? Messages::tr("Paused after %1: its result contains NaN or infinity.").arg(node)
             : Messages::tr("Paused before %1 by a breakpoint.").arg(node);
}

}  // namespace arenascope::app
