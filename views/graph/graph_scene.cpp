// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_scene.h"

#include <arenascope/base/layer_name.h>
#include <arenascope/trace/recorded.h>
#include <arenascope/trace/unknown_size.h>
#include <views/common/format.h>
#include <QCoreApplication>
#include <QFontMetricsF>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

#include "graph_fonts.h"

namespace arenascope::views {
namespace {

using trace::TensorInfo;

struct GraphSceneTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::GraphView)
};

constexpr double kMinWidth = 112, kMaxWidth = 236;

QString text(const std::string& s) { return QString::fromStdString(s); }

// The sum of a layer's results; sizes that are not known are not taken for 0. Empty: none was recorded.
QString folded_bytes(const trace::GraphInfo& info, const Vertex& vertex) {
  Bytes bytes = 0;
  bool sized = false, unknown = false;
  for (const NodeId id : vertex.nodes) {
    const TensorInfo& node = info.nodes[id.index()];
    bytes += node.bytes;
    sized |= has_size(node);
    unknown |= trace::has_unknown_size(node);
  }
  if (!sized) return unknown ? DisplayNames::tr("size unknown") : QString();
  return unknown ? format_bytes(bytes) + QStringLiteral(" + ") + DisplayNames::tr("size unknown") : format_bytes(bytes);
}

}  // namespace

QString layer_title(const Layers& layers, int32_t layer) {
  const std::string& name = layers.names[static_cast<size_t>(layer)];
  const std::string_view own = layer_itself(name);
  const QString title = QString::fromUtf8(own.data(), static_cast<qsizetype>(own.size()));
  return layers.derived ? GraphSceneTexts::tr("Nodes %1").arg(title) : title;
}

QRectF GraphScene::rect_of(int32_t vertex) const {
  if (!layout || vertex < 0 || static_cast<size_t>(vertex) >= layout->centres.size()) return {};
  const auto v = static_cast<size_t>(vertex);
  const QSizeF size = layout->sizes[v];
  return {layout->centres[v] - QPointF(size.width() / 2, size.height() / 2), size};
}

std::vector<VertexText> vertex_texts(const trace::GraphInfo& info, const Layers& layers, const FoldedGraph& folded) {
  std::vector<VertexText> texts;
  for (const Vertex& vertex : folded.vertices) {
    VertexText t;
    if (vertex.folded) {
      t.title = layer_title(layers, vertex.layer);
      t.second = layer_summary({}, info, vertex);
    } else {
      const TensorInfo& node = info.nodes[vertex.node.index()];
      t.title = text(node.op);
      if (node.op.empty())
        t.title = (node.flags & trace::kParameter) != 0 ? DisplayNames::role(node)
                                                        : DisplayNames::node(trace::TensorRef::node(vertex.node));
      t.second = DisplayNames::file_name(node);
      if (t.second.isEmpty())
        t.second = node.name.empty() ? DisplayNames::node(trace::TensorRef::node(vertex.node)) : text(node.name);
      if (trace::has_unknown_size(node))
        t.third = DisplayNames::tr("size unknown");
      else if (!node.shape.empty() || !node.dtype.empty())  // nodes of other programs may have neither
        t.third = QString::fromStdString(shape_text(node.shape)) + QStringLiteral("  ") + text(node.dtype);
      for (const Chip& chip : vertex.chips) {
        const TensorInfo& leaf = info.leafs[chip.leaf.index()];
        QString label = leaf.name.empty() ? DisplayNames::node(trace::TensorRef::leaf(chip.leaf)) : text(leaf.name);
        // Names are paths that differ at the end: "blk.1.ffn_gate.weight" → "weight".
        const qsizetype cut = label.lastIndexOf(QRegularExpression(QStringLiteral("[./:]")), -2);
        if (label.size() > 10 && cut > 0) label = label.mid(cut + 1);
        t.chips.push_back(label);
      }
    }
    texts.push_back(std::move(t));
  }
  return texts;
}

std::vector<QSizeF> vertex_sizes(const FoldedGraph& folded, const std::vector<VertexText>& texts) {
  const QFontMetricsF title(graph_font(GraphFont::Title)), small(graph_font(GraphFont::Small));
  std::vector<QSizeF> sizes;
  for (size_t v = 0; v < folded.vertices.size(); ++v) {
    const VertexText& t = texts[v];
    double width = std::max({title.horizontalAdvance(t.title), small.horizontalAdvance(t.second),
                             small.horizontalAdvance(t.third)}) +
                   26;
    // Reserves space for the time, which is known only after a run.
    if (folded.vertices[v].folded)
      width = std::max(width, small.horizontalAdvance(t.second + QStringLiteral(" · 888 ms")) + 26) + 18;
    // Rounded, so that machines with slightly different fonts get the same layout.
    width = std::ceil(std::clamp(width, kMinWidth, kMaxWidth) / 4) * 4;
    double height = folded.vertices[v].folded ? 46 : 52;
    if (!t.chips.empty()) height += 19;
    sizes.push_back({width, height});
  }
  return sizes;
}

QString layer_summary(const std::vector<trace::NodeStats>& stats, const trace::GraphInfo& info, const Vertex& vertex) {
  double time = 0;
  for (NodeId id : vertex.nodes)
    if (id.index() < stats.size()) time += stats[id.index()].mean;
  QStringList parts{GraphSceneTexts::tr("%n node(s)", nullptr, static_cast<int>(vertex.nodes.size()))};
  if (time > 0) parts << format_ns(static_cast<Nanoseconds>(time));
  if (const QString bytes = folded_bytes(info, vertex); !bytes.isEmpty()) parts << bytes;
  return parts.join(QStringLiteral(" · "));
}

}  // namespace arenascope::views
