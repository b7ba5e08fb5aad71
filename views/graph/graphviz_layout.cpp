// SPDX-License-Identifier: GPL-3.0-or-later
#include "graphviz_layout.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QStandardPaths>

#include <algorithm>
#include <cmath>
#include <set>

namespace arenascope::views {

namespace {

constexpr double kUnit = 72;  // pixels per inch of dot
constexpr double kClusterMargin = 12, kClusterTitle = 18;
constexpr qint64 kMaxOutput = qint64{512} << 20;
constexpr int kPollMs = 50;
constexpr qint64 kMaxSeconds = 120;  // a file that is being drawn delays the end of the program

std::string number_of(double value) { return QByteArray::number(value, 'f', 4).toStdString(); }

std::string vertex_id(size_t vertex) { return std::string("v").append(std::to_string(vertex)); }

// The innermost expanded layer that a vertex is drawn in; -1: none.
int32_t layer_around_vertex(const FoldedGraph& graph, const Vertex& vertex) {
  if (vertex.layer < 0) return -1;
  return vertex.folded ? graph.parents[static_cast<size_t>(vertex.layer)] : vertex.layer;
}

// Vertices and layers by the layer that directly encloses them.
struct LayerTree {
  std::map<int32_t, std::vector<size_t>> vertices;
  std::map<int32_t, std::set<int32_t>> layers;

  explicit LayerTree(const FoldedGraph& graph) {
    for (size_t v = 0; v < graph.vertices.size(); ++v) {
      int32_t layer = layer_around_vertex(graph, graph.vertices[v]);
      vertices[layer].push_back(v);
      while (layer >= 0) {
        const int32_t parent = graph.parents[static_cast<size_t>(layer)];
        layers[parent].insert(layer);
        layer = parent;
      }
    }
  }

  void write(int32_t layer, const std::vector<QSizeF>& sizes, std::string& out) const {
    if (const auto own = vertices.find(layer); own != vertices.end())
      for (const size_t v : own->second)
        out.append(vertex_id(v))
            .append(" [width=")
            .append(number_of(sizes[v].width() / kUnit))
            .append(" height=")
            .append(number_of(sizes[v].height() / kUnit))
            .append("];\n");
    const auto inside = layers.find(layer);
    if (inside == layers.end()) return;
    for (const int32_t child : inside->second) {
      out.append("subgraph cluster_").append(std::to_string(child)).append(" { margin=32;\n");
      write(child, sizes, out);
      out += "}\n";
    }
  }

  // The frame around the content of a layer.
  QRectF frame(int32_t layer, GraphLayout& layout) const {
    QRectF bounds;
    if (const auto own = vertices.find(layer); own != vertices.end())
      for (const size_t v : own->second)
        bounds |=
            QRectF(layout.centres[v] - QPointF(layout.sizes[v].width(), layout.sizes[v].height()) / 2, layout.sizes[v]);
    if (const auto inside = layers.find(layer); inside != layers.end())
      for (const int32_t child : inside->second) bounds |= frame(child, layout);
    if (layer < 0) return bounds;
    bounds.adjust(-kClusterMargin, -kClusterMargin - kClusterTitle, kClusterMargin, kClusterMargin);
    layout.layers[layer] = bounds;
    return bounds;
  }
};

// "v12" is vertex 12; nullopt for anything else.
std::optional<size_t> vertex_of(const QByteArray& word, size_t count) {
  bool ok = false;
  const qulonglong v = word.startsWith('v') ? word.mid(1).toULongLong(&ok) : 0;
  return ok && v < count ? std::optional<size_t>(v) : std::nullopt;
}

// Edges by their vertices; several between the same two are equal.
class EdgeIndex {
 public:
  explicit EdgeIndex(const FoldedGraph& graph) {
    for (size_t e = graph.edges.size(); e-- > 0;)
      edges_[{static_cast<size_t>(graph.edges[e].from), static_cast<size_t>(graph.edges[e].to)}].push_back(e);
  }
  std::optional<size_t> take(size_t from, size_t to) {
    const auto found = edges_.find({from, to});
    if (found == edges_.end() || found->second.empty()) return std::nullopt;
    const size_t edge = found->second.back();
    found->second.pop_back();
    return edge;
  }

 private:
  std::map<std::pair<size_t, size_t>, std::vector<size_t>> edges_;
};

// The curve of "edge tail head n x1 y1 … xn yn": 3k + 1 points.
std::vector<QPointF> curve_of(const QList<QByteArray>& words, double height) {
  const int count = words.size() > 3 ? words[3].toInt() : 0;
  if (count < 4 || count % 3 != 1 || words.size() < 4 + 2 * count) return {};
  std::vector<QPointF> out;
  for (int i = 0; i < count; ++i) {
    const double x = words[4 + 2 * i].toDouble(), y = words[5 + 2 * i].toDouble();
    if (!std::isfinite(x) || !std::isfinite(y)) return {};
    out.emplace_back(x * kUnit, (height - y) * kUnit);
  }
  return out;
}

}  // namespace

std::string layout_request(const FoldedGraph& graph, const std::vector<QSizeF>& sizes) {
  std::string out =
      "digraph G {\nrankdir=TB; nodesep=0.3; ranksep=0.45;\nnode [shape=box fixedsize=true label=\"\"];\n";
  LayerTree(graph).write(-1, sizes, out);
  for (const FoldedEdge& edge : graph.edges)
    out.append(vertex_id(static_cast<size_t>(edge.from)))
        .append(" -> ")
        .append(vertex_id(static_cast<size_t>(edge.to)))
        .append(";\n");
  return out + "}\n";
}

std::optional<GraphLayout> layout_from_plain(const QByteArray& plain, const FoldedGraph& graph,
                                             const std::vector<QSizeF>& sizes) {
  GraphLayout layout;
  layout.sizes = sizes;
  layout.centres.resize(sizes.size());
  layout.curves.resize(graph.edges.size());
  std::vector<bool> placed(sizes.size());
  EdgeIndex edges(graph);
  double height = 0;
  for (const QByteArray& line : plain.split('\n')) {
    const QList<QByteArray> words = line.simplified().split(' ');
    if (words[0] == "graph" && words.size() > 3) height = words[3].toDouble();
    if (words[0] == "node" && words.size() > 3) {
      const auto vertex = vertex_of(words[1], sizes.size());
      const double x = words[2].toDouble(), y = words[3].toDouble();
      if (!vertex || !std::isfinite(x) || !std::isfinite(y)) return std::nullopt;
      layout.centres[*vertex] = {x * kUnit, (height - y) * kUnit};
      placed[*vertex] = true;
    }
    if (words[0] == "edge" && words.size() > 3) {
      const auto from = vertex_of(words[1], sizes.size()), to = vertex_of(words[2], sizes.size());
      const auto edge = from && to ? edges.take(*from, *to) : std::nullopt;
      if (edge) layout.curves[*edge] = curve_of(words, height);
    }
  }
  if (std::ranges::find(placed, false) != placed.end()) return std::nullopt;
  layout.bounds = LayerTree(graph).frame(-1, layout);
  for (const auto& curve : layout.curves)
    for (const QPointF& point : curve) layout.bounds |= QRectF(point - QPointF(1, 1), QSizeF(2, 2));
  return layout;
}

GraphvizOutput Graphviz::run(const std::string& dot, const QString& format,
                             const std::function<bool()>& should_continue) {
  const QString program = QStandardPaths::findExecutable(QStringLiteral("dot"));
  if (program.isEmpty())
    return {{}, tr("Graphviz is not installed: the program “dot” was not found on the search path (PATH).")};
  QProcess process;
  process.start(program, {QStringLiteral("-T") + format});
  if (!process.waitForStarted()) return {{}, tr("%1 cannot be started: %2").arg(program, process.errorString())};
  process.write(dot.data(), static_cast<qint64>(dot.size()));
  process.closeWriteChannel();
  GraphvizOutput out;
  bool stopped = false, late = false;
  QElapsedTimer since;
  since.start();
  while (process.state() != QProcess::NotRunning && !stopped && !late && out.output.size() <= kMaxOutput) {
    stopped = !should_continue();
    late = since.elapsed() > kMaxSeconds * 1000;
    process.waitForFinished(kPollMs);
    out.output += process.readAllStandardOutput();
  }
  if (process.state() != QProcess::NotRunning) {
    process.kill();
    process.waitForFinished();
    if (stopped) return {};
    return {{},
            late ? tr("“dot” did not finish within %1 s.").arg(kMaxSeconds) : tr("The output of “dot” is too large.")};
  }
  out.output += process.readAllStandardOutput();
  if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0 || out.output.isEmpty())
    return {{}, tr("“dot” failed: %1").arg(QString::fromUtf8(process.readAllStandardError()).simplified().left(300))};
  return out;
}

}  // namespace arenascope::views
