// SPDX-License-Identifier: MIT
#include <arenascope/allocator_sim/caching_model.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace arenascope::allocator_sim {
namespace {

constexpr Bytes kMiB = CachingSettings::kMiB;

CachingSettings with(std::string_view text, Bytes memory = 0) {
  CachingSettings base;
  base.device_memory = memory;
  auto settings = parse_caching_settings(text, base);
  REQUIRE(settings.ok());
  return *settings;
}

// The same rules in their simplest form: a list of segments, each a list of blocks, all of them searched for
// each request. Whole segments are taken, none is released.
class PlainAllocator {
 public:
  explicit PlainAllocator(Bytes max_split) : max_split_(max_split) {}
  std::pair<size_t, Bytes> allocate(Bytes asked, uint32_t stream) {  // segment, offset
    const Bytes bytes = std::max<Bytes>((asked + 511) / 512 * 512, 512);
    const bool small = bytes <= kMiB;
    Segment* best = nullptr;
    size_t at = 0;
    for (Segment& s : segments_)
      for (size_t i = 0; i < s.blocks.size(); ++i)
        if (const Block& b = s.blocks[i]; s.small == small && s.stream == stream && !b.used && b.bytes >= bytes &&
                                          (best == nullptr || b.bytes < best->blocks[at].bytes))
          best = &s, at = i;  // the lowest address of the smallest: segments are in order
    if (best != nullptr) {
      const Bytes size = best->blocks[at].bytes;
      if (bytes < max_split_ ? size >= max_split_ : size >= bytes + 20 * kMiB) best = nullptr;
    }
    if (best == nullptr) {
      const Bytes size = small               ? 2 * kMiB
                         : bytes < 10 * kMiB ? 20 * kMiB
                                             : (bytes + 2 * kMiB - 1) / (2 * kMiB) * (2 * kMiB);
      segments_.push_back({stream, small, {{size, false}}});
      reserved += size;
      best = &segments_.back(), at = 0;
    }
    const Bytes rest = best->blocks[at].bytes - bytes;
    best->blocks[at].used = true;
    if (small ? rest >= 512 : bytes < max_split_ && rest > kMiB) {
      best->blocks[at].bytes = bytes;
      best->blocks.insert(best->blocks.begin() + static_cast<std::ptrdiff_t>(at) + 1, {rest, false});
    }
    Bytes offset = 0;
    for (size_t i = 0; i < at; ++i) offset += best->blocks[i].bytes;
    return {static_cast<size_t>(best - segments_.data()), offset};
  }
  void free(size_t segment, Bytes offset) {
    auto& blocks = segments_[segment].blocks;
    size_t i = 0;
    for (Bytes at = 0; at < offset; ++i) at += blocks[i].bytes;
    blocks[i].used = false;
    for (size_t k = blocks.size() - 1; k > 0; --k)
      if (!blocks[k].used && !blocks[k - 1].used) {
        blocks[k - 1].bytes += blocks[k].bytes;
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(k));
      }
  }
  Bytes reserved = 0;

 private:
  struct Block {
    Bytes bytes;
    bool used;
  };
  struct Segment {
    uint32_t stream;
    bool small;
    std::vector<Block> blocks;
  };
  const Bytes max_split_;
  std::vector<Segment> segments_;
};

Bytes request(std::mt19937& random) {
  const auto up_to = [&](Bytes most) { return static_cast<Bytes>(random() % static_cast<uint64_t>(most)) + 1; };
  switch (random() % 4) {
    case 0: return up_to(4096);
    case 1: return up_to(kMiB);
    case 2: return up_to(9 * kMiB);
    default: return up_to(60 * kMiB);
  }
}

}  // namespace

TEST_CASE("requests get the blocks of a linear best-fit search") {
  for (const char* text : {"", "max_split_size_mb:32"})
    for (uint32_t seed = 0; seed < 40; ++seed) {
      std::mt19937 random(seed);
      const CachingSettings settings = with(text);
      CachingModel model(settings);
      PlainAllocator plain(settings.max_split_size);
      struct Live {
        uint64_t address;
        size_t segment;
        Bytes offset;
      };
      std::vector<Live> live;
      std::vector<uint64_t> segments;  // by number: their addresses
      for (int step = 0; step < 400; ++step) {
        if (!live.empty() && random() % 5 < 2) {
          const size_t i = random() % live.size();
          model.free(live[i].address);
          plain.free(live[i].segment, live[i].offset);
          live.erase(live.begin() + static_cast<std::ptrdiff_t>(i));
          continue;
        }
        const Bytes asked = request(random);
        const auto stream = static_cast<uint32_t>(random() % 2);
        const auto [segment, offset] = plain.allocate(asked, stream);
        const auto address = model.allocate(asked, stream, 0);
        REQUIRE(address.has_value());
        if (segment == segments.size()) segments.push_back(*address);  // a new one: its first block
        REQUIRE(*address == segments[segment] + static_cast<uint64_t>(offset));
        live.push_back({*address, segment, offset});
        REQUIRE(model.reserved() == plain.reserved);
        const CachedBytes bytes = model.bytes(stream, 0);
        REQUIRE(bytes.allocated + bytes.whole + bytes.pieces + bytes.others == bytes.reserved);
        REQUIRE(bytes.allocated == model.allocated());
      }
    }
}

TEST_CASE("the remainder of a segment is split off unless it is too small") {
  CachingModel model({});
  const auto first = model.allocate(1, 0, 0), second = model.allocate(600, 0, 0);
  CHECK(model.reserved() == 2 * kMiB);
  CHECK(*second == *first + 512);
  CHECK(model.allocated() == 512 + 1024);
  const auto large = model.allocate(5 * kMiB, 0, 0);
  CHECK(model.reserved() == 22 * kMiB);
  CHECK(*model.allocate(2 * kMiB, 0, 0) == *large + static_cast<uint64_t>(5 * kMiB));
  const Bytes before = model.allocated();
  CHECK(model.allocate(11 * kMiB, 0, 0));  // from the 13 that are left of 20: two more are cut off
  CHECK(model.allocated() == before + 11 * kMiB);
  CHECK(model.allocate(11 * kMiB, 0, 0));  // a segment of 12: one mebibyte is not cut off
  CHECK(model.reserved() == 34 * kMiB);
  CHECK(model.bytes(0, 0).allocated - before == 11 * kMiB + 12 * kMiB);
  CHECK(model.allocate(11 * kMiB, 1, 0));  // another stream shares nothing
  CHECK(model.reserved() == 46 * kMiB);
}

TEST_CASE("expandable segments map pages and unmap them in the middle") {
  CachingModel model(with("expandable_segments:True", 200 * kMiB));
  const auto first = model.allocate(30 * kMiB, 0, 0);
  CHECK(model.reserved() == 40 * kMiB);
  const auto second = model.allocate(15 * kMiB, 0, 0);
  CHECK(*second == *first + static_cast<uint64_t>(30 * kMiB));
  CHECK(model.reserved() == 60 * kMiB);
  CHECK(model.segments_taken() == 1);
  const auto third = model.allocate(100 * kMiB, 0, 0);
  CHECK(model.reserved() == 160 * kMiB);
  model.free(*first);
  CHECK(model.bytes(0, 0).whole == 20 * kMiB);   // the page that is free from end to end
  CHECK(model.bytes(0, 0).pieces == 25 * kMiB);  // ten of the second page, fifteen at the end
  CHECK(model.allocate(60 * kMiB, 0, 0));        // 40 more pages are left, 20 are unmapped first
  CHECK(model.retries() == 1);
  CHECK(model.reserved() <= 200 * kMiB);
  CHECK(third.has_value());
  CHECK(!model.allocate(100 * kMiB, 0, 0));
}

TEST_CASE("unused blocks are released before a request fails, and above a threshold") {
  CachingModel model(with("", 100 * kMiB));
  const auto a = model.allocate(40 * kMiB, 0, 0), b = model.allocate(40 * kMiB, 1, 0);
  CHECK(!model.allocate(40 * kMiB, 0, 0));
  model.free(*b);
  CHECK(model.bytes(0, 0).others == 40 * kMiB);
  CHECK(model.allocate(50 * kMiB, 0, 0));
  CHECK(model.reserved() == 90 * kMiB);
  CHECK(model.segments_released() == 1);
  CHECK(a.has_value());

  CachingModel collected(with("garbage_collection_threshold:0.5", 200 * kMiB)), kept(with("", 200 * kMiB));
  for (CachingModel* m : {&collected, &kept}) {
    for (int i = 0; i < 3; ++i) m->free(*m->allocate((30 + 10 * i) * kMiB, 0, 0));
    CHECK(m->allocate(60 * kMiB, 0, 0));
  }
  CHECK(kept.reserved() == 180 * kMiB);
  CHECK(collected.reserved() < 180 * kMiB);
  CHECK(collected.retries() == 0);
}

TEST_CASE("random requests never overlap, for all settings") {
  for (const char* text : {"expandable_segments:True", "expandable_segments:True,max_split_size_mb:40",
                           "roundup_power2_divisions:8", "garbage_collection_threshold:0.6,max_split_size_mb:64"})
    for (uint32_t seed = 0; seed < 20; ++seed) {
      std::mt19937 random(seed);
      const CachingSettings settings = with(text, 300 * kMiB);
      CachingModel model(settings);
      std::map<uint64_t, Bytes> live;
      for (int step = 0; step < 500; ++step) {
        if (!live.empty() && random() % 5 < 2) {
          const auto at = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
          model.free(at->first);
          live.erase(at);
        } else if (const Bytes asked = request(random);
                   const auto address = model.allocate(asked, static_cast<uint32_t>(random() % 2),
                                                       static_cast<uint32_t>(random() % 8 == 0))) {
          const auto following = live.lower_bound(*address);
          REQUIRE((following == live.end() || *address + static_cast<uint64_t>(asked) <= following->first));
          if (following != live.begin())
            REQUIRE(std::prev(following)->first + static_cast<uint64_t>(std::prev(following)->second) <= *address);
          live[*address] = asked;
        }
        Bytes in_use = 0;
        for (const auto& [address, asked] : live) in_use += asked;
        const CachedBytes bytes = model.bytes(0, 0);
        REQUIRE(bytes.asked == in_use);
        REQUIRE(bytes.allocated + bytes.whole + bytes.pieces + bytes.others == bytes.reserved);
        REQUIRE(bytes.reserved <= settings.device_memory);
      }
    }
}

}  // namespace arenascope::allocator_sim
