// SPDX-License-Identifier: MIT
#include <arenascope/base/checked.h>
#include <arenascope/memory/block_heap.h>

#include <algorithm>
#include <new>

namespace arenascope {

// Reserves the metadata that one take() may need: two more blocks, one more address, the owner's bins.
bool BlockHeap::prepare(Owner owner) {
  if (spare_count_ >= 2 && used_.size() < used_.capacity() && owner < bins_.size() && bins_[owner]) return true;
  try {
    if (owner >= bins_.size()) bins_.resize(owner + 1);
    if (!bins_[owner]) bins_[owner] = std::make_unique<Bins>();
    used_.reserve(std::max<size_t>(64, used_.size() + 1));
    while (spare_count_ < 2) {
      if (blocks_.size() >= kNone) return false;
      blocks_.emplace_back();
      drop_block(static_cast<uint32_t>(blocks_.size() - 1));
    }
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

uint32_t BlockHeap::new_block() {
  const uint32_t i = spare_;
  spare_ = blocks_[i].bin_next;
  --spare_count_;
  blocks_[i] = Block();
  return i;
}

void BlockHeap::drop_block(uint32_t i) {
  blocks_[i].bin_next = spare_;
  spare_ = i;
  ++spare_count_;
}

void BlockHeap::insert_free(uint32_t i) {
  Block& b = blocks_[i];
  Bins& bins = *bins_[b.owner];
  const size_t bin = bin_of(b.bytes);
  b.bin_prev = kNone;
  b.bin_next = bins.heads[bin];
  if (b.bin_next != kNone) blocks_[b.bin_next].bin_prev = i;
  bins.heads[bin] = i;
  bins.words[bin / 64] |= uint64_t{1} << (bin % 64);
  bins.bytes += b.bytes;
  free_bytes_ += b.bytes;
}

void BlockHeap::remove_free(uint32_t i) {
  const Block& b = blocks_[i];
  Bins& bins = *bins_[b.owner];
  if (b.bin_next != kNone) blocks_[b.bin_next].bin_prev = b.bin_prev;
  if (b.bin_prev != kNone) {
    blocks_[b.bin_prev].bin_next = b.bin_next;
  } else {
    const size_t bin = bin_of(b.bytes);
    bins.heads[bin] = b.bin_next;
    if (b.bin_next == kNone) bins.words[bin / 64] &= ~(uint64_t{1} << (bin % 64));
  }
  bins.bytes -= b.bytes;
  free_bytes_ -= b.bytes;
}

Status BlockHeap::add_segment(uintptr_t base, Bytes bytes, Owner owner) {
  if (!prepare(owner)) return Error{"out of memory for the metadata of a segment"};
  try {
    if (segments_.capacity() == segments_.size()) segments_.reserve(2 * segments_.size() + 8);
  } catch (const std::bad_alloc&) {
    return Error{"out of memory for the metadata of a segment"};
  }
  const uint32_t i = new_block();
  blocks_[i].address = base;
  blocks_[i].bytes = bytes;
  blocks_[i].owner = owner;
  segments_.push_back(i);
  insert_free(i);
  return {};
}

size_t BlockHeap::next_bin(const Bins& bins, size_t from) {
  size_t word = from / 64;
  if (word >= bins.words.size()) return kBins;
  uint64_t bits = bins.words[word] & (~uint64_t{0} << (from % 64));
  while (bits == 0) {
    if (++word == bins.words.size()) return kBins;
    bits = bins.words[word];
  }
  return word * 64 + static_cast<size_t>(std::countr_zero(bits));
}

bool BlockHeap::fits(const Block& b, Bytes bytes, size_t alignment) const {
  const uintptr_t start = align_up(b.address, alignment);
  return b.bytes >= bytes && start - b.address <= static_cast<uint64_t>(b.bytes - bytes);
}

// The smallest of a few fitting candidates in the lowest bin with a fit, searching upwards from the bin of class_bytes.
uint32_t BlockHeap::search(const Bins& bins, Bytes bytes, size_t alignment, Bytes class_bytes, Ticket passed) const {
  for (size_t bin = next_bin(bins, bin_of(class_bytes)); bin < kBins; bin = next_bin(bins, bin + 1)) {
    uint32_t best = kNone;
    int looked = 0;
    for (uint32_t i = bins.heads[bin]; i != kNone && looked < kCandidates; i = blocks_[i].bin_next, ++looked) {
      const Block& b = blocks_[i];
      if (b.ticket > passed || !fits(b, bytes, alignment)) continue;
      if (best == kNone || b.bytes < blocks_[best].bytes ||
          (b.bytes == blocks_[best].bytes && b.address < blocks_[best].address))
        best = i;
    }
    if (best != kNone) return best;
  }
  return kNone;
}

// Splits block i, which is in no bin, after its first `front` bytes. Returns the new second block, which is in no bin
// either.
uint32_t BlockHeap::cut(uint32_t i, Bytes front) {
  const uint32_t rest = new_block();
  Block& r = blocks_[rest];
  Block& b = blocks_[i];
  r = b;
  r.address = b.address + static_cast<uintptr_t>(front);
  r.bytes = b.bytes - front;
  r.prev = i;
  if (b.next != kNone) blocks_[b.next].prev = rest;
  b.next = rest;
  b.bytes = front;
  return rest;
}

// Turns block i, removed from its bin, into a used block of `owner`; the remainders on both sides keep the old owner.
uintptr_t BlockHeap::carve(uint32_t i, Owner owner, Bytes bytes, size_t alignment) {
  remove_free(i);
  const uintptr_t start = align_up(blocks_[i].address, alignment);
  if (const auto front = static_cast<Bytes>(start - blocks_[i].address); front > 0) {
    const uint32_t rest = cut(i, front);
    insert_free(i);
    i = rest;
  }
  if (blocks_[i].bytes > bytes) insert_free(cut(i, bytes));
  Block& b = blocks_[i];
  b.used = true;
  b.owner = owner;
  used_.insert(b.address, i);
  used_bytes_ += bytes;
  return b.address;
}

uintptr_t BlockHeap::take(Owner owner, Bytes bytes, size_t alignment) {
  if (!prepare(owner)) return 0;
  const Bins& bins = *bins_[owner];
  uint32_t i = search(bins, bytes, alignment, bytes, ~Ticket{0});
  if (i == kNone) return 0;
  return carve(i, owner, bytes, alignment);
}

uintptr_t BlockHeap::take_passed(Owner owner, Bytes bytes, size_t alignment, std::span<const Ticket> passed) {
  if (!prepare(owner)) return 0;
  for (Owner other = 0; other < bins_.size() && other < passed.size(); ++other) {
    if (other == owner || !bins_[other] || bins_[other]->bytes < bytes) continue;
    const uint32_t i = search(*bins_[other], bytes, alignment, bytes, passed[other]);
    if (i != kNone) return carve(i, owner, bytes, alignment);
  }
  return 0;
}

// Merges the next block, which is in no bin, into block i and removes it.
void BlockHeap::absorb_next(uint32_t i) {
  Block& b = blocks_[i];
  const uint32_t next = b.next;
  const Block& n = blocks_[next];
  b.bytes += n.bytes;
  b.ticket = std::max(b.ticket, n.ticket);
  b.next = n.next;
  if (b.next != kNone) blocks_[b.next].prev = i;
  drop_block(next);
}

// Merges free block i, which is in no bin, with free neighbours of the same owner; the result is in no bin either.
uint32_t BlockHeap::merge_neighbours(uint32_t i) {
  const auto joins = [&](uint32_t other) {
    return other != kNone && !blocks_[other].used && blocks_[other].owner == blocks_[i].owner;
  };
  if (const uint32_t next = blocks_[i].next; joins(next)) {
    remove_free(next);
    absorb_next(i);
  }
  const uint32_t prev = blocks_[i].prev;
  if (!joins(prev)) return i;
  remove_free(prev);
  absorb_next(prev);
  return prev;
}

Bytes BlockHeap::give(uintptr_t address, Ticket ticket) noexcept {
  const uint32_t i = used_.erase(address);
  if (i == AddressMap::kNone) return 0;
  Block& b = blocks_[i];
  const Bytes bytes = b.bytes;
  used_bytes_ -= bytes;
  b.used = false;
  b.ticket = ticket;
  insert_free(merge_neighbours(i));
  return bytes;
}

Bytes BlockHeap::size_at(uintptr_t address) const {
  const uint32_t i = used_.find(address);
  return i == AddressMap::kNone ? 0 : blocks_[i].bytes;
}

BlockHeap::Owner BlockHeap::owner_at(uintptr_t address) const {
  const uint32_t i = used_.find(address);
  return i == AddressMap::kNone ? 0 : blocks_[i].owner;
}

void BlockHeap::forget_owners(Owner owner) noexcept {
  if (!prepare(owner)) return;
  for (const uint32_t first : segments_) {
    for (uint32_t i = first; i != kNone; i = blocks_[i].next) {
      if (blocks_[i].used) continue;
      remove_free(i);
      blocks_[i].owner = owner;
      blocks_[i].ticket = 0;
      i = merge_neighbours(i);
      insert_free(i);
    }
  }
}

std::vector<BlockHeap::View> BlockHeap::blocks() const {
  std::vector<View> all;
  for (const uint32_t first : segments_)
    for (uint32_t i = first; i != kNone; i = blocks_[i].next) {
      const Block& b = blocks_[i];
      all.push_back({b.address, b.bytes, b.owner, b.ticket, b.used, b.prev == kNone, b.next == kNone});
    }
  return all;
}

}  // namespace arenascope
