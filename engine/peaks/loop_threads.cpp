// SPDX-License-Identifier: MIT
#include "engine/peaks/loop_threads.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <new>
#include <utility>

namespace arenascope {

namespace {

double rate_of(const loops::Loop& loop, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  double elapsed = 0;
  int64_t calls = 0;
  do {
    loop();
    ++calls;
    elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
  } while (elapsed < seconds);
  return static_cast<double>(calls) / elapsed;
}

}  // namespace

LoopThreads::LoopThreads(int count, std::function<loops::Loop()> make)
    : make_(std::move(make)), barrier_(count + 1), rates_(static_cast<size_t>(count)) {
  threads_.reserve(rates_.size());
}

Status LoopThreads::start() {
  try {
    while (threads_.size() < rates_.size()) threads_.emplace_back([this, thread = threads_.size()] { work(thread); });
  } catch (const std::exception& problem) {  // std::system_error or std::bad_alloc
    return Error{
        fmt::format("thread {} of {} could not be started: {}", threads_.size() + 1, rates_.size(), problem.what())};
  }
  barrier_.arrive_and_wait();
  if (failed_) return Error{"no memory is left for the arrays"};
  return {};
}

// The threads wait at the barrier, also for those that could not be started.
LoopThreads::~LoopThreads() {
  stopped_ = true;
  if (threads_.size() < rates_.size()) {
    for (size_t i = threads_.size(); i < rates_.size(); ++i) barrier_.arrive_and_drop();
    barrier_.arrive_and_wait();
  }
  barrier_.arrive_and_wait();
}

void LoopThreads::work(size_t thread) {
  loops::Loop loop;
  try {
    loop = make_();
    loop();  // warms caches and clocks
  } catch (const std::bad_alloc&) {
    failed_ = true;
  }
  for (;;) {
    barrier_.arrive_and_wait();  // after the preparation or the previous round
    barrier_.arrive_and_wait();  // before a round
    if (stopped_) return;
    rates_[thread] = rate_of(loop, seconds_);
  }
}

double LoopThreads::calls_per_second(double seconds) {
  seconds_ = seconds;
  barrier_.arrive_and_wait();
  barrier_.arrive_and_wait();
  double sum = 0;
  for (const double rate : rates_) sum += rate;
  return sum;
}

}  // namespace arenascope
