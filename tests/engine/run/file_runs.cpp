// SPDX-License-Identifier: MIT
#include "file_runs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <arenascope/models/host_array.h>
#include <arenascope/run/runner.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

namespace arenascope::test {
namespace {

std::vector<std::byte> bytes_of(DType dtype, const Dims& sizes, const std::vector<double>& numbers) {
  models::HostArray array = models::HostArray::make(dtype, sizes);
  for (size_t i = 0; i < numbers.size(); ++i) array.set(static_cast<int64_t>(i), numbers[i]);
  std::vector<std::byte> out(static_cast<size_t>(element_count(sizes) * element_bytes(dtype)));
  array.to_bytes(out.data());
  return out;
}

Results run_at(const std::string& path, const std::vector<Given>& inputs, const std::map<std::string, int64_t>& dims) {
  Results out;
  RunnerOptions options;
  options.threads = 1;
  options.planner = "greedy-by-size";
  options.open.dims = dims;
  auto runner = Runner::open(path, options);
  if (!runner) return {runner.error().message, {}, {}, {}};
  if (!(*runner)->model().runnable()) return {(*runner)->model().problems[0], {}, {}, {}};
  for (const Given& given : inputs)
    for (const models::ValueInfo& input : (*runner)->model().inputs) {
      if (input.name != given.name) continue;
      REQUIRE(element_count(input.sizes) == static_cast<int64_t>(given.numbers.size()));
      REQUIRE((*runner)->set_input(input.name, bytes_of(input.dtype, input.sizes, given.numbers)).ok());
    }
  if (auto report = (*runner)->run(); !report) return {report.error().message, {}, {}, {}};
  for (const RunResult& result : (*runner)->results()) {
    auto bytes = result.read();
    REQUIRE(bytes.ok());
    const Tensor& tensor = result.value->tensor;
    const auto array = models::HostArray::from_bytes(tensor.dtype(), tensor.sizes(), bytes->data());
    std::vector<double>& numbers = out.numbers[result.value->name];
    for (int64_t i = 0; i < array.count(); ++i) numbers.push_back(array.number(i));
    out.sizes[result.value->name] = tensor.sizes();
    for (size_t i = 0; result.value->strings && i < numbers.size(); ++i)
      out.strings[result.value->name].push_back(result.value->strings->at(static_cast<size_t>(numbers[i])));
  }
  return out;
}

}  // namespace

Results run_file(const models::test::OnnxMaker& maker, const std::vector<Given>& inputs,
                 const std::map<std::string, int64_t>& dims) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("arenascope-file-run-{}.onnx", ::getpid());
  const auto bytes = maker.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  Results out = run_at(path.string(), inputs, dims);
  std::filesystem::remove(path);
  return out;
}

void check_near(const std::vector<double>& made, const std::vector<double>& expected, double bound) {
  REQUIRE(made.size() == expected.size());
  double largest = 1e-30;
  for (const double w : expected)
    if (std::isfinite(w)) largest = std::max(largest, std::abs(w));
  for (size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CAPTURE(made[i]);
    CAPTURE(expected[i]);
    CHECK((made[i] == expected[i] || std::abs(made[i] - expected[i]) <= bound * largest ||
           (std::isnan(made[i]) && std::isnan(expected[i]))));
  }
}

}  // namespace arenascope::test
