// SPDX-License-Identifier: GPL-3.0-or-later
// The storage of a tensor, its block, and all tensors in the block with a bar that shows their location in it.
#include "facts_builder.h"

#include <algorithm>

namespace arenascope::views::inspector {

namespace {

constexpr size_t kMaxHolders = 16;

// The part of a block that a slice occupies.
FactBar bar(Bytes offset, Bytes bytes, Bytes whole) {
  const auto share = [&](Bytes at) { return static_cast<double>(at) / static_cast<double>(std::max<Bytes>(whole, 1)); };
  return {share(offset), share(offset + bytes)};
}

}  // namespace

void storage_section(FactsBuilder& facts, TensorRef ref) {
  const TensorInfo* t = facts.info(ref);
  if (t == nullptr || facts.in.graph == nullptr || facts.in.graph->blocks.empty()) return;
  const trace::GraphInfo& graph = *facts.in.graph;
  facts.section(Texts::tr("Storage"));
  facts.row(Texts::tr("read by"), Texts::tr("as %n input(s)", nullptr, t->uses));
  if (!t->block || *t->block < 0 || static_cast<size_t>(*t->block) >= graph.blocks.size()) {
    facts.row(Texts::tr("storage"), Texts::tr("none before the node runs"));
    return;
  }
  const trace::StorageBlock& block = graph.blocks[static_cast<size_t>(*t->block)];
  facts.row(Texts::tr("storage"), range_text(t->storage_offset, t->storage_bytes));
  facts.row(Texts::tr("block"), QStringList{format_address(static_cast<Bytes>(block.address)),
                                            format_bytes(block.bytes), DisplayNames::kind(block.kind)}
                                    .join(QStringLiteral(" · ")));
  facts.row(Texts::tr("references"),
            format_count(block.references) +
                (block.borrowed ? QStringLiteral(", ") + Texts::tr("borrowed, never freed") : QString()));
  size_t holders = 0;
  for (const auto& [list, is_leaf] : {std::pair(&graph.nodes, false), std::pair(&graph.leafs, true)})
    for (size_t i = 0; i < list->size(); ++i) {
      const TensorInfo& other = (*list)[i];
      if (other.block != t->block || ++holders > kMaxHolders) continue;
      const TensorRef own = is_leaf ? TensorRef::leaf(LeafId(i)) : TensorRef::node(NodeId(i));
      FactValue holder = own == ref ? FactValue(Texts::tr("this one")) : facts.link(own);
      if (other.view_source.valid()) holder.note = Texts::tr("(a view)");
      holder.bar = bar(other.storage_offset, other.storage_bytes, block.bytes);
      facts.row(range_text(other.storage_offset, other.storage_bytes), holder);
    }
  if (holders > kMaxHolders) facts.line(Texts::tr("and %n more", nullptr, static_cast<int>(holders - kMaxHolders)));
}

}  // namespace arenascope::views::inspector
