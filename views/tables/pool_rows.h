// SPDX-License-Identifier: GPL-3.0-or-later
// The pieces of memory that allocators hold, one by one: what events tell of them, and beside it what a device told of the
// blocks of its pools.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QString>
#include <vector>

namespace arenascope::views {

struct PoolRow {
  uint64_t address = 0;
  Bytes bytes = 0, used = 0, last = 0;  // `last`: what was handed out of it last
  int64_t uses = 0;                     // how often memory in it was handed out
  trace::MemoryKind kind = trace::MemoryKind::Default;
  trace::StorageType storage = trace::StorageType::Dynamic;
  trace::ImageSize image;  // where it is one
  QString tensor;          // what lies there; empty: nothing, or nobody told

  Bytes requested() const { return used > 0 ? used : last; }
  Bytes waste() const { return uses > 0 ? std::max<Bytes>(bytes - requested(), 0) : 0; }
};

// Those that are held at the end, by address.
std::vector<PoolRow> pool_rows(const trace::Snapshot& snapshot);
QString pool_storage_text(const PoolRow& row);  // "buffer", "image of 56 × 56 texels of 16 B"
QString pool_use_text(const PoolRow& row);      // "dynamic", "static", "separate"

}  // namespace arenascope::views
