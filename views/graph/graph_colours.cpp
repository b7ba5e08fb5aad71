// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>

#include "graph_scene.h"
#include "node_columns.h"

namespace arenascope::views {
namespace {

struct GraphColoursTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::GraphView)
};

// From pale to strong in one hue, so that more reads as more in both themes.
QColor ramp(double share, const ThemeColours& colours) {
  const QColor pale = mixed(colours.background, colours.text, 0.07);
  const QColor strong = colours.category(5);
  return mixed(pale, strong, std::clamp(share, 0.0, 1.0));
}

void colour_by_amount(GraphScene& scene, const std::vector<double>& amounts, const ThemeColours& colours,
                      const QString& title, QString (*format)(double)) {
  double most = 0;
  for (double a : amounts) most = std::max(most, a);
  for (size_t v = 0; v < amounts.size(); ++v)
    scene.vertex_styles[v].fill = ramp(most > 0 ? amounts[v] / most : 0, colours);
  scene.legend_title = title;
  for (double share : {0.0, 0.5, 1.0}) scene.legend.push_back({format(most * share), ramp(share, colours)});
}

// One colour per text, ordered by frequency; all texts after the eighth share the last colour.
void colour_by_text(GraphScene& scene, const std::vector<QString>& texts, const ThemeColours& colours,
                    const QString& title) {
  std::map<QString, int> count;
  for (const QString& t : texts)
    if (!t.isEmpty()) ++count[t];
  std::vector<std::pair<int, QString>> order;
  for (const auto& [t, n] : count) order.push_back({-n, t});
  std::sort(order.begin(), order.end());
  std::map<QString, size_t> index;
  for (size_t i = 0; i < order.size(); ++i) index[order[i].second] = std::min<size_t>(i, 7);
  for (size_t v = 0; v < texts.size(); ++v)
    scene.vertex_styles[v].fill = texts[v].isEmpty() ? colours[Role::Weight] : colours.category(index[texts[v]]);
  scene.legend_title = title;
  for (size_t i = 0; i < std::min<size_t>(order.size(), 7); ++i)
    scene.legend.push_back({order[i].second, colours.category(i)});
  if (order.size() > 7)
    scene.legend.push_back({order.size() == 8
                                ? order[7].second
                                : GraphColoursTexts::tr("%n other(s)", nullptr, static_cast<int>(order.size() - 7)),
                            colours.category(7)});
}

// The most frequent value among a layer's nodes represents the layer.
template <class Text>
QString most_frequent(const Vertex& vertex, Text text) {
  std::map<QString, int> count;
  for (NodeId id : vertex.nodes) ++count[text(id)];
  const auto it = std::max_element(count.begin(), count.end(), [](auto& a, auto& b) { return a.second < b.second; });
  return it == count.end() ? QString() : it->first;
}

QString most_frequent(const Vertex& vertex, const trace::GraphInfo& info, std::string trace::TensorInfo::*field) {
  return most_frequent(vertex, [&](NodeId id) { return QString::fromStdString(info.nodes[id.index()].*field); });
}

// The value of a vertex from its nodes; NaN if none has one.
double value_of(const Vertex& vertex, const ColumnValues& column) {
  double all = std::nan("");
  for (NodeId id : vertex.nodes) {
    const double one = id.index() < column.numbers.size() ? column.numbers[id.index()] : std::nan("");
    if (std::isnan(one)) continue;
    all = std::isnan(all) ? one : column.adds_up ? all + one : std::max(all, one);
  }
  return all;
}

// The scale spans minimum to maximum and includes zero.
void colour_by_numbers(GraphScene& scene, const ColumnValues& column, const ThemeColours& colours) {
  std::vector<double> numbers;
  double least = 0, most = 0;
  bool missing = false;
  for (const Vertex& vertex : scene.folded->vertices) {
    const double number = numbers.emplace_back(value_of(vertex, column));
    missing = missing || std::isnan(number);
    if (std::isnan(number)) continue;
    least = std::min(least, number);
    most = std::max(most, number);
  }
  for (size_t v = 0; v < numbers.size(); ++v)
    scene.vertex_styles[v].fill = std::isnan(numbers[v])
                                      ? colours[Role::Weight]
                                      : ramp(most > least ? (numbers[v] - least) / (most - least) : 0, colours);
  for (double share : {0.0, 0.5, 1.0})
    scene.legend.push_back({column.number_text(least + (most - least) * share), ramp(share, colours)});
  if (missing) scene.legend.push_back({GraphColoursTexts::tr("none"), colours[Role::Weight]});
}

std::vector<int32_t> step_of_nodes(const trace::GraphInfo& info, const trace::PlanInfo* plan) {
  std::vector<int32_t> step(info.nodes.size(), -1);
  if (plan != nullptr && plan->graph == info.id && !plan->order.empty()) {
    for (size_t s = 0; s < plan->order.size(); ++s)
      if (plan->order[s].valid() && plan->order[s].index() < step.size())
        step[plan->order[s].index()] = static_cast<int32_t>(s);
  } else {
    for (size_t i = 0; i < step.size(); ++i) step[i] = static_cast<int32_t>(i);
  }
  return step;
}

void colour_by_state(GraphScene& scene, const std::vector<int32_t>& step, Step current, const ThemeColours& colours) {
  const QColor later = mixed(colours.background, colours.text, 0.10);
  const QColor done = mixed(colours.background, colours[Role::Work], 0.55);
  for (size_t v = 0; v < scene.vertex_styles.size(); ++v) {
    const Vertex& vertex = scene.folded->vertices[v];
    size_t before = 0;
    for (NodeId id : vertex.nodes)
      if (current.valid() && step[id.index()] >= 0 && step[id.index()] < current.value) ++before;
    const double share = static_cast<double>(before) / static_cast<double>(std::max<size_t>(vertex.nodes.size(), 1));
    scene.vertex_styles[v].fill = scene.vertex_styles[v].current ? colours[Role::Work] : mixed(later, done, share);
  }
  scene.legend = {{GraphColoursTexts::tr("done"), done},
                  {GraphColoursTexts::tr("running"), colours[Role::Work]},
                  {GraphColoursTexts::tr("pending"), later}};
  scene.legend_title = GraphColoursTexts::tr("State");
}

}  // namespace

void colour_scene(GraphScene& scene, GraphColour mode, const trace::Snapshot& snapshot, const trace::PlanInfo* plan,
                  Step current, const ThemeColours& colours) {
  scene.legend.clear();
  scene.legend_title.clear();
  if (!scene.info || !scene.folded) return;
  const trace::GraphInfo& info = *scene.info;
  const auto& vertices = scene.folded->vertices;
  scene.vertex_styles.resize(vertices.size());
  for (VertexStyle& style : scene.vertex_styles) style.only_in_b.clear();

  const std::vector<int32_t> step = step_of_nodes(info, plan);
  for (size_t v = 0; v < vertices.size(); ++v) {
    scene.vertex_styles[v].current = false;
    for (NodeId id : vertices[v].nodes)
      if (current.valid() && step[id.index()] == current.value) scene.vertex_styles[v].current = true;
  }

  std::vector<double> amounts(vertices.size(), 0);
  std::vector<QString> texts(vertices.size());
  switch (mode) {
    case GraphColour::Difference:  // colour_by_difference()
    case GraphColour::Column:      // colour_by_column()
    case GraphColour::State: colour_by_state(scene, step, current, colours); break;
    case GraphColour::Time:
      if (const std::vector<trace::NodeStats> stats = snapshot.stats(info.id); !stats.empty())
        for (size_t v = 0; v < vertices.size(); ++v)
          for (NodeId id : vertices[v].nodes) amounts[v] += stats[id.index()].mean;
      colour_by_amount(scene, amounts, colours, GraphColoursTexts::tr("Mean time"),
                       [](double ns) { return format_ns(static_cast<Nanoseconds>(ns)); });
      break;
    case GraphColour::Bytes:
      for (size_t v = 0; v < vertices.size(); ++v)
        for (NodeId id : vertices[v].nodes) amounts[v] += static_cast<double>(info.nodes[id.index()].bytes);
      colour_by_amount(scene, amounts, colours, GraphColoursTexts::tr("Bytes"),
                       [](double b) { return format_bytes(static_cast<Bytes>(b)); });
      break;
    case GraphColour::Op:
      for (size_t v = 0; v < vertices.size(); ++v) texts[v] = most_frequent(vertices[v], info, &trace::TensorInfo::op);
      colour_by_text(scene, texts, colours, GraphColoursTexts::tr("Op"));
      break;
    case GraphColour::Backend:
      for (size_t v = 0; v < vertices.size(); ++v)
        texts[v] = most_frequent(vertices[v], info, &trace::TensorInfo::backend);
      colour_by_text(scene, texts, colours, GraphColoursTexts::tr("Backend"));
      break;
    case GraphColour::Block: {
      std::vector<int32_t> block(info.nodes.size(), -1);
      if (plan != nullptr)
        for (const trace::SliceInfo& slice : plan->slices)
          if (slice.tensor.is_node() && slice.tensor.index() < block.size())
            block[slice.tensor.index()] = slice.block.value;
      for (size_t v = 0; v < vertices.size(); ++v)
        if (!vertices[v].folded && block[vertices[v].node.index()] >= 0)
          texts[v] = GraphColoursTexts::tr("block %1").arg(block[vertices[v].node.index()]);
      colour_by_text(scene, texts, colours, GraphColoursTexts::tr("Block"));
      break;
    }
  }
}

void colour_by_column(GraphScene& scene, const ColumnValues* column, const ThemeColours& colours) {
  scene.legend.clear();
  if (column == nullptr) {  // the column belongs to another graph or language, or to a comparison
    scene.legend_title.clear();
    const QColor none = colours[Role::Weight];
    for (VertexStyle& style : scene.vertex_styles) style.fill = none;
    scene.legend.push_back({GraphColoursTexts::tr("column not available"), none});
    return;
  }
  if (column->texts.empty()) {
    colour_by_numbers(scene, *column, colours);
  } else {
    std::vector<QString> texts;
    for (const Vertex& vertex : scene.folded->vertices)
      texts.push_back(most_frequent(vertex, [&](NodeId id) {
        return id.index() < column->texts.size() ? column->texts[id.index()] : QString();
      }));
    colour_by_text(scene, texts, colours, column->title);
  }
  scene.legend_title = column->title;
}

}  // namespace arenascope::views
