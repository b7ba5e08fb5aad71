// SPDX-License-Identifier: MIT
#include <arenascope/runtime/barrier.h>
#include <arenascope/runtime/run_control.h>
#include <arenascope/runtime/thread_pool.h>
#include <doctest/doctest.h>

#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <vector>

using namespace arenascope;

TEST_CASE("a pool calls every part once per round") {
  for (int threads : {1, 2, 4, 7}) {
    auto pool = ThreadPool::create(threads);
    REQUIRE(pool.ok());
    std::vector<std::atomic<int>> calls(static_cast<size_t>(threads));
    for (int round = 0; round < 200; ++round) (*pool)->run([&](int ith) { ++calls[static_cast<size_t>(ith)]; });
    for (auto& count : calls) CHECK(count == 200);
  }
}

TEST_CASE("a pool of zero or too many threads is an error") {
  CHECK(ThreadPool::create(0).error().message.find("not 0") != std::string::npos);
  CHECK_FALSE(ThreadPool::create(-3).ok());
  CHECK_FALSE(ThreadPool::create(ThreadPool::kMaxThreads + 1).ok());
}

TEST_CASE("no thread leaves a barrier before all have arrived, and the serial section runs once in between") {
  for (int threads : {2, 3, 5}) {
    for (int spins : {0, 4000}) {
      auto pool = ThreadPool::create(threads);
      REQUIRE(pool.ok());
      Barrier barrier(threads, spins);
      int serial = 0;  // written in serial sections only
      std::atomic<int> wrong{0};
      (*pool)->run([&](int ith) {
        for (int i = 0; i < 500; ++i) {
          barrier.meet(ith, [&] { ++serial; });
          if (serial != i + 1) ++wrong;
          barrier.meet(ith);
        }
      });
      CHECK(serial == 500);
      CHECK(wrong == 0);
      for (int i = 0; i < threads; ++i) CHECK(barrier.generation(i) == 1000);
    }
  }
}

TEST_CASE("a paused control waits, steps node by node, and can be aborted") {
  RunControl control;
  control.pause();
  std::atomic<int> passed{0};
  std::atomic<bool> ended{false};
  std::thread runner([&] {
    for (int i = 0; control.before(Step(i)); ++i) ++passed;
    ended = true;
  });
  const auto settle = [&] {
    for (int i = 0; i < 2000 && !control.paused(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(control.paused());
  };
  settle();
  CHECK(passed == 0);
  for (int i = 1; i <= 3; ++i) {
    control.step();
    for (int spin = 0; spin < 2000 && passed < i; ++spin) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    settle();
    CHECK(passed == i);
  }
  control.run_to(Step(10));
  for (int spin = 0; spin < 2000 && passed < 10; ++spin) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  settle();
  CHECK(passed == 10);
  control.abort();
  runner.join();
  CHECK(ended);
}

namespace {

void put(const std::filesystem::path& file, const char* text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("the CPU quota is the minimum of the cgroup and its parents, in both versions") {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("arenascope-quota-" + std::to_string(getpid()));
  CHECK_FALSE(processor_quota(root, "0::/").has_value());
  put(root / "cpu.max", "max 100000\n");
  CHECK_FALSE(processor_quota(root, "0::/").has_value());
  put(root / "pod" / "cpu.max", "250000 100000\n");
  put(root / "pod" / "box" / "cpu.max", "max 100000\n");
  CHECK(processor_quota(root, "0::/pod/box\n") == 2.5);
  CHECK_FALSE(processor_quota(root, "0::/other\n").has_value());
  put(root / "pod" / "box" / "cpu.max", "50000 100000\n");
  CHECK(processor_quota(root, "0::/pod/box\n") == 0.5);
  CHECK_FALSE(processor_quota(root, "0::/../pod\nnonsense\n:\n").has_value());
  put(root / "cpu,cpuacct" / "job" / "cpu.cfs_quota_us", "150000");
  put(root / "cpu,cpuacct" / "job" / "cpu.cfs_period_us", "100000");
  CHECK(processor_quota(root, "4:cpu,cpuacct:/job\n3:memory:/pod\n") == 1.5);
  put(root / "cpu,cpuacct" / "job" / "cpu.cfs_quota_us", "-1");
  CHECK_FALSE(processor_quota(root, "4:cpu,cpuacct:/job\n").has_value());
  put(root / "cpu.max", "rubbish");
  CHECK_FALSE(processor_quota(root, "0::/").has_value());
  std::filesystem::remove_all(root);
  CHECK(usable_processors() >= 1);
}

TEST_CASE("threads keep their affinity, and the caller's affinity is restored") {
  cpu_set_t allowed;
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  int processor = 0;
  while (!CPU_ISSET(processor, &allowed)) ++processor;
  auto pool = ThreadPool::create(3, {{processor}, 1});
  REQUIRE(pool.ok());
  std::atomic<int> wrong{0};
  (*pool)->run([&](int) { wrong += sched_getcpu() != processor; });
  CHECK(wrong == 0);
  cpu_set_t after;
  REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
  CHECK(CPU_EQUAL(&allowed, &after));
  CHECK(ThreadPool::create(2, {{1000000}, 0}).error().message.find("processor 1000000") != std::string::npos);
}

TEST_CASE("a thread that wakes up on a busy processor moves to a free one without being pinned") {
  cpu_set_t allowed;
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  if (usable_processors() < 2) return;
  auto pool = ThreadPool::create(2);
  REQUIRE(pool.ok());
  const auto hold = [](int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  };
  int processor = 0, moved_to = -1;
  while (!CPU_ISSET(processor, &allowed)) ++processor;
  REQUIRE(hold(processor));
  cpu_set_t after;
  std::atomic<bool> done{false}, placed{false};
  (*pool)->run([&](int ith) {
    if (ith == 0) {
      while (!done) cpu_relax();
      return;
    }
    placed = hold(processor) && sched_getcpu() == processor && sched_setaffinity(0, sizeof allowed, &allowed) == 0;
    (*pool)->spread(1);
    moved_to = sched_getcpu();
    sched_getaffinity(0, sizeof after, &after);
    done = true;
  });
  REQUIRE(sched_setaffinity(0, sizeof allowed, &allowed) == 0);
  CHECK(placed);
#if __has_include(<sys/rseq.h>) && !defined(__SANITIZE_THREAD__)
  CHECK(moved_to != processor);
#endif
  CHECK(CPU_EQUAL(&after, &allowed));
}

TEST_CASE("more threads than processors share the processors") {
  cpu_set_t allowed, one;
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  int processor = 0;
  while (!CPU_ISSET(processor, &allowed)) ++processor;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  auto pool = ThreadPool::create(2);
  REQUIRE(pool.ok());
  std::atomic<int> right{0};
  (*pool)->run([&](int ith) {
    (*pool)->spread(ith);
    cpu_set_t now;
    right += sched_getcpu() == processor && sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &one);
  });
  REQUIRE(sched_setaffinity(0, sizeof allowed, &allowed) == 0);
  CHECK(right == 2);
}

TEST_CASE("a pool measures how long its threads waited for a processor") {
  cpu_set_t allowed, one;
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  int processor = 0;
  while (!CPU_ISSET(processor, &allowed)) ++processor;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  auto pool = ThreadPool::create(2);
  REQUIRE(pool.ok());
  (*pool)->run([](int) {});
  const Nanoseconds before = (*pool)->queued();
  (*pool)->run([](int) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(60);
    while (std::chrono::steady_clock::now() < end) cpu_relax();
  });
  const Nanoseconds after = (*pool)->queued();
  REQUIRE(sched_setaffinity(0, sizeof allowed, &allowed) == 0);
  if (std::filesystem::exists("/proc/thread-self/schedstat")) CHECK(after - before > 10'000'000);
}

TEST_CASE("run() rethrows an exception of any thread after all threads have returned") {
  for (const int thrower : {0, 1, 2}) {
    auto pool = ThreadPool::create(3);
    REQUIRE(pool.ok());
    std::atomic<int> returned{0};
    const auto part = [&](int ith) {
      if (ith == thrower) throw std::bad_alloc();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++returned;
    };
    CHECK_THROWS_AS((*pool)->run(part), std::bad_alloc);
    CHECK(returned == 2);
    (*pool)->run([&](int) { ++returned; });  // it continues
    CHECK(returned == 5);
  }
}

TEST_CASE("the pause callback can be replaced during a run") {
  RunControl control;
  std::atomic<bool> done{false};
  std::atomic<int> heard{0};
  std::thread run([&] {
    for (int i = 0; !done; ++i) control.before(Step(i));
  });
  for (int i = 0; i < 2000; ++i) {
    control.set_on_pause([&heard, text = std::string(100, 'x')](Step, bool) { heard += text.size() == 100; });
    control.pause();
    control.resume();
  }
  done = true;
  control.abort();
  run.join();
  CHECK(heard % 2 == 0);  // both ends of a pause are reported
}
