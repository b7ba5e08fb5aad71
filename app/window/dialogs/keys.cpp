// SPDX-License-Identifier: GPL-3.0-or-later
#include <QHeaderView>
#include <QLineEdit>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/window/shell.h"
#include "dialogs.h"

namespace arenascope::app {

void show_keys(const Shell& shell) {
  QDialog* dialog = make_dialog(shell.window, "keys", Shell::tr("Keys"));
  auto* column = new QVBoxLayout(dialog);
  auto* filter = new QLineEdit(dialog);
  filter->setPlaceholderText(Shell::tr("Filter"));
  filter->setAccessibleName(Shell::tr("Filter"));
  filter->setClearButtonEnabled(true);
  auto* table = new QTableWidget(0, 3, dialog);
  table->setHorizontalHeaderLabels({Shell::tr("Menu"), Shell::tr("Action"), Shell::tr("Keys")});
  table->verticalHeader()->hide();
  table->setAccessibleName(Shell::tr("Keys"));
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setShowGrid(false);
  table->setAlternatingRowColors(true);
  for (const auto& entry : shell.actions->all()) {
    QStringList keys;
    for (const QKeySequence& key : entry.action->shortcuts()) keys << key.toString(QKeySequence::NativeText);
    keys.removeDuplicates();
    const int row = table->rowCount();
    table->insertRow(row);
    table->setItem(row, 0, new QTableWidgetItem(ActionRegistry::menu_name(entry.menu)));
    table->setItem(row, 1, new QTableWidgetItem(entry.action->text().remove(u'&')));
    table->setItem(row, 2, new QTableWidgetItem(keys.join(QStringLiteral(", "))));
  }
  table->resizeColumnsToContents();
  table->horizontalHeader()->setStretchLastSection(true);
  QObject::connect(filter, &QLineEdit::textChanged, table, [table](const QString& text) {
    for (int row = 0; row < table->rowCount(); ++row) {
      bool hit = false;
      for (int c = 0; c < 3; ++c) hit = hit || table->item(row, c)->text().contains(text, Qt::CaseInsensitive);
      table->setRowHidden(row, !hit);
    }
  });
  column->addWidget(filter);
  column->addWidget(table);
  dialog->resize(560, 620);
  dialog->show();
}

}  // namespace arenascope::app
