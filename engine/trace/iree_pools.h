// SPDX-License-Identifier: MIT
// What IREE's pools of memory hold, as spaces: each reservation at its offset. Which of a pool's slabs it lies in is not told:
// it is the one that the pool has just taken, else the first in which that place is free.
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
    std::string type;  // as IREE calls it: "pool_reserve"
    int64_t allocation = 0, pool = 0, backing = 0, device = 0;
    Bytes offset = 0, bytes = 0;
    std::optional<Bytes> committed;  // of the pool, behind it
    bool is_foreign = false;
  };
  // False: it makes no sense.
  bool add(Change change);
  bool empty() const { return changes_.empty(); }
  std::set<int64_t> devices() const;
  // Everything onto a track, and the allocators for describe().
  void place(ImportBuilder& builder, size_t track);
  void describe(Sink& sink) const;
  int64_t left_out() const { return left_out_; }  // what had no place, or one already

 private:
  struct Slab {
    uint64_t base;
    Bytes bytes;
  };
  struct Space {
    uint32_t allocator = 0;
    Bytes committed = 0;
    uint64_t base = 0, end = 0;  // of its addresses; `end` is behind the last slab
    std::vector<Slab> slabs;
    std::map<uint64_t, Bytes> live;  // by address
  };
  struct Taken {
    Space* space;
    uint64_t address;
    Bytes bytes;
    uint32_t number;
    bool by_queue;  // as the pool told nothing
  };
  using Key = std::pair<int64_t, int64_t>;  // pool, and allocation within

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
