// SPDX-License-Identifier: MIT
#include "engine/trace/iree_pools.h"

#include <algorithm>

namespace arenascope::trace {

namespace {
constexpr Bytes kMaxPoolBytes = Bytes{1} << 44;
constexpr size_t kMaxPools = 1 << 10, kMaxSlabs = 64;
constexpr uint64_t kSlabsApart = uint64_t{1} << 45;        // distance between slabs at unknown addresses
constexpr uint64_t kPoolsApart = kSlabsApart * kMaxSlabs;  // offsets are per pool, addresses per device
constexpr int64_t kOwnBuffers = -1, kForeignBuffers = -2;  // pseudo-pools of buffers without one
}  // namespace

bool IreePools::add(Change c) {
  if (c.bytes > kMaxPoolBytes || c.offset > kMaxPoolBytes || c.committed.value_or(0) > kMaxPoolBytes || c.type.empty())
    return false;
  changes_.push_back(std::move(c));
  return true;
}

std::set<int64_t> IreePools::devices() const {
  std::set<int64_t> out;
  for (const Change& c : changes_) out.insert(c.device);
  return out;
}

IreePools::Space& IreePools::space(const std::string& name, int64_t device) {
  const auto known = spaces_.find(name);
  if (known != spaces_.end()) return known->second;
  Space& made = spaces_[name];
  made.allocator = static_cast<uint32_t>(allocators_.size());
  made.base = made.end = made.allocator * kPoolsApart;
  allocators_.push_back({made.allocator, name, MemoryKind::Default, DeviceId(static_cast<size_t>(device))});
  return made;
}

void IreePools::place(ImportBuilder& builder, size_t track) {
  builder_ = &builder;
  track_ = track;
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  for (const Change& c : changes_) {
    const std::string where = " on device " + std::to_string(c.device);
    const bool is_buffer = c.type.starts_with("buffer_");
    if (is_buffer && spaces_.size() < kMaxPools) {
      const Key key{c.is_foreign ? kForeignBuffers : kOwnBuffers, c.allocation != 0 ? c.allocation : c.backing};
      if (c.type == "buffer_allocate" || c.type == "buffer_import")
        take(c, space((c.is_foreign ? "IREE, imported buffers" : "IREE, buffers") + where, c.device), false, key,
             false);
      if (c.type == "buffer_free" || c.type == "buffer_unimport") give_back(c, key, false);
      continue;
    }
    const bool takes = c.type == "pool_reserve", queue_takes = c.type == "queue_alloca";
    const bool gives = c.type == "pool_release", queue_gives = c.type == "queue_dealloca";
    if (!takes && !queue_takes && !gives && !queue_gives) continue;
    if (spaces_.size() >= kMaxPools && !pool_numbers_.contains(c.pool)) continue;
    const int64_t number = pool_numbers_.try_emplace(c.pool, static_cast<int64_t>(pool_numbers_.size())).first->second;
    Space& own = space("IREE, pool " + std::to_string(number + 1) + where, c.device);
    own.is_pool = true;
    own.sized |= c.committed.has_value();
    const bool grew = follow_slabs(own, c);
    const Key key{c.pool, c.allocation};
    if (gives || queue_gives) give_back(c, key, queue_gives);
    if (takes || (queue_takes && !taken_.contains(key))) take(c, own, grew, key, queue_takes);
  }
}

// A pool allocates slabs from the system and releases them; the profile records only their total size. True if a slab
// was added.
bool IreePools::follow_slabs(Space& s, const Change& c) {
  if (!c.committed || *c.committed == s.committed) return false;
  if (*c.committed > s.committed) {
    const Bytes more = *c.committed - s.committed;
    if (s.slabs.size() < kMaxSlabs) s.slabs.push_back({s.end, 0});
    s.slabs.back().bytes += more;
    point(reserve(c.time, MemoryKind::Default, s.end, more, s.allocator, 0));
    s.end += static_cast<uint64_t>(more);
    s.committed = *c.committed;
    return true;
  }
  while (!s.slabs.empty() && s.committed - s.slabs.back().bytes >= *c.committed) {
    point(release(c.time, MemoryKind::Default, s.slabs.back().base, s.slabs.back().bytes, s.allocator, 0));
    s.committed -= s.slabs.back().bytes;
    s.slabs.pop_back();
  }
  return false;
}

bool IreePools::is_free(const Space& s, uint64_t at, Bytes bytes) {
  auto next = s.live.lower_bound(at);
  if (next != s.live.end() && next->first < at + static_cast<uint64_t>(bytes)) return false;
  if (next == s.live.begin()) return true;
  --next;
  return next->first + static_cast<uint64_t>(next->second) <= at;
}

// An address inside a slab, or a separate one if no known slab can hold the block.
std::optional<uint64_t> IreePools::address_of(const Space& s, const Change& c, bool grew) {
  const bool is_buffer = c.type.starts_with("buffer_");
  const auto offset = static_cast<uint64_t>(is_buffer && c.backing != 0 ? c.backing % kMaxPoolBytes : c.offset);
  const auto fits = [&](const Slab& slab) {
    return c.offset + c.bytes <= slab.bytes && is_free(s, slab.base + offset, c.bytes);
  };
  if (grew && fits(s.slabs.back())) return s.slabs.back().base + offset;
  for (const Slab& slab : s.slabs)
    if (fits(slab)) return slab.base + offset;
  for (size_t i = s.slabs.empty() ? 0 : 1; i < kMaxSlabs; ++i)
    if (const uint64_t at = s.base + i * kSlabsApart + offset; is_free(s, at, c.bytes)) return at;
  return std::nullopt;
}

void IreePools::take(const Change& c, Space& s, bool grew, Key key, bool by_queue) {
  const auto address = address_of(s, c, grew);
  if (c.bytes == 0 || !address) return void(left_out_ += c.bytes > 0);
  if (!taken_.try_emplace(key, Taken{&s, *address, c.bytes, blocks_ + 1, by_queue}).second) return void(++left_out_);
  ++blocks_;
  s.live[*address] = c.bytes;
  point(alloc(c.time, MemoryKind::Default, *address, c.bytes, s.allocator, blocks_));
}

void IreePools::give_back(const Change& c, Key key, bool by_queue) {
  const auto it = taken_.find(key);
  if (it == taken_.end() || it->second.by_queue != by_queue) return;
  const Taken& t = it->second;
  t.space->live.erase(t.address);
  point(free(c.time, MemoryKind::Default, t.address, t.bytes, t.space->allocator, t.number));
  taken_.erase(it);
}

int64_t IreePools::pools_without_slabs() const {
  return std::count_if(spaces_.begin(), spaces_.end(),
                       [](const auto& space) { return space.second.is_pool && !space.second.sized; });
}

void IreePools::describe(Sink& sink) const {
  for (const AllocatorInfo& a : allocators_) sink.describe(a);
}

}  // namespace arenascope::trace
