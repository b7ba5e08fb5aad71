// SPDX-License-Identifier: GPL-3.0-or-later
#include "query_panel.h"

#include <views/common/format.h>
#include <views/common/settings.h>
#include <QEvent>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QMenu>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>

#include <array>

#include "app/query/library.h"
#include "query_table.h"

namespace arenascope::app {

using namespace views;

namespace {

constexpr int kMaxHistory = 50, kMenuHistory = 20, kMenuCharacters = 80;
const QString kHistoryKey = QStringLiteral("query/history");

QToolButton* menu_button(QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  button->setAutoRaise(true);
  auto* menu = new QMenu(button);
  menu->setToolTipsVisible(true);
  button->setMenu(menu);
  return button;
}

QString menu_text(QString text) {
  text = text.simplified();
  if (text.size() > kMenuCharacters) text = text.left(kMenuCharacters - 1) + u'…';
  return text.replace(u'&', QStringLiteral("&&"));
}

}  // namespace

QueryPanel::QueryPanel(Document& document, QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("query_panel"));
  const ViewContext c = document.context();
  auto* both = new QSplitter(Qt::Horizontal, this);
  table_ = new TablePanel(
      QStringLiteral("query_table"), [](const TableInput&) { return query_table(nullptr); }, c.source, c.selection,
      c.axis, both);
  both->addWidget(build_editor(c.theme));
  both->addWidget(table_);
  both->addWidget(build_chart(c.theme));
  both->setChildrenCollapsible(false);
  const std::array<int, 3> widths{480, 620, 420};
  for (int i = 0; i < 3; ++i) both->setStretchFactor(i, widths[static_cast<size_t>(i)]);
  both->setSizes({widths.begin(), widths.end()});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(both);
  editor_->parentWidget()->setMinimumWidth(280);
  table_->setMinimumWidth(280);
  setFocusProxy(editor_);
  retranslate();
  set_document(document);
}

QWidget* QueryPanel::build_editor(Theme* theme) {
  auto* side = new QWidget(this);
  editor_ = new SqlEditor(theme, side);
  run_ = new QPushButton(side);
  stop_ = new QToolButton(side);
  stop_->setAutoRaise(true);
  library_ = menu_button(side);
  history_ = menu_button(side);
  status_ = new QLabel(side);
  status_->setTextFormat(Qt::PlainText);
  status_->setWordWrap(true);
  status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(4, 3, 4, 3);
  for (QWidget* button : std::initializer_list<QWidget*>{run_, stop_, library_, history_}) bar->addWidget(button);
  bar->addStretch(1);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(editor_, 1);
  column->addWidget(status_);
  status_->setContentsMargins(6, 2, 6, 3);
  connect(run_, &QPushButton::clicked, this, &QueryPanel::run);
  connect(editor_, &SqlEditor::run_requested, this, &QueryPanel::run);
  connect(editor_, &SqlEditor::history_requested, this, &QueryPanel::step_history);
  connect(editor_, &SqlEditor::edited, this, [this] { at_history_ = -1; });
  connect(stop_, &QToolButton::clicked, this, [this] { document_->jobs().queries.stop(); });
  connect(library_->menu(), &QMenu::aboutToShow, this, &QueryPanel::fill_library);
  connect(history_->menu(), &QMenu::aboutToShow, this, &QueryPanel::fill_history);
  return side;
}

QWidget* QueryPanel::build_chart(Theme* theme) {
  auto* side = new QWidget(this);
  chart_ = new QueryChart(theme, side);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(4, 3, 4, 3);
  for (QComboBox** box : {&form_, &y_, &x_}) {
    *box = new QComboBox(side);
    (*box)->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    (*box)->setMinimumContentsLength(8);
    bar->addWidget(*box, 1);
    connect(*box, &QComboBox::activated, this, &QueryPanel::show_chart);
  }
  for (int i = 0; i < 3; ++i) form_->addItem(QString());
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(chart_, 1);
  connect(chart_, &QueryChart::chosen, this, [this](int row) {
    const Selection selection = query_selection(*shown_, static_cast<size_t>(row));
    if (!selection.empty()) document_->selection()->select(selection);
  });
  return side;
}

void QueryPanel::set_document(Document& document) {
  document_ = &document;
  QObject* bond = bond_.reset();
  connect(&document.jobs().queries, &QueryJob::changed, bond, [this] { on_job_changed(); });
  show_result();
  on_job_changed();
}

void QueryPanel::run() {
  const QString sql = editor_->toPlainText().trimmed();
  if (sql.isEmpty() || document_->empty()) return show_status();
  QStringList entries = history();
  entries.removeAll(sql);
  entries.prepend(sql);
  Settings::set(kHistoryKey, entries.mid(0, kMaxHistory));
  at_history_ = -1;
  document_->jobs().queries.begin(sql, document_->source()->snapshot(), document_->source()->graph_id());
}

void QueryPanel::run_sql(const QString& sql) {
  editor_->set_sql(sql);
  run();
}

void QueryPanel::show_draft(const QString& sql) {
  if (drafted_ == document_) return editor_->set_sql(sql);
  drafted_ = document_;
  draft_.clear();
  at_history_ = -1;
  editor_->reset(sql);
  show_error();
}

// Underlined while the editor has the query that failed.
void QueryPanel::show_error() {
  const QueryJob& job = document_->jobs().queries;
  const QString text = editor_->toPlainText();
  const bool is_shown = !job.busy() && job.problem_position() >= 0 && text.trimmed() == job.sql();
  editor_->mark_error(is_shown ? static_cast<int>(text.indexOf(job.sql())) + job.problem_position() : -1);
}

void QueryPanel::on_job_changed() {
  const QueryJob& job = document_->jobs().queries;
  stop_->setEnabled(job.busy());
  if (job.result() != shown_) show_result();
  show_error();
  show_status();
}

void QueryPanel::show_result() {
  shown_ = document_->jobs().queries.result();
  table_->set_factory([result = shown_](const TableInput&) { return query_table(result); });
  fill_chart_choices();
  show_chart();
}

void QueryPanel::show_status() {
  const QueryJob& job = document_->jobs().queries;
  QString text;
  if (job.busy())
    text = tr("Running…");
  else if (!job.problem().isEmpty())
    text = tr("Error: %1").arg(job.problem());
  else if (job.was_stopped())
    text = tr("Stopped.");
  else if (document_->empty())
    text = tr("Open a model, recording or trace to query its tables.");
  else if (!shown_)
    text = tr("Ctrl+Return runs the query; Ctrl+Space completes names.");
  else if (shown_->rows.truncated)
    text = tr("The first %1 rows, in %2")
               .arg(format_count(static_cast<int64_t>(QueryJob::kMaxRows)))
               .arg(format_ns(static_cast<Nanoseconds>(shown_->seconds * 1e9)));
  else
    text = tr("%n row(s) in %1", nullptr, static_cast<int>(shown_->rows.rows.size()))
               .arg(format_ns(static_cast<Nanoseconds>(shown_->seconds * 1e9)));
  status_->setText(text);
}

// Keeps the choice of the user while the columns are the same.
void QueryPanel::fill_chart_choices() {
  QStringList names;
  if (shown_)
    for (const std::string& name : shown_->rows.columns) names << QString::fromStdString(name);
  QStringList before;
  for (int i = 0; i < x_->count(); ++i) before << x_->itemText(i);
  const ChartChoice choice = shown_ ? suggested_chart(*shown_) : ChartChoice();
  x_->parentWidget()->setVisible(choice.form != ChartForm::None);
  if (names == before && y_->currentIndex() >= 0) return;
  for (QComboBox* box : {x_, y_}) {
    box->clear();
    box->addItems(names);
  }
  form_->setCurrentIndex(static_cast<int>(choice.form));
  x_->setCurrentIndex(choice.x);
  y_->setCurrentIndex(choice.y);
}

void QueryPanel::show_chart() {
  ChartChoice choice{static_cast<ChartForm>(form_->currentIndex()), x_->currentIndex(), y_->currentIndex()};
  const auto is_numeric = [this](int column) { return column >= 0 && shown_->numeric[static_cast<size_t>(column)]; };
  if (!shown_ || choice.form == ChartForm::None || !is_numeric(choice.y) ||
      (choice.form == ChartForm::Line && choice.x >= 0 && !is_numeric(choice.x)))
    choice = {};
  chart_->set_result(shown_, choice);
}

QStringList QueryPanel::history() { return Settings::value(kHistoryKey).toStringList(); }

void QueryPanel::step_history(int step) {
  const QStringList entries = history();
  const int to = std::clamp(at_history_ + step, -1, static_cast<int>(entries.size()) - 1);
  if (to == at_history_) return;
  if (at_history_ < 0) draft_ = editor_->toPlainText();
  at_history_ = to;
  editor_->set_sql(to < 0 ? draft_ : entries[to]);
}

void QueryPanel::fill_history() {
  QMenu* menu = history_->menu();
  menu->clear();
  const QStringList entries = history().mid(0, kMenuHistory);
  for (const QString& sql : entries) {
    QAction* action = menu->addAction(menu_text(sql), this, [this, sql] { editor_->set_sql(sql); });
    action->setToolTip(sql);
  }
  if (entries.isEmpty()) menu->addAction(tr("No queries yet"))->setEnabled(false);
}

// The built-in queries, those of the user, and an entry that stores the current one.
void QueryPanel::fill_library() {
  QMenu* menu = library_->menu();
  menu->clear();
  bool own = false;
  for (const query::StoredQuery& stored : query::stored_queries(query::query_folder())) {
    if (stored.own && !std::exchange(own, true)) menu->addSeparator();
    const QString sql = QString::fromStdString(stored.sql);
    QAction* action =
        menu->addAction(menu_text(QString::fromStdString(stored.name)), this, [this, sql] { run_sql(sql); });
    action->setToolTip(stored.own ? QString::fromStdString(stored.meaning)
                                  : QCoreApplication::translate("Queries", stored.meaning.c_str()));
  }
  menu->addSeparator();
  QAction* save = menu->addAction(tr("&Save Query…"), this, &QueryPanel::ask_name);
  save->setToolTip(QString::fromStdString(query::query_folder().string()));
  save->setEnabled(!editor_->toPlainText().trimmed().isEmpty());
}

void QueryPanel::ask_name() {
  auto* dialog = new QInputDialog(window());
  dialog->setObjectName(QStringLiteral("query_name"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Save Query"));
  dialog->setLabelText(tr("Name (letters, digits, - and _):"));
  connect(dialog, &QInputDialog::textValueSelected, this, &QueryPanel::store_as);
  dialog->show();
}

bool QueryPanel::store_as(const QString& name) {
  const Status stored = query::store_query(name.trimmed().toStdString(), editor_->toPlainText().trimmed().toStdString(),
                                           query::query_folder());
  status_->setText(stored ? tr("Saved “%1” to the library.").arg(name.trimmed())
                          : QString::fromStdString(stored.error().message));
  return stored.ok();
}

std::function<QString()> QueryPanel::csv_maker() const {
  return shown_ ? [result = shown_] { return query_csv(*result); } : std::function<QString()>();
}

void QueryPanel::retranslate() {
  editor_->setPlaceholderText(QStringLiteral(
      "SELECT op, count(*) AS nodes, sum(median_ns) AS total_ns\nFROM nodes\nGROUP BY op\nORDER BY 3 DESC"));
  editor_->setAccessibleName(tr("SQL query"));
  run_->setText(tr("&Run Query"));
  run_->setToolTip(tr("Run the query (Ctrl+Return)"));
  stop_->setText(tr("Stop"));
  stop_->setToolTip(tr("Stop the query"));
  library_->setText(tr("Library"));
  library_->setToolTip(tr("Named queries: built-in and your own"));
  history_->setText(tr("History"));
  history_->setToolTip(tr("Queries that were run (Ctrl+Up, Ctrl+Down)"));
  form_->setItemText(static_cast<int>(ChartForm::None), tr("No chart"));
  form_->setItemText(static_cast<int>(ChartForm::Bars), tr("Bars"));
  form_->setItemText(static_cast<int>(ChartForm::Line), tr("Line"));
  form_->setAccessibleName(tr("Chart type"));
  y_->setAccessibleName(tr("Value column"));
  y_->setToolTip(tr("Value column"));
  x_->setAccessibleName(tr("Label or x-axis column"));
  x_->setToolTip(tr("Label or x-axis column"));
  chart_->setAccessibleName(tr("Chart of the result"));
  status_->setAccessibleName(tr("Query status"));
}

void QueryPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) {
    retranslate();
    show_status();
  }
  QWidget::changeEvent(event);
}

}  // namespace arenascope::app
