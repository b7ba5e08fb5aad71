// SPDX-License-Identifier: GPL-3.0-or-later
#include "breakpoint_panel.h"

#include <views/common/csv_line.h>
#include <views/common/parse_bytes.h>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPalette>
#include <QShortcut>
#include <QVBoxLayout>
#include "app/window/panels/row_list.h"

namespace arenascope::app {

using Kind = Breakpoint::Kind;

void BreakpointModel::set(std::vector<Breakpoint> breakpoints, std::vector<int> nodes) {
  beginResetModel();
  breakpoints_ = std::move(breakpoints);
  nodes_ = std::move(nodes);
  nodes_.resize(breakpoints_.size(), -1);
  endResetModel();
}

void BreakpointModel::set_values_known(bool known) {
  if (known == values_known_) return;
  values_known_ = known;
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 1));
}

QString BreakpointModel::to_csv() const {
  QString csv = views::csv_line({tr("Pause before"), tr("Nodes"), tr("On")});
  for (size_t i = 0; i < breakpoints_.size(); ++i)
    csv += views::csv_line({breakpoints_[i].describe(), nodes_[i] < 0 ? QString() : QString::number(nodes_[i]),
                            breakpoints_[i].on ? tr("yes") : tr("no")});
  return csv;
}

int BreakpointModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(breakpoints_.size());
}

int BreakpointModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : 2; }

QVariant BreakpointModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const auto i = static_cast<size_t>(index.row());
  const bool idle = breakpoints_[i].kind == Kind::NaN && !values_known_;
  if (idle && role == Qt::ToolTipRole)
    return tr(
        "The recording contains no such result, or results were not checked. This breakpoint applies to live runs.");
  if (idle && role == Qt::ForegroundRole) return QGuiApplication::palette().brush(QPalette::Disabled, QPalette::Text);
  if (index.column() == 0) {
    if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole)
      return idle ? tr("%1 (live runs only)").arg(breakpoints_[i].describe()) : breakpoints_[i].describe();
    if (role == Qt::CheckStateRole) return breakpoints_[i].on ? Qt::Checked : Qt::Unchecked;
    return {};
  }
  if (role == Qt::DisplayRole) return nodes_[i] < 0 ? QStringLiteral("–") : QString::number(nodes_[i]);
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

bool BreakpointModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || index.column() != 0 || role != Qt::CheckStateRole) return false;
  breakpoints_[static_cast<size_t>(index.row())].on = value.toInt() == Qt::Checked;
  Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
  Q_EMIT switched(index.row(), value.toInt() == Qt::Checked);
  return true;
}

QVariant BreakpointModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::DisplayRole) return section == 0 ? tr("Pause before") : tr("Nodes");
  if (role == Qt::ToolTipRole && section == 1) return tr("Number of matching nodes in this graph");
  return {};
}

Qt::ItemFlags BreakpointModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  return index.column() == 0 ? flags | Qt::ItemIsUserCheckable : flags;
}

BreakpointPanel::BreakpointPanel(Debugger* debugger, QWidget* parent) : QWidget(parent) {
  build();
  connect_parts();
  retranslate();
  set_debugger(debugger);
}

void BreakpointPanel::build() {
  model_ = new BreakpointModel(this);
  list_ = make_row_list(model_, this);
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  empty_ = new QLabel(list_->viewport());
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setEnabled(false);
  (new QVBoxLayout(list_->viewport()))->addWidget(empty_);
  kind_ = new QComboBox(this);
  for (const Kind kind : {Kind::Op, Kind::Name, Kind::Node, Kind::Bytes, Kind::NaN})
    kind_->addItem(QString(), static_cast<int>(kind));
  text_ = new QLineEdit(this);
  problem_ = new QLabel(this);
  add_ = new QPushButton(this);
  remove_ = new QPushButton(this);
  remove_all_ = new QPushButton(this);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(4, 3, 6, 3);
  row->addWidget(kind_);
  row->addWidget(text_, 1);
  row->addWidget(add_);
  row->addWidget(problem_);
  row->addStretch(1);
  row->addWidget(remove_);
  row->addWidget(remove_all_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(list_, 1);
  setFocusProxy(text_);
}

void BreakpointPanel::connect_parts() {
  connect(kind_, &QComboBox::currentIndexChanged, this, &BreakpointPanel::update_hint);
  connect(text_, &QLineEdit::textChanged, problem_, &QLabel::clear);
  connect(add_, &QPushButton::clicked, this, &BreakpointPanel::add_now);
  connect(text_, &QLineEdit::returnPressed, this, &BreakpointPanel::add_now);
  connect(remove_, &QPushButton::clicked, this, [this] { remove(false); });
  connect(remove_all_, &QPushButton::clicked, this, [this] { remove(true); });
  connect(model_, &BreakpointModel::switched, this, [this](int row_switched, bool on) {
    auto all = model_->breakpoints();
    all[static_cast<size_t>(row_switched)].on = on;
    // After the current click has been handled, since the model is refilled.
    QMetaObject::invokeMethod(
        debugger_, [debugger = debugger_, all] { debugger->set_breakpoints(all); }, Qt::QueuedConnection);
  });
  connect(list_, &QTreeView::activated, this, [this](const QModelIndex& index) { debugger_->show(index.row()); });
  connect(list_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index) { remove_->setEnabled(index.isValid()); });
  auto* del = new QShortcut(QKeySequence::Delete, list_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(del, &QShortcut::activated, this, [this] { remove(false); });
}

void BreakpointPanel::set_debugger(Debugger* debugger) {
  debugger_ = debugger;
  connect(debugger, &Debugger::breakpoints_changed, bond_.reset(), [this] { show_breakpoints(); });
  show_breakpoints();
}

void BreakpointPanel::show_breakpoints() {
  const int row = list_->currentIndex().row();
  model_->set(debugger_->breakpoints(), debugger_->counts());
  model_->set_values_known(debugger_->values_known());
  const int rows = model_->rowCount();
  if (row >= 0 && rows > 0) list_->setCurrentIndex(model_->index(std::min(row, rows - 1), 0));
  remove_->setEnabled(list_->currentIndex().isValid());
  remove_all_->setEnabled(rows > 0);
  empty_->setVisible(rows == 0);
}

void BreakpointPanel::focus_new() {
  text_->setFocus(Qt::ShortcutFocusReason);
  text_->selectAll();
}

void BreakpointPanel::add_now() {
  Breakpoint b;
  b.kind = static_cast<Kind>(kind_->currentData().toInt());
  b.text = text_->text().trimmed();
  if (b.kind == Kind::Bytes) {
    const auto bytes = views::parse_bytes(b.text);
    if (!bytes) return problem_->setText(tr("Enter a number of bytes, such as 64 KiB."));
    b.bytes = *bytes;
    b.text.clear();
  } else if (b.kind == Kind::NaN) {
    b.text.clear();
  } else if (b.text.isEmpty()) {
    return problem_->setText(tr("Choose what to break on."));
  }
  auto all = model_->breakpoints();
  for (const Breakpoint& old : all)
    if (old.kind == b.kind && old.text == b.text && old.bytes == b.bytes)
      return problem_->setText(tr("This breakpoint already exists."));
  all.push_back(b);
  text_->clear();
  debugger_->set_breakpoints(std::move(all));
}

void BreakpointPanel::remove(bool all_of_them) {
  auto all = model_->breakpoints();
  const int row = list_->currentIndex().row();
  if (all_of_them)
    all.clear();
  else if (row >= 0 && static_cast<size_t>(row) < all.size())
    all.erase(all.begin() + row);
  debugger_->set_breakpoints(std::move(all));
}

void BreakpointPanel::update_hint() {
  const Kind kind = static_cast<Kind>(kind_->currentData().toInt());
  text_->setVisible(kind != Kind::NaN);
  text_->setPlaceholderText(kind == Kind::Op      ? QStringLiteral("CONV")
                            : kind == Kind::Name  ? QStringLiteral("blk.1.*")
                            : kind == Kind::Node  ? QStringLiteral("blk.1.ffn_gate")
                            : kind == Kind::Bytes ? QStringLiteral("64 KiB")
                                                  : QString());
  problem_->clear();
}

void BreakpointPanel::retranslate() {
  const QStringList kinds{tr("Op"), tr("Name pattern"), tr("Node"), tr("Minimum size (bytes)"), tr("NaN or infinity")};
  for (int i = 0; i < kinds.size(); ++i) kind_->setItemText(i, kinds[i]);
  kind_->setAccessibleName(tr("Kind of the new breakpoint"));
  text_->setAccessibleName(tr("Target of the new breakpoint"));
  list_->setAccessibleName(tr("Breakpoints"));
  add_->setText(tr("&Add"));
  remove_->setText(tr("Re&move"));
  remove_all_->setText(tr("Remove A&ll"));
  empty_->setText(tr("No breakpoints. F9 sets one on the selected node; others are added above."));
  kind_->setToolTip(
      tr("In name patterns * matches any text and ? one character. NaN and infinity are checked in live runs; a "
         "recording contains those found while it ran."));
  model_->retranslate();
  update_hint();
}

void BreakpointPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

}  // namespace arenascope::app
