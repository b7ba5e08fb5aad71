// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/tables/pool_rows.h>

#include <views/common/format.h>
#include <views/common/spaces.h>
#include <QCoreApplication>

#include <map>

namespace arenascope::views {
namespace {

struct PoolTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

// Replays the memory events.
class Held {
 public:
  void take(const trace::Event& event) {
    const auto address = static_cast<uint64_t>(event.a);
    if (address == 0) return;  // not known
    switch (event.kind()) {
      case trace::EventKind::Reserve: {
        PoolRow row;
        row.address = address;
        row.bytes = event.b;
        row.kind = event.memory_kind();
        const bool weights = row.kind == trace::MemoryKind::Persistent;
        row.storage = weights ? trace::StorageType::Static : trace::StorageType::Dynamic;
        rows_[address] = row;
        break;
      }
      case trace::EventKind::Release: rows_.erase(address); break;
      case trace::EventKind::Alloc:
        if (PoolRow* row = at(address)) {
          row->used += event.b;
          row->last = event.b;
          ++row->uses;
          row->kind = event.memory_kind();
        }
        break;
      case trace::EventKind::Free:
        if (PoolRow* row = at(address)) row->used = std::max<Bytes>(0, row->used - event.b);
        break;
      default: break;
    }
  }
  PoolRow* at(uint64_t address) {
    auto next = rows_.upper_bound(address);
    if (next == rows_.begin()) return nullptr;
    --next;
    return address - next->first < static_cast<uint64_t>(next->second.bytes) ? &next->second : nullptr;
  }
  std::map<uint64_t, PoolRow>& rows() { return rows_; }

 private:
  std::map<uint64_t, PoolRow> rows_;
};

}  // namespace

std::vector<PoolRow> pool_rows(const trace::Snapshot& snapshot) {
  Held held;
  for (size_t i = 0; i < snapshot.memory_events.size(); ++i) held.take(snapshot.event(snapshot.memory_events[i]));
  for (const trace::Space& space : snapshot.open_spaces)
    if (PoolRow* row = held.at(space.address); row != nullptr && row->address == space.address)
      row->image = space.image;
  for (const trace::PoolInfo& pool : snapshot.pools)
    for (const trace::PoolBlockInfo& block : pool.blocks)
      if (const auto row = held.rows().find(block.address); row != held.rows().end())
        row->second.storage = block.storage;
  for (const trace::SpaceAllocation& slice : snapshot.open_space_slices)
    if (PoolRow* row = held.at(slice.address); row != nullptr && slice.graph.valid() && row->tensor.isEmpty())
      row->tensor = slice_name(snapshot, slice);
  std::vector<PoolRow> rows;
  for (const auto& [address, row] : held.rows()) rows.push_back(row);
  return rows;
}

QString pool_storage_text(const PoolRow& row) {
  return row.image.valid() ? PoolTexts::tr("image of %1").arg(image_text(row.image)) : PoolTexts::tr("buffer");
}

QString pool_use_text(const PoolRow& row) {
  switch (row.storage) {
    case trace::StorageType::Static: return PoolTexts::tr("static");
    case trace::StorageType::Separate: return PoolTexts::tr("separate");
    case trace::StorageType::Dynamic: break;
  }
  return PoolTexts::tr("dynamic");
}

}  // namespace arenascope::views
