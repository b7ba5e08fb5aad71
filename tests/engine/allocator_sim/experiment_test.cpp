// SPDX-License-Identifier: MIT
#include <arenascope/allocator_sim/experiment.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/engine/trace/pickled.h"
#include "tests/engine/trace/sample_traces.h"

namespace arenascope::allocator_sim {
namespace {

constexpr Bytes kMiB = CachingSettings::kMiB;

std::filesystem::path written(const std::string& bytes) {
  const auto path = std::filesystem::temp_directory_path() / "arenascope-allocator-sim-test.pickle";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

Experiment run(const AllocatorProgram& program, const CachingSettings& settings, Start start) {
  auto experiment = run_experiment(program, settings, start);
  REQUIRE(experiment.ok());
  return *experiment;
}

}  // namespace

// A snapshot's reserved bytes and addresses are PyTorch's own: nothing here was fitted to them.
TEST_CASE("recorded programs get the block addresses of PyTorch's allocator") {
  const char* data = std::getenv("ARENASCOPE_DATA");
  if (data == nullptr) {
    MESSAGE("skipped: ARENASCOPE_DATA is not set");
    return;
  }
  struct Sample {
    const char* name;
    int64_t requests;
    Bytes reserved;
  };
  for (const Sample& sample : {Sample{"small", 36, 3'781'165'056}, Sample{"bf16_forward", 937, 861'929'472},
                               Sample{"transformer_3GB", 2162, 4'238'344'192}}) {
    const auto path =
        std::filesystem::path(data) / "traces" / (std::string("pytorch_cuda_snapshot_") + sample.name + ".pickle");
    auto programs = read_allocator_programs(path);
    REQUIRE_MESSAGE(programs.ok(), sample.name);
    REQUIRE(programs->size() == 1);
    const AllocatorProgram& program = programs->front();
    CHECK(program.reserved_peak == sample.reserved);
    const Experiment own = run(program, program.settings, Start::Recorded);
    CHECK(own.allocations == sample.requests);
    CHECK(own.same_address == sample.requests);
    CHECK(own.reserved_peak == sample.reserved);
    CHECK(!own.failure);
    // From empty nothing lies in segments but what is asked for: no more is reserved than there was, and no less than is
    // in use at once.
    const Experiment empty = run(program, program.settings, Start::Empty);
    CHECK(empty.reserved_peak <= sample.reserved);
    CHECK(empty.reserved_peak >= empty.allocated_peak);
    CachingSettings growing = program.settings;
    growing.expandable_segments = true;
    const Experiment grown = run(program, growing, Start::Empty);
    CHECK(grown.reserved_peak >= grown.allocated_peak);
    // With memory for what was reserved it fits; with less than is in use at once it cannot.
    CachingSettings bounded = program.settings;
    bounded.device_memory = empty.reserved_peak;
    CHECK(!run(program, bounded, Start::Empty).failure);
    bounded.device_memory = empty.allocated_peak - kMiB;
    CHECK(run(program, bounded, Start::Empty).failure.has_value());
  }
}

TEST_CASE("the state of a snapshot is rewound to its first entry") {
  auto programs = read_allocator_programs(written(test::snapshot_pickle()));
  REQUIRE(programs.ok());
  REQUIRE(programs->size() == 1);
  const AllocatorProgram& program = programs->front();
  REQUIRE(program.segments.size() == 1);
  CHECK(program.segments[0].address == 0x10000);
  CHECK(program.segments[0].bytes == 4096);
  // The one at + 1024 was there before and stays; the one at 0 was freed; the one at + 1536 came in the trace.
  REQUIRE(program.blocks.size() == 2);
  CHECK(program.blocks[0].address == 0x10000);
  CHECK(program.blocks[0].asked == 100);
  CHECK(program.blocks[1].address == 0x10400);
  CHECK(program.worked_out == 1);
  REQUIRE(program.steps.size() == 2);
  CHECK(program.steps[0].allocates);
  CHECK(program.steps[0].asked == 500);
  CHECK(!program.steps[1].allocates);
  CHECK(program.reserved_peak == 4096);
}

TEST_CASE("the recorded peak of expandable segments is that of what was mapped and not unmapped") {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const auto made = test::expandable_snapshot(seed, 40);
    const auto programs = read_allocator_programs(written(made.pickle));
    REQUIRE(programs.ok());
    int64_t most = made.before;
    for (const auto& [time, bytes] : made.reserved) most = std::max(most, bytes);
    CHECK(programs->front().reserved_peak == most);
    CHECK(programs->front().grows);
  }
}

TEST_CASE("invalid or damaged snapshot files are errors with their name") {
  CHECK(read_allocator_programs("/nonexistent.pickle").error().message.find("/nonexistent.pickle") == 0);
  CHECK(read_allocator_programs(written("no pickle")).error().message.find("arenascope-allocator-sim-test") !=
        std::string::npos);
  CHECK(read_allocator_programs(written(std::string("\x80\x02}.", 4))).error().message.find("not a memory snapshot") !=
        std::string::npos);
  const std::string sound = test::snapshot_pickle();
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = sound;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
    auto programs = read_allocator_programs(written(damaged));
    if (!programs) continue;
    for (const AllocatorProgram& program : *programs)
      for (const Start start : {Start::Recorded, Start::Empty})
        if (auto e = run_experiment(program, program.settings, start)) CHECK(e->reserved_peak >= e->allocated_peak);
  }
}

}  // namespace arenascope::allocator_sim
