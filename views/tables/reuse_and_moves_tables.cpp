// SPDX-License-Identifier: GPL-3.0-or-later
// GE's two optimisations step by step: two-level reuse for the tensors of the shown plan, and the moves of its
// topological optimisation of the graph.
#include <arenascope/graph/order_ge.h>
#include <arenascope/planner/reuse_steps.h>
#include <arenascope/schedule/restore.h>
#include <views/common/format.h>
#include <views/common/steps_text.h>
#include <QCoreApplication>

#include <map>

#include <views/tables/table.h>

namespace arenascope::views {
namespace {

struct ReuseAndMovesTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

constexpr size_t kMaxNodes = 20'000;  // limit: the cost of evaluating all moves grows quickly

QString step_tensor(const trace::GraphInfo* graph, trace::TensorRef ref) {
  if (graph != nullptr) {
    const auto& list = ref.is_leaf() ? graph->leafs : graph->nodes;
    if (ref.index() < list.size() && !list[ref.index()].name.empty())
      return QString::fromStdString(list[ref.index()].name);
  }
  return DisplayNames::node(ref);
}

// The planning problem of the plan's tensors.
planner::Problem problem_of(const trace::PlanInfo& plan) {
  planner::Problem problem;
  problem.alignment = std::max<Bytes>(plan.alignment, 1);
  std::map<trace::TensorRef, int32_t> at;
  for (const trace::SliceInfo& s : plan.slices) {
    at.emplace(s.tensor, static_cast<int32_t>(problem.intervals.size()));
    planner::Interval& interval = problem.intervals.emplace_back();
    interval.lower = s.first.value;
    interval.upper = s.last.value;
    interval.size = s.size;
  }
  for (size_t i = 0; i < plan.slices.size(); ++i) {
    const trace::SliceInfo& s = plan.slices[i];
    if (const auto of = at.find(s.in_place_of); of != at.end())
      problem.in_place.push_back({of->second, static_cast<int32_t>(i), 0});
    if (const auto of = at.find(s.part_of); of != at.end())
      problem.attachments.push_back(
          {static_cast<int32_t>(i), of->second, s.offset - plan.slices[static_cast<size_t>(of->second)].offset});
  }
  return problem;
}

// A row: a block of level 1, or a move of level 2.
struct ReuseRow {
  int level = 1;
  size_t block = 0;
  size_t move = 0;          // level 2 only
  int64_t blocks_left = 0;  // level 1: intervals not yet in a block; level 2: blocks not yet placed
};

struct ReusePlayback {
  planner::ReuseSteps steps;
  std::vector<ReuseRow> rows;
};

ReusePlayback playback_of(planner::ReuseSteps steps) {
  ReusePlayback out;
  int64_t left = steps.intervals;
  for (size_t b = 0; b < steps.blocks.size(); ++b) {
    left -= static_cast<int64_t>(steps.blocks[b].intervals.size()) - 1;
    out.rows.push_back({1, b, 0, left});
  }
  left = static_cast<int64_t>(steps.blocks.size());
  for (size_t m = 0; m < steps.moves.size(); ++m) {
    using Outcome = planner::ReuseMove::Outcome;
    const Outcome outcome = steps.moves[m].outcome;
    if (outcome == Outcome::Holds || outcome == Outcome::Merges) --left;
    out.rows.push_back({2, static_cast<size_t>(steps.moves[m].block), m, left});
  }
  out.steps = std::move(steps);
  return out;
}

QString outcome_text(const planner::ReuseMove& move) {
  const QString at = format_address(move.offset);
  switch (move.outcome) {
    case planner::ReuseMove::Outcome::Holds: return ReuseAndMovesTexts::tr("new block at %1").arg(at);
    case planner::ReuseMove::Outcome::Merges:
      return ReuseAndMovesTexts::tr("placed in block %1 at %2").arg(move.holder + 1).arg(at);
    case planner::ReuseMove::Outcome::Meets:
      return ReuseAndMovesTexts::tr("overlaps block %1: deferred").arg(move.holder + 1);
    case planner::ReuseMove::Outcome::NoPlace:
      return ReuseAndMovesTexts::tr("block %1 has no free range for it: deferred").arg(move.holder + 1);
  }
  return {};
}

Column count_column(const QString& title, const QString& tip, std::function<int64_t(size_t)> get) {
  return number_column(title, tip, FigureUnit::Count, [get](size_t r) { return static_cast<double>(get(r)); });
}

Column step_bytes_column(const QString& title, const QString& tip, std::function<Bytes(size_t)> get) {
  return number_column(title, tip, FigureUnit::Bytes, [get](size_t r) { return static_cast<double>(get(r)); });
}

struct MoveRow {
  QString base;
  GeMove move;
  bool taken = false;
};

std::vector<MoveRow> moves_of(const trace::GraphInfo& info) {
  std::vector<MoveRow> rows;
  auto graph = restore_graph(info);
  if (!graph) return rows;
  for (const std::string_view base : kGeBaseOrders) {
    GeOptions options;
    options.base = base;
    options.peaks = true;
    const auto ge = optimise_like_ge(*graph, options);
    if (!ge) continue;
    for (const GeMove& move : ge->moves)
      rows.push_back({QString::fromLatin1(base.data(), std::ssize(base)), move, ge->taken});
  }
  return rows;
}

std::vector<Column> reuse_columns(const std::shared_ptr<const ReusePlayback>& playback,
                                  const std::shared_ptr<const trace::PlanInfo>& plan,
                                  const std::shared_ptr<const trace::GraphInfo>& graph) {
  const auto row = [playback](size_t r) -> const ReuseRow& { return playback->rows[r]; };
  const auto block = [playback, row](size_t r) -> const planner::ReuseBlock& {
    return playback->steps.blocks[row(r).block];
  };
  const auto names = [=](size_t r) {
    constexpr size_t kMaxEntries = 8;
    QStringList out;
    for (const int32_t i : block(r).intervals) {
      if (out.size() == static_cast<qsizetype>(kMaxEntries)) {
        out << QStringLiteral("…");
        break;
      }
      out << step_tensor(graph.get(), plan->slices[static_cast<size_t>(i)].tensor);
    }
    return out.join(QStringLiteral(" → "));
  };
  return {
      count_column(ReuseAndMovesTexts::tr("Step"), ReuseAndMovesTexts::tr("↓ steps through it"),
                   [](size_t r) { return static_cast<int64_t>(r) + 1; }),
      count_column(
          ReuseAndMovesTexts::tr("Level"),
          ReuseAndMovesTexts::tr("1: tensors of equal size form a block; 2: blocks are placed into larger ones"),
          [row](size_t r) { return int64_t{row(r).level}; }),
      count_column(ReuseAndMovesTexts::tr("Block"),
                   ReuseAndMovesTexts::tr("Position in the list sorted by decreasing size"),
                   [row](size_t r) { return static_cast<int64_t>(row(r).block) + 1; }),
      step_bytes_column(ReuseAndMovesTexts::tr("Bytes"), {}, [block](size_t r) { return block(r).size; }),
      {ReuseAndMovesTexts::tr("Action"),
       {},
       [=](size_t r) {
         const ReuseRow& at = row(r);
         if (at.level == 2) return outcome_text(playback->steps.moves[at.move]);
         const auto joined = static_cast<int>(block(r).intervals.size());
         return joined > 1 ? ReuseAndMovesTexts::tr("%n tensor(s) of equal size, in sequence", nullptr, joined)
                           : ReuseAndMovesTexts::tr("one tensor");
       }},
      {ReuseAndMovesTexts::tr("Lifetime"), ReuseAndMovesTexts::tr("Steps, from its first tensor to its last"),
       [block](size_t r) { return format_steps(block(r).lower, block(r).upper); },
       [block](size_t r) { return static_cast<double>(block(r).lower); }},
      {ReuseAndMovesTexts::tr("Tensors"), {}, names},
      count_column(ReuseAndMovesTexts::tr("Remaining"),
                   ReuseAndMovesTexts::tr("Level 1: blocks so far; level 2: blocks not yet placed"),
                   [row](size_t r) { return row(r).blocks_left; }),
      step_bytes_column(
          ReuseAndMovesTexts::tr("Arena"), ReuseAndMovesTexts::tr("Total size placed so far"),
          [=](size_t r) { return row(r).level == 2 ? playback->steps.moves[row(r).move].arena_bytes : Bytes{0}; }),
  };
}

}  // namespace

TablePtr reuse_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  const auto plan = input.plan;
  table->empty_text = plan ? ReuseAndMovesTexts::tr("The plan has no tensors to place.")
                           : ReuseAndMovesTexts::tr("This file contains no memory plan.");
  if (!plan || plan->slices.empty()) return table;
  auto steps = planner::reuse_steps(problem_of(*plan));
  if (!steps) {
    table->empty_text = QString::fromStdString(steps.error().message);
    return table;
  }
  const auto playback = std::make_shared<const ReusePlayback>(playback_of(std::move(*steps)));
  table->rows = playback->rows.size();
  table->columns = reuse_columns(playback, plan, input.graph);
  const auto block = [playback](size_t r) -> const planner::ReuseBlock& {
    return playback->steps.blocks[playback->rows[r].block];
  };
  table->sorted_by = 0;
  if (plan->graph.valid())
    table->selection = [=](size_t r) {
      const auto first = static_cast<size_t>(block(r).intervals.front());
      return Selection(NodeSelection{plan->graph, plan->slices[first].tensor});
    };
  table->inside = [block](size_t r, const RangeFilter& f) {
    return f.has_step(static_cast<int32_t>(block(r).lower), static_cast<int32_t>(block(r).upper));
  };
  return table;
}

TablePtr moves_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  const auto graph = input.graph;
  table->empty_text = !graph                            ? ReuseAndMovesTexts::tr("This file contains no graph.")
                      : graph->nodes.size() > kMaxNodes ? ReuseAndMovesTexts::tr("Too many tensors for this table.")
                                                        : ReuseAndMovesTexts::tr("GE's rules find nothing to move.");
  if (!graph || graph->nodes.size() > kMaxNodes) return table;
  const auto rows = std::make_shared<const std::vector<MoveRow>>(moves_of(*graph));
  const auto move = [rows](size_t r) -> const GeMove& { return (*rows)[r].move; };
  const auto name = [graph](NodeId node) { return step_tensor(graph.get(), trace::TensorRef::node(node)); };
  table->rows = rows->size();
  table->columns = {
      count_column(ReuseAndMovesTexts::tr("Step"), ReuseAndMovesTexts::tr("↓ steps through it"),
                   [](size_t r) { return static_cast<int64_t>(r) + 1; }),
      {ReuseAndMovesTexts::tr("Order"), ReuseAndMovesTexts::tr("Default order, the starting point"),
       [rows](size_t r) { return (*rows)[r].base; }},
      {ReuseAndMovesTexts::tr("Rule"),
       ReuseAndMovesTexts::tr("Type: it reads only leaf tensors. Lifetime: one of its inputs stays live anyway"),
       [move](size_t r) {
         return move(r).rule == GeRule::Type ? ReuseAndMovesTexts::tr("type") : ReuseAndMovesTexts::tr("lifetime");
       }},
      {ReuseAndMovesTexts::tr("Node"), {}, [=](size_t r) { return name(move(r).node); }},
      {ReuseAndMovesTexts::tr("Moves to before"), ReuseAndMovesTexts::tr("Its first user"),
       [=](size_t r) { return name(move(r).reader); }},
      number_column(ReuseAndMovesTexts::tr("From"), ReuseAndMovesTexts::tr("Its position in the execution order"),
                    FigureUnit::Step, [move](size_t r) { return static_cast<double>(move(r).from.value); }),
      number_column(ReuseAndMovesTexts::tr("To"), ReuseAndMovesTexts::tr("Its position in the execution order"),
                    FigureUnit::Step, [move](size_t r) { return static_cast<double>(move(r).to.value); }),
      step_bytes_column(ReuseAndMovesTexts::tr("Bytes"),
                        ReuseAndMovesTexts::tr("Bytes of its result that are no longer live between the two steps"),
                        [move](size_t r) { return move(r).bytes; }),
      step_bytes_column(ReuseAndMovesTexts::tr("Peak before"), {}, [move](size_t r) { return move(r).peak_before; }),
      step_bytes_column(ReuseAndMovesTexts::tr("Peak after"), {}, [move](size_t r) { return move(r).peak_after; }),
      {ReuseAndMovesTexts::tr("Applied"),
       ReuseAndMovesTexts::tr("The moves of an order are applied if they lower its peak"),
       [rows](size_t r) { return (*rows)[r].taken ? ReuseAndMovesTexts::tr("yes") : ReuseAndMovesTexts::tr("no"); }},
  };
  table->sorted_by = 0;
  table->selection = [=](size_t r) {
    return Selection(NodeSelection{graph->id, trace::TensorRef::node(move(r).node)});
  };
  return table;
}

}  // namespace arenascope::views
