// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/inspector/inspector_view.h>

#include <views/common/csv_line.h>
#include <QEvent>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextTable>
#include <QUrl>
#include <QVBoxLayout>

namespace arenascope::views {

namespace {

// Gives all lines of a table the same height and baseline: glyphs of another script come from another font, and would
// be misaligned with the numbers next to them.
void level_lines(QTextDocument& document, int height) {
  QTextCursor all(&document);
  all.beginEditBlock();  // one layout pass instead of one per line
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    QTextCursor cursor(block);
    if (cursor.currentTable() == nullptr) continue;
    QTextBlockFormat format = block.blockFormat();
    format.setLineHeight(height, QTextBlockFormat::FixedHeight);
    cursor.setBlockFormat(format);
  }
  all.endEditBlock();
}

}  // namespace

InspectorView::InspectorView(SessionSource* source, SelectionModel* selection, Theme* theme, QWidget* parent)
    : QWidget(parent), source_(source), selection_(selection), theme_(theme), browser_(new QTextBrowser(this)) {
  browser_->setOpenLinks(false);
  browser_->setFrameShape(QFrame::NoFrame);
  browser_->document()->setDocumentMargin(8);
  browser_->setAccessibleName(tr("Inspector"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(browser_, 3);
  timer_.setSingleShot(true);
  timer_.setInterval(250);
  connect(&timer_, &QTimer::timeout, this, &InspectorView::show_selection);
  listen();
  connect(theme_, &Theme::changed, this, &InspectorView::show_selection);
  connect(browser_, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
    if (const auto what = selection_of_link(url.toString(), input())) selection_->select(*what);
  });
  show_selection();
}

void InspectorView::listen() {
  QObject* connections = connections_.reset();
  connect(source_, &SessionSource::changed, connections, [this] {
    if (!source_->live())
      show_selection();
    else if (!timer_.isActive())
      timer_.start();
  });
  connect(source_, &SessionSource::comparison_changed, connections, [this] { show_selection(); });
  connect(selection_, &SelectionModel::current_changed, connections, [this] { show_selection(); });
}

void InspectorView::set_context(const ViewContext& context) {
  source_ = context.source;
  selection_ = context.selection;
  listen();
  show_selection();
}

void InspectorView::add_above(QWidget* widget) { static_cast<QVBoxLayout*>(layout())->insertWidget(0, widget); }

void InspectorView::add_below(QWidget* widget) { static_cast<QVBoxLayout*>(layout())->addWidget(widget, 2); }

InspectorInput InspectorView::input() const {
  return {source_->snapshot(), source_->run(),  source_->graph(),
          source_->plan(),     source_->live(), source_->comparison()};
}

QString InspectorView::to_csv() const {
  QString csv = csv_line({tr("Section"), tr("Property"), tr("Value")});
  for (const InspectorFact& fact : inspector_facts(input(), selection_->current()))
    csv += csv_line({fact.section, fact.key, fact.value});
  return csv;
}

void InspectorView::show_selection() {
  timer_.stop();
  const QString html = inspector_html(input(), selection_->current(), theme_->colours());
  if (html == shown_) return;
  shown_ = html;
  const int place = browser_->verticalScrollBar()->value();
  const bool same_subject =
      browser_->property("selection") == QVariant(static_cast<qulonglong>(selection_->current().what.index()));
  browser_->setHtml(html);
  level_lines(*browser_->document(), fontMetrics().height() + 1);
  browser_->setProperty("selection", static_cast<qulonglong>(selection_->current().what.index()));
  if (same_subject && source_->live()) browser_->verticalScrollBar()->setValue(place);
}

void InspectorView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) show_selection();
  QWidget::changeEvent(event);
}

}  // namespace arenascope::views
