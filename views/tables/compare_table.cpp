// SPDX-License-Identifier: GPL-3.0-or-later
// Two sessions side by side, node by node.
#include <views/common/format.h>
#include <views/tables/compare_columns.h>
#include <QCoreApplication>

namespace arenascope::views {
namespace {

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

struct Pair {
  NodeId a, b;
};

}  // namespace

TablePtr compare_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text =
      Texts::tr("Nothing to compare with. “Compare ▸ Compare with File…” opens a recording or a model.");
  const ComparisonPtr c = input.comparison;
  const auto graph_a = input.graph, graph_b = c ? c->other.graph : nullptr;
  if (!graph_a || !graph_b) return table;
  const SnapshotPtr a = input.snapshot, b = c->other.snapshot;
  auto pairs = std::make_shared<std::vector<Pair>>();
  for (size_t i = 0; i < graph_a->nodes.size(); ++i) {
    const trace::TensorRef other = c->match.to_other(trace::TensorRef::node(NodeId(i)));
    pairs->push_back({NodeId(i), other.is_node() ? NodeId(other.index()) : NodeId::none()});
  }
  for (size_t j = 0; j < graph_b->nodes.size(); ++j)
    if (!c->match.from_other(trace::TensorRef::node(NodeId(j))).valid()) pairs->push_back({NodeId::none(), NodeId(j)});

  const auto node = [=](size_t r) -> const trace::TensorInfo& {
    const Pair& p = (*pairs)[r];
    return p.a.valid() ? graph_a->nodes[p.a.index()] : graph_b->nodes[p.b.index()];
  };
  using Stats = std::vector<trace::NodeStats>;
  const auto stats_a = std::make_shared<const Stats>(a->stats(graph_a->id)),
             stats_b = std::make_shared<const Stats>(b->stats(graph_b->id));
  const auto mean = [](const Stats& stats, NodeId id) {
    return id.valid() && id.index() < stats.size() ? stats[id.index()].mean : 0.0;
  };
  const auto bytes = [](const std::shared_ptr<const trace::GraphInfo>& g, NodeId id) {
    return id.valid() ? static_cast<double>(g->nodes[id.index()].bytes) : 0.0;
  };
  const auto time_a = [=](size_t r) { return mean(*stats_a, (*pairs)[r].a); };
  const auto time_b = [=](size_t r) { return mean(*stats_b, (*pairs)[r].b); };
  const auto bytes_a = [=](size_t r) { return bytes(graph_a, (*pairs)[r].a); };
  const auto bytes_b = [=](size_t r) { return bytes(graph_b, (*pairs)[r].b); };
  const auto time = [](const QString& title, std::function<double(size_t)> get) {
    return Column{title,
                  {},
                  [get](size_t r) { return get(r) > 0 ? format_ns(static_cast<Nanoseconds>(get(r))) : QString(); },
                  get};
  };
  const auto size = [](const QString& title, std::function<double(size_t)> get) {
    return Column{title, {}, [get](size_t r) { return format_bytes(static_cast<Bytes>(get(r))); }, get};
  };
  table->rows = pairs->size();
  table->columns = {
      {Texts::tr("Node"),
       {},
       [=](size_t r) {
         const trace::TensorRef ref = trace::TensorRef::node((*pairs)[r].a.valid() ? (*pairs)[r].a : (*pairs)[r].b);
         return node(r).name.empty() ? Words::node(ref) : QString::fromStdString(node(r).name);
       }},
      {Texts::tr("Op"), {}, [=](size_t r) { return QString::fromStdString(node(r).op); }},
      {Texts::tr("In"), Texts::tr("A: only here, B: only in the other"),
       [=](size_t r) {
         const Pair& p = (*pairs)[r];
         return p.a.valid() && p.b.valid() ? QStringLiteral("A B")
                : p.a.valid()              ? QStringLiteral("A")
                                           : QStringLiteral("B");
       }},
      {Texts::tr("Name in B"), Texts::tr("Where it is called otherwise"),
       [=](size_t r) {
         const Pair& p = (*pairs)[r];
         if (!p.a.valid() || !p.b.valid()) return QString();
         const std::string& theirs = graph_b->nodes[p.b.index()].name;
         return theirs == node(r).name ? QString() : QString::fromStdString(theirs);
       }},
      time(Texts::tr("Mean time A"), time_a),
      time(Texts::tr("Mean time B"), time_b),
      {Texts::tr("B − A"), Texts::tr("Difference of the mean times"),
       [=](size_t r) { return time_a(r) > 0 && time_b(r) > 0 ? signed_time(time_b(r) - time_a(r)) : QString(); },
       [=](size_t r) { return time_b(r) - time_a(r); }},
      {Texts::tr("B : A"), Texts::tr("Ratio of the mean times"),
       [=](size_t r) {
         return time_a(r) > 0 && time_b(r) > 0 ? QString::number(time_b(r) / time_a(r), 'f', 2) : QString();
       },
       [=](size_t r) { return time_a(r) > 0 ? time_b(r) / time_a(r) : 0.0; }},
      size(Texts::tr("Bytes A"), bytes_a),
      size(Texts::tr("Bytes B"), bytes_b),
      {Texts::tr("Bytes B − A"),
       {},
       [=](size_t r) { return signed_bytes(bytes_b(r) - bytes_a(r)); },
       [=](size_t r) { return bytes_b(r) - bytes_a(r); }},
  };
  table->selection = [=](size_t r) {
    return (*pairs)[r].a.valid() ? Selection::node(graph_a->id, (*pairs)[r].a) : Selection();
  };
  return table;
}

}  // namespace arenascope::views
