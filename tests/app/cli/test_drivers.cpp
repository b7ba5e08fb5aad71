// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of `devices` and `run` about unusable drivers of CUDA and OpenCL, which are simulated.
#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"

using namespace arenascope::test;

#ifdef ARENASCOPE_FAKE_DRIVER
namespace {

std::vector<std::string> with_driver(const std::string& folder, const std::vector<std::string>& settings,
                                     const std::vector<std::string>& arguments) {
  const char* before = std::getenv("LD_LIBRARY_PATH");
  std::vector<std::string> all{"LD_LIBRARY_PATH=" + folder + (before ? std::string(":") + before : "")};
  all.insert(all.end(), settings.begin(), settings.end());
  all.emplace_back(ARENASCOPE_CLI);
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

// The reason for the missing CUDA device, as printed by `devices`.
std::string why(const std::vector<std::string>& settings) {
  const Ended ended = run_program("/usr/bin/env", with_driver(ARENASCOPE_FAKE_DRIVER, settings, {"devices", "--json"}));
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  const auto report = nlohmann::json::parse(ended.out);
  for (const auto& device : report["devices"])
    if (device["backend"] == "cuda") return device["missing"];
  return "cuda is not listed";
}

}  // namespace

TEST_CASE("an unusable driver is reported in one line, and other backends are available") {
  CHECK(why({"FAKE_DRIVER_VERSION=11040"}).find("the NVIDIA driver supports CUDA 11.4, but this module requires ") ==
        0);
  CHECK(why({"FAKE_DRIVER_VERSION=99990", "FAKE_DRIVER_START=100"}) == "the NVIDIA driver found no GPU");
  CHECK(why({"FAKE_DRIVER_VERSION=99990", "FAKE_DRIVER_START=999"}).find("the NVIDIA driver failed to initialise: ") ==
        0);
  CHECK(why({"FAKE_DRIVER_VERSION=99990", "FAKE_DRIVER_START=34"}).find("link stub") != std::string::npos);
  const Ended run = run_program("/usr/bin/env", with_driver(ARENASCOPE_FAKE_DRIVER, {"FAKE_DRIVER_VERSION=11040"},
                                                            {"run", "zoo:mul_mat", "--backend", "cuda"}));
  CHECK(run.status == 1);
  CHECK(run.says_one_line("the NVIDIA driver supports CUDA 11.4"));
}
#endif

#ifdef ARENASCOPE_FAKE_OPENCL
TEST_CASE("an OpenCL driver that aborts ends no program that could do without it") {
  const auto with_abort = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"OCL_ICD_VENDORS=" ARENASCOPE_FAKE_OPENCL, ARENASCOPE_CLI});
    return run_program("/usr/bin/env", arguments);
  };
  const Ended devices = with_abort({"devices", "--json"});
  CAPTURE(devices.err);
  REQUIRE(devices.status == 0);
  std::string opencl;
  bool cpu = false;
  const auto report = nlohmann::json::parse(devices.out);
  for (const auto& device : report["devices"]) {
    if (device["backend"] == "opencl") opencl = device["missing"];
    cpu = cpu || device["backend"] == "cpu";
  }
  CHECK(opencl.find("its driver crashed: signal 6") == 0);
  CHECK(cpu);
  const Ended run = with_abort({"run", "zoo:mul_mat", "--backend", "opencl"});
  CHECK(run.status == 1);
  CHECK(run.says_one_line("its driver crashed: signal 6"));
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"run", "zoo:mul_mat"},
                                                    {"plan", "zoo:mul_mat"},
                                                    {"info", "zoo:mul_mat"},
                                                    {"verify", "zoo:mul_mat"}})
    CHECK(with_abort(arguments).status == 0);
}
#endif
