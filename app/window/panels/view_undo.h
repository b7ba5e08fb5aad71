// SPDX-License-Identifier: GPL-3.0-or-later
// Records view changes of the current document in its history, and undoes and redoes them.
#pragma once
#include <QTimer>

#include "layouts.h"

namespace arenascope::app {

class ViewUndo : public QObject {
  Q_OBJECT
 public:
  ViewUndo(QMainWindow* window, Panels* panels, Layouts* layouts, Document& document);
  void flush();  // records a pending change
  void set_document(Document& document);
  void adopt_panels();  // panels came or went with the content of the document, which is not a change by the user
  bool can_go(int direction) const;
  void go(int direction);  // -1 undo, 1 redo

 Q_SIGNALS:
  void changed();

 private:
  UndoState state() const;
  void note_soon();
  void panels_moved();
  void note();

  QMainWindow* window_;
  Panels* docks_;
  views::GraphView* graph_;
  Document* document_ = nullptr;
  views::ConnectionScope bond_;
  QTimer timer_;
  QByteArray panels_;  // last recorded panel layout
  bool moved_ = false, restoring_ = false;
};

}  // namespace arenascope::app
