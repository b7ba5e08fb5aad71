// SPDX-License-Identifier: GPL-3.0-or-later
// What the program remembers from one start to the next, in QSettings' file. It is read once and kept in memory; what is
// set is written a moment later by a thread of its own, as a disk may take longer than a window may wait. Of two programs
// at once each writes the keys that it set. Any thread.
#pragma once
#include <QString>
#include <QStringList>
#include <QVariant>

namespace arenascope::views {

class Settings {
 public:
  static QVariant value(const QString& key, const QVariant& otherwise = {});
  static void set(const QString& key, const QVariant& value);
  static void remove(const QString& key);          // and all below it: "notes/ab" and "notes/ab/…"
  static QStringList below(const QString& group);  // keys, without the group and its stroke
  static void clear();                             // in memory and in the file, for tests
  static void flush();                             // until all that was set is written
};

}  // namespace arenascope::views
