// SPDX-License-Identifier: MIT
#include <arenascope/memory/restorable_memory.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace arenascope {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

size_t page_bytes() {
  static const auto size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

Error cannot_restore(Bytes bytes) {
  return Error{fmt::format("cannot restore {} bytes of a weight: {}", bytes, std::strerror(errno))};
}

}  // namespace

Result<std::shared_ptr<RestorableMemory>> RestorableMemory::reserve(Bytes bytes, Writer write,
                                                                    std::shared_ptr<KindLedger> ledger) {
  if (bytes <= 0) return Error{fmt::format("cannot reserve {} bytes: the size must be positive", bytes)};
  std::shared_ptr<RestorableMemory> out(new RestorableMemory(bytes, std::move(write), std::move(ledger)));
  const bool huge = static_cast<size_t>(bytes) >= kHugePage;
  out->reserved_bytes_ = out->mapped_bytes() + (huge ? kHugePage : 0);
  void* const at = ::mmap(nullptr, out->reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    return Error{fmt::format("cannot reserve addresses for {} bytes: {}", bytes, std::strerror(errno))};
  out->reserved_ = static_cast<std::byte*>(at);
  const size_t over = reinterpret_cast<uintptr_t>(at) % kHugePage;
  out->data_ = out->reserved_ + (huge && over != 0 ? kHugePage - over : 0);
  if (huge) (void)::madvise(out->data_, out->mapped_bytes(), MADV_HUGEPAGE);
  return out;
}

RestorableMemory::~RestorableMemory() {
  if (reserved_) ::munmap(reserved_, reserved_bytes_);
}

size_t RestorableMemory::mapped_bytes() const {
  return (static_cast<size_t>(bytes_) + page_bytes() - 1) / page_bytes() * page_bytes();
}

bool RestorableMemory::resident() const {
  const std::lock_guard lock(mutex_);
  return pins_ > 0;
}

Status RestorableMemory::pin() {
  const std::lock_guard lock(mutex_);
  if (pins_ == 0) {
    if (auto ok = restore_all(); !ok) return ok;
    if (ledger_) ledger_->record_allocate(data_, bytes_);
  } else if (!dropped_.empty()) {
    if (auto ok = restore_dropped(); !ok) return ok;
  }
  ++pins_;
  return {};
}

void RestorableMemory::unpin() noexcept {
  const std::lock_guard lock(mutex_);
  if (--pins_ > 0) return;
  release({data_, mapped_bytes()});
  dropped_.clear();
  if (ledger_) ledger_->record_free(data_, bytes_);
}

void RestorableMemory::drop(Bytes offset, Bytes bytes) noexcept {
  const std::lock_guard lock(mutex_);
  if (pins_ != 1 || offset < 0 || bytes <= 0 || offset > bytes_ || bytes > bytes_ - offset) return;
  const size_t page = page_bytes(), from = static_cast<size_t>(offset), to = from + static_cast<size_t>(bytes);
  const size_t first = (from + page - 1) / page * page, end = to / page * page;
  if (first >= end) return;
  if (dropped_.empty() || dropped_.back().begin + dropped_.back().bytes != data_ + first) {
    try {
      dropped_.push_back({data_ + first, 0});
    } catch (const std::bad_alloc&) {
      return;  // the pages stay
    }
  }
  dropped_.back().bytes += end - first;
  release({data_ + first, end - first});
}

Status RestorableMemory::restore_all() {
  if (::mprotect(data_, mapped_bytes(), PROT_READ | PROT_WRITE) != 0) return cannot_restore(bytes_);
  auto written = write_(data_);
  if (!written)
    release({data_, mapped_bytes()});
  else if (::mprotect(data_, mapped_bytes(), PROT_READ) != 0)
    return cannot_restore(bytes_);
  return written;
}

// Others read the parts that are still there, so that only the missing ones may be written.
Status RestorableMemory::restore_dropped() {
  std::vector<std::byte> all(static_cast<size_t>(bytes_));
  if (auto written = write_(all.data()); !written) return written;
  for (const Range& range : dropped_) {
    if (::mprotect(range.begin, range.bytes, PROT_READ | PROT_WRITE) != 0) return cannot_restore(bytes_);
    std::memcpy(range.begin, all.data() + (range.begin - data_), range.bytes);
    if (::mprotect(range.begin, range.bytes, PROT_READ) != 0) return cannot_restore(bytes_);
  }
  dropped_.clear();
  return {};
}

void RestorableMemory::release(const Range& range) const noexcept {
  (void)::madvise(range.begin, range.bytes, MADV_DONTNEED);
  (void)::mprotect(range.begin, range.bytes, PROT_NONE);
}

}  // namespace arenascope
