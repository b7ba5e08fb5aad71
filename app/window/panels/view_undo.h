// SPDX-License-Identifier: GPL-3.0-or-later
// Notes what changes the view of the document at hand into its history, and goes back and forth in it.
#pragma once
#include <QTimer>

#include "layouts.h"

namespace arenascope::app {

class ViewUndo : public QObject {
  Q_OBJECT
 public:
  ViewUndo(QMainWindow* window, Panels* panels, Layouts* layouts, Document& document);
  void flush();  // notes what was done just now
  void set_document(Document& document);
  bool can_go(int direction) const;
  void go(int direction);  // -1 undo, 1 redo

 Q_SIGNALS:
  void changed();

 private:
  ViewState state() const;
  void note_soon();
  void panels_moved();
  void note();

  QMainWindow* window_;
  Panels* docks_;
  views::GraphView* graph_;
  Document* document_ = nullptr;
  views::ContextBond bond_;
  QTimer timer_;
  QByteArray panels_;  // how they stood when they were noted last
  bool moved_ = false, restoring_ = false;
};

}  // namespace arenascope::app
