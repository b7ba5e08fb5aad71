// SPDX-License-Identifier: MIT
#include "engine/models/lazy_pages.h"

#include <sys/mman.h>

#include <cstdint>

#include <arenascope/memory/mapped_pages.h>
#include "engine/models/remap_pages.h"

namespace arenascope::models {

namespace {

bool worth_it(size_t bytes) {
  constexpr size_t kMin = size_t{32} << 10;
  return bytes >= kMin && detail::lost_pages_survived.load();
}

}  // namespace

std::shared_ptr<const LazyPages> LazyPages::make(std::shared_ptr<const SharedNumbers> shared) {
  const size_t bytes = shared->numbers.bytes();
  if (!worth_it(bytes)) return nullptr;
  const detail::Drawing drawing{[](const void* of, size_t offset, size_t count, std::byte* to) {
                                  static_cast<const SeededNumbers*>(of)->draw(offset, count, to);
                                },
                                &shared->numbers, &shared->lost};
  return reserve(std::shared_ptr<LazyPages>(new LazyPages(std::move(shared), drawing)), bytes);
}

std::shared_ptr<const LazyPages> LazyPages::make(std::shared_ptr<const GeneratedBytes> made, size_t bytes) {
  if (!worth_it(bytes) || !start_maker()) return nullptr;
  const detail::Drawing drawing{nullptr, made.get(), &made->lost()};
  return reserve(std::shared_ptr<LazyPages>(new LazyPages(std::move(made), drawing)), bytes);
}

std::shared_ptr<const LazyPages> LazyPages::reserve(std::shared_ptr<LazyPages> pages, size_t bytes) {
  const size_t reserved = bytes + (bytes < kHugePage ? 0 : kHugePage);
  void* const all = ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  pages->reserved_ = static_cast<std::byte*>(all);
  pages->reserved_bytes_ = reserved;
  const size_t over = reinterpret_cast<uintptr_t>(all) % kHugePage;
  pages->data_ = pages->reserved_ + (bytes < kHugePage || over == 0 ? 0 : kHugePage - over);
  if (!map_no_pages(pages->data_, bytes)) return nullptr;
  pages->range_.emplace(pages->data_, bytes, &pages->drawing_);
  return pages->range_->watched() ? pages : nullptr;
}

LazyPages::~LazyPages() {
  range_.reset();
  if (reserved_) ::munmap(reserved_, reserved_bytes_);
}

}  // namespace arenascope::models
