// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/spaces.h>
#include <views/findings/finding_text.h>
#include <views/findings/findings_view.h>

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

namespace arenascope::views {

namespace {

constexpr int kAir = 6;  // pixels on both sides of a cell, to separate columns of numbers and text

class AiredCells : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem cell(option);
    cell.rect.adjust(kAir, 0, -kAir, 0);
    return QStyledItemDelegate::sizeHint(cell, index) + QSize(2 * kAir, 0);
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem cell(option);
    option.widget->style()->drawPrimitive(QStyle::PE_PanelItemViewItem, &cell, painter, option.widget);
    cell.rect.adjust(kAir, 0, -kAir, 0);
    QStyledItemDelegate::paint(painter, cell, index);
  }
};

}  // namespace

FindingsView::FindingsView(FindingsSearch* search, const ViewContext& context, QWidget* parent)
    : QWidget(parent), search_(search), context_(context) {
  setObjectName(QStringLiteral("findings_view"));
  build();
  timer_.setSingleShot(true);
  timer_.setInterval(400);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (context_.source->live())
      timer_.start();  // retry later while a run is active
    else
      start_search();
  });
  listen();
  connect(again_, &QToolButton::clicked, this, &FindingsView::start_search);
  connect(stop_, &QToolButton::clicked, this, &FindingsView::stop);
  connect(view_, &QTableView::activated, this, [this](const QModelIndex& index) { show_finding(index.row()); });
  retranslate();
}

void FindingsView::build() {
  model_ = new FindingsModel(this);
  view_ = new QTableView(this);
  view_->setModel(model_);
  view_->setItemDelegate(new AiredCells(view_));
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view_->setAlternatingRowColors(true);
  view_->setShowGrid(false);
  view_->setWordWrap(true);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setTabKeyNavigation(false);
  view_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  view_->verticalHeader()->hide();
  view_->horizontalHeader()->setHighlightSections(false);
  view_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->horizontalHeader()->setSectionResizeMode(FindingsModel::kSentence, QHeaderView::Stretch);
  connect(view_->horizontalHeader(), &QHeaderView::sectionResized, view_, &QTableView::resizeRowsToContents);
  empty_ = new QLabel(view_->viewport());
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setEnabled(false);
  auto* over = new QVBoxLayout(view_->viewport());
  over->addWidget(empty_);

  again_ = new QToolButton(this);
  stop_ = new QToolButton(this);
  budget_label_ = new QLabel(this);
  budget_ = new QDoubleSpinBox(this);
  budget_->setRange(0.5, 600);
  budget_->setDecimals(1);
  budget_->setValue(8);
  state_ = new QLabel(this);
  progress_ = new QProgressBar(this);
  progress_->setRange(0, 1000);
  progress_->setTextVisible(false);
  progress_->setMaximumSize(140, fontMetrics().height());
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 3, 6, 3);
  bar->setSpacing(6);
  for (QWidget* w : std::initializer_list<QWidget*>{again_, stop_, budget_label_, budget_}) bar->addWidget(w);
  bar->addStretch(1);
  bar->addWidget(progress_);
  bar->addWidget(state_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(view_, 1);
}

void FindingsView::listen() {
  QObject* connections = connections_.reset();
  connect(search_, &FindingsSearch::changed, connections, [this] { take(); });
  connect(search_, &FindingsSearch::found, connections, [this] { Q_EMIT found(); });
  connect(context_.source, &SessionSource::changed, connections, [this] {
    if (model_->rowCount() == 0) update_state();
    schedule_search();
  });
}

void FindingsView::set_context(FindingsSearch* search, const ViewContext& context) {
  timer_.stop();
  search_ = search;
  context_ = context;
  listen();
  take();
  schedule_search();
}

void FindingsView::schedule_search() {
  if (isVisible() && search_->out_of_date() && !timer_.isActive()) timer_.start();
}

void FindingsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  schedule_search();
}

void FindingsView::start_search() {
  timer_.stop();
  search_->start(budget_->value());
}

void FindingsView::take() {
  const int row = view_->currentIndex().row();
  model_->set_findings(search_->findings(), search_->about());
  add_buttons();
  if (row >= 0 && row < model_->rowCount()) view_->selectRow(row);
  progress_->setValue(static_cast<int>(search_->done() * 1000));
  update_state();
}

void FindingsView::add_buttons() {
  for (int row = 0; row < model_->rowCount(); ++row) {
    const Finding& f = *model_->at(row);
    const auto button = [&](int column, const QString& text, const QString& tip) {
      auto* b = new QToolButton(view_);
      b->setText(text);
      b->setToolTip(tip);
      b->setAccessibleName(text + QStringLiteral(": ") +
                           model_->index(row, FindingsModel::kSentence).data().toString());
      view_->setIndexWidget(model_->index(row, column), b);
      return b;
    };
    if (!f.tensors.empty() || !f.slices.empty() || f.step.valid())
      connect(button(FindingsModel::kShow, tr("Show"), tr("Select it in every view")), &QToolButton::clicked, this,
              [this, row] { show_finding(row); });
    if (f.plan)
      connect(button(FindingsModel::kWhatIf, tr("What if"), tr("Show the resulting plan over the current one")),
              &QToolButton::clicked, this, [this, row] {
                if (const Finding* chosen = model_->at(row))
                  Q_EMIT what_if(chosen->plan, model_->index(row, FindingsModel::kSentence).data().toString());
              });
  }
  view_->resizeRowsToContents();
}

QToolButton* FindingsView::show_button(int row) const {
  return qobject_cast<QToolButton*>(view_->indexWidget(model_->index(row, FindingsModel::kShow)));
}

QToolButton* FindingsView::what_if_button(int row) const {
  return qobject_cast<QToolButton*>(view_->indexWidget(model_->index(row, FindingsModel::kWhatIf)));
}

void FindingsView::show_finding(int row) {
  const Finding* f = model_->at(row);
  if (!f) return;
  if (!f->tensors.empty()) context_.selection->select(NodeSelection{context_.source->graph_id(), f->tensors[0]});
  if (f->tensors.empty() && !f->slices.empty()) context_.selection->select(slice_selection(f->slices[0]));
  if (f->step.valid()) context_.axis->set_current(f->step);
}

void FindingsView::update_state() {
  stop_->setEnabled(busy());
  again_->setEnabled(!busy());
  progress_->setVisible(busy());
  state_->setText(busy() ? tr("Replanning…") : tr("%n finding(s)", nullptr, model_->rowCount()));
  empty_->setVisible(model_->rowCount() == 0);
  const auto& source = *context_.source;
  const bool open = source.graph() != nullptr || source.snapshot()->event_count > 0;
  empty_->setText(busy()                      ? tr("Searching for savings…")
                  : !open                     ? tr("Nothing is open.")
                  : search_->out_of_date()    ? tr("Not searched yet.")
                  : source.graph() != nullptr ? tr("No findings.")
                                              : tr("No findings: there is no graph to replan."));
}

void FindingsView::retranslate() {
  again_->setText(tr("Search Again"));
  again_->setToolTip(tr("Search the current plan and run for savings"));
  stop_->setText(tr("Stop"));
  budget_label_->setText(tr("Time limit"));
  budget_->setSuffix(tr(" s"));
  budget_->setAccessibleName(tr("Search time limit in seconds"));
  view_->setAccessibleName(tr("Findings"));
  model_->retranslate();
  add_buttons();
  update_state();
}

void FindingsView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

}  // namespace arenascope::views
