// SPDX-License-Identifier: MIT
// The location of weights after loading; none of their memory is used before.
#include <arenascope/models/mapped_files.h>
#include <arenascope/models/weight_store.h>
#include <arenascope/tensor/alignment.h>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "onnx_maker.h"
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
    WeightStore store;
    REQUIRE(store.load(*model, *context).ok());
    REQUIRE(model->weights.size() == 1);
    CHECK(holds(model->weights[0].tensor, numbers(kCount)));
    CHECK(model->weights[0].tensor->storage.kind() == MemoryKind::Mapped);
    if (is_aligned(*model->weights[0].tensor)) ++aligned;
    CHECK(store.misaligned_bytes() == (is_aligned(*model->weights[0].tensor) ? 0 : 4 * kCount));
    CHECK(store.allocated_bytes() == 0);
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
    REQUIRE(WeightStore().load(*model, *context).ok());
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
  REQUIRE(WeightStore().load(*model, *context).ok());
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
  REQUIRE(WeightStore().load(*model, *context).ok());
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
      auto loaded = WeightStore().load(*model, *context);
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
  WeightStore store;
  REQUIRE(store.load(*model, *context).ok());
  CHECK(context->stats({}, MemoryKind::Mapped).active == 12000);
  CHECK(store.misaligned_bytes() == 4000);
}

// A model whose weights are large and aligned, large and misaligned, small, and generated.
class StoredWeights {
 public:
  explicit StoredWeights(const std::filesystem::path& folder) {
    write_file(folder / "w.bin", std::as_bytes(std::span<const float>(numbers(2 * kCount + 300))));
    OnnxMaker m;
    m.input("x", {kCount}).output("y").input("s", {100}).output("t");
    m.external_weight("aligned", {kCount}, {{"location", "w.bin"}});
    m.external_weight("shifted", {kCount}, {{"location", "w.bin"}, {"offset", "2"}});
    m.external_weight("small", {100}, {{"location", "w.bin"}, {"offset", "4096"}});
    m.node("Add", {"x", "aligned"}, {"p"}).node("Add", {"p", "shifted"}, {"y"}).node("Add", {"s", "small"}, {"t"});
    write_file(folder / "m.onnx", m.bytes());
    auto opened = open_model((folder / "m.onnx").string());
    REQUIRE(opened.ok());
    model = std::move(*opened);
  }
  TensorImpl& operator[](std::string_view name) {
    for (Weight& weight : model.weights)
      if (weight.tensor->name.str() == name) return *weight.tensor;
    FAIL("there is no such weight");
    return *model.weights.front().tensor;
  }
  static WeightSource generated() {
    return WeightSource([](std::byte* out) {
      const std::vector<float> values = numbers(kCount);
      std::memcpy(out, values.data(), values.size() * sizeof(float));
      return Status();
    });
  }

  static constexpr int64_t kCount = 100'000;
  static constexpr Bytes kBytes = 4 * kCount;
  Model model;
};

TEST_CASE("a weight is borrowed, copied or packed, decided by how kernels read it") {
  const TempFolder folder;
  StoredWeights weights(folder.path());
  const auto context = make_cpu_context();
  WeightStore store;
  const auto load = [&] { return store.load(weights.model.weights, "m", *context, {.keep = true, .release = true}); };
  REQUIRE(load().ok());
  CHECK(store.misaligned_bytes() == StoredWeights::kBytes);
  CHECK(store.allocated_bytes() == 0);
  TensorImpl &aligned = weights["aligned"], &shifted = weights["shifted"], &small = weights["small"];
  const std::byte* const mapped = aligned.data();

  // All are read: the misaligned one is copied.
  std::vector<TensorImpl*> read{&aligned, &shifted, &small};
  REQUIRE(store.settle(weights.model.graph, read, *context).ok());
  CHECK(store.bytes().borrowed == StoredWeights::kBytes + 400);
  CHECK(store.bytes().copied == StoredWeights::kBytes);
  CHECK(store.bytes().packed == 0);
  CHECK(aligned.data() == mapped);
  CHECK(shifted.storage.kind() == MemoryKind::Persistent);
  CHECK(is_aligned(shifted));
  std::vector<float> expected = numbers(2 * StoredWeights::kCount + 300);
  CHECK(std::memcmp(shifted.data(), reinterpret_cast<const std::byte*>(expected.data()) + 2, StoredWeights::kBytes) ==
        0);

  // Most bytes are packed: the small one is copied, so that it keeps no pages of the file resident.
  read = {&small};
  REQUIRE(store.settle(weights.model.graph, read, *context).ok());
  CHECK(store.bytes().packed == StoredWeights::kBytes);
  CHECK(small.storage.kind() == MemoryKind::Persistent);
  CHECK(std::memcmp(small.data(), expected.data() + 1024, 400) == 0);
  CHECK(holds(weights.model.weights[0].tensor, numbers(StoredWeights::kCount)));  // read from the file again
}

TEST_CASE("generated weights that kernels read stay in memory, packed ones are released") {
  const TempFolder folder;
  StoredWeights weights(folder.path());
  weights.model.weights[0].source = StoredWeights::generated();
  TensorImpl& generated = *weights.model.weights[0].tensor;
  REQUIRE(generated.name.str() == "aligned");
  const auto context = make_cpu_context();
  WeightStore store;
  REQUIRE(store.load(weights.model.weights, "m", *context, {.keep = false, .release = true}).ok());
  REQUIRE(generated.storage.block()->is_restorable());
  const Bytes files = context->stats({}, MemoryKind::Mapped).active;
  for (int round = 0; round < 2; ++round) {
    std::vector<TensorImpl*> read{&generated};
    REQUIRE(store.settle(weights.model.graph, read, *context).ok());
    CHECK(store.bytes().copied == StoredWeights::kBytes);
    CHECK(generated.storage.block()->resident());
    CHECK(holds(weights.model.weights[0].tensor, numbers(StoredWeights::kCount)));
    CHECK(context->stats({}, MemoryKind::Mapped).active == files + StoredWeights::kBytes);
    read.clear();
    REQUIRE(store.settle(weights.model.graph, read, *context).ok());
    CHECK(store.bytes().copied == 0);
    CHECK_FALSE(generated.storage.block()->resident());
    CHECK(context->stats({}, MemoryKind::Mapped).active == files);
  }
  weights.model.weights[0].source = WeightSource([](std::byte*) { return Status(Error{"no data"}); });
  REQUIRE(store.load(weights.model.weights, "m", *context, {.keep = false, .release = true}).ok());
  const auto settled = store.settle(weights.model.graph, std::vector<TensorImpl*>{&generated}, *context);
  REQUIRE_FALSE(settled.ok());
  CHECK(settled.error().message == "weight 'aligned' cannot be generated: no data");
}

TEST_CASE("weights for readers without pins are written when they are loaded") {
  const TempFolder folder;
  StoredWeights weights(folder.path());
  weights.model.weights[0].source = StoredWeights::generated();
  const auto context = make_cpu_context();
  WeightStore store;
  REQUIRE(store.load(weights.model, *context).ok());
  CHECK(weights.model.weights[0].tensor->storage.kind() == MemoryKind::Persistent);
  CHECK(store.allocated_bytes() == StoredWeights::kBytes);
  CHECK(holds(weights.model.weights[0].tensor, numbers(StoredWeights::kCount)));
}
