// SPDX-License-Identifier: GPL-3.0-or-later
// Memory used for weights: none for inspecting a model, one copy for running it.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

constexpr int64_t kWide = 4096, kWeights = kWide * kWide * 4;  // bytes

// Peak relative to the same command with a tiny model.
double peak_over_weights(const std::vector<std::string>& arguments, const std::string& small, Json* object = nullptr) {
  std::vector<std::string> other = arguments;
  other[1] = small;
  const Ended ended = cli(arguments), base = cli(other);
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  REQUIRE(base.status == 0);
  if (object) *object = Json::parse(ended.out, nullptr, false);
  return static_cast<double>(ended.peak_bytes - base.peak_bytes) / static_cast<double>(kWeights);
}

}  // namespace

// Weights of such a large matmul are packed in slices, so that original and packed copy never coexist.
TEST_CASE("packed weights are stored once") {
  const TempFolder folder;
  write_weighted_product(folder / "small.onnx", 64, 16, 16, 0);
  for (const size_t shift : {0, 1}) {
    CAPTURE(shift);
    const std::string file = folder / ("shift" + std::to_string(shift) + ".onnx");
    write_weighted_product(file, 64, kWide, kWide, shift);
    const double run = peak_over_weights({"run", file}, folder / "small.onnx");
    MESSAGE(file << ": run " << run << " of the weights' bytes");
    if (!kSanitized) CHECK(run <= 1.25);  // a slice of 8 MB is an eighth of the weights
  }
}

TEST_CASE("opening an ONNX file allocates no weights, running it one copy") {
  const TempFolder folder;
  write_weighted_product(folder / "small.onnx", 1, 16, 16, 0);
  for (const size_t shift : {0, 1}) {
    CAPTURE(shift);
    const std::string file = folder / ("shift" + std::to_string(shift) + ".onnx");
    write_weighted_product(file, 1, kWide, kWide, shift);
    const double info = peak_over_weights({"info", file}, folder / "small.onnx");
    Json object;
    const double run = peak_over_weights({"run", file, "--json"}, folder / "small.onnx", &object);
    MESSAGE(file << ": info " << info << ", run " << run << " of the weights' bytes");
    REQUIRE(object.is_object());
    CHECK(object["peak_bytes"]["mapped"] == kWeights);
    CHECK(object["peak_bytes"]["persistent"] == (shift == 0 ? 0 : kWeights));
    if (kSanitized) continue;
    CHECK(info <= 0.1);
    CHECK(run <= 1.15);
  }
}

TEST_CASE("a file truncated during a run is reported in one line") {
  const TempFolder folder;
  const std::string file = folder / "cut.onnx", recording = folder / "cut.pftrace";
  write_weighted_product(file, 1, kWide, kWide, 0);
  Ended ended;
  {
    std::jthread running([&] { ended = cli({"run", file, "--repeat", "100000", "--record", recording}); });
    std::error_code none;
    for (int i = 0; i < 3000 && !(std::filesystem::file_size(recording, none) > 20000 && !none); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::filesystem::resize_file(file, 1 << 20);
  }
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(ended.says_one_line(file + " had "));
}
