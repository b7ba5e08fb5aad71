// SPDX-License-Identifier: GPL-3.0-or-later
// devices --tuning: results of a run are stored in a directory and printed from there, as text and as JSON.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

// The tuning results of the first OpenCL device; null without one.
Json tuning_in(const std::string& cache) {
  const Ended ended = cli({"devices", "--tuning", "--cache", cache, "--json"});
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  const Json report = Json::parse(ended.out, nullptr, false);
  REQUIRE(report.is_object());
  for (const Json& device : report["devices"]) {
    REQUIRE(device["tuning"].is_array());
    if (device["backend"] == "opencl" && device["missing"] == "") return device["tuning"];
    CHECK(device["tuning"].empty());
  }
  return {};
}

// A matmul large enough to have several implementations; its file is kept in the directory.
Ended run_product(const TempFolder& folder, const std::string& level) {
  write_file(folder / "product.onnx", product_model(40, 24, 50));
  return cli({"run", folder / "product.onnx", "--backend", "opencl", "--backend-option", "cache=" + folder / "cache",
              "--backend-option", "tuning=" + level});
}

}  // namespace

TEST_CASE("devices --tuning prints the results of a run at every level") {
  TempFolder folder;
  const std::string cache = folder / "cache";
  const Json before = tuning_in(cache);
  if (before.is_null()) {
    MESSAGE("skipped: no OpenCL device");
    return;
  }
  CHECK(before.empty());
  for (const char* level : {"fast", "normal"}) {
    const Ended run = run_product(folder, level);
    CHECK(run.status == 0);
    CHECK(run.err.empty());
  }
  const Json after = tuning_in(cache);
  int ways = 0;
  for (const Json& result : after) {
    if (result["kernel"].get<std::string>().find("gemm") != 0) continue;
    ++ways;
    CAPTURE(result.dump());
    CHECK(result.size() == 6);
    CHECK(result["sizes"].get<std::string>().find('x') != std::string::npos);
    CHECK(result["choice"].get<std::string>().find("way ") == 0);
    const bool measured = result["level"] == "normal";
    CHECK(result["level"] == (measured ? "normal" : "fast"));
    // Implementations are measured from level `normal` on.
    CHECK(result["tried"] == (measured ? 2 : 0));
    CHECK(result["seconds"].is_null() == !measured);
    if (measured) CHECK(result["seconds"] > 0.0);
  }
  CHECK(ways == 2);
  const Ended text = cli({"devices", "--tuning", "--cache", cache});
  CHECK(text.status == 0);
  CHECK(text.out.find(", fast, not measured\n") != std::string::npos);
  CHECK(text.out.find(", normal, the fastest of 2, ") != std::string::npos);
  CHECK(cli({"devices", "--cache", cache}).out.find("the fastest of") == std::string::npos);
}

TEST_CASE("damaged tuning results are reported in one line and ignored") {
  TempFolder folder;
  const std::string cache = folder / "cache";
  if (tuning_in(cache).is_null()) return;
  REQUIRE(run_product(folder, "fast").status == 0);
  REQUIRE(!tuning_in(cache).empty());
  int damaged = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache))
    if (entry.path().filename() == "tuning-results.bin") {
      write_file(entry.path(), read_file(entry.path()).substr(0, 40));
      ++damaged;
    }
  REQUIRE(damaged == 1);
  const Ended ended = cli({"devices", "--tuning", "--cache", cache, "--json"});
  CHECK(ended.status == 0);
  CHECK(ended.error_lines() == 1);
  CHECK(ended.err.find("the saved tuning results are not usable; tuning again") != std::string::npos);
  const Json report = Json::parse(ended.out, nullptr, false);
  REQUIRE(report.is_object());
  for (const Json& device : report["devices"]) CHECK(device["tuning"].empty());
}
