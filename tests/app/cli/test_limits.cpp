// SPDX-License-Identifier: GPL-3.0-or-later
// Commands under an address-space limit (ulimit -v): refused memory is an error message and a status, never a signal.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/test_data.h"

using namespace arenascope::test;

namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

Ended limited(int64_t bytes, const std::vector<std::string>& arguments, const std::string& program = ARENASCOPE_CLI) {
  std::vector<std::string> all{"-c", "ulimit -v \"$0\"; exec \"$@\"", std::to_string(bytes / 1024), program};
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
void check_limits(const std::vector<std::string>& command, int64_t from, int64_t to, int64_t step, Counts& counts,
                  const std::string& program = ARENASCOPE_CLI) {
  CAPTURE(joined(command));
  for (int64_t limit = from; limit < to; limit += step) {
    CAPTURE(limit);
    const Ended ended = limited(limit, command, program);
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

#ifdef ARENASCOPE_WINDOW
// Qt aborts where memory is refused, so the window refuses limits that are too small for it.
TEST_CASE("an export of the window under an address-space limit is an image or an error, not a signal") {
  if (kSanitized) return;
  if (!std::filesystem::exists(ARENASCOPE_WINDOW)) {
    MESSAGE("skipped: " << ARENASCOPE_WINDOW << " is not built");
    return;
  }
  const TempFolder folder;
  const std::string image = folder / "image.png", model = folder / "model.onnx", damaged = folder / "damaged.onnx";
  write_file(model, product_model(64, 512, 512));
  std::string bytes = product_model(64, 512, 512);
  for (size_t at = 16; at < 200; at += 40) bytes[at] = static_cast<char>(bytes[at] ^ 0x15);
  write_file(damaged, bytes);
  const bool all = std::getenv("ARENASCOPE_LONG_TESTS") != nullptr;
  const int64_t loaded = 300 * kMiB;  // below it the system's loader refuses to start the program
  Counts counts;
  for (const std::string& file : {std::string("zoo:mnist_cnn"), model, damaged}) {
    const std::vector<std::string> command{"--export", "arena", "-o", image, file};
    check_limits(command, loaded, 1024 * kMiB, (all ? 60 : 300) * kMiB, counts, ARENASCOPE_WINDOW);
    check_limits(command, 1024 * kMiB, 1800 * kMiB, (all ? 30 : 260) * kMiB, counts, ARENASCOPE_WINDOW);
  }
  CHECK(counts.done > 0);
  CHECK(counts.refused > 0);
}
#endif
