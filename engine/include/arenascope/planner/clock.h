// SPDX-License-Identifier: MIT
// When a search has to end: at its budget, or on request.
#pragma once
#include <arenascope/planner/planner.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <stop_token>

namespace arenascope::planner {

// Thrown by a StopCheck out of the long loop or sort that calls it; search() catches it and returns what it has.
struct Interrupted {};

// Polled in long loops: throws after a stop was requested. Without a token it never throws.
class StopCheck {
 public:
  StopCheck() = default;
  explicit StopCheck(std::stop_token stop) : stop_(std::move(stop)) {}
  void operator()() const {
    if ((++calls_ & 511) == 0 && stop_.stop_requested()) throw Interrupted{};
  }
  void now() const {
    if (stop_.stop_requested()) throw Interrupted{};
  }

 private:
  std::stop_token stop_;
  mutable uint32_t calls_ = 0;
};

// A search step is one check of the deadline, which follows 16 placements or 128 decisions. A core makes about so many per
// second, so that shares of a budget in seconds apply to a budget in steps.
inline constexpr double kStepsPerSecond = 20'000;

class Deadline {
 public:
  // With `processor_time` what counts is the time that this process was at work, on all its threads together.
  Deadline(double budget_seconds, std::stop_token stop, bool processor_time = false)
      : processor_time_(processor_time), start_(now()), budget_(budget_seconds), stop_(std::move(stop)) {}
  // With a budget in steps seconds() counts steps, which are the same on every machine and under any load.
  explicit Deadline(const Options& options) : Deadline(options.budget_seconds, options.stop, options.processor_time) {
    if (options.budget_steps <= 0) return;
    steps_ = std::make_shared<std::atomic<int64_t>>(0);
    budget_ = static_cast<double>(options.budget_steps) / kStepsPerSecond;
  }
  double seconds() const { return steps_ ? static_cast<double>(*steps_) / kStepsPerSecond : measured_seconds(); }
  double measured_seconds() const { return now() - start_; }
  double left() const { return stop_.stop_requested() ? 0 : budget_ - seconds(); }
  bool over() const {
    if (steps_) steps_->fetch_add(1, std::memory_order_relaxed);
    return stop_.stop_requested() || seconds() >= budget_;
  }
  StopCheck stop_check() const { return StopCheck(stop_); }
  bool stopped() const { return stop_.stop_requested(); }
  // The same start, another end.
  Deadline ending_at(double seconds_after_start) const {
    Deadline d = *this;
    d.budget_ = seconds_after_start;
    return d;
  }

 private:
  double now() const {
    if (processor_time_) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  bool processor_time_;
  double start_;
  double budget_;
  std::stop_token stop_;
  std::shared_ptr<std::atomic<int64_t>> steps_;  // made so far, by all copies; null: the budget is in seconds
};

}  // namespace arenascope::planner
