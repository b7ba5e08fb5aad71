// SPDX-License-Identifier: GPL-3.0-or-later
// Persistent settings, stored in QSettings' file. The file is read once and cached; changes are written shortly
// afterwards on a separate thread, because disk access may take longer than the UI thread may block. Two
// concurrent programs each write only the keys that they have set. Thread-safe.
#pragma once
#include <QString>
#include <QStringList>
#include <QVariant>

namespace arenascope::views {

class Settings {
 public:
  static QVariant value(const QString& key, const QVariant& otherwise = {});
  static void set(const QString& key, const QVariant& value);
  static void remove(const QString& key);          // also removes its children: "notes/ab" and "notes/ab/…"
  static QStringList below(const QString& group);  // keys, without the group prefix and slash
  static void clear();                             // in memory and on disk; for tests
  static void flush();                             // blocks until all changes are written
};

}  // namespace arenascope::views
