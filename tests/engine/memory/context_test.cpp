// SPDX-License-Identifier: MIT
// Devices and kinds, blocks and their owners, and the context's one way to allocate.
#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/memory/execution_context.h>
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

using namespace arenascope;

TEST_CASE("device names can be parsed") {
  for (Device d :
       {Device{}, Device{DeviceType::Cuda, 0}, Device{DeviceType::OpenCl, 3}, Device{DeviceType::Simulated, 1}})
    CHECK(parse_device(to_string(d)).value() == d);
  CHECK(to_string(Device{}) == "cpu");
  CHECK(to_string(Device{DeviceType::Cuda, 1}) == "cuda:1");
  CHECK(parse_device("cuda").value() == Device{DeviceType::Cuda, 0});
  for (const char* bad : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:99999999"})
    CHECK(!parse_device(bad));
}

TEST_CASE("memory kinds have distinct names") {
  for (MemoryKind a : kMemoryKinds)
    for (MemoryKind b : kMemoryKinds) CHECK((name(a) == name(b)) == (a == b));
}

TEST_CASE("a block is aligned, counted and freed") {
  auto context = make_cpu_context();
  for (MemoryKind kind : kMemoryKinds) {
    if (!is_allocated(kind)) continue;
    for (size_t alignment : {size_t{64}, size_t{1}, size_t{4096}}) {
      auto block = context->allocate({}, kind, 1000, alignment);
      REQUIRE(block.ok());
      REQUIRE(*block);
      CHECK(reinterpret_cast<uintptr_t>((*block)->data()) % std::max<size_t>(alignment, 64) == 0);
      std::memset((*block)->data(), 1, 1000);
      CHECK(context->stats({}, kind).active == 1000);
      CHECK((*block)->kind() == kind);
      BlockPtr second = *block;
      CHECK(second->use_count() == 2);
    }
    const MemoryStats s = context->stats({}, kind);
    CHECK(s.active == 0);
    CHECK(s.peak == 1000);
    CHECK(s.allocations == 3);
    CHECK(s.frees == 3);
  }
}

TEST_CASE("invalid requests are errors") {
  auto context = make_cpu_context();
  const Device cuda{DeviceType::Cuda, 0};
  CHECK(!context->allocate({}, MemoryKind::Default, -1));
  CHECK(!context->allocate({}, MemoryKind::Default, 10, 48));
  CHECK(!context->allocate({}, MemoryKind::Default, 10, 0));
  CHECK(!context->allocate(cuda, MemoryKind::Default, 10));
  auto pinned = context->allocate(cuda, MemoryKind::HostPinned, 10);
  REQUIRE(!pinned);
  CHECK(pinned.error().message == "host_pinned memory is located on the cpu: it cannot be allocated on cuda:0");
  for (MemoryKind kind : kMemoryKinds)
    for (Bytes huge : {Bytes{1} << 50, std::numeric_limits<Bytes>::max()}) CHECK(!context->allocate({}, kind, huge));
  auto none = context->allocate({}, MemoryKind::Default, 0);
  CHECK(none.ok());
  CHECK(!*none);
  CHECK(!MemoryBlock::borrow(nullptr, 4));
  CHECK(!MemoryBlock::borrow(&context, -4));
}

TEST_CASE("a block outlives its context and keeps its allocator") {
  BlockPtr block;
  std::weak_ptr<Allocator> allocator;
  {
    auto context = make_cpu_context();
    block = context->allocate({}, MemoryKind::Default, 4096).value();
    allocator = context->allocator({}, MemoryKind::Default);
  }
  CHECK(!allocator.expired());
  std::memset(block->data(), 7, 4096);
  block.reset();
  CHECK(allocator.expired());
}

TEST_CASE("borrowed memory is not freed, and its keep-alive is held") {
  auto buffer = std::make_shared<std::vector<float>>(16, 1.0f);
  std::weak_ptr<std::vector<float>> watch = buffer;
  float* data = buffer->data();
  BlockPtr block = MemoryBlock::borrow(data, 64, {}, MemoryKind::Persistent, std::move(buffer)).value();
  CHECK(block->is_borrowed());
  CHECK(!watch.expired());
  CHECK(block->data() == reinterpret_cast<std::byte*>(data));
  block.reset();
  CHECK(watch.expired());
}

TEST_CASE("a limit bounds one context only") {
  auto a = make_cpu_context(), b = make_cpu_context();
  a->set_limit({}, 1 << 20);
  CHECK(a->limit({}) == 1 << 20);
  BlockPtr half = a->allocate({}, MemoryKind::Default, 512 << 10).value();
  auto more = a->allocate({}, MemoryKind::Persistent, 768 << 10);
  REQUIRE(!more);
  CHECK(more.error().message.find("out of memory on cpu") == 0);
  CHECK(b->allocate({}, MemoryKind::Persistent, 4 << 20).ok());
  half.reset();  // cached, perhaps; the context releases it and tries again
  CHECK(a->allocate({}, MemoryKind::Persistent, 768 << 10).ok());
}

namespace {

struct CountingObserver : AllocationObserver {
  std::atomic<Bytes> active{0}, reserved{0};
  std::atomic<int> calls{0};
  void on_allocate(const AllocationEvent& e) override { active += e.bytes, ++calls; }
  void on_free(const AllocationEvent& e) override { active -= e.bytes, ++calls; }
  void on_reserve(const AllocationEvent& e) override { reserved += e.bytes, ++calls; }
  void on_release(const AllocationEvent& e) override { reserved -= e.bytes, ++calls; }
};

}  // namespace

namespace {

// The address ranges that were reported as allocated and reserved; no range is reported twice.
struct PlacesObserver : AllocationObserver {
  using Places = std::map<uintptr_t, Bytes>;
  Places active, reserved;
  int wrong = 0;
  void on_allocate(const AllocationEvent& e) override { add(active, e); }
  void on_free(const AllocationEvent& e) override { remove(active, e); }
  void on_reserve(const AllocationEvent& e) override { add(reserved, e); }
  void on_release(const AllocationEvent& e) override { remove(reserved, e); }

  // True if all allocated ranges are inside of reserved ones.
  bool active_is_reserved() const {
    for (const auto& [address, bytes] : active) {
      uintptr_t reached = address;
      for (const auto& [from, length] : reserved)
        if (from <= reached && from + static_cast<uintptr_t>(length) > reached)
          reached = from + static_cast<uintptr_t>(length);
      if (reached < address + static_cast<uintptr_t>(bytes)) return false;
    }
    return true;
  }
  static Bytes sum(const Places& places) {
    Bytes bytes = 0;
    for (const auto& [address, length] : places) bytes += length;
    return bytes;
  }

 private:
  void add(Places& places, const AllocationEvent& e) {
    const auto next = places.lower_bound(e.address);
    wrong += next != places.end() && next->first < e.address + static_cast<uintptr_t>(e.bytes);
    wrong +=
        next != places.begin() && std::prev(next)->first + static_cast<uintptr_t>(std::prev(next)->second) > e.address;
    places[e.address] = e.bytes;
  }
  // Any part of it: pages come in runs and may go in others.
  void remove(Places& places, const AllocationEvent& e) {
    uintptr_t at = e.address;
    const uintptr_t end = at + static_cast<uintptr_t>(e.bytes);
    while (at < end) {
      auto own = places.upper_bound(at);
      if (own == places.begin() || (--own)->first + static_cast<uintptr_t>(own->second) <= at) {
        ++wrong;
        return;
      }
      const auto [from, length] = *own;
      const uintptr_t to = from + static_cast<uintptr_t>(length);
      places.erase(own);
      if (from < at) places[from] = static_cast<Bytes>(at - from);
      if (to > end) places[end] = static_cast<Bytes>(to - end);
      at = to;
    }
  }
};

}  // namespace

TEST_CASE("an observer sees each reservation once, and all allocations within reservations") {
  auto observer = std::make_shared<PlacesObserver>();
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::mt19937_64 random(seed);
    auto context = make_cpu_context();
    context->set_observer(observer);
    std::vector<BlockPtr> blocks;
    for (int i = 0; i < 400; ++i) {
      if (!blocks.empty() && random() % 2 == 0) {
        std::swap(blocks[random() % blocks.size()], blocks.back());
        blocks.pop_back();
      } else {
        const Bytes bytes = Bytes{1} << random() % 22;
        blocks.push_back(
            context->allocate({}, MemoryKind::Workspace, bytes + static_cast<Bytes>(random() % 4096)).value());
      }
      if (i % 37 == 0) context->release_cached({});
      if (i % 50 == 0) CHECK(observer->active_is_reserved());
    }
    CHECK(PlacesObserver::sum(observer->reserved) == context->stats({}).reserved);
    blocks.clear();
    context.reset();
    CHECK(observer->wrong == 0);
    CHECK(observer->active.empty());
    CHECK(observer->reserved.empty());
  }
}

TEST_CASE("an observer's sums agree with the statistics") {
  auto context = make_cpu_context();
  auto observer = std::make_shared<CountingObserver>();
  context->set_observer(observer);
  std::vector<BlockPtr> blocks;
  for (Bytes n : {100, 5000, 70000, 3000000})
    for (MemoryKind kind : kMemoryKinds)
      if (is_allocated(kind)) blocks.push_back(context->allocate({}, kind, n).value());
  CHECK(observer->active == context->stats({}).active);
  CHECK(observer->reserved == context->stats({}).reserved);
  blocks.resize(7);
  CHECK(observer->active == context->stats({}).active);
  blocks.clear();
  context->release_cached({});
  CHECK(observer->active == 0);
  CHECK(observer->reserved == context->stats({}).reserved);
  context->set_observer(nullptr);
  const int before = observer->calls;
  context->allocate({}, MemoryKind::Persistent, 64).value();
  CHECK(observer->calls == before);
}

TEST_CASE("mapped file bytes are counted as borrowed, never as allocated") {
  auto context = make_cpu_context();
  CHECK(!context->allocate({}, MemoryKind::Mapped, 64));
  CHECK(!context->register_allocator(MemoryKind::Mapped, std::make_shared<CpuAllocator>()));
  CHECK(!MemoryBlock::borrow(&context, 8, {}, MemoryKind::Mapped));
  CHECK(!context->borrow_mapped(nullptr, 8, nullptr));
  CHECK(!context->borrow_mapped(&context, -8, nullptr));
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  constexpr Bytes kBytes = 100'000;
  const std::vector<char> letters(kBytes, 'a');
  REQUIRE(std::fwrite(letters.data(), 1, kBytes, file) == kBytes);
  REQUIRE(std::fflush(file) == 0);
  void* data = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, fileno(file), 0);
  REQUIRE(data != MAP_FAILED);
  int released = 0;
  {
    std::shared_ptr<const void> owner(data, [&](const void*) { ++released; });
    auto block = context->borrow_mapped(data, kBytes, std::move(owner));
    REQUIRE(block.ok());
    CHECK((*block)->is_borrowed());
    CHECK((*block)->is_mapped());
    CHECK(context->stats({}, MemoryKind::Mapped).active == kBytes);
    (*block)->drop_pages(0, kBytes);
    (*block)->drop_pages(-1, kBytes);
    (*block)->drop_pages(kBytes, 1);
    CHECK(std::memcmp((*block)->data(), letters.data(), kBytes) == 0);  // read again
    CHECK(released == 0);
  }
  CHECK(released == 1);
  CHECK(context->stats({}, MemoryKind::Mapped).active == 0);
  CHECK(context->stats({}, MemoryKind::Mapped).peak == kBytes);
  munmap(data, kBytes);
  std::fclose(file);
}

TEST_CASE("a kind without an allocator uses that of Default") {
  ExecutionContext context;
  REQUIRE(context.register_allocator(MemoryKind::Default, std::make_shared<CpuAllocator>()).ok());
  BlockPtr block = context.allocate({}, MemoryKind::KVCache, 128).value();
  CHECK(block->kind() == MemoryKind::KVCache);
  CHECK(context.stats({}, MemoryKind::KVCache).active == 128);
  CHECK(context.stats({}, MemoryKind::Default).active == 0);
  CHECK(context.stats({}, MemoryKind::Default).reserved == 128);
}

TEST_CASE("threads allocate and free concurrently") {
  auto context = make_cpu_context();
  std::vector<std::thread> threads;
  std::atomic<int> damaged{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<BlockPtr> mine;
      for (int i = 0; i < 400; ++i) {
        const Bytes n = 64 + (i * 7919 + t * 104729) % 20000;
        BlockPtr block = context->allocate({}, kMemoryKinds[static_cast<size_t>(i % 6)], n).value();
        std::memset(block->data(), t + 1, static_cast<size_t>(n));
        mine.push_back(std::move(block));
        if (mine.size() > 20) mine.erase(mine.begin() + i % 20);
      }
      for (const BlockPtr& b : mine)
        for (Bytes i = 0; i < b->bytes(); ++i) damaged += b->data()[i] != static_cast<std::byte>(t + 1);
    });
  for (std::thread& t : threads) t.join();
  CHECK(damaged == 0);
  CHECK(context->stats({}).active == 0);
  CHECK(context->stats({}).allocations == 1600);
}

TEST_CASE("the current stream is stored per device") {
  ExecutionContext context;
  const Device d{DeviceType::Simulated, 0};
  CHECK(context.current_stream(d) == Stream{d, 0});
  context.set_current_stream({d, 5});
  CHECK(context.current_stream(d) == Stream{d, 5});
  CHECK(context.current_stream({}) == Stream{});
}
