// SPDX-License-Identifier: GPL-3.0-or-later
// Every operator of ONNX's table with malformed attributes, inputs, sizes and types: each model is rejected with an
// error or runs; none crashes, takes long or allocates unchecked memory. ARENASCOPE_HOSTILE sets the number per
// operator, ARENASCOPE_HOSTILE_SEED the random seed, ARENASCOPE_HOSTILE_KEEP the file to which each model is written
// before it is opened.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <arenascope/run/runner.h>
#include <fmt/format.h>

#include "engine/models/onnx/onnx.h"
#include "tests/engine/models/onnx_malformed.h"
#include "unpacked_cases.h"

using namespace arenascope;
using namespace arenascope::models;
using namespace arenascope::models::test;

namespace {

namespace fs = std::filesystem;

constexpr Bytes kMaxBytes = Bytes{1} << 24;  // total size of the tensors of a model that is run

constexpr int64_t kMaxKib = 256 << 10;  // additional peak memory of one model

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kMaxSeconds = 30;  // CPU time per model
constexpr bool kSanitized = true;
#else
constexpr double kMaxSeconds = 3;
constexpr bool kSanitized = false;
#endif

int64_t environment_value(const char* name, int64_t default_value) {
  const char* text = std::getenv(name);
  return text ? std::atoll(text) : default_value;
}

struct Counts {
  int64_t opened = 0, run = 0;
};

Bytes all_bytes(const Model& model) {
  Bytes out = model.weight_bytes();
  for (const TensorImpl* node : model.graph.nodes()) out += node->byte_count();
  for (const ValueInfo& input : model.inputs)
    if (input.tensor) out += input.tensor->byte_count();
  return out;
}

int64_t peak_kib() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

// Opens and runs the model, or checks the error message.
void try_model(const std::vector<std::byte>& bytes, const std::string& what, Counts& counts) {
  CAPTURE(what);
  if (const char* keep = std::getenv("ARENASCOPE_HOSTILE_KEEP"))
    std::ofstream(keep, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  static const Devices devices = [] {
    auto made = open_devices();
    REQUIRE(made.ok());
    return std::move(*made);
  }();
  const int64_t before = peak_kib();
  const std::clock_t start = std::clock();
  const auto check_message = [&](const std::string& text) {
    CHECK_FALSE(text.empty());
    CHECK_MESSAGE(text.find('\n') == std::string::npos, text);
  };
  auto model = open_onnx(bytes, "");
  if (!model) {
    check_message(model.error().message);
  } else if (!model->runnable()) {
    CHECK_FALSE(model->problems.empty());
    for (const std::string& problem : model->problems) check_message(problem);
  } else if (++counts.opened; all_bytes(*model) < kMaxBytes) {
    RunnerOptions options;
    options.threads = 1;
    options.planner = "greedy-by-size";
    options.devices = devices;
    auto runner = Runner::open(std::move(*model), options);
    if (runner) {
      auto report = (*runner)->run();
      if (!report) check_message(report.error().message);
      counts.run += report.ok();
    } else {
      check_message(runner.error().message);
    }
  }
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < kMaxSeconds);
  if (!kSanitized) CHECK(peak_kib() - before < kMaxKib);
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("operators generated from their schemas with malformed fields") {
  const int64_t each = environment_value("ARENASCOPE_HOSTILE", 12),
                seed = environment_value("ARENASCOPE_HOSTILE_SEED", 1);
  Counts counts;
  ir::Schemas schemas;
  for (const std::string& name : ir::Schemas::names()) {
    const size_t colons = name.find("::");
    const std::string domain = colons == name.npos ? "" : name.substr(0, colons);
    const std::string op = colons == name.npos ? name : name.substr(colons + 2);
    for (int64_t i = 0; i < each; ++i) {
      Mutator random(static_cast<uint64_t>(seed * 1'000'003 + i) * 7919 + std::hash<std::string>()(name));
      const int64_t newest = ir::Schemas::newest_opset(domain), first = ir::Schemas::first_opset(domain, op);
      const int64_t opset = random.below(3)
                                ? newest
                                : first + static_cast<int64_t>(random.below(static_cast<size_t>(newest - first + 1)));
      const auto model = model_of_schema(*schemas.find(domain, op, opset), domain, opset, random);
      const auto hostile = i % 4 == 0 ? model : make_hostile(model, {}, random);
      try_model(hostile, fmt::format("{} of opset {}, {} of seed {}", name, opset, i, seed), counts);
    }
  }
  MESSAGE(counts.opened << " opened, " << counts.run << " ran");
  CHECK(counts.run > 0);
}

TEST_CASE("node cases with malformed fields") {
  ARENASCOPE_NEEDS_DATA("onnx/node/node.tar.xz");
  const int64_t each = environment_value("ARENASCOPE_HOSTILE", 0),
                seed = environment_value("ARENASCOPE_HOSTILE_SEED", 1);
  std::vector<fs::path> folders;
  for (const auto& entry : fs::recursive_directory_iterator(arenascope::test::unpacked_cases().folder()))
    if (entry.path().filename() == "model.onnx") folders.push_back(entry.path().parent_path());
  std::sort(folders.begin(), folders.end());
  REQUIRE(folders.size() == 1802);
  Counts counts;
  for (size_t n = 0; n < folders.size(); ++n) {
    if (each == 0 && (n + static_cast<size_t>(seed)) % 2 != 0) continue;
    const std::string model = bytes_of(folders[n] / "model.onnx");
    std::vector<std::string> values;
    for (int i = 0; fs::exists(folders[n] / "test_data_set_0" / fmt::format("input_{}.pb", i)); ++i)
      values.push_back(bytes_of(folders[n] / "test_data_set_0" / fmt::format("input_{}.pb", i)));
    const auto* first = reinterpret_cast<const std::byte*>(model.data());
    for (int64_t i = 0; i < std::max<int64_t>(each, 1); ++i) {
      Mutator random(static_cast<uint64_t>(seed * 1'000'003 + i) * 104'729 + n);
      try_model(make_hostile({first, model.size()}, values, random),
                fmt::format("{}, {} of seed {}", folders[n].filename().string(), i, seed), counts);
    }
  }
  MESSAGE(counts.opened << " opened, " << counts.run << " ran");
  CHECK(counts.run > 0);
}
