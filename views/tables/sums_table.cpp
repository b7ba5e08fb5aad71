// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes of the graph put together by op or by layer: what each kind takes over all runs, and its share of all. A layer's
// sums are of the layers in it, too, as what it selects is.
#include <arenascope/base/layer_name.h>
#include <views/common/format.h>
#include <views/tables/table.h>
#include <QCoreApplication>

#include <algorithm>
#include <map>

namespace arenascope::views {
namespace {

struct SumsTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

struct Sum {
  std::string name;
  std::vector<NodeId> nodes;
  double time = 0, busy = 0, waiting = 0;  // nanoseconds, means of a run
  Bytes bytes = 0;
  int64_t flops = 0;
  NodeId slowest;
  double slowest_time = -1;
};
struct Sums {
  std::shared_ptr<const trace::GraphInfo> graph;
  std::vector<Sum> all;  // the longest first
  double time = 0;
  bool ran = false;
};
using SumsPtr = std::shared_ptr<const Sums>;

// The sums that a node counts in, from the innermost.
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
      if (fresh) sums->all.push_back({std::string(name), {}, 0, 0, 0, 0, 0, {}, -1});
      Sum& sum = sums->all[at->second];
      sum.nodes.emplace_back(i);
      sum.bytes += node.bytes;
      sum.flops += node.flops;
      if (ran) add_time(sum, NodeId(i), stats[i]);
    }
  }
  std::stable_sort(sums->all.begin(), sums->all.end(),
                   [](const Sum& a, const Sum& b) { return a.time != b.time ? a.time > b.time : a.bytes > b.bytes; });
  return sums;
}

Column time_column(const SumsPtr& sums, const QString& title, const QString& tip, double Sum::*of) {
  return {title, tip,
          [=](size_t r) { return sums->ran ? format_ns(static_cast<Nanoseconds>(sums->all[r].*of)) : QString(); },
          [=](size_t r) { return sums->all[r].*of; }};
}

std::shared_ptr<Table> sums_table(const SumsPtr& sums, const QString& title) {
  auto table = std::make_shared<Table>();
  table->rows = sums->all.size();
  const auto share = [sums](size_t r) { return sums->time > 0 ? sums->all[r].time / sums->time : 0; };
  table->columns = {
      {title,
       {},
       [sums](size_t r) { return sums->all[r].name.empty() ? QStringLiteral("—") : text(sums->all[r].name); }},
      {SumsTexts::tr("Nodes"), SumsTexts::tr("How many nodes of the graph"),
       [sums](size_t r) { return format_count(static_cast<int64_t>(sums->all[r].nodes.size())); },
       [sums](size_t r) { return static_cast<double>(sums->all[r].nodes.size()); }},
      time_column(sums, SumsTexts::tr("Time"), SumsTexts::tr("Sum of its nodes' mean times a run"), &Sum::time),
      {SumsTexts::tr("Share"), SumsTexts::tr("Of the time of all nodes"),
       [=](size_t r) { return sums->ran ? format_percent(share(r)) : QString(); }, share, nullptr, share},
      time_column(sums, SumsTexts::tr("Busy"), SumsTexts::tr("What its parts took together, mean a run"), &Sum::busy),
      time_column(sums, SumsTexts::tr("Waiting"),
                  SumsTexts::tr("What all threads waited together at the barriers behind it, mean a run"),
                  &Sum::waiting),
      bytes_column(SumsTexts::tr("Bytes"), SumsTexts::tr("Size of its results together"),
                   [sums](size_t r) { return static_cast<double>(sums->all[r].bytes); }),
      {SumsTexts::tr("Flops"), SumsTexts::tr("Arithmetic operations"),
       [sums](size_t r) { return format_count(sums->all[r].flops); },
       [sums](size_t r) { return static_cast<double>(sums->all[r].flops); }},
      {SumsTexts::tr("Slowest"), SumsTexts::tr("The node that takes longest"), [sums](size_t r) {
         const NodeId node = sums->all[r].slowest;
         return node.valid() ? text(sums->graph->nodes[node.index()].name) : QString();
       }}};
  return table;
}

TablePtr no_sums() {
  auto table = std::make_shared<Table>();
  table->empty_text = SumsTexts::tr("No graph is open.");
  return table;
}

}  // namespace

TablePtr ops_table(const TableInput& input) {
  if (!input.graph) return no_sums();
  const SumsPtr sums = sums_of(input, op_of);
  auto table = sums_table(sums, SumsTexts::tr("Op"));
  // An op is no thing that can be selected: a row leads to where its time goes.
  table->selection = [sums](size_t r) {
    const NodeId node = sums->all[r].slowest.valid() ? sums->all[r].slowest : sums->all[r].nodes.front();
    return Selection::node(sums->graph->id, node);
  };
  return table;
}

TablePtr layers_table(const TableInput& input) {
  if (!input.graph) return no_sums();
  const SumsPtr sums = sums_of(input, layers_of_node);
  auto table = sums_table(sums, SumsTexts::tr("Layer"));
  table->selection = [sums](size_t r) {
    return Selection(LayerSelection{sums->graph->id, sums->all[r].name, sums->all[r].nodes});
  };
  return table;
}

}  // namespace arenascope::views
