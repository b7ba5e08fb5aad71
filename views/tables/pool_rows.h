// SPDX-License-Identifier: GPL-3.0-or-later
// The pieces of memory held by allocators, from events and from the pool blocks that a device reported.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QString>
#include <vector>

namespace arenascope::views {

struct PoolRow {
  uint64_t address = 0;
  Bytes bytes = 0, used = 0, last = 0;  // `last`: the most recent allocation from it
  int64_t uses = 0;                     // number of allocations from it
  trace::MemoryKind kind = trace::MemoryKind::Default;
  trace::StorageType storage = trace::StorageType::Dynamic;
  trace::ImageSize image;  // if it is an image
  QString tensor;          // the tensor stored there; empty if none or unknown

  Bytes requested() const { return used > 0 ? used : last; }
  Bytes waste() const { return uses > 0 ? std::max<Bytes>(bytes - requested(), 0) : 0; }
};

// The pieces held at the end of the recording, by address.
std::vector<PoolRow> pool_rows(const trace::Snapshot& snapshot);
QString pool_storage_text(const PoolRow& row);  // "buffer", "image of 56 × 56 texels of 16 B"
QString pool_use_text(const PoolRow& row);      // "dynamic", "static", "separate"

}  // namespace arenascope::views
