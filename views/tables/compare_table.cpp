// SPDX-License-Identifier: GPL-3.0-or-later
// Two sessions compared node by node.
#include <arenascope/trace/recorded.h>
#include <views/common/format.h>
#include <views/tables/compare_columns.h>
#include <QCoreApplication>

namespace arenascope::views {
namespace {

struct CompareTableTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

struct Pair {
  NodeId a, b;
};

// The nodes of A with their counterparts in B, followed by the nodes of B without a counterpart in A.
struct Pairs {
  ComparisonPtr comparison;
  std::shared_ptr<const trace::GraphInfo> graph_a, graph_b;
  std::vector<trace::NodeStats> stats_a, stats_b;
  std::vector<Pair> all;

  explicit Pairs(const TableInput& input)
      : comparison(input.comparison),
        graph_a(input.graph),
        graph_b(comparison->other.graph),
        stats_a(input.snapshot->stats(graph_a->id)),
        stats_b(comparison->other.snapshot->stats(graph_b->id)) {
    const auto& match = comparison->match;
    for (size_t i = 0; i < graph_a->nodes.size(); ++i) {
      const trace::TensorRef other = match.to_other(trace::TensorRef::node(NodeId(i)));
      all.push_back({NodeId(i), other.is_node() ? NodeId(other.index()) : NodeId::none()});
    }
    for (size_t j = 0; j < graph_b->nodes.size(); ++j)
      if (!match.from_other(trace::TensorRef::node(NodeId(j))).valid()) all.push_back({NodeId::none(), NodeId(j)});
  }
  bool both(size_t r) const { return all[r].a.valid() && all[r].b.valid(); }
  trace::TensorRef ref(size_t r) const { return trace::TensorRef::node(all[r].a.valid() ? all[r].a : all[r].b); }
  const trace::TensorInfo& node(size_t r) const {
    return (all[r].a.valid() ? graph_a : graph_b)->nodes[ref(r).index()];
  }
  double time_a(size_t r) const { return mean(stats_a, all[r].a); }
  double time_b(size_t r) const { return mean(stats_b, all[r].b); }
  bool timed(size_t r) const { return time_a(r) > 0 && time_b(r) > 0; }
  double bytes_a(size_t r) const { return bytes(*graph_a, all[r].a); }
  double bytes_b(size_t r) const { return bytes(*graph_b, all[r].b); }
  // False: there is no such node, or its size was not recorded.
  bool has_bytes(size_t r, bool other) const {
    const NodeId node = other ? all[r].b : all[r].a;
    return node.valid() && has_size((other ? graph_b : graph_a)->nodes[node.index()]);
  }
  // Figure id; empty if there is no such node.
  std::string time_id(size_t r, bool other) const {
    const NodeId node = other ? all[r].b : all[r].a;
    return node.valid() ? node_figure((other ? graph_b : graph_a)->id, node, "mean_wall") : std::string();
  }
  std::string bytes_id(size_t r, bool other) const {
    const NodeId node = other ? all[r].b : all[r].a;
    return node.valid() ? tensor_figure((other ? graph_b : graph_a)->id, trace::TensorRef::node(node), "bytes")
                        : std::string();
  }

 private:
  static double mean(const std::vector<trace::NodeStats>& stats, NodeId id) {
    return id.valid() && id.index() < stats.size() ? stats[id.index()].mean : 0.0;
  }
  static double bytes(const trace::GraphInfo& graph, NodeId id) {
    return id.valid() ? static_cast<double>(graph.nodes[id.index()].bytes) : 0.0;
  }
};
using PairsPtr = std::shared_ptr<const Pairs>;

void add_names(std::vector<Column>& columns, const PairsPtr& p) {
  columns.push_back({CompareTableTexts::tr("Node"), {}, [p](size_t r) {
                       return p->node(r).name.empty() ? DisplayNames::node(p->ref(r))
                                                      : QString::fromStdString(p->node(r).name);
                     }});
  columns.push_back({CompareTableTexts::tr("Op"), {}, [p](size_t r) { return QString::fromStdString(p->node(r).op); }});
  columns.push_back(
      {CompareTableTexts::tr("In"), CompareTableTexts::tr("A: only in this document, B: only in the other"),
       [p](size_t r) {
         return p->both(r) ? QStringLiteral("A B") : p->all[r].a.valid() ? QStringLiteral("A") : QStringLiteral("B");
       }});
  columns.push_back(
      {CompareTableTexts::tr("Name in B"), CompareTableTexts::tr("Shown only if the name differs"), [p](size_t r) {
         if (!p->both(r)) return QString();
         const std::string& theirs = p->graph_b->nodes[p->all[r].b.index()].name;
         return theirs == p->node(r).name ? QString() : QString::fromStdString(theirs);
       }});
}

void add_differences(std::vector<Column>& columns, const PairsPtr& p) {
  const auto time = [p](const QString& title, bool other, double (Pairs::*get)(size_t) const) {
    return figure_column(
        title, {}, FigureUnit::Time,
        [=](size_t r) { return other ? other_figure(p->time_id(r, other)) : p->time_id(r, other); },
        [=](size_t r) { return ((*p).*get)(r); }, [=](size_t r) { return ((*p).*get)(r) > 0; });
  };
  const auto size = [p](const QString& title, bool other, double (Pairs::*get)(size_t) const) {
    return figure_column(
        title, {}, FigureUnit::Bytes,
        [=](size_t r) { return other ? other_figure(p->bytes_id(r, other)) : p->bytes_id(r, other); },
        [=](size_t r) { return ((*p).*get)(r); }, [=](size_t r) { return p->has_bytes(r, other); });
  };
  const auto timed = [p](size_t r) { return p->timed(r); };
  const auto times = [p](const char* what) {
    return [=](size_t r) { return between(what, p->time_id(r, false), p->time_id(r, true)); };
  };
  columns.push_back(time(CompareTableTexts::tr("Mean time A"), false, &Pairs::time_a));
  columns.push_back(time(CompareTableTexts::tr("Mean time B"), true, &Pairs::time_b));
  columns.push_back(difference_column(
      CompareTableTexts::tr("B − A"), CompareTableTexts::tr("Difference of mean times"), FigureUnit::Time,
      times("B-A:"), [p](size_t r) { return p->time_b(r) - p->time_a(r); }, timed));
  columns.push_back(figure_column(
      CompareTableTexts::tr("B : A"), CompareTableTexts::tr("Ratio of mean times"), FigureUnit::Ratio, times("B/A:"),
      [p](size_t r) { return p->time_a(r) > 0 ? p->time_b(r) / p->time_a(r) : 0.0; }, timed));
  columns.push_back(size(CompareTableTexts::tr("Bytes A"), false, &Pairs::bytes_a));
  columns.push_back(size(CompareTableTexts::tr("Bytes B"), true, &Pairs::bytes_b));
  columns.push_back(difference_column(
      CompareTableTexts::tr("Bytes B − A"), {}, FigureUnit::Bytes,
      [p](size_t r) { return between("B-A:", p->bytes_id(r, false), p->bytes_id(r, true)); },
      [p](size_t r) { return p->bytes_b(r) - p->bytes_a(r); },
      [p](size_t r) {
        return (!p->all[r].a.valid() || p->has_bytes(r, false)) && (!p->all[r].b.valid() || p->has_bytes(r, true));
      }));
}

}  // namespace

TablePtr compare_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text =
      CompareTableTexts::tr("Nothing to compare with. “Compare ▸ Compare with File…” opens a recording or a model.");
  if (!input.graph || !input.comparison || !input.comparison->other.graph) return table;
  const auto p = std::make_shared<const Pairs>(input);
  table->rows = p->all.size();
  add_names(table->columns, p);
  add_differences(table->columns, p);
  table->selection = [p](size_t r) {
    return p->all[r].a.valid() ? Selection::node(p->graph_a->id, p->all[r].a) : Selection();
  };
  return table;
}

}  // namespace arenascope::views
