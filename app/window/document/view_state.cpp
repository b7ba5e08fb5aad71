// SPDX-License-Identifier: GPL-3.0-or-later
#include "view_state.h"

#include <QJsonArray>

namespace arenascope::app {

using namespace views;

namespace {

// Enumerators by number; one that is out of range has the default.
template <class E>
E enum_of(const QJsonValue& value, int count, E otherwise = {}) {
  const int number = value.toInt(static_cast<int>(otherwise));
  return number >= 0 && number < count ? static_cast<E>(number) : otherwise;
}

QJsonArray array_of(const QStringList& texts) { return QJsonArray::fromStringList(texts); }

// Files from others have states, too.
constexpr qsizetype kMaxItems = 10'000, kMaxText = 100'000;

QString bounded_text(const QJsonValue& value) { return value.toString().left(kMaxText); }

// The first ones of a longer list.
QJsonArray bounded_list(const QJsonValue& value) {
  QJsonArray list = value.toArray();
  while (list.size() > kMaxItems) list.removeLast();
  return list;
}

QStringList texts_of(const QJsonValue& value) {
  QStringList out;
  for (const auto& text : bounded_list(value)) out << bounded_text(text);
  return out;
}

QJsonObject json_of(const GraphView::ViewState& graph) {
  QJsonArray expanded;
  for (const int32_t layer : graph.expanded) expanded << layer;
  return {{"expanded", expanded},   {"colour", static_cast<int>(graph.colour)},
          {"column", graph.column}, {"search", graph.search},
          {"scale", graph.scale},   {"x", graph.offset.x()},
          {"y", graph.offset.y()},  {"engine", static_cast<int>(graph.engine)}};
}

GraphView::ViewState graph_of(const QJsonObject& json) {
  GraphView::ViewState out;
  for (const auto& layer : bounded_list(json["expanded"])) out.expanded.insert(layer.toInt());
  out.colour = enum_of<GraphColour>(json["colour"], static_cast<int>(GraphColour::Column) + 1);
  out.column = json["column"].toInt(-1);
  out.search = bounded_text(json["search"]);
  out.scale = json["scale"].toDouble();
  out.offset = {json["x"].toDouble(), json["y"].toDouble()};
  out.engine = enum_of<LayoutEngine>(json["engine"], kLayoutEngines);
  return out;
}

QJsonObject json_of(const FlameView::ViewState& flame) {
  return {{"weight", flame.weight ? static_cast<int>(*flame.weight) : -1},
          {"icicle", flame.icicle},
          {"libraries", flame.libraries},
          {"zoomed", array_of(flame.zoomed)},
          {"search", flame.search}};
}

FlameView::ViewState flame_of(const QJsonObject& json) {
  FlameView::ViewState out;
  const int weight = json["weight"].toInt(-1);
  if (weight >= 0 && weight < static_cast<int>(trace::kFlameWeights))
    out.weight = static_cast<trace::FlameWeight>(weight);
  out.icicle = json["icicle"].toBool(true);
  out.libraries = json["libraries"].toBool();
  out.zoomed = texts_of(json["zoomed"]);
  out.search = bounded_text(json["search"]);
  return out;
}

// For the arena map and the lifetimes.
template <class State>
QJsonObject json_of_memory(const State& state) {
  return {{"mode", static_cast<int>(state.mode)},
          {"spaces", static_cast<int>(state.spaces.of)},
          {"allocator", static_cast<qint64>(state.spaces.allocator)},
          {"plan_outline", state.plan_outline}};
}

template <class State>
State memory_of(const QJsonObject& json) {
  State out;
  out.mode = enum_of<ArenaMode>(json["mode"], 3);
  out.spaces.of = enum_of<SpaceChoice::Of>(json["spaces"], 3);
  out.spaces.allocator = static_cast<uint32_t>(json["allocator"].toInteger());
  out.plan_outline = json["plan_outline"].toBool();
  return out;
}

QJsonObject json_of(const QMap<PanelId, TablePanel::ViewState>& tables) {
  QJsonObject out;
  for (auto table = tables.begin(); table != tables.end(); ++table)
    if (*table != TablePanel::ViewState())
      out[QLatin1String(name_of(table.key()))] = QJsonObject{{"filter", table->filter},
                                                             {"sorted_by", table->sorted_by},
                                                             {"descending", table->sort_order == Qt::DescendingOrder}};
  return out;
}

QMap<PanelId, TablePanel::ViewState> tables_of(const QJsonObject& json) {
  QMap<PanelId, TablePanel::ViewState> out;
  for (auto table = json.begin(); table != json.end(); ++table) {
    const auto panel = panel_named(table.key().toStdString());
    if (!panel) continue;  // of another version
    const QJsonObject state = table->toObject();
    out[*panel] = {bounded_text(state["filter"]), state["sorted_by"].toInt(-1),
                   state["descending"].toBool() ? Qt::DescendingOrder : Qt::AscendingOrder};
  }
  return out;
}

}  // namespace

QJsonObject ViewState::to_json() const {
  QJsonArray pinned;
  for (const std::string& track : timeline.pinned) pinned << QString::fromStdString(track);
  QJsonObject of_arena = json_of_memory(arena);
  of_arena["colour"] = static_cast<int>(arena.colour);
  QJsonObject out{{"axis", static_cast<int>(axis)},
                  {"by_runs", by_runs},
                  {"graph", json_of(graph)},
                  {"flame", json_of(flame)},
                  {"occupancy",
                   QJsonObject{{"scope", static_cast<int>(occupancy.scope)}, {"plan_outline", occupancy.plan_outline}}},
                  {"arena", of_arena},
                  {"lifetimes", json_of_memory(lifetimes)},
                  {"pinned_tracks", pinned},
                  {"timeline_colour", static_cast<int>(timeline.colour)},
                  {"tables", json_of(tables)},
                  {"search", search},
                  {"query", query}};
  if (range) out["range"] = QJsonArray{range->lo, range->hi};
  if (mark) out["mark"] = QJsonArray{static_cast<qint64>(mark->begin), static_cast<qint64>(mark->end)};
  if (selected) out["selected"] = QJsonArray{selected->graph.value, static_cast<qint64>(selected->tensor.value)};
  return out;
}

ViewState ViewState::from_json(const QJsonObject& json) {
  ViewState out;
  out.axis = enum_of<AxisMode>(json["axis"], 2);
  out.by_runs = json["by_runs"].toBool();
  out.graph = graph_of(json["graph"].toObject());
  out.flame = flame_of(json["flame"].toObject());
  const QJsonObject of_occupancy = json["occupancy"].toObject(), of_arena = json["arena"].toObject();
  out.occupancy.scope = enum_of<OccupancyScope>(of_occupancy["scope"], static_cast<int>(OccupancyScope::CallSites) + 1);
  out.occupancy.plan_outline = of_occupancy["plan_outline"].toBool();
  out.arena = memory_of<ArenaView::ViewState>(of_arena);
  out.arena.colour = enum_of<ArenaColour>(of_arena["colour"], kArenaColours);
  out.lifetimes = memory_of<LifetimesView::ViewState>(json["lifetimes"].toObject());
  for (const QString& track : texts_of(json["pinned_tracks"])) out.timeline.pinned.insert(track.toStdString());
  out.timeline.colour = enum_of<TimelineColour>(json["timeline_colour"], kTimelineColours);
  out.tables = tables_of(json["tables"].toObject());
  out.search = bounded_text(json["search"]);
  out.query = bounded_text(json["query"]);
  const QJsonArray visible = json["range"].toArray(), marked = json["mark"].toArray(),
                   chosen = json["selected"].toArray();
  if (visible.size() == 2 && visible[0].toDouble() < visible[1].toDouble())
    out.range = AxisRange{visible[0].toDouble(), visible[1].toDouble()};
  if (marked.size() == 2) out.mark = TimeRangeSelection{marked[0].toInteger(), marked[1].toInteger()};
  if (chosen.size() == 2)
    out.selected = NodeSelection{trace::GraphId(chosen[0].toInt(-1)),
                                 trace::TensorRef{static_cast<uint32_t>(chosen[1].toInteger(UINT32_MAX))}};
  return out;
}

}  // namespace arenascope::app
