// SPDX-License-Identifier: MIT
// Tests of a real CUDA device that other tests run on a simulated driver. `packaging/verify-cuda` runs this; without a
// device every case is skipped.
#include <arenascope/run/runner.h>
#include <doctest/doctest.h>
#include "engine/backends/cuda/kernels/movement.h"
#include "engine/backends/cuda/module/cuda_device.h"
#include "random_program.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace arenascope;
using cuda::CudaDevice;
using test::Hog;
using test::kMiB;
using test::RandomProgram;

namespace {

// Null: there is no device.
std::shared_ptr<CudaDevice> device() {
  auto opened = CudaDevice::open(0, false);
  if (!opened) MESSAGE("skipped: " << opened.error().message);
  return opened ? *opened : nullptr;
}
#define ARENASCOPE_NEEDS_GPU(name)                   \
  const std::shared_ptr<CudaDevice> name = device(); \
  if (!name) return;

// Numbers of its own for each run and input; integers stay as the runner made them.
void new_inputs(Runner& a, Runner& b, uint32_t seed) {
  std::mt19937 random(seed);
  for (const models::ValueInfo& input : a.model().inputs) {
    if (input.tensor->dtype != DType::F32) continue;
    std::vector<float> values(static_cast<size_t>(input.tensor->element_count()));
    for (float& v : values) v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 1000;
    const auto bytes = std::as_bytes(std::span(values));
    REQUIRE(a.set_input(input.name, bytes).ok());
    REQUIRE(b.set_input(input.name, bytes).ok());
  }
}

double largest_difference(const std::vector<std::byte>& got, const std::vector<std::byte>& expected) {
  REQUIRE(got.size() == expected.size());
  double most = 0, error = 0;
  for (size_t i = 0; i + 4 <= got.size(); i += 4) {
    float a, b;
    std::memcpy(&a, got.data() + i, 4);
    std::memcpy(&b, expected.data() + i, 4);
    if (!(a == a) || !(b == b)) return INFINITY;
    most = std::max(most, std::abs(static_cast<double>(b)));
    error = std::max(error, std::abs(static_cast<double>(a) - static_cast<double>(b)));
  }
  return most > 0 ? error / most : error;
}

RunnerOptions on_device(BackendOptions given = {}) {
  RunnerOptions options;
  options.planner = "two-level";
  options.backend = "cuda";
  options.backend_options = std::move(given);
  return options;
}

std::unique_ptr<Runner> opened(const std::string& model, const RunnerOptions& options) {
  auto runner = Runner::open(model, options);
  REQUIRE_MESSAGE(runner.ok(), (runner ? "" : runner.error().message));
  return std::move(*runner);
}

// `runs` runs with new inputs each, against the CPU.
void check_runs(const std::string& model, const RunnerOptions& options, uint32_t runs, double tolerance) {
  CAPTURE(model);
  const auto tested = opened(model, options);
  RunnerOptions on_cpu;
  on_cpu.planner = "two-level";
  const auto expected = opened(model, on_cpu);
  for (uint32_t run = 0; run < runs; ++run) {
    CAPTURE(run);
    new_inputs(*tested, *expected, 100 + run);
    const auto ran = tested->run();
    REQUIRE_MESSAGE(ran.ok(), (ran ? "" : ran.error().message));
    REQUIRE(expected->run().ok());
    for (size_t i = 0; i < tested->model().outputs.size(); ++i) {
      const auto got = tested->output(i), reference = expected->output(i);
      REQUIRE(got.ok());
      REQUIRE(reference.ok());
      CHECK(largest_difference(*got, *reference) <= tolerance);
    }
  }
  // A capture that failed would be replaced by queueing node by node, and noted.
  for (const trace::Problem& p : tested->program().backend->drain_diagnostics().problems)
    MESSAGE(model << ": " << p.sentence);
}

}  // namespace

TEST_CASE("captured and replayed runs agree, with every option on and off") {
  ARENASCOPE_NEEDS_GPU(gpu);
  check_runs("zoo:squeezenet", on_device(), 6, 1e-4);
  check_runs("zoo:lstm", on_device(), 6, 1e-4);
  for (const char* off : {"graphs", "chains", "libraries", "activities"})
    check_runs("zoo:squeezenet", on_device({{off, "0"}}), 3, 1e-4);
  RunnerOptions in_place = on_device();
  in_place.in_place = true;
  check_runs("zoo:squeezenet", in_place, 3, 1e-4);
}

TEST_CASE("f16 values and reduced-precision matmuls agree within their precision") {
  ARENASCOPE_NEEDS_GPU(gpu);
  for (const Precision precision : {Precision::Normal, Precision::Low}) {
    RunnerOptions options = on_device();
    options.precision = precision;
    check_runs("zoo:squeezenet", options, 4, 2e-2);
  }
}

TEST_CASE("NaN reaches the result through convolutions with ReLU") {
  ARENASCOPE_NEEDS_GPU(gpu);
  RunnerOptions options = on_device();
  options.in_place = true;  // the result of ReLU then does not overlap the input of the convolution
  const auto tested = opened("zoo:unet", options);
  const models::ValueInfo& input = tested->model().inputs.front();
  std::vector<float> values(static_cast<size_t>(input.tensor->element_count()), 0.5f);
  values[values.size() / 2] = NAN;
  REQUIRE(tested->set_input(input.name, std::as_bytes(std::span(values))).ok());
  const auto ran = tested->run();
  REQUIRE_MESSAGE(ran.ok(), (ran ? "" : ran.error().message));
  const auto got = tested->output(0);
  REQUIRE(got.ok());
  const auto* first = reinterpret_cast<const float*>(got->data());
  CHECK(std::any_of(first, first + got->size() / sizeof(float), [](float v) { return std::isnan(v); }));
}

TEST_CASE("a graph partitioned between device and host agrees") {
  ARENASCOPE_NEEDS_GPU(gpu);
  RunnerOptions options = on_device();
  options.host_ops = {Op::Concat, Op::SoftMax};
  check_runs("zoo:squeezenet", options, 4, 1e-4);
  options.host_ops = {Op::Relu};
  check_runs("zoo:squeezenet", options, 4, 1e-4);
}

TEST_CASE("times of nodes agree between activity records and events") {
  ARENASCOPE_NEEDS_GPU(gpu);
  double sums[2] = {};
  for (const int records : {0, 1}) {
    RunnerOptions options = on_device({{"activities", records ? "1" : "0"}});
    options.open.dims["batch"] = 32;  // nodes that take longer than the gaps between them
    const auto runner = opened("zoo:resnet50", options);
    RunOptions timed;
    timed.timed = true;
    for (int run = 0; run < 5; ++run) {
      const auto report = runner->run(timed);
      REQUIRE(report.ok());
      double sum = 0;
      for (const NodeTime& node : report->nodes) sum += static_cast<double>(node.nanoseconds.value_or(0));
      CHECK(sum > 0);
      CHECK(sum <= 1.1 * static_cast<double>(report->nanoseconds));
      if (run == 0 || sum < sums[records]) sums[records] = sum;
    }
    for (const trace::Problem& p : runner->program().backend->drain_diagnostics().problems) MESSAGE(p.sentence);
  }
  MESSAGE("nodes of resnet50: " << sums[0] / 1000 << " us by events, " << sums[1] / 1000 << " us by records");
  // Events between kernels add some microseconds per node.
  CHECK(sums[1] <= 1.2 * sums[0]);
  CHECK(sums[1] >= 0.5 * sums[0]);
}

TEST_CASE("random programs on real streams: no block changes while a stream reads it") {
  ARENASCOPE_NEEDS_GPU(gpu);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    CAPTURE(seed);
    RandomProgram(gpu, seed).run(4000);
  }
}

TEST_CASE("a full device is an error, and graphs that fit run correctly") {
  ARENASCOPE_NEEDS_GPU(gpu);
  check_runs("zoo:squeezenet", on_device(), 1, 1e-4);  // the libraries have their memory
  int refused = 0, ran = 0;
  for (const Bytes left : {0 * kMiB, 1 * kMiB, 2 * kMiB, 4 * kMiB, 8 * kMiB, 16 * kMiB, 32 * kMiB, 64 * kMiB,
                           128 * kMiB, 512 * kMiB, 2048 * kMiB}) {
    CAPTURE(left);
    const Hog hog(gpu, left);
    auto runner = Runner::open("zoo:squeezenet", on_device());
    const auto report = runner ? (*runner)->run() : Result<RunReport>(runner.error());
    if (report) {
      ++ran;
      continue;
    }
    ++refused;
    // The memory that the driver needs for a stream may already exceed the limit.
    const std::string& said = report.error().message;
    CHECK_MESSAGE(
        (said.find("could not allocate") != std::string::npos || said.find("out of memory") != std::string::npos),
        said);
  }
  CHECK(refused > 0);
  CHECK(ran > 0);
  check_runs("zoo:squeezenet", on_device(), 2, 1e-4);
}

// The process cannot use the device afterwards, so that it runs alone: test_cuda_device --no-skip -tc=…
TEST_CASE("a lost device: every later run is an error, and nothing crashes" * doctest::skip()) {
  ARENASCOPE_NEEDS_GPU(gpu);
  const auto runner = opened("zoo:squeezenet", on_device());
  REQUIRE(runner->run().ok());
  {
    const auto stream = gpu->create_stream();
    REQUIRE(stream.ok());
    auto queue = gpu->make_queue(*stream, {});
    REQUIRE(queue.ok());
    cuda::FillWork nowhere;
    nowhere.out = reinterpret_cast<char*>(uintptr_t{64});
    nowhere.count = 1024;
    REQUIRE((*queue)->launch(cuda::KernelId::fill, {4, 256, 0}, nowhere).ok());
    CHECK(!gpu->synchronize_stream(*stream).ok());
  }
  for (int run = 0; run < 3; ++run) {
    const auto report = runner->run();
    REQUIRE(!report.ok());
    CHECK_MESSAGE(report.error().message.find("cuda:0") != std::string::npos, report.error().message);
  }
  CHECK(!Runner::open("zoo:squeezenet", on_device()).ok());
}
