// SPDX-License-Identifier: MIT
// Requirements of a device's memory, real or simulated: random programs of the allocator over several streams, and a
// device that other processes have filled.
#pragma once
#include <arenascope/memory/device_caching_allocator.h>
#include <doctest/doctest.h>
#include "engine/backends/cuda/execution/driver.h"

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace arenascope::test {

inline constexpr Bytes kMiB = 1 << 20;

// A live block of a random program: a pattern written on the block's own stream, and its reads on other streams.
struct Live {
  void* pointer;
  Bytes bytes;
  uint64_t pattern;
  Stream home;
  std::set<Stream> used_on;
};
struct Read {
  const char* at;
  Bytes bytes;
  uint64_t pattern;
};

class RandomProgram {
 public:
  explicit RandomProgram(std::shared_ptr<cuda::Driver> device, uint64_t seed)
      : device_(std::move(device)),
        allocator_(std::make_shared<DeviceCachingAllocator>(device_)),
        random_(seed),
        pages_(device_->pages()) {
    for (int i = 0; i < 4; ++i) {
      streams_.push_back({device_->device(), *device_->create_stream()});
      events_[streams_.back()] = *device_->create_event();
    }
    host_ = static_cast<char*>(pages_.pin(pages_.context, kHost));
    REQUIRE(host_ != nullptr);
  }
  ~RandomProgram() {
    if (host_) pages_.unpin(pages_.context, host_);
    for (const auto& [stream, event] : events_) device_->destroy_event(event);
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      const uint64_t action = random_() % 8;
      if (action < 3 && live_.size() < 60) take();
      if (action >= 3 && action < 6 && !live_.empty()) read();
      if (action >= 6 && !live_.empty()) give();
      if (random_() % 500 == 0) allocator_->release_cached();
    }
    check();
    while (!live_.empty()) give();
    REQUIRE(device_->synchronize().ok());
    allocator_->release_cached();
    CHECK(allocator_->stats().reserved == 0);
    CHECK(allocator_->stats().hits > 0);
  }

 private:
  static constexpr Bytes kHost = 256 * kMiB;

  // Pinned memory that no queued work uses.
  char* host(Bytes bytes) {
    if (used_ + bytes > kHost) check();
    char* const at = host_ + used_;
    used_ += (bytes + 7) / 8 * 8;
    return at;
  }
  void take() {
    const Stream stream = streams_[random_() % streams_.size()];
    const Bytes bytes = 8 * (1 + static_cast<Bytes>(random_() % (random_() % 4 ? 30000 : 300000)));
    auto pointer = allocator_->allocate_on(stream, bytes, size_t{64} << random_() % 3);
    REQUIRE_MESSAGE(pointer.ok(), (pointer ? "" : pointer.error().message));
    Live block{*pointer, bytes, random_(), stream, {}};
    char* const from = host(bytes);
    for (Bytes at = 0; at < bytes; at += 8) std::memcpy(from + at, &block.pattern, 8);
    REQUIRE(
        device_->copy(static_cast<cuda::StreamHandle>(stream.handle), *pointer, from, bytes, cuda::Direction::ToDevice)
            .ok());
    live_.push_back(block);
  }
  void read() {
    Live& block = live_[random_() % live_.size()];
    const Stream on = random_() % 2 ? block.home : streams_[random_() % streams_.size()];
    if (!(on == block.home)) {  // as a user must: the other stream waits for what the block's own has queued
      REQUIRE(device_->record_event(events_[block.home], block.home).ok());
      REQUIRE(device_->stream_waits(static_cast<cuda::StreamHandle>(on.handle), events_[block.home]).ok());
      block.used_on.insert(on);
    }
    char* const to = host(block.bytes);
    REQUIRE(device_
                ->copy(static_cast<cuda::StreamHandle>(on.handle), to, block.pointer, block.bytes,
                       cuda::Direction::FromDevice)
                .ok());
    reads_.push_back({to, block.bytes, block.pattern});
  }
  void give() {
    const size_t k = random_() % live_.size();
    const std::vector<Stream> used(live_[k].used_on.begin(), live_[k].used_on.end());
    allocator_->deallocate_after(live_[k].pointer, live_[k].bytes, used);
    live_.erase(live_.begin() + static_cast<long>(k));
  }
  // Every read got the values that the owner of the block had written, even if the memory was reused later.
  void check() {
    REQUIRE(device_->synchronize().ok());
    for (const Read& read : reads_) {
      Bytes wrong = 0;
      for (Bytes at = 0; at < read.bytes; at += 8) wrong += std::memcmp(read.at + at, &read.pattern, 8) != 0;
      CHECK(wrong == 0);
    }
    reads_.clear();
    used_ = 0;
  }

  const std::shared_ptr<cuda::Driver> device_;
  const std::shared_ptr<DeviceCachingAllocator> allocator_;
  std::mt19937_64 random_;
  const PinnedMemory::Pages pages_;
  std::vector<Stream> streams_;
  std::map<Stream, EventHandle> events_;
  char* host_ = nullptr;
  Bytes used_ = 0;
  std::vector<Live> live_;
  std::vector<Read> reads_;
};

// Holds the device's memory, but for a hole of `left` bytes.
class Hog {
 public:
  Hog(std::shared_ptr<cuda::Driver> device, Bytes left) : device_(std::move(device)) {
    auto hole = left > 0 ? device_->take_memory(left) : Result<void*>(nullptr);
    for (Bytes bytes = Bytes{1} << 40; bytes >= kMiB; bytes /= 2)
      while (auto taken = device_->take_memory(bytes)) held_.push_back({*taken, bytes});
    if (hole && *hole) device_->give_memory(*hole, left);
  }
  ~Hog() {
    for (const auto& [pointer, bytes] : held_) device_->give_memory(pointer, bytes);
  }
  Hog(const Hog&) = delete;
  Hog& operator=(const Hog&) = delete;

 private:
  const std::shared_ptr<cuda::Driver> device_;
  std::vector<std::pair<void*, Bytes>> held_;
};

}  // namespace arenascope::test
