// SPDX-License-Identifier: MIT
// A long range of addresses of which only the pages in use hold memory. Asking for addresses costs nothing; a page is
// backed from its first touch until it is let go, and this keeps count of which are.
#pragma once
#include <arenascope/base/ids.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace arenascope {

// Not thread-safe.
class PageRange {
 public:
  // Tries `capacity` bytes, then halves of it. base() is 0 where the system grants none.
  explicit PageRange(Bytes capacity);
  ~PageRange();
  PageRange(const PageRange&) = delete;
  PageRange& operator=(const PageRange&) = delete;

  uintptr_t base() const { return base_; }
  Bytes capacity() const { return capacity_; }
  Bytes backed_bytes() const { return backed_; }
  bool contains(uintptr_t address) const { return address - base_ < static_cast<uintptr_t>(capacity_); }

  // How many bytes of pages that [address, address + bytes) touches are not backed yet.
  Bytes missing(uintptr_t address, Bytes bytes) const;
  // From now on they count as backed.
  void back(uintptr_t address, Bytes bytes);
  // Gives the pages that lie wholly inside back to the system, the last ones first and `at_most` bytes of them (rounded
  // up to a page). Returns how many bytes went.
  Bytes unback(uintptr_t address, Bytes bytes, Bytes at_most);

 private:
  struct Pages {
    size_t first, last;
  };
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
  size_t high_ = 0;                          // no page from here on was ever backed
  std::unique_ptr<uint64_t[], Free> words_;  // one bit a page
};

}  // namespace arenascope
