// SPDX-License-Identifier: GPL-3.0-or-later
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/window/document/message_log.h"
#include "app/window/shell.h"
#include "dialogs.h"

namespace arenascope::app {

namespace {

QString kind_text(MessageKind kind) {
  return kind == MessageKind::Error     ? Shell::tr("Error")
         : kind == MessageKind::Warning ? Shell::tr("Warning")
                                        : Shell::tr("Note");
}

void fill_log(QTableWidget* table, const MessageLog& log) {
  const auto& all = log.all();
  table->setRowCount(static_cast<int>(all.size()));
  for (int row = 0; row < table->rowCount(); ++row) {
    const MessageLog::Entry& entry = all[all.size() - 1 - static_cast<size_t>(row)];  // newest first
    const QString times = entry.count > 1 ? QStringLiteral(" (×%1)").arg(entry.count) : QString();
    const QString texts[] = {QLocale().toString(entry.time.time(), QStringLiteral("HH:mm:ss")), kind_text(entry.kind),
                             entry.title, entry.sentence + times};
    for (int column = 0; column < 4; ++column) {
      auto* item = new QTableWidgetItem(texts[column]);
      item->setToolTip(texts[column]);
      table->setItem(row, column, item);
    }
  }
  table->resizeRowsToContents();
}

}  // namespace

void show_message_log(Shell& shell) {
  QDialog* dialog = make_dialog(shell.window, "message_log", Shell::tr("Message Log"));
  auto* column = new QVBoxLayout(dialog);
  auto* table = new QTableWidget(0, 4, dialog);
  table->setHorizontalHeaderLabels({Shell::tr("Time"), Shell::tr("Kind"), Shell::tr("File"), Shell::tr("Message")});
  table->verticalHeader()->hide();
  table->setAccessibleName(Shell::tr("Message Log"));
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setShowGrid(false);
  table->setAlternatingRowColors(true);
  table->setWordWrap(true);
  table->horizontalHeader()->setStretchLastSection(true);
  column->addWidget(table);
  auto* dropped = new QLabel(dialog);
  column->addWidget(dropped);
  MessageLog* log = shell.documents->log();
  // Messages that arrive while the log is visible count as read.
  const auto update = [table, dropped, log] {
    fill_log(table, *log);
    dropped->setText(Shell::tr("%n older message(s) dropped", nullptr, log->dropped()));
    dropped->setVisible(log->dropped() > 0);
    if (log->unread(MessageKind::Error) + log->unread(MessageKind::Warning) > 0) log->mark_all_read();
  };
  QObject::connect(log, &MessageLog::changed, table, update);
  dialog->resize(760, 420);
  dialog->show();
  update();
}

}  // namespace arenascope::app
