// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/tables/compare_columns.h>
#include <QCoreApplication>

#include <cmath>
#include <limits>
#include <map>

namespace arenascope::views {
namespace {

using trace::TensorRef;

struct CompareColumnsTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

constexpr double kNothing = std::numeric_limits<double>::lowest();  // sorts first, and is shown empty

using Number = std::function<double(size_t)>;

Column column(const QString& title, const QString& tip, const Number& get, QString (*text)(double)) {
  return {title, tip, [get, text](size_t r) { return get(r) == kNothing ? QString() : text(get(r)); }, get};
}

QString bytes_text(double v) { return format_bytes(static_cast<Bytes>(v)); }
QString time_text(double v) { return format_ns(static_cast<Nanoseconds>(v)); }
QString count_text(double v) { return format_count(static_cast<int64_t>(v)); }
QString address_text(double v) { return format_address(static_cast<Bytes>(v)); }

Number difference(const Number& a, const Number& b) {
  return [a, b](size_t r) { return a(r) == kNothing || b(r) == kNothing ? kNothing : b(r) - a(r); };
}

}  // namespace

QString signed_bytes(double d) {
  const auto bytes = static_cast<Bytes>(d);
  return bytes == 0 ? QStringLiteral("±0")
                    : (bytes > 0 ? QStringLiteral("+") : QStringLiteral("−")) + format_bytes(std::abs(bytes));
}

QString signed_time(double d) {
  const auto ns = static_cast<Nanoseconds>(d);
  return ns == 0 ? QStringLiteral("±0")
                 : (ns > 0 ? QStringLiteral("+") : QStringLiteral("−")) + format_ns(std::abs(ns));
}

void add_node_columns(Table& table, const TableInput& input) {
  const ComparisonPtr c = input.comparison;
  if (!c || !input.graph) return;
  const auto graph = input.graph;
  const auto snapshot = input.snapshot;
  const Other& o = c->other;
  const size_t theirs = o.graph ? o.graph->nodes.size() : 0;
  auto step = std::make_shared<std::vector<double>>(theirs, kNothing);
  auto offset = std::make_shared<std::vector<double>>(theirs, kNothing);
  if (o.plan) {
    for (size_t s = 0; s < o.plan->order.size(); ++s)
      if (const NodeId n = o.plan->order[s]; n.valid() && n.index() < theirs)
        (*step)[n.index()] = static_cast<double>(s);
    for (const trace::SliceInfo& s : o.plan->slices)
      if (s.tensor.is_node() && s.tensor.index() < theirs) (*offset)[s.tensor.index()] = static_cast<double>(s.offset);
  }
  const auto other = [c](size_t r) {
    const TensorRef ref = c->match.to_other(TensorRef::node(NodeId(r)));
    return ref.is_node() ? static_cast<int64_t>(ref.index()) : -1;
  };
  const auto at = [other](std::shared_ptr<std::vector<double>> list) -> Number {
    return [=](size_t r) { return other(r) < 0 ? kNothing : (*list)[static_cast<size_t>(other(r))]; };
  };
  const auto stats_a = std::make_shared<const std::vector<trace::NodeStats>>(snapshot->stats(graph->id));
  const auto stats_b =
      std::make_shared<const std::vector<trace::NodeStats>>(c->other.snapshot->stats(c->other.graph->id));
  const auto mean = [](const std::vector<trace::NodeStats>& stats, int64_t node) {
    const auto n = static_cast<size_t>(node);
    return node >= 0 && n < stats.size() && stats[n].runs > 0 ? stats[n].mean : kNothing;
  };
  const Number time_a = [=](size_t r) { return mean(*stats_a, static_cast<int64_t>(r)); };
  const Number time_b = [=](size_t r) { return mean(*stats_b, other(r)); };
  const Number bytes_b = [=](size_t r) {
    return other(r) < 0 ? kNothing : static_cast<double>(c->other.graph->nodes[static_cast<size_t>(other(r))].bytes);
  };
  table.columns.push_back({CompareColumnsTexts::tr("In"), CompareColumnsTexts::tr("A: only here, B: only in the other"),
                           [other](size_t r) { return other(r) < 0 ? QStringLiteral("A") : QStringLiteral("A B"); }});
  table.columns.push_back(column(CompareColumnsTexts::tr("Step B"), {}, at(step), count_text));
  table.columns.push_back(column(CompareColumnsTexts::tr("Bytes B"), {}, bytes_b, bytes_text));
  table.columns.push_back(column(CompareColumnsTexts::tr("Offset B"), {}, at(offset), address_text));
  table.columns.push_back(column(CompareColumnsTexts::tr("Mean time B"), {}, time_b, time_text));
  table.columns.push_back(column(CompareColumnsTexts::tr("B − A"),
                                 CompareColumnsTexts::tr("Difference of the mean times"), difference(time_a, time_b),
                                 signed_time));
}

void add_block_columns(Table& table, const TableInput& input, std::shared_ptr<const std::vector<BlockId>> blocks) {
  const ComparisonPtr c = input.comparison;
  if (!c || !input.plan || !c->other.plan) return;
  struct Place {
    Bytes lo = INT64_MAX, hi = 0;
  };
  std::map<int32_t, Place> place;        // their blocks
  std::map<uint32_t, int32_t> block_of;  // their tensors
  for (const trace::SliceInfo& s : c->other.plan->slices) {
    block_of[s.tensor.value] = s.block.value;
    Place& p = place[s.block.value];
    p.lo = std::min(p.lo, s.offset);
    p.hi = std::max(p.hi, s.offset + s.size);
  }
  std::map<int32_t, std::map<int32_t, int>> votes;  // our block: theirs, and how many tensors say so
  for (const trace::SliceInfo& s : input.plan->slices)
    if (const auto at = block_of.find(c->match.to_other(s.tensor).value); at != block_of.end())
      ++votes[s.block.value][at->second];
  auto theirs = std::make_shared<std::vector<double>>(blocks->size(), kNothing);
  auto bytes = std::make_shared<std::vector<double>>(blocks->size(), kNothing);
  for (size_t r = 0; r < blocks->size(); ++r) {
    const auto at = votes.find((*blocks)[r].value);
    if (at == votes.end()) continue;
    const auto best = std::max_element(at->second.begin(), at->second.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    (*theirs)[r] = best->first;
    (*bytes)[r] = static_cast<double>(place[best->first].hi - place[best->first].lo);
  }
  table.columns.push_back(column(
      CompareColumnsTexts::tr("Block B"),
      CompareColumnsTexts::tr("The block there that holds most of the same tensors"),
      [theirs](size_t r) { return (*theirs)[r]; }, count_text));
  table.columns.push_back(column(
      CompareColumnsTexts::tr("Bytes B"), {}, [bytes](size_t r) { return (*bytes)[r]; }, bytes_text));
}

void add_object_columns(Table& table, const TableInput& input) {
  const ComparisonPtr c = input.comparison;
  if (!c || input.snapshot->contexts.empty() || c->other.snapshot->contexts.empty()) return;
  const auto ours = input.snapshot->contexts.back();
  std::map<std::pair<std::string, std::string>, std::vector<double>> theirs;  // from the last to the first
  const auto& list = c->other.snapshot->contexts.back()->objects;
  for (size_t i = list.size(); i-- > 0;)
    theirs[{list[i].type, list[i].name}].push_back(static_cast<double>(list[i].size));
  auto sizes = std::make_shared<std::vector<double>>(ours->objects.size(), kNothing);
  for (size_t i = 0; i < ours->objects.size(); ++i) {
    const auto at = theirs.find({ours->objects[i].type, ours->objects[i].name});
    if (at == theirs.end() || at->second.empty()) continue;
    (*sizes)[i] = at->second.back();
    at->second.pop_back();
  }
  table.columns.push_back(column(
      CompareColumnsTexts::tr("Bytes B"), {}, [sizes](size_t r) { return (*sizes)[r]; }, bytes_text));
}

void add_barrier_columns(Table& table, const TableInput& input, std::function<NodeId(size_t)> node,
                         std::function<Nanoseconds(size_t)> waited) {
  const ComparisonPtr c = input.comparison;
  if (!c) return;
  const Number theirs = [=](size_t r) {
    const TensorRef ref = c->match.to_other(TensorRef::node(node(r)));
    if (!ref.is_node()) return kNothing;
    const auto b = c->other.snapshot->barrier_of(c->other.run, NodeId(ref.index()));
    return b ? static_cast<double>(b->wait_sum) : kNothing;
  };
  const Number ours = [waited](size_t r) { return static_cast<double>(waited(r)); };
  table.columns.push_back(column(CompareColumnsTexts::tr("Waited B"), {}, theirs, time_text));
  table.columns.push_back(column(CompareColumnsTexts::tr("B − A"), CompareColumnsTexts::tr("Difference of the waiting"),
                                 difference(ours, theirs), signed_time));
}

void add_allocator_columns(Table& table, const TableInput& input, std::function<trace::MemoryKind(size_t)> kind) {
  const ComparisonPtr c = input.comparison;
  if (!c) return;
  const auto snapshot = input.snapshot;
  const Number ours = [=](size_t r) {
    return static_cast<double>(snapshot->peak(kind(r), trace::MemoryCount::Active));
  };
  const Number theirs = [=](size_t r) {
    return static_cast<double>(c->other.snapshot->peak(kind(r), trace::MemoryCount::Active));
  };
  table.columns.push_back(column(CompareColumnsTexts::tr("Peak active B"), {}, theirs, bytes_text));
  table.columns.push_back(column(CompareColumnsTexts::tr("B − A"), CompareColumnsTexts::tr("Difference of the peaks"),
                                 difference(ours, theirs), signed_bytes));
}

void add_planner_columns(Table& table, const TableInput& input, std::function<const trace::PlanInfo&(size_t)> plan) {
  const ComparisonPtr c = input.comparison;
  if (!c) return;
  auto arenas = std::make_shared<std::map<std::pair<std::string, std::string>, double>>();
  for (const auto& p : c->other.snapshot->plans)
    (*arenas)[{p->planner, p->order_name}] = static_cast<double>(p->arena_bytes);
  if (c->other.plan)
    (*arenas)[{c->other.plan->planner, c->other.plan->order_name}] = static_cast<double>(c->other.plan->arena_bytes);
  const Number theirs = [=](size_t r) {
    const auto at = arenas->find({plan(r).planner, plan(r).order_name});
    return at == arenas->end() ? kNothing : at->second;
  };
  const Number ours = [plan](size_t r) { return static_cast<double>(plan(r).arena_bytes); };
  table.columns.push_back(column(CompareColumnsTexts::tr("Arena B"),
                                 CompareColumnsTexts::tr("By the same planner and order there"), theirs, bytes_text));
  table.columns.push_back(column(CompareColumnsTexts::tr("B − A"), CompareColumnsTexts::tr("Difference of the arenas"),
                                 difference(ours, theirs), signed_bytes));
}

}  // namespace arenascope::views
