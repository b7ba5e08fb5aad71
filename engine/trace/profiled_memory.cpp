// SPDX-License-Identifier: MIT
#include "engine/trace/profiled_memory.h"
#include <arenascope/base/grouped.h>
#include "engine/trace/saturate.h"

#include <algorithm>

namespace arenascope::trace {

namespace {

constexpr int64_t kCudaType = 1;                     // c10::DeviceType::CUDA, also of ROCm devices
constexpr Bytes kMaxProfiledTotal = Bytes{1} << 60;  // larger values are invalid; sums of three of them do not overflow

bool has_total(const ProfiledMemory::Change& c) {
  return c.allocated >= 0 && c.allocated < kMaxProfiledTotal && c.bytes > -kMaxProfiledTotal &&
         c.bytes < kMaxProfiledTotal;
}

}  // namespace

void ProfiledMemory::add(const Change& change) {
  types_[change.allocator] = change.device_type;
  changes_.push_back(change);
}

void ProfiledMemory::finish(ImportBuilder& builder, LeftOut& left_out) {
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& x, const Change& y) { return x.time < y.time; });
  std::map<uint32_t, Totals> allocators;
  for (const Change& c : changes_) add(c, allocators[c.allocator], builder);
  changes_ = {};
  for (const auto& [allocator, totals] : allocators) {
    const std::string name = name_of(allocator);
    if (totals.older > 0)
      left_out.add(name + ": " + grouped(totals.older) +
                       " bytes were allocated before its first memory event; their addresses are not recorded",
                   Severity::Note);
    if (totals.missing > 0)
      left_out.add(name + ": " + grouped(totals.missing) + (totals.missing == 1 ? " change" : " changes") +
                       " of the total without a memory event",
                   Severity::Note);
  }
}

void ProfiledMemory::add(const Change& c, Totals& totals, ImportBuilder& builder) {
  const auto kind = c.allocator == 0 ? MemoryKind::HostPageable : MemoryKind::Default;
  const auto allocate = [&](uint64_t address, Bytes bytes) {
    builder.point(c.track, bytes >= 0 ? alloc(c.time, kind, address, bytes, c.allocator, 0)
                                      : free(c.time, kind, address, -bytes, c.allocator, 0));
  };
  if (const Bytes growth = c.reserved - totals.reserved; c.reserved >= 0 && growth != 0) {
    builder.point(c.track, growth > 0 ? reserve(c.time, kind, 0, growth, c.allocator, 0)
                                      : release(c.time, kind, 0, -growth, c.allocator, 0));
    totals.reserved = c.reserved;
  }
  if (has_total(c)) {
    const Bytes missing = c.allocated - c.bytes - totals.allocated;
    if (missing != 0) allocate(0, missing);
    if (!totals.known)
      totals.older = missing;
    else if (missing != 0)
      ++totals.missing;
    totals.known = true;
    totals.allocated = c.allocated;
  } else {
    totals.allocated = std::clamp(add_saturated(totals.allocated, c.bytes), -kMaxProfiledTotal, kMaxProfiledTotal);
  }
  allocate(c.address, c.bytes);
}

std::string ProfiledMemory::name_of(uint32_t allocator) const {
  if (allocator == 0) return "host";
  const auto type = types_.find(allocator);
  const bool cuda = type != types_.end() && type->second == kCudaType;
  return (cuda ? "CUDA:" : "device ") + std::to_string(allocator - 1);
}

}  // namespace arenascope::trace
