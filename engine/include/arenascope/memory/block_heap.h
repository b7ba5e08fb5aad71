// SPDX-License-Identifier: MIT
// BlockHeap: best fit with splitting and coalescing over address ranges that it never touches, so that the same code
// serves host memory and device memory. What describes a block lies beside the memory, not in it.
//
// Each block belongs to an owner (a stream on a device; the CPU has owner 0 alone), and free blocks are kept by owner
// in geometric bins under a two-level bitmap (the idea of two-level segregated fit, Masmano et al. 2004, with the best
// of a few candidates taken in the bin that is hit). Not thread-safe: its user locks.
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
  // When a block was given back, on its owner's own count of such moments. 0: nobody is left who may use it.
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

  // A new range becomes one free block. Fails only when there is no room to describe it.
  Status add_segment(uintptr_t base, Bytes bytes, Owner owner);

  // `bytes` is a multiple of the unit. Returns the address, or 0 when no free block of the owner fits.
  uintptr_t take(Owner owner, Bytes bytes, size_t alignment);

  // Gives to `owner` out of another owner's free blocks, of those with a ticket of at most passed[that owner].
  uintptr_t take_passed(Owner owner, Bytes bytes, size_t alignment, std::span<const Ticket> passed);

  // The block at the address is free again. Returns its size, or 0 when no used block starts there.
  Bytes give(uintptr_t address, Ticket ticket = 0) noexcept;

  // The size of the used block at the address, or 0.
  Bytes size_at(uintptr_t address) const;
  Owner owner_at(uintptr_t address) const;

  // Every free block goes to `owner` with ticket 0: nothing queued anywhere uses them any more.
  void forget_owners(Owner owner) noexcept;

  // Takes every segment that is one free block away and calls release(address, bytes) for it; returns the sum.
  template <class Release>
  Bytes remove_free_segments(Release&& release);

  // Calls visit(address, bytes) for the free blocks of `owner`, the largest bins first, until it returns false.
  template <class Visit>
  void visit_free(Owner owner, Visit&& visit) const;

  // The largest free block of the owner; those of its bin alone are looked at.
  Bytes largest_free(Owner owner) const {
    Bytes largest = 0;
    visit_free(owner, [&](uintptr_t, Bytes bytes) {
      if (largest > 0 && bin_of(bytes) < bin_of(largest)) return false;
      largest = std::max(largest, bytes);
      return true;
    });
    return largest;
  }

  // Every block, by segment in the order added, then by address.
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
    uint32_t bin_prev = kNone, bin_next = kNone;  // in the bin; bin_next links spare descriptions too
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
