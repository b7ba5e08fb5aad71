// SPDX-License-Identifier: MIT
#include <arenascope/runtime/barrier.h>
#include <arenascope/runtime/run_control.h>
#include <arenascope/runtime/thread_pool.h>
#include <doctest/doctest.h>

#include <chrono>
#include <thread>
#include <vector>

using namespace arenascope;

TEST_CASE("a pool calls every part once a round, round after round") {
  for (int threads : {1, 2, 4, 7}) {
    auto pool = ThreadPool::create(threads);
    REQUIRE(pool.ok());
    std::vector<std::atomic<int>> calls(static_cast<size_t>(threads));
    for (int round = 0; round < 200; ++round) (*pool)->run([&](int ith) { ++calls[static_cast<size_t>(ith)]; });
    for (auto& count : calls) CHECK(count == 200);
  }
}

TEST_CASE("a pool of no or too many threads is refused in a sentence") {
  CHECK(ThreadPool::create(0).error().message.find("0 threads") != std::string::npos);
  CHECK_FALSE(ThreadPool::create(-3).ok());
  CHECK_FALSE(ThreadPool::create(ThreadPool::kMaxThreads + 1).ok());
}

TEST_CASE("nobody leaves a barrier before all have arrived, and the serial section runs once in between") {
  for (int threads : {2, 3, 5}) {
    for (int spins : {0, 4000}) {
      auto pool = ThreadPool::create(threads);
      REQUIRE(pool.ok());
      Barrier barrier(threads, spins);
      int serial = 0;  // written in serial sections only
      std::atomic<int> wrong{0};
      (*pool)->run([&](int) {
        for (int i = 0; i < 500; ++i) {
          barrier.arrive_and_wait([&] { ++serial; });
          if (serial != i + 1) ++wrong;
          barrier.arrive_and_wait([] {});
        }
      });
      CHECK(serial == 500);
      CHECK(wrong == 0);
      CHECK(barrier.generation() == 1000);
    }
  }
}

TEST_CASE("a paused control waits, steps one node at a time, and can be aborted") {
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
