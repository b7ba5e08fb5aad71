// SPDX-License-Identifier: MIT
// Watching on an OpenCL device (PoCL where there is no other): kernels queued one by one, command buffers, images, and
// graphs that are partitioned with the host.
#include <doctest/doctest.h>

#include <arenascope/backends/reference/reference_backend.h>
#include "engine/backends/opencl/opencl_backend.h"
#include "opencl_calls.h"
#include "watched_run.h"

namespace arenascope::test {
namespace {

// One backend for all observations with the same options, because it compiles its kernels once.
class ObservedOpenCl final : public ObservedBackend {
 public:
  explicit ObservedOpenCl(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}
  Backend& backend() override { return *backend_; }
  std::vector<std::string> take_launches(const std::byte*) override { return take_opencl_launches(); }

 private:
  const std::shared_ptr<Backend> backend_;
};

std::function<std::unique_ptr<ObservedBackend>()> opener(BackendOptions options) {
  options.insert({{"cache", "none"}, {"tuning", "none"}});
  auto opened = opencl::open_opencl(options);
  REQUIRE_MESSAGE(opened.ok(), (opened ? "" : opened.error().message));
  return [backend = std::shared_ptr<Backend>(std::move(*opened))] { return std::make_unique<ObservedOpenCl>(backend); };
}

bool has_images(const Backend& backend) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    const auto network = random_network(seed);
    if (std::any_of(network->graph.nodes().begin(), network->graph.nodes().end(),
                    [&](const TensorImpl* node) { return backend.packing(*node, -1) != PartitionSide::Main; }))
      return true;
  }
  return false;
}

}  // namespace

TEST_CASE("opencl: watching random graphs changes no kernel, argument, command buffer or result") {
  const auto open = opener({});
  const auto host = reference::make_reference_backend();
  for (uint32_t seed = 0; seed < random_graphs(100); ++seed) {
    CAPTURE(seed);
    const auto make = [&](const Backend&) {
      auto network = random_network(seed);
      return seed % 4 == 3 ? partly_on_host(std::move(network), *host) : std::move(network);
    };
    check_watching(open, make, two_watches());
  }
}

TEST_CASE("opencl: watching graphs with images changes no kernel, argument, command buffer or result") {
  const auto open = opener({{"memory", "image"}});
  int packed = 0;
  for (uint32_t seed = 0; seed < random_graphs(60); ++seed) {
    CAPTURE(seed);
    const auto make = [&](const Backend& backend) { return packed_in_images(random_network(seed), backend); };
    const auto last = check_watching(open, make, two_watches());
    packed += std::any_of(last.plan.graph.nodes().begin(), last.plan.graph.nodes().end(),
                          [](const TensorImpl* node) { return node->placement == Placement::Packed; });
  }
  CHECK((packed > 5) == has_images(open()->backend()));
}

TEST_CASE("opencl: every way of watching changes nothing under every memory strategy") {
  const auto open = opener({});
  for (const MemoryStrategy strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager, MemoryStrategy::None})
    for (uint32_t seed = 0; seed < 3; ++seed) {
      CAPTURE(seed);
      check_watching(
          open, [&](const Backend&) { return random_network(seed); }, all_watches(strategy));
    }
}

TEST_CASE("opencl: watching a model of the zoo changes nothing") {
  const auto open = opener({});
  int models = 0;
  for (const models::ZooEntry& entry : models::zoo()) {
    CAPTURE(entry.name);
    const auto make = [&](const Backend&) { return zoo_model(entry, 50'000'000); };
    if (!make(open()->backend())) continue;
    check_watching(open, make, two_watches());
    ++models;
  }
  CHECK(models >= 4);
}

TEST_CASE("opencl: a replayed segment is one span, and the times of its nodes are unknown") {
  const auto open = opener({});
  const auto on = open();
  const auto subject = random_network(1);
  const Observation seen = observe(*on, *subject, {.recorded = true, .timed = true});
  const bool replays = seen.runs.back().launches[0].starts_with("command buffer");
  for (size_t run = 0; run < seen.runs.size(); ++run)
    for (size_t step = 0; step < seen.plan.steps.size(); ++step)
      if (seen.plan.steps[step].tasks > 0)
        CHECK(seen.runs[run].times[step].nanoseconds.has_value() == (!replays || run == 0));
  // Only the first run, which is cold, has times of nodes.
  const trace::GraphId graph = seen.recording->runs[0].info.graph;
  for (const trace::NodeStats& node : seen.recording->stats(graph)) CHECK((node.runs == 0 || !replays || node.cold));
  int segments = 0;
  for (const auto& track : seen.recording->tracks)
    for (size_t i = 0; track.info.kind == trace::TrackKind::DeviceQueue && i < track.lanes[0].rows.size(); ++i) {
      const trace::Event& span = track.lanes[0].rows[i];
      const bool named = span.kind() == trace::EventKind::Slice;
      segments += named && seen.recording->name(trace::NameId(static_cast<int32_t>(span.id))) == "command buffer";
    }
  CHECK(segments == (replays ? 3 : 0));
  int notes = 0;
  for (size_t i = 0; i < seen.recording->problems.size(); ++i)
    notes += seen.recording->problems[i].sentence.find("replay=off") != std::string::npos;
  CHECK(notes == (replays ? 1 : 0));
}

}  // namespace arenascope::test
