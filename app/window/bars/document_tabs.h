// SPDX-License-Identifier: GPL-3.0-or-later
// A tab per document, if there are several.
#pragma once
#include <QTabBar>
#include <QToolBar>

#include "app/window/document/documents.h"

namespace arenascope::app {

class DocumentTabs : public QToolBar {
  Q_OBJECT
 public:
  DocumentTabs(Documents* documents, QWidget* parent);
  QTabBar* bar() const { return bar_; }
  void update_tabs();

 private:
  Documents* documents_;
  QTabBar* bar_;
};

}  // namespace arenascope::app
