// SPDX-License-Identifier: MIT
// Memory events of PyTorch's profiler. Each is a change of a device's allocator. Newer versions also record the totals
// after it, which include memory that is older than the trace. The totals are authoritative: the difference to the sum of
// the changes becomes an allocation without an address, and so do all reservations.
#pragma once
#include "engine/trace/import_builder.h"
#include "engine/trace/left_out.h"

#include <map>
#include <vector>

namespace arenascope::trace {

class ProfiledMemory {
 public:
  static constexpr Bytes kUnknown = -1;
  struct Change {
    Nanoseconds time = 0;
    size_t track = 0;
    uint32_t allocator = 0;   // 0: the host; N: device N - 1
    int64_t device_type = 0;  // type of the device, as PyTorch numbers them
    uint64_t address = 0;
    Bytes bytes = 0;  // negative: freed
    Bytes allocated = kUnknown, reserved = kUnknown;
  };
  void add(const Change& change);
  uint32_t devices() const { return types_.empty() ? 0 : types_.rbegin()->first; }
  // The name of an allocator and its device, as PyTorch writes devices: "host", "CUDA:1"; "device 1" of other types.
  std::string name_of(uint32_t allocator) const;
  // Passes all changes to the builder by time, and what is not known of the allocators to `left_out`.
  void finish(ImportBuilder& builder, LeftOut& left_out);

 private:
  struct Totals {
    bool known = false;
    Bytes allocated = 0, reserved = 0;
    Bytes older = 0;      // allocated before the first change
    int64_t missing = 0;  // changes that are not in the file
  };
  static void add(const Change& change, Totals& totals, ImportBuilder& builder);

  std::vector<Change> changes_;
  std::map<uint32_t, int64_t> types_;  // by allocator
};

}  // namespace arenascope::trace
