// SPDX-License-Identifier: MIT
// Mappings whose pages may go: of files that others cut short, of memory that there is no room for, and of numbers that can
// be drawn again. Reading there gets SIGBUS; programs that would rather go on ask for it (arenascope/models/mapped_files.h).
// A signal handler cannot be handed anything, so the mappings stand in a table of the process, whose rows are taken and given
// back without locks.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace arenascope {

namespace detail {

// What makes a mapping's bytes whenever a page of them is not there.
struct Drawing {
  // Only what is safe in a signal handler. Null: it is none of that, and a thread makes all of the mapping's bytes meanwhile.
  void (*draw)(const void* numbers, size_t offset, size_t bytes, std::byte* to);
  const void* numbers;
};

struct MappedRow {
  static constexpr uintptr_t kTaken = 1;    // no address: what is being filled in holds nothing yet
  std::atomic<uintptr_t> begin{0}, end{0};  // begin 0: free
  std::atomic<bool> lost{false};
  std::atomic<const Drawing*> drawing{nullptr};  // null: pages that go are lost
  bool holds(uintptr_t address) const {
    const uintptr_t from = begin.load(std::memory_order_acquire);
    return from > kTaken && address >= from && address < end.load(std::memory_order_acquire);
  }
};
inline constinit std::array<MappedRow, 1024> mapped_rows{};  // of the process, as its signal handlers are
inline constinit std::atomic<bool> lost_pages_survived{false};

}  // namespace detail

// Notes a mapping while it lives. Where the table is full it is not looked after.
class MappedRange {
 public:
  MappedRange(const void* data, size_t size, const detail::Drawing* drawing = nullptr) {
    for (detail::MappedRow& row : detail::mapped_rows) {
      uintptr_t free = 0;
      if (!row.begin.compare_exchange_strong(free, detail::MappedRow::kTaken, std::memory_order_acq_rel)) continue;
      row.lost.store(false, std::memory_order_relaxed);
      row.drawing.store(drawing, std::memory_order_relaxed);
      row.end.store(reinterpret_cast<uintptr_t>(data) + size, std::memory_order_relaxed);
      row.begin.store(reinterpret_cast<uintptr_t>(data), std::memory_order_release);
      row_ = &row;
      return;
    }
  }
  ~MappedRange() {  // before the mapping goes
    if (row_ == nullptr) return;
    row_->end.store(0, std::memory_order_release);
    row_->begin.store(0, std::memory_order_release);
  }
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;

  // Whether there was a row for it in the table.
  bool watched() const { return row_ != nullptr; }
  // Whether some of its pages could not be read and were replaced by zeros.
  bool lost() const { return row_ != nullptr && row_->lost.load(std::memory_order_acquire); }
  // Whether an address lies in a mapping that is looked after.
  static bool watches(const void* address) {
    for (const detail::MappedRow& row : detail::mapped_rows)
      if (row.holds(reinterpret_cast<uintptr_t>(address))) return true;
    return false;
  }
  // Whether what lies there is drawn again when it is read after its pages were given back.
  static bool drawn(const void* address) {
    for (const detail::MappedRow& row : detail::mapped_rows)
      if (row.holds(reinterpret_cast<uintptr_t>(address)))
        return row.drawing.load(std::memory_order_relaxed) != nullptr;
    return false;
  }

 private:
  detail::MappedRow* row_ = nullptr;
};

}  // namespace arenascope
