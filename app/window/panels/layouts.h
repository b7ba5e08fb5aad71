// SPDX-License-Identifier: GPL-3.0-or-later
// Arrangements of the panels: those that come with the program, made from the table of panels, and those that the user
// keeps under names of their own ([layouts] in the settings).
#pragma once
#include <QStringList>

#include "panels.h"

namespace arenascope::app {

class Layouts : public QObject {
  Q_OBJECT
 public:
  Layouts(QMainWindow* window, Panels* panels);

  static QStringList names();  // "default", "graph", "memory", "time", "lesson"
  void apply(const QString& name);
  void apply_last() { apply(last()); }
  static QString last();

  QStringList own() const;
  void save(const QString& name);     // empty or of signs that cannot be a name: nothing
  bool restore(const QString& name);  // false: it is of another version
  void forget(const QString& name);

  void save_window() const;  // for the next start
  void restore_window();     // no larger than the screen

 Q_SIGNALS:
  void applied();
  void saved(const QString& name);
  void own_changed();

 private:
  void place();
  void resize(const QString& name);

  QMainWindow* window_;
  Panels* panels_;
};

}  // namespace arenascope::app
