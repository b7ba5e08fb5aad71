// SPDX-License-Identifier: MIT
#include <arenascope/peaks/loops.h>
#include <arenascope/peaks/machine_peaks.h>
#include <doctest/doctest.h>

using namespace arenascope;

TEST_CASE("the peaks of the machine are measured, or the build reports that it cannot") {
  double last = -1;
  bool ordered = true;
  PeakOptions options;
  options.threads = 2;
  options.seconds = 0.2;
  options.progress = [&](double share) {
    ordered = ordered && share > last && share >= 0 && share < 1;
    last = share;
    return true;
  };
  const auto peaks = measure_machine_peaks(options);
  if (!loops::multiply_add(1)) {
    CHECK(peaks.error().message.find("vectorised") != std::string::npos);
    return;
  }
  REQUIRE(peaks.ok());
  CHECK(peaks->threads == 2);
  CHECK(peaks->gflops > 0.1);
  CHECK(peaks->bandwidth > 0.1);
  CHECK(last >= 0.5);
  CHECK(ordered);
}

TEST_CASE("a measurement of the peaks can be stopped") {
  if (!loops::multiply_add(1)) return;
  PeakOptions options;
  options.threads = 1;
  options.seconds = 60;
  options.progress = [calls = 0](double) mutable { return ++calls < 2; };
  const auto peaks = measure_machine_peaks(options);
  REQUIRE(!peaks.ok());
  CHECK(peaks.error().message == "stopped");
}
