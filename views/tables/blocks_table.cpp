// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of the plan: their sizes, and the tensors that use them in sequence.
#include <views/common/format.h>
#include <views/common/steps_text.h>
#include <views/tables/compare_columns.h>
#include <views/tables/space_tables.h>
#include <QCoreApplication>

#include <map>

namespace arenascope::views {
namespace {

using trace::TensorRef;

struct BlocksTableTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

struct Block {
  BlockId id;
  Bytes offset = INT64_MAX, end = 0;
  int32_t first = INT32_MAX, last = 0, level = 0;
  int64_t byte_steps = 0;
  std::vector<TensorRef> tensors;

  double bytes() const { return static_cast<double>(end - offset); }
  void add(const trace::SliceInfo& slice) {
    id = slice.block;
    offset = std::min(offset, slice.offset);
    end = std::max(end, slice.offset + slice.size);
    first = std::min(first, slice.first.value);
    last = std::max(last, slice.last.value);
    level = std::max(level, slice.level);
    byte_steps += slice.size * (slice.last.value - slice.first.value);
    tensors.push_back(slice.tensor);
  }
};
using Blocks = std::vector<Block>;

std::shared_ptr<const Blocks> blocks_of(const trace::PlanInfo& plan) {
  std::map<int32_t, Block> by_id;
  for (const trace::SliceInfo& slice : plan.slices) by_id[slice.block.value].add(slice);
  auto blocks = std::make_shared<Blocks>();
  for (auto& [id, block] : by_id) blocks->push_back(std::move(block));
  return blocks;
}

QString users(const Block& block, const trace::GraphInfo& graph) {
  constexpr qsizetype kMaxEntries = 12;
  QStringList names;
  for (TensorRef t : block.tensors) {
    if (names.size() == kMaxEntries) {
      names << QStringLiteral("…");
      break;
    }
    const auto& list = t.is_leaf() ? graph.leafs : graph.nodes;
    names << (t.index() < list.size() && !list[t.index()].name.empty() ? QString::fromStdString(list[t.index()].name)
                                                                       : DisplayNames::node(t));
  }
  return names.join(QStringLiteral(" → "));
}

}  // namespace

TablePtr blocks_table(const TableInput& input) {
  if (is_in_spaces(input)) return space_blocks_table(input);
  auto table = std::make_shared<Table>();
  table->empty_text = BlocksTableTexts::tr("This file contains no memory plan.");
  const auto plan = input.plan;
  if (!plan) return table;
  const auto blocks = blocks_of(*plan);
  const double steps = static_cast<double>(std::max<size_t>(plan->order.size(), 1));
  const auto plain = [&](const QString& title, const QString& tip, auto text_of, auto number) {
    return Column{title, tip, [=](size_t r) { return QString(text_of((*blocks)[r])); },
                  [=](size_t r) { return static_cast<double>(number((*blocks)[r])); }};
  };
  const auto counted = [&](const QString& title, const QString& tip, FigureUnit unit, const char* what, auto number) {
    return figure_column(
        title, tip, unit, [=](size_t r) { return block_figure(plan->id, (*blocks)[r].id, what); },
        [=](size_t r) { return static_cast<double>(number((*blocks)[r])); });
  };
  table->rows = blocks->size();
  table->columns = {
      plain(
          BlocksTableTexts::tr("Block"), {}, [](const Block& b) { return QString::number(b.id.value); },
          [](const Block& b) { return b.id.value; }),
      number_column(BlocksTableTexts::tr("Offset"), BlocksTableTexts::tr("First byte in the arena"),
                    FigureUnit::Address, [blocks](size_t r) { return static_cast<double>((*blocks)[r].offset); }),
      counted(BlocksTableTexts::tr("Bytes"), {}, FigureUnit::Bytes, "bytes", [](const Block& b) { return b.bytes(); }),
      counted(BlocksTableTexts::tr("Tensors"), BlocksTableTexts::tr("Number of tensors that use it in sequence"),
              FigureUnit::Count, "tensors", [](const Block& b) { return b.tensors.size(); }),
      plain(
          BlocksTableTexts::tr("Steps"), BlocksTableTexts::tr("First to last use"),
          [](const Block& b) { return format_steps(b.first, b.last); }, [](const Block& b) { return b.first; }),
      counted(BlocksTableTexts::tr("Filled"),
              BlocksTableTexts::tr("Bytes × steps in use, as a share of the block's total"), FigureUnit::Share,
              "filled",
              [steps](const Block& b) {
                return b.end > b.offset ? static_cast<double>(b.byte_steps) / (b.bytes() * steps) : 0.0;
              }),
      counted(BlocksTableTexts::tr("Level"), BlocksTableTexts::tr("Reuse level that merged its tensors; 0: none"),
              FigureUnit::Count, "level", [](const Block& b) { return b.level; }),
      {BlocksTableTexts::tr("Used by"), BlocksTableTexts::tr("Its tensors in order of use"),
       [blocks, graph = input.graph](size_t r) { return graph ? users((*blocks)[r], *graph) : QString(); }},
  };
  auto ids = std::make_shared<std::vector<BlockId>>();
  for (const Block& block : *blocks) ids->push_back(block.id);
  add_block_columns(*table, input, ids);
  table->selection = [blocks, id = plan->id](size_t r) { return Selection(BlockSelection{id, (*blocks)[r].id}); };
  table->inside = [blocks](size_t r, const RangeFilter& f) {
    const Block& b = (*blocks)[r];
    return f.has_step(b.first, b.last) && f.has_address(b.offset, b.end);
  };
  return table;
}

}  // namespace arenascope::views
