// SPDX-License-Identifier: GPL-3.0-or-later
// What went wrong with a document, or is worth a word: kept with it, and shown while it is the one at hand.
#pragma once
#include <QObject>
#include <QString>
#include <QStringList>

#include <vector>

namespace arenascope::app {

enum class MessageKind : uint8_t { Note, Warning, Error };

struct Message {
  MessageKind kind = MessageKind::Note;
  QString sentence;
  QString action = {};  // of the window, by which something can be done about it; empty: nothing
  bool operator==(const Message&) const = default;
};

class Messages : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  // At most three stand at once; the oldest goes. The same sentence is not said twice. A note is of what was done last:
  // a new one takes its place; what went wrong stays until it is closed.
  void say(MessageKind kind, const QString& sentence, const QString& action = {});
  void fail(const QString& sentence) { say(MessageKind::Error, sentence); }
  void note(const QString& sentence) { say(MessageKind::Note, sentence); }
  void remove(const QString& sentence);
  void drop_notes();
  void clear();
  const std::vector<Message>& all() const { return all_; }
  QStringList sentences() const;

 Q_SIGNALS:
  void changed();

 private:
  std::vector<Message> all_;
};

// What a pause at a breakpoint is told with.
enum class BreakReason : uint8_t;
QString pause_sentence(BreakReason reason, const QString& node);

}  // namespace arenascope::app
