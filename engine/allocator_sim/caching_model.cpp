// SPDX-License-Identifier: MIT
#include <arenascope/allocator_sim/caching_model.h>
#include <arenascope/base/checked.h>
#include <arenascope/base/round_up.h>

#include <algorithm>

namespace arenascope::allocator_sim {
namespace {

constexpr Bytes kMiB = CachingSettings::kMiB;
constexpr Bytes kSmall = trace::PytorchBlockRule::kSmall;  // requests up to this size use small segments
constexpr Bytes kSmallSegment = 2 * kMiB;                  // for small requests; page size of small expandable segments
constexpr Bytes kLargeSegment = 20 * kMiB;
constexpr Bytes kOwnSegment = 10 * kMiB;    // larger requests get a segment of their own size…
constexpr Bytes kSegmentRound = 2 * kMiB;   // …rounded up to this
constexpr Bytes kGrowing = Bytes{1} << 46;  // addresses of an expandable segment if the device's memory size is unknown

Bytes segment_bytes(Bytes bytes) {
  if (bytes <= kSmall) return kSmallSegment;
  if (bytes < kOwnSegment) return kLargeSegment;
  return static_cast<Bytes>(align_up(static_cast<uint64_t>(bytes), static_cast<uint64_t>(kSegmentRound)));
}

}  // namespace

size_t CachingModel::pool_of(uint32_t number, bool small) {
  for (size_t i = 0; i < pools_.size(); ++i)
    if (pools_[i]->number == number && pools_[i]->small == small) return i;
  pools_.push_back(std::make_unique<Pool>());
  pools_.back()->number = number, pools_.back()->small = small;
  return pools_.size() - 1;
}

uint64_t CachingModel::place_for(Bytes bytes) {
  if (next_place_ < expected_segments_.size() && expected_segments_[next_place_].second == bytes)
    return expected_segments_[next_place_++].first;
  const uint64_t at = next_address_;
  next_address_ += static_cast<uint64_t>(round_up(bytes, kLargeSegment)) + static_cast<uint64_t>(kLargeSegment);
  return at;
}

CachingModel::FreeKey CachingModel::key_of(Blocks::iterator block) const {
  return {segments_[block->second.segment].stream, block->second.bytes, block->first};
}

CachingModel::Blocks::iterator CachingModel::unused_before(Blocks::iterator block) {
  if (block == blocks_.begin()) return blocks_.end();
  const auto before = std::prev(block);
  const Block &b = before->second, &own = block->second;
  return b.segment == own.segment && !b.used && b.mapped == own.mapped ? before : blocks_.end();
}

CachingModel::Blocks::iterator CachingModel::next_unused(Blocks::iterator block) {
  const auto following = std::next(block);
  if (following == blocks_.end()) return following;
  const Block &b = following->second, &own = block->second;
  return b.segment == own.segment && !b.used && b.mapped == own.mapped ? following : blocks_.end();
}

CachingModel::Blocks::iterator CachingModel::put_free(Blocks::iterator block) {
  Pool& pool = *pools_[segments_[block->second.segment].pool];
  block->second.used = false;
  if (const auto following = next_unused(block); following != blocks_.end()) {
    pool.free.erase(key_of(following));
    block->second.bytes += following->second.bytes;
    blocks_.erase(following);
  }
  if (const auto before = unused_before(block); before != blocks_.end()) {
    pool.free.erase(key_of(before));
    before->second.bytes += block->second.bytes;
    blocks_.erase(block);
    block = before;
  }
  block->second.freed_at = pool.searches;
  pool.free.insert(key_of(block));
  return block;
}

void CachingModel::adopt(const CachedSegment& segment, std::span<const UsedBlock> used) {
  const size_t pool = pool_of(segment.pool, segment.small), number = segments_.size();
  segments_.push_back({segment.address, segment.bytes, pool, segment.stream, 0});
  reserved_ += segment.bytes;
  uint64_t at = segment.address;
  const uint64_t end = segment.address + static_cast<uint64_t>(segment.bytes);
  const auto add_free = [&](uint64_t to) {
    if (to <= at) return;
    const auto block = blocks_.emplace(at, Block{static_cast<Bytes>(to - at), 0, number}).first;
    pools_[pool]->free.insert(key_of(block));
  };
  for (const UsedBlock& b : used) {
    add_free(b.address);
    blocks_.emplace(b.address, Block{b.bytes, b.asked, number, true});
    allocated_ += b.bytes;
    at = b.address + static_cast<uint64_t>(b.bytes);
  }
  add_free(end);
}

// ---- Allocation

CachingModel::Blocks::iterator CachingModel::find_free(size_t number, uint32_t stream, Bytes bytes) {
  Pool& pool = *pools_[number];
  ++pool.searches;
  auto found = pool.free.lower_bound({stream, bytes, 0});
  if (found == pool.free.end() || found->stream != stream) return blocks_.end();
  auto block = blocks_.find(found->address);
  if (segments_[block->second.segment].page > 0) {
    // An expandable block counts with the size that it can reach; blocks that cannot grow are preferred.
    const auto could_be = [&](Blocks::iterator b) {
      const auto following = std::next(b);
      const bool grows =
          following != blocks_.end() && following->second.segment == b->second.segment && !following->second.mapped;
      return b->second.bytes + (grows ? following->second.bytes : 0);
    };
    for (auto next = std::next(found); next != pool.free.end() && next->stream == stream; ++next) {
      const auto other = blocks_.find(next->address);
      if (segments_[block->second.segment].page == 0 || could_be(other) >= could_be(block)) break;
      block = other;
    }
  }
  const Bytes size = block->second.bytes;
  // Never use an unsplittable block for a small request, nor a far larger block for a large request.
  if (bytes < settings_.max_split_size && size >= settings_.max_split_size) return blocks_.end();
  if (bytes >= settings_.max_split_size && size >= bytes + kLargeSegment) return blocks_.end();
  pool.free.erase(key_of(block));
  return block;
}

CachingModel::Blocks::iterator CachingModel::take(size_t pool, uint32_t stream, Bytes bytes) {
  return settings_.expandable_segments && pools_[pool]->number == 0 ? take_pages(pool, stream, bytes)
                                                                    : take_segment(pool, stream, bytes);
}

CachingModel::Blocks::iterator CachingModel::take_segment(size_t pool, uint32_t stream, Bytes bytes) {
  const Bytes size = segment_bytes(bytes);
  if (!fits(size)) return blocks_.end();
  const uint64_t address = place_for(size);
  segments_.push_back({address, size, pool, stream, 0});
  reserved_ += size;
  ++taken_;
  return blocks_.emplace(address, Block{size, 0, segments_.size() - 1}).first;
}

// Unmapped addresses, or a free block before them, with room for `bytes`; a new segment if there are none.
CachingModel::Blocks::iterator CachingModel::room_to_grow(size_t number, uint32_t stream, Bytes bytes) {
  Pool& pool = *pools_[number];
  for (auto at = pool.unmapped.lower_bound({stream, 0}); at != pool.unmapped.end() && at->first == stream; ++at) {
    auto block = blocks_.find(at->second);
    if (block != blocks_.begin()) {
      const auto before = std::prev(block);
      if (before->second.segment == block->second.segment && !before->second.used) block = before;
    }
    Bytes room = 0;
    for (auto b = block; room < bytes && b != blocks_.end(); ++b) {
      if (b->second.segment != block->second.segment || b->second.used) break;
      room += b->second.bytes;
    }
    if (room >= bytes) return block;
  }
  const Bytes page = pool.small ? kSmallSegment : kLargeSegment;
  const Bytes addresses = settings_.device_memory > 0 ? settings_.device_memory / 8 * 9 : kGrowing;
  Segment segment{place_for(0), round_up(std::max(addresses, bytes), page), number, stream, page};
  next_address_ += static_cast<uint64_t>(segment.bytes);
  segments_.push_back(segment);
  ++taken_;
  pool.unmapped.insert({stream, segment.address});
  return blocks_.emplace(segment.address, Block{segment.bytes, 0, segments_.size() - 1, false, false}).first;
}

// Maps the first pages of an unmapped block and merges them with adjacent free blocks.
CachingModel::Blocks::iterator CachingModel::map_pages(Blocks::iterator unmapped, Bytes bytes) {
  const Segment& segment = segments_[unmapped->second.segment];
  const Bytes mapped = std::min(round_up(bytes, segment.page), unmapped->second.bytes);
  if (!fits(mapped)) return blocks_.end();
  Pool& pool = *pools_[segment.pool];
  const uint64_t address = unmapped->first;
  pool.unmapped.erase({segment.stream, address});
  if (const Bytes rest = unmapped->second.bytes - mapped; rest > 0) {
    const uint64_t rest_address = address + static_cast<uint64_t>(mapped);
    blocks_.emplace(rest_address, Block{rest, 0, unmapped->second.segment, false, false});
    pool.unmapped.insert({segment.stream, rest_address});
  }
  unmapped->second.bytes = mapped;
  unmapped->second.mapped = true;
  reserved_ += mapped;
  return put_free(unmapped);
}

CachingModel::Blocks::iterator CachingModel::take_pages(size_t pool, uint32_t stream, Bytes bytes) {
  auto block = room_to_grow(pool, stream, bytes);
  if (!block->second.mapped) {
    block = map_pages(block, std::min(bytes, block->second.bytes));
    if (block == blocks_.end()) return block;
  }
  while (block->second.bytes < bytes) {
    const auto following = std::next(block);
    block = map_pages(following, std::min(bytes - block->second.bytes, following->second.bytes));
    if (block == blocks_.end()) return block;
  }
  pools_[pool]->free.erase(key_of(block));
  return block;
}

std::optional<uint64_t> CachingModel::allocate(Bytes asked, uint32_t stream, uint32_t pool_number) {
  const Bytes bytes = settings_.rounded(asked);
  const size_t pool = pool_of(pool_number, bytes <= kSmall);
  auto block = find_free(pool, stream, bytes);
  if (block == blocks_.end()) {
    collect_garbage();
    block = take(pool, stream, bytes);
  }
  if (block == blocks_.end()) {
    ++retries_;
    if (release_large(pool, stream, bytes)) block = take(pool, stream, bytes);
  }
  if (block == blocks_.end()) {
    release_unused();
    block = take(pool, stream, bytes);
  }
  if (block == blocks_.end()) return std::nullopt;
  block->second.used = true;
  if (rule_.splits(bytes, block->second.bytes - bytes)) {
    const uint64_t rest = block->first + static_cast<uint64_t>(bytes);
    const auto following = blocks_.emplace(rest, Block{block->second.bytes - bytes, 0, block->second.segment}).first;
    following->second.freed_at = pools_[pool]->searches;
    block->second.bytes = bytes;
    pools_[pool]->free.insert(key_of(following));
  }
  block->second.asked = asked;
  allocated_ += block->second.bytes;
  return block->first;
}

void CachingModel::free(uint64_t address) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end() || !block->second.used) return;
  allocated_ -= block->second.bytes;
  block->second.asked = 0;
  put_free(block);
}

// ---- Freeing

bool CachingModel::is_whole(Blocks::const_iterator block) const {
  const Segment& segment = segments_[block->second.segment];
  return segment.page == 0 && !block->second.used && block->second.bytes == segment.bytes;
}

void CachingModel::release(Blocks::iterator block) {
  pools_[segments_[block->second.segment].pool]->free.erase(key_of(block));
  reserved_ -= block->second.bytes;
  ++released_;
  blocks_.erase(block);
}

void CachingModel::unmap_pages(Blocks::iterator block) {
  const Segment& segment = segments_[block->second.segment];
  Pool& pool = *pools_[segment.pool];
  const auto from_start = [&](uint64_t address) { return static_cast<Bytes>(address - segment.address); };
  const Bytes first = round_up(from_start(block->first), segment.page);
  const Bytes last = (from_start(block->first) + block->second.bytes) / segment.page * segment.page;
  if (last <= first) return;
  const size_t number = block->second.segment;
  const uint64_t from = segment.address + static_cast<uint64_t>(first),
                 to = segment.address + static_cast<uint64_t>(last);
  const uint64_t begin = block->first, end = begin + static_cast<uint64_t>(block->second.bytes);
  pool.free.erase(key_of(block));
  blocks_.erase(block);
  if (from > begin)
    pool.free.insert(key_of(blocks_.emplace(begin, Block{static_cast<Bytes>(from - begin), 0, number}).first));
  if (end > to) pool.free.insert(key_of(blocks_.emplace(to, Block{static_cast<Bytes>(end - to), 0, number}).first));
  auto gone = blocks_.emplace(from, Block{static_cast<Bytes>(to - from), 0, number, false, false}).first;
  reserved_ -= gone->second.bytes;
  ++released_;
  if (const auto following = next_unused(gone); following != blocks_.end()) {
    pool.unmapped.erase({segment.stream, following->first});
    gone->second.bytes += following->second.bytes;
    blocks_.erase(following);
  }
  if (const auto before = unused_before(gone); before != blocks_.end()) {
    before->second.bytes += gone->second.bytes;
    blocks_.erase(gone);
    return;  // already among the unmapped blocks
  }
  pool.unmapped.insert({segment.stream, gone->first});
}

// Releases large segments without live blocks, least recently used first, until the threshold is met.
void CachingModel::collect_garbage() {
  if (settings_.garbage_collection_threshold <= 0 || settings_.device_memory <= 0) return;
  const auto threshold =
      static_cast<Bytes>(settings_.garbage_collection_threshold * static_cast<double>(settings_.device_memory));
  if (reserved_ <= threshold) return;
  const Bytes target = reserved_ - threshold;
  for (const auto& pool : pools_) {
    if (pool->small || pool->number != 0) continue;
    std::vector<uint64_t> whole;
    for (const FreeKey& key : pool->free)
      if (is_whole(blocks_.find(key.address))) whole.push_back(key.address);
    const auto age = [&](uint64_t address) { return pool->searches - blocks_.find(address)->second.freed_at; };
    int64_t ages = 0;
    for (const uint64_t address : whole) ages += age(address);
    Bytes gone = 0;
    for (bool some = true; some && gone < target && !whole.empty();) {
      const int64_t old = ages / static_cast<int64_t>(whole.size());
      some = false;
      for (size_t i = 0; i < whole.size() && gone < target;) {
        const auto block = blocks_.find(whole[i]);
        if (age(whole[i]) < old) {
          ++i;
          continue;
        }
        some = true;
        gone += block->second.bytes;
        ages -= age(whole[i]);
        release(block);
        whole.erase(whole.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
}

// With a maximum split size, releases the smallest sufficiently large segment, or several starting with the largest.
bool CachingModel::release_large(size_t number, uint32_t stream, Bytes bytes) {
  if (settings_.max_split_size == CachingSettings::kNoLimit) return false;
  Pool& pool = *pools_[number];
  const Bytes least = std::max(settings_.max_split_size, bytes);
  std::vector<uint64_t> going;
  Bytes gone = 0;
  const auto enough = pool.free.lower_bound({stream, least, 0});
  if (enough != pool.free.end() && enough->stream == stream) {
    going.push_back(enough->address);
    gone = least;
  } else {
    for (auto at = enough; at != pool.free.begin() && gone < least;) {
      --at;
      if (at->stream != stream || at->bytes < settings_.max_split_size) break;
      if (!is_whole(blocks_.find(at->address))) continue;
      going.push_back(at->address);
      gone += at->bytes;
    }
  }
  for (const uint64_t address : going)
    if (const auto block = blocks_.find(address); is_whole(block)) release(block);
  return gone >= least;
}

void CachingModel::release_unused() {
  for (const auto& pool : pools_) {
    if (pool->number != 0) continue;  // memory of a CUDA graph is kept
    const std::vector<FreeKey> keys(pool->free.begin(), pool->free.end());
    for (const FreeKey& key : keys) {
      const auto block = blocks_.find(key.address);
      if (segments_[block->second.segment].page > 0)
        unmap_pages(block);
      else if (is_whole(block))
        release(block);
    }
  }
}

CachedBytes CachingModel::bytes(uint32_t stream, uint32_t pool) const {
  CachedBytes out;
  out.reserved = reserved_;
  for (auto at = blocks_.begin(); at != blocks_.end(); ++at) {
    const Block& b = at->second;
    if (!b.mapped) continue;
    const Segment& segment = segments_[b.segment];
    if (b.used) {
      out.allocated += b.bytes;
      out.asked += b.asked;
    } else if (segment.stream != stream || pools_[segment.pool]->number != pool) {
      out.others += b.bytes;
    } else if (segment.page > 0) {
      // Whole pages of the block could be unmapped.
      const auto begin = static_cast<Bytes>(at->first - segment.address);
      const Bytes whole =
          std::max<Bytes>((begin + b.bytes) / segment.page * segment.page - round_up(begin, segment.page), 0);
      out.whole += whole;
      out.pieces += b.bytes - whole;
    } else {
      (is_whole(at) ? out.whole : out.pieces) += b.bytes;
    }
  }
  return out;
}

}  // namespace arenascope::allocator_sim
