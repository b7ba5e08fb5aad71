// SPDX-License-Identifier: GPL-3.0-or-later
// verify: matching outputs, different outputs, and unreadable test cases.
#include <doctest/doctest.h>
#include <test_data.h>

#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/support/seeded_llama.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

// z = x + y in the ONNX test-case layout.
struct Case : TempFolder {
  std::string folder = *this / "add", data = *this / "add/test_data_set_0";
  Case() {
    std::filesystem::create_directories(data);
    write_file(folder + "/model.onnx", add_model(3));
    write_file(data + "/input_0.pb", tensor_proto("x", {{3}, {1, 2, 3}}));
    write_file(data + "/input_1.pb", tensor_proto("y", {{3}, {0.5F, -7, 1000}}));
    expect({{3}, {1.5F, -5, 1003}});
  }
  void expect(const Array& array) { write_file(data + "/output_0.pb", tensor_proto("z", array)); }
};

void fails(const std::string& model, int status, const std::string& named) {
  const Ended ended = cli({"verify", model});
  CAPTURE(ended.err);
  CHECK(ended.status == status);
  CHECK(ended.says_one_line(named));
}

}  // namespace

TEST_CASE_FIXTURE(Case, "matching outputs") {
  for (const char* backend : {"cpu", "reference"})
    for (const std::string& model : {folder, folder + "/model.onnx"}) {
      CAPTURE(model);
      const Ended ended = cli({"verify", model, "--backend", backend, "--json"});
      CHECK(ended.status == 0);
      CHECK(ended.err.empty());
      const Json object = Json::parse(ended.out, nullptr, false);
      REQUIRE(object.is_object());
      CHECK(object["passed"] == true);
      CHECK(object["backend"] == backend);
      REQUIRE(object["cases"].size() == 1);
      CHECK(object["cases"][0]["name"] == "test_data_set_0/z");
      CHECK(object["cases"][0]["max_abs_error"] == 0.0);
    }
}

TEST_CASE_FIXTURE(Case, "different outputs have status 1 and report the error") {
  expect({{3}, {1.5F, -5.5F, 1003}});
  const Ended ended = cli({"verify", folder, "--json"});
  CHECK(ended.status == 1);
  CHECK(ended.says_one_line(folder));
  const Json object = Json::parse(ended.out, nullptr, false);
  REQUIRE(object.is_object());
  CHECK(object["passed"] == false);
  CHECK(object["cases"][0]["passed"] == false);
  CHECK(object["cases"][0]["max_abs_error"] == 0.5);
  CHECK(cli({"verify", folder, "--atol", "0.6"}).status == 0);
  expect({{1, 3}, {1.5F, -5, 1003}});
  fails(folder, 1, folder);  // the right numbers in another shape
}

TEST_CASE_FIXTURE(Case, "unreadable test cases have status 2") {
  const std::string whole = read_file(data + "/output_0.pb");
  write_file(data + "/output_0.pb", whole.substr(0, whole.size() - 2));
  fails(folder, 2, "output_0.pb");
  fails(folder + "/model.onnx", 2, "output_0.pb");
  write_file(data + "/output_0.pb", whole);
  write_file(data + "/input_1.pb", "no tensor");
  fails(folder, 2, "input_1.pb");
  fails(folder + "/model.onnx", 2, "input_1.pb");
}

TEST_CASE_FIXTURE(Case, "a model without expected outputs is compared with the reference") {
  write_file(*this / "alone.onnx", add_model(7));
  const Ended ended = cli({"verify", *this / "alone.onnx"});
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
}

TEST_CASE_FIXTURE(Case, "sigmoids near zero are compared with 1e-6 absolute, and this is reported") {
  write_file(folder + "/model.onnx", unary_model("Sigmoid", 2));
  write_file(data + "/input_0.pb", tensor_proto("x", {{2}, {-12, -11}}));
  std::filesystem::remove(data + "/input_1.pb");
  const auto expected = [](double off) {
    return Array{{2}, {float(6.144174602e-6 + off), float(1.6701421848e-5 + off)}};
  };
  expect(expected(5e-7));  // 8 % of the result
  const Ended near = cli({"verify", folder, "--json"});
  CHECK(near.status == 0);
  const Json object = Json::parse(near.out, nullptr, false);
  REQUIRE(object.is_object());
  CHECK(object["cases"][0]["note"].get<std::string>().find("within 1e-6 absolute") != std::string::npos);
  CHECK(cli({"verify", folder, "--rtol", "1e-4"}).status == 1);  // explicit tolerances apply unchanged
  expect(expected(2e-6));
  fails(folder, 1, folder);
  expect(expected(0));
  const Ended exact = cli({"verify", folder});
  CHECK(exact.status == 0);
  CHECK(exact.out.find("absolute") == std::string::npos);
}

TEST_CASE("quantised weights have a tolerance of their type, which is reported") {
  for (const char* type : {"Q8_0", "Q4_0"}) {
    const std::string file = std::string("models/llm_stories260K/stories260K-") + type + ".gguf";
    ARENASCOPE_NEEDS_DATA(file);
    const std::string path = (data_folder() / file).string();
    const Ended ended = cli({"verify", path, "--json"});
    CHECK(ended.status == 0);
    const Json object = Json::parse(ended.out, nullptr, false);
    REQUIRE(object.is_object());
    const auto note = object["cases"][0]["note"].get<std::string>();
    CAPTURE(note);
    CHECK(note.find("allowed 0.05") != std::string::npos);
    for (const Json& one : object["cases"]) CHECK(one["max_rel_error"] < 0.03);
    CHECK(cli({"verify", path, "--relative-to-max", "1e-5"}).status == 1);
  }
}

// Errors of the types against the reference, which does not round; their tolerances are in verify_model.cpp.
TEST_CASE("errors of each quantised type over generated layers are within its tolerance, but not far below it") {
  TempFolder folder;
  double worst_blocks = 0, worst_k = 0;
  for (const QuantType& type : kQuantTypes) {
    const bool is_k = type.weights == 256;
    for (const uint32_t layers : {1U, 6U}) {
      CAPTURE(std::string(type.name));
      CAPTURE(layers);
      const auto bytes = seeded_llama(type, {.layers = layers}, 7 * layers + type.number);
      const std::string file = folder / (std::string(type.name) + "-" + std::to_string(layers) + ".gguf");
      write_file(file, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
      const Ended ended = cli({"verify", file, "--json"});
      CAPTURE(ended.err);
      CHECK(ended.status == 0);
      const Json object = Json::parse(ended.out, nullptr, false);
      REQUIRE(object.is_object());
      for (const Json& one : object["cases"]) {
        CHECK(one["note"].get<std::string>().find(is_k ? "allowed 0.07" : "allowed 0.05") != std::string::npos);
        double& worst = is_k ? worst_k : worst_blocks;
        worst = std::max(worst, one["max_rel_error"].get<double>());
      }
    }
  }
  MESSAGE("largest error, of the largest output: ", worst_blocks, " in blocks of 32, ", worst_k, " in blocks of 256");
  CHECK(worst_blocks > 1e-4);  // activations are quantised
  CHECK(worst_k > 1e-4);
}

TEST_CASE("a real network whose expected output was changed") {
  ARENASCOPE_NEEDS_DATA("onnx/light/shufflenet");
  TempFolder folder;
  const std::filesystem::path copy = folder / "shufflenet";
  std::filesystem::copy(data_folder() / "onnx/light/shufflenet", copy, std::filesystem::copy_options::recursive);
  CHECK(cli({"verify", copy.string()}).status == 0);
  const auto file = copy / "test_data_set_0/output_0.pb";
  std::string bytes = read_file(file);
  REQUIRE(bytes.size() > 100);
  bytes[bytes.size() - 1] = 0x42;  // changes sign and exponent of the last float
  std::filesystem::remove(file);
  write_file(file, bytes);
  fails(copy.string(), 1, "shufflenet");
}

TEST_CASE_FIXTURE(Case, "all test cases below a directory with their outcomes") {
  const std::string root = *this / "";
  const auto copy = [&](const std::string& name) {
    std::filesystem::create_directories(*this / name);
    std::filesystem::copy(folder, *this / name, std::filesystem::copy_options::recursive);
    return *this / (name + "/test_data_set_0/output_0.pb");
  };
  write_file(copy("deeper/wrong"), tensor_proto("z", {{3}, {1.5F, -5.5F, 1003}}));
  write_file(copy("deeper/damaged"), "no tensor");
  std::filesystem::create_directories(*this / "nothing");
  const Ended ended = cli({"verify", root, "--recursive", "--json"});
  CHECK(ended.status == 1);
  CHECK(ended.says_one_line("1 of 3 cases"));
  const Json object = Json::parse(ended.out, nullptr, false);
  REQUIRE(object.is_object());
  CHECK(object["passed"] == 1);
  CHECK(object["rejected"] == 1);
  CHECK(object["failed"] == 1);
  REQUIRE(object["cases"].size() == 3);
  CHECK(object["cases"][0] == Json{{"name", "add"}, {"outcome", "passed"}});
  CHECK(object["cases"][1]["name"] == "deeper/damaged");
  CHECK(object["cases"][1]["outcome"] == "rejected");
  CHECK(object["cases"][1]["why"].get<std::string>().find("output_0.pb") != std::string::npos);
  CHECK(object["cases"][2]["name"] == "deeper/wrong");
  CHECK(object["cases"][2]["outcome"] == "failed");
  CHECK(object["cases"][2]["why"].get<std::string>().find("0.5") != std::string::npos);
  std::filesystem::remove_all(*this / "deeper");
  CHECK(cli({"verify", root, "--recursive"}).status == 0);
  CHECK(cli({"verify", *this / "nothing", "--recursive"}).status == 2);
  CHECK(cli({"verify", *this / "missing", "--recursive"}).status == 2);
  CHECK(cli({"verify", "--recursive"}).status == 2);
}
