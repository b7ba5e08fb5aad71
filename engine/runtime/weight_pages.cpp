// SPDX-License-Identifier: MIT
#include "engine/runtime/weight_pages.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <vector>

#include <arenascope/base/mapped_range.h>
#include <arenascope/tensor/alignment.h>

namespace arenascope {
namespace {

struct Use {
  bool read = false;
  std::vector<TensorImpl*> views;
};

using Uses = std::unordered_map<TensorImpl*, Use>;

Uses mapped_leafs(const Graph& graph) {
  Uses uses;
  for (TensorImpl* leaf : graph.leafs())
    if (leaf->has(kFlagWeight) && leaf->storage.kind() == MemoryKind::Mapped) uses.try_emplace(leaf);
  return uses;
}

Result<Storage> copied(const TensorImpl& tensor, ExecutionContext& context) {
  constexpr Bytes kSlice = 4 << 20;
  const BlockPtr& from = tensor.storage.block();
  const Bytes offset = tensor.storage.offset(), bytes = tensor.storage.bytes();
  auto to = Storage::allocate(context, {}, MemoryKind::Persistent, bytes);
  if (!to) return to;
  for (Bytes at = 0; at < bytes; at += kSlice) {
    const Bytes count = std::min(kSlice, bytes - at);
    std::memcpy(to->data() + at, from->data() + offset + at, static_cast<size_t>(count));
    from->drop_pages(offset + at, count);
  }
  return to;
}

constexpr Bytes kMappedAround = 64 << 10;  // the kernel may map this much around a page fault

bool of_file(const TensorImpl& leaf) { return !MappedRange::drawn(leaf.data()); }

// True if most weight bytes are packed, so that only small weights would keep pages of their file resident.
bool small_ones_go(const Uses& uses) {
  Bytes stay = 0, all = 0;
  for (const auto& [leaf, use] : uses) {
    if (!of_file(*leaf)) continue;
    all += leaf->storage.bytes();
    if (use.read && leaf->storage.bytes() >= kMappedAround) stay += leaf->storage.bytes();
  }
  return stay < all / 2;
}

// Generates lazily generated weights before the first run by touching each page.
void touch_pages(const TensorImpl& tensor) {
  constexpr Bytes kPage = 4096;
  const volatile std::byte* const bytes = tensor.data();
  for (Bytes at = 0; at < tensor.storage.bytes(); at += kPage) (void)bytes[at];
}

}  // namespace

Result<Bytes> settle_mapped_weights(const ExecutionPlan& plan, std::span<PreparedNode* const> prepared,
                                    ExecutionContext& context) {
  Uses uses = mapped_leafs(plan.graph);
  if (uses.empty()) return Bytes{0};
  for (TensorImpl* node : plan.graph.nodes())
    if (node->is_view())
      if (const auto use = uses.find(node->view_source); use != uses.end()) {
        use->second.views.push_back(node);
        use->second.read = true;  // readers of views are not tracked: assume that it is read
      }
  for (size_t at = 0; at < plan.steps.size(); ++at) {
    const PlannedStep& step = plan.steps[at];
    const TensorImpl& node = plan.graph.node(step.node);
    if (node.is_view() || !prepared[at]) continue;
    for (size_t i = 0; i < node.sources.size(); ++i)
      if (const auto use = uses.find(node.sources[i]); use != uses.end() && !use->second.read)
        use->second.read = prepared[at]->reads_weight(static_cast<int>(i), step.parts);
  }
  const bool small_go = small_ones_go(uses);
  Bytes total = 0;
  for (auto& [leaf, use] : uses) {
    if (!use.read) leaf->storage.block()->drop_pages(leaf->storage.offset(), leaf->storage.bytes());
    if (use.read && MappedRange::drawn(leaf->data())) touch_pages(*leaf);
    const bool small = small_go && of_file(*leaf) && leaf->storage.bytes() < kMappedAround;
    if (!use.read || (is_aligned(*leaf) && !small)) continue;
    auto storage = copied(*leaf, context);
    if (!storage) return storage.error();
    total += storage->bytes();
    leaf->storage = std::move(*storage);
    for (TensorImpl* view : use.views) view->storage = leaf->storage;
  }
  return total;
}

}  // namespace arenascope
