// SPDX-License-Identifier: GPL-3.0-or-later
// Helpers for tables, and the table of the object arena.
#include <views/common/format.h>
#include <QCoreApplication>

#include <algorithm>
#include <map>

#include <views/tables/compare_columns.h>
#include <views/tables/object_parts.h>

namespace arenascope::views {
namespace {

using trace::TensorRef;

struct TableTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

const trace::TensorInfo* tensor_of(const trace::GraphInfo& graph, TensorRef ref) {
  return ref.is_leaf() ? &graph.leafs[ref.index()] : &graph.nodes[ref.index()];
}

// Bytes of each object by part: op parameters, inputs, data, padding.
void add_part_columns(Table& table, const std::shared_ptr<const trace::ContextInfo>& context) {
  const auto has_parts = [](const trace::ObjectInfo& object) { return !object.parts.empty(); };
  if (std::none_of(context->objects.begin(), context->objects.end(), has_parts)) return;
  using Kind = trace::ObjectPartKind;
  for (const Kind kind : {Kind::OpParams, Kind::Sources, Kind::Data, Kind::Padding})
    table.columns.push_back(
        number_column(part_name(kind), TableTexts::tr("Bytes of this part of the object"), FigureUnit::Bytes,
                      [context, kind](size_t r) { return static_cast<double>(bytes_of(context->objects[r], kind)); }));
}

}  // namespace

TableInput TableInput::of(const SessionSource& source) {
  TableInput input{source.snapshot(), source.run(), nullptr, nullptr, source.comparison()};
  const auto& snapshot = *input.snapshot;
  if (source.graph_id().valid() && source.graph_id().index() < snapshot.graphs.size())
    input.graph = snapshot.graphs[source.graph_id().index()];
  if (source.shown_plan())
    input.plan = source.shown_plan();
  else if (source.plan_id().valid() && source.plan_id().index() < snapshot.plans.size())
    input.plan = snapshot.plans[source.plan_id().index()];
  if (source.shown_plan() && source.ghost_plan()) input.in_use = source.ghost_plan()->id;
  return input;
}

Column with_unit(FigureUnit unit, Column column) {
  column.unit = unit;
  return column;
}

Column number_column(const QString& title, const QString& tip, FigureUnit unit, std::function<double(size_t row)> value,
                     std::function<bool(size_t row)> there) {
  const auto text_of = [=](size_t r) { return there && !there(r) ? QString() : figure({}, value(r), unit).text; };
  return with_unit(unit, {title, tip, text_of, value});
}

Column figure_column(const QString& title, const QString& tip, FigureUnit unit,
                     std::function<std::string(size_t row)> id, std::function<double(size_t row)> value,
                     std::function<bool(size_t row)> there) {
  const auto make = [=](size_t r) { return there && !there(r) ? Figure() : figure(id(r), value(r), unit); };
  return with_unit(unit, {title, tip, [make](size_t r) { return make(r).text; }, value, make});
}

QString saved_unit(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::Bytes: return QStringLiteral("B");
    case FigureUnit::Time: return QStringLiteral("ns");
    case FigureUnit::Share: return QStringLiteral("0..1");
    default: return {};
  }
}

TablePtr objects_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = TableTexts::tr("This recording contains no object pool.");
  if (input.snapshot->contexts.empty()) return table;
  const auto context = input.snapshot->contexts.back();
  table->rows = context->objects.size();
  auto object = [context](size_t r) -> const trace::ObjectInfo& { return context->objects[r]; };
  auto bytes = [&](const QString& title, const QString& tip, auto get, bool address) {
    return number_column(title, tip, address ? FigureUnit::Address : FigureUnit::Bytes,
                         [=](size_t r) { return static_cast<double>(get(r)); });
  };
  table->columns = {
      {TableTexts::tr("Object"),
       {},
       [](size_t r) { return QString::number(r); },
       [](size_t r) { return static_cast<double>(r); }},
      {TableTexts::tr("Kind"), {}, [object](size_t r) { return text(object(r).type); }},
      {TableTexts::tr("Name"), {}, [object](size_t r) { return text(object(r).name); }},
      bytes(
          TableTexts::tr("Header at"), TableTexts::tr("Offset of its header in the pool"),
          [object](size_t r) { return object(r).header_offset; }, true),
      bytes(
          TableTexts::tr("Header"), TableTexts::tr("Bytes of its header"),
          [object](size_t r) { return object(r).header_size; }, false),
      bytes(
          TableTexts::tr("Object at"), TableTexts::tr("Offset of the object in the pool"),
          [object](size_t r) { return object(r).offset; }, true),
      bytes(
          TableTexts::tr("Bytes"), TableTexts::tr("Size of the object, padding included"),
          [object](size_t r) { return object(r).size; }, false),
      {TableTexts::tr("Next"), TableTexts::tr("Object that its next pointer refers to"),
       [object](size_t r) { return object(r).next < 0 ? QStringLiteral("—") : QString::number(object(r).next); },
       [object](size_t r) { return static_cast<double>(object(r).next); }},
  };
  add_part_columns(*table, context);
  add_object_columns(*table, input);
  const auto graph = input.graph;
  auto by_name = std::make_shared<std::map<std::string, TensorRef>>();
  if (graph) {
    for (size_t i = 0; i < graph->nodes.size(); ++i)
      by_name->try_emplace(graph->nodes[i].name, TensorRef::node(NodeId(i)));
    for (size_t i = 0; i < graph->leafs.size(); ++i)
      by_name->try_emplace(graph->leafs[i].name, TensorRef::leaf(LeafId(i)));
    table->selection = [graph, by_name, object](size_t r) {
      const auto it = by_name->find(object(r).name);
      return object(r).name.empty() || it == by_name->end() ? Selection()
                                                            : Selection(NodeSelection{graph->id, it->second});
    };
  }
  table->details = [graph, by_name, object](size_t r) {
    const auto it = by_name->find(object(r).name);
    const bool known = graph != nullptr && !object(r).name.empty() && it != by_name->end();
    return parts_text(object(r), known ? tensor_of(*graph, it->second) : nullptr, graph.get());
  };
  return table;
}

}  // namespace arenascope::views
