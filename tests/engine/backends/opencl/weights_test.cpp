// SPDX-License-Identifier: MIT
// Weights on the device: quantised ones used directly, by integer arithmetic, or dequantised; filters in images; operations
// that a device does not support are rejected with an error.
#include <arenascope/graph/op_params.h>

#include "network.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

struct Matmul {
  Built built;
  std::vector<std::byte> expected;  // results of the reference
};

// Weights [n, k] of a quantised type times rows [m, k] of float32, both seeded; `whole`: rows are integers up to 127, which
// each block has, so that quantising them to int8 is exact.
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

TEST_CASE("quantised weights are multiplied exactly for all shapes") {
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

TEST_CASE("with integer dot products rows are rounded to int8 without other loss") {
  Opened integers = open_device({{"tuning", "none"}, {"integer-dot", "on"}}), left = open_device({{"tuning", "none"}});
  for (const DType type : {DType::Q8_0, DType::Q4_0})
    for (const int64_t m : {1, 3, 9}) {
      CAPTURE(std::string(name(type)));
      CHECK(error_of(integers, matmul(type, m, 21, 128, true)) < 1e-6);
      const double error = error_of(integers, matmul(type, m, 21, 128, false));
      CHECK(error > 1e-5);
      CHECK(error < 2e-2);
      // By default a device without hardware dot products rounds nothing.
      if (!opencl::find_devices()->front().fast_dot8_packed)
        CHECK(error_of(left, matmul(type, m, 21, 128, false)) < 1e-6);
    }
}

TEST_CASE("integer dot products of the device are used if available") {
  // PoCL has none: the emulated ones give bit-identical results, and doubled ones would be noticed.
  const auto opened = [](const char* sum) {
    auto faults = std::make_shared<opencl::Faults>();
    faults->packed_dots =
        "inline int dot_4x8packed_ss_int(uint a, uint b) {\n  const char4 x = as_char4(a), y = as_char4(b);\n";
    faults->packed_dots += std::string("  return ") + sum + ";\n}\n";
    return open_device({{"tuning", "none"}}, faults);
  };
  Opened own = opened("x.s0 * y.s0 + x.s1 * y.s1 + x.s2 * y.s2 + x.s3 * y.s3");
  Opened twice = opened("2 * (x.s0 * y.s0 + x.s1 * y.s1 + x.s2 * y.s2 + x.s3 * y.s3)");
  Opened written = open_device({{"tuning", "none"}, {"integer-dot", "on"}});
  for (const DType type : {DType::Q8_0, DType::Q4_0})
    for (const int64_t m : {1, 9}) {
      CAPTURE(std::string(name(type)));
      CHECK(error_of(own, matmul(type, m, 21, 128, true)) < 1e-6);
      CHECK(error_of(own, matmul(type, m, 21, 128, false)) == error_of(written, matmul(type, m, 21, 128, false)));
      CHECK(error_of(twice, matmul(type, m, 21, 128, true)) > 0.5);
    }
}

namespace {

struct Convolution {
  Built built;
  std::vector<std::byte> expected;  // results of the reference
};

// 3x3 taps over [n, c, h, w].
Convolution convolution(std::array<int64_t, 4> image, int64_t outputs, int pad, bool biased, int stride = 1) {
  Convolution out;
  auto context = Context::create({.grow = true});
  REQUIRE(context);
  GraphBuilder b(*context);
  const Tensor x = b.input("x", {image[0], image[1], image[2], image[3]}), w = b.weight("w", {outputs, image[1], 3, 3});
  const Tensor bias = biased ? b.weight("bias", {outputs}) : Tensor();
  std::vector<CaseInput> inputs{{x, -2, 2}, {w, -1, 1}};
  if (biased) inputs.push_back({bias, -1, 1});
  const Tensor y = b.conv2d(x, w, bias, stride, pad, 1, 1, "y");
  REQUIRE(b.ok());
  out.built = {*context, {y, inputs}};
  fill_inputs(out.built.built, 3);
  REQUIRE(compute_in_parts(*reference::make_reference_backend(), *y, 1).ok());
  out.expected.assign(y->data(), y->data() + y->byte_count());
  return out;
}

int ways_tried(const Backend& backend) {
  int tried = -1;
  for (const TuningResult& result : backend.tuning_results())
    if (result.kernel.find("or winograd") != std::string::npos) tried = result.tried;
  return tried;
}

}  // namespace

TEST_CASE("memory-mode high: 3x3 convolutions use Winograd's transform, and its memory is reported") {
  Opened high = open_device({{"memory-mode", "high"}, {"tuning", "none"}}), low = open_device({{"tuning", "none"}});
  // Odd sizes, several images, padding, images of several bands.
  for (const auto& [image, outputs, pad] : {std::tuple{std::array<int64_t, 4>{1, 128, 15, 17}, int64_t{33}, 1},
                                            {{2, 131, 16, 16}, 16, 0},
                                            {{1, 128, 13, 14}, 19, 2},
                                            {{1, 128, 57, 64}, 16, 1}})
    for (const bool biased : {false, true}) {
      CAPTURE(image[1]);
      CAPTURE(image[2]);
      Convolution c = convolution(image, outputs, pad, biased);
      const TensorImpl& node = *c.built.built.output;
      const Bytes work = high.backend->work_bytes(node, 1);
      CHECK(work > 0);
      CHECK(work <= (Bytes{4} << 20) + 2 * high.backend->alignment());
      CHECK(low.backend->work_bytes(node, 1) == 0);
      auto got = compute_on_device(*high.backend, *high.memory, c.built.built);
      REQUIRE_MESSAGE(got.ok(), (got.ok() ? "" : got.error().message));
      CHECK(compare_elements(DType::F32, got->data(), c.expected.data(), node.element_count()).relative() < 2e-6);
      CHECK(ways_tried(*high.backend) == 0);  // that it is used, and was not measured
    }
  CHECK(ways_tried(*low.backend) == -1);
  // Another stride has no such kernel.
  const Convolution strided = convolution({1, 16, 9, 9}, 16, 1, false, 2);
  CHECK(high.backend->work_bytes(*strided.built.built.output, 1) == 0);
}

TEST_CASE(
    "memory-mode high: transformed filters are static blocks of 16/9 the weights, and tuning may decide against them") {
  for (const char* mode : {"normal", "high"}) {
    Convolution c = convolution({1, 16, 12, 12}, 32, 1, true);
    Opened device = open_device({{"memory-mode", mode}, {"tuning", "normal"}});
    TensorImpl& node = *c.built.built.output;
    std::vector<TensorImpl*> given;
    for (const CaseInput& input : c.built.built.inputs) given.push_back(input.tensor.impl());
    given.push_back(&node);
    REQUIRE(move_to_device(*device.backend, *device.memory, given, MemoryKind::Persistent).ok());
    const TensorImpl* const nodes[] = {&node};
    const auto prepared = device.backend->prepare(nodes, *device.memory);
    REQUIRE(prepared);
    const bool high = std::string(mode) == "high";
    const auto blocks = static_blocks(*device.backend);
    const auto filters = [](const PoolBlock& block) { return block.bytes == 16 * 16 * 32 * 4; };
    CHECK(std::count_if(blocks.begin(), blocks.end(), filters) == (high ? 1 : 0));
    const auto work = Storage::allocate(*device.memory, device.backend->device(), MemoryKind::Workspace,
                                        device.backend->work_bytes(node, 1));
    REQUIRE(work);
    REQUIRE((**prepared)[0].compute({0, 1, work->data(), work->bytes()}).ok());
    REQUIRE(device.backend->synchronize().ok());
    const auto got = result(*device.backend, c.built.built.output);
    CHECK(compare_elements(DType::F32, got.data(), c.expected.data(), node.element_count()).relative() < 2e-6);
    CHECK(ways_tried(*device.backend) == (high ? 3 : -1));
  }
}

TEST_CASE("memory-mode decides if weights stay quantised on the device") {
  for (const char* mode : {"low", "normal", "high"}) {
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
    const bool normal = std::string(mode) != "low";
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

TEST_CASE("convolution filters in static images and in buffers give equal results") {
  if (opencl::find_devices()->front().image_width == 0) return;
  std::vector<std::byte> results[2];
  for (const bool images : {false, true}) {
    Opened device = open_device({{"memory", "image"}, {"filters", images ? "image" : "buffer"}, {"tuning", "none"}});
    Network network;
    const PartitionedGraph graph = on_images(network, *device.backend);
    const auto executor = on_device(device, graph.graph);
    run(*executor);
    results[images] = result(*device.backend, mapped(graph, network, network.output));
    std::vector<std::pair<uint32_t, uint32_t>> texels;
    for (const PoolBlock& block : static_blocks(*device.backend))
      if (block.width > 0) texels.emplace_back(block.width, block.height);
    std::sort(texels.begin(), texels.end());
    // [16, 8, 3, 3] and [16, 16, 1, 1]: inputs by fours of results and taps.
    const std::vector<std::pair<uint32_t, uint32_t>> image_sizes{{8, 4 * 9}, {16, 4}};
    CHECK(texels == (images ? image_sizes : std::vector<std::pair<uint32_t, uint32_t>>{}));
  }
  CHECK(results[0] == results[1]);
}

TEST_CASE("shared virtual memory gives equal results") {
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

TEST_CASE("a subgroup layout is an error on a device without subgroups") {
  if (opencl::find_devices()->front().intel_subgroups) return;
  CHECK(refusal({{"sizes", "subgroups"}}).find("Intel's subgroups") != std::string::npos);
  CHECK(refusal({{"sizes", "packed"}}).empty());
}
