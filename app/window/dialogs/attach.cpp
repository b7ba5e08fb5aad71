// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/window/document/attached.h"
#include "app/window/shell.h"
#include "dialogs.h"

namespace arenascope::app {

void show_attach(Shell& shell) {
  QDialog* dialog = make_dialog(shell.window, "attach", Shell::tr("Launch and Record"));
  auto* column = new QVBoxLayout(dialog);
  auto* label = new QLabel(Shell::tr("Program and &arguments:"), dialog);
  auto* command = new QLineEdit(dialog);
  command->setObjectName(QStringLiteral("command"));
  command->setPlaceholderText(Shell::tr("./program --option value"));
  label->setBuddy(command);
  auto* heap = new QCheckBox(Shell::tr("Record &heap blocks by call site"), dialog);
  heap->setObjectName(QStringLiteral("heap"));
  auto* note = new QLabel(Shell::tr("Programs that include arenascope_client.h and OpenCL programs need no adapter. "
                                    "The program writes to the standard output of Arenascope."),
                          dialog);
  note->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, dialog);
  QPushButton* start = buttons->button(QDialogButtonBox::Ok);
  start->setText(Shell::tr("&Start"));
  start->setEnabled(false);
  QObject::connect(command, &QLineEdit::textChanged, dialog,
                   [start](const QString& text) { start->setEnabled(!QProcess::splitCommand(text).isEmpty()); });
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, [&shell, dialog, command, heap] {
    const QStringList with =
        heap->isChecked() ? QStringList{QStringLiteral("malloc"), QStringLiteral("opencl")} : QStringList();
    shell.open(attach_spec(QProcess::splitCommand(command->text()), with));
    dialog->close();
  });
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  for (QWidget* widget : std::initializer_list<QWidget*>{label, command, heap, note, buttons})
    column->addWidget(widget);
  dialog->resize(520, 180);
  dialog->show();
}

}  // namespace arenascope::app
