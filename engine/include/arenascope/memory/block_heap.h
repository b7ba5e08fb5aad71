// SPDX-License-Identifier: MIT
// BlockHeap: best fit with splitting and coalescing over address ranges that it never accesses, so that the same code
// manages host memory and device memory. Block metadata is stored outside the managed memory.
//
// Each block belongs to an owner (a stream on a device; only owner 0 on the CPU). Free blocks are kept per owner in
// geometric bins with a two-level bitmap (two-level segregated fit, Masmano et al. 2004), and the best of a few
// candidates in the selected bin is used. Not thread-safe; the caller must lock.
//
//     segment  |  used A  | free A | used B |      free A      |     neighbours are linked, free ones of the
//              ^ prev none                    ^ bin of 6 units        same owner are always merged
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/memory/address_map.h>
#include <arenascope/memory/size_classes.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace arenascope {

class BlockHeap {
 public:
  using Owner = uint32_t;
  // The time at which a block was freed, as a counter per owner. 0: no queued work uses the block.
  using Ticket = uint64_t;

  struct View {
    uintptr_t address = 0;
    Bytes bytes = 0;
    Owner owner = 0;
    Ticket ticket = 0;
    bool used = false;
    bool starts_segment = false;
    bool ends_segment = false;
  };

  // All sizes and addresses are multiples of `unit`, a power of two.
  explicit BlockHeap(Bytes unit) : unit_shift_(std::countr_zero(static_cast<uint64_t>(unit))) {}

  // Adds a range as one free block. Error: no memory for its metadata.
  Status add_segment(uintptr_t base, Bytes bytes, Owner owner);

  // Allocates `bytes`, a multiple of the unit. Returns the address, or 0 if no free block of the owner fits.
  uintptr_t take(Owner owner, Bytes bytes, size_t alignment);

  // Allocates for `owner` from a free block of another owner whose ticket is at most passed[other owner].
  uintptr_t take_passed(Owner owner, Bytes bytes, size_t alignment, std::span<const Ticket> passed);

  // Frees the block at the address. Returns its size, or 0 if no used block starts there.
  Bytes give(uintptr_t address, Ticket ticket = 0) noexcept;

  // The size of the used block at the address, or 0.
  Bytes size_at(uintptr_t address) const;
  Owner owner_at(uintptr_t address) const;

  // Transfers every free block to `owner` with ticket 0. Precondition: no queued work uses them.
  void forget_owners(Owner owner) noexcept;

  // Removes every segment that consists of one free block and calls release(address, bytes) for it. Returns the total
  // bytes.
  template <class Release>
  Bytes remove_free_segments(Release&& release);

  // Calls visit(address, bytes) for the free blocks of `owner`, the largest bins first, until it returns false.
  template <class Visit>
  void visit_free(Owner owner, Visit&& visit) const;

  // The largest free block of the owner; only the highest non-empty bin is searched.
  Bytes largest_free(Owner owner) const {
    Bytes largest = 0;
    visit_free(owner, [&](uintptr_t, Bytes bytes) {
      if (largest > 0 && bin_of(bytes) < bin_of(largest)) return false;
      largest = std::max(largest, bytes);
      return true;
    });
    return largest;
  }

  // All blocks, by segment in the order in which they were added, then by address.
  std::vector<View> blocks() const;

  Bytes free_bytes() const { return free_bytes_; }
  Bytes free_bytes(Owner owner) const { return owner < bins_.size() && bins_[owner] ? bins_[owner]->bytes : 0; }
  Bytes used_bytes() const { return used_bytes_; }
  size_t owner_count() const { return bins_.size(); }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  using Classes = SizeClasses<4>;
  static constexpr size_t kBins = 640;  // up to 2^43 units
  static constexpr int kCandidates = 16;

  struct Block {
    uintptr_t address = 0;
    Bytes bytes = 0;
    Ticket ticket = 0;
    uint32_t prev = kNone, next = kNone;          // neighbours in the segment
    uint32_t bin_prev = kNone, bin_next = kNone;  // in the bin; bin_next also links unused entries
    Owner owner = 0;
    bool used = false;
  };
  struct Bins {
    std::array<uint64_t, kBins / 64> words{};
    std::array<uint32_t, kBins> heads;
    Bytes bytes = 0;
    Bins() { heads.fill(kNone); }
  };

  bool prepare(Owner owner);
  uint32_t new_block();
  void drop_block(uint32_t i);
  void insert_free(uint32_t i);
  void remove_free(uint32_t i);
  uint32_t cut(uint32_t i, Bytes front);
  void absorb_next(uint32_t i);
  uint32_t merge_neighbours(uint32_t i);
  static size_t next_bin(const Bins& bins, size_t from);
  bool fits(const Block& b, Bytes bytes, size_t alignment) const;
  uint32_t search(const Bins& bins, Bytes bytes, size_t alignment, Bytes class_bytes, Ticket passed) const;
  uintptr_t carve(uint32_t i, Owner owner, Bytes bytes, size_t alignment);
  size_t bin_of(Bytes bytes) const { return Classes::floor(static_cast<uint64_t>(bytes) >> unit_shift_); }

  int unit_shift_;
  std::vector<Block> blocks_;
  uint32_t spare_ = kNone;
  size_t spare_count_ = 0;
  std::vector<std::unique_ptr<Bins>> bins_;
  std::vector<uint32_t> segments_;  // the first block of each
  AddressMap used_;
  Bytes free_bytes_ = 0, used_bytes_ = 0;
};

template <class Release>
Bytes BlockHeap::remove_free_segments(Release&& release) {
  Bytes sum = 0;
  size_t kept = 0;
  for (const uint32_t first : segments_) {
    const Block b = blocks_[first];
    if (b.used || b.next != kNone) {
      segments_[kept++] = first;
      continue;
    }
    remove_free(first);
    drop_block(first);
    sum += b.bytes;
    release(b.address, b.bytes);
  }
  segments_.resize(kept);
  return sum;
}

template <class Visit>
void BlockHeap::visit_free(Owner owner, Visit&& visit) const {
  if (owner >= bins_.size() || !bins_[owner]) return;
  for (size_t bin = kBins; bin-- > 0;)
    for (uint32_t i = bins_[owner]->heads[bin]; i != kNone; i = blocks_[i].bin_next)
      if (!visit(blocks_[i].address, blocks_[i].bytes)) return;
}

}  // namespace arenascope
