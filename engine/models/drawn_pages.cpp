// SPDX-License-Identifier: MIT
#include "engine/models/drawn_pages.h"

#include <sys/mman.h>

#include <cstdint>

#include <arenascope/memory/mapped_pages.h>

namespace arenascope::models {

DrawnPages::DrawnPages(std::shared_ptr<const SeededNumbers> numbers)
    : numbers_(std::move(numbers)),
      drawing_{[](const void* of, size_t offset, size_t bytes, std::byte* to) {
                 static_cast<const SeededNumbers*>(of)->draw(offset, bytes, to);
               },
               numbers_.get()} {}

std::shared_ptr<const DrawnPages> DrawnPages::make(std::shared_ptr<const SeededNumbers> numbers) {
  constexpr size_t kLeast = size_t{32} << 10, kHugePage = size_t{2} << 20;
  const size_t bytes = numbers->bytes();
  if (bytes < kLeast || !detail::lost_pages_survived.load()) return nullptr;
  std::shared_ptr<DrawnPages> out(new DrawnPages(std::move(numbers)));
  const size_t reserved = bytes + (bytes < kHugePage ? 0 : kHugePage);
  void* const all = ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  out->reserved_ = static_cast<std::byte*>(all);
  out->reserved_bytes_ = reserved;
  const size_t over = reinterpret_cast<uintptr_t>(all) % kHugePage;
  out->data_ = out->reserved_ + (bytes < kHugePage || over == 0 ? 0 : kHugePage - over);
  if (!map_no_pages(out->data_, bytes)) return nullptr;
  out->range_.emplace(out->data_, bytes, &out->drawing_);
  return out->range_->watched() ? out : nullptr;
}

DrawnPages::~DrawnPages() {
  range_.reset();
  if (reserved_) ::munmap(reserved_, reserved_bytes_);
}

}  // namespace arenascope::models
