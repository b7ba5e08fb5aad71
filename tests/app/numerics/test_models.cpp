// SPDX-License-Identifier: GPL-3.0-or-later
// Real models of the data directory on real inputs, compared with published results or ONNX Runtime.
#include <arenascope/models/npy.h>
#include <doctest/doctest.h>
#include <test_data.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include <arenascope/run/runner.h>
#include "app/checks/compare.h"

using namespace arenascope;
using namespace arenascope::app;

namespace {

// The bytes of a .gz file after the first `skip`.
std::vector<uint8_t> read_gz(const std::filesystem::path& path, size_t skip) {
  std::vector<uint8_t> out;
  gzFile file = gzopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  std::vector<uint8_t> chunk(1 << 16);
  for (int n; (n = gzread(file, chunk.data(), static_cast<unsigned>(chunk.size()))) > 0;)
    out.insert(out.end(), chunk.begin(), chunk.begin() + n);
  gzclose(file);
  REQUIRE(out.size() > skip);
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(skip));
  return out;
}

std::span<const std::byte> bytes_of(const Tensor& tensor) { return {tensor->data(), size_t(tensor->byte_count())}; }

std::unique_ptr<Runner> open(const std::filesystem::path& path, RunnerOptions options = {}) {
  options.threads = 2;
  options.fuse = options.rewrite = true;
  auto runner = Runner::open(path.string(), options);
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  return std::move(*runner);
}

// Error of one output on a .npy input, relative to the largest expected value.
double error_of(const std::filesystem::path& model, const std::string& input, const std::filesystem::path& given,
                const std::string& output, const std::filesystem::path& expected) {
  RunnerOptions options;
  options.inputs[input] = given.string();
  auto runner = open(model, options);
  REQUIRE(runner->run().ok());
  auto reference = models::read_npy(expected);
  REQUIRE(reference.ok());
  for (size_t i = 0; i < runner->model().outputs.size(); ++i) {
    if (runner->model().outputs[i].name != output) continue;
    auto got = runner->output(i);
    REQUIRE(got.ok());
    return compare(DType::F32, *got, bytes_of(*reference), {0, 0, 1}).max_abs_error;
  }
  FAIL("no output " << output);
  return 1;
}

// Samples of a 16-bit mono .wav with a 44-byte header.
std::vector<float> read_wav(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  REQUIRE(bytes.size() > 44);
  REQUIRE(std::string(bytes.data() + 36, 4) == "data");
  std::vector<int16_t> samples((bytes.size() - 44) / 2);
  std::memcpy(samples.data(), bytes.data() + 44, samples.size() * 2);
  std::vector<float> out;
  for (const int16_t s : samples) out.push_back(static_cast<float>(s) / 32768);
  return out;
}

size_t output_named(const Runner& runner, const std::string& name) {
  for (size_t i = 0; i < runner.model().outputs.size(); ++i)
    if (runner.model().outputs[i].name == name) return i;
  FAIL("no output " << name);
  return 0;
}

}  // namespace

TEST_CASE("mnist-8 classifies 98.91 % of the 10,000 digits, with the published logits") {
  ARENASCOPE_NEEDS_DATA("models/mnist");
  const auto folder = test::data_folder() / "models" / "mnist";
  const auto images = read_gz(folder / "t10k-images-idx3-ubyte.gz", 16);
  const auto labels = read_gz(folder / "t10k-labels-idx1-ubyte.gz", 8);
  auto expected = models::read_npy(folder / "mnist-8_cntk_expected_logits_t10k.npy");
  REQUIRE(expected.ok());
  REQUIRE(labels.size() == 10000);
  auto runner = open(folder / "mnist-8_cntk.onnx");
  REQUIRE(runner->replan("search", "depth-first", MemoryStrategy::Planned, 1).ok());
  int correct = 0;
  double worst = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    float pixels[784];
    std::copy_n(images.data() + i * 784, 784, pixels);
    REQUIRE(runner->set_input("Input3", std::as_bytes(std::span(pixels))).ok());
    REQUIRE(runner->run().ok());
    auto got = runner->output(0);
    REQUIRE(got.ok());
    float logits[10];
    std::memcpy(logits, got->data(), sizeof logits);
    correct += std::max_element(logits, logits + 10) - logits == labels[i];
    for (int j = 0; j < 10; ++j)
      worst = std::max(worst, double(std::abs(logits[j] - expected->data_as<float>()[i * 10 + size_t(j)])));
  }
  CHECK(correct == 9891);
  CHECK(worst < 1e-2);  // raw pixels up to 255 give logits of several thousand, so this is 1e-6 relative
}

TEST_CASE("ultraface finds the faces in both photographs") {
  ARENASCOPE_NEEDS_DATA("models/vision_ultraface");
  const auto folder = test::data_folder() / "models" / "vision_ultraface";
  const std::pair<const char*, int> photographs[] = {{"1", 44}, {"5", 1}};
  for (const auto& [photograph, faces] : photographs) {
    RunnerOptions options;
    options.inputs["input"] = (folder / (std::string(photograph) + "_input.npy")).string();
    auto runner = open(folder / "ultraface_rfb320.onnx", options);
    REQUIRE(runner->run().ok());
    std::vector<std::byte> results[2];
    for (size_t i = 0; i < 2; ++i) {
      const std::string name = runner->model().outputs[i].name;
      auto reference = models::read_npy(folder / (std::string(photograph) + "_" + name + ".npy"));
      REQUIRE(reference.ok());
      auto got = runner->output(i);
      REQUIRE(got.ok());
      CHECK(compare(DType::F32, *got, bytes_of(*reference), {0, 1e-4, 0}).passed);
      results[name == "boxes"] = *got;
    }
    // Counts faces as the expected file does: score over 0.7, overlapping boxes (over 0.3) count once.
    const auto* scores = reinterpret_cast<const float*>(results[0].data());
    const auto* boxes = reinterpret_cast<const float*>(results[1].data());
    std::vector<size_t> order;
    for (size_t i = 0; i < 4420; ++i)
      if (scores[2 * i + 1] > 0.7f) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[2 * a + 1] > scores[2 * b + 1]; });
    std::vector<size_t> kept;
    for (size_t i : order) {
      const float* a = boxes + 4 * i;
      const bool overlaps = std::any_of(kept.begin(), kept.end(), [&](size_t k) {
        const float* b = boxes + 4 * k;
        const float w = std::min(a[2], b[2]) - std::max(a[0], b[0]), h = std::min(a[3], b[3]) - std::max(a[1], b[1]);
        const float both = std::max(w, 0.0f) * std::max(h, 0.0f);
        const float either = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both;
        return both / either > 0.3f;
      });
      if (!overlaps) kept.push_back(i);
    }
    CHECK(static_cast<int>(kept.size()) == faces);
  }
}

TEST_CASE("basic pitch agrees with ONNX Runtime to 1e-3") {
  ARENASCOPE_NEEDS_DATA("models/audio_basic_pitch");
  const auto folder = test::data_folder() / "models" / "audio_basic_pitch";
  RunnerOptions options;
  options.inputs["serving_default_input_2:0"] = (folder / "windows_input_3x43844x1.npy").string();
  auto runner = open(folder / "basic_pitch_nmp.onnx", options);
  REQUIRE(runner->run().ok());
  // The order of outputs is onset, note, contour by shape and name; each file must match one of them.
  for (const char* what : {"contour", "note", "onset"}) {
    auto reference = models::read_npy(folder / ("expected_ort_" + std::string(what) + ".npy"));
    REQUIRE(reference.ok());
    bool found = false;
    for (size_t i = 0; i < runner->model().outputs.size(); ++i) {
      auto got = runner->output(i);
      REQUIRE(got.ok());
      found = found || (runner->model().outputs[i].tensor.sizes() == reference->sizes() &&
                        compare(DType::F32, *got, bytes_of(*reference), {0, 1e-3, 0}).passed);
    }
    CAPTURE(what);
    CHECK(found);
  }
}

TEST_CASE("the text detector and recogniser agree with ONNX Runtime to 1e-3") {
  ARENASCOPE_NEEDS_DATA("models/ocr_ppocrv4");
  const auto folder = test::data_folder() / "models" / "ocr_ppocrv4";
  CHECK(error_of(folder / "ch_PP-OCRv4_det_infer.onnx", "x", folder / "ch_en_num_det_input_1x3x416x320.npy",
                 "sigmoid_0.tmp_0", folder / "ch_en_num_det_output.npy") < 1e-3);
  for (const char* picture : {"en_rec", "test_without_det", "text_rec"}) {
    CAPTURE(picture);
    RunnerOptions options;
    options.inputs["x"] = (folder / (std::string(picture) + "_input.npy")).string();
    auto runner = open(folder / "ch_PP-OCRv4_rec_infer.onnx", options);
    REQUIRE(runner->run().ok());
    auto best = models::read_npy(folder / (std::string(picture) + "_argmax.npy"));
    auto probability = models::read_npy(folder / (std::string(picture) + "_maxprob.npy"));
    REQUIRE(best.ok());
    REQUIRE(probability.ok());
    auto got = runner->output(0);
    REQUIRE(got.ok());
    const auto* p = reinterpret_cast<const float*>(got->data());
    const int64_t classes = runner->model().outputs[0].tensor.sizes().back();
    for (int64_t t = 0; t < (*best)->element_count(); ++t) {
      const float* row = p + t * classes;
      const int64_t arg = std::max_element(row, row + classes) - row;
      const int64_t reference = best->dtype() == DType::I64 ? best->data_as<int64_t>()[t] : best->data_as<int32_t>()[t];
      CHECK(arg == reference);
      CHECK(std::abs(row[arg] - probability->data_as<float>()[t]) < 1e-3);
    }
  }
}

TEST_CASE("silero agrees with ONNX Runtime per chunk to 1e-4, with and without its If") {
  ARENASCOPE_NEEDS_DATA("models/audio_silero_vad");
  constexpr size_t kBefore = 64, kChunk = 512;
  const auto folder = test::data_folder() / "models" / "audio_silero_vad";
  std::vector<float> wav = read_wav(folder / "test_16k.wav");
  wav.insert(wav.begin(), kBefore, 0.0F);
  for (const std::string file : {"silero_vad_16k_no_control_flow", "silero_vad_v6_with_If"}) {
    CAPTURE(file);
    auto expected = models::read_npy(folder / (file + "_expected_probs.npy"));
    REQUIRE(expected.ok());
    RunnerOptions options;
    options.open.shapes["input"] = {1, static_cast<int64_t>(kBefore + kChunk)};
    if (file.ends_with("If")) options.open.shapes["state"] = {2, 1, 128};
    auto runner = open(folder / (file + ".onnx"), options);
    const size_t heard = output_named(*runner, "output"), next = output_named(*runner, "stateN");
    std::vector<std::byte> state(2 * 128 * sizeof(float));
    double worst = 0;
    const auto chunks = static_cast<size_t>((*expected)->element_count());
    REQUIRE(chunks == (wav.size() - kBefore + kChunk - 1) / kChunk);
    for (size_t i = 0; i < chunks; ++i) {
      float samples[kBefore + kChunk] = {};
      const size_t at = i * kChunk;
      std::copy_n(wav.data() + at, std::min(std::size(samples), wav.size() - at), samples);
      REQUIRE(runner->set_input("input", std::as_bytes(std::span(samples))).ok());
      REQUIRE(runner->set_input("state", state).ok());
      REQUIRE(runner->run().ok());
      const auto got = runner->output(heard), after = runner->output(next);
      REQUIRE(got.ok());
      REQUIRE(after.ok());
      state = *after;
      float probability;
      std::memcpy(&probability, got->data(), sizeof probability);
      worst = std::max(worst, static_cast<double>(std::abs(probability - expected->data_as<float>()[i])));
    }
    CHECK(worst < 1e-4);
  }
}

// ONNX Runtime 1.32 differs by 4.7e-3 from the scores of 1.17, as does a computation in double precision.
TEST_CASE("magika classifies 31 files as published, all 214 scores to 1e-2") {
  ARENASCOPE_NEEDS_DATA("models/misc_magika_v3_3");
  const auto folder = test::data_folder() / "models" / "misc_magika_v3_3";
  RunnerOptions options;
  options.inputs["bytes"] = (folder / "inputs_int32.npy").string();
  auto runner = open(folder / "magika_standard_v3_3.onnx", options);
  REQUIRE(runner->run().ok());
  auto expected = models::read_npy(folder / "expected_probs_ort.npy");
  const auto got = runner->output(0);
  REQUIRE(expected.ok());
  REQUIRE(got.ok());
  CHECK(compare(DType::F32, *got, bytes_of(*expected), {0, 1e-2, 0}).passed);
  const auto published = nlohmann::json::parse(std::ifstream(folder / "expected_published.json"));
  const auto config = nlohmann::json::parse(std::ifstream(folder / "config.min.json"));
  const auto labels = config.at("target_labels_space").get<std::vector<std::string>>();
  REQUIRE(got->size() == published.at("cases").size() * labels.size() * sizeof(float));
  const auto* scores = reinterpret_cast<const float*>(got->data());
  for (const auto& reference : published.at("cases")) {
    const auto* best = std::max_element(scores, scores + labels.size());
    CHECK(labels[static_cast<size_t>(best - scores)] == reference.at("label").get<std::string>());
    CHECK(std::abs(*best - reference.at("score").get<float>()) < 1e-2);
    scores += labels.size();
  }
}
