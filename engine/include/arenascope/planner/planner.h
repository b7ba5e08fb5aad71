// SPDX-License-Identifier: MIT
// The interface of all planners: a pure function from a Problem to a Plan.
// To add one: write a class in a file of its own and name it in registry.cpp.
#pragma once
#include <arenascope/planner/interval.h>
#include <arenascope/planner/plan.h>

#include <algorithm>
#include <functional>
#include <span>
#include <stop_token>
#include <string_view>

namespace arenascope::planner {

// A better plan was found, or a bound was raised.
struct Progress {
  double seconds = 0;  // since the planner started
  Bytes arena_bytes = 0;
  Bytes lower_bound = 0;
};

struct Options {
  double budget_seconds = 1.0;                       // for planners that improve with time; the others ignore it
  int64_t budget_steps = 0;                          // if > 0: instead, search steps (clock.h), on one thread
  bool processor_time = false;                       // budget and seconds count the time this process was at work
  int threads = 1;                                   // 0: one for each core
  std::stop_token stop;                              // the best plan so far is returned within 10 ms
  std::function<void(const Progress&)> on_progress;  // called from the thread that called plan()

  // Leaves one of several equal parts of the budget.
  void divide_budget(double parts) {
    budget_seconds /= parts;
    if (budget_steps > 0)
      budget_steps = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(budget_steps) / parts));
  }
};

class Planner {
 public:
  virtual ~Planner() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view description() const = 0;  // one line
  virtual bool searches() const { return false; }    // it improves with time, up to its budget
  // Errors: what validate() refuses. A plan that exceeds problem.capacity is returned, not refused.
  virtual Result<Plan> plan(const Problem& problem, const Options& options) const = 0;
};

// All planners, simplest first, the default (`search`) last.
std::span<const Planner* const> all_planners();

// Null: no planner has that name.
const Planner* find_planner(std::string_view name);

}  // namespace arenascope::planner
