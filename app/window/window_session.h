// SPDX-License-Identifier: GPL-3.0-or-later
// The open documents of the window and the state of their views. Every change is stored in the settings, so that the
// session can be restored after a quit and after a crash.
#pragma once
#include <QTimer>

#include <map>

#include "shell.h"

namespace arenascope::app {

class WindowSession : public QObject {
  Q_OBJECT
 public:
  explicit WindowSession(Shell& shell);

  // Stores the session from now on, unless another running program does.
  void begin();
  void restore();  // opens the documents of the last session
  void save();     // at once

 private:
  void save_soon();
  QJsonObject entry_of(Document& document);
  void on_opened(Document* document);
  // Applies the stored state once the document has its content.
  void apply_when_ready(Document* document, const ViewState& state);
  void apply(Document& document, const ViewState& state);

  Shell& shell_;
  QTimer timer_;
  bool stores_ = false;
  std::map<QString, QJsonObject> waiting_;  // entries of documents that are not open yet, by spec
  QString current_;                         // spec of the document to show
};

}  // namespace arenascope::app
