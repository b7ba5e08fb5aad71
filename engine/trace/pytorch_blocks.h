// SPDX-License-Identifier: MIT
// Simulates the segments and blocks of PyTorch's caching allocator on one device while its trace is replayed. The trace
// records requested sizes only; the simulation yields the block sizes.
#pragma once
#include <arenascope/trace/pytorch_snapshot.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "engine/trace/address_ranges.h"

namespace arenascope::trace {

// A device's memory: segments reserved from the device, and the blocks in them.
class PytorchBlocks {
 public:
  struct Block {
    Bytes bytes = 0;
    uint32_t number = 0;
    uint32_t allocator = 0;
  };
  explicit PytorchBlocks(PytorchBlockRule rule) : rule_(rule) {}

  // Bytes up to the next block or the segment's end; INT64_MAX outside all segments.
  Bytes available(uint64_t address) const {
    const auto next = live.upper_bound(address);
    const uint64_t limit = next == live.end() ? UINT64_MAX : next->first;
    uint64_t end = segments.at(address).end;
    if (end == 0) return INT64_MAX;
    while (rule_.expandable && end < limit && segments.at(end).bytes() > 0) end = segments.at(end).end;
    return static_cast<Bytes>(std::min(end, limit) - address);
  }
  Bytes bytes_for(uint64_t address, Bytes requested) const { return rule_.bytes(requested, available(address)); }

  AddressRanges<uint32_t> segments;  // and the allocator of each
  std::map<uint64_t, Block> live;    // by address

 private:
  PytorchBlockRule rule_;
};

}  // namespace arenascope::trace
