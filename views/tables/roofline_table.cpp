// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes of a roofline plot, and those without a point.
#include <views/common/format.h>
#include <views/common/rates.h>
#include <views/common/roofline_text.h>
#include <views/tables/table.h>
#include <QCoreApplication>

namespace arenascope::views {
namespace {

struct RooflineTableTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

struct RooflineRows {
  std::shared_ptr<const trace::GraphInfo> graph;
  trace::Roofline roofline;
  // Points come first.
  const trace::RooflinePoint* point(size_t r) const {
    return r < roofline.points.size() ? &roofline.points[r] : nullptr;
  }
  NodeId node(size_t r) const {
    return point(r) != nullptr ? point(r)->node : roofline.missing[r - roofline.points.size()].node;
  }
  QString reason(size_t r) const {
    return point(r) != nullptr ? QString() : RooflineText::gap(roofline.missing[r - roofline.points.size()].reason);
  }
};
using RooflineRowsPtr = std::shared_ptr<const RooflineRows>;

// Empty cells, below all others, for nodes without a point.
template <class Value, class Text>
Column point_column(const RooflineRowsPtr& rows, const QString& title, const QString& tip, Value value, Text text_of) {
  return {title, tip, [=](size_t r) { return rows->point(r) == nullptr ? QString() : text_of(value(*rows->point(r))); },
          [=](size_t r) { return rows->point(r) == nullptr ? -1.0 : static_cast<double>(value(*rows->point(r))); }};
}

}  // namespace

TablePtr roofline_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = RooflineTableTexts::tr("This file contains no graph.");
  if (!input.graph) return table;
  const auto rows = std::make_shared<const RooflineRows>(
      RooflineRows{input.graph, trace::roofline_of(*input.snapshot, input.graph->id)});
  const auto info = [rows](size_t r) -> const trace::TensorInfo& { return rows->graph->nodes[rows->node(r).index()]; };
  using Point = trace::RooflinePoint;
  table->rows = rows->roofline.points.size() + rows->roofline.missing.size();
  table->columns = {
      {RooflineTableTexts::tr("Name"),
       {},
       [=](size_t r) {
         return info(r).name.empty() ? DisplayNames::node(trace::TensorRef::node(rows->node(r))) : text(info(r).name);
       }},
      {RooflineTableTexts::tr("Op"), {}, [=](size_t r) { return text(info(r).op); }},
      point_column(
          rows, RooflineTableTexts::tr("FLOP/B"),
          RooflineTableTexts::tr("Arithmetic intensity: operations per byte of its result and inputs"),
          [](const Point& p) { return p.intensity; }, format_rate),
      point_column(
          rows, RooflineTableTexts::tr("GFLOP/s"), RooflineTableTexts::tr("Operations per second at its median time"),
          [](const Point& p) { return p.gflops; }, format_rate),
      point_column(
          rows, RooflineTableTexts::tr("Median"), RooflineTableTexts::tr("Median of its wall times, one per run"),
          [](const Point& p) { return p.median; }, format_ns),
      point_column(
          rows, RooflineTableTexts::tr("Runs"), RooflineTableTexts::tr("Number of runs that the times are from"),
          [](const Point& p) { return p.runs; }, format_count),
      {RooflineTableTexts::tr("Not drawn"), RooflineTableTexts::tr("Why the node has no point"),
       [rows](size_t r) { return rows->reason(r); }}};
  table->selection = [rows](size_t r) { return Selection::node(rows->roofline.graph, rows->node(r)); };
  return table;
}

}  // namespace arenascope::views
