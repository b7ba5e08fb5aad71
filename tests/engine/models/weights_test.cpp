// SPDX-License-Identifier: MIT
// The location of weights after loading; none of their memory is used before.
#include <arenascope/models/mapped_files.h>
#include <arenascope/tensor/alignment.h>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "engine/models/seeded.h"
#include "onnx_maker.h"
#include "tests/support/limited_memory.h"
#include "tests/support/temp_folder.h"

using namespace arenascope;
using namespace arenascope::models;
using namespace arenascope::models::test;
using arenascope::test::TempFolder;

namespace {

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<float> numbers(int64_t count) {
  std::vector<float> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(i % 1021) - 300;
  return out;
}

std::string raw(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// x + w, where the `count` elements of w are `padding` bytes further back than necessary.
std::vector<std::byte> sum_file(int64_t count, size_t padding) {
  const std::string y(1 + padding, 'y');  // occurs before the weights once, in the node
  OnnxMaker m;
  m.input("x", {1}).output(y).raw_weight("w", {count}, raw(numbers(count)));
  return m.node("Add", {"x", "w"}, {y}).bytes();
}

bool holds(const Tensor& tensor, const std::vector<float>& expected) {
  return tensor->byte_count() == static_cast<Bytes>(expected.size() * sizeof(float)) &&
         std::memcmp(tensor->data(), expected.data(), expected.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("a weight is borrowed from its file, counted as mapped memory, and misalignment is reported") {
  constexpr int64_t kCount = 100'000;
  const TempFolder folder;
  int aligned = 0;
  for (size_t padding = 0; padding < 4; ++padding) {
    const auto path = folder.path() / ("sum" + std::to_string(padding) + ".onnx");
    write_file(path, sum_file(kCount, padding));
    auto model = open_model(path.string());
    REQUIRE(model.ok());
    REQUIRE(model->runnable());
    auto context = make_cpu_context();
    REQUIRE(model->load_weights(*context).ok());
    REQUIRE(model->weights.size() == 1);
    CHECK(holds(model->weights[0].tensor, numbers(kCount)));
    CHECK(model->weights[0].tensor->storage.kind() == MemoryKind::Mapped);
    if (is_aligned(*model->weights[0].tensor)) ++aligned;
    CHECK(model->loaded.borrowed == 4 * kCount);
    CHECK(model->loaded.misaligned == (is_aligned(*model->weights[0].tensor) ? 0 : 4 * kCount));
    CHECK(model->loaded.made == 0);
    CHECK(context->stats({}, MemoryKind::Mapped).active == 4 * kCount);
    CHECK(context->stats({}, MemoryKind::Persistent).active == 0);
    model = Error{"gone"};
    CHECK(context->stats({}, MemoryKind::Mapped).active == 0);
    CHECK(context->stats({}, MemoryKind::Mapped).peak == 4 * kCount);
  }
  CHECK(aligned == 1);
}

// In a child process, which may end by it: a signal handler is the whole process's.
TEST_CASE("reading a truncated file's pages ends the process, unless the program opts in to survive") {
  constexpr int64_t kCount = 100'000;
  const TempFolder folder;
  const auto path = folder.path() / "cut.onnx";
  for (const bool survives : {false, true}) {
    CAPTURE(survives);
    write_file(path, sum_file(kCount, 0));
    auto model = open_model(path.string());
    auto context = make_cpu_context();
    REQUIRE(model.ok());
    REQUIRE(model->load_weights(*context).ok());
    const volatile float* numbers = model->weights[0].tensor.data_as<float>();
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      if (!survives) std::signal(SIGBUS, SIG_DFL);  // a sanitizer has a handler of its own
      if (survives && !survive_lost_pages().ok()) ::_exit(1);
      std::filesystem::resize_file(path, 5000);
      if (numbers[kCount - 1] != 0 || numbers[kCount / 2] != 0) ::_exit(2);
      const Status same = model->weights_unchanged();
      if (same.ok() || same.error().message.find("cut.onnx had") == std::string::npos) ::_exit(3);
      write_file(path, sum_file(kCount, 0));  // the file is restored: the values that were read remain wrong
      ::_exit(model->weights_unchanged().ok() ? 4 : 0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    if (survives)
      CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    else
      CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS));
  }
}

TEST_CASE("float_data is borrowed like raw_data, other fields are converted") {
  const std::vector<float> floats{1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> integers{7, -8, 9};
  const TempFolder folder;
  OnnxMaker m;
  m.input("x", {6}).input("i", {3}, kInt64).output("y").output("j", {}, kInt64);
  m.weight("w", {6}, floats).weight("v", {3}, integers);
  m.node("Add", {"x", "w"}, {"y"}).node("Add", {"i", "v"}, {"j"});
  write_file(folder.path() / "typed.onnx", m.bytes());
  auto model = open_model((folder.path() / "typed.onnx").string());
  REQUIRE(model.ok());
  auto context = make_cpu_context();
  REQUIRE(model->load_weights(*context).ok());
  for (const Weight& weight : model->weights) {
    if (weight.tensor.dtype() == DType::F32)
      CHECK(holds(weight.tensor, floats));
    else
      CHECK(std::memcmp(weight.tensor->data(), integers.data(), 24) == 0);
  }
}

TEST_CASE("tensors in attributes and subgraphs are found") {
  constexpr int64_t kCount = 70'000;  // more than is computed with while opening
  OnnxMaker then, otherwise, m;
  then.output("t").raw_weight("a", {kCount}, raw(numbers(kCount))).node("Add", {"x", "a"}, {"t"});
  otherwise.output("e").node("Identity", {"x"}, {"e"});
  m.input("x", {kCount}).output("y").raw_weight("c", {}, std::string(1, '\1'), kBool);
  m.node("If", {"c"}, {"y"}, {{"then_branch", &then}, {"else_branch", &otherwise}});
  const TempFolder folder;
  write_file(folder.path() / "if.onnx", m.bytes());
  auto model = open_model((folder.path() / "if.onnx").string());
  REQUIRE(model.ok());
  CAPTURE((model->problems.empty() ? std::string() : model->problems.front()));
  REQUIRE(model->runnable());
  auto context = make_cpu_context();
  REQUIRE(model->load_weights(*context).ok());
  REQUIRE(model->weights.size() == 1);
  CHECK(holds(model->weights[0].tensor, numbers(kCount)));
}

TEST_CASE("a file that changes after it was opened is an error, not different values") {
  constexpr int64_t kCount = 100'000;
  const TempFolder folder;
  const auto path = folder.path() / "sum.onnx";
  auto context = make_cpu_context();
  for (size_t padding = 0; padding < 4; ++padding) {
    for (const bool cut : {true, false}) {
      write_file(path, sum_file(kCount, padding));
      auto model = open_model(path.string());
      REQUIRE(model.ok());
      if (cut)
        std::filesystem::resize_file(path, 1000);
      else
        std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
      auto loaded = model->load_weights(*context);
      REQUIRE(!loaded.ok());
      CHECK(loaded.error().message.find(path.string()) != std::string::npos);
    }
  }
}

TEST_CASE("external data is borrowed with one mapping for all weights") {
  const TempFolder folder;
  write_file(folder.path() / "w.bin", std::as_bytes(std::span<const float>(numbers(3000))));
  OnnxMaker m;
  m.input("x", {1000}).output("y");
  m.external_weight("a", {1000}, {{"location", "w.bin"}});
  m.external_weight("b", {1000}, {{"location", "w.bin"}, {"offset", "4000"}});
  m.external_weight("c", {1000}, {{"location", "w.bin"}, {"offset", "7998"}});
  m.node("Add", {"x", "a"}, {"p"}).node("Add", {"p", "b"}, {"q"}).node("Add", {"q", "c"}, {"y"});
  write_file(folder.path() / "m.onnx", m.bytes());
  auto model = open_model((folder.path() / "m.onnx").string());
  REQUIRE(model.ok());
  auto context = make_cpu_context();
  REQUIRE(model->load_weights(*context).ok());
  CHECK(model->loaded.borrowed == 12000);
  CHECK(model->loaded.misaligned == 4000);
}

constexpr size_t kForTheStack = size_t{1} << 20;

TEST_CASE("values are generated on access although the system refuses more addresses") {
  REQUIRE(survive_lost_pages().ok());
  const SeededNumbers numbers("weight", DType::F32, int64_t{3} << 20, {-1, 1});
  std::vector<std::byte> expected(numbers.bytes());
  REQUIRE(numbers(expected.data()).ok());
  const pid_t child = ::fork();
  if (child == 0) {
    const auto context = make_cpu_context();
    const WeightSource source(numbers);
    const Storage lazy = source.map_lazily(*context, static_cast<Bytes>(numbers.bytes()));
    if (!lazy.allocated()) ::_exit(2);
    if (!arenascope::test::limit_addresses(kForTheStack)) ::_exit(3);
    const bool same = std::memcmp(lazy.data(), expected.data(), expected.size()) == 0;
    ::_exit(same && source.unchanged().ok() ? 0 : 4);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("values that a function generates are an error where the system refuses the memory for them") {
  REQUIRE(survive_lost_pages().ok());
  constexpr size_t kBytes = size_t{8} << 20;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto context = make_cpu_context();
    const WeightSource source([](std::byte* out) {
      std::memset(out, 1, kBytes);
      return Status();
    });
    const Storage lazy = source.map_lazily(*context, static_cast<Bytes>(kBytes));
    if (!lazy.allocated()) ::_exit(2);
    if (!arenascope::test::limit_addresses(kForTheStack)) ::_exit(3);
    const bool zero = lazy.data()[kBytes / 2] == std::byte{0};
    ::_exit(zero && !source.unchanged().ok() ? 0 : 4);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
