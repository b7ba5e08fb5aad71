// SPDX-License-Identifier: MIT
// A large reserved address range in which only used pages are backed by memory. Reserving addresses costs nothing; a
// page is backed from its first access until it is released, and this class tracks which pages are backed.
#pragma once
#include <arenascope/base/ids.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace arenascope {

// Not thread-safe.
class PageRange {
 public:
  // Tries `capacity` bytes, then halves of it. If the address space is limited, all ranges of the process together use at
  // most a quarter of the limit. base() is 0 if there is not enough address space or the system refuses.
  explicit PageRange(Bytes capacity);
  ~PageRange();
  PageRange(const PageRange&) = delete;
  PageRange& operator=(const PageRange&) = delete;

  uintptr_t base() const { return base_; }
  Bytes capacity() const { return capacity_; }
  Bytes backed_bytes() const { return backed_; }
  bool contains(uintptr_t address) const { return address - base_ < static_cast<uintptr_t>(capacity_); }

  // Bytes of the pages overlapping [address, address + bytes) that are not backed yet.
  Bytes missing(uintptr_t address, Bytes bytes) const;
  // Marks the pages overlapping [address, address + bytes) as backed.
  void back(uintptr_t address, Bytes bytes);
  // Releases pages completely inside the range to the system, from the end, up to `at_most` bytes (rounded up to a
  // page). Calls went(address, bytes) for each contiguous run; returns the number of bytes released.
  template <class F>
  Bytes unback(uintptr_t address, Bytes bytes, Bytes at_most, F&& went) {
    Bytes gone = 0;
    for (Pages inside = within(address, bytes); gone < at_most;) {
      const Pages run = unback_last(inside, at_most - gone);
      if (run.first == run.last) break;
      gone += bytes_of(run);
      went(address_of(run.first), bytes_of(run));
      inside.last = run.first;
    }
    return gone;
  }
  // Calls f(address, bytes) for each contiguous run of backed (or unbacked) pages overlapping [address, address +
  // bytes).
  template <class F>
  void visit(uintptr_t address, Bytes bytes, bool backed, F&& f) const {
    const Pages pages = touched(address, bytes);
    for (size_t page = pages.first; page < pages.last;) {
      const size_t first = page;
      for (; page < pages.last && is_backed(page) == backed;) ++page;
      if (page > first) f(address_of(first), bytes_of({first, page}));
      for (; page < pages.last && is_backed(page) != backed;) ++page;
    }
  }
  // Bytes from the start to the end of the last page that was ever backed.
  Bytes used_length() const { return static_cast<Bytes>(high_) << page_shift_; }

 private:
  struct Pages {
    size_t first, last;
  };
  uintptr_t address_of(size_t page) const { return base_ + (page << page_shift_); }
  Bytes bytes_of(Pages pages) const { return static_cast<Bytes>(pages.last - pages.first) << page_shift_; }
  Pages within(uintptr_t address, Bytes bytes) const;
  Pages unback_last(Pages inside, Bytes at_most);
  Pages touched(uintptr_t address, Bytes bytes) const;
  bool is_backed(size_t page) const { return words_[page / 64] >> (page % 64) & 1; }
  Bytes set_range(Pages pages, bool value);

  struct Free {
    void operator()(uint64_t* p) const;
  };
  uintptr_t base_ = 0;
  Bytes capacity_ = 0;
  Bytes page_ = 4096;
  int page_shift_ = 12;
  Bytes backed_ = 0;
  size_t high_ = 0;                          // no page from this index on was ever backed
  std::unique_ptr<uint64_t[], Free> words_;  // one bit per page
};

}  // namespace arenascope
