// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>
#include <arenascope/run/backends.h>
#include <arenascope/runtime/thread_pool.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QPushButton>
#include <QSpinBox>

#include "app/window/language.h"
#include "app/window/shell.h"
#include "dialogs.h"

namespace arenascope::app {

using namespace views;

namespace {

using Choices = QList<std::pair<QString, QVariant>>;

// The fields, filled from preferences and read back into them.
class PreferencesForm {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::PreferencesForm)

 public:
  PreferencesForm(QDialog* dialog, const Preferences& now);
  Preferences read() const;
  QFormLayout* layout() const { return form_; }

 private:
  void add_run(const RunSettings& run);
  void add_look(const Preferences& now);
  QComboBox* combo(const QString& label, const Choices& choices, const QVariant& now);
  QCheckBox* check(const QString& text, const QString& tip, bool now);

  QDialog* dialog_;
  QFormLayout* form_;
  QComboBox *backend_, *planner_, *order_, *strategy_, *language_, *theme_;
  QSpinBox *threads_, *kept_;
  QDoubleSpinBox* budget_;
  QCheckBox *fuse_, *autosave_;
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
}

void PreferencesForm::add_run(const RunSettings& run) {
  Choices backends, planners, orders;
  for (const BackendStatus& status : list_backends())
    if (status.missing.empty())
      backends.push_back(
          {QString::fromStdString(status.backend) + QStringLiteral(" – ") + QString::fromStdString(status.description),
           QString::fromStdString(status.backend)});
  const auto same = [](std::string_view name) {
    const QString text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    return std::pair<QString, QVariant>(text, text);
  };
  for (const planner::Planner* p : planner::all_planners()) planners.push_back(same(p->name()));
  for (const OrderInfo& o : all_orders()) orders.push_back(same(o.name));
  backend_ = combo(tr("&Backend"), backends, run.backend);
  threads_ = new QSpinBox(dialog_);
  threads_->setRange(0, 1024);
  threads_->setSpecialValueText(tr("as many as processors (%1)").arg(usable_processors()));
  threads_->setValue(run.threads);
  form_->addRow(tr("&Threads"), threads_);
  planner_ = combo(tr("&Planner"), planners, run.planner);
  order_ = combo(tr("&Order"), orders, run.order);
  budget_ = new QDoubleSpinBox(dialog_);
  budget_->setRange(0.01, 600);
  budget_->setSuffix(tr(" s"));
  budget_->setValue(run.budget_seconds);
  form_->addRow(tr("Planning takes at &most"), budget_);
  strategy_ = combo(tr("Memory &strategy"),
                    {{tr("planned: one arena"), "planned"},
                     {tr("eager: allocated and given back one by one"), "eager"},
                     {tr("none: nothing is given back before the end"), "none"}},
                    run.strategy);
  fuse_ =
      check(tr("F&use chains of ops into one node each"),
            tr("Faster, and with less memory; what lies inside of a node is then not seen. The inspector lists what "
               "it holds."),
            run.fuse);
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
  language_ = combo(
      tr("&Language"),
      {{tr("of the system"), QString()}, {QStringLiteral("English"), "en"}, {QStringLiteral("简体中文"), "zh_CN"}},
      now.language);
  theme_ =
      combo(tr("T&heme"), {{tr("of the system"), 0}, {tr("light"), 1}, {tr("dark"), 2}}, static_cast<int>(now.theme));
}

Preferences PreferencesForm::read() const {
  Preferences p;
  p.run.backend = backend_->currentData().toString();
  p.run.threads = threads_->value();
  p.run.planner = planner_->currentData().toString();
  p.run.order = order_->currentData().toString();
  p.run.strategy = strategy_->currentData().toString();
  p.run.budget_seconds = budget_->value();
  p.run.fuse = fuse_->isChecked();
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
  const auto apply = [&shell, form] { shell.apply_preferences(form->read()); };
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, [dialog, apply] {
    apply();
    dialog->close();
  });
  QObject::connect(buttons->button(QDialogButtonBox::Apply), &QPushButton::clicked, dialog, apply);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  dialog->show();
}

}  // namespace arenascope::app
