// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>
#include <QFile>
#include <QLineEdit>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "app/window/language/language.h"
#include "dialogs.h"

namespace arenascope::app {

namespace {
struct Manual {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::Manual)
};
}  // namespace

void show_manual(QWidget* parent) {
  QDialog* dialog = make_dialog(parent, "manual", Manual::tr("Arenascope Manual"));
  auto* column = new QVBoxLayout(dialog);
  auto* find = new QLineEdit(dialog);
  find->setPlaceholderText(Manual::tr("Find in the manual"));
  find->setClearButtonEnabled(true);
  find->setAccessibleName(Manual::tr("Find in the manual"));
  auto* text = new QTextBrowser(dialog);
  text->setOpenExternalLinks(true);
  text->setSearchPaths({QStringLiteral(":/")});  // for its pictures
  text->setAccessibleName(Manual::tr("Arenascope Manual"));
  QFile file(QStringLiteral(":/manual.%1.md").arg(current_language()));
  if (!file.exists()) file.setFileName(QStringLiteral(":/manual.md"));
  if (file.open(QIODevice::ReadOnly)) text->setMarkdown(QString::fromUtf8(file.readAll()));
  QObject::connect(find, &QLineEdit::returnPressed, text, [find, text] {
    if (text->find(find->text())) return;
    text->moveCursor(QTextCursor::Start);  // search from the start again
    text->find(find->text());
  });
  column->addWidget(find);
  column->addWidget(text);
  dialog->resize(780, 680);
  dialog->show();
  text->setFocus();
}

}  // namespace arenascope::app
