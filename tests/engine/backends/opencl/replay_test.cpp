// SPDX-License-Identifier: MIT
// Runs recorded as command buffers and replayed: in one piece, in segments around copies, on images. Replayed runs have
// the same results as runs kernel by kernel.
#include "network.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

trace::ReplayInfo replay_of(const Opened& device) {
  const auto state = device.backend->drain_diagnostics().replay;
  REQUIRE(state);
  return *state;
}

bool has_command_buffers() {
  const auto devices = opencl::find_devices();
  REQUIRE(devices);
  return devices->front().command_buffer;
}

void feed(Backend& backend, const TensorImpl& input, int i) {
  const std::vector<float> values = Network::values_of(i);
  REQUIRE(write_tensor(backend, input, std::as_bytes(std::span(values))).ok());
}

using Results = std::vector<std::vector<std::byte>>;

// The results of runs without replay for the inputs of runs 0 to 5.
Results run_plainly() {
  Opened device = open_device({{"replay", "off"}, {"tuning", "none"}});
  Network network;
  const auto executor = on_device(device, network);
  Results out;
  for (int i = 0; i < 6; ++i) {
    feed(*device.backend, *network.input, i);
    run(*executor);
    CHECK(replay_of(device).state == trace::ReplayState::Unavailable);
    out.push_back(result(*device.backend, network.output));
  }
  return out;
}
const Results& expected_results() {
  static const Results results = run_plainly();
  return results;
}

bool equal(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  return a.size() == b.size() && compare_elements(DType::F32, a.data(), b.data(), 1600).relative() < 1e-5;
}

}  // namespace

TEST_CASE(
    "recorded command buffers give the results of separate kernels, also for new inputs and after another prepare()") {
  const bool there = has_command_buffers();
  const Results& expected = expected_results();
  Opened device = open_device({{"tuning", "none"}});
  Network network;
  const auto executor = on_device(device, network);
  for (int i = 0; i < 6; ++i) {
    feed(*device.backend, *network.input, i);
    run(*executor);
    CHECK(result(*device.backend, network.output) == expected[static_cast<size_t>(i)]);
    // The first run is queued node by node, the second recorded, later ones replayed.
    const trace::ReplayInfo state = replay_of(device);
    const bool recorded = there && i != 0 && i != 5;
    CHECK(state.state == (!there     ? trace::ReplayState::Unavailable
                          : recorded ? trace::ReplayState::Recorded
                                     : trace::ReplayState::Direct));
    CHECK(state.segments == (recorded ? 1 : 0));
    CHECK((state.kernels > 0) == recorded);
    CHECK(state.replays == (!there || i == 5 ? 0 : std::max(i - 1, 0)));
    if (i == 4) REQUIRE(executor->prepare(executor->plan()).ok());
  }
}

TEST_CASE("host nodes split a run into segments that are recorded and replayed") {
  const bool there = has_command_buffers();
  const Results& expected = expected_results();
  Opened device = open_device({{"tuning", "none"}});
  Network network;
  const PartitionedGraph split = with_host(network, Op::Sigmoid);
  const auto host = reference::make_reference_backend();
  const auto executor = on_device(device, split.graph, {.threads = 2, .host = host.get()});
  const Tensor output = mapped(split, network, network.output);
  for (int i = 0; i < 6; ++i) {
    feed(*device.backend, leaf(split.graph, "x"), i);
    run(*executor);
    CHECK(equal(result(*device.backend, output), expected[static_cast<size_t>(i)]));
  }
  const trace::ReplayInfo state = replay_of(device);
  CHECK(state.replays == (there ? 4 : 0));
  CHECK(state.segments == (there ? 2 : 0));
}

TEST_CASE("images keep their memory between unobserved runs, which are replayed too") {
  const bool there = has_command_buffers();
  const Results& expected = expected_results();
  Opened device = open_device({{"memory", "image"}, {"tuning", "none"}});
  if (device.backend->packing(*Network().graph.nodes()[0], -1) == PartitionSide::Main)
    return;  // the device has no images
  Network network;
  const PartitionedGraph images = on_images(network, *device.backend);
  const auto executor = on_device(device, images.graph);
  const Tensor output = mapped(images, network, network.output);
  const auto again = [&](int i, const RunOptions& options = {}) {
    feed(*device.backend, leaf(images.graph, "x"), i);
    run(*executor, options);
    CHECK(equal(result(*device.backend, output), expected[static_cast<size_t>(i)]));
  };
  const auto places = [&] {
    std::vector<const std::byte*> out;
    for (const TensorImpl* node : images.graph.nodes())
      if (node->placement == Placement::Packed) out.push_back(node->data());
    return out;
  };
  again(0);  // takes images from the pool, step by step
  again(1);  // has them again, and is recorded
  const auto held = places();
  CHECK(std::find(held.begin(), held.end(), nullptr) == held.end());
  again(2);
  again(3);
  CHECK(places() == held);
  trace::ReplayInfo state = replay_of(device);
  CHECK(state.replays == (there ? 2 : 0));
  // An instrumented run executes step by step, at the same addresses: the pool serves it as before.
  std::vector<const std::byte*> seen;
  again(4, {.after_node = [&](NodeId id, Step) {
          const TensorImpl& node = images.graph.node(id);
          if (node.placement == Placement::Packed) seen.push_back(node.data());
          return true;
        }});
  CHECK(seen.size() == held.size());
  for (const std::byte* place : seen) CHECK(std::find(held.begin(), held.end(), place) != held.end());
  again(5);
  again(5);
  state = replay_of(device);
  CHECK(state.replays > (there ? 2 : -1));
  // Memory that the pool released is allocated and recorded again.
  executor->release_prepared();
  REQUIRE(executor->prepare(executor->plan()).ok());
  again(0);
  again(1);
}

TEST_CASE("a run that fails while it is recorded is not replayed") {
  const Results& expected = expected_results();
  Opened device = open_device({{"tuning", "none"}});
  Network network;
  // A host backend whose sigmoid fails on request.
  class Failing final : public StatelessBackend {
   public:
    Failing() : inner_(reference::make_reference_backend()) {}
    std::string_view name() const override { return "failing"; }
    std::string description() const override { return "fails on request"; }
    Device device() const override { return {}; }
    bool runs_on_host_threads() const override { return true; }
    int tasks(const TensorImpl&, int) const override { return 1; }
    Bytes work_bytes(const TensorImpl&, int) const override { return 0; }
    Status supports(const TensorImpl& node) const override { return inner_->supports(node); }
    Status compute(const TensorImpl& node, const ComputeParams& params) override {
      if (fails) return Error{"simulated failure"};
      return params.ith == 0 ? compute_in_parts(*inner_, node, 1) : Status();
    }
    bool fails = false;

   private:
    std::unique_ptr<Backend> inner_;
  } host;
  const PartitionedGraph split = with_host(network, Op::Sigmoid);
  const auto executor = on_device(device, split.graph, {.threads = 1, .host = &host});
  const Tensor output = mapped(split, network, network.output);
  for (int i = 0; i < 6; ++i) {
    feed(*device.backend, leaf(split.graph, "x"), i);
    host.fails = i == 1 || i == 4;  // while it is recorded, and while it is replayed
    const auto report = executor->run();
    CHECK(report.ok() == !host.fails);
    if (!host.fails) CHECK(equal(result(*device.backend, output), expected[static_cast<size_t>(i)]));
  }
}
