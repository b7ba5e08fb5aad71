// SPDX-License-Identifier: GPL-3.0-or-later
#include "inspector_panel.h"

#include <QEvent>
#include <QTabWidget>
#include <QVBoxLayout>

namespace arenascope::app {

using namespace views;

InspectorPanel::InspectorPanel(Document& document, QWidget* parent) : QWidget(parent), document_(&document) {
  const ViewContext c = document.context();
  inspector_ = new InspectorView(c.source, c.selection, c.theme, this);
  breadcrumbs_ = new Breadcrumbs(c.source, c.selection, c.axis, c.theme, this);
  values_ = new TensorView(c.theme, this);
  inspector_->add_above(breadcrumbs_);
  inspector_->add_below(values_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(inspector_);
  listen();
  ask_values();
}

void InspectorPanel::listen() {
  QObject* bond = bond_.reset();
  connect(
      document_, &Document::values, bond,
      [this](const std::shared_ptr<const TensorValues>& values, const QString& title) { show_values(values, title); });
  connect(document_, &Document::state_changed, bond, [this] { ask_values(); });
  connect(document_, &Document::opened, bond, [this] { ask_values(); });
  connect(document_->selection(), &SelectionModel::current_changed, bond, [this] { ask_values(); });
}

void InspectorPanel::set_document(Document& document) {
  document_ = &document;
  const ViewContext c = document.context();
  inspector_->set_context(c);
  breadcrumbs_->set_context(c);
  listen();
  ask_values();
}

// Requests the values of the selected tensor, which are copied while nothing computes.
void InspectorPanel::ask_values() {
  const trace::TensorRef ref = tensor_of(document_->selection()->current(), *document_->source()->snapshot());
  RunController* runner = document_->runner();
  if (!ref.valid())
    return show_values(nullptr, runner->has_model() ? tr("Select a tensor to see its values.") : QString());
  if (!runner->has_model())
    return show_values(nullptr, tr("A recording contains no values; open the model to see them."));
  if (runner->state() == RunState::Running) return show_values(nullptr, tr("Pause the run to see values."));
  runner->read_values(ref);
}

// Shows the reason instead of empty plots, and nothing where there is neither.
void InspectorPanel::show_values(const std::shared_ptr<const TensorValues>& values, const QString& title) {
  values_->setVisible(values != nullptr || !title.isEmpty());
  values_->setMaximumHeight(values ? QWIDGETSIZE_MAX : fontMetrics().height() * 4);
  if (values)
    values_->set_values(values, title);
  else
    values_->clear(title);
}

void InspectorPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) ask_values();
  QWidget::changeEvent(event);
}

}  // namespace arenascope::app
