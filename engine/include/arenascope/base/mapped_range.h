// SPDX-License-Identifier: MIT
// Registry of mappings whose pages may become unavailable: files that are truncated by another process, and memory that
// the system cannot back. Access to such a page raises SIGBUS; a program opts in to survive it
// (arenascope/models/mapped_files.h). A signal handler has no user data, so mappings are registered in a global lock-free
// table of the process.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace arenascope {

namespace detail {

struct MappedRow {
  static constexpr uintptr_t kTaken = 1;    // not an address: the row is reserved but not filled in yet
  std::atomic<uintptr_t> begin{0}, end{0};  // begin 0: free
  std::atomic<bool> lost{false};
  bool holds(uintptr_t address) const {
    const uintptr_t from = begin.load(std::memory_order_acquire);
    return from > kTaken && address >= from && address < end.load(std::memory_order_acquire);
  }
};
inline constinit std::array<MappedRow, 1024> mapped_rows{};  // global, as signal handlers are

}  // namespace detail

// Registers a mapping for the lifetime of this object. If the table is full, the mapping is not watched.
class MappedRange {
 public:
  MappedRange(const void* data, size_t size) {
    for (detail::MappedRow& row : detail::mapped_rows) {
      uintptr_t free = 0;
      if (!row.begin.compare_exchange_strong(free, detail::MappedRow::kTaken, std::memory_order_acq_rel)) continue;
      row.lost.store(false, std::memory_order_relaxed);
      row.end.store(reinterpret_cast<uintptr_t>(data) + size, std::memory_order_relaxed);
      row.begin.store(reinterpret_cast<uintptr_t>(data), std::memory_order_release);
      row_ = &row;
      return;
    }
  }
  ~MappedRange() {  // must run before the mapping is removed
    if (row_ == nullptr) return;
    row_->end.store(0, std::memory_order_release);
    row_->begin.store(0, std::memory_order_release);
  }
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;

  // True if some pages could not be read and were replaced by zeros.
  bool lost() const { return row_ != nullptr && row_->lost.load(std::memory_order_acquire); }
  // True if the address belongs to a registered mapping.
  static bool watches(const void* address) {
    for (const detail::MappedRow& row : detail::mapped_rows)
      if (row.holds(reinterpret_cast<uintptr_t>(address))) return true;
    return false;
  }

 private:
  detail::MappedRow* row_ = nullptr;
};

}  // namespace arenascope
