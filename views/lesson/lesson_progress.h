// SPDX-License-Identifier: GPL-3.0-or-later
// Progress in the lessons and results of their questions, stored in the settings.
#pragma once
#include <QMap>
#include <QString>
#include <QVariant>

namespace arenascope::views {

struct Answered {
  int wrong = 0;  // wrong attempts
  int hints = 0;
  bool right = false, revealed = false;
  bool done() const { return right || revealed; }
  bool operator==(const Answered&) const = default;
};

class LessonProgress {
 public:
  explicit LessonProgress(bool stored = true) : stored_(stored) {}  // false: in memory only
  void load();                                                      // from the settings
  int step(const QString& lesson) const { return steps_.value(lesson, 0); }
  void set_step(const QString& lesson, int step);
  bool finished(const QString& lesson) const { return finished_.value(lesson, false); }
  void finish(const QString& lesson);
  Answered answered(const QString& lesson, int step) const { return answers_.value(key(lesson, step)); }
  void answer(const QString& lesson, int step, const Answered& answered);
  void forget(const QString& lesson);  // clears its answers

 private:
  void store(const QString& name, const QVariant& value) const;
  static QString key(const QString& lesson, int step) { return QStringLiteral("%1/%2").arg(lesson).arg(step); }
  bool stored_;
  QMap<QString, int> steps_;
  QMap<QString, bool> finished_;
  QMap<QString, Answered> answers_;
};

}  // namespace arenascope::views
