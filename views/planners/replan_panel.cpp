// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/common/parse_bytes.h>
#include <views/planners/replan_panel.h>

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>

#include <algorithm>

namespace arenascope::views {
namespace {

constexpr Bytes kAlignments[] = {0, 64, 128, 256, 512, 4096};  // 0: as of the plan at hand

}  // namespace

ReplanPanel::ReplanPanel(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setObjectName(QStringLiteral("replan"));
  const auto label = [this] { return new QLabel(this); };
  planner_label_ = label();
  order_label_ = label();
  fit_label_ = label();
  budget_label_ = label();
  said_ = label();
  said_->setWordWrap(true);
  said_->setTextInteractionFlags(Qt::TextSelectableByMouse);
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

  connect(plan_, &QToolButton::clicked, this, &ReplanPanel::plan_wanted);
  connect(all_, &QToolButton::clicked, this, &ReplanPanel::all_wanted);
  connect(stop_, &QToolButton::clicked, this, &ReplanPanel::stop_wanted);
  connect(export_, &QToolButton::clicked, this, &ReplanPanel::export_wanted);
  connect(fit_under_, &QLineEdit::editingFinished, this, &ReplanPanel::take_fit_under);
  connect(banks_, &QLineEdit::editingFinished, this, &ReplanPanel::wish_changed);
  connect(streams_, &QSpinBox::valueChanged, this, &ReplanPanel::wish_changed);
  for (QComboBox* box : {planner_, order_, alignment_})
    connect(box, &QComboBox::activated, this, &ReplanPanel::wish_changed);
  connect(in_place_, &QCheckBox::clicked, this, &ReplanPanel::wish_changed);
  connect(budget_, &QDoubleSpinBox::valueChanged, this, &ReplanPanel::wish_changed);
  retranslate();
  set_busy(false);
}

// Where tensors lie besides one arena: alignment, streams, banks.
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
  grid->addWidget(said_, 5, 0, 1, 4);
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
  planner_->addItems(planners);
  order_->addItems(orders);
}

ReplanWish ReplanPanel::wish() const {
  return {planner_->currentText(), order_->currentText(),
          in_place_->isChecked(),  bytes_,
          budget_->value(),        kAlignments[std::max(alignment_->currentIndex(), 0)],
          streams_->value(),       banks_->text().trimmed()};
}

void ReplanPanel::set_wish(const ReplanWish& to) {
  if (to == wish()) return;
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
  if (const int i = planner_->findText(planner); i >= 0) planner_->setCurrentIndex(i);
  if (const int i = order_->findText(order); i >= 0) order_->setCurrentIndex(i);
}

void ReplanPanel::set_fit_under(Bytes bytes) {
  bytes_ = bytes;
  fit_under_->setText(bytes > 0 ? format_bytes(bytes) : QString());
  fit_under_->setStyleSheet({});
  curve_->set_fit_under(bytes);
}

void ReplanPanel::take_fit_under() {
  const QString text = fit_under_->text();
  if (bytes_ > 0 && text == format_bytes(bytes_)) return;  // as it was written, which is not exact
  const auto bytes = text.trimmed().isEmpty() ? std::optional<Bytes>(0) : parse_bytes(text);
  if (!bytes) {
    fit_under_->setStyleSheet(QStringLiteral("color: %1").arg(theme_->colours().capacity.name()));
    say(tr("“%1” is no size. 96 MiB is one, and 4096.").arg(text));
    return;
  }
  if (*bytes == bytes_) return;
  set_fit_under(*bytes);
  Q_EMIT wish_changed();
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
  planner_label_->setText(tr("Planner"));
  order_label_->setText(tr("Order"));
  fit_label_->setText(tr("Fit under"));
  budget_label_->setText(tr("Search for"));
  alignment_label_->setText(tr("Alignment"));
  alignment_->setItemText(0, tr("as it is"));
  alignment_->setToolTip(tr("Every tensor begins at a multiple of so many bytes; GE has 512"));
  streams_label_->setText(tr("Streams"));
  streams_->setToolTip(tr("Queues that run at once: results share bytes only behind an event between them"));
  banks_label_->setText(tr("Banks"));
  banks_->setPlaceholderText(tr("e.g. sram=512K,host"));
  banks_->setToolTip(
      tr("Memories with their sizes, the fastest first: what is used most for its bytes lies in the first"));
  alignment_->setAccessibleName(tr("Alignment"));
  streams_->setAccessibleName(tr("Streams"));
  banks_->setAccessibleName(tr("Banks"));
  in_place_->setText(tr("Let ops work in place"));
  in_place_->setToolTip(tr("A pointwise op may take over a source's bytes at their last use"));
  budget_->setSuffix(tr(" s"));
  budget_->setToolTip(tr("Seconds for planners and orders that search"));
  fit_under_->setPlaceholderText(tr("e.g. 96 MiB"));
  fit_under_->setToolTip(tr("A search ends as soon as its plan fits; the line in the occupancy can be dragged"));
  plan_->setText(tr("Plan"));
  plan_->setToolTip(tr("The plan at hand is drawn as a ghost under the new one"));
  all_->setText(tr("All"));
  all_->setToolTip(tr("Every planner with every order, into the table"));
  stop_->setText(tr("Good enough"));
  stop_->setToolTip(tr("Stop the search and take the smallest plan so far"));
  export_->setText(tr("Export…"));
  export_->setToolTip(tr("Write the plan that is shown as JSON or CSV"));
  planner_->setAccessibleName(tr("Planner"));
  order_->setAccessibleName(tr("Order"));
  fit_under_->setAccessibleName(tr("Bytes to fit under"));
  budget_->setAccessibleName(tr("Seconds to search"));
}

void ReplanPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

}  // namespace arenascope::views
