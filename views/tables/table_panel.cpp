// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/tables/cell_delegate.h>
#include <views/tables/table_panel.h>

#include <views/common/format.h>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <set>

namespace arenascope::views {
namespace {
constexpr int kMeasured = 40;                // number of rows used to size the columns
constexpr int kBetween = 18, kWidest = 340;  // pixels: between columns, and maximum width of a column
constexpr int kRefreshMs = 300;              // during a run: a table that changes faster is not readable
constexpr size_t kMaxSynchronousItems =
    6000;  // nodes, tensors, slices and events; such a table is created within a few milliseconds
}  // namespace

TablePanel::TablePanel(const QString& name, TableFactory factory, SessionSource* source, SelectionModel* selection,
                       SharedAxis* axis, QWidget* parent)
    : QWidget(parent), factory_(std::move(factory)), source_(source), selection_(selection), axis_(axis) {
  setObjectName(name);
  model_ = new TableModel(this);
  build();
  retranslate();
  auto* copy_action = new QAction(this);
  copy_action->setShortcut(QKeySequence::Copy);
  copy_action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(copy_action, &QAction::triggered, this, &TablePanel::copy);
  view_->addAction(copy_action);
  timer_.setSingleShot(true);
  timer_.setInterval(kRefreshMs);
  connect(&timer_, &QTimer::timeout, this, &TablePanel::make_soon);
  connect(&worker_, &Background::cancelled, this, &TablePanel::cancelled);
  connect(&worker_, &Background::done, this,
          [this](const Background::Result& table) { take(std::static_pointer_cast<const Table>(table)); });
  connect(clear_range_, &QToolButton::clicked, this, [this] { selection_->clear(); });
  connect_rows();
  listen();
  refresh_soon();
}

void TablePanel::build() {
  view_ = new QTableView(this);
  view_->setModel(model_);
  view_->setItemDelegate(new CellDelegate(view_));
  view_->setSortingEnabled(true);
  view_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setAlternatingRowColors(true);
  view_->setShowGrid(false);
  view_->setWordWrap(false);
  view_->setTextElideMode(Qt::ElideMiddle);  // names are paths that differ at the end
  view_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  view_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  view_->verticalHeader()->hide();
  view_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  view_->verticalHeader()->setDefaultSectionSize(view_->fontMetrics().height() + 6);
  view_->horizontalHeader()->setHighlightSections(false);
  view_->horizontalHeader()->setStretchLastSection(false);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setTabKeyNavigation(false);
  empty_ = new QLabel(view_->viewport());
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setEnabled(false);
  auto* over = new QVBoxLayout(view_->viewport());
  over->addWidget(empty_);
  filter_ = new QLineEdit(this);
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(260);
  count_ = new QLabel(this);
  clear_range_ = new QToolButton(this);
  clear_range_->setAutoRaise(true);
  clear_range_->hide();
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(4, 3, 6, 3);
  bar->addWidget(filter_);
  bar->addWidget(clear_range_);
  bar->addStretch(1);
  bar->addWidget(count_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(view_, 1);
}

void TablePanel::connect_rows() {
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    model_->set_text_filter(text.trimmed());
    update_count();
  });
  connect(filter_, &QLineEdit::returnPressed, this, [this] { step(1); });
  connect(model_, &TableModel::rearranged, this, [this] {
    size_columns();
    follow_selection();
  });
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index, const QModelIndex& before) {
            // Tab focus makes the first row current, which is not a choice by the user.
            if (selecting_ || model_->arranging() || !before.isValid() || !index.isValid() || !view_->hasFocus())
              return;
            choose(index);
          });
  // A click on the current row selects it again.
  connect(view_, &QTableView::clicked, this, &TablePanel::choose);
  connect(view_, &QTableView::activated, this, [this](const QModelIndex& index) {
    choose(index);  // Return on a row that received focus by Tab
    Q_EMIT activated(index.row());
  });
}

void TablePanel::choose(const QModelIndex& index) {
  const Selection what = model_->selection_of(index.row());
  if (what.empty()) return;
  selecting_ = true;
  selection_->select(what);
  selecting_ = false;
}

void TablePanel::focus_filter() {
  filter_->setFocus(Qt::ShortcutFocusReason);
  filter_->selectAll();
}

void TablePanel::step(int direction) {
  const int rows = model_->rowCount();
  if (rows == 0) return;
  const QModelIndexList chosen = view_->selectionModel()->selectedRows();
  const int from = chosen.isEmpty() ? (direction > 0 ? -1 : rows) : chosen.front().row();
  const QModelIndex to = model_->index((from + direction + rows) % rows, 0);
  selecting_ = true;  // selected below, once
  view_->selectRow(to.row());
  view_->scrollTo(to);
  selecting_ = false;
  choose(to);
  Q_EMIT activated(to.row());
}

void TablePanel::listen() {
  QObject* connections = connections_.reset();
  connect(source_, &SessionSource::session_replaced, connections, [this] { forget(); });
  connect(source_, &SessionSource::changed, connections, [this] { refresh_soon(); });
  connect(source_, &SessionSource::comparison_changed, connections, [this] {
    forget();  // the columns change
    refresh_soon();
  });
  connect(selection_, &SelectionModel::current_changed, connections, [this] { follow_selection(); });
}

void TablePanel::forget() {
  sized_rows_ = 0;
  worker_.cancel();
  model_->set_table(nullptr);
}

TablePanel::ViewState TablePanel::view_state() const {
  const QHeaderView* header = view_->horizontalHeader();
  return {filter_->text(), header->sortIndicatorSection(), header->sortIndicatorOrder()};
}

void TablePanel::set_context(const ViewContext& context, const ViewState& state) {
  source_ = context.source;
  selection_ = context.selection;
  axis_ = context.axis;
  listen();
  forget();
  filter_->setText(state.filter);
  view_->sortByColumn(state.sorted_by, state.sort_order);
  refresh_soon();
}

void TablePanel::set_factory(TableFactory factory) {
  factory_ = std::move(factory);
  forget();
  refresh_soon();
}

void TablePanel::retranslate() {
  filter_->setPlaceholderText(tr("Filter"));
  filter_->setAccessibleName(tr("Filter the table"));
  clear_range_->setText(tr("Selected range only  ✕"));
  clear_range_->setToolTip(tr("Show all rows again"));
}

void TablePanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) {
    retranslate();
    model_->set_table(nullptr);
    sized_rows_ = 0;
    stale_ = true;
    refresh_soon();
  } else if (event->type() == QEvent::FontChange) {
    view_->verticalHeader()->setDefaultSectionSize(view_->fontMetrics().height() + 6);
  }
  QWidget::changeEvent(event);
}

void TablePanel::refresh_soon() {
  stale_ = true;
  if (isVisible() && !timer_.isActive()) timer_.start(source_->live() ? kRefreshMs : 0);
}

void TablePanel::showEvent(QShowEvent*) {
  if (stale_) make_soon();
}

void TablePanel::refresh() {
  stale_ = false;
  timer_.stop();
  worker_.cancel();
  take(factory_(TableInput::of(*source_)));
}

void TablePanel::make_soon() {
  const TableInput input = TableInput::of(*source_);
  size_t items = static_cast<size_t>(input.snapshot->event_count);
  if (input.graph) items += input.graph->nodes.size() + input.graph->leafs.size();
  if (input.plan) items += input.plan->slices.size();
  if (items <= kMaxSynchronousItems) return refresh();
  stale_ = false;
  timer_.stop();
  worker_.request([factory = factory_, input](std::stop_token stop) -> Background::Result {
    TableInput stoppable = input;
    stoppable.stop = std::move(stop);
    return factory(stoppable);
  });
}

void TablePanel::take(TablePtr table) {
  const int sorted_by = table ? table->sorted_by : -1;
  model_->set_table(std::move(table));
  if (sorted_by >= 0 && view_->horizontalHeader()->sortIndicatorSection() < 0)
    view_->sortByColumn(sorted_by, Qt::AscendingOrder);
  size_columns();
  follow_selection();
}

// Measures what the first rows of each column need; it may grow while a table has few rows.
void TablePanel::size_columns() {
  if (model_->rowCount() == 0 || model_->rowCount() <= sized_rows_ || sized_rows_ >= 20) return;
  sized_rows_ = model_->rowCount();
  // Measured here: a view that resizes itself asks its delegate for the size of each cell, which takes ten times as
  // long.
  const QFontMetrics metrics = view_->fontMetrics();
  const QHeaderView* header = view_->horizontalHeader();
  const int rows = std::min(sized_rows_, kMeasured);
  needed_.clear();
  given_.clear();
  for (int c = 0; c < model_->columnCount(); ++c) {
    int width = header->sectionSizeHint(c);
    for (int r = 0; r < rows; ++r)
      width =
          std::max(width, metrics.horizontalAdvance(model_->index(r, c).data().toString()) + 2 * CellDelegate::kAir);
    needed_.push_back(width + kBetween);
  }
  fit_columns();
}

// A column is wider than the maximum only where the table has space that no other column needs.
void TablePanel::fit_columns() {
  if (needed_.size() != static_cast<size_t>(model_->columnCount())) return;
  int spare = view_->viewport()->width();
  for (const int width : needed_) spare -= std::min(width, kWidest);
  const bool is_first = given_.size() != needed_.size();
  if (is_first) given_.assign(needed_.size(), -1);
  for (size_t i = 0; i < needed_.size(); ++i) {
    const int column = static_cast<int>(i), least = std::min(needed_[i], kWidest);
    const int width = std::min(needed_[i], least + std::max(spare, 0));
    spare -= width - least;
    const int now = view_->horizontalHeader()->sectionSize(column);
    if (!is_first && now != given_[i]) continue;
    given_[i] = width;
    if (now != width) view_->setColumnWidth(column, width);
  }
}

void TablePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_columns();
}

void TablePanel::follow_selection() {
  RangeFilter range;
  const Selection& selection = selection_->current();
  std::optional<StepRangeSelection> steps;
  if (const auto* selected = selection.get<StepRangeSelection>()) steps = *selected;
  if (const auto* layer = selection.get<LayerSelection>()) steps = steps_of(*layer, source_->plan());
  if (steps) {
    range.steps = {steps->first.value, steps->last.value};
    const AxisFrame& frame = axis_->frame();
    if (!frame.mapping.empty())
      range.time = trace::TimeRange{frame.origin + static_cast<Nanoseconds>(frame.mapping.time_of(steps->first.value)),
                                    frame.origin + static_cast<Nanoseconds>(frame.mapping.time_of(steps->last.value))};
  } else if (const auto* time = selection.get<TimeRangeSelection>()) {
    range.time = trace::TimeRange{time->begin, time->end};
  } else if (const auto* addresses = selection.get<AddressRangeSelection>()) {
    range.addresses = {addresses->first, addresses->last};
  }
  model_->set_range(range);
  clear_range_->setVisible(!range.empty() && model_->table() && model_->table()->inside != nullptr);
  update_count();
  if (selecting_ || !isVisible()) return;
  selecting_ = true;
  int row = model_->row_of(selection);
  if (row < 0) {  // a selected span or block may still refer to a tensor that has a row
    const trace::TensorRef ref = tensor_of(selection, *source_->snapshot());
    if (ref.valid()) row = model_->row_of(NodeSelection{source_->graph_id(), ref});
  }
  if (row >= 0) {
    view_->selectRow(row);
    view_->scrollTo(model_->index(row, 0));
  } else {
    view_->clearSelection();
  }
  selecting_ = false;
}

void TablePanel::update_count() {
  const TablePtr& table = model_->table();
  const int all = table ? static_cast<int>(table->rows) : 0;
  const int shown = model_->pending() ? all : model_->rowCount();  // the count is known when the worker has finished
  count_->setText(shown == all ? tr("%n row(s)", nullptr, all)
                               : tr("%1 of %n row(s)", nullptr, all).arg(format_count(shown)));
  empty_->setVisible(shown == 0);
  empty_->setText(!table ? QString() : all == 0 ? table->empty_text : tr("No row matches the filter."));
}

std::vector<int> TablePanel::selected_rows() const {
  std::set<int> rows;
  for (const QModelIndex& index : view_->selectionModel()->selectedRows()) rows.insert(index.row());
  return {rows.begin(), rows.end()};
}

void TablePanel::copy() const { QApplication::clipboard()->setText(model_->to_tabs(selected_rows())); }

}  // namespace arenascope::views
