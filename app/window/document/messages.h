// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of a document, stored with it and shown while it is the current one.
#pragma once
#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

namespace arenascope::app {

class MessageLog;

enum class MessageKind : uint8_t { Note, Warning, Error };

struct Message {
  MessageKind kind = MessageKind::Note;
  QString text;
  QString action = {};  // id of an action of the window that addresses the problem; empty: none
  bool operator==(const Message&) const = default;
};

class Messages : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  // At most three messages exist; the oldest is dropped. Duplicates are ignored. A new note replaces the previous
  // one; warnings and errors remain until they are closed.
  void post(MessageKind kind, const QString& message, const QString& action = {});
  void fail(const QString& message) { post(MessageKind::Error, message); }
  void note(const QString& message) { post(MessageKind::Note, message); }
  void remove(const QString& message);
  void close(const QString& message);  // the user closed it: it counts as read
  void drop_notes();
  void clear();
  // Where each goes too; `title` is the document's at that time.
  void set_log(MessageLog* log, std::function<QString()> title);
  const std::vector<Message>& all() const { return all_; }
  QStringList texts() const;

 Q_SIGNALS:
  void changed();

 private:
  std::vector<Message> all_;
  MessageLog* log_ = nullptr;  // outlives it
  std::function<QString()> title_;
};

// The message of a pause at a breakpoint.
enum class BreakReason : uint8_t;
QString pause_message(BreakReason reason, const QString& node);

}  // namespace arenascope::app
