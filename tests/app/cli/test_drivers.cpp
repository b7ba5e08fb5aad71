// SPDX-License-Identifier: GPL-3.0-or-later
// What `devices` and `run` say of a CUDA driver that is of no use. The driver is one of our own.
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

// Why there is no CUDA device, as `devices` says.
std::string why(const std::vector<std::string>& settings) {
  const Ended ended = run_program("/usr/bin/env", with_driver(ARENASCOPE_FAKE_DRIVER, settings, {"devices", "--json"}));
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  const auto said = nlohmann::json::parse(ended.out);
  for (const auto& device : said["devices"])
    if (device["backend"] == "cuda") return device["missing"];
  return "cuda is not listed";
}

}  // namespace

TEST_CASE("a driver that is of no use is told in a sentence, and the other backends are there") {
  CHECK(why({"FAKE_DRIVER_VERSION=11040"}).find("the NVIDIA driver is for CUDA 11.4, this module needs ") == 0);
  CHECK(why({"FAKE_DRIVER_VERSION=99990", "FAKE_DRIVER_START=100"}) == "the NVIDIA driver finds no GPU");
  CHECK(why({"FAKE_DRIVER_VERSION=99990", "FAKE_DRIVER_START=999"}).find("the NVIDIA driver does not start: ") == 0);
  CHECK(why({"FAKE_DRIVER_VERSION=99990", "FAKE_DRIVER_START=34"}).find("stand-in for linking") != std::string::npos);
  const Ended run = run_program("/usr/bin/env", with_driver(ARENASCOPE_FAKE_DRIVER, {"FAKE_DRIVER_VERSION=11040"},
                                                            {"run", "zoo:mul_mat", "--backend", "cuda"}));
  CHECK(run.status == 1);
  CHECK(run.says_one_line("the NVIDIA driver is for CUDA 11.4"));
}
#endif
