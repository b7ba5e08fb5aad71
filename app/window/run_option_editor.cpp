// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_option_editor.h"

#include "app/common/run_options.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QLineEdit>
#include <QPlainTextEdit>

namespace arenascope::app {

QWidget* make_run_editor(const RunOption& option, QWidget* parent, const std::function<void()>& changed) {
  QWidget* editor = nullptr;
  switch (option.type) {
    case RunOptionType::Flag: {
      auto* box = new QCheckBox(parent);
      QObject::connect(box, &QCheckBox::toggled, parent, changed);
      editor = box;
      break;
    }
    case RunOptionType::Choice: {
      auto* box = new QComboBox(parent);
      box->setEditable(true);  // a device's number may stand behind its backend's name
      for (const std::string& choice : option.choices()) box->addItem(QString::fromStdString(choice));
      QObject::connect(box, &QComboBox::currentTextChanged, parent, changed);
      editor = box;
      break;
    }
    case RunOptionType::List: {
      auto* edit = new QPlainTextEdit(parent);
      edit->setTabChangesFocus(true);
      edit->setFixedHeight(2 * parent->fontMetrics().lineSpacing() + 12);
      QObject::connect(edit, &QPlainTextEdit::textChanged, parent, changed);
      editor = edit;
      break;
    }
    case RunOptionType::Whole:
    case RunOptionType::Number:
    case RunOptionType::Text: {
      auto* edit = new QLineEdit(parent);
      QObject::connect(edit, &QLineEdit::textChanged, parent, changed);
      editor = edit;
    }
  }
  editor->setObjectName(QString::fromLatin1(option.id));
  return editor;
}

QString text_of_run_editor(const QWidget* editor) {
  if (const auto* box = qobject_cast<const QCheckBox*>(editor))
    return box->isChecked() ? QStringLiteral("on") : QStringLiteral("off");
  if (const auto* box = qobject_cast<const QComboBox*>(editor)) return box->currentText().trimmed();
  if (const auto* edit = qobject_cast<const QPlainTextEdit*>(editor)) return edit->toPlainText().trimmed();
  return qobject_cast<const QLineEdit*>(editor)->text().trimmed();
}

void set_run_editor(QWidget* editor, const std::string& text) {
  const QString shown = QString::fromStdString(text);
  if (auto* box = qobject_cast<QCheckBox*>(editor))
    box->setChecked(text == "on");
  else if (auto* choices = qobject_cast<QComboBox*>(editor))
    choices->setCurrentText(shown);
  else if (auto* lines = qobject_cast<QPlainTextEdit*>(editor))
    lines->setPlainText(shown);
  else
    qobject_cast<QLineEdit*>(editor)->setText(shown);
}

QString run_option_text(const char* text) { return QCoreApplication::translate("RunOptions", text); }

void name_run_editor(const RunOption& option, QWidget* editor) {
  editor->setToolTip(QStringLiteral("--") + QString::fromLatin1(option.off ? option.off : option.id));
  editor->setAccessibleName(run_option_text(option.title));
  editor->setAccessibleDescription(run_option_text(option.sentence));
}

}  // namespace arenascope::app
