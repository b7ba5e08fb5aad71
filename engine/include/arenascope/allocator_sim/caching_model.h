// SPDX-License-Identifier: MIT
// A model of PyTorch's caching allocator of one device: which segments it reserves, which block it returns for a
// request and how it splits it, by the rules of c10/cuda/CUDACachingAllocator.cpp (best fit by size, then by
// address, one set of free blocks per pool and stream). It allocates no memory: addresses are only numbers.
#pragma once
#include <arenascope/allocator_sim/caching_settings.h>
#include <arenascope/trace/pytorch_snapshot.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace arenascope::allocator_sim {

// A segment reserved from the device. `pool`: 0, or the number of a private pool (of a CUDA graph).
struct CachedSegment {
  uint64_t address = 0;
  Bytes bytes = 0;
  uint32_t stream = 0, pool = 0;
  bool small = false;  // for requests up to 1 MiB
};

// A block that is in use; `asked` is the requested size.
struct UsedBlock {
  uint64_t address = 0;
  Bytes bytes = 0, asked = 0;
};

// Where the reserved bytes are. The four parts and `allocated` sum up to `reserved`.
struct CachedBytes {
  Bytes reserved = 0;   // taken from the device
  Bytes allocated = 0;  // in blocks that are in use
  Bytes asked = 0;      // of those
  // Unused, and…
  Bytes whole = 0;   // …a segment or page of its own: could be released
  Bytes pieces = 0;  // …next to used blocks, of the requested stream
  Bytes others = 0;  // …of other streams and pools
};

class CachingModel {
 public:
  explicit CachingModel(const CachingSettings& settings)
      : settings_(settings), rule_{settings.max_split_size, settings.expandable_segments} {}

  // A segment as it was found, with its blocks that are in use, by address, disjoint and inside of it.
  void adopt(const CachedSegment& segment, std::span<const UsedBlock> used);
  // Addresses of the segments to be reserved, in order, with their sizes. Other segments are placed above all memory of
  // the device.
  void expect_segments(std::vector<std::pair<uint64_t, Bytes>> places) { expected_segments_ = std::move(places); }

  // The block's address; nullopt if the device is out of memory even after all unused memory was released.
  std::optional<uint64_t> allocate(Bytes asked, uint32_t stream, uint32_t pool);
  void free(uint64_t address);  // of a block in use

  Bytes reserved() const { return reserved_; }
  Bytes allocated() const { return allocated_; }
  int64_t segments_taken() const { return taken_; }
  int64_t segments_released() const { return released_; }
  int64_t retries() const { return retries_; }  // allocations that first had to release unused memory

  // By the stream and pool that memory is wanted for; in time of all blocks.
  CachedBytes bytes(uint32_t stream, uint32_t pool) const;

 private:
  struct Segment {
    uint64_t address = 0;
    Bytes bytes = 0;  // of addresses
    size_t pool = 0;
    uint32_t stream = 0;
    Bytes page = 0;  // of one that grows; 0: taken whole
  };
  struct Block {
    Bytes bytes = 0, asked = 0;
    size_t segment = 0;
    bool used = false, mapped = true;
    int64_t freed_at = 0;  // searches of its pool before it was freed
  };
  using Blocks = std::map<uint64_t, Block>;
  struct FreeKey {
    uint32_t stream;
    Bytes bytes;
    uint64_t address;
    auto operator<=>(const FreeKey&) const = default;
  };
  struct Pool {
    uint32_t number = 0;
    bool small = false;
    std::set<FreeKey> free;
    std::set<std::pair<uint32_t, uint64_t>> unmapped;  // stream, address
    int64_t searches = 0;
  };

  size_t pool_of(uint32_t number, bool small);
  uint64_t place_for(Bytes bytes);
  bool fits(Bytes more) const { return settings_.device_memory <= 0 || more <= settings_.device_memory - reserved_; }
  FreeKey key_of(Blocks::iterator block) const;
  // The neighbour in the same segment with the same backing, if it is unused; end() otherwise.
  Blocks::iterator unused_before(Blocks::iterator block);
  Blocks::iterator next_unused(Blocks::iterator block);

  Blocks::iterator find_free(size_t pool, uint32_t stream, Bytes bytes);
  Blocks::iterator take(size_t pool, uint32_t stream, Bytes bytes);
  Blocks::iterator take_segment(size_t pool, uint32_t stream, Bytes bytes);
  Blocks::iterator take_pages(size_t pool, uint32_t stream, Bytes bytes);
  Blocks::iterator room_to_grow(size_t pool, uint32_t stream, Bytes bytes);
  Blocks::iterator map_pages(Blocks::iterator unmapped, Bytes bytes);
  // Merged with unused neighbours, and among the free ones.
  Blocks::iterator put_free(Blocks::iterator block);
  void collect_garbage();
  bool release_large(size_t pool, uint32_t stream, Bytes bytes);
  void release_unused();
  bool is_whole(Blocks::const_iterator block) const;
  void release(Blocks::iterator block);
  void unmap_pages(Blocks::iterator block);

  const CachingSettings settings_;
  const trace::PytorchBlockRule rule_;
  std::vector<Segment> segments_;
  std::vector<std::unique_ptr<Pool>> pools_;
  Blocks blocks_;  // by address
  std::vector<std::pair<uint64_t, Bytes>> expected_segments_;
  size_t next_place_ = 0;
  uint64_t next_address_ = uint64_t{1} << 62;
  Bytes reserved_ = 0, allocated_ = 0;
  int64_t taken_ = 0, released_ = 0, retries_ = 0;
};

}  // namespace arenascope::allocator_sim
