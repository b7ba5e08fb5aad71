// SPDX-License-Identifier: MIT
#include <arenascope/peaks/loops.h>
#include <arenascope/peaks/machine_peaks.h>
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include "engine/peaks/bandwidth_arrays.h"
#include "engine/peaks/loop_threads.h"
#include "tests/sanitized.h"
#include "tests/support/limited_memory.h"
#include "tests/support/temp_folder.h"

using namespace arenascope;

namespace {

constexpr size_t kMiB = size_t{1} << 20;

// The value that `work` returns in a child process that gets at most `spare` bytes of addresses more and ends after a minute;
// 128 + the signal that ended it.
template <class F>
int with_limited_addresses(size_t spare, F&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(test::limit_addresses(spare) ? work() : 100);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void add_cache(const test::TempFolder& root, int processor, int index, const char* level, const char* type,
               const char* size, const char* sharing) {
  const auto folder = root.path() / "sys/devices/system/cpu" / ("cpu" + std::to_string(processor)) / "cache" /
                      ("index" + std::to_string(index));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "level") << level << "\n";
  std::ofstream(folder / "type") << type << "\n";
  std::ofstream(folder / "size") << size << "\n";
  std::ofstream(folder / "shared_cpu_list") << sharing << "\n";
}

}  // namespace

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

TEST_CASE("each thread makes its own loop") {
  std::mutex mutex;
  std::set<std::thread::id> makers;
  LoopThreads threads(3, [&] {
    const std::scoped_lock lock(mutex);
    makers.insert(std::this_thread::get_id());
    return [] {};
  });
  REQUIRE(threads.start().ok());
  CHECK(makers.size() == 3);
  CHECK_FALSE(makers.contains(std::this_thread::get_id()));
  CHECK(threads.calls_per_second(0.01) > 0);
  CHECK(threads.calls_per_second(0.01) > 0);
}

TEST_CASE("a loop that gets no memory is an error") {
  LoopThreads threads(2, []() -> loops::Loop { throw std::bad_alloc(); });
  const Status started = threads.start();
  REQUIRE_FALSE(started.ok());
  CHECK(started.error().message.find("no memory") != std::string::npos);
}

TEST_CASE("a thread that cannot be started is an error, and the others end") {
  if (test::kSanitized || !loops::multiply_add(1)) return;
  const int result = with_limited_addresses(100 * kMiB, [] {
    PeakOptions options;
    options.threads = 200;  // the stack of each has 8 MiB
    options.seconds = 0.1;
    const auto peaks = measure_machine_peaks(options);
    return peaks.ok() ? 1 : peaks.error().message.find(" of 200 could not be started: ") == std::string::npos ? 2 : 0;
  });
  CHECK(result == 0);
}

TEST_CASE("a loop that reads allocates no array that it does not read") {
  if (test::kSanitized || !loops::read(1)) return;
  const int result = with_limited_addresses(150 * kMiB, [] {
    try {
      loops::read(static_cast<int64_t>(64 * kMiB / sizeof(float)))();
      return 0;
    } catch (const std::bad_alloc&) {
      return 1;
    }
  });
  CHECK(result == 0);
}

TEST_CASE("the caches of the processors are added up: shared ones once, and one per thread at most") {
  const test::TempFolder root;
  CHECK(cache_bytes({0, 1}, 2, root.path()) == 0);
  for (int i = 0; i < 4; ++i) {
    const std::string own = std::to_string(i);
    add_cache(root, i, 0, "1", "Data", "32K", own.c_str());
    add_cache(root, i, 1, "1", "Instruction", "64K", own.c_str());
    add_cache(root, i, 2, "3", "Unified", i < 2 ? "96M" : "32768K", i < 2 ? "0-1" : "2-3");
  }
  constexpr Bytes kKiB = 1024, kAll = 4 * 32 * kKiB + 128 * 1024 * kKiB;
  CHECK(cache_bytes({0, 1, 2, 3}, 4, root.path()) == kAll);
  CHECK(cache_bytes({0, 1, 2, 3}, 1, root.path()) == 32 * kKiB + 96 * 1024 * kKiB);
  CHECK(cache_bytes({2, 3}, 8, root.path()) == 64 * kKiB + 32 * 1024 * kKiB);
  CHECK(cache_bytes({7}, 1, root.path()) == 0);
}

TEST_CASE("the arrays exceed the caches four times, or the memory is reported to be too small") {
  constexpr Bytes kMebi = Bytes{1} << 20;
  const auto free = [](Bytes bytes) { return AvailableMemory{bytes, 64 * 1024 * kMebi, "memory of the machine"}; };
  CHECK(*array_bytes(1, 32 * kMebi, AvailableMemory{}) == 512 * kMebi);
  CHECK(*array_bytes(16, 32 * kMebi, AvailableMemory{}) == 32 * kMebi);
  CHECK(*array_bytes(16, 1024 * kMebi, AvailableMemory{}) == 256 * kMebi);
  CHECK(*array_bytes(2, 32 * kMebi, free(400 * kMebi)) == 100 * kMebi);
  CHECK(*array_bytes(3, 32 * kMebi, free(140 * kMebi)) >= 128 * kMebi / 3);
  const auto refused = array_bytes(1, 1024 * kMebi, free(2048 * kMebi));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("needs 4.00 GiB of memory, and 2.00 GiB are free") != std::string::npos);
}
