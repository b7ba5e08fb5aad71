// SPDX-License-Identifier: MIT
// Memory of seeded, folded and transposed weights: they are resident once, like those of a file. The handler for lost pages
// cannot be uninstalled, so that these tests come last: doctest runs files in the order of their names.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <arenascope/memory/cpu_allocators.h>
#include <arenascope/memory/mapped_pages.h>
#include <arenascope/models/mapped_files.h>
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

struct LazyBytes {
  Bytes bytes = 0, resident = 0;
};

LazyBytes lazy_bytes(const std::vector<models::Weight>& weights) {
  LazyBytes out;
  for (const models::Weight& weight : weights)
    if (const TensorImpl& t = *weight.tensor; t.storage.allocated() && MappedRange::drawn(t.data()))
      out.bytes += t.byte_count(), out.resident += resident_bytes(t.data(), static_cast<size_t>(t.byte_count()));
  return out;
}

// A weight whose pages were released is regenerated for its readers with the data of its source.
void read_again(const std::vector<models::Weight>& weights) {
  for (const models::Weight& weight : weights) {
    const TensorImpl& t = *weight.tensor;
    if (!t.storage.allocated() || !MappedRange::drawn(t.data())) continue;
    std::vector<std::byte> bytes(static_cast<size_t>(t.byte_count()));
    REQUIRE(weight.source.write(bytes.data()).ok());
    CHECK(std::memcmp(t.data(), bytes.data(), bytes.size()) == 0);
  }
  CHECK(lazy_bytes(weights).resident >= lazy_bytes(weights).bytes);
}

}  // namespace

TEST_CASE("packed weights are stored once and regenerated for their readers") {
  const auto open = [](int which) {
    auto runner = which == 0   ? Runner::open("zoo:squeezenet", by_default())
                  : which == 1 ? Runner::open("zoo:mobilenet_v2", by_default())
                               : Runner::open(product(), by_default());
    REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
    return std::move(*runner);
  };
  std::vector<std::vector<std::byte>> plain;
  for (int which = 0; which < 3; ++which) plain.push_back(result(*open(which)));
  REQUIRE(models::survive_lost_pages().ok());
  for (int which = 0; which < 3; ++which) {
    CAPTURE(which);
    auto runner = open(which);
    const auto& weights =
        which == 1 ? runner->program().constants : runner->model().weights;  // mobilenet_v2's are folded
    const LazyBytes packed = lazy_bytes(weights);
    CHECK(packed.bytes >= (which == 2 ? Bytes{512} << 10 : Bytes{4} << 20));
    CHECK(packed.resident < packed.bytes / 10);
    CHECK(runner->context().stats({}, MemoryKind::Mapped).active >= packed.bytes);
    CHECK(result(*runner) == plain[static_cast<size_t>(which)]);
    CHECK(lazy_bytes(weights).resident < packed.bytes / 10);
    read_again(weights);
    REQUIRE(runner->replan("greedy-by-size", "depth-first", MemoryStrategy::Planned, 1).ok());
    CHECK(lazy_bytes(weights).resident < packed.bytes / 10);
    CHECK(result(*runner).size() == plain[static_cast<size_t>(which)].size());
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
  REQUIRE(models::survive_lost_pages().ok());
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

TEST_CASE("concurrent readers generate a lazy weight once, and failures are reported") {
  REQUIRE(models::survive_lost_pages().ok());
  constexpr Bytes kBytes = Bytes{3} << 20;
  const auto context = make_cpu_context();
  const models::WeightSource good([](std::byte* out) {
    const std::vector<std::byte> made(static_cast<size_t>(kBytes),
                                      std::byte{7});  // allocates memory, which a signal handler must not
    std::memcpy(out, made.data(), made.size());
    return Status();
  });
  const Storage storage = good.map_lazily(*context, kBytes);
  REQUIRE(storage.allocated());
  for (int round = 0; round < 4; ++round) {
    std::vector<std::thread> readers;
    std::array<int64_t, 4> sums{};
    for (size_t i = 0; i < sums.size(); ++i)
      readers.emplace_back([&, i] {
        for (Bytes at = 0; at < kBytes; ++at) sums[i] += static_cast<int64_t>(storage.data()[at]);
      });
    for (std::thread& reader : readers) reader.join();
    for (const int64_t sum : sums) CHECK(sum == 7 * kBytes);
    storage.block()->drop_pages(storage.offset(), kBytes);
    CHECK(resident_bytes(storage.data(), static_cast<size_t>(kBytes)) == 0);
  }
  CHECK(good.unchanged().ok());
  const models::WeightSource bad([](std::byte*) { return Status(Error{"there is none"}); });
  const Storage empty = bad.map_lazily(*context, kBytes);
  REQUIRE(empty.allocated());
  CHECK(bad.unchanged().ok());
  CHECK(empty.data()[kBytes - 1] == std::byte{0});
  REQUIRE(!bad.unchanged().ok());
  CHECK(bad.unchanged().error().message == "there is none");
}

}  // namespace arenascope::test
