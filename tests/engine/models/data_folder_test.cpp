// SPDX-License-Identifier: MIT
// The shared data: hostile files have the results of their manifest, and real models open completely.
#include <arenascope/models/model.h>
#include <arenascope/models/testcase.h>
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "test_data.h"

using namespace arenascope;
using namespace arenascope::models;
using arenascope::test::data_folder;

TEST_CASE("hostile ONNX files give the results of their manifest") {
  ARENASCOPE_NEEDS_DATA("hostile/manifest.json");
  std::ifstream file(data_folder() / "hostile" / "manifest.json");
  const auto manifest = nlohmann::json::parse(file);
  int seen = 0;
  for (const auto& one : manifest["cases"]) {
    const std::string path = one["file"], expect = one["expect"];
    if (!path.starts_with("onnx/")) continue;
    CAPTURE(path);
    const auto start = std::chrono::steady_clock::now();
    auto model = open_model((data_folder() / "hostile" / path).string());
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
    if (expect == "accept") CHECK((model.ok() && model->runnable()));
    const bool lacks_data = path == "onnx/ext_missing.onnx";  // can be planned, not run
    if (expect == "reject") CHECK((lacks_data ? model.ok() && !model->runnable() : !model.ok()));
    if (expect == "accept-as-file/refuse-to-run") CHECK((model.ok() && !model->runnable() && !model->problems.empty()));
    if (!model) {
      CHECK(model.error().message.find('\n') == std::string::npos);
      CHECK(model.error().message.find(std::filesystem::path(path).filename().string()) != std::string::npos);
    }
    ++seen;
  }
  CHECK(seen == 22);
}

TEST_CASE("the nine networks open completely, with matching test cases") {
  ARENASCOPE_NEEDS_DATA("onnx/light");
  int networks = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "onnx" / "light")) {
    CAPTURE(entry.path().filename().string());
    ++networks;
    auto model = open_model(entry.path().string());
    REQUIRE(model.ok());
    CHECK(model->runnable());
    CHECK(model->inputs.size() == 1);
    CHECK(to_string(model->inputs[0].sizes) == "[1, 3, 224, 224]");
    auto cases = read_test_cases(entry.path());
    REQUIRE(cases.ok());
    REQUIRE(!cases->empty());
    for (const TestCase& one : *cases) {
      CHECK(one.inputs.at(0).tensor.sizes() == model->inputs[0].sizes);
      CHECK(one.outputs.at(0).tensor.sizes() == model->outputs.at(0).sizes);
    }
    CHECK(model->context.layer_names().size() >= 4);
  }
  CHECK(networks == 9);
}

TEST_CASE("real models open completely, with their inputs and outputs") {
  ARENASCOPE_NEEDS_DATA("models");
  struct Real {
    const char* path;
    std::map<std::string, int64_t> dims;
    std::vector<std::string> shapes;  // inputs, then outputs
  };
  const std::vector<Real> models{
      {"mnist/mnist-8_cntk.onnx", {}, {"[1, 1, 28, 28]", "[1, 10]"}},
      {"vision_ultraface/ultraface_rfb320.onnx", {}, {"[1, 3, 240, 320]", "[1, 4420, 2]", "[1, 4420, 4]"}},
      {"audio_silero_vad/silero_vad_16k_no_control_flow.onnx",
       {},
       {"[1, 576]", "[2, 1, 128]", "[1, 1]", "[2, 1, 128]"}},
      {"misc_magika_v3_3/magika_standard_v3_3.onnx", {{"unk__214", 31}}, {"[31, 2048]", "[31, 214]"}},
      {"ocr_ppocrv4/ch_PP-OCRv4_det_infer.onnx",
       {{"p2o.DynamicDimension.1", 416}, {"p2o.DynamicDimension.2", 320}},
       {"[1, 3, 416, 320]", "[1, 1, 416, 320]"}},
      {"ocr_ppocrv4/ch_PP-OCRv4_rec_infer.onnx",
       {{"p2o.DynamicDimension.1", 320}},
       {"[1, 3, 48, 320]", "[1, 40, 6625]"}},
      {"audio_basic_pitch/basic_pitch_nmp.onnx",
       {},
       {"[1, 43844, 1]", "[1, 172, 88]", "[1, 172, 88]", "[1, 172, 264]"}}};
  for (const Real& real : models) {
    CAPTURE(real.path);
    OpenOptions options;
    options.dims = real.dims;
    auto model = open_model((data_folder() / "models" / real.path).string(), options);
    REQUIRE(model.ok());
    INFO((model->problems.empty() ? "" : model->problems[0]));
    CHECK(model->runnable());
    std::vector<std::string> shapes;
    for (const ValueInfo& input : model->inputs) shapes.push_back(to_string(input.sizes));
    for (const ValueInfo& output : model->outputs) shapes.push_back(to_string(output.sizes));
    CHECK(shapes == real.shapes);
  }
}
