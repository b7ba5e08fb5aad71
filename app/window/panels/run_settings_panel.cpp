// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_settings_panel.h"

#include "app/common/run_options.h"

#include <views/common/csv_line.h>
#include <views/common/engine_errors.h>
#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/window/document/document.h"
#include "app/window/document/opener.h"
#include "app/window/document/run_option_settings.h"
#include "app/window/settings/option_editor.h"

namespace arenascope::app {

namespace {

// Joins several lines for a label.
QString in_one_line(const std::string& text) {
  return QString::fromStdString(text).split(u'\n', Qt::SkipEmptyParts).join(QStringLiteral(", "));
}

}  // namespace

RunSettingsPanel::RunSettingsPanel(Document& document, QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("settings"));
  build();
  retranslate();
  set_document(document);
}

void RunSettingsPanel::build() {
  auto* inside = new QWidget(this);
  auto* grid = new QGridLayout(inside);
  grid->setColumnStretch(3, 1);
  grid->setHorizontalSpacing(12);
  for (const RunOption& option : run_options()) {
    Row row{&option, new QLabel(inside), make_option_editor(option.descriptor(), this, [this] { show_changed(); }),
            new QLabel(inside), new QLabel(inside)};
    row.title->setBuddy(row.editor);
    row.usual->setEnabled(false);
    row.description->setWordWrap(true);
    const int at = static_cast<int>(rows_.size());
    grid->addWidget(row.title, at, 0);
    grid->addWidget(row.editor, at, 1);
    grid->addWidget(row.usual, at, 2);
    grid->addWidget(row.description, at, 3);
    rows_.push_back(row);
  }
  grid->setRowStretch(static_cast<int>(rows_.size()), 1);
  scroll_ = new QScrollArea(this);
  scroll_->setWidget(inside);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  none_ = new QLabel(this);
  none_->setAlignment(Qt::AlignCenter);
  none_->setWordWrap(true);
  none_->setEnabled(false);
  apply_ = new QPushButton(this);
  apply_->setObjectName(QStringLiteral("apply"));
  reset_ = new QPushButton(this);
  problem_ = new QLabel(this);
  problem_->setWordWrap(true);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 3, 6, 3);
  bar->addWidget(apply_);
  bar->addWidget(reset_);
  bar->addWidget(problem_, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(scroll_, 1);
  column->addWidget(none_, 1);
  connect(apply_, &QPushButton::clicked, this, &RunSettingsPanel::apply);
  connect(reset_, &QPushButton::clicked, this, &RunSettingsPanel::reset);
}

QWidget* RunSettingsPanel::editor(const char* id) const {
  for (const Row& row : rows_)
    if (std::string_view(row.option->id) == id) return row.editor;
  return nullptr;
}

void RunSettingsPanel::set_document(Document& document) {
  document_ = &document;
  connect(&document, &Document::opened, bond_.reset(), [this] { load(); });
  load();
}

RunnerOptions RunSettingsPanel::usual() const {
  return default_run_options(document_ ? document_->runner()->settings() : RunSettings());
}

void RunSettingsPanel::load() {
  const bool pinned = document_ && document_->runner()->settings().from_lesson;
  model_ = document_ && !document_->spec().isEmpty() && is_model_spec(document_->spec()) && !pinned;
  scroll_->setVisible(model_);
  none_->setVisible(!model_);
  none_->setText(pinned ? tr("A lesson controls these settings. Your own settings are unchanged.")
                 : document_ && !document_->spec().isEmpty() ? tr("The current document cannot be run.")
                                                             : tr("No document is open."));
  problem_->clear();
  const RunnerOptions options = usual();
  const auto remembered = model_ ? remembered_run(document_->spec()) : std::map<std::string, std::string>();
  for (const Row& row : rows_) {
    const std::string now = row.option->text(options);
    const auto own = remembered.find(row.option->id);
    set_option_editor(row.editor, own != remembered.end() ? own->second : now);
    row.usual->setText(now.empty() ? tr("default: none") : tr("default: %1").arg(in_one_line(now)));
  }
  show_changed();
}

std::map<std::string, std::string> RunSettingsPanel::chosen() const {
  const RunnerOptions options = usual();
  std::map<std::string, std::string> values;
  for (const Row& row : rows_)
    if (const std::string value = text_of_option_editor(row.editor).toStdString(); value != row.option->text(options))
      values[row.option->id] = value;
  return values;
}

void RunSettingsPanel::show_changed() {
  const auto values = chosen();
  for (const Row& row : rows_) {
    QFont font = row.title->font();
    font.setBold(values.contains(row.option->id));
    row.title->setFont(font);
  }
  apply_->setEnabled(model_ && values != remembered_run(document_->spec()));
  reset_->setEnabled(model_ && !values.empty());
}

void RunSettingsPanel::apply() {
  if (!document_) return;
  const auto values = chosen();
  RunnerOptions options = usual();
  if (auto ok = set_run_options(options, values); !ok) {
    problem_->setText(views::engine_error_text(ok.error().message));
    return;
  }
  remember_run(document_->spec(), values);
  document_->open(document_->spec(), document_->runner()->settings());
}

void RunSettingsPanel::reset() {
  const RunnerOptions options = usual();
  for (const Row& row : rows_) set_option_editor(row.editor, row.option->text(options));
  apply();
}

void RunSettingsPanel::retranslate() {
  for (const Row& row : rows_) {
    row.title->setText(option_text(row.option->title));
    row.description->setText(option_text(row.option->description));
    name_option_editor(row.option->descriptor(), row.editor);
  }
  apply_->setText(tr("Apply and Reopen"));
  apply_->setToolTip(tr("Your values are saved for this file or model"));
  reset_->setText(tr("Use Defaults"));
  reset_->setToolTip(tr("Use the preferences and discard the saved values"));
}

void RunSettingsPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) {
    retranslate();
    load();
  }
  QWidget::changeEvent(event);
}

QString RunSettingsPanel::to_csv() const {
  QString csv = views::csv_line({tr("Option"), tr("Value"), tr("Default"), tr("Description")});
  const RunnerOptions options = usual();
  for (const Row& row : rows_)
    csv += views::csv_line({QString::fromLatin1(row.option->id), text_of_option_editor(row.editor),
                            in_one_line(row.option->text(options)), option_text(row.option->description)});
  return csv;
}

}  // namespace arenascope::app
