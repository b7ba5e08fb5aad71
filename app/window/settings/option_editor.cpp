// SPDX-License-Identifier: GPL-3.0-or-later
#include "option_editor.h"

#include "app/common/option.h"

#include <views/common/background.h>
#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QSignalBlocker>
#include <QThreadPool>

#include <utility>

namespace arenascope::app {

namespace {

void fill(QComboBox* box, const std::vector<std::string>& choices) {
  const QSignalBlocker nothing_changes(box);
  const QString text = box->currentText();
  for (const std::string& choice : choices) box->addItem(QString::fromStdString(choice));
  if (!text.isEmpty()) box->setCurrentText(text);
}

// Queries its choices in the background when the user first reaches it: the query starts drivers, which a window or an
// export that shows a file does not need.
class SlowChoiceBox final : public QComboBox {
 public:
  SlowChoiceBox(const OptionDescriptor& option, QWidget* parent) : QComboBox(parent), choices_(option.choices) {}
  void showPopup() override {
    popup_pending_ = !filled_;
    query();
    if (filled_) QComboBox::showPopup();
  }

 protected:
  void focusInEvent(QFocusEvent* event) override {
    query();
    QComboBox::focusInEvent(event);
  }

 private:
  void query() {
    if (std::exchange(queried_, true)) return;
    views::background_pool()->start([choices = choices_, box = QPointer<SlowChoiceBox>(this)] {
      auto found = choices();
      QMetaObject::invokeMethod(
          QCoreApplication::instance(),
          [box, found = std::move(found)] {
            if (box) box->on_found(found);
          },
          Qt::QueuedConnection);
    });
  }
  void on_found(const std::vector<std::string>& found) {
    fill(this, found);
    filled_ = true;
    if (std::exchange(popup_pending_, false)) showPopup();
  }

  std::vector<std::string> (*choices_)();
  bool queried_ = false, filled_ = false, popup_pending_ = false;
};

}  // namespace

QWidget* make_option_editor(const OptionDescriptor& option, QWidget* parent, const std::function<void()>& changed) {
  QWidget* editor = nullptr;
  switch (option.type) {
    case OptionType::Flag: {
      auto* box = new QCheckBox(parent);
      QObject::connect(box, &QCheckBox::toggled, parent, changed);
      editor = box;
      break;
    }
    case OptionType::Choice: {
      auto* box = option.slow_choices ? new SlowChoiceBox(option, parent) : new QComboBox(parent);
      box->setEditable(true);  // to add a device index to the backend's name
      if (!option.slow_choices) fill(box, option.choices());
      QObject::connect(box, &QComboBox::currentTextChanged, parent, changed);
      editor = box;
      break;
    }
    case OptionType::List: {
      auto* edit = new QPlainTextEdit(parent);
      edit->setTabChangesFocus(true);
      edit->setFixedHeight(2 * parent->fontMetrics().lineSpacing() + 12);
      QObject::connect(edit, &QPlainTextEdit::textChanged, parent, changed);
      editor = edit;
      break;
    }
    case OptionType::Int:
    case OptionType::Real:
    case OptionType::Text: {
      auto* edit = new QLineEdit(parent);
      QObject::connect(edit, &QLineEdit::textChanged, parent, changed);
      editor = edit;
    }
  }
  editor->setObjectName(QString::fromLatin1(option.id));
  return editor;
}

QString text_of_option_editor(const QWidget* editor) {
  if (const auto* box = qobject_cast<const QCheckBox*>(editor))
    return box->isChecked() ? QStringLiteral("on") : QStringLiteral("off");
  if (const auto* box = qobject_cast<const QComboBox*>(editor)) return box->currentText().trimmed();
  if (const auto* edit = qobject_cast<const QPlainTextEdit*>(editor)) return edit->toPlainText().trimmed();
  return qobject_cast<const QLineEdit*>(editor)->text().trimmed();
}

void set_option_editor(QWidget* editor, const std::string& text) {
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

QString option_text(const char* text) { return QCoreApplication::translate("RunOptions", text); }

void name_option_editor(const OptionDescriptor& option, QWidget* editor) {
  editor->setToolTip(QLatin1String(option.of_backend ? "--backend-option " : "--") +
                     QString::fromLatin1(option.off ? option.off : option.id));
  editor->setAccessibleName(option_text(option.title));
  editor->setAccessibleDescription(option_text(option.description));
}

}  // namespace arenascope::app
