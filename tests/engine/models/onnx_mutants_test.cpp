// SPDX-License-Identifier: MIT
// Mutated ONNX files: an error or a model, whose weights can then be written; never a crash or a hang.
#include <arenascope/models/npy.h>
#include <arenascope/models/testcase.h>
#include <arenascope/models/weight_store.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "mutants.h"
#include "onnx_maker.h"

using namespace arenascope;
using namespace arenascope::models;
using namespace arenascope::models::test;

namespace {

using Ints = std::vector<int64_t>;

std::vector<std::vector<std::byte>> small_files() {
  std::vector<std::vector<std::byte>> files;
  OnnxMaker convolution(11), shapes(13), matmuls(9), recurrent(14), choices(16), windows(18);
  convolution.input("x", {1, 2, 6, 6})
      .output("y")
      .weight("w", {2, 1, 3, 3}, std::vector<float>(18, 0.5f))
      .node("Conv", {"x", "w"}, {"c"}, {{"group", int64_t{2}}, {"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}})
      .node("MaxPool", {"c"}, {"p"}, {{"kernel_shape", Ints{2, 2}}, {"ceil_mode", int64_t{1}}})
      .node("Clip", {"p"}, {"k"})
      .node("Flatten", {"k"}, {"y"});
  files.push_back(convolution.bytes());
  shapes.input("x", {2, 3, 4})
      .output("y")
      .weight("one", {1}, Ints{1})
      .weight("two", {1}, Ints{2})
      .weight("m", {1}, Ints{-1})
      .node("Shape", {"x"}, {"s"})
      .node("Slice", {"s", "one", "two"}, {"d"})
      .node("Concat", {"d", "m"}, {"t"}, {{"axis", int64_t{0}}})
      .node("Reshape", {"x", "t"}, {"r"})
      .node("Transpose", {"r"}, {"q"}, {{"perm", Ints{1, 0}}})
      .node("Unsqueeze", {"q", "one"}, {"u"})
      .node("Pad", {"u", "pads"}, {"y"})
      .weight("pads", {6}, Ints{0, 0, 1, 0, 0, 1});
  files.push_back(shapes.bytes());
  matmuls.input("x", {2, 3})
      .output("y")
      .weight("w", {3, 4}, std::vector<float>(12, 1))
      .weight("b", {4}, std::vector<float>(4, 1))
      .node("Gemm", {"x", "w", "b"}, {"g"}, {{"alpha", 0.5f}})
      .node("Softmax", {"g"}, {"z"}, {{"axis", int64_t{1}}})
      .node("ReduceSum", {"z"}, {"r"}, {{"axes", Ints{0}}})
      .node("TopK", {"r"}, {"y", "i"}, {{"k", int64_t{1}}});
  files.push_back(matmuls.bytes());
  recurrent.input("x", {2, 1, 2})
      .output("y")
      .weight("w", {1, 6, 2}, std::vector<float>(12, 1))
      .weight("r", {1, 6, 2}, std::vector<float>(12, 1))
      .node("GRU", {"x", "w", "r"}, {"y"}, {{"hidden_size", int64_t{2}}, {"direction", std::string("reverse")}});
  files.push_back(recurrent.bytes());
  OnnxMaker yes(16), no(16);
  yes.output("a").node("Relu", {"x"}, {"a"});
  no.output("b").node("Neg", {"x"}, {"b"});
  choices.input("x", {4})
      .output("y")
      .weight("n", {}, Ints{3})
      .weight("k", {}, Ints{3})
      .node("Equal", {"n", "k"}, {"c"})
      .node("If", {"c"}, {"f"}, {{"then_branch", &yes}, {"else_branch", &no}})
      .node("Split", {"f"}, {"p", "q"})
      .node("Einsum", {"p", "q"}, {"y"}, {{"equation", std::string("i,j->ij")}});
  files.push_back(choices.bytes());
  windows.input("x", {1, 4, 3, 3})
      .output("y")
      .weight("s", {4}, std::vector<float>{1, 1, 2, 2})
      .node("Resize", {"x", "", "s"}, {"r"})
      .node("DepthToSpace", {"r"}, {"d"}, {{"blocksize", int64_t{2}}})
      .node("LRN", {"d"}, {"l"}, {{"size", int64_t{3}}})
      .node("Tile", {"l", "t"}, {"e"})
      .node("CumSum", {"e", "a"}, {"y"})
      .weight("t", {4}, Ints{1, 2, 1, 3})
      .weight("a", {}, Ints{1});
  files.push_back(windows.bytes());
  return files;
}

}  // namespace

TEST_CASE("unmutated files open") {
  for (const auto& file : small_files()) {
    auto model = open_onnx(file, "");
    REQUIRE(model.ok());
    INFO((model->problems.empty() ? "" : model->problems[0]));
    CHECK(model->runnable());
  }
}

TEST_CASE("mutated ONNX files") {
  const auto seeds = small_files();
  Mutator mutator(2);
  auto context = make_cpu_context();
  int runnable = 0, refused = 0;
  for (int i = 0; i < mutant_count(); ++i) {
    CAPTURE(i);
    auto model = open_onnx(mutator.mutate(seeds[mutator.below(seeds.size())]), "");
    if (!model) {
      ++refused;
      REQUIRE(!model.error().message.empty());
      continue;
    }
    if (!model->runnable()) {
      REQUIRE(!model->problems.empty());
      continue;
    }
    ++runnable;
    if (model->weight_bytes() < (1 << 20)) REQUIRE(WeightStore().load(*model, *context).ok());
  }
  CHECK(refused > 0);
  CHECK(runnable > 0);
}

TEST_CASE("mutated tensor files of a test case") {
  Mutator mutator(5);
  const auto path = std::filesystem::temp_directory_path() / ("arenascope-mutant-" + std::to_string(getpid()) + ".pb");
  std::vector<std::vector<std::byte>> seeds;
  for (const auto& [sizes, dtype] :
       {std::pair{Dims{2, 3}, DType::F32}, std::pair{Dims{}, DType::I64}, std::pair{Dims{4, 1, 2}, DType::Bool}}) {
    auto tensor = host_tensor(sizes, dtype);
    REQUIRE(tensor.ok());
    for (Bytes i = 0; i < (*tensor)->byte_count(); ++i) (*tensor)->data()[i] = std::byte{1};
    REQUIRE(write_tensor_pb(path, "t", *tensor).ok());
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    seeds.emplace_back(bytes, bytes + text.size());
  }
  int accepted = 0;
  for (int i = 0; i < mutant_count(); ++i) {
    CAPTURE(i);
    const auto bytes = mutator.mutate(seeds[mutator.below(seeds.size())]);
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    auto tensor = read_tensor_pb(path);
    if (tensor)
      ++accepted;
    else
      REQUIRE(tensor.error().message.find(path.filename().string()) != std::string::npos);
  }
  CHECK(accepted > 0);
  CHECK(accepted < mutant_count());
  std::filesystem::remove(path);
}
