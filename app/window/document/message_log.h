// SPDX-License-Identifier: GPL-3.0-or-later
// The messages of all documents, including closed ones, in order. The message bar (messages.h) may replace messages; the log
// keeps the newest kMaxEntries until the program ends. Beyond, the oldest that is no error is dropped and counted.
#pragma once
#include <QDateTime>
#include <QObject>
#include <QString>

#include <vector>

#include "messages.h"

namespace arenascope::app {

class MessageLog : public QObject {
  Q_OBJECT
 public:
  struct Entry {
    QDateTime time;
    QString title;  // title of the document; empty: none
    MessageKind kind = MessageKind::Note;
    QString sentence;
    bool read = false;
    int64_t count = 1;  // number of consecutive repetitions
  };

  static constexpr size_t kMaxEntries = 1000;

  using QObject::QObject;
  void add(MessageKind kind, const QString& title, const QString& sentence);
  void mark_read(const QString& sentence);  // the user closed it in the message bar
  void mark_all_read();
  const std::vector<Entry>& all() const { return all_; }
  int unread(MessageKind kind) const;
  int dropped() const { return dropped_; }

 Q_SIGNALS:
  void changed();

 private:
  void drop_oldest();

  std::vector<Entry> all_;
  int dropped_ = 0;
};

}  // namespace arenascope::app
