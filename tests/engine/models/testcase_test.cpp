// SPDX-License-Identifier: MIT
#include <arenascope/models/npy.h>
#include <arenascope/models/testcase.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include "onnx_maker.h"
#include "tests/support/temp_folder.h"

using namespace arenascope;
using namespace arenascope::models;
using namespace arenascope::models::test;
using arenascope::test::TempFolder;

namespace {

Tensor numbers(const Dims& sizes) {
  auto tensor = host_tensor(sizes, DType::F32);
  REQUIRE(tensor.ok());
  for (int64_t i = 0; i < (*tensor)->element_count(); ++i) tensor->data_as<float>()[i] = static_cast<float>(i);
  return *tensor;
}

void write(const std::filesystem::path& path, const std::vector<std::byte>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

TEST_CASE("a test-case folder opens with its cases, whose first one sets free dimensions") {
  TempFolder folder;
  OnnxMaker m;
  m.input("x", {-1, 3}).output("y").node("Relu", {"x"}, {"y"});
  write(folder.path() / "model.onnx", m.bytes());
  for (int i : {0, 1, 10}) {
    const auto at = folder.path() / ("test_data_set_" + std::to_string(i));
    std::filesystem::create_directory(at);
    REQUIRE(write_tensor_pb(at / "input_0.pb", "x", numbers({4 + i, 3})).ok());
    REQUIRE(write_tensor_pb(at / "output_0.pb", "y", numbers({4 + i, 3})).ok());
  }
  std::filesystem::create_directory(folder.path() / "test_data_set_x");
  auto cases = read_test_cases(folder.path());
  REQUIRE(cases.ok());
  REQUIRE(cases->size() == 3);
  CHECK((*cases)[2].name == "test_data_set_10");
  REQUIRE((*cases)[1].inputs.size() == 1);
  CHECK((*cases)[1].inputs[0].name == "x");
  CHECK(to_string((*cases)[1].inputs[0].tensor.sizes()) == "[5, 3]");
  CHECK((*cases)[1].outputs[0].tensor.data_as<float>()[14] == 14);
  auto model = open_model(folder.path().string());
  REQUIRE(model.ok());
  CHECK(model->name == folder.path().filename().string());
  CHECK(to_string(model->inputs[0].sizes) == "[4, 3]");
  CHECK(open_model((folder.path() / "model.onnx").string()).ok());
}

TEST_CASE("missing or damaged files are errors with their name") {
  TempFolder folder;
  CHECK(!open_model((folder.path() / "none.onnx").string()).ok());
  CHECK(!open_model(folder.path().string()).ok());
  write(folder.path() / "empty.onnx", {});
  auto empty = open_model((folder.path() / "empty.onnx").string());
  REQUIRE(!empty.ok());
  CHECK(empty.error().message.find("empty.onnx") != std::string::npos);
  write(folder.path() / "model.txt", {std::byte{1}});
  CHECK(!open_model((folder.path() / "model.txt").string()).ok());
  std::filesystem::create_directory(folder.path() / "test_data_set_0");
  write(folder.path() / "test_data_set_0" / "input_0.pb", std::vector<std::byte>(40, std::byte{0xFF}));
  auto cases = read_test_cases(folder.path());
  REQUIRE(!cases.ok());
  CHECK(cases.error().message.find("input_0.pb") != std::string::npos);
  CHECK(read_test_cases(folder.path() / "nowhere").ok());
  CHECK(!read_tensor_file(folder.path() / "nowhere.npy").ok());
}

TEST_CASE("names from a file cannot break an error message into lines") {
  TempFolder folder;
  OnnxMaker m;
  m.input("x", {2}).output("y").node("Mys\ntery\x01", {"x"}, {"y"}, {}, std::string(5000, 'n'));
  write(folder.path() / "m.onnx", m.bytes());
  auto model = open_model((folder.path() / "m.onnx").string());
  REQUIRE(model.ok());
  REQUIRE(model->problems.size() == 1);
  CHECK(model->problems[0].find('\n') == std::string::npos);
  CHECK(model->problems[0].size() < 1000);
}
