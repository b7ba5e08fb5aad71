// SPDX-License-Identifier: MIT
// Limits of the memory overhead of fusion and layouts, over the zoo; and the inputs of a rewritten model: constants that
// are folded when weights are loaded.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include <malloc.h>

#include <arenascope/models/zoo.h>
#include <arenascope/run/runner.h>
#include <doctest/doctest.h>

namespace arenascope::test {
namespace {

CompileOptions plain_options() {
  CompileOptions options;
  options.threads = 2;
  options.planner = "greedy-by-size";
  options.rewrite = true;
  return options;
}

std::vector<float> floats(Runner& runner) {
  auto bytes = runner.output(0);
  REQUIRE(bytes.ok());
  std::vector<float> out(bytes->size() / sizeof(float));
  std::memcpy(out.data(), bytes->data(), bytes->size());
  return out;
}

// The arena size with fusion and layouts relative to that without, for each preference.
void check_ratios(const models::Model& model, const Devices& devices) {
  CompileOptions options = plain_options();
  for (const Prefer prefer : {Prefer::Time, Prefer::Memory}) {
    CAPTURE(name(prefer));
    options.prefer = prefer;
    options.fuse = false;
    auto without = compile(model, devices, options);
    REQUIRE_MESSAGE(without.ok(), (without.ok() ? "" : without.error().message));
    CHECK(without->layout_candidates.empty());
    options.fuse = true;
    auto chosen = compile(model, devices, options);
    REQUIRE_MESSAGE(chosen.ok(), (chosen.ok() ? "" : chosen.error().message));
    const double ratio = static_cast<double>(chosen->plan.memory.arena_bytes) /
                         static_cast<double>(std::max<Bytes>(without->plan.memory.arena_bytes, 1));
    CHECK(ratio <= max_arena_ratio(prefer) + 1e-9);
    CHECK(std::count_if(chosen->layout_candidates.begin(), chosen->layout_candidates.end(),
                        [](const LayoutCandidate& f) { return f.chosen; }) == 1);
  }
}

}  // namespace

TEST_CASE("fusion and layouts respect the preferred arena size in all zoo and file networks") {
  auto devices = open_devices("cpu");
  REQUIRE(devices.ok());
  int weighed = 0;
  for (const models::ZooEntry& entry : models::zoo()) {
    CAPTURE(entry.name);
    auto model = models::open_zoo(entry.name);
    REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
    if (!model->states.empty() || model->weight_bytes() > Bytes{3} << 30) continue;
    check_ratios(*model, *devices);
    ++weighed;
  }
  CHECK(weighed > 10);
  const char* data = std::getenv("ARENASCOPE_DATA");
  for (const char* folder : {"models", "onnx/light"}) {
    const std::filesystem::path root = data ? std::filesystem::path(data) / folder : "";
    if (!std::filesystem::is_directory(root)) continue;
    for (const auto& file : std::filesystem::recursive_directory_iterator(root)) {
      if (file.path().extension() != ".onnx") continue;
      CAPTURE(file.path());
      auto model = models::open_model(file.path().string());
      if (model.ok() && model->runnable()) check_ratios(*model, *devices);
    }
  }
}

TEST_CASE("the arena of each evaluated layout is that of the program, by its own planner and order") {
  auto devices = open_devices("cpu");
  REQUIRE(devices.ok());
  for (const char* entry : {"mnist_cnn", "squeezenet"})
    for (const char* planner : {"none", "greedy-by-size", "two-level"})
      for (const char* order : {"depth-first", "breadth-first"})
        for (const bool in_place : {false, true}) {
          CAPTURE(entry);
          CAPTURE(planner);
          CAPTURE(order);
          CAPTURE(in_place);
          auto model = models::open_zoo(entry);
          REQUIRE(model);
          CompileOptions options = plain_options();
          options.planner = planner;
          options.order = order;
          options.in_place = in_place;
          options.fuse = true;
          auto fused = compile(*model, *devices, options);
          REQUIRE(fused);
          const auto chosen = std::find_if(fused->layout_candidates.begin(), fused->layout_candidates.end(),
                                           [](const LayoutCandidate& candidate) { return candidate.chosen; });
          REQUIRE(chosen != fused->layout_candidates.end());
          CHECK(chosen->arena_bytes == fused->plan.memory.arena_bytes);
          CHECK(fused->plan.memory.planner == planner);
          options.fuse = false;
          auto plain = compile(*model, *devices, options);
          REQUIRE(plain);
          CHECK(fused->layout_candidates.back().arena_bytes == plain->plan.memory.arena_bytes);
        }
}

TEST_CASE("a rewritten model gives the original outputs, also after replanning") {
  for (const char* spec : {"zoo:mobilenet_v2", "zoo:resnet50"}) {
    CAPTURE(spec);
    RunnerOptions options;
    static_cast<CompileOptions&>(options) = plain_options();
    options.rewrite = false;
    auto written = Runner::open(spec, options);
    REQUIRE_MESSAGE(written.ok(), (written.ok() ? "" : written.error().message));
    REQUIRE((*written)->run().ok());
    const std::vector<float> expected = floats(**written);
    options.rewrite = true;
    options.fuse = true;
    auto rewritten = Runner::open(spec, options);
    REQUIRE_MESSAGE(rewritten.ok(), (rewritten.ok() ? "" : rewritten.error().message));
    CHECK(!(*rewritten)->program().constants.empty());
    CHECK((*rewritten)->plan().graph.nodes().size() < (*written)->plan().graph.nodes().size());
    float largest = 0;
    for (float x : expected) largest = std::max(largest, std::abs(x));
    for (int round = 0; round < 2; ++round) {
      REQUIRE((*rewritten)->run().ok());
      const std::vector<float> got = floats(**rewritten);
      REQUIRE(got.size() == expected.size());
      float error = 0;
      for (size_t i = 0; i < got.size(); ++i) error = std::max(error, std::abs(got[i] - expected[i]));
      CHECK(error <= 1e-5f * largest);
      REQUIRE((*rewritten)->replan("two-level", "depth-first", MemoryStrategy::Eager, 1).ok());
    }
  }
}

TEST_CASE("with memory preferred each weight is stored once, unless packed ones are requested") {
  std::vector<float> results[3];
  Bytes weights[3], packed[3], given = 0;
  for (int i = 0; i < 3; ++i) {
    RunnerOptions options;
    static_cast<CompileOptions&>(options) = plain_options();
    options.fuse = true;
    options.prefer = i == 0 ? Prefer::Time : Prefer::Memory;
    if (i == 2) options.backend_options["weights"] = "packed";
    auto runner = Runner::open("zoo:squeezenet", options);
    REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
    REQUIRE((*runner)->run().ok());
    results[i] = floats(**runner);
    given = (*runner)->model().weight_bytes();
    const ExecutionContext& context = (*runner)->context();
    weights[i] = context.stats({}, MemoryKind::Persistent).active + context.stats({}, MemoryKind::Mapped).active;
    packed[i] = (*runner)->executor().packed_weights().bytes;
  }
  constexpr Bytes kRound = 64 << 10;  // what allocators round tensors up to, in all
  CHECK(weights[1] >= given);
  CHECK(weights[1] <= given + kRound);
  CHECK(packed[1] == 0);
  for (const int i : {0, 2}) {  // packed with Winograd's transform, without the originals
    CHECK(packed[i] > given);
    CHECK(weights[i] <= given * 6 / 5);
  }
  REQUIRE(results[0].size() == results[1].size());
  for (size_t i = 0; i < results[0].size(); ++i) CHECK(results[1][i] == doctest::Approx(results[0][i]).epsilon(1e-4));
}

#if defined(__GLIBC__)
TEST_CASE("sources of folded weights are released") {
  const auto heap = [] {
    const struct mallinfo2 all = ::mallinfo2();
    return static_cast<Bytes>(all.uordblks + all.hblkhd);
  };
  const Bytes before = heap();
  RunnerOptions options;
  static_cast<CompileOptions&>(options) = plain_options();
  options.fuse = true;
  auto runner = Runner::open("zoo:mobilenet_v2", options);
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  CHECK((*runner)->program().constants.size() > 50);
  Bytes counted = 0;
  for (const MemoryKind kind : {MemoryKind::Persistent, MemoryKind::Workspace, MemoryKind::Default})
    counted += (*runner)->context().stats({}, kind).reserved;
  CHECK(heap() - before - counted < Bytes{16} << 20);
}
#endif

TEST_CASE("names of preferences are parsed and printed") {
  for (const Prefer prefer : {Prefer::Time, Prefer::Memory}) CHECK(parse_prefer(name(prefer)) == prefer);
  CHECK_FALSE(parse_prefer("both").has_value());
}

}  // namespace arenascope::test
