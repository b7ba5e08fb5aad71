// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes of the graph: properties, location of the result, and times over all runs.
#include <arenascope/trace/recorded.h>
#include <arenascope/trace/unknown_size.h>
#include <views/common/format.h>
#include <views/common/rates.h>
#include <views/tables/compare_columns.h>
#include <QCoreApplication>
#include <algorithm>
#include <map>

namespace arenascope::views {
namespace {

using trace::TensorRef;

struct NodesTableTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

// Shared by the columns: the graph, and the step, slice and statistics of each node.
struct Nodes {
  std::shared_ptr<const trace::GraphInfo> graph;
  std::shared_ptr<const trace::PlanInfo> plan;
  std::vector<int32_t> step, slice;  // -1: none
  std::vector<trace::NodeStats> all_stats;
  std::map<int32_t, QStringList> kernels;  // device kernels by node, in the run

  explicit Nodes(const TableInput& input)
      : graph(input.graph),
        plan(input.plan),
        step(graph->nodes.size(), -1),
        slice(graph->nodes.size(), -1),
        all_stats(input.snapshot->stats(graph->id)) {
    find_kernels(*input.snapshot, input.run);
    if (!plan) return;
    for (size_t s = 0; s < plan->order.size(); ++s)
      if (plan->order[s].valid() && plan->order[s].index() < step.size())
        step[plan->order[s].index()] = static_cast<int32_t>(s);
    for (size_t s = 0; s < plan->slices.size(); ++s)
      if (const TensorRef t = plan->slices[s].tensor; t.is_node() && t.index() < slice.size())
        slice[t.index()] = static_cast<int32_t>(s);
  }
  void find_kernels(const trace::Snapshot& snapshot, trace::RunId id) {
    const trace::Run* run = snapshot.run(id);
    for (size_t t = 0; run != nullptr && t < snapshot.tracks.size(); ++t) {
      if (snapshot.tracks[t].info.kind != trace::TrackKind::DeviceQueue) continue;
      for (const trace::SpanRef& ref :
           snapshot.spans_exact(trace::TrackId(t), run->info.begin, run->until() + 1, size_t{1} << 20)) {
        const trace::Event& e = snapshot.event(ref);
        if (e.kind() != trace::EventKind::Work || e.run() != id) continue;
        const std::string_view kernel = snapshot.kernel(e);
        const QString name = QString::fromUtf8(kernel.data(), static_cast<qsizetype>(kernel.size()));
        if (QStringList& list = kernels[e.node().value]; !name.isEmpty() && !list.contains(name)) list << name;
      }
    }
  }
  const trace::TensorInfo& node(size_t r) const { return graph->nodes[r]; }
  const trace::SliceInfo* place(size_t r) const {
    return slice[r] >= 0 ? &plan->slices[static_cast<size_t>(slice[r])] : nullptr;
  }
  trace::NodeStats stats(size_t r) const { return r < all_stats.size() ? all_stats[r] : trace::NodeStats(); }
  std::string figure_id(size_t r, const char* what) const { return node_figure(graph->id, NodeId(r), what); }
};
using NodesPtr = std::shared_ptr<const Nodes>;
using Columns = std::vector<Column>;

void add_identity(Columns& columns, const NodesPtr& n) {
  const auto word = [&](const QString& title, std::string trace::TensorInfo::*field) {
    columns.push_back({title, {}, [=](size_t r) { return text(n->node(r).*field); }});
  };
  columns.push_back(number_column(
      NodesTableTexts::tr("Step"), NodesTableTexts::tr("Position in the execution order"), FigureUnit::Step,
      [=](size_t r) { return static_cast<double>(n->step[r]); }, [=](size_t r) { return n->step[r] >= 0; }));
  columns.push_back({NodesTableTexts::tr("Name"), {}, [=](size_t r) {
                       return n->node(r).name.empty() ? DisplayNames::node(TensorRef::node(NodeId(r)))
                                                      : text(n->node(r).name);
                     }});
  if (std::ranges::any_of(n->graph->nodes, [](const trace::TensorInfo& t) { return !t.file_nodes.empty(); })) {
    const auto of_file = [&](const QString& title, const QString& tip, std::string trace::FileNodeInfo::*field) {
      columns.push_back({title, tip, [=](size_t r) {
                           QStringList all;
                           for (const trace::FileNodeInfo& node : n->node(r).file_nodes) all << text(node.*field);
                           all.removeAll(QString());
                           return all.join(QStringLiteral(", "));
                         }});
    };
    of_file(NodesTableTexts::tr("Name in file"), NodesTableTexts::tr("Nodes of the model's file that it computes"),
            &trace::FileNodeInfo::name);
    of_file(NodesTableTexts::tr("Op in file"), NodesTableTexts::tr("Operators of these nodes"),
            &trace::FileNodeInfo::op);
  }
  word(NodesTableTexts::tr("Op"), &trace::TensorInfo::op);
  word(NodesTableTexts::tr("Layer"), &trace::TensorInfo::layer);
  columns.push_back({NodesTableTexts::tr("Shape"), NodesTableTexts::tr("Outermost dimension first"), [=](size_t r) {
                       const trace::TensorInfo& t = n->node(r);
                       if (trace::has_unknown_size(t)) return DisplayNames::tr("size unknown");
                       return t.shape.empty() && t.dtype.empty() ? QString() : format_shape(t.shape);
                     }});
  word(NodesTableTexts::tr("Type"), &trace::TensorInfo::dtype);
}

void add_place(Columns& columns, const NodesPtr& n) {
  columns.push_back(number_column(
      NodesTableTexts::tr("Bytes"), NodesTableTexts::tr("Size of the result"), FigureUnit::Bytes,
      [=](size_t r) { return static_cast<double>(n->node(r).bytes); }, [=](size_t r) { return has_size(n->node(r)); }));
  columns.back().adds_up = true;
  columns.push_back(number_column(
      NodesTableTexts::tr("Offset"), NodesTableTexts::tr("First byte in the arena"), FigureUnit::Address,
      [=](size_t r) { return n->place(r) ? static_cast<double>(n->place(r)->offset) : -1.0; },
      [=](size_t r) { return n->place(r) != nullptr; }));
  columns.push_back({NodesTableTexts::tr("Block"),
                     NodesTableTexts::tr("Block that holds the tensor; the tensors of a block use it in sequence"),
                     [=](size_t r) {
                       const auto* s = n->place(r);
                       return s && s->block.valid() ? QString::number(s->block.value) : QString();
                     },
                     [=](size_t r) { return n->place(r) ? static_cast<double>(n->place(r)->block.value) : -1.0; }});
}

// A time over the runs; no value if the node never ran.
template <class Get>
Column run_time(const NodesPtr& n, const QString& title, const QString& tip, const char* what, Get get) {
  return figure_column(
      title, tip, FigureUnit::Time, [=](size_t r) { return n->figure_id(r, what); },
      [=](size_t r) { return static_cast<double>(get(n->stats(r))); }, [=](size_t r) { return n->stats(r).runs > 0; });
}

void add_times(Columns& columns, const NodesPtr& n) {
  using Stats = trace::NodeStats;
  const auto add = [&](const QString& title, const QString& tip, const char* what, auto get, bool adds_up = false) {
    columns.push_back(run_time(n, title, tip, what, get));
    columns.back().adds_up = adds_up;
  };
  add(
      NodesTableTexts::tr("Mean time"),
      NodesTableTexts::tr("Wall time per run, from the begin of the first chunk to the end of the last; excludes the "
                          "cold first run if there are others"),
      "mean_wall", [](const Stats& s) { return s.mean; }, true);
  add(NodesTableTexts::tr("Median"), NodesTableTexts::tr("Median of its wall times, one per run"), "median_wall",
      [](const Stats& s) { return s.median; });
  add(NodesTableTexts::tr("Quartile 1"), NodesTableTexts::tr("25th percentile, interpolated"), "lower_quartile_wall",
      [](const Stats& s) { return s.quartile1; });
  add(NodesTableTexts::tr("Quartile 3"), NodesTableTexts::tr("75th percentile, interpolated"), "upper_quartile_wall",
      [](const Stats& s) { return s.quartile3; });
  add(NodesTableTexts::tr("p90"), NodesTableTexts::tr("90th percentile, interpolated"), "percentile90_wall",
      [](const Stats& s) { return s.percentile90; });
  add(NodesTableTexts::tr("p99"), NodesTableTexts::tr("99th percentile, interpolated"), "percentile99_wall",
      [](const Stats& s) { return s.percentile99; });
  add(NodesTableTexts::tr("Longest"), NodesTableTexts::tr("Longest of its wall times"), "longest_wall",
      [](const Stats& s) { return s.longest; });
  add(
      NodesTableTexts::tr("Busy"), NodesTableTexts::tr("Total time of its chunks, mean per run"), "busy",
      [](const Stats& s) { return s.busy; }, true);
  columns.push_back(figure_column(
      NodesTableTexts::tr("First run"),
      NodesTableTexts::tr("Wall time in the first run of this plan, when caches were cold"), FigureUnit::Time,
      [=](size_t r) { return n->figure_id(r, "cold_wall"); },
      [=](size_t r) { return static_cast<double>(n->stats(r).first.value_or(0)); },
      [=](size_t r) { return n->stats(r).first.has_value(); }));
  columns.back().adds_up = true;
}

QString runs_text(const trace::NodeStats& s) {
  if (s.runs == 0) return {};
  return s.cold         ? NodesTableTexts::tr("%1, cold").arg(format_count(s.runs))
         : s.incomplete ? NodesTableTexts::tr("%1, incomplete").arg(format_count(s.runs))
                        : format_count(s.runs);
}

void add_work(Columns& columns, const NodesPtr& n) {
  if (!n->kernels.empty())
    columns.push_back({NodesTableTexts::tr("Kernels"),
                       NodesTableTexts::tr("Kernels executed by the device in this run"), [=](size_t r) {
                         const auto it = n->kernels.find(static_cast<int32_t>(r));
                         return it == n->kernels.end() ? QString() : it->second.join(QStringLiteral(", "));
                       }});
  columns.push_back({NodesTableTexts::tr("Runs"), NodesTableTexts::tr("Number of runs that the times are from"),
                     [=](size_t r) { return runs_text(n->stats(r)); },
                     [=](size_t r) { return static_cast<double>(n->stats(r).runs); },
                     [=](size_t r) {
                       const auto runs = static_cast<double>(n->stats(r).runs);
                       return runs == 0 ? Figure() : figure(n->figure_id(r, "counted_runs"), runs, FigureUnit::Count);
                     }});
  columns.push_back(figure_column(
      NodesTableTexts::tr("Waiting"), NodesTableTexts::tr("Total barrier wait afterwards, all threads, mean per run"),
      FigureUnit::Time, [=](size_t r) { return n->figure_id(r, "wait"); }, [=](size_t r) { return n->stats(r).wait; },
      [=](size_t r) { return n->stats(r).barriers > 0; }));
  columns.back().adds_up = true;
  columns.push_back({NodesTableTexts::tr("Tasks"), NodesTableTexts::tr("Number of chunks that it is split into"),
                     [=](size_t r) { return has_tasks(n->node(r)) ? QString::number(n->node(r).tasks) : QString(); },
                     [=](size_t r) { return static_cast<double>(n->node(r).tasks); }});
  columns.push_back({NodesTableTexts::tr("Flops"), NodesTableTexts::tr("Arithmetic operations"),
                     [=](size_t r) { return has_flops(n->node(r)) ? format_count(n->node(r).flops) : QString(); },
                     [=](size_t r) { return static_cast<double>(n->node(r).flops); }});
  columns.back().adds_up = true;
}

// Missing values sort below all others. `what`: name of the figure; null: of described values only.
Column rate_column(const NodesPtr& n, const QString& title, const QString& tip, const char* what,
                   std::optional<double> trace::NodeRates::*rate) {
  const auto value = [=](size_t r) { return rates_of(*n->graph, NodeId(r), n->stats(r)).*rate; };
  const auto text_of = [=](size_t r) {
    const auto known = value(r);
    return known ? format_rate(*known) : QString();
  };
  Column column{title, tip, text_of, [=](size_t r) { return value(r).value_or(-1); }};
  if (what != nullptr)
    column.figure = [=](size_t r) {
      const auto known = value(r);
      if (!known) return Figure();
      Figure out = figure(n->figure_id(r, what), *known, FigureUnit::Ratio);
      out.text = format_rate(*known);
      return out;
    };
  return column;
}

void add_rates(Columns& columns, const NodesPtr& n) {
  columns.push_back(rate_column(n, NodesTableTexts::tr("GFLOP/s"),
                                NodesTableTexts::tr("Operations per second at its median time"), "speed",
                                &trace::NodeRates::gflops));
  columns.push_back(rate_column(n, NodesTableTexts::tr("GB/s"),
                                NodesTableTexts::tr("Bytes of its result and inputs per second, at its median time"),
                                "bandwidth", &trace::NodeRates::bandwidth));
  columns.push_back(
      rate_column(n, NodesTableTexts::tr("FLOP/B"),
                  NodesTableTexts::tr("Arithmetic intensity: operations per byte of its result and inputs"), nullptr,
                  &trace::NodeRates::intensity));
}

}  // namespace

TablePtr nodes_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = NodesTableTexts::tr("This file contains no graph.");
  if (!input.graph) return table;
  const auto n = std::make_shared<const Nodes>(input);
  table->rows = n->graph->nodes.size();
  add_identity(table->columns, n);
  add_place(table->columns, n);
  add_times(table->columns, n);
  add_work(table->columns, n);
  add_rates(table->columns, n);
  add_node_columns(*table, input);
  table->selection = [n](size_t r) { return Selection::node(n->graph->id, NodeId(r)); };
  table->inside = [n](size_t r, const RangeFilter& f) {
    if (f.steps && !f.has_step(n->step[r], n->step[r] + 1)) return false;
    if (!f.addresses) return true;
    const auto* s = n->place(r);
    return s != nullptr && f.has_address(s->offset, s->offset + s->size);
  };
  return table;
}

}  // namespace arenascope::views
