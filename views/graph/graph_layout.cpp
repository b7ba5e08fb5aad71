// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_layout.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace arenascope::views {
namespace {

constexpr double kPixelsPerInch = 72.0;  // dot's points

void number(QByteArray& out, double value) { out += QByteArray::number(value, 'f', 3); }

bool read_point(QStringView text, QPointF& point) {
  const qsizetype comma = text.indexOf(u',');
  if (comma < 0) return false;
  bool x_ok = false, y_ok = false;
  point = {text.first(comma).toDouble(&x_ok), text.sliced(comma + 1).toDouble(&y_ok)};
  return x_ok && y_ok && std::isfinite(point.x()) && std::isfinite(point.y()) && std::abs(point.x()) < 1e8 &&
         std::abs(point.y()) < 1e8;
}

// "e,x,y x,y x,y x,y …" with optional start and end points, in points with y upwards.
std::vector<QPointF> read_curve(const QString& text, double height) {
  std::vector<QPointF> points;
  QPointF start, end;
  bool has_start = false, has_end = false;
  for (QStringView part : QStringView(text).split(u' ', Qt::SkipEmptyParts)) {
    QPointF point;
    if (part.startsWith(u"s,")) {
      has_start = read_point(part.sliced(2), start);
    } else if (part.startsWith(u"e,")) {
      has_end = read_point(part.sliced(2), end);
    } else if (read_point(part, point)) {
      points.push_back(point);
    }
  }
  if (points.size() < 4 || points.size() % 3 != 1) return {};
  if (has_start) points.insert(points.begin(), {start, start, points.front()});
  if (has_end) {
    const QPointF last = points.back();
    points.insert(points.end(), {last, end, end});
  }
  for (QPointF& point : points) point.setY(height - point.y());
  return points;
}

}  // namespace

QByteArray dot_input(const FoldedGraph& graph, const std::vector<QSizeF>& sizes) {
  QByteArray out =
      "digraph {\n graph [rankdir=TB nodesep=0.28 ranksep=0.36 splines=true nslimit=4 mclimit=0.5];\n"
      " node [shape=box fixedsize=true label=\"\"];\n edge [arrowhead=none];\n";
  for (size_t v = 0; v < graph.vertices.size(); ++v) {
    out += " " + QByteArray::number(static_cast<qulonglong>(v)) + " [width=";
    number(out, sizes[v].width() / kPixelsPerInch);
    out += " height=";
    number(out, sizes[v].height() / kPixelsPerInch);
    out += "];\n";
  }
  std::map<int32_t, QByteArray> frames;
  for (size_t v = 0; v < graph.vertices.size(); ++v) {
    const Vertex& vertex = graph.vertices[v];
    if (vertex.layer < 0 || vertex.folded) continue;
    frames[vertex.layer] += " " + QByteArray::number(static_cast<qulonglong>(v)) + ";";
  }
  // The label's only use is the room that it keeps free for the frame's title.
  for (const auto& [layer, members] : frames)
    out += " subgraph cluster_" + QByteArray::number(layer) + " { margin=10 label=\"x\" fontsize=13" + members + " }\n";
  for (const FoldedEdge& edge : graph.edges) {
    out += " " + QByteArray::number(edge.from) + "->" + QByteArray::number(edge.to);
    // Badges need room between the two.
    if (!edge.views.empty()) out += " [minlen=2]";
    out += ";\n";
  }
  out += "}\n";
  return out;
}

Result<GraphLayout> read_dot_json(const QByteArray& json, const FoldedGraph& graph, const std::vector<QSizeF>& sizes) {
  const QJsonObject root = QJsonDocument::fromJson(json).object();
  if (root.isEmpty()) return Error{"the answer of dot is no JSON object"};
  const QStringList box = root["bb"].toString().split(',');
  QPointF corner;
  if (graph.vertices.empty()) return GraphLayout{};
  if (box.size() != 4 || !read_point(box[2] + u',' + box[3], corner))
    return Error{"the answer of dot has no bounding box"};

  GraphLayout layout;
  layout.sizes = sizes;
  layout.centres.resize(graph.vertices.size());
  layout.curves.resize(graph.edges.size());
  layout.bounds = QRectF(0, 0, corner.x(), corner.y());
  std::vector<int32_t> vertex_of_gvid;
  size_t placed = 0;
  for (const QJsonValue& value : root["objects"].toArray()) {
    const QJsonObject object = value.toObject();
    bool ok = false;
    const QString name = object["name"].toString();
    if (name.startsWith("cluster_")) {
      const QStringList frame = object["bb"].toString().split(',');
      QPointF low, high;
      if (frame.size() != 4 || !read_point(frame[0] + u',' + frame[1], low) ||
          !read_point(frame[2] + u',' + frame[3], high))
        continue;
      layout.layers[name.mid(8).toInt()] =
          QRectF(QPointF(low.x(), corner.y() - high.y()), QPointF(high.x(), corner.y() - low.y()));
      continue;
    }
    const uint vertex = name.toUInt(&ok);
    QPointF centre;
    const QString position = object["pos"].toString();
    if (!ok || vertex >= graph.vertices.size() || !read_point(position, centre))
      return Error{"the answer of dot places a vertex that was not asked for"};
    layout.centres[vertex] = {centre.x(), corner.y() - centre.y()};
    const int gvid = object["_gvid"].toInt(-1);
    if (gvid < 0 || gvid > static_cast<int>(graph.vertices.size()) * 2 + 16)
      return Error{"the answer of dot has a bad id"};
    if (static_cast<size_t>(gvid) >= vertex_of_gvid.size()) vertex_of_gvid.resize(static_cast<size_t>(gvid) + 1, -1);
    vertex_of_gvid[static_cast<size_t>(gvid)] = static_cast<int32_t>(vertex);
    ++placed;
  }
  if (placed != graph.vertices.size()) return Error{"the answer of dot places another number of vertices"};

  // dot keeps our order of edges by "_gvid", but is not bound to: match by ends.
  std::vector<std::pair<std::pair<int32_t, int32_t>, size_t>> by_ends;
  for (size_t e = 0; e < graph.edges.size(); ++e) by_ends.push_back({{graph.edges[e].from, graph.edges[e].to}, e});
  std::sort(by_ends.begin(), by_ends.end());
  auto vertex_at = [&](const QJsonValue& gvid) {
    const int i = gvid.toInt(-1);
    return i >= 0 && static_cast<size_t>(i) < vertex_of_gvid.size() ? vertex_of_gvid[static_cast<size_t>(i)] : -1;
  };
  for (const QJsonValue& value : root["edges"].toArray()) {
    const QJsonObject object = value.toObject();
    const std::pair<int32_t, int32_t> ends{vertex_at(object["tail"]), vertex_at(object["head"])};
    const auto it = std::lower_bound(by_ends.begin(), by_ends.end(), std::pair(ends, size_t{0}));
    if (it == by_ends.end() || it->first != ends) continue;
    layout.curves[it->second] = read_curve(object["pos"].toString(), corner.y());
  }
  return layout;
}

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string dot_file(const trace::GraphInfo& info, const Layers& layers, const FoldedGraph& graph) {
  std::string out = "digraph " + dot_quoted(info.model) + " {\n  node [shape=box fontname=\"sans-serif\"];\n";
  for (size_t v = 0; v < graph.vertices.size(); ++v) {
    const Vertex& vertex = graph.vertices[v];
    std::string label;
    if (vertex.folded) {
      label = layers.names[static_cast<size_t>(vertex.layer)] + " (" + std::to_string(vertex.nodes.size()) + ")";
    } else {
      const trace::TensorInfo& node = info.nodes[vertex.node.index()];
      label = node.op + " " + node.name + " " + shape_text(node.shape);
    }
    out += "  " + std::to_string(v) + " [label=" + dot_quoted(label) + "];\n";
  }
  for (const FoldedEdge& edge : graph.edges) {
    out += "  " + std::to_string(edge.from) + " -> " + std::to_string(edge.to);
    if (!edge.views.empty()) {
      std::string label;
      for (NodeId view : edge.views) label += (label.empty() ? "" : " ") + info.nodes[view.index()].op;
      out += " [label=" + dot_quoted(label) + "]";
    }
    out += ";\n";
  }
  return out + "}\n";
}

}  // namespace arenascope::views
