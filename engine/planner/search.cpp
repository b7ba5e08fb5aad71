// SPDX-License-Identifier: MIT
#include <arenascope/planner/planner.h>

namespace arenascope::planner {
namespace {

class Search final : public Planner {
 public:
  std::string_view name() const override { return "search"; }
  std::string_view description() const override { return "The default: improves until its budget or a proof."; }
  Result<Plan> plan(const Problem& problem, const Options& options) const override {
    std::optional<Plan> best;
    for (const Planner* p : all_planners()) {
      if (p == this) continue;
      Result<Plan> next = p->plan(problem, options);
      if (!next) return next.error();
      if (!best || next->arena_bytes < best->arena_bytes) best = std::move(*next);
    }
    best->planner = name();
    return std::move(*best);
  }
};

}  // namespace

const Planner& search() {
  static const Search p;
  return p;
}

}  // namespace arenascope::planner
