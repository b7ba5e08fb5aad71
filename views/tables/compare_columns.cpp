// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/trace/recorded.h>
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

constexpr double kNothing = std::numeric_limits<double>::lowest();  // sorts first and is displayed empty

using Number = std::function<double(size_t)>;

// The values of a column and their ids; rows without a value have kNothing.
struct Side {
  Number value;
  std::function<std::string(size_t)> id;
};

Column column_of_other(const QString& title, const QString& tip, FigureUnit unit, const Side& b) {
  return figure_column(
      title, tip, unit, [b](size_t r) { return other_figure(b.id(r)); }, b.value,
      [b](size_t r) { return b.value(r) != kNothing; });
}

Column difference_column(const QString& tip, FigureUnit unit, const Side& a, const Side& b) {
  const Number value = [a, b](size_t r) {
    return a.value(r) == kNothing || b.value(r) == kNothing ? kNothing : b.value(r) - a.value(r);
  };
  return difference_column(
      CompareColumnsTexts::tr("B − A"), tip, unit, [a, b](size_t r) { return between("B-A:", a.id(r), b.id(r)); },
      value, [value](size_t r) { return value(r) != kNothing; });
}

// A column of descriptions without figures, such as block numbers.
Column plain_column(const QString& title, const QString& tip, const Number& get) {
  return {title, tip,
          [get](size_t r) { return get(r) == kNothing ? QString() : format_count(static_cast<int64_t>(get(r))); }, get};
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

std::string between(const char* what, const std::string& ours, const std::string& theirs) {
  return what + theirs + "|" + ours;
}

Column difference_column(const QString& title, const QString& tip, FigureUnit unit,
                         std::function<std::string(size_t)> id, std::function<double(size_t)> value,
                         std::function<bool(size_t)> there) {
  const auto make = [=](size_t r) {
    Figure f = there(r) ? figure(id(r), value(r), unit) : Figure();
    if (there(r)) f.text = unit == FigureUnit::Time ? signed_time(f.value) : signed_bytes(f.value);
    return f;
  };
  return with_unit(unit, {title, tip, [make](size_t r) { return make(r).text; }, value, make});
}

void add_node_columns(Table& table, const TableInput& input) {
  const ComparisonPtr c = input.comparison;
  if (!c || !input.graph || !c->other.graph) return;  // a snapshot or trace may have no graph
  const auto graph = input.graph;
  const auto snapshot = input.snapshot;
  const ComparisonSide& o = c->other;
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
    if (other(r) < 0) return kNothing;
    const trace::TensorInfo& node = c->other.graph->nodes[static_cast<size_t>(other(r))];
    return has_size(node) ? static_cast<double>(node.bytes) : kNothing;
  };
  table.columns.push_back({CompareColumnsTexts::tr("In"),
                           CompareColumnsTexts::tr("A: only in this document, B: only in the other"),
                           [other](size_t r) { return other(r) < 0 ? QStringLiteral("A") : QStringLiteral("A B"); }});
  const auto node_b = [other](size_t r) { return NodeId(static_cast<int32_t>(other(r))); };
  const auto tensor_b = [node_b](size_t r) { return TensorRef::node(node_b(r)); };
  const trace::GraphId graph_b = o.graph->id;
  const trace::PlanId plan_b = o.plan ? o.plan->id : trace::PlanId::none();
  table.columns.push_back(column_of_other(
      CompareColumnsTexts::tr("Step B"), {}, FigureUnit::Step,
      {at(step), [=](size_t r) { return plan_figure(plan_b, "step_of.") + std::to_string(node_b(r).value); }}));
  table.columns.push_back(
      column_of_other(CompareColumnsTexts::tr("Bytes B"), {}, FigureUnit::Bytes,
                      {bytes_b, [=](size_t r) { return tensor_figure(graph_b, tensor_b(r), "bytes"); }}));
  table.columns.push_back(
      column_of_other(CompareColumnsTexts::tr("Offset B"), {}, FigureUnit::Address,
                      {at(offset), [=](size_t r) { return slice_figure(plan_b, tensor_b(r), "offset"); }}));
  const Side mean_a{time_a, [id = graph->id](size_t r) { return node_figure(id, NodeId(r), "mean_wall"); }};
  const Side mean_b{time_b, [=](size_t r) { return node_figure(graph_b, node_b(r), "mean_wall"); }};
  table.columns.push_back(column_of_other(CompareColumnsTexts::tr("Mean time B"), {}, FigureUnit::Time, mean_b));
  table.columns.push_back(
      difference_column(CompareColumnsTexts::tr("Difference of mean times"), FigureUnit::Time, mean_a, mean_b));
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
  std::map<int32_t, std::map<int32_t, int>> votes;  // our block: their blocks, and the number of tensors that match
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
  table.columns.push_back(plain_column(CompareColumnsTexts::tr("Block B"),
                                       CompareColumnsTexts::tr("Block in B with the most tensors in common"),
                                       [theirs](size_t r) { return (*theirs)[r]; }));
  table.columns.push_back(column_of_other(CompareColumnsTexts::tr("Bytes B"), {}, FigureUnit::Bytes,
                                          {[bytes](size_t r) { return (*bytes)[r]; },
                                           [theirs, plan = c->other.plan->id](size_t r) {
                                             return block_figure(plan, BlockId(static_cast<int32_t>((*theirs)[r])),
                                                                 "bytes");
                                           }}));
}

void add_object_columns(Table& table, const TableInput& input) {
  const ComparisonPtr c = input.comparison;
  if (!c || input.snapshot->contexts.empty() || c->other.snapshot->contexts.empty()) return;
  const auto ours = input.snapshot->contexts.back();
  std::map<std::pair<std::string, std::string>, std::vector<double>> theirs;  // in reverse order
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
  table.columns.push_back(number_column(
      CompareColumnsTexts::tr("Bytes B"), {}, FigureUnit::Bytes, [sizes](size_t r) { return (*sizes)[r]; },
      [sizes](size_t r) { return (*sizes)[r] != kNothing; }));
}

void add_barrier_columns(Table& table, const TableInput& input, std::function<const trace::Barrier&(size_t)> barrier) {
  const ComparisonPtr c = input.comparison;
  if (!c) return;
  const auto theirs = [=](size_t r) {
    const TensorRef ref = c->match.to_other(TensorRef::node(barrier(r).node));
    return ref.is_node() ? c->other.snapshot->barrier_of(c->other.run, NodeId(ref.index())) : std::nullopt;
  };
  const Side b{[=](size_t r) {
                 const auto there = theirs(r);
                 return there ? static_cast<double>(there->wait_sum) : kNothing;
               },
               [=](size_t r) { return barrier_figure(*theirs(r), "waited"); }};
  const Side a{[=](size_t r) { return static_cast<double>(barrier(r).wait_sum); },
               [=](size_t r) { return barrier_figure(barrier(r), "waited"); }};
  table.columns.push_back(column_of_other(CompareColumnsTexts::tr("Waited B"), {}, FigureUnit::Time, b));
  table.columns.push_back(
      difference_column(CompareColumnsTexts::tr("Difference of the total waits"), FigureUnit::Time, a, b));
}

void add_allocator_columns(Table& table, const TableInput& input, std::function<trace::MemoryKind(size_t)> kind) {
  const ComparisonPtr c = input.comparison;
  if (!c) return;
  const auto snapshot = input.snapshot;
  const auto side = [kind](const std::shared_ptr<const trace::Snapshot>& s) {
    return Side{[=](size_t r) { return static_cast<double>(s->peak(kind(r), trace::MemoryCount::Active)); },
                [=](size_t r) { return kind_figure(kind(r), "active.peak"); }};
  };
  Side b = side(c->other.snapshot);
  b.value = [get = b.value](size_t r) { return get(r) > 0 ? get(r) : kNothing; };  // never reached there
  table.columns.push_back(column_of_other(CompareColumnsTexts::tr("Peak active B"), {}, FigureUnit::Bytes, b));
  table.columns.push_back(
      difference_column(CompareColumnsTexts::tr("Difference of the peaks"), FigureUnit::Bytes, side(snapshot), b));
}

void add_planner_columns(Table& table, const TableInput& input, std::function<const trace::PlanInfo&(size_t)> plan) {
  const ComparisonPtr c = input.comparison;
  if (!c) return;
  struct Arena {
    trace::PlanId plan;
    double bytes = 0;
  };
  auto arenas = std::make_shared<std::map<std::pair<std::string, std::string>, Arena>>();
  const auto take = [&](const trace::PlanInfo& p) {
    (*arenas)[{p.planner, p.order_name}] = {p.id, static_cast<double>(p.arena_bytes)};
  };
  for (const auto& p : c->other.snapshot->plans) take(*p);
  if (c->other.plan) take(*c->other.plan);
  const auto there = [=](size_t r) {
    const auto at = arenas->find({plan(r).planner, plan(r).order_name});
    return at == arenas->end() ? nullptr : &at->second;
  };
  const Side b{[=](size_t r) { return there(r) ? there(r)->bytes : kNothing; },
               [=](size_t r) { return plan_figure(there(r)->plan, "arena"); }};
  const Side a{[plan](size_t r) { return static_cast<double>(plan(r).arena_bytes); },
               [plan](size_t r) { return plan_figure(plan(r).id, "arena"); }};
  table.columns.push_back(column_of_other(CompareColumnsTexts::tr("Arena B"),
                                          CompareColumnsTexts::tr("Same planner and order in B"), FigureUnit::Bytes,
                                          b));
  table.columns.push_back(
      difference_column(CompareColumnsTexts::tr("Difference of the arenas"), FigureUnit::Bytes, a, b));
}

}  // namespace arenascope::views
