// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/run_options.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include <views/common/engine_errors.h>

#include "app/window/document/opener.h"
#include "app/window/language/language.h"
#include "app/window/settings/option_editor.h"
#include "app/window/shell.h"
#include "dialogs.h"

namespace arenascope::app {

using namespace views;

namespace {

using Choices = QList<std::pair<QString, QVariant>>;

// The run options (app/common/run_options.h) that apply to all models unless Run Settings override them.
constexpr const char* kUsual[] = {"backend", "threads", "planner", "order", "budget", "memory", "rewrite", "fusion"};

// The form fields, filled from preferences and read back into them.
class PreferencesForm {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::PreferencesForm)

 public:
  PreferencesForm(QDialog* dialog, const Preferences& now);
  // nullopt for an invalid value, which the dialog reports.
  std::optional<Preferences> read() const;
  QFormLayout* layout() const { return form_; }

 private:
  void add_run(const RunSettings& run);
  void add_appearance(const Preferences& now);
  QComboBox* combo(const QString& label, const Choices& choices, const QVariant& now);
  QCheckBox* check(const QString& text, const QString& tip, bool now);

  QDialog* dialog_;
  QFormLayout* form_;
  RunSettings run_;
  std::vector<std::pair<const RunOption*, QWidget*>> usual_;
  QComboBox *language_, *theme_;
  QSpinBox* kept_;
  QCheckBox *autosave_, *reopen_;
  QLabel* problem_;
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
  add_appearance(now);
  problem_ = new QLabel(dialog_);
  problem_->setWordWrap(true);
  problem_->hide();
  form_->addRow(problem_);
}

void PreferencesForm::add_run(const RunSettings& run) {
  run_ = run;
  const RunnerOptions now = default_run_options(run);
  for (const char* id : kUsual) {
    const RunOption* option = find_run_option(id);
    QWidget* editor = make_option_editor(option->descriptor(), dialog_, [] {});
    name_option_editor(option->descriptor(), editor);
    editor->setToolTip(option_text(option->description));
    set_option_editor(editor, option->text(now));
    form_->addRow(option_text(option->title), editor);
    usual_.push_back({option, editor});
  }
  kept_ = new QSpinBox(dialog_);
  kept_->setObjectName(QStringLiteral("kept"));
  kept_->setRange(kMinRecordingMib, kMaxRecordingMib);
  kept_->setSingleStep(64);
  kept_->setSuffix(tr(" MiB"));
  kept_->setValue(run.recording_limit_mib);
  kept_->setToolTip(
      tr("Limit in memory and, separately, in the file below. Older runs are discarded. Applies to documents opened "
         "from now on."));
  form_->addRow(tr("Live &recording buffer"), kept_);
  autosave_ =
      check(tr("Save live recordings to a &file"),
            tr("After a crash it is available in File ▸ Recover a Recording. It is deleted when you close the file."),
            run.autosave);
}

void PreferencesForm::add_appearance(const Preferences& now) {
  Choices choices{{tr("System"), QString()}};
  for (const QString& code : languages()) choices.push_back({own_name_of_language(code), code});
  language_ = combo(tr("&Language"), choices, now.language);
  theme_ = combo(tr("T&heme"), {{tr("System"), 0}, {tr("Light"), 1}, {tr("Dark"), 2}, {tr("High contrast"), 3}},
                 static_cast<int>(now.theme));
  reopen_ = check(
      tr("Reopen the &documents of the last session"),
      tr("If Arenascope is started without a file, their zoom, filters and other view settings are restored too."),
      now.reopen);
}

std::optional<Preferences> PreferencesForm::read() const {
  OptionValues values;
  for (const auto& [option, editor] : usual_) values[option->id] = text_of_option_editor(editor).toStdString();
  RunnerOptions options = default_run_options(run_);
  const Status set = set_run_options(options, values);
  problem_->setText(set ? QString() : views::engine_error_text(set.error().message));
  problem_->setVisible(!set);
  if (!set) return std::nullopt;
  Preferences p;
  p.run = run_;
  update_run_settings(options, p.run);
  p.run.recording_limit_mib = kept_->value();
  p.run.autosave = autosave_->isChecked();
  p.language = language_->currentData().toString();
  p.theme = static_cast<ThemeMode>(theme_->currentData().toInt());
  p.reopen = reopen_->isChecked();
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
