// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_panel.h"

#include <views/common/engine_errors.h>
#include <views/common/format.h>
#include <views/search/search_all.h>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QVBoxLayout>

namespace arenascope::app {

using namespace views;

namespace {

constexpr int kTypingMs = 200;  // until the search for a text that is being typed starts

struct SearchRows {
  SnapshotPtr snapshot;
  std::vector<SearchHit> hits;
};

}  // namespace

TablePtr search_table(const TableInput& input, const SearchQuery& query) {
  auto made = std::make_shared<SearchRows>();
  made->snapshot = input.snapshot;
  made->hits = search_all(*input.snapshot, query, input.stop).hits;
  if (input.stop.stop_requested()) return nullptr;
  const std::shared_ptr<const SearchRows> rows = made;
  const auto hit = [rows](size_t r) -> const SearchHit& { return rows->hits[r]; };
  const auto number = [hit](double SearchHit::*value) {
    return [=](size_t r) { return std::max(hit(r).*value, 0.0); };
  };
  auto table = std::make_shared<Table>();
  table->empty_text = query.empty()
                          ? SearchPanel::tr(
                                "Nodes, tensors, spans, allocations, stack frames and messages whose name contains "
                                "all words. Also: /regular expression/, \"two words\", bytes>1MiB, time>2ms, "
                                "op:Conv, layer:encoder, thread:1, kind:span.")
                          : SearchPanel::tr("No match.");
  table->rows = rows->hits.size();
  table->columns = {
      {SearchPanel::tr("Kind"), SearchPanel::tr("Node, tensor, span, allocation, stack frame or message"),
       [hit](size_t r) { return kind_text(hit(r).kind); }},
      {SearchPanel::tr("Name"), SearchPanel::tr("Name, with the op of a node"),
       [=](size_t r) { return name_of(*rows->snapshot, hit(r)); }},
      {SearchPanel::tr("Where"), SearchPanel::tr("Layer, thread, allocator or file"),
       [=](size_t r) { return where_of(*rows->snapshot, hit(r)); }},
      {SearchPanel::tr("Bytes"), SearchPanel::tr("Bytes of the tensor, allocation or copy"),
       [hit](size_t r) { return hit(r).bytes < 0 ? QString() : format_bytes(static_cast<Bytes>(hit(r).bytes)); },
       number(&SearchHit::bytes)},
      {SearchPanel::tr("Time"), SearchPanel::tr("Duration of a span or allocation; median of a node"),
       [hit](size_t r) { return hit(r).time < 0 ? QString() : format_ns(static_cast<Nanoseconds>(hit(r).time)); },
       number(&SearchHit::time)}};
  table->selection = [=](size_t r) { return selection_of(*rows->snapshot, hit(r)); };
  return table;
}

SearchPanel::SearchPanel(const ViewContext& context, QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("search_panel"));
  build(context);
  set_tasks(context.tasks);
  timer_.setSingleShot(true);
  timer_.setInterval(kTypingMs);
  connect(&timer_, &QTimer::timeout, this, &SearchPanel::search);
  connect(field_, &QLineEdit::textChanged, &timer_, qOverload<>(&QTimer::start));
  connect(field_, &QLineEdit::returnPressed, this, [this] {
    if (!timer_.isActive()) return table_->step(1);
    search();
    steps_ = true;
  });
  connect(table_, &TablePanel::cancelled, this, [this] {
    error_ = tr("The search was cancelled.");
    show_note();
  });
  connect(table_->model(), &TableModel::modelReset, this, &SearchPanel::on_rows_changed);
  connect(table_->model(), &TableModel::rowsInserted, this, &SearchPanel::on_rows_changed);
  field_->installEventFilter(this);
  retranslate();
}

void SearchPanel::build(const ViewContext& context) {
  field_ = new QLineEdit(this);
  field_->setClearButtonEnabled(true);
  field_->setMinimumWidth(320);
  note_ = new QLabel(this);
  note_->setTextFormat(Qt::PlainText);
  const auto nothing = [](const TableInput& input) { return search_table(input, {}); };
  table_ =
      new TablePanel(QStringLiteral("search_table"), nothing, context.source, context.selection, context.axis, this);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(4, 3, 6, 0);
  bar->addWidget(field_, 2);
  bar->addWidget(note_, 3);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(table_, 1);
  setFocusProxy(field_);
}

void SearchPanel::set_tasks(TaskList* tasks) { table_->list_in(tasks, tr("Searching…")); }

void SearchPanel::focus() {
  field_->setFocus(Qt::ShortcutFocusReason);
  field_->selectAll();
}

void SearchPanel::search() {
  timer_.stop();
  steps_ = false;
  const Result<SearchQuery> query = parse_search(field_->text());
  error_ = query ? QString() : views::engine_error_text(query.error().message);
  show_note();
  table_->set_factory(
      [query = query ? *query : SearchQuery()](const TableInput& input) { return search_table(input, query); });
}

void SearchPanel::on_rows_changed() {
  show_note();
  if (table_->model()->rowCount() == 0 || !std::exchange(steps_, false)) return;
  QTimer::singleShot(0, this, [this] { table_->step(1); });
}

void SearchPanel::show_note() {
  const TablePtr& table = table_->model()->table();
  const bool more = table && table->rows >= kMaxSearchHits;
  note_->setText(!error_.isEmpty() ? error_
                 : more            ? tr("The first %1 matches").arg(format_count(static_cast<int64_t>(kMaxSearchHits)))
                                   : QString());
}

void SearchPanel::retranslate() {
  field_->setPlaceholderText(tr("Search everything: name, /regex/, bytes>1MiB, op:Conv"));
  field_->setAccessibleName(tr("Search everything"));
  field_->setToolTip(tr("Return: next match. Escape: close"));
  note_->setAccessibleName(tr("Note about the search"));
  search();
}

// Escape also clears the selection, elsewhere in the window.
bool SearchPanel::eventFilter(QObject* watched, QEvent* event) {
  const bool key = event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
  if (!key || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) return QWidget::eventFilter(watched, event);
  event->accept();
  if (event->type() == QEvent::KeyPress) Q_EMIT left();
  return true;
}

void SearchPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

}  // namespace arenascope::app
