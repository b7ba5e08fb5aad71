// SPDX-License-Identifier: MIT
// Shows IREE's memory pools as spaces, with each reservation at its offset. The profile does not record the slab of a
// reservation: it is the newest slab if the pool has just grown, else the first one that is free at that offset.
#pragma once
#include "engine/trace/import_builder.h"

#include <map>
#include <optional>
#include <set>

namespace arenascope::trace {

class IreePools {
 public:
  struct Change {
    Nanoseconds time = 0;
    std::string type;  // IREE's name, such as "pool_reserve"
    int64_t allocation = 0, pool = 0, backing = 0, device = 0;
    Bytes offset = 0, bytes = 0;
    std::optional<Bytes> committed;  // committed bytes of the pool after the change
    bool is_foreign = false;
  };
  // Returns false if the change is invalid.
  bool add(Change change);
  bool empty() const { return changes_.empty(); }
  std::set<int64_t> devices() const;
  // Adds all spaces and their events to a track, and the allocators to be described.
  void place(ImportBuilder& builder, size_t track);
  void describe(Sink& sink) const;
  // Pools with reservations in slabs of unknown size, and all pools. The sum of reserved memory leaves the former out.
  int64_t pools_without_slabs() const;
  int64_t pools() const { return static_cast<int64_t>(pool_numbers_.size()); }
  int64_t left_out() const { return left_out_; }  // reservations without an address, or with an address in use

 private:
  struct Slab {
    uint64_t base;
    Bytes bytes;
  };
  struct Space {
    uint32_t allocator = 0;
    Bytes committed = 0;
    uint64_t base = 0, end = 0;  // address range; `end` is the end of the last slab
    std::vector<Slab> slabs;
    bool is_pool = false, sized = false;  // sized: the size of its slabs was recorded
    std::map<uint64_t, Bytes> live;       // by address
  };
  struct Taken {
    Space* space;
    uint64_t address;
    Bytes bytes;
    uint32_t number;
    bool by_queue;  // the pool recorded no statistics
  };
  using Key = std::pair<int64_t, int64_t>;  // pool, and allocation within it

  Space& space(const std::string& name, int64_t device);
  bool follow_slabs(Space& space, const Change& change);
  static bool is_free(const Space& space, uint64_t at, Bytes bytes);
  static std::optional<uint64_t> address_of(const Space& space, const Change& change, bool grew);
  void take(const Change& change, Space& space, bool grew, Key key, bool by_queue);
  void give_back(const Change& change, Key key, bool by_queue);
  void point(const Event& event) { builder_->point(track_, event); }

  std::vector<Change> changes_;
  std::map<std::string, Space> spaces_;  // by name
  std::vector<AllocatorInfo> allocators_;
  std::map<int64_t, int64_t> pool_numbers_;
  std::map<Key, Taken> taken_;
  ImportBuilder* builder_ = nullptr;
  size_t track_ = 0;
  uint32_t blocks_ = 0;
  int64_t left_out_ = 0;
};

}  // namespace arenascope::trace
