// SPDX-License-Identifier: GPL-3.0-or-later
// Panel layouts: built-in ones, from the table of panels, and user-defined ones ([layouts] in the settings).
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
  void save(const QString& name);     // does nothing for an invalid name
  bool restore(const QString& name);  // false: saved by another version
  void forget(const QString& name);

  void save_window() const;  // for the next start
  void restore_window();     // at most as large as the screen

 Q_SIGNALS:
  void applied();
  void saved(const QString& name);
  void own_changed();

 private:
  void arrange_docks();
  void resize(const QString& name);

  QMainWindow* window_;
  Panels* panels_;
};

}  // namespace arenascope::app
