// SPDX-License-Identifier: MIT
// Simulates the segments and blocks of PyTorch's caching allocator on one device while its trace is replayed. The trace
// records requested sizes only; the simulation yields the block sizes.
#pragma once
#include <arenascope/trace/pytorch_snapshot.h>

#include <algorithm>
#include <cstdint>
#include <map>

namespace arenascope::trace {

// A device's memory: segments reserved from the device, and the blocks in them.
class PytorchBlocks {
 public:
  struct Block {
    Bytes bytes = 0;
    uint32_t number = 0;
  };
  explicit PytorchBlocks(PytorchBlockRule rule) : rule_(rule) {}

  void add_segment(uint64_t address, Bytes bytes) { segments_[address] = address + static_cast<uint64_t>(bytes); }
  void remove_segment(uint64_t address, Bytes bytes) {
    const auto next = segments_.upper_bound(address);
    if (next == segments_.begin()) return;
    const auto own = std::prev(next);
    const uint64_t end = own->second, gone = address + static_cast<uint64_t>(bytes);
    if (end <= address) return;
    if (own->first == address) {
      segments_.erase(own);
    } else {
      own->second = address;
    }
    if (gone < end) segments_[gone] = end;
  }
  // Bytes up to the next block or the segment's end; INT64_MAX outside all segments.
  Bytes available(uint64_t address) const {
    uint64_t end = segment_end(address);
    if (end == 0) return INT64_MAX;
    if (const auto next = live.upper_bound(address); next != live.end()) end = std::min(end, next->first);
    return static_cast<Bytes>(end - address);
  }
  Bytes bytes_for(uint64_t address, Bytes requested) const { return rule_.bytes(requested, available(address)); }

  std::map<uint64_t, Block> live;  // by address

 private:
  uint64_t segment_end(uint64_t address) const {
    const auto next = segments_.upper_bound(address);
    if (next == segments_.begin() || std::prev(next)->second <= address) return 0;
    uint64_t end = std::prev(next)->second;
    for (auto more = next; rule_.expandable && more != segments_.end() && more->first == end; ++more)
      end = more->second;
    return end;
  }

  PytorchBlockRule rule_;
  std::map<uint64_t, uint64_t> segments_;  // address → end
};

}  // namespace arenascope::trace
