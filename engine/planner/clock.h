// SPDX-License-Identifier: MIT
// When a search has to end: at its budget, or when somebody asks for it.
#pragma once
#include <chrono>
#include <stop_token>

namespace arenascope::planner {

class Deadline {
 public:
  Deadline(double budget_seconds, std::stop_token stop)
      : start_(std::chrono::steady_clock::now()), budget_(budget_seconds), stop_(std::move(stop)) {}
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  double left() const { return stop_.stop_requested() ? 0 : budget_ - seconds(); }
  bool over() const { return stop_.stop_requested() || seconds() >= budget_; }
  // The same start, another end.
  Deadline ending_at(double seconds_after_start) const {
    Deadline d = *this;
    d.budget_ = seconds_after_start;
    return d;
  }

 private:
  std::chrono::steady_clock::time_point start_;
  double budget_;
  std::stop_token stop_;
};

}  // namespace arenascope::planner
