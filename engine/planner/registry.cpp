// SPDX-License-Identifier: MIT
// The list of planners. To add one, declare its getter here and name it in the list.
#include <arenascope/planner/planner.h>

#include <vector>

namespace arenascope::planner {

const Planner& no_reuse();
const Planner& max_block();
const Planner& binary_block();
const Planner& two_level();
const Planner& online_best_fit();
const Planner& greedy_by_size();
const Planner& first_fit_by_time();
const Planner& first_fit_by_size();
const Planner& first_fit_by_area();
const Planner& first_fit_by_length();
const Planner& best_fit_by_time();
const Planner& best_fit_by_area();
const Planner& decreasing_size_best_fit();
const Planner& hybrid();
const Planner& search();

std::span<const Planner* const> all_planners() {
  static const Planner* const list[] = {
      &no_reuse(),
      &max_block(),
      &binary_block(),
      &two_level(),
      &online_best_fit(),
      &greedy_by_size(),
      &first_fit_by_time(),
      &first_fit_by_size(),
      &first_fit_by_area(),
      &first_fit_by_length(),
      &best_fit_by_time(),
      &best_fit_by_area(),
      &decreasing_size_best_fit(),
      &hybrid(),
      &search(),
  };
  return list;
}

const Planner* find_planner(std::string_view name) {
  for (const Planner* p : all_planners()) {
    if (p->name() == name) return p;
  }
  return nullptr;
}

}  // namespace arenascope::planner
