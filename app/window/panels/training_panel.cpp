// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <views/common/csv_line.h>

#include "app/common/train_options.h"
#include "app/window/document/training_job.h"
#include "app/window/settings/option_editor.h"

namespace arenascope::app {
namespace {

constexpr size_t kCommon = 4;  // number of options that are always visible

}  // namespace

TrainingPanel::TrainingPanel(Document& document, QWidget* parent) : QWidget(parent) {
  plot_ = new TrainingPlot(document.context().theme, this);
  frontier_ = new FrontierPlot(document.context().theme, this);
  build();
  lay_out();
  retranslate();
  set_document(document);
}

void TrainingPanel::build() {
  data_ = new QLineEdit(this);
  build_options();
  const auto button = [this] {
    auto* made = new QToolButton(this);
    made->setToolButtonStyle(Qt::ToolButtonTextOnly);
    return made;
  };
  train_ = button(), stop_ = button(), find_ = button(), more_ = button();
  more_->setCheckable(true);
  slider_ = new QSlider(Qt::Horizontal, this);
  slider_->setRange(0, 0);
  status_ = new QLabel(this);
  status_->setWordWrap(true);
  status_->setContentsMargins(6, 2, 6, 3);
  point_ = new QLabel(this);
  point_->setMinimumWidth(220);
  connect(train_, &QToolButton::clicked, this, &TrainingPanel::train);
  connect(data_, &QLineEdit::returnPressed, this, &TrainingPanel::train);
  connect(find_, &QToolButton::clicked, this, &TrainingPanel::find_frontier);
  connect(more_, &QToolButton::toggled, this, [this](bool shown) { others_->setVisible(shown); });
  connect(stop_, &QToolButton::clicked, this, [this] { document_->jobs().training.stop(); });
  connect(slider_, &QSlider::valueChanged, this, &TrainingPanel::show_point);
  connect(frontier_, &FrontierPlot::chosen, slider_, &QSlider::setValue);
  setFocusProxy(data_);
}

void TrainingPanel::build_options() {
  for (const TrainOption& option : train_options()) {
    auto* title = new QLabel(this);
    QWidget* editor = make_option_editor(option.descriptor(), this, [this] { show_changed(); });
    set_option_editor(editor, option.text(TrainChoices()));
    if (option.type == OptionType::Int || option.type == OptionType::Real)
      editor->setMaximumWidth(fontMetrics().averageCharWidth() * 14);
    title->setBuddy(editor);
    rows_.push_back({&option, title, editor});
  }
}

QWidget* TrainingPanel::editor(const char* id) const {
  for (const Row& row : rows_)
    if (std::string_view(row.option->id) == id) return row.editor;
  return nullptr;
}

void TrainingPanel::show_changed() {
  const TrainChoices usual;
  for (const Row& row : rows_) {
    QFont font = row.title->font();
    font.setBold(text_of_option_editor(row.editor).toStdString() != row.option->text(usual));
    row.title->setFont(font);
  }
}

QWidget* TrainingPanel::lay_out_options() {
  auto* inside = new QWidget(this);
  auto* grid = new QGridLayout(inside);
  grid->setContentsMargins(4, 0, 6, 3);
  grid->setHorizontalSpacing(8);
  constexpr int kColumns = 4;
  for (size_t i = kCommon; i < rows_.size(); ++i) {
    const int at = static_cast<int>(i - kCommon);
    grid->addWidget(rows_[i].title, at / kColumns, at % kColumns * 2);
    grid->addWidget(rows_[i].editor, at / kColumns, at % kColumns * 2 + 1);
  }
  for (int column = 0; column < kColumns; ++column) grid->setColumnStretch(column * 2 + 1, 1);
  inside->setVisible(false);
  return inside;
}

void TrainingPanel::lay_out() {
  auto* row = new QHBoxLayout;
  row->setContentsMargins(4, 3, 6, 3);
  row->setSpacing(4);
  row->addWidget(data_, 1);
  for (size_t i = 0; i < kCommon; ++i) {
    row->addSpacing(6);
    row->addWidget(rows_[i].title);
    row->addWidget(rows_[i].editor);
  }
  row->addSpacing(6);
  for (QWidget* widget : std::initializer_list<QWidget*>{more_, train_, stop_}) row->addWidget(widget);
  others_ = lay_out_options();
  auto* memory = new QHBoxLayout;
  memory->setContentsMargins(4, 0, 6, 3);
  memory->addWidget(find_);
  memory->addWidget(slider_, 1);
  memory->addWidget(point_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(others_);
  column->addLayout(memory);
  auto* plots = new QHBoxLayout;
  plots->addWidget(plot_, 3);
  plots->addWidget(frontier_, 2);
  column->addLayout(plots, 1);
  column->addWidget(status_);
}

void TrainingPanel::set_document(Document& document) {
  document_ = &document;
  QObject* bond = bond_.reset();
  connect(&document.jobs().training, &TrainingJob::changed, bond, [this] { show_training(); });
  connect(&document, &Document::opened, bond, [this] { show_training(); });
  plot_->set_training(&document.jobs().training);
  show_training();
}

TrainingRequest TrainingPanel::request() const {
  TrainingRequest out;
  out.data = data_->text().trimmed();
  for (const Row& row : rows_) out.options[row.option->id] = text_of_option_editor(row.editor).toStdString();
  out.capacity = capacity();
  return out;
}

Bytes TrainingPanel::capacity() const {
  const auto& frontier = document_->jobs().training.frontier();
  const auto at = static_cast<size_t>(slider_->value());
  return at > 0 && at < frontier.size() ? frontier[at].arena : 0;
}

void TrainingPanel::train() {
  if (document_->jobs().training.busy() || !document_->runner()->has_model()) return;
  document_->jobs().training.begin(document_->spec(), request(), document_->runner()->settings());
}

void TrainingPanel::find_frontier() {
  if (document_->jobs().training.busy() || !document_->runner()->has_model()) return;
  document_->jobs().training.find_frontier(document_->spec(), request(), document_->runner()->settings());
}

void TrainingPanel::show_training() {
  const TrainingJob& training = document_->jobs().training;
  const bool can = document_->runner()->has_model();
  train_->setEnabled(can && !training.busy());
  find_->setEnabled(can && !training.busy());
  stop_->setEnabled(training.busy());
  slider_->setMaximum(std::max(static_cast<int>(training.frontier().size()) - 1, 0));
  slider_->setEnabled(slider_->maximum() > 0);
  frontier_->set_points(training.frontier());
  frontier_->setVisible(!training.frontier().empty());
  plot_->setVisible(training.frontier().empty() || !training.steps().empty());
  QStringList parts;
  if (!training.problem().isEmpty()) parts << training.problem();
  if (!training.steps().empty())
    parts << plot_->summary() << tr("epoch %1").arg(training.epoch()) << tr("%1 s").arg(training.seconds(), 0, 'f', 1);
  if (parts.isEmpty())
    parts << (training.busy() ? tr("The training is being prepared…")
              : can ? tr("Enter training data: IMAGES,LABELS (IDX), or for language models a token file or sort:SEED.")
                    : tr("Open a model to train it."));
  status_->setText(parts.join(QStringLiteral(" · ")));
  plot_->setAccessibleDescription(plot_->summary());
  plot_->update();
  show_point();
}

void TrainingPanel::show_point() {
  const auto& frontier = document_->jobs().training.frontier();
  const auto at = static_cast<size_t>(slider_->value());
  frontier_->set_chosen(slider_->value());
  if (at >= frontier.size()) return point_->clear();
  point_->setText(FrontierPlot::text_of(frontier[at]));
}

QString TrainingPanel::to_csv() const {
  const TrainingJob& training = document_->jobs().training;
  QStringList head{tr("Step"), tr("Loss"), tr("Accuracy")};
  for (const QString& parameter : training.parameters()) head << tr("Gradient of %1").arg(parameter);
  QString out = views::csv_line(head);
  for (size_t i = 0; i < training.steps().size(); ++i) {
    const TrainingStepMetrics& step = training.steps()[i];
    QStringList row{QString::number(i + 1), QString::number(step.loss), QString::number(step.accuracy)};
    for (float norm : step.norms) row << QString::number(static_cast<double>(norm));
    out += views::csv_line(row);
  }
  return out;
}

void TrainingPanel::retranslate() {
  data_->setPlaceholderText(tr("IMAGES,LABELS or sort:SEED"));
  data_->setAccessibleName(tr("Training data"));
  for (const Row& row : rows_) {
    row.title->setText(option_text(row.option->title));
    name_option_editor(row.option->descriptor(), row.editor);
    const QString description = option_text(row.option->description);
    row.title->setToolTip(description);
    row.editor->setToolTip(QStringLiteral("%1\n--%2").arg(description, QString::fromLatin1(row.option->id)));
  }
  more_->setText(tr("&Options"));
  more_->setToolTip(tr("Loss, schedule, precision and other training options"));
  train_->setText(tr("&Train"));
  stop_->setText(tr("S&top"));
  find_->setText(tr("&Memory Frontier"));
  find_->setToolTip(
      tr("Compute how much memory recomputing activations saves and what it costs. The slider selects the arena size "
         "for training."));
  slider_->setAccessibleName(tr("Arena size"));
  plot_->setAccessibleName(tr("Loss, accuracy and gradient norms"));
  frontier_->setAccessibleName(tr("Arena size against operations"));
}

void TrainingPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) {
    retranslate();
    show_training();
  }
  QWidget::changeEvent(event);
}

}  // namespace arenascope::app
