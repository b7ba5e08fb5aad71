// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_search.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QShortcut>
#include <QSignalBlocker>

#include <algorithm>
#include <cctype>

namespace arenascope::views {

using trace::TensorRef;

std::vector<TensorRef> find_tensors(const trace::GraphInfo& graph, const QString& text) {
  std::vector<TensorRef> matches;
  const std::string needle = text.trimmed().toLower().toStdString();
  if (needle.empty()) return matches;
  const auto holds = [&](const std::string& in) {
    return std::search(in.begin(), in.end(), needle.begin(), needle.end(),
                       [](unsigned char a, unsigned char b) { return std::tolower(a) == b; }) != in.end();
  };
  const auto node_holds = [&](const trace::TensorInfo& node) {
    return holds(node.name) || holds(node.op) ||
           std::ranges::any_of(node.file_nodes,
                               [&](const trace::FileNodeInfo& n) { return holds(n.name) || holds(n.op); });
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (node_holds(graph.nodes[i])) matches.push_back(TensorRef::node(NodeId(i)));
  for (size_t i = 0; i < graph.leafs.size(); ++i)
    if (holds(graph.leafs[i].name)) matches.push_back(TensorRef::leaf(LeafId(i)));
  return matches;
}

GraphSearch::GraphSearch(QWidget* parent) : QWidget(parent) {
  field_ = new QLineEdit(this);
  field_->setClearButtonEnabled(true);
  count_ = new QLabel(this);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  row->addWidget(field_, 1);
  row->addWidget(count_);
  connect(field_, &QLineEdit::textChanged, this, &GraphSearch::search);
  connect(field_, &QLineEdit::returnPressed, this, [this] { Q_EMIT step_requested(1); });
  auto* back = new QShortcut(QKeySequence(Qt::SHIFT | Qt::Key_Return), field_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(back, &QShortcut::activated, this, [this] { Q_EMIT step_requested(-1); });
  auto* escape = new QShortcut(QKeySequence(Qt::Key_Escape), field_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(escape, &QShortcut::activated, this, [this] {
    field_->clear();
    Q_EMIT left();
  });
  retranslate();
}

void GraphSearch::retranslate() {
  field_->setPlaceholderText(tr("Search names and ops"));
  field_->setAccessibleName(tr("Search the graph"));
  field_->setToolTip(tr("Return: next match, Shift+Return: previous match (Ctrl+F)"));
}

void GraphSearch::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

void GraphSearch::set_graph(const trace::GraphInfo* graph) {
  graph_ = graph;
  search();
}

void GraphSearch::set_text(const QString& text) {
  const QSignalBlocker quiet(field_);
  field_->setText(text);
}

void GraphSearch::focus() {
  field_->setFocus(Qt::ShortcutFocusReason);
  field_->selectAll();
}

void GraphSearch::search() {
  at_ = -1;
  matches_.clear();
  if (graph_ != nullptr) matches_ = find_tensors(*graph_, field_->text());
  const bool asked = !field_->text().trimmed().isEmpty() && graph_ != nullptr;
  count_->setText(!asked ? QString() : matches_.empty() ? tr("none") : QString::number(matches_.size()));
  Q_EMIT found();
}

TensorRef GraphSearch::step(int direction) {
  if (matches_.empty()) return {};
  const int count = static_cast<int>(matches_.size());
  at_ = at_ < 0 ? (direction > 0 ? 0 : count - 1) : (at_ + direction + count) % count;
  count_->setText(QStringLiteral("%1/%2").arg(at_ + 1).arg(count));
  return matches_[static_cast<size_t>(at_)];
}

}  // namespace arenascope::views
