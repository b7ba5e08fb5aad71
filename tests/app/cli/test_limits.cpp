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

// The smallest limit, in steps of 2 MiB, under which the program can be loaded.
int64_t smallest_limit() {
  int64_t refused = 0, granted = 1024 * kMiB;
  while (granted - refused > 2 * kMiB) {
    const int64_t middle = (refused + granted) / 2;
    (limited(middle, {"--version"}).status == 0 ? granted : refused) = middle;
  }
  return granted;
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
  const int64_t from = smallest_limit(), step = (std::getenv("ARENASCOPE_LONG_TESTS") ? 3 : 18) * kMiB / 2;
  int done = 0, refused = 0;
  for (const auto& command : commands)
    for (int64_t limit = from; limit < from + 160 * kMiB; limit += step) {
      CAPTURE(joined(command));
      CAPTURE(limit);
      const Ended ended = limited(limit, command);
      CAPTURE(ended.err);
      CHECK_FALSE(ended.hung);
      CHECK((ended.status == 0 || ended.status == 1 || ended.status == 2));
      if (ended.status != 0) CHECK(!ended.err.empty());
      ++(ended.status == 0 ? done : refused);
    }
  CHECK(done > 0);
  CHECK(refused > 0);
}
