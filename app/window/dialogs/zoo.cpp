// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/models/zoo.h>

#include <QDialogButtonBox>
#include <QListWidget>
#include <QVBoxLayout>

#include "app/window/shell.h"
#include "dialogs.h"

namespace arenascope::app {

void show_zoo(Shell& shell) {
  QDialog* dialog = make_dialog(shell.window, "zoo", Shell::tr("Open a Built-in Model"));
  auto* column = new QVBoxLayout(dialog);
  auto* list = new QListWidget(dialog);
  list->setAccessibleName(dialog->windowTitle());
  for (const auto& entry : models::zoo()) {
    auto* item = new QListWidgetItem(
        QString::fromUtf8(entry.name) + QStringLiteral("  –  ") + QString::fromUtf8(entry.description), list);
    item->setData(Qt::UserRole, QStringLiteral("zoo:") + QString::fromUtf8(entry.name));
  }
  list->setCurrentRow(0);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, dialog);
  auto open_it = [&shell, list, dialog] {
    if (list->currentItem() != nullptr) shell.open(list->currentItem()->data(Qt::UserRole).toString());
    dialog->close();
  };
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, open_it);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  QObject::connect(list, &QListWidget::itemActivated, dialog, open_it);
  column->addWidget(list);
  column->addWidget(buttons);
  dialog->resize(520, 420);
  dialog->show();
}

}  // namespace arenascope::app
