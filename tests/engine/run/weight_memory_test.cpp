// SPDX-License-Identifier: MIT
// Memory of seeded, folded and transposed weights: one copy, that which the kernels read.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <unistd.h>

#include <arenascope/memory/cpu_allocators.h>
#include <arenascope/run/runner.h>
#include <doctest/doctest.h>

#include "tests/engine/models/onnx_maker.h"

namespace arenascope::test {
namespace {

std::vector<std::byte> result(Runner& runner) {
  REQUIRE(runner.run().ok());
  auto bytes = runner.output(0);
  REQUIRE(bytes.ok());
  return *bytes;
}

RunnerOptions by_default() {
  RunnerOptions options;
  options.threads = 2;
  options.fuse = options.rewrite = true;
  options.planner = "greedy-by-size";
  return options;
}

// A matmul with a weight that is stored transposed in its file.
models::Model product() {
  std::vector<float> numbers(size_t{256} * 512);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 1021) / 64 - 7;
  models::test::OnnxMaker m;
  m.input("x", {64, 256}).output("y").node("MatMul", {"x", "w"}, {"y"});
  m.raw_weight("w", {256, 512}, {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)});
  auto model = m.open();
  REQUIRE(model.ok());
  return std::move(*model);
}

// Generated weights: bytes, and those that are resident.
struct GeneratedBytes {
  Bytes all = 0, resident = 0;
};

GeneratedBytes generated_bytes(const std::vector<models::Weight>& weights) {
  GeneratedBytes out;
  for (const models::Weight& weight : weights) {
    const BlockPtr& block = weight.tensor->storage.block();
    if (!block || !block->is_restorable()) continue;
    out.all += block->bytes();
    if (block->resident()) out.resident += block->bytes();
  }
  return out;
}

// A released weight is generated again for its readers, with the data of its source.
void check_values(Runner& runner, const std::vector<models::Weight>& weights) {
  for (const models::Weight& weight : weights) {
    const BlockPtr& block = weight.tensor->storage.block();
    if (!block || !block->is_restorable()) continue;
    std::vector<std::byte> bytes(static_cast<size_t>(weight.tensor->byte_count()));
    REQUIRE(weight.source.write(bytes.data()).ok());
    const auto read = runner.read(*weight.tensor);
    REQUIRE(read.ok());
    CHECK(*read == bytes);
  }
}

}  // namespace

TEST_CASE("generated weights that are packed are stored once and generated again for their readers") {
  for (int which = 0; which < 3; ++which) {
    CAPTURE(which);
    auto opened = which == 0   ? Runner::open("zoo:squeezenet", by_default())
                  : which == 1 ? Runner::open("zoo:mobilenet_v2", by_default())
                               : Runner::open(product(), by_default());
    REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? "" : opened.error().message));
    Runner& runner = **opened;
    const auto& weights =
        which == 1 ? runner.program().constants : runner.model().weights;  // mobilenet_v2's are folded
    const GeneratedBytes packed = generated_bytes(weights);
    CHECK(packed.all >= (which == 2 ? Bytes{512} << 10 : Bytes{4} << 20));
    CHECK(packed.resident < packed.all / 10);
    CHECK(runner.weights().bytes().packed > packed.all * 9 / 10);
    const auto first = result(runner);
    CHECK(generated_bytes(weights).resident == packed.resident);
    check_values(runner, weights);
    CHECK(generated_bytes(weights).resident == packed.resident);
    CHECK(result(runner) == first);
    REQUIRE(runner.replan("greedy-by-size", "depth-first", MemoryStrategy::Planned, 1).ok());
    CHECK(generated_bytes(weights).resident == packed.resident);
    CHECK(result(runner).size() == first.size());
  }
}

// Inputs that are not finite are computed from the original weights, which were released.
TEST_CASE("kernels that packed weights do not serve read the original ones") {
  models::test::OnnxMaker quantised;
  constexpr int64_t kDepth = 128, kColumns = 1024, kRows = 3;
  std::string codes(kColumns * kDepth / 2, '\x7a');
  quantised.input("x", {kRows, kDepth})
      .output("y")
      .raw_weight("codes", {kColumns, kDepth / 32, 16}, codes, models::test::kUint8);
  quantised.weight("scales", {kColumns * kDepth / 32}, std::vector<float>(kColumns * kDepth / 32, 0.5f));
  quantised.node("MatMulNBits", {"x", "codes", "scales"}, {"y"},
                 {{"K", kDepth}, {"N", kColumns}, {"bits", int64_t{4}}, {"block_size", int64_t{32}}}, "",
                 "com.microsoft");
  for (const bool conv : {true, false}) {
    CAPTURE(conv);
    auto model = quantised.open();
    REQUIRE(model.ok());
    auto opened = conv ? Runner::open("zoo:squeezenet", by_default()) : Runner::open(std::move(*model), by_default());
    REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? "" : opened.error().message));
    Runner& runner = **opened;
    const models::ValueInfo& input = runner.model().inputs.front();
    std::vector<float> x(static_cast<size_t>(input.tensor->element_count()), 0.25f);
    REQUIRE(runner.set_input(input.name, std::as_bytes(std::span(x))).ok());
    const auto finite = result(runner);
    REQUIRE(generated_bytes(runner.model().weights).resident == 0);
    x[x.size() / 2] = std::numeric_limits<float>::infinity();
    REQUIRE(runner.set_input(input.name, std::as_bytes(std::span(x))).ok());
    const auto infinite = result(runner);
    CHECK(infinite != finite);
    CHECK(generated_bytes(runner.model().weights).resident > 0);
    x[x.size() / 2] = 0.25f;
    REQUIRE(runner.set_input(input.name, std::as_bytes(std::span(x))).ok());
    CHECK(result(runner) == finite);
  }
}

#if defined(__linux__)
namespace {

// Bytes of a file's mapping that this process has in memory.
Bytes in_memory(const std::filesystem::path& path) {
  std::ifstream maps("/proc/self/smaps");
  Bytes sum = 0;
  bool of_file = false;
  for (std::string line; std::getline(maps, line);)
    if (line.starts_with("Rss:"))
      sum += of_file ? std::stoll(line.substr(4)) * 1024 : 0;
    else if (const size_t name = line.find('/'); line.find('-') < line.find(' '))
      of_file = name != std::string::npos && line.substr(name) == path.string();
  return sum;
}

}  // namespace

TEST_CASE("file pages of packed or folded weights are released") {
  const Bytes last = ::sysconf(_SC_PAGESIZE);
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "arenascope-weights-once.onnx";
  models::test::OnnxMaker m;
  m.input("x", {1, 64, 12, 12}).output("y");
  std::string before = "x";
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i);
    const auto vector = [&](const std::string& name) { m.weight(name + n, {64}, std::vector<float>(64, 0.5f)); };
    for (const char* name : {"scale", "shift", "mean", "var"}) vector(name);
    m.weight("w" + n, {64, 64, 3, 3}, std::vector<float>(size_t{64} * 64 * 9, 0.01f));
    m.node("Conv", {before, "w" + n}, {"c" + n}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
    const std::string after = i == 7 ? "y" : "b" + n;
    m.node("BatchNormalization", {"c" + n, "scale" + n, "shift" + n, "mean" + n, "var" + n}, {after});
    before = after;
  }
  const std::vector<std::byte> bytes = m.bytes();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  {
    auto runner = Runner::open(path.string(), by_default());
    REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
    CHECK(in_memory(path) <= last);
    const std::vector<std::byte> first = result(**runner);
    CHECK(in_memory(path) <= last);
    REQUIRE((*runner)->replan("greedy-by-size", "depth-first", MemoryStrategy::Planned, 1).ok());
    CHECK(in_memory(path) <= last);
    CHECK(result(**runner).size() == first.size());
  }
  std::filesystem::remove(path);
}
#endif

}  // namespace arenascope::test
