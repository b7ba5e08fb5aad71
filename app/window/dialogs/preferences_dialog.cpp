// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/run_options.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include "app/window/document/opener.h"
#include "app/window/language.h"
#include "app/window/option_editor.h"
#include "app/window/shell.h"
#include "dialogs.h"

namespace arenascope::app {

using namespace views;

namespace {

using Choices = QList<std::pair<QString, QVariant>>;

// Of the options of a run (app/common/run_options.h) those that hold for every model unless Run Settings say otherwise.
constexpr const char* kUsual[] = {"backend", "threads", "planner", "order", "budget", "memory", "rewrite", "fusion"};

// The fields, filled from preferences and read back into them.
class PreferencesForm {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::PreferencesForm)

 public:
  PreferencesForm(QDialog* dialog, const Preferences& now);
  // Nothing where a value makes no sense, which is said in the dialog.
  std::optional<Preferences> read() const;
  QFormLayout* layout() const { return form_; }

 private:
  void add_run(const RunSettings& run);
  void add_look(const Preferences& now);
  QComboBox* combo(const QString& label, const Choices& choices, const QVariant& now);
  QCheckBox* check(const QString& text, const QString& tip, bool now);

  QDialog* dialog_;
  QFormLayout* form_;
  RunSettings run_;
  std::vector<std::pair<const RunOption*, QWidget*>> usual_;
  QComboBox *language_, *theme_;
  QSpinBox* kept_;
  QCheckBox* autosave_;
  QLabel* said_;
};

QComboBox* PreferencesForm::combo(const QString& label, const Choices& choices, const QVariant& now) {
  auto* box = new QComboBox(dialog_);
  for (const auto& [text, value] : choices) box->addItem(text, value);
  box->setCurrentIndex(std::max(0, box->findData(now)));
  form_->addRow(label, box);
  return box;
}

QCheckBox* PreferencesForm::check(const QString& text, const QString& tip, bool now) {
  auto* box = new QCheckBox(text, dialog_);
  box->setChecked(now);
  box->setToolTip(tip);
  form_->addRow(QString(), box);
  return box;
}

PreferencesForm::PreferencesForm(QDialog* dialog, const Preferences& now)
    : dialog_(dialog), form_(new QFormLayout(dialog)) {
  add_run(now.run);
  add_look(now);
  said_ = new QLabel(dialog_);
  said_->setWordWrap(true);
  said_->hide();
  form_->addRow(said_);
}

void PreferencesForm::add_run(const RunSettings& run) {
  run_ = run;
  const RunnerOptions now = usual_run(run);
  for (const char* id : kUsual) {
    const RunOption* option = find_run_option(id);
    QWidget* editor = make_option_editor(option->face(), dialog_, [] {});
    name_option_editor(option->face(), editor);
    editor->setToolTip(option_text(option->sentence));
    set_option_editor(editor, option->text(now));
    form_->addRow(option_text(option->title), editor);
    usual_.push_back({option, editor});
  }
  kept_ = new QSpinBox(dialog_);
  kept_->setObjectName(QStringLiteral("kept"));
  kept_->setRange(kLeastKeptMib, kMostKeptMib);
  kept_->setSingleStep(64);
  kept_->setSuffix(tr(" MiB"));
  kept_->setValue(run.kept_mib);
  kept_->setToolTip(
      tr("In memory, and as much in the file below. Older runs are let go; holds for what is opened next."));
  form_->addRow(tr("&Keep of a live recording"), kept_);
  autosave_ =
      check(tr("Keep what is recorded in a &file while it runs"),
            tr("After a crash or a kill it is under File ▸ Recover a Recording. It goes when the file is closed."),
            run.autosave);
}

void PreferencesForm::add_look(const Preferences& now) {
  Choices choices{{tr("of the system"), QString()}};
  for (const QString& code : languages()) choices.push_back({own_name_of_language(code), code});
  language_ = combo(tr("&Language"), choices, now.language);
  theme_ = combo(tr("T&heme"), {{tr("of the system"), 0}, {tr("light"), 1}, {tr("dark"), 2}, {tr("high contrast"), 3}},
                 static_cast<int>(now.theme));
}

std::optional<Preferences> PreferencesForm::read() const {
  OptionValues values;
  for (const auto& [option, editor] : usual_) values[option->id] = text_of_option_editor(editor).toStdString();
  RunnerOptions options = usual_run(run_);
  const Status set = set_run_options(options, values);
  said_->setText(set ? QString() : QString::fromStdString(set.error().message));
  said_->setVisible(!set);
  if (!set) return std::nullopt;
  Preferences p;
  p.run = run_;
  take_usual_run(options, p.run);
  p.run.kept_mib = kept_->value();
  p.run.autosave = autosave_->isChecked();
  p.language = language_->currentData().toString();
  p.theme = static_cast<ThemeMode>(theme_->currentData().toInt());
  return p;
}

}  // namespace

void show_preferences(Shell& shell) {
  QDialog* dialog = make_dialog(shell.window, "preferences", Shell::tr("Preferences"));
  const auto form = std::make_shared<PreferencesForm>(dialog, shell.preferences);
  auto* buttons =
      new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Apply | QDialogButtonBox::Cancel, dialog);
  form->layout()->addRow(buttons);
  const auto apply = [&shell, form] {
    const auto preferences = form->read();
    if (preferences) shell.apply_preferences(*preferences);
    return preferences.has_value();
  };
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, [dialog, apply] {
    if (apply()) dialog->close();
  });
  QObject::connect(buttons->button(QDialogButtonBox::Apply), &QPushButton::clicked, dialog, apply);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  dialog->show();
}

}  // namespace arenascope::app
