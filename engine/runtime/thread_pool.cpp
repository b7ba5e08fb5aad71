// SPDX-License-Identifier: MIT
#include <arenascope/runtime/thread_pool.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <sched.h>

namespace arenascope {

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(int threads) {
  if (threads < 1 || threads > kMaxThreads)
    return Error{fmt::format("{} threads are not between 1 and {}", threads, kMaxThreads)};
  std::unique_ptr<ThreadPool> pool(new ThreadPool(threads));
  try {
    for (int i = 1; i < threads; ++i) pool->workers_.emplace_back([p = pool.get(), i] { p->work(i); });
  } catch (const std::system_error& error) {
    return Error{fmt::format("the system refused thread {} of {}: {}", pool->workers_.size() + 2, threads, error.what())};
  }
  return pool;
}

ThreadPool::~ThreadPool() {
  stopping_.store(true);
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(const std::function<void(int)>& part) {
  part_ = &part;
  busy_.store(threads_ - 1, std::memory_order_relaxed);
  if (threads_ > 1) {
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  part(0);
  for (int left = busy_.load(std::memory_order_acquire); left != 0; left = busy_.load(std::memory_order_acquire))
    busy_.wait(left, std::memory_order_acquire);
}

void ThreadPool::work(int index) {
  uint32_t seen = 0;
  while (true) {
    round_.wait(seen, std::memory_order_acquire);
    const uint32_t now = round_.load(std::memory_order_acquire);
    if (now == seen) continue;
    seen = now;
    if (stopping_.load()) return;
    (*part_)(index);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

int usable_processors() {
  int count = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
  std::ifstream quota("/sys/fs/cgroup/cpu.max");
  std::string most;
  double period = 0;
  if (quota >> most >> period && most != "max" && period > 0)
    count = std::min(count, static_cast<int>(std::ceil(std::atof(most.c_str()) / period)));
  return std::max(count, 1);
}

}  // namespace arenascope
