// SPDX-License-Identifier: GPL-3.0-or-later
#include "message_log.h"

#include <algorithm>

namespace arenascope::app {

// Repeated identical messages, for example of a loop that fails, are one entry with a count.
void MessageLog::add(MessageKind kind, const QString& title, const QString& sentence) {
  if (!all_.empty() && all_.back().kind == kind && all_.back().sentence == sentence) {
    ++all_.back().count;
    all_.back().time = QDateTime::currentDateTime();
    all_.back().read = false;
  } else {
    all_.push_back({QDateTime::currentDateTime(), title, kind, sentence});
    if (all_.size() > kMaxEntries) drop_oldest();
  }
  Q_EMIT changed();
}

void MessageLog::drop_oldest() {
  const auto newest = all_.end() - 1;
  const auto oldest = std::find_if(all_.begin(), newest, [](const Entry& e) { return e.kind != MessageKind::Error; });
  all_.erase(oldest == newest ? all_.begin() : oldest);
  ++dropped_;
}

void MessageLog::mark_read(const QString& sentence) {
  bool any = false;
  for (Entry& entry : all_)
    if (!entry.read && entry.sentence == sentence) entry.read = any = true;
  if (any) Q_EMIT changed();
}

void MessageLog::mark_all_read() {
  for (Entry& entry : all_) entry.read = true;
  Q_EMIT changed();
}

int MessageLog::unread(MessageKind kind) const {
  return static_cast<int>(
      std::count_if(all_.begin(), all_.end(), [kind](const Entry& e) { return !e.read && e.kind == kind; }));
}

}  // namespace arenascope::app
