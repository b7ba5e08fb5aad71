// SPDX-License-Identifier: GPL-3.0-or-later
// Panel layouts: built-in ones, from the table of panels, and user-defined ones ([layouts] in the settings). Each kind of
// document has a layout, which is remembered with the user's changes ([kinds] in the settings).
#pragma once
#include <QStringList>

#include <optional>

#include "panels.h"

namespace arenascope::app {

class Layouts : public QObject {
  Q_OBJECT
 public:
  Layouts(QMainWindow* window, Panels* panels);

  static QStringList names();  // "default", "graph", "memory", "time", "plan", "lesson"
  void apply(const QString& name);
  void reset();                                        // to the default of the kind of document
  const QString& current() const { return current_; }  // the built-in layout that was applied last
  // Switches to the layout of this kind of document, as the user left it, and shows the panels with content. An empty
  // document keeps the kind.
  void show(const DocumentContent& content);
  LayoutKind kind() const { return kind_; }
  // A lesson arranges the panels itself between hold() and release(), which restores the layout as the user left it.
  void hold();
  void release();
  // For exported pictures: this layout, or, if empty, the default of the kind of document. Settings are neither read
  // nor written.
  void fix(const QString& name);

  QStringList own() const;
  void save(const QString& name);     // does nothing for an invalid name
  bool restore(const QString& name);  // false: saved by another version
  void forget(const QString& name);

  void save_window();     // for the next start
  void restore_window();  // at most as large as the screen

 Q_SIGNALS:
  void applied();
  void saved(const QString& name);
  void own_changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void set_up(const QString& name);
  void arrange_docks(const QString& name);
  void resize_docks();
  void save_kind() const;
  void restore_kind();
  void enter(LayoutKind kind);

  QMainWindow* window_;
  Panels* panels_;
  LayoutKind kind_ = LayoutKind::Model;
  QString current_;
  bool held_ = false;
  std::optional<DocumentContent> waiting_;  // while held
  bool fixed_ = false;
  QString fixed_layout_;
  bool sized_ = false;  // by the user or an earlier session; new panels do not change the sizes of others
};

}  // namespace arenascope::app
