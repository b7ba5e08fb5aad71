// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/choice_names.h>
#include <views/common/format.h>
#include <views/common/parse_bytes.h>
#include <views/planners/replan_panel.h>

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>

#include <algorithm>

namespace arenascope::views {
namespace {

constexpr Bytes kAlignments[] = {0, 64, 128, 256, 512, 4096};  // 0: that of the current plan

}  // namespace

ReplanPanel::ReplanPanel(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setObjectName(QStringLiteral("replan"));
  const auto label = [this] { return new QLabel(this); };
  planner_label_ = label();
  order_label_ = label();
  fit_label_ = label();
  budget_label_ = label();
  message_ = label();
  message_->setWordWrap(true);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  planner_ = new QComboBox(this);
  order_ = new QComboBox(this);
  make_layout_fields();
  for (QComboBox* box : {planner_, order_, alignment_})
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  in_place_ = new QCheckBox(this);
  fit_under_ = new QLineEdit(this);
  fit_under_->setObjectName(QStringLiteral("fit_under"));
  fit_under_->setClearButtonEnabled(true);
  budget_ = new QDoubleSpinBox(this);
  budget_->setRange(0.1, 3600);
  budget_->setDecimals(1);
  budget_->setValue(2);
  const auto button = [this](const char* name) {
    auto* b = new QToolButton(this);
    b->setObjectName(QString::fromLatin1(name));
    b->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    return b;
  };
  plan_ = button("plan");
  all_ = button("plan_all");
  stop_ = button("stop");
  export_ = button("export");
  curve_ = new SearchCurve(theme, this);
  lay_out();

  connect(plan_, &QToolButton::clicked, this, &ReplanPanel::plan_requested);
  connect(all_, &QToolButton::clicked, this, &ReplanPanel::all_requested);
  connect(stop_, &QToolButton::clicked, this, &ReplanPanel::stop_requested);
  connect(export_, &QToolButton::clicked, this, &ReplanPanel::export_requested);
  connect(fit_under_, &QLineEdit::editingFinished, this, &ReplanPanel::take_fit_under);
  connect(banks_, &QLineEdit::editingFinished, this, &ReplanPanel::request_changed);
  connect(streams_, &QSpinBox::valueChanged, this, &ReplanPanel::request_changed);
  for (QComboBox* box : {planner_, order_, alignment_})
    connect(box, &QComboBox::activated, this, &ReplanPanel::request_changed);
  connect(in_place_, &QCheckBox::clicked, this, &ReplanPanel::request_changed);
  connect(budget_, &QDoubleSpinBox::valueChanged, this, &ReplanPanel::request_changed);
  retranslate();
  set_busy(false);
}

// Fields for layouts other than one contiguous arena: alignment, streams, banks.
void ReplanPanel::make_layout_fields() {
  for (QLabel** label : {&alignment_label_, &streams_label_, &banks_label_}) *label = new QLabel(this);
  alignment_ = new QComboBox(this);
  alignment_->setObjectName(QStringLiteral("alignment"));
  for (const Bytes bytes : kAlignments) alignment_->addItem(bytes > 0 ? QString::number(bytes) : QString());
  streams_ = new QSpinBox(this);
  streams_->setObjectName(QStringLiteral("streams"));
  streams_->setRange(1, 64);
  banks_ = new QLineEdit(this);
  banks_->setObjectName(QStringLiteral("banks"));
  banks_->setClearButtonEnabled(true);
}

void ReplanPanel::lay_out() {
  auto* grid = new QGridLayout;
  grid->setContentsMargins(8, 6, 4, 6);
  grid->setHorizontalSpacing(6);
  grid->setVerticalSpacing(4);
  grid->addWidget(planner_label_, 0, 0);
  grid->addWidget(planner_, 0, 1);
  grid->addWidget(fit_label_, 0, 2);
  grid->addWidget(fit_under_, 0, 3);
  grid->addWidget(order_label_, 1, 0);
  grid->addWidget(order_, 1, 1);
  grid->addWidget(budget_label_, 1, 2);
  grid->addWidget(budget_, 1, 3);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(4);
  for (QToolButton* b : {plan_, all_, stop_, export_}) buttons->addWidget(b);
  grid->addWidget(alignment_label_, 2, 0);
  grid->addWidget(alignment_, 2, 1);
  grid->addWidget(streams_label_, 2, 2);
  grid->addWidget(streams_, 2, 3);
  grid->addWidget(in_place_, 3, 0, 1, 2);
  grid->addWidget(banks_label_, 3, 2);
  grid->addWidget(banks_, 3, 3);
  grid->addLayout(buttons, 4, 0, 1, 4);
  grid->addWidget(message_, 5, 0, 1, 4);
  grid->setRowStretch(6, 1);
  grid->setColumnStretch(1, 1);
  grid->setColumnStretch(3, 1);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addLayout(grid, 3);
  row->addWidget(curve_, 2);
}

void ReplanPanel::set_choices(const QStringList& planners, const QStringList& orders) {
  planner_->clear();
  order_->clear();
  for (const QString& name : planners) planner_->addItem(planner_text(name.toStdString()), name);
  for (const QString& name : orders) order_->addItem(order_text(name.toStdString()), name);
}

PlanRequest ReplanPanel::request() const {
  return {planner_->currentData().toString(),
          order_->currentData().toString(),
          in_place_->isChecked(),
          bytes_,
          budget_->value(),
          kAlignments[std::max(alignment_->currentIndex(), 0)],
          streams_->value(),
          banks_->text().trimmed()};
}

void ReplanPanel::set_request(const PlanRequest& to) {
  if (to == request()) return;
  choose(to.planner, to.order);
  in_place_->setChecked(to.in_place);
  const QSignalBlocker quiet(budget_), still(streams_);
  budget_->setValue(to.budget_seconds);
  streams_->setValue(to.streams);
  banks_->setText(to.banks);
  const auto* known = std::find(std::begin(kAlignments), std::end(kAlignments), to.alignment);
  alignment_->setCurrentIndex(known == std::end(kAlignments) ? 0 : static_cast<int>(known - kAlignments));
  if (to.fit_under != bytes_) set_fit_under(to.fit_under);
}

void ReplanPanel::choose(const QString& planner, const QString& order) {
  if (const int i = planner_->findData(planner); i >= 0) planner_->setCurrentIndex(i);
  if (const int i = order_->findData(order); i >= 0) order_->setCurrentIndex(i);
}

void ReplanPanel::set_fit_under(Bytes bytes) {
  bytes_ = bytes;
  fit_under_->setText(bytes > 0 ? format_bytes(bytes) : QString());
  fit_under_->setStyleSheet({});
  curve_->set_fit_under(bytes);
}

void ReplanPanel::take_fit_under() {
  const QString text = fit_under_->text();
  if (bytes_ > 0 && text == format_bytes(bytes_)) return;  // unchanged: the formatted text is rounded
  const auto bytes = text.trimmed().isEmpty() ? std::optional<Bytes>(0) : parse_bytes(text);
  if (!bytes) {
    fit_under_->setStyleSheet(QStringLiteral("color: %1").arg(theme_->colours().capacity.name()));
    show_message(tr("“%1” is not a size. Examples: 96 MiB, 4096.").arg(text));
    return;
  }
  if (*bytes == bytes_) return;
  set_fit_under(*bytes);
  Q_EMIT request_changed();
}

void ReplanPanel::set_can_plan(bool can) {
  can_ = can;
  set_busy(busy_);
}

void ReplanPanel::set_busy(bool busy) {
  busy_ = busy;
  for (QToolButton* b : {plan_, all_, export_}) b->setEnabled(can_ && !busy);
  stop_->setEnabled(busy);
}

void ReplanPanel::retranslate() {
  for (int i = 0; i < planner_->count(); ++i)
    planner_->setItemText(i, planner_text(planner_->itemData(i).toString().toStdString()));
  for (int i = 0; i < order_->count(); ++i)
    order_->setItemText(i, order_text(order_->itemData(i).toString().toStdString()));
  planner_label_->setText(tr("Planner"));
  order_label_->setText(tr("Order"));
  fit_label_->setText(tr("Fit under"));
  budget_label_->setText(tr("Search time"));
  alignment_label_->setText(tr("Alignment"));
  alignment_->setItemText(0, tr("unchanged"));
  alignment_->setToolTip(tr("Alignment of every tensor offset in bytes; GE uses 512"));
  streams_label_->setText(tr("Streams"));
  streams_->setToolTip(tr("Number of concurrent queues; results share memory across queues only after an event"));
  banks_label_->setText(tr("Banks"));
  banks_->setPlaceholderText(tr("e.g. sram=512K,host"));
  banks_->setToolTip(
      tr("Memory tiers and sizes, fastest first; tensors with the most accesses per byte go into the fastest tier"));
  alignment_->setAccessibleName(tr("Alignment"));
  streams_->setAccessibleName(tr("Streams"));
  banks_->setAccessibleName(tr("Banks"));
  in_place_->setText(tr("Allow in-place ops"));
  in_place_->setToolTip(tr("A pointwise op may overwrite an input in place at the input's last use"));
  budget_->setSuffix(tr(" s"));
  budget_->setToolTip(tr("Time limit in seconds for planners and orders that search"));
  fit_under_->setPlaceholderText(tr("e.g. 96 MiB"));
  fit_under_->setToolTip(
      tr("The search ends as soon as a plan fits; the limit line in the occupancy view can be dragged"));
  plan_->setText(tr("Plan"));
  plan_->setToolTip(tr("The current plan is drawn as an overlay under the new one"));
  all_->setText(tr("All"));
  all_->setToolTip(tr("Run every planner with every order and list the results"));
  stop_->setText(tr("Accept best"));
  stop_->setToolTip(tr("Stop the search and use the smallest plan so far"));
  export_->setText(tr("Export…"));
  export_->setToolTip(tr("Write the plan shown as JSON or CSV"));
  planner_->setAccessibleName(tr("Planner"));
  order_->setAccessibleName(tr("Order"));
  fit_under_->setAccessibleName(tr("Memory limit in bytes"));
  budget_->setAccessibleName(tr("Search time limit in seconds"));
}

void ReplanPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

}  // namespace arenascope::views
