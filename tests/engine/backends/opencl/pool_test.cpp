// SPDX-License-Identifier: MIT
// Memory pools: reuse and the limit of reserved bytes, for generated requests and for those of networks.
#include <algorithm>
#include <random>

#include <arenascope/models/model.h>
#include <arenascope/schedule/memory_plan.h>
#include "engine/backends/opencl/image_pool.h"

#include "fixture.h"
#include "test_data.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

constexpr double kBound = 1.25;
constexpr Device kDevice{DeviceType::OpenCl, 0};

std::shared_ptr<opencl::Runtime> open_runtime() {
  auto runtime = opencl::Runtime::create({});
  REQUIRE_MESSAGE(runtime.ok(), (runtime.ok() ? "" : runtime.error().message));
  return std::move(*runtime);
}

// One request: its memory is live from step `first` to step `last`. It is an image if it has a height.
struct Life {
  Bytes bytes = 0;
  int64_t first = 0, last = 0;
  opencl::ImageShape shape = {};
};

// The peak of live bytes, from the lifetimes alone.
Bytes peak_of(const std::vector<Life>& lives) {
  std::vector<std::pair<int64_t, Bytes>> changes;
  for (const Life& l : lives) {
    changes.emplace_back(l.first * 2 + 1, l.bytes);
    changes.emplace_back(l.last * 2, -l.bytes);
  }
  std::sort(changes.begin(), changes.end());
  Bytes now = 0, peak = 0;
  for (const auto& [step, bytes] : changes) peak = std::max(peak, now += bytes);
  return peak;
}

// Plays the lives `rounds` times and checks the bound after each request.
MemoryStats play(opencl::DevicePool& pool, const std::vector<Life>& lives, int rounds) {
  struct Event {
    int64_t when;
    bool takes;
    size_t life;
  };
  std::vector<Event> events;
  for (size_t i = 0; i < lives.size(); ++i) {
    events.push_back({lives[i].first, true, i});
    events.push_back({lives[i].last, false, i});
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::pair(a.when, a.takes) < std::pair(b.when, b.takes);
  });
  std::vector<void*> held(lives.size());
  double worst = 0;
  for (int round = 0; round < rounds; ++round)
    for (const Event& e : events) {
      const Life& life = lives[e.life];
      if (!e.takes) {
        pool.deallocate(held[e.life], life.bytes);
        continue;
      }
      if (life.shape.height > 0) pool.request_image(life.shape);
      auto block = pool.allocate(life.bytes);
      REQUIRE_MESSAGE(block.ok(), (block.ok() ? "" : block.error().message));
      held[e.life] = *block;
      const MemoryStats stats = pool.stats();
      worst = std::max(worst, static_cast<double>(stats.reserved) / static_cast<double>(stats.peak));
    }
  CHECK(worst <= kBound);
  const MemoryStats stats = pool.stats();
  CHECK(stats.active == 0);
  CHECK(stats.peak == peak_of(lives));
  CHECK(static_cast<double>(stats.peak_reserved) <= kBound * static_cast<double>(stats.peak));
  CHECK(stats.reserved == stats.cached);
  Bytes in_blocks = 0;
  for (const PoolBlock& block : pool.blocks()) {
    CHECK(block.requested == 0);
    CHECK(block.uses > 0);
    in_blocks += block.bytes;
  }
  CHECK(in_blocks == stats.reserved);
  return stats;
}

// Sizes from a byte to a megabyte, all magnitudes alike; most lives are short, some span much.
std::vector<Life> made_up(uint32_t seed, bool images) {
  std::mt19937 random(seed);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  std::vector<Life> lives;
  const int64_t steps = 60 + below(60);
  for (int64_t step = 0; step < steps; ++step) {
    Life l;
    l.first = step;
    l.last = step + 1 + (below(8) == 0 ? below(40) : below(4));
    if (images && below(2) == 0) {
      l.shape = {static_cast<size_t>(1 + below(60)), static_cast<size_t>(1 + below(60)), below(2) == 0};
      l.bytes = l.shape.bytes();
    } else {
      l.bytes = 1 + below(Bytes{1} << below(21));
    }
    lives.push_back(l);
  }
  return lives;
}

}  // namespace

TEST_CASE("the pool reuses the smallest fitting block within the bound and counts reuses") {
  opencl::BufferPool pool(open_runtime(), kDevice, {1.25, 0, false});
  auto a = pool.allocate(1000), b = pool.allocate(10000);
  REQUIRE(a);
  REQUIRE(b);
  pool.deallocate(*a, 1000);
  pool.deallocate(*b, 10000);
  CHECK(pool.stats().cached == 11000);
  auto c = pool.allocate(900);
  REQUIRE(c);
  CHECK(*c == *a);
  // 10,000 bytes for 5,000 would waste half.
  auto d = pool.allocate(5000);
  REQUIRE(d);
  CHECK(*d != *b);
  // It is not kept additionally: 16,000 bytes would exceed 1.25 times the 11,000 that were live at once.
  CHECK(pool.stats().reserved == 6000);
  CHECK(pool.stats().hits == 1);
  CHECK(pool.blocks().size() == 2);
  CHECK(pool.release_cached() == 0);
  CHECK(pool.stats().reserved == 6000);
  pool.deallocate(*c, 900);
  pool.deallocate(*d, 5000);
  CHECK(pool.stats().active == 0);
}

TEST_CASE("small requests in larger blocks also respect the bound") {
  // A slack of 4,096 bytes would let each of the hundred waste 4,000.
  std::vector<Life> lives;
  for (int64_t i = 0; i < 100; ++i) lives.push_back({4096, 0, 1});
  for (int64_t i = 0; i < 100; ++i) lives.push_back({96, 2, 3});
  lives.push_back({4096 * 100, 2, 3});
  opencl::DevicePool pool(open_runtime(), kDevice, {});
  play(pool, lives, 2);
}

TEST_CASE("generated requests: reserved bytes stay within 1.25 times the live peak and are reused") {
  const auto runtime = open_runtime();
  for (const bool images : {false, true})
    for (uint32_t seed = 1; seed <= 12; ++seed) {
      CAPTURE(images);
      CAPTURE(seed);
      const auto lives = made_up(seed, images);
      opencl::DevicePool bounded(runtime, kDevice, {});
      CHECK(play(bounded, lives, 3).hits > 0);
    }
}

TEST_CASE("nine networks: reserved bytes stay within 1.25 times the live peak") {
  ARENASCOPE_NEEDS_DATA("onnx/light");
  const auto runtime = open_runtime();
  for (const char* name : {"bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet",
                           "squeezenet", "vgg19", "zfnet512"}) {
    CAPTURE(std::string(name));
    auto model = models::open_model((data_folder() / "onnx" / "light" / name).string());
    REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
    MemoryPlanOptions options;
    options.alignment = runtime->facts().base_alignment;
    options.join = false;
    auto plan = plan_memory(model->graph, "two-level", "depth-first", options, {});
    REQUIRE(plan);
    for (const bool images : {false, true}) {
      CAPTURE(images);
      std::vector<Life> lives;
      for (const PlannedTensor& tensor : plan->tensors) {
        const TensorImpl& t = model->graph.node(tensor.node);
        Life life{t.byte_count(), tensor.first.value, tensor.last.value};
        if (images && t.rank() == 4 && t.dtype == DType::F32) {
          life.shape = opencl::image_shape(t);
          life.bytes = life.shape.bytes();
        }
        if (life.bytes > 0) lives.push_back(life);
      }
      opencl::DevicePool pool(runtime, kDevice, {});
      const MemoryStats stats = play(pool, lives, 2);
      MESSAGE(std::string(name) << std::string(images ? ", images: " : ": ")
                                << static_cast<double>(stats.peak_reserved) / static_cast<double>(stats.peak) << ", "
                                << stats.hits << " of " << stats.allocations << " requests served by what was there");
      CHECK(stats.hits * 3 > stats.allocations);
    }
  }
}
