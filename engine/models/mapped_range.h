// SPDX-License-Identifier: MIT
// The mappings that survive_lost_pages() looks after. A signal handler cannot be handed anything, so they stand in a
// table of the process, whose rows are taken and given back without locks.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace arenascope::models {

// Notes a mapping while it lives. Where the table is full it is not looked after.
class MappedRange {
 public:
  MappedRange(const void* data, size_t size);
  ~MappedRange();  // before the mapping goes
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;

  // Whether some of its pages could not be read and were replaced by zeros.
  bool lost() const { return row_ && row_->lost.load(std::memory_order_acquire); }

  struct Row {
    std::atomic<uintptr_t> begin{0}, end{0};  // begin 0: free
    std::atomic<bool> lost{false};
  };

 private:
  Row* row_ = nullptr;
};

}  // namespace arenascope::models
