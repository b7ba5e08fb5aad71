// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/inspector/inspector_view.h>

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

#include "facts_delegate.h"

namespace arenascope::views {

InspectorView::InspectorView(SessionSource* source, SelectionModel* selection, Theme* theme, QWidget* parent)
    : QWidget(parent), source_(source), selection_(selection), theme_(theme), tree_(new QTreeView(this)) {
  build();
  timer_.setSingleShot(true);
  timer_.setInterval(250);
  connect(&timer_, &QTimer::timeout, this, &InspectorView::request);
  connect(&worker_, &Background::done, this,
          [this](const Background::Result& facts) { show_facts(*std::static_pointer_cast<const Facts>(facts)); });
  connect(theme_, &Theme::changed, this, &InspectorView::arrange);
  listen();
  show_now();
}

void InspectorView::build() {
  tree_->setModel(&model_);
  auto* delegate = new FactsDelegate(tree_, theme_);
  delegate->setParent(tree_);
  tree_->setItemDelegate(delegate);
  tree_->setHeaderHidden(true);
  tree_->setRootIsDecorated(false);
  tree_->setIndentation(0);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  tree_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  tree_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  tree_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  tree_->setExpandsOnDoubleClick(false);
  tree_->setMouseTracking(true);
  tree_->setAccessibleName(tr("Inspector"));
  tree_->header()->setMinimumSectionSize(20);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(tree_, 3);
  tree_->viewport()->installEventFilter(this);
  tree_->installEventFilter(this);
  connect(tree_, &QTreeView::clicked, this, &InspectorView::follow);
  connect(tree_, &QTreeView::activated, this, [this](const QModelIndex& index) {
    if (!QApplication::mouseButtons()) follow(index);  // by a key
  });
  connect(tree_, &QTreeView::entered, this, [this](const QModelIndex& index) {
    const InspectorFact* fact = model_.fact(index);
    const bool is_link = fact == nullptr || !fact->link.empty();
    tree_->viewport()->setCursor(is_link ? Qt::PointingHandCursor : Qt::ArrowCursor);
  });
  connect(tree_, &QTreeView::collapsed, this, [this](const QModelIndex& at) { folded_.insert(at.data().toString()); });
  connect(tree_, &QTreeView::expanded, this, [this](const QModelIndex& at) { folded_.erase(at.data().toString()); });
}

void InspectorView::listen() {
  QObject* connections = connections_.reset();
  connect(source_, &SessionSource::changed, connections, [this] {
    if (!source_->live())
      request();
    else if (!timer_.isActive())
      timer_.start();
  });
  connect(source_, &SessionSource::comparison_changed, connections, [this] { request(); });
  connect(selection_, &SelectionModel::current_changed, connections, [this] { request(); });
}

void InspectorView::set_context(const ViewContext& context) {
  source_ = context.source;
  selection_ = context.selection;
  listen();
  worker_.cancel();
  show_facts({});
  request();
}

void InspectorView::add_above(QWidget* widget) { static_cast<QVBoxLayout*>(layout())->insertWidget(0, widget); }

void InspectorView::add_below(QWidget* widget) { static_cast<QVBoxLayout*>(layout())->addWidget(widget, 2); }

std::function<QString()> InspectorView::csv_maker() const {
  return [input = inspector_input(*source_), selection = selection_->current()] {
    return facts_csv(inspector_facts(input, selection));
  };
}

void InspectorView::request() {
  timer_.stop();
  worker_.request(
      [input = inspector_input(*source_), selection = selection_->current()](std::stop_token) -> Background::Result {
        return std::make_shared<const Facts>(inspector_facts(input, selection));
      });
}

void InspectorView::show_now() {
  timer_.stop();
  worker_.cancel();
  show_facts(inspector_facts(inspector_input(*source_), selection_->current()));
}

QString InspectorView::text() {
  show_now();
  return facts_text(model_.facts());
}

// Another subject is shown from its beginning; new values of the same one keep the position.
void InspectorView::show_facts(const Facts& facts) {
  const auto title = [](const Facts& of) { return of.empty() ? QString() : of.front().value; };
  const bool same_subject = title(facts) == title(model_.facts());
  const int position = tree_->verticalScrollBar()->value();
  model_.set_facts(facts);
  arrange();
  tree_->verticalScrollBar()->setValue(same_subject ? position : 0);
}

// Column widths, spans and folded sections of the current facts.
void InspectorView::arrange() {
  int label = 40;
  for (const InspectorFact& fact : model_.facts()) label = std::max(label, fontMetrics().horizontalAdvance(fact.key));
  const int width = tree_->viewport()->width();
  tree_->setColumnWidth(InspectorModel::kLabel, std::min(label + 18, width * 45 / 100));
  tree_->setColumnWidth(InspectorModel::kValue, width - tree_->columnWidth(InspectorModel::kLabel));
  const auto span = [&](int row, const QModelIndex& parent) {
    const InspectorFact* fact = model_.fact(model_.index(row, InspectorModel::kLabel, parent));
    tree_->setFirstColumnSpanned(row, parent, fact == nullptr || InspectorModel::is_spanned(*fact));
  };
  for (int row = 0; row < model_.rowCount(); ++row) {
    const QModelIndex item = model_.index(row, InspectorModel::kLabel);
    span(row, {});
    for (int child = 0; child < model_.rowCount(item); ++child) span(child, item);
    if (model_.fact(item) == nullptr) tree_->setExpanded(item, !folded_.contains(item.data().toString()));
  }
  tree_->doItemsLayout();  // lines are wrapped at the new widths
}

void InspectorView::follow(const QModelIndex& index) {
  if (const InspectorFact* fact = model_.fact(index); fact == nullptr)
    tree_->setExpanded(index.siblingAtColumn(0), !tree_->isExpanded(index.siblingAtColumn(0)));
  else if (!fact->link.empty())
    selection_->select(Selection(fact->link));  // which replaces the fact
}

void InspectorView::copy_rows() const {
  QModelIndexList rows = tree_->selectionModel()->selectedRows();
  std::ranges::sort(rows, {}, [this](const QModelIndex& index) { return tree_->visualRect(index).top(); });
  QStringList lines;
  for (const QModelIndex& row : rows) {
    const QString value = row.siblingAtColumn(InspectorModel::kValue).data().toString();
    lines << (value.isEmpty() ? row.data().toString() : row.data().toString() + u'\t' + value);
  }
  QApplication::clipboard()->setText(lines.join(u'\n'));
}

bool InspectorView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_->viewport() && event->type() == QEvent::Resize)
    QTimer::singleShot(0, tree_, [this] { arrange(); });
  if (watched == tree_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
    copy_rows();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

void InspectorView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) request();
  QWidget::changeEvent(event);
}

}  // namespace arenascope::views
