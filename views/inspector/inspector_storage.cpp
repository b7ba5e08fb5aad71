// SPDX-License-Identifier: GPL-3.0-or-later
// The storage of a tensor, its block, and all tensors in the block with a bar that shows their location in it.
#include "inspector_page.h"

#include <algorithm>
#include <cmath>

namespace arenascope::views::inspector {

namespace {

constexpr int kCells = 24;
constexpr size_t kMaxHolders = 16;

// "░░████░░": the location of a slice in its block, at least one character wide.
QString bar(Bytes offset, Bytes bytes, Bytes whole) {
  const double cell = static_cast<double>(std::max<Bytes>(whole, 1)) / kCells;
  const int first = std::clamp(static_cast<int>(static_cast<double>(offset) / cell), 0, kCells - 1);
  const int last =
      std::clamp(static_cast<int>(std::ceil(static_cast<double>(offset + bytes) / cell)), first + 1, kCells);
  return QString(first, QChar(0x2591)) + QString(last - first, QChar(0x2588)) + QString(kCells - last, QChar(0x2591));
}

}  // namespace

void storage_section(Page& page, TensorRef ref) {
  const TensorInfo* t = page.info(ref);
  if (t == nullptr || page.in.graph == nullptr || page.in.graph->blocks.empty()) return;
  const trace::GraphInfo& graph = *page.in.graph;
  page.section(Texts::tr("Storage"));
  page.row(Texts::tr("read by"), Texts::tr("as %n input(s)", nullptr, t->uses));
  if (!t->block || *t->block < 0 || static_cast<size_t>(*t->block) >= graph.blocks.size()) {
    page.row(Texts::tr("storage"), Texts::tr("none before the node runs"));
    return;
  }
  const trace::StorageBlock& block = graph.blocks[static_cast<size_t>(*t->block)];
  page.row(Texts::tr("storage"), range_text(t->storage_offset, t->storage_bytes));
  page.row(Texts::tr("block"), QStringList{format_address(static_cast<Bytes>(block.address)), format_bytes(block.bytes),
                                           DisplayNames::kind(block.kind)}
                                   .join(QStringLiteral(" · ")));
  page.row(Texts::tr("references"),
           format_count(block.references) +
               (block.borrowed ? QStringLiteral(", ") + Texts::tr("borrowed, never freed") : QString()));
  size_t holders = 0;
  for (const auto& [list, is_leaf] : {std::pair(&graph.nodes, false), std::pair(&graph.leafs, true)})
    for (size_t i = 0; i < list->size(); ++i) {
      const TensorInfo& other = (*list)[i];
      if (other.block != t->block || ++holders > kMaxHolders) continue;
      const TensorRef own = is_leaf ? TensorRef::leaf(LeafId(i)) : TensorRef::node(NodeId(i));
      page.row(QStringLiteral("<span style='font-family:monospace'>%1</span>")
                   .arg(bar(other.storage_offset, other.storage_bytes, block.bytes)),
               (own == ref ? Texts::tr("this one") : page.link(own)) +
                   (other.view_source.valid() ? QStringLiteral(" ") + Texts::tr("(a view)") : QString()));
    }
  if (holders > kMaxHolders) page.line(Texts::tr("and %n more", nullptr, static_cast<int>(holders - kMaxHolders)));
}

}  // namespace arenascope::views::inspector
