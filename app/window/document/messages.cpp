// SPDX-License-Identifier: GPL-3.0-or-later
#include "messages.h"

#include <algorithm>
#include <functional>

#include <views/common/engine_errors.h>

#include "message_log.h"
#include "run_controller.h"

namespace arenascope::app {

namespace {
constexpr std::ptrdiff_t kMaxMessages = 3;
}

void Messages::post(MessageKind kind, const QString& text, const QString& action) {
  if (text.isEmpty()) return;
  const QString message = views::engine_error_text(text);  // own sentences match no frame
  if (log_ != nullptr) log_->add(kind, title_(), message);
  if (texts().contains(message)) return;
  const auto is_note = [](const Message& m) { return m.kind == MessageKind::Note; };
  if (kind == MessageKind::Note)
    std::erase_if(all_, is_note);
  else if (std::count_if(all_.begin(), all_.end(), std::not_fn(is_note)) >= kMaxMessages)
    all_.erase(std::find_if_not(all_.begin(), all_.end(), is_note));
  all_.push_back({kind, message, action});
  Q_EMIT changed();
}

void Messages::remove(const QString& message) {
  const QString text = views::engine_error_text(message);
  if (std::erase_if(all_, [&](const Message& m) { return m.text == text; }) > 0) Q_EMIT changed();
}

void Messages::close(const QString& message) {
  if (log_ != nullptr) log_->mark_read(message);
  remove(message);
}

void Messages::set_log(MessageLog* log, std::function<QString()> title) {
  log_ = log;
  title_ = std::move(title);
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
