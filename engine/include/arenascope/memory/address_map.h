// SPDX-License-Identifier: MIT
// Hash map from the address of a block to its index: open addressing, linear probing, no allocation in find() and
// erase().
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace arenascope {

class AddressMap {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  // Reserves capacity for `count` addresses. May throw std::bad_alloc; the map is then unchanged.
  void reserve(size_t count) {
    size_t capacity_needed = 64;
    while (capacity_needed < 2 * count) capacity_needed *= 2;
    if (capacity_needed <= slots_.size()) return;
    std::vector<Slot> larger(capacity_needed);
    larger.swap(slots_);
    shift_ = 64;
    for (size_t n = capacity_needed; n > 1; n /= 2) --shift_;
    for (const Slot& s : larger)
      if (s.address) place(s);
  }
  size_t capacity() const { return slots_.size() / 2; }
  size_t size() const { return size_; }

  // Precondition: `address` is not 0, is not in the map, and size() < capacity().
  void insert(uintptr_t address, uint32_t index) {
    place({address, index});
    ++size_;
  }

  uint32_t find(uintptr_t address) const {
    const size_t at = locate(address);
    return at == slots_.size() ? kNone : slots_[at].index;
  }

  // Returns the index of the erased address, or kNone.
  uint32_t erase(uintptr_t address) {
    size_t hole = locate(address);
    if (hole == slots_.size()) return kNone;
    const uint32_t index = slots_[hole].index;
    const size_t mask = slots_.size() - 1;
    // Backward-shift deletion: later entries of the probe sequence are moved into the hole.
    for (size_t next = (hole + 1) & mask; slots_[next].address; next = (next + 1) & mask) {
      const size_t ideal = home(slots_[next].address);
      if (((next - ideal) & mask) < ((next - hole) & mask)) continue;
      slots_[hole] = slots_[next];
      hole = next;
    }
    slots_[hole] = {};
    --size_;
    return index;
  }

 private:
  struct Slot {
    uintptr_t address = 0;
    uint32_t index = 0;
  };
  size_t home(uintptr_t address) const { return (address * 0x9e3779b97f4a7c15u) >> shift_; }
  size_t locate(uintptr_t address) const {
    if (slots_.empty() || address == 0) return slots_.size();
    const size_t mask = slots_.size() - 1;
    for (size_t i = home(address); slots_[i].address; i = (i + 1) & mask)
      if (slots_[i].address == address) return i;
    return slots_.size();
  }
  void place(const Slot& s) {
    const size_t mask = slots_.size() - 1;
    size_t i = home(s.address);
    while (slots_[i].address) i = (i + 1) & mask;
    slots_[i] = s;
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
  unsigned shift_ = 64;
};

}  // namespace arenascope
