// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <views/common/csv_line.h>

#include "app/window/document/learning.h"

namespace arenascope::app {

TrainingPanel::TrainingPanel(Document& document, QWidget* parent) : QWidget(parent) {
  plot_ = new LearningPlot(document.context().theme, this);
  frontier_ = new FrontierPlot(document.context().theme, this);
  build();
  lay_out();
  retranslate();
  set_document(document);
}

void TrainingPanel::build() {
  data_ = new QLineEdit(this);
  optimizer_ = new QComboBox(this);
  optimizer_->addItems({QStringLiteral("adamw"), QStringLiteral("sgd")});
  rate_ = new QDoubleSpinBox(this);
  rate_->setDecimals(6);
  rate_->setRange(0, 10);
  rate_->setSingleStep(0.001);
  rate_->setValue(0.003);
  epochs_ = new QSpinBox(this);
  epochs_->setRange(1, 1 << 20);
  epochs_->setValue(5);
  batch_ = new QSpinBox(this);
  batch_->setRange(1, 1 << 20);
  batch_->setValue(50);
  const auto button = [this] {
    auto* made = new QToolButton(this);
    made->setToolButtonStyle(Qt::ToolButtonTextOnly);
    return made;
  };
  train_ = button(), stop_ = button(), find_ = button();
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
  connect(stop_, &QToolButton::clicked, this, [this] { document_->learning()->stop(); });
  connect(slider_, &QSlider::valueChanged, this, &TrainingPanel::show_point);
  connect(frontier_, &FrontierPlot::chosen, slider_, &QSlider::setValue);
  setFocusProxy(data_);
}

void TrainingPanel::lay_out() {
  auto* row = new QHBoxLayout;
  row->setContentsMargins(4, 3, 6, 3);
  row->addWidget(data_, 1);
  for (QWidget* part : std::initializer_list<QWidget*>{optimizer_, rate_, epochs_, batch_, train_, stop_})
    row->addWidget(part);
  auto* memory = new QHBoxLayout;
  memory->setContentsMargins(4, 0, 6, 3);
  memory->addWidget(find_);
  memory->addWidget(slider_, 1);
  memory->addWidget(point_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addLayout(memory);
  auto* plots = new QHBoxLayout;
  plots->addWidget(plot_, 3);
  plots->addWidget(frontier_, 2);
  column->addLayout(plots, 1);
  column->addWidget(status_);
}

void TrainingPanel::set_document(Document& document) {
  document_ = &document;
  QObject* bond = bond_.renew();
  connect(document.learning(), &Learning::changed, bond, [this] { show_learning(); });
  connect(&document, &Document::opened, bond, [this] { show_learning(); });
  plot_->set_learning(document.learning());
  show_learning();
}

LearningWish TrainingPanel::wish() const {
  LearningWish out;
  out.data = data_->text().trimmed();
  out.optimizer = optimizer_->currentText();
  out.rate = rate_->value();
  out.epochs = epochs_->value();
  out.batch = batch_->value();
  out.capacity = capacity();
  return out;
}

Bytes TrainingPanel::capacity() const {
  const auto& frontier = document_->learning()->frontier();
  const auto at = static_cast<size_t>(slider_->value());
  return at > 0 && at < frontier.size() ? frontier[at].arena : 0;
}

void TrainingPanel::train() {
  if (document_->learning()->busy() || !document_->runner()->has_model()) return;
  document_->learning()->begin(document_->spec(), wish(), document_->runner()->settings());
}

void TrainingPanel::find_frontier() {
  if (document_->learning()->busy() || !document_->runner()->has_model()) return;
  document_->learning()->find_frontier(document_->spec(), wish(), document_->runner()->settings());
}

void TrainingPanel::show_learning() {
  const Learning& learning = *document_->learning();
  const bool can = document_->runner()->has_model();
  train_->setEnabled(can && !learning.busy());
  find_->setEnabled(can && !learning.busy());
  stop_->setEnabled(learning.busy());
  slider_->setMaximum(std::max(static_cast<int>(learning.frontier().size()) - 1, 0));
  slider_->setEnabled(slider_->maximum() > 0);
  frontier_->set_points(learning.frontier());
  frontier_->setVisible(!learning.frontier().empty());
  plot_->setVisible(learning.frontier().empty() || !learning.steps().empty());
  QStringList said;
  if (!learning.problem().isEmpty()) said << learning.problem();
  if (!learning.steps().empty())
    said << plot_->summary() << tr("epoch %1").arg(learning.epoch()) << tr("%1 s").arg(learning.seconds(), 0, 'f', 1);
  if (said.isEmpty())
    said << (learning.busy() ? tr("The training is being prepared…")
             : can           ? tr("Say what to learn from: IMAGES,LABELS in the idx format, or of language models "
                                            "a file of tokens or sort:SEED.")
                             : tr("Open a model to train it."));
  status_->setText(said.join(QStringLiteral(" · ")));
  plot_->setAccessibleDescription(plot_->summary());
  plot_->update();
  show_point();
}

void TrainingPanel::show_point() {
  const auto& frontier = document_->learning()->frontier();
  const auto at = static_cast<size_t>(slider_->value());
  frontier_->set_chosen(slider_->value());
  if (at >= frontier.size()) return point_->clear();
  point_->setText(FrontierPlot::text_of(frontier[at]));
}

QString TrainingPanel::to_csv() const {
  const Learning& learning = *document_->learning();
  QStringList head{tr("Step"), tr("Loss"), tr("Accuracy")};
  for (const QString& parameter : learning.parameters()) head << tr("Gradient of %1").arg(parameter);
  QString out = views::csv_line(head);
  for (size_t i = 0; i < learning.steps().size(); ++i) {
    const LearnedStep& step = learning.steps()[i];
    QStringList row{QString::number(i + 1), QString::number(step.loss), QString::number(step.accuracy)};
    for (float norm : step.norms) row << QString::number(static_cast<double>(norm));
    out += views::csv_line(row);
  }
  return out;
}

void TrainingPanel::retranslate() {
  data_->setPlaceholderText(tr("IMAGES,LABELS or sort:SEED"));
  data_->setAccessibleName(tr("What the model learns from"));
  optimizer_->setAccessibleName(tr("Optimiser"));
  optimizer_->setToolTip(tr("Optimiser"));
  rate_->setAccessibleName(tr("Learning rate"));
  rate_->setToolTip(tr("Learning rate"));
  epochs_->setAccessibleName(tr("Epochs"));
  epochs_->setToolTip(tr("Epochs"));
  batch_->setAccessibleName(tr("Examples a step"));
  batch_->setToolTip(tr("Examples a step"));
  train_->setText(tr("&Train"));
  stop_->setText(tr("S&top"));
  find_->setText(tr("&Memory Frontier"));
  find_->setToolTip(
      tr("Finds how many bytes of activations can be spared by computing them again, and what that costs. The slider "
         "chooses with how many bytes to train."));
  slider_->setAccessibleName(tr("Bytes of the arena"));
  plot_->setAccessibleName(tr("Loss, accuracy and gradient norms"));
  frontier_->setAccessibleName(tr("Bytes of the arena against operations"));
}

void TrainingPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) {
    retranslate();
    show_learning();
  }
  QWidget::changeEvent(event);
}

}  // namespace arenascope::app
