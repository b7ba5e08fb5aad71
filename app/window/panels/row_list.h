// SPDX-License-Identifier: GPL-3.0-or-later
// A list of rows with columns, for panels without a session table.
#pragma once
#include <QTreeView>

namespace arenascope::app {

inline QTreeView* make_row_list(QAbstractItemModel* model, QWidget* parent) {
  auto* list = new QTreeView(parent);
  list->setModel(model);
  list->setRootIsDecorated(false);
  list->setUniformRowHeights(true);
  list->setAlternatingRowColors(true);
  list->setFrameShape(QFrame::NoFrame);
  return list;
}

}  // namespace arenascope::app
