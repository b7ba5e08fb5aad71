// SPDX-License-Identifier: MIT
// Weights on the device: quantised ones multiplied as they are, by integers, or unpacked; filters in images; what a device
// does not have is refused in a sentence.
#include <arenascope/graph/op_params.h>

#include "network.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

struct Matmul {
  BuiltOpCase built;
  std::vector<std::byte> expected;  // of the reference
};

// Weights [n, k] of a quantised type by rows [m, k] of float32, both by a seed; `whole`: rows are whole numbers up to 127, which
// each block has, so that rounding them to bytes changes nothing.
Matmul matmul(DType type, int64_t m, int64_t n, int64_t k, bool whole, bool biased = false) {
  Matmul out;
  auto context = Context::create({.grow = true});
  REQUIRE(context);
  GraphBuilder b(*context);
  const Tensor w = b.weight("w", {n, k}, type), x = b.input("x", {m, k});
  std::vector<Tensor> sources{w, x};
  std::vector<CaseInput> inputs{{w}, {x, -2, 2}};
  if (biased) {
    sources.push_back(b.weight("bias", {n}));
    inputs.push_back({sources.back(), -1, 1});
  }
  OpParams params;
  params.set(MulMatParams{0.5f});
  const Tensor y = b.op(Op::MulMat, sources, params, "y");
  REQUIRE(b.ok());
  out.built = {*context, {y, inputs}};
  fill_inputs(out.built.built, 11);
  if (whole)
    for (int64_t i = 0; i < m * k; ++i)
      x->data_as<float>()[i] = static_cast<float>(i % 32 == 7 ? 127 : i * 37 % 255 - 127);
  const auto reference = reference::make_reference_backend();
  REQUIRE(compute_in_parts(*reference, *y, 1).ok());
  out.expected.assign(y->data(), y->data() + y->byte_count());
  return out;
}

// The largest difference to the reference, as a part of the largest result.
double error_of(Opened& device, Matmul matmul) {
  auto got = compute_on_device(*device.backend, *device.memory, matmul.built.built);
  REQUIRE_MESSAGE(got.ok(), (got.ok() ? "" : got.error().message));
  const TensorImpl& node = *matmul.built.built.output;
  return compare_elements(DType::F32, got->data(), matmul.expected.data(), node.element_count()).relative();
}

std::vector<PoolBlock> static_blocks(const Backend& backend) {
  std::vector<PoolBlock> blocks = backend.pool_blocks();
  std::erase_if(blocks, [](const PoolBlock& block) { return block.storage != trace::StorageType::Static; });
  return blocks;
}

std::string refusal(const BackendOptions& given) {
  BackendOptions options = given;
  options["cache"] = "none";
  const auto backend = opencl::open_opencl(options, nullptr);
  return backend ? "" : backend.error().message;
}

}  // namespace

TEST_CASE("weights that stay quantised are multiplied exactly, whatever the shape") {
  Opened fast = open_device({{"tuning", "none"}}), plain = open_device({{"tuning", "none"}, {"kernels", "plain"}});
  for (const DType type : {DType::Q8_0, DType::Q4_0})
    for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 1, 32}, {1, 7, 64}, {3, 33, 96}, {4, 2, 32}, {21, 45, 256}})
      for (const bool biased : {false, true}) {
        CAPTURE(std::string(name(type)));
        CAPTURE(m);
        CHECK(error_of(fast, matmul(type, m, n, k, false, biased)) < 1e-6);
        CHECK(error_of(plain, matmul(type, m, n, k, false, biased)) < 1e-6);
      }
}

TEST_CASE("by integer dot products rows are rounded to bytes, and nothing else is lost") {
  Opened integers = open_device({{"tuning", "none"}, {"integer-dot", "on"}}), left = open_device({{"tuning", "none"}});
  for (const DType type : {DType::Q8_0, DType::Q4_0})
    for (const int64_t m : {1, 3, 9}) {
      CAPTURE(std::string(name(type)));
      CHECK(error_of(integers, matmul(type, m, 21, 128, true)) < 1e-6);
      const double error = error_of(integers, matmul(type, m, 21, 128, false));
      CHECK(error > 1e-5);
      CHECK(error < 2e-2);
      // Left to itself a device without them in hardware rounds nothing.
      if (!opencl::find_devices()->front().fast_dot8_packed)
        CHECK(error_of(left, matmul(type, m, 21, 128, false)) < 1e-6);
    }
}

TEST_CASE("memory-mode decides whether quantised weights stay so on the device") {
  for (const char* mode : {"low", "normal"}) {
    Matmul m = matmul(DType::Q4_0, 5, 24, 64, false);
    Opened device = open_device({{"memory-mode", mode}, {"tuning", "none"}});
    TensorImpl& node = *m.built.built.output;
    std::vector<TensorImpl*> given;
    for (const CaseInput& input : m.built.built.inputs) given.push_back(input.tensor.impl());
    given.push_back(&node);
    REQUIRE(move_to_device(*device.backend, *device.memory, given, MemoryKind::Persistent).ok());
    const auto quantised = static_blocks(*device.backend);
    const TensorImpl* const nodes[] = {&node};
    const auto prepared = device.backend->prepare(nodes, *device.memory);
    REQUIRE(prepared);
    const bool normal = std::string(mode) == "normal";
    const auto all = static_blocks(*device.backend);
    REQUIRE(all.size() == quantised.size() + (normal ? 1 : 0));
    const auto floats = [](const PoolBlock& block) { return block.bytes == 24 * 64 * 4; };
    CHECK(std::count_if(all.begin(), all.end(), floats) == (normal ? 1 : 0));
    REQUIRE((**prepared)[0].compute({0, 1, nullptr, 0}).ok());
    REQUIRE(device.backend->synchronize().ok());
    const auto got = result(*device.backend, m.built.built.output);
    CHECK(compare_elements(DType::F32, got.data(), m.expected.data(), node.element_count()).relative() < 1e-6);
  }
}

TEST_CASE("filters of convolutions on images lie in static images, or in buffers, and give the same") {
  if (opencl::find_devices()->front().image_width == 0) return;
  std::vector<std::byte> results[2];
  for (const bool images : {false, true}) {
    Opened device = open_device({{"memory", "image"}, {"filters", images ? "image" : "buffer"}, {"tuning", "none"}});
    Network network;
    const PartitionedGraph graph = on_images(network, *device.backend);
    const auto executor = on_device(device, graph.graph);
    run(*executor);
    results[images] = result(*device.backend, twin(graph, network, network.output));
    std::vector<std::pair<uint32_t, uint32_t>> texels;
    for (const PoolBlock& block : static_blocks(*device.backend))
      if (block.width > 0) texels.emplace_back(block.width, block.height);
    std::sort(texels.begin(), texels.end());
    // [16, 8, 3, 3] and [16, 16, 1, 1]: inputs by fours of results and taps.
    const std::vector<std::pair<uint32_t, uint32_t>> wanted{{8, 4 * 9}, {16, 4}};
    CHECK(texels == (images ? wanted : std::vector<std::pair<uint32_t, uint32_t>>{}));
  }
  CHECK(results[0] == results[1]);
}

TEST_CASE("shared virtual memory holds the same") {
  if (!(opencl::find_devices()->front().svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)) {
    CHECK(refusal({{"svm", "on"}}).find("has no shared virtual memory") != std::string::npos);
    return;
  }
  std::vector<std::byte> results[2];
  for (const bool shared : {false, true}) {
    Opened device = open_device({{"svm", shared ? "on" : "off"}, {"tuning", "none"}});
    Network network;
    const auto executor = on_device(device, network);
    for (int i = 0; i < 4; ++i) {
      const std::vector<float> values = Network::values_of(i);
      REQUIRE(write_tensor(*device.backend, *network.input, std::as_bytes(std::span(values))).ok());
      run(*executor);
      const auto got = result(*device.backend, network.output);
      results[shared].insert(results[shared].end(), got.begin(), got.end());
    }
  }
  CHECK(results[0] == results[1]);
}

TEST_CASE("a layout for subgroups is refused by a device that has none") {
  if (opencl::find_devices()->front().intel_subgroups) return;
  CHECK(refusal({{"sizes", "subgroups"}}).find("Intel's subgroups") != std::string::npos);
  CHECK(refusal({{"sizes", "packed"}}).empty());
}
