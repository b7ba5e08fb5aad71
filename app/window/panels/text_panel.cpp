// SPDX-License-Identifier: GPL-3.0-or-later
#include "text_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include <views/common/csv_line.h>

#include "app/window/document/generation_job.h"

namespace arenascope::app {

TextPanel::TextPanel(Document& document, QWidget* parent) : QWidget(parent) {
  build();
  retranslate();
  set_document(document);
}

namespace {

QTableWidget* candidate_rows(QWidget* parent) {
  auto* rows = new QTableWidget(0, 3, parent);
  rows->setEditTriggers(QAbstractItemView::NoEditTriggers);
  rows->setFrameShape(QFrame::NoFrame);
  rows->setWordWrap(false);
  rows->verticalHeader()->hide();
  rows->verticalHeader()->setDefaultSectionSize(rows->fontMetrics().height() + 6);
  rows->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  rows->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  return rows;
}

}  // namespace

void TextPanel::build() {
  prompt_ = new QLineEdit(this);
  chat_ = new QCheckBox(this);
  number_ = new QSpinBox(this);
  number_->setRange(1, 1 << 16);
  number_->setValue(64);
  const auto button = [this] {
    auto* made = new QToolButton(this);
    made->setToolButtonStyle(Qt::ToolButtonTextOnly);
    return made;
  };
  generate_ = button(), stop_ = button(), continue_ = button();
  auto* row = new QHBoxLayout;
  row->setContentsMargins(4, 3, 6, 3);
  row->addWidget(prompt_, 1);
  for (QWidget* widget : std::initializer_list<QWidget*>{chat_, number_, generate_, stop_, continue_})
    row->addWidget(widget);

  text_ = new QTextEdit(this);
  text_->setReadOnly(true);
  text_->setUndoRedoEnabled(false);
  text_->setFrameShape(QFrame::NoFrame);
  text_->viewport()->installEventFilter(this);
  text_->installEventFilter(this);
  candidates_ = candidate_rows(this);
  token_ = new QLabel(this);
  token_->setWordWrap(true);
  token_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  token_->setContentsMargins(6, 3, 6, 3);
  auto* side = new QWidget(this);
  auto* details = new QVBoxLayout(side);
  details->setContentsMargins(0, 0, 0, 0);
  details->addWidget(token_);
  details->addWidget(candidates_, 1);
  auto* both = new QSplitter(Qt::Horizontal, this);
  both->addWidget(text_);
  both->addWidget(side);
  both->setStretchFactor(0, 3);
  both->setStretchFactor(1, 2);
  both->setChildrenCollapsible(false);
  status_ = new QLabel(this);
  status_->setContentsMargins(6, 2, 6, 3);
  status_->setWordWrap(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(both, 1);
  column->addWidget(status_);
  setFocusProxy(prompt_);

  connect(generate_, &QToolButton::clicked, this, &TextPanel::write);
  connect(prompt_, &QLineEdit::returnPressed, this, &TextPanel::write);
  connect(stop_, &QToolButton::clicked, this, [this] { document_->jobs().generation.stop(); });
  connect(continue_, &QToolButton::clicked, this, [this] { document_->jobs().generation.resume(number_->value()); });
}

void TextPanel::set_document(Document& document) {
  document_ = &document;
  QObject* bond = bond_.reset();
  connect(&document.jobs().generation, &GenerationJob::changed, bond, [this] { show_text(); });
  connect(&document, &Document::opened, bond, [this] { show_text(); });
  chosen_ = -1;
  show_text();
}

void TextPanel::write() {
  if (document_->jobs().generation.busy() || !document_->runner()->has_model()) return;
  GenerationRequest request;
  request.prompt = prompt_->text();
  request.chat = chat_->isChecked();
  request.tokens = number_->value();
  chosen_ = -1;
  document_->jobs().generation.begin(document_->spec(), request, document_->runner()->settings());
}

void TextPanel::show_text() {
  const GenerationJob& generation = document_->jobs().generation;
  const bool can = document_->runner()->has_model();
  generate_->setEnabled(can && !generation.busy());
  stop_->setEnabled(generation.busy());
  continue_->setEnabled(generation.can_resume());
  const auto& tokens = generation.tokens();
  if (tokens.size() < ends_.size()) {
    ends_.clear();
    text_->clear();
  }
  QTextCursor end(text_->document());
  end.movePosition(QTextCursor::End);
  const bool at_end = text_->verticalScrollBar()->value() >= text_->verticalScrollBar()->maximum() - 4;
  for (size_t i = ends_.size(); i < tokens.size(); ++i) {
    QTextCharFormat format;
    if (tokens[i].given) format.setForeground(palette().brush(QPalette::PlaceholderText));
    end.insertText(tokens[i].text, format);
    ends_.push_back(end.position());
  }
  if (at_end) text_->verticalScrollBar()->setValue(text_->verticalScrollBar()->maximum());
  QStringList parts;
  if (!generation.problem().isEmpty()) parts << generation.problem();
  if (generation.prefill_rate() > 0) parts << tr("Prefill: %1 tok/s").arg(generation.prefill_rate(), 0, 'f', 1);
  if (generation.decode_rate() > 0) parts << tr("Decode: %1 tok/s").arg(generation.decode_rate(), 0, 'f', 1);
  if (generation.ended()) parts << tr("End of text.");
  if (parts.isEmpty())
    parts << (generation.busy() ? tr("The model is being prepared…")
              : can             ? tr("Type a prompt above.")
                                : tr("Open a language model (GGUF) to generate text."));
  status_->setText(parts.join(QStringLiteral(" · ")));
  if (chosen_ >= static_cast<int>(tokens.size())) chosen_ = -1;
  show_token();
}

int TextPanel::token_at(int position) const {
  const auto found = std::upper_bound(ends_.begin(), ends_.end(), position);
  return found == ends_.end() ? static_cast<int>(ends_.size()) - 1 : static_cast<int>(found - ends_.begin());
}

// Shows the run that computed its keys and values in all views.
void TextPanel::choose(int token) {
  const auto& tokens = document_->jobs().generation.tokens();
  chosen_ = token >= 0 && token < static_cast<int>(tokens.size()) ? token : -1;
  if (chosen_ >= 0 && tokens[static_cast<size_t>(chosen_)].run.valid())
    document_->source()->choose_run(tokens[static_cast<size_t>(chosen_)].run);
  show_token();
}

void TextPanel::mark() {
  QList<QTextEdit::ExtraSelection> marks;
  if (chosen_ >= 0) {
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(text_->document());
    mark.cursor.setPosition(chosen_ > 0 ? ends_[static_cast<size_t>(chosen_) - 1] : 0);
    mark.cursor.setPosition(ends_[static_cast<size_t>(chosen_)], QTextCursor::KeepAnchor);
    mark.format.setBackground(palette().highlight());
    mark.format.setForeground(palette().highlightedText());
    marks << mark;
  }
  text_->setExtraSelections(marks);
}

void TextPanel::show_token() {
  mark();
  if (chosen_ < 0) {
    candidates_->setRowCount(0);
    token_->setText(tr("Click a token to see its candidates and its position in the KV cache."));
    return;
  }
  const GeneratedToken& token = document_->jobs().generation.tokens()[static_cast<size_t>(chosen_)];
  QStringList parts{
      tr("Token %1 '%2' at position %3").arg(token.id).arg(token.name.toHtmlEscaped()).arg(token.position)};
  if (token.row >= 0) parts << tr("row %1 of the KV cache").arg(token.row);
  if (token.run.valid()) {
    const auto snapshot = document_->source()->snapshot();
    parts << tr("run %1").arg(token.run.index() + 1);
    if (const trace::PlanInfo* plan = document_->source()->plan(); plan && document_->source()->run() == token.run)
      parts << tr("steps 1 to %1").arg(static_cast<qlonglong>(plan->order.size()));
  } else {
    parts << tr("not computed yet");
  }
  token_->setText(parts.join(QStringLiteral(", ")));
  candidates_->setRowCount(static_cast<int>(token.best.size()));
  for (int row = 0; row < static_cast<int>(token.best.size()); ++row) {
    const GeneratedToken::Candidate& candidate = token.best[static_cast<size_t>(row)];
    const QStringList cells{QStringLiteral("%1  %2").arg(candidate.id).arg(candidate.name),
                            QString::number(static_cast<double>(candidate.logit), 'f', 4),
                            QStringLiteral("%1 %").arg(100 * candidate.probability, 0, 'f', 2)};
    for (int column = 0; column < cells.size(); ++column) {
      auto* item = new QTableWidgetItem(cells[column]);
      if (column > 0) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      candidates_->setItem(row, column, item);
    }
    if (candidate.id == token.id) candidates_->selectRow(row);
  }
}

bool TextPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == text_->viewport() && event->type() == QEvent::MouseButtonRelease && !ends_.empty()) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    if (mouse->button() == Qt::LeftButton && !text_->textCursor().hasSelection())
      choose(token_at(text_->cursorForPosition(mouse->position().toPoint()).position()));
  }
  if (watched == text_ && event->type() == QEvent::KeyPress && !ends_.empty()) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
      const int last = static_cast<int>(ends_.size()) - 1;
      choose(std::clamp(chosen_ + (key == Qt::Key_Left ? -1 : 1), 0, last));
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

QString TextPanel::to_csv() const {
  QString out =
      views::csv_line({tr("Position"), tr("Token"), tr("Text"), tr("KV cache row"), tr("Logit"), tr("Probability")});
  for (const GeneratedToken& token : document_->jobs().generation.tokens()) {
    const auto found = std::find_if(token.best.begin(), token.best.end(),
                                    [&](const GeneratedToken::Candidate& c) { return c.id == token.id; });
    const bool known = found != token.best.end();
    out += views::csv_line({QString::number(token.position), QString::number(token.id), token.name,
                            QString::number(token.row),
                            known ? QString::number(static_cast<double>(found->logit)) : QString(),
                            known ? QString::number(found->probability) : QString()});
  }
  return out;
}

void TextPanel::retranslate() {
  prompt_->setPlaceholderText(tr("Prompt"));
  prompt_->setAccessibleName(tr("Prompt"));
  chat_->setText(tr("&Chat"));
  chat_->setToolTip(tr("Wrap the prompt as a user message in the chat template of the file."));
  number_->setAccessibleName(tr("Number of tokens"));
  number_->setToolTip(tr("Number of tokens"));
  generate_->setText(tr("&Generate"));
  stop_->setText(tr("S&top"));
  continue_->setText(tr("C&ontinue"));
  text_->setAccessibleName(tr("Generated text by token"));
  candidates_->setAccessibleName(tr("Most likely tokens"));
  candidates_->setHorizontalHeaderLabels({tr("Token"), tr("Logit"), tr("Probability")});
}

void TextPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) {
    retranslate();
    show_text();
  }
  QWidget::changeEvent(event);
}

}  // namespace arenascope::app
