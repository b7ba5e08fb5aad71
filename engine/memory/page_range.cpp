// SPDX-License-Identifier: MIT
#include <arenascope/memory/available_memory.h>
#include <arenascope/memory/page_range.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>

namespace arenascope {

namespace {

// Addresses that all ranges of the process hold.
std::atomic<Bytes> reserved_addresses{0};

// Reserves `bytes` if they stay within a quarter of the limit.
bool take_addresses(Bytes bytes, Bytes most) {
  Bytes held = reserved_addresses.load(std::memory_order_relaxed);
  do {
    if (bytes > most - held) return false;
  } while (!reserved_addresses.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
  return true;
}

}  // namespace

void PageRange::Free::operator()(uint64_t* p) const { std::free(p); }

PageRange::PageRange(Bytes capacity) {
  if (const long page = sysconf(_SC_PAGESIZE); page > 0) page_ = page;
  page_shift_ = std::countr_zero(static_cast<uint64_t>(page_));
  constexpr Bytes kMinBytes = Bytes{1} << 20;
  const Bytes limit = address_space_limit();
  const Bytes most = limit == kUnknownMemory ? limit : limit / 4;
  if (limit != kUnknownMemory)  // half of the remainder, so that the next one gets some
    capacity = std::min(capacity, std::max<Bytes>(most - reserved_addresses.load(std::memory_order_relaxed), 0) / 2);
  for (capacity = std::max(capacity & ~(page_ * 64 - 1), page_ * 64);; capacity = capacity / 2 & ~(page_ * 64 - 1)) {
    const bool fits = take_addresses(capacity, most);
    void* p = !fits ? MAP_FAILED
                    : mmap(nullptr, static_cast<size_t>(capacity), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fits && p == MAP_FAILED) reserved_addresses.fetch_sub(capacity, std::memory_order_relaxed);
    if (p != MAP_FAILED) {
      const size_t words = static_cast<size_t>(capacity >> page_shift_) / 64;
      words_.reset(static_cast<uint64_t*>(std::calloc(words, sizeof(uint64_t))));
      if (!words_) {
        munmap(p, static_cast<size_t>(capacity));
        reserved_addresses.fetch_sub(capacity, std::memory_order_relaxed);
        return;
      }
      base_ = reinterpret_cast<uintptr_t>(p);
      capacity_ = capacity;
      return;
    }
    if (capacity / 2 < kMinBytes) return;
  }
}

PageRange::~PageRange() {
  if (!base_) return;
  munmap(reinterpret_cast<void*>(base_), static_cast<size_t>(capacity_));
  reserved_addresses.fetch_sub(capacity_, std::memory_order_relaxed);
}

PageRange::Pages PageRange::touched(uintptr_t address, Bytes bytes) const {
  const uintptr_t from = address - base_, to = from + static_cast<uintptr_t>(bytes);
  return {from >> page_shift_, (to + static_cast<uintptr_t>(page_) - 1) >> page_shift_};
}

Bytes PageRange::missing(uintptr_t address, Bytes bytes) const {
  const Pages pages = touched(address, bytes);
  Bytes set = 0;
  for (size_t page = pages.first; page < pages.last;) {
    const size_t bit = page % 64, n = std::min(64 - bit, pages.last - page);
    const uint64_t mask = (n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1) << bit;
    set += std::popcount(words_[page / 64] & mask);
    page += n;
  }
  return (static_cast<Bytes>(pages.last - pages.first) - set) << page_shift_;
}

// Sets or clears the bits; returns the bytes of the pages whose bit changed.
Bytes PageRange::set_range(Pages pages, bool value) {
  Bytes changed = 0;
  for (size_t page = pages.first; page < pages.last;) {
    const size_t bit = page % 64, n = std::min(64 - bit, pages.last - page);
    const uint64_t mask = (n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1) << bit;
    uint64_t& word = words_[page / 64];
    const uint64_t after = value ? word | mask : word & ~mask;
    changed += std::popcount(word ^ after);
    word = after;
    page += n;
  }
  return changed << page_shift_;
}

void PageRange::back(uintptr_t address, Bytes bytes) {
  const Pages pages = touched(address, bytes);
  high_ = std::max(high_, pages.last);
  backed_ += set_range(pages, true);
}

PageRange::Pages PageRange::within(uintptr_t address, Bytes bytes) const {
  const uintptr_t from = address - base_, to = from + static_cast<uintptr_t>(bytes);
  const size_t first = (from + static_cast<uintptr_t>(page_) - 1) >> page_shift_;
  return {first, std::max(first, std::min(to >> page_shift_, high_))};
}

// The last run of backed pages in the range; empty if there is none or the system refuses.
PageRange::Pages PageRange::unback_last(Pages inside, Bytes at_most) {
  size_t end = inside.last;
  while (end > inside.first && !is_backed(end - 1)) end = words_[(end - 1) / 64] == 0 ? (end - 1) / 64 * 64 : end - 1;
  if (end <= inside.first) return {inside.first, inside.first};
  size_t start = end;
  while (start > inside.first && is_backed(start - 1) && bytes_of({start, end}) < at_most) --start;
  void* run_start = reinterpret_cast<void*>(address_of(start));
  if (madvise(run_start, static_cast<size_t>(bytes_of({start, end})), MADV_DONTNEED) != 0)
    return {inside.first, inside.first};
  backed_ -= set_range({start, end}, false);
  return {start, end};
}

}  // namespace arenascope
