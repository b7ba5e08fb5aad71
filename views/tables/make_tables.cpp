// SPDX-License-Identifier: GPL-3.0-or-later
// The tables about the graph, the plan and the object arena.
#include <views/common/format.h>
#include <QCoreApplication>

#include <map>

#include <views/tables/compare_columns.h>
#include <views/tables/space_tables.h>

namespace arenascope::views {
namespace {

using trace::TensorRef;

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

QString text(const std::string& s) { return QString::fromStdString(s); }

const trace::SliceInfo* slice_of(const std::vector<int32_t>& index, const trace::PlanInfo* plan, size_t node) {
  return plan != nullptr && node < index.size() && index[node] >= 0 ? &plan->slices[static_cast<size_t>(index[node])]
                                                                    : nullptr;
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

Column figure_column(const QString& title, const QString& tip, FigureUnit unit,
                     std::function<std::string(size_t row)> id, std::function<double(size_t row)> value,
                     std::function<bool(size_t row)> there) {
  const auto make = [=](size_t r) { return there && !there(r) ? Figure() : figure(id(r), value(r), unit); };
  return {title, tip, [make](size_t r) { return make(r).text; }, value, make};
}

TablePtr nodes_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = Texts::tr("No graph is open.");
  const auto graph = input.graph;
  const auto plan = input.plan;
  const auto snapshot = input.snapshot;
  if (!graph) return table;

  auto step = std::make_shared<std::vector<int32_t>>(graph->nodes.size(), -1);
  auto slice = std::make_shared<std::vector<int32_t>>(graph->nodes.size(), -1);
  if (plan) {
    for (size_t s = 0; s < plan->order.size(); ++s)
      if (plan->order[s].valid() && plan->order[s].index() < step->size())
        (*step)[plan->order[s].index()] = static_cast<int32_t>(s);
    for (size_t s = 0; s < plan->slices.size(); ++s)
      if (const TensorRef t = plan->slices[s].tensor; t.is_node() && t.index() < slice->size())
        (*slice)[t.index()] = static_cast<int32_t>(s);
  }
  const auto all_stats = std::make_shared<const std::vector<trace::NodeStats>>(snapshot->stats(graph->id));
  auto stats = [all_stats](size_t r) { return r < all_stats->size() ? (*all_stats)[r] : trace::NodeStats(); };
  // A time over the runs; nothing where the node never ran.
  const auto run_time = [stats, id = graph->id](const QString& title, const QString& tip, const char* what, auto get) {
    return figure_column(
        title, tip, FigureUnit::Time, [=](size_t r) { return node_figure(id, NodeId(r), what); },
        [=](size_t r) { return static_cast<double>(get(stats(r))); }, [=](size_t r) { return stats(r).runs > 0; });
  };
  table->rows = graph->nodes.size();
  table->columns = {
      {Texts::tr("Step"), Texts::tr("When it runs in the order"),
       [step](size_t r) { return (*step)[r] < 0 ? QString() : QString::number((*step)[r]); },
       [step](size_t r) { return static_cast<double>((*step)[r]); }},
      {Texts::tr("Name"),
       {},
       [graph](size_t r) {
         return graph->nodes[r].name.empty() ? Words::node(TensorRef::node(NodeId(r))) : text(graph->nodes[r].name);
       }},
      {Texts::tr("Op"), {}, [graph](size_t r) { return text(graph->nodes[r].op); }},
      {Texts::tr("Layer"), {}, [graph](size_t r) { return text(graph->nodes[r].layer); }},
      {Texts::tr("Shape"), Texts::tr("Outermost dimension first"),
       [graph](size_t r) { return format_shape(graph->nodes[r].shape); }},
      {Texts::tr("Type"), {}, [graph](size_t r) { return text(graph->nodes[r].dtype); }},
      {Texts::tr("Bytes"), Texts::tr("Size of the result"),
       [graph](size_t r) { return format_bytes(graph->nodes[r].bytes); },
       [graph](size_t r) { return static_cast<double>(graph->nodes[r].bytes); }},
      {Texts::tr("Offset"), Texts::tr("First byte in the arena"),
       [=](size_t r) {
         const auto* s = slice_of(*slice, plan.get(), r);
         return s ? format_address(s->offset) : QString();
       },
       [=](size_t r) {
         const auto* s = slice_of(*slice, plan.get(), r);
         return s ? static_cast<double>(s->offset) : -1.0;
       }},
      {Texts::tr("Block"), Texts::tr("Tensors of one block use it one after the other"),
       [=](size_t r) {
         const auto* s = slice_of(*slice, plan.get(), r);
         return s && s->block.valid() ? QString::number(s->block.value) : QString();
       },
       [=](size_t r) {
         const auto* s = slice_of(*slice, plan.get(), r);
         return s ? static_cast<double>(s->block.value) : -1.0;
       }},
      run_time(Texts::tr("Mean time"),
               Texts::tr("Wall time a run, from the beginning of its first part to the end of its last; without the "
                         "first run, which is cold, where there are others"),
               "mean_wall", [](const trace::NodeStats& s) { return s.mean; }),
      run_time(Texts::tr("Median"), Texts::tr("Of its wall times, one a run"), "median_wall",
               [](const trace::NodeStats& s) { return s.median; }),
      run_time(Texts::tr("Quartile 1"), Texts::tr("A quarter of the runs took less"), "lower_quartile_wall",
               [](const trace::NodeStats& s) { return s.quartile1; }),
      run_time(Texts::tr("Quartile 3"), Texts::tr("A quarter of the runs took more"), "upper_quartile_wall",
               [](const trace::NodeStats& s) { return s.quartile3; }),
      run_time(Texts::tr("Longest"), Texts::tr("The longest of its wall times"), "longest_wall",
               [](const trace::NodeStats& s) { return s.longest; }),
      run_time(Texts::tr("Busy"), Texts::tr("What its parts took together, mean a run"), "busy",
               [](const trace::NodeStats& s) { return s.busy; }),
      figure_column(
          Texts::tr("First run"), Texts::tr("Wall time in the first run of this plan, when caches were cold"),
          FigureUnit::Time, [graph](size_t r) { return node_figure(graph->id, NodeId(r), "cold_wall"); },
          [stats](size_t r) { return static_cast<double>(stats(r).first.value_or(0)); },
          [stats](size_t r) { return stats(r).first.has_value(); }),
      {Texts::tr("Runs"), Texts::tr("How many runs the times are of"),
       [stats](size_t r) {
         const trace::NodeStats s = stats(r);
         if (s.runs == 0) return QString();
         return s.cold         ? Texts::tr("%1, cold").arg(format_count(s.runs))
                : s.incomplete ? Texts::tr("%1, incomplete").arg(format_count(s.runs))
                               : format_count(s.runs);
       },
       [stats](size_t r) { return static_cast<double>(stats(r).runs); },
       [stats, graph](size_t r) {
         const trace::NodeStats s = stats(r);
         return s.runs == 0 ? Figure()
                            : figure(node_figure(graph->id, NodeId(r), "counted_runs"), static_cast<double>(s.runs),
                                     FigureUnit::Count);
       }},
      figure_column(
          Texts::tr("Waiting"), Texts::tr("What all threads waited together at the barriers behind it, mean a run"),
          FigureUnit::Time, [graph](size_t r) { return node_figure(graph->id, NodeId(r), "wait"); },
          [stats](size_t r) { return stats(r).wait; }, [stats](size_t r) { return stats(r).barriers > 0; }),
      {Texts::tr("Tasks"), Texts::tr("Parts into which it is split"),
       [graph](size_t r) { return QString::number(graph->nodes[r].tasks); },
       [graph](size_t r) { return static_cast<double>(graph->nodes[r].tasks); }},
      {Texts::tr("Flops"), Texts::tr("Arithmetic operations"),
       [graph](size_t r) { return format_count(graph->nodes[r].flops); },
       [graph](size_t r) { return static_cast<double>(graph->nodes[r].flops); }},
  };
  add_node_columns(*table, input);
  table->selection = [graph](size_t r) { return Selection::node(graph->id, NodeId(r)); };
  table->inside = [=](size_t r, const RangeFilter& f) {
    if (f.steps && !f.has_step((*step)[r], (*step)[r] + 1)) return false;
    if (!f.addresses) return true;
    const auto* s = slice_of(*slice, plan.get(), r);
    return s != nullptr && f.has_address(s->offset, s->offset + s->size);
  };
  return table;
}

TablePtr blocks_table(const TableInput& input) {
  if (lies_in_spaces(input)) return space_blocks_table(input);
  struct Block {
    BlockId id;
    Bytes offset = INT64_MAX, end = 0;
    int32_t first = INT32_MAX, last = 0, level = 0;
    int64_t byte_steps = 0;
    std::vector<TensorRef> tensors;
  };
  auto table = std::make_shared<Table>();
  table->empty_text = Texts::tr("No memory plan is open.");
  const auto graph = input.graph;
  const auto plan = input.plan;
  if (!plan) return table;
  std::map<int32_t, Block> by_id;
  for (const trace::SliceInfo& slice : plan->slices) {
    Block& block = by_id[slice.block.value];
    block.id = slice.block;
    block.offset = std::min(block.offset, slice.offset);
    block.end = std::max(block.end, slice.offset + slice.size);
    block.first = std::min(block.first, slice.first.value);
    block.last = std::max(block.last, slice.last.value);
    block.level = std::max(block.level, slice.level);
    block.byte_steps += slice.size * (slice.last.value - slice.first.value);
    block.tensors.push_back(slice.tensor);
  }
  auto blocks = std::make_shared<std::vector<Block>>();
  for (auto& [id, block] : by_id) blocks->push_back(std::move(block));
  const double steps = static_cast<double>(std::max<size_t>(plan->order.size(), 1));
  auto filled = [blocks, steps](size_t r) {
    const Block& b = (*blocks)[r];
    return b.end > b.offset ? static_cast<double>(b.byte_steps) / (static_cast<double>(b.end - b.offset) * steps) : 0.0;
  };
  auto users = [blocks, graph](size_t r) {
    QStringList names;
    for (TensorRef t : (*blocks)[r].tensors) {
      if (names.size() == 12) {
        names << QStringLiteral("…");
        break;
      }
      const auto& list = t.is_leaf() ? graph->leafs : graph->nodes;
      names << (t.index() < list.size() && !list[t.index()].name.empty() ? text(list[t.index()].name) : Words::node(t));
    }
    return names.join(QStringLiteral(" → "));
  };
  const auto block_id = [blocks, plan](const char* what) {
    return [=](size_t r) { return block_figure(plan->id, (*blocks)[r].id, what); };
  };
  table->rows = blocks->size();
  table->columns = {
      {Texts::tr("Block"),
       {},
       [blocks](size_t r) { return QString::number((*blocks)[r].id.value); },
       [blocks](size_t r) { return static_cast<double>((*blocks)[r].id.value); }},
      {Texts::tr("Offset"), Texts::tr("First byte in the arena"),
       [blocks](size_t r) { return format_address((*blocks)[r].offset); },
       [blocks](size_t r) { return static_cast<double>((*blocks)[r].offset); }},
      figure_column(Texts::tr("Bytes"), {}, FigureUnit::Bytes, block_id("bytes"),
                    [blocks](size_t r) { return static_cast<double>((*blocks)[r].end - (*blocks)[r].offset); }),
      figure_column(Texts::tr("Tensors"), Texts::tr("How many use it, one after the other"), FigureUnit::Count,
                    block_id("tensors"),
                    [blocks](size_t r) { return static_cast<double>((*blocks)[r].tensors.size()); }),
      {Texts::tr("Steps"), Texts::tr("From its first use to behind its last"),
       [blocks](size_t r) { return QStringLiteral("%1 – %2").arg((*blocks)[r].first).arg((*blocks)[r].last); },
       [blocks](size_t r) { return static_cast<double>((*blocks)[r].first); }},
      figure_column(Texts::tr("Filled"), Texts::tr("Bytes × steps that are in use, of all that the block has"),
                    FigureUnit::Share, block_id("filled"), filled),
      figure_column(Texts::tr("Level"), Texts::tr("Level of reuse that put its tensors together; 0: none"),
                    FigureUnit::Count, block_id("level"),
                    [blocks](size_t r) { return static_cast<double>((*blocks)[r].level); }),
      {Texts::tr("Used by"), Texts::tr("Its tensors in the order of their use"),
       graph ? std::function<QString(size_t)>(users) : [](size_t) { return QString(); }},
  };
  auto ids = std::make_shared<std::vector<BlockId>>();
  for (const Block& block : *blocks) ids->push_back(block.id);
  add_block_columns(*table, input, ids);
  const trace::PlanId id = plan->id;
  table->selection = [blocks, id](size_t r) { return Selection(BlockSelection{id, (*blocks)[r].id}); };
  table->inside = [blocks](size_t r, const RangeFilter& f) {
    const Block& b = (*blocks)[r];
    return f.has_step(b.first, b.last) && f.has_address(b.offset, b.end);
  };
  return table;
}

TablePtr objects_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = Texts::tr("No object arena was described.");
  if (input.snapshot->contexts.empty()) return table;
  const auto context = input.snapshot->contexts.back();
  table->rows = context->objects.size();
  auto object = [context](size_t r) -> const trace::ObjectInfo& { return context->objects[r]; };
  auto bytes = [&](const QString& title, const QString& tip, auto get, bool address) {
    return Column{title, tip, [=](size_t r) { return address ? format_address(get(r)) : format_bytes(get(r)); },
                  [=](size_t r) { return static_cast<double>(get(r)); }};
  };
  table->columns = {
      {Texts::tr("Object"),
       {},
       [](size_t r) { return QString::number(r); },
       [](size_t r) { return static_cast<double>(r); }},
      {Texts::tr("Kind"), {}, [object](size_t r) { return text(object(r).type); }},
      {Texts::tr("Name"), {}, [object](size_t r) { return text(object(r).name); }},
      bytes(
          Texts::tr("Header at"), Texts::tr("Offset of its header in the pool"),
          [object](size_t r) { return object(r).header_offset; }, true),
      bytes(
          Texts::tr("Header"), Texts::tr("Bytes of its header"), [object](size_t r) { return object(r).header_size; },
          false),
      bytes(
          Texts::tr("Object at"), Texts::tr("Offset of the object in the pool"),
          [object](size_t r) { return object(r).offset; }, true),
      bytes(
          Texts::tr("Bytes"), Texts::tr("Size of the object, padding included"),
          [object](size_t r) { return object(r).size; }, false),
      {Texts::tr("Next"), Texts::tr("The object to which its next pointer leads"),
       [object](size_t r) { return object(r).next < 0 ? QStringLiteral("—") : QString::number(object(r).next); },
       [object](size_t r) { return static_cast<double>(object(r).next); }},
  };
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
  return table;
}

}  // namespace arenascope::views
