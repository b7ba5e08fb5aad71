// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes of the graph aggregated by op or by layer: totals over all runs, and the share of the whole. A layer
// includes its nested layers, as its selection does.
#include <arenascope/base/layer_name.h>
#include <arenascope/trace/recorded.h>
#include <views/common/format.h>
#include <views/tables/table.h>
#include <QCoreApplication>

#include <algorithm>
#include <map>

namespace arenascope::views {
namespace {

struct AggregateTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

struct Sum {
  std::string name;
  std::vector<NodeId> nodes;
  double time = 0, busy = 0, waiting = 0;  // nanoseconds, mean per run
  Bytes bytes = 0;
  int64_t flops = 0;
  bool bytes_known = false, flops_known = false;  // known for at least one node
  NodeId slowest;
  double slowest_time = -1;
};
struct Sums {
  std::shared_ptr<const trace::GraphInfo> graph;
  std::vector<Sum> all;  // longest first
  double time = 0;
  bool ran = false;
};
using SumsPtr = std::shared_ptr<const Sums>;

// The groups that contain a node, innermost first.
using NamesOf = std::vector<std::string_view> (*)(const trace::TensorInfo&);

std::vector<std::string_view> op_of(const trace::TensorInfo& node) { return {node.op}; }

std::vector<std::string_view> layers_of_node(const trace::TensorInfo& node) {
  std::vector<std::string_view> names{node.layer};
  while (!layer_around(names.back()).empty()) names.push_back(layer_around(names.back()));
  return names;
}

void add_time(Sum& sum, NodeId node, const trace::NodeStats& stats) {
  const auto time = static_cast<double>(stats.mean);
  sum.time += time;
  sum.busy += static_cast<double>(stats.busy);
  sum.waiting += stats.wait;
  if (time <= sum.slowest_time) return;
  sum.slowest_time = time;
  sum.slowest = node;
}

SumsPtr sums_of(const TableInput& input, NamesOf names_of) {
  auto sums = std::make_shared<Sums>();
  sums->graph = input.graph;
  const auto stats = input.snapshot->stats(input.graph->id);
  std::map<std::string_view, size_t> place;
  for (size_t i = 0; i < input.graph->nodes.size(); ++i) {
    const trace::TensorInfo& node = input.graph->nodes[i];
    const bool ran = i < stats.size() && stats[i].runs > 0;
    if (ran) sums->time += static_cast<double>(stats[i].mean);
    sums->ran |= ran;
    for (const std::string_view name : names_of(node)) {
      const auto [at, fresh] = place.try_emplace(name, sums->all.size());
      if (fresh) sums->all.emplace_back().name = name;
      Sum& sum = sums->all[at->second];
      sum.nodes.emplace_back(i);
      sum.bytes += node.bytes;
      sum.flops += node.flops;
      sum.bytes_known |= has_size(node);
      sum.flops_known |= has_flops(node);
      if (ran) add_time(sum, NodeId(i), stats[i]);
    }
  }
  std::stable_sort(sums->all.begin(), sums->all.end(),
                   [](const Sum& a, const Sum& b) { return a.time != b.time ? a.time > b.time : a.bytes > b.bytes; });
  return sums;
}

Column time_column(const SumsPtr& sums, const QString& title, const QString& tip, double Sum::*of) {
  return number_column(
      title, tip, FigureUnit::Time, [=](size_t r) { return sums->all[r].*of; }, [=](size_t) { return sums->ran; });
}

std::shared_ptr<Table> aggregate_table(const SumsPtr& sums, const QString& title) {
  auto table = std::make_shared<Table>();
  table->rows = sums->all.size();
  const auto share = [sums](size_t r) { return sums->time > 0 ? sums->all[r].time / sums->time : 0; };
  table->columns = {
      {title,
       {},
       [sums](size_t r) { return sums->all[r].name.empty() ? QStringLiteral("—") : text(sums->all[r].name); }},
      {AggregateTexts::tr("Nodes"), AggregateTexts::tr("Number of nodes of the graph"),
       [sums](size_t r) { return format_count(static_cast<int64_t>(sums->all[r].nodes.size())); },
       [sums](size_t r) { return static_cast<double>(sums->all[r].nodes.size()); }},
      time_column(sums, AggregateTexts::tr("Time"), AggregateTexts::tr("Sum of its nodes' mean times per run"),
                  &Sum::time),
      with_unit(FigureUnit::Share,
                {AggregateTexts::tr("Share"), AggregateTexts::tr("Share of the time of all nodes"),
                 [=](size_t r) { return sums->ran ? format_percent(share(r)) : QString(); }, share, nullptr, share}),
      time_column(sums, AggregateTexts::tr("Busy"), AggregateTexts::tr("Total time of its chunks, mean per run"),
                  &Sum::busy),
      time_column(sums, AggregateTexts::tr("Waiting"),
                  AggregateTexts::tr("Total barrier wait afterwards, all threads, mean per run"), &Sum::waiting),
      number_column(
          AggregateTexts::tr("Bytes"), AggregateTexts::tr("Total size of its results"), FigureUnit::Bytes,
          [sums](size_t r) { return static_cast<double>(sums->all[r].bytes); },
          [sums](size_t r) { return sums->all[r].bytes_known; }),
      {AggregateTexts::tr("Flops"), AggregateTexts::tr("Arithmetic operations"),
       [sums](size_t r) { return sums->all[r].flops_known ? format_count(sums->all[r].flops) : QString(); },
       [sums](size_t r) { return static_cast<double>(sums->all[r].flops); }},
      {AggregateTexts::tr("Slowest"), AggregateTexts::tr("Node with the longest time"), [sums](size_t r) {
         const NodeId node = sums->all[r].slowest;
         return node.valid() ? text(sums->graph->nodes[node.index()].name) : QString();
       }}};
  return table;
}

TablePtr no_sums() {
  auto table = std::make_shared<Table>();
  table->empty_text = AggregateTexts::tr("This file contains no graph.");
  return table;
}

}  // namespace

TablePtr ops_table(const TableInput& input) {
  if (!input.graph) return no_sums();
  const SumsPtr sums = sums_of(input, op_of);
  auto table = aggregate_table(sums, AggregateTexts::tr("Op"));
  // An op cannot be selected: the row selects its slowest node.
  table->selection = [sums](size_t r) {
    const NodeId node = sums->all[r].slowest.valid() ? sums->all[r].slowest : sums->all[r].nodes.front();
    return Selection::node(sums->graph->id, node);
  };
  return table;
}

TablePtr layers_table(const TableInput& input) {
  if (!input.graph) return no_sums();
  const SumsPtr sums = sums_of(input, layers_of_node);
  auto table = aggregate_table(sums, AggregateTexts::tr("Layer"));
  table->selection = [sums](size_t r) {
    return Selection(LayerSelection{sums->graph->id, sums->all[r].name, sums->all[r].nodes});
  };
  return table;
}

}  // namespace arenascope::views
