// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDialogButtonBox>
#include <QIcon>
#include <QLabel>
#include <QVBoxLayout>

#include "dialogs.h"

namespace arenascope::app {

namespace {
struct About {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::About)
};
}  // namespace

QDialog* make_dialog(QWidget* parent, const char* name, const QString& title) {
  // At most one dialog of each kind.
  for (QDialog* old : parent->findChildren<QDialog*>(QString::fromLatin1(name))) old->deleteLater();
  auto* dialog = new QDialog(parent);
  dialog->setObjectName(QString::fromLatin1(name));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  return dialog;
}

void show_about(QWidget* parent) {
  QDialog* dialog = make_dialog(parent, "about", About::tr("About Arenascope"));
  auto* column = new QVBoxLayout(dialog);
  auto* icon = new QLabel(dialog);
  icon->setPixmap(parent->windowIcon().pixmap(64, 64));
  auto* text = new QLabel(
      About::tr("<h2>Arenascope %1</h2><p>Memory visualizer, profiler and step debugger for tensor programs on the "
                "CPU, OpenCL and CUDA.</p><p>The window is free software under the GNU General Public License, version "
                "3 or later; the engine is under the MIT licence.</p><p>Built with Qt %2 and QCustomPlot.</p>")
          .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion())),
      dialog);
  text->setWordWrap(true);
  text->setMinimumWidth(420);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  column->addWidget(icon, 0, Qt::AlignHCenter);
  column->addWidget(text);
  column->addWidget(buttons);
  dialog->show();
}

}  // namespace arenascope::app
