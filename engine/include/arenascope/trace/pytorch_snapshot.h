// SPDX-License-Identifier: MIT
// A PyTorch memory snapshot as in the file (torch.cuda.memory._dump_snapshot: {"segments": [...],
// "device_traces": [[{"action", "addr", "size", "time_us", ...}]]}): the final contents of each device's segments, the
// most recent events before, and annotated time ranges.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace arenascope::trace {

// The block size that PyTorch's caching allocator uses for a request: the bytes rounded up, or the whole free block where
// the remainder would be too small (c10/cuda/CUDACachingAllocator.cpp: round_size and should_split).
struct PytorchBlockRule {
  static constexpr Bytes kRound = 512, kSmall = Bytes{1} << 20;
  Bytes max_split = INT64_MAX;  // blocks of at least this size are never split
  bool expandable = false;      // segments grow, and every remainder is kept

  // True if a remainder of this size becomes a separate block.
  bool splits(Bytes rounded, Bytes rest) const {
    return rounded <= kSmall || expandable ? rest >= kRound : rest > kSmall && rounded < max_split;
  }
  // Bytes of the block for `requested`, with `available` up to the next block or the segment's end.
  Bytes bytes(Bytes requested, Bytes available) const {
    const Bytes rounded = std::max<Bytes>((requested + kRound - 1) / kRound, 1) * kRound;
    if (available <= rounded) return std::max(requested, available);
    return splits(rounded, available - rounded) ? rounded : available;
  }
};

struct PytorchSnapshot {
  static constexpr int32_t kNoStack = -1;
  struct Block {
    uint64_t address = 0;
    Bytes bytes = 0;
    Bytes asked = -1;  // -1: unknown
    bool used = false;
    int32_t stack = kNoStack;  // call stack, as an index into the importer's table
  };
  struct Segment {
    uint64_t address = 0;
    Bytes bytes = 0;
    int64_t stream = 0;
    std::pair<int64_t, int64_t> pool;  // 0, 0: the one that all share
    bool small = false, expandable = false;
    std::vector<Block> blocks;  // by address, if they are inside of it
  };
  enum class Action : uint8_t { Reserve, Release, Map, Unmap, Allocate, Free };
  struct Entry {
    Action action;
    uint64_t address = 0;
    Bytes bytes = 0;  // of a block: the requested size
    int64_t stream = 0;
    Nanoseconds time = 0;
    int32_t stack = kNoStack;
  };
  struct Device {
    std::vector<Segment> segments;
    std::vector<Entry> entries;  // by time
    int out_of_memory = 0;       // how often it ran out
  };
  std::vector<Device> devices;
  // A stretch of time that a profiler or a user gave a name.
  struct Annotation {
    size_t device = 0;
    std::string name;
    Nanoseconds begin = 0, end = 0;
  };
  std::vector<Annotation> annotations;

  // The allocator's settings; older snapshots do not have them.
  PytorchBlockRule rule;
  double garbage_collection_threshold = 0;
  std::array<int32_t, 16> roundup_power2_divisions{};  // from 1 MiB on, by power of two; 0: none

  int64_t entries = 0;   // of all devices, in the file
  int64_t skipped = 0;   // entries that make no sense
  bool endless = false;  // lists that are referenced too often: reading stopped
};

// An error names the file: it cannot be read or is no snapshot.
Result<PytorchSnapshot> read_pytorch_snapshot(const std::filesystem::path& path);

}  // namespace arenascope::trace
