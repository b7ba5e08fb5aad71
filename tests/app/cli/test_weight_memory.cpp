// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of a run of a network like vgg19 whose weights are borrowed, folded, transposed and packed.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/engine/models/onnx_maker.h"

using namespace arenascope::test;
using arenascope::models::test::OnnxMaker;
using Json = nlohmann::json;

namespace {

std::string weight_values(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 2654435761u % 1021) / 102'100 - 0.005f;
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// 3 × 3 convolutions, every other one with a BatchNormalization that is folded into its weights, then a matmul whose
// weight is transposed and a Gemm whose weight is read as it is.
struct Network {
  std::vector<int64_t> channels;
  int64_t features, size = 28;

  int64_t depth() const { return channels.back() * (size / 4) * (size / 4); }
  int64_t weight_bytes() const {
    int64_t count = (depth() + features) * features;
    for (size_t i = 1; i < channels.size(); ++i) count += channels[i] * channels[i - 1] * 9;
    return count * 4;
  }
};

void write_network(const std::string& path, const Network& network) {
  const auto& [channels, features, size] = network;
  OnnxMaker m;
  m.input("x", {1, channels[0], size, size}).output("y", {1, features});
  const auto weight = [&](const std::string& name, const std::vector<int64_t>& sizes) {
    int64_t elements = 1;
    for (const int64_t n : sizes) elements *= n;
    m.raw_weight(name, sizes, weight_values(elements));
  };
  std::string last = "x";
  for (size_t i = 1; i < channels.size(); ++i) {
    const std::string n = std::to_string(i);
    weight("w" + n, {channels[i], channels[i - 1], 3, 3});
    m.node("Conv", {last, "w" + n}, {"c" + n}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
    last = "c" + n;
    if (i % 2 == 0) {
      for (const char* name : {"scale", "shift", "mean", "var"})
        m.weight(name + n, {channels[i]}, std::vector<float>(static_cast<size_t>(channels[i]), 0.5f));
      m.node("BatchNormalization", {last, "scale" + n, "shift" + n, "mean" + n, "var" + n}, {"b" + n});
      last = "b" + n;
    }
    m.node("Relu", {last}, {"r" + n});
    last = "r" + n;
  }
  m.node("MaxPool", {last}, {"p"},
         {{"kernel_shape", std::vector<int64_t>{4, 4}}, {"strides", std::vector<int64_t>{4, 4}}});
  weight("dense", {network.depth(), features});
  weight("last", {features, features});
  m.node("Flatten", {"p"}, {"f"}).node("MatMul", {"f", "dense"}, {"d"});
  m.node("Gemm", {"d", "last"}, {"y"}, {{"transB", int64_t{1}}});
  const std::vector<std::byte> bytes = m.bytes();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
}

// In a child process: the peak of a command counts the memory of the process that starts it.
void write_in_child(const std::string& path, const Network& network) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    write_network(path, network);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

}  // namespace

TEST_CASE("the weights of a network like vgg19 take at most 1.15 times their bytes") {
  const TempFolder folder;
  const std::string file = folder / "network.onnx", small = folder / "small.onnx";
  const Network network{{16, 64, 128, 256, 256, 512}, 512};
  const int64_t weights = network.weight_bytes();
  write_in_child(file, network);
  write_in_child(small, {{16, 16}, 16});
  const Ended run = cli({"run", file, "--threads", "2", "--repeat", "2", "--json"}),
              base = cli({"run", small, "--threads", "2", "--repeat", "2", "--json"});
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  REQUIRE(base.status == 0);
  const Json object = Json::parse(run.out, nullptr, false);
  REQUIRE(object.is_object());
  const Json& by_form = object["weights"];
  CHECK(by_form["packed_bytes"] > weights / 10);
  CHECK(by_form["borrowed_bytes"].get<int64_t>() + by_form["copied_bytes"].get<int64_t>() +
            by_form["packed_bytes"].get<int64_t>() >=
        weights);
  const auto measured =
      static_cast<double>(run.peak_bytes - base.peak_bytes - object["peak_bytes"]["workspace"].get<int64_t>());
  MESSAGE("memory of the weights: " << measured / static_cast<double>(weights) << " of their bytes");
  if (!kSanitized) CHECK(measured <= 1.15 * static_cast<double>(weights));
}
