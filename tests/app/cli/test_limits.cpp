// SPDX-License-Identifier: GPL-3.0-or-later
// Commands under an address-space limit (ulimit -v): refused memory is an error message and a status, never a signal.
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/test_data.h"

using namespace arenascope::test;

namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

Ended limited(int64_t bytes, const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"-c", "ulimit -v \"$0\"; exec \"$@\"", std::to_string(bytes / 1024), ARENASCOPE_CLI};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program("/bin/sh", all);
}

// The smallest limit, in steps of `step`, under which the command succeeds.
int64_t smallest_limit(const std::vector<std::string>& command, int64_t step) {
  int64_t refused = 0, granted = 1024 * kMiB;
  while (granted - refused > step) {
    const int64_t middle = (refused + granted) / 2;
    (limited(middle, command).status == 0 ? granted : refused) = middle;
  }
  return granted;
}

struct Counts {
  int done = 0, refused = 0;
};

// Runs the command under each limit of [from, to). It succeeds, or reports an error and ends with its status.
void check_limits(const std::vector<std::string>& command, int64_t from, int64_t to, int64_t step, Counts& counts) {
  CAPTURE(joined(command));
  for (int64_t limit = from; limit < to; limit += step) {
    CAPTURE(limit);
    const Ended ended = limited(limit, command);
    CAPTURE(ended.err);
    CHECK_FALSE(ended.hung);
    CHECK((ended.status == 0 || ended.status == 1 || ended.status == 2));
    if (ended.status != 0) CHECK(!ended.err.empty());
    ++(ended.status == 0 ? counts.done : counts.refused);
  }
}

// A Chrome trace of `spans` spans with arguments.
std::string made_trace(int spans) {
  std::string text = "[";
  for (int i = 0; i < spans; ++i)
    text += (i == 0 ? "" : ",") + std::string(R"({"ph":"X","pid":1,"tid":1,"dur":2,"ts":)") + std::to_string(3 * i) +
            R"(,"name":"span )" + std::to_string(i % 100) + R"(","args":{"a":[1,2,{"b":"text"}],"c":null}})";
  return text + "]";
}

}  // namespace

TEST_CASE("memory that an address-space limit refuses is an error, not a signal") {
  if (kSanitized) return;  // sanitizers reserve terabytes of addresses
  const TempFolder folder;
  const std::string trace = folder / "trace.json", model = folder / "model.onnx";
  write_file(trace, made_trace(20000));
  write_file(model, product_model(64, 512, 512));
  const std::vector<std::vector<std::string>> commands = {
      {"run", "--budget", "0.05", "zoo:squeezenet"},
      {"run", "--budget", "0.05", "--record", folder / "run.pftrace", "zoo:mnist_cnn"},
      {"run", "--budget", "0.05", model},
      {"plan", "--budget", "0.05", "zoo:squeezenet"},
      {"info", "zoo:squeezenet"},
      {"audit", trace},
      {"convert", trace, folder / "trace.pftrace"},
  };
  const int64_t from = smallest_limit({"--version"}, 2 * kMiB);
  const int64_t step = (std::getenv("ARENASCOPE_LONG_TESTS") ? 3 : 18) * kMiB / 2;
  Counts counts;
  for (const auto& command : commands) check_limits(command, from, from + 160 * kMiB, step, counts);
  CHECK(counts.done > 0);
  CHECK(counts.refused > 0);
}

// Just below the limit that suffices, memory is refused last to the libraries that generate code and start threads.
TEST_CASE("memory that is refused during a run is an error, not a signal") {
  if (kSanitized) return;
  const TempFolder folder;
  const std::string model = folder / "model.onnx";
  write_file(model, product_model(64, 512, 512));
  const std::vector<std::string> command = {"run", "--budget", "0.05", model};
  const int64_t enough = smallest_limit(command, kMiB);
  Counts counts;
  check_limits(command, enough - 8 * kMiB, enough + 4 * kMiB, kMiB / 8, counts);
  CHECK(counts.done > 0);
  CHECK(counts.refused > 0);
}
