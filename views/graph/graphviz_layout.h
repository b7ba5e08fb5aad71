// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of Graphviz' program `dot`, which is found on PATH at run time.
#pragma once
#include <QByteArray>
#include <QCoreApplication>
#include <QString>
#include <functional>
#include <optional>

#include "graph_layout.h"

namespace arenascope::views {

// The input of `dot` for a layout: vertices of fixed sizes, expanded layers as clusters.
std::string layout_request(const FoldedGraph& graph, const std::vector<QSizeF>& sizes);
// Reads the output of `dot -Tplain`. Nullopt: it does not describe all vertices of this graph.
std::optional<GraphLayout> layout_from_plain(const QByteArray& plain, const FoldedGraph& graph,
                                             const std::vector<QSizeF>& sizes);

// The output of `dot` for a DOT text, or why there is none.
struct GraphvizOutput {
  QByteArray output;
  QString problem;  // empty: none
};
struct Graphviz {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Graphviz)
 public:
  // Blocks until the program ends; it is killed if `should_continue` returns false. `format`: "plain", "svg", "pdf".
  static GraphvizOutput run(const std::string& dot, const QString& format,
                            const std::function<bool()>& should_continue);
};

}  // namespace arenascope::views
