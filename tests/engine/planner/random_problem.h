// SPDX-License-Identifier: MIT
// Seeded random problems for property tests.
#pragma once
#include <arenascope/planner/interval.h>

#include <random>

namespace arenascope::test {

using Random = std::mt19937_64;

inline int64_t pick(Random& random, int64_t from, int64_t to) {  // both included
  return from + static_cast<int64_t>(random() % static_cast<uint64_t>(to - from + 1));
}

struct Kinds {
  bool alignments = false, gaps = false, fixed = false, in_place = false, attachments = false;
};

// n buffers over `steps` steps. Sizes are small numbers, so that many are equal or add up to others.
inline planner::Problem random_problem(Random& random, int n, int steps, Bytes largest, Kinds kinds = {}) {
  planner::Problem p;
  p.alignment = 1;
  Bytes fixed_from = 0;
  for (int i = 0; i < n; ++i) {
    planner::Interval v;
    v.lower = pick(random, 0, steps - 1);
    v.upper = pick(random, v.lower + 1, pick(random, 0, 2) == 0 ? steps : std::min<int64_t>(steps, v.lower + 4));
    v.size = pick(random, 1, largest);
    if (kinds.alignments && pick(random, 0, 2) == 0) {
      static constexpr Bytes kAlignments[] = {1, 2, 3, 8, 16, 64};
      v.alignment = kAlignments[pick(random, 0, 5)];
    }
    if (kinds.gaps && v.upper - v.lower > 3 && pick(random, 0, 2) == 0) {
      planner::Gap g{v.lower + 1, v.upper - 1, 0, 0};
      if (pick(random, 0, 1) == 0) {
        g.window_lower = pick(random, 0, v.size);
        g.window_upper = pick(random, g.window_lower, v.size);
      }
      v.gaps.push_back(g);
    }
    if (kinds.fixed && pick(random, 0, 9) == 0) {  // one above the other, so that they never collide
      const Bytes a = v.alignment > 0 ? v.alignment : p.alignment;
      v.fixed_offset = (fixed_from + a - 1) / a * a;
      fixed_from = *v.fixed_offset + v.size;
    }
    p.intervals.push_back(std::move(v));
  }
  if (kinds.in_place) {
    for (int i = 1; i < n; ++i) {
      if (pick(random, 0, 3) == 0) p.in_place.push_back({static_cast<int32_t>(pick(random, 0, i - 1)), i, 0});
    }
  }
  if (kinds.attachments) {  // some buffers become the parts of a later, larger one
    for (int i = 3; i < n; i += 4) {
      planner::Interval &whole = p.intervals[i], &a = p.intervals[i - 1], &b = p.intervals[i - 2];
      if (whole.fixed_offset || a.fixed_offset || b.fixed_offset) continue;
      a.alignment = b.alignment = whole.alignment = 1;
      a.gaps.clear();
      b.gaps.clear();
      whole.gaps.clear();
      whole.size = a.size + b.size;
      p.attachments.push_back({i - 1, i, 0});
      p.attachments.push_back({i - 2, i, a.size});
    }
  }
  return p;
}

// Buffers that together fill every step up to exactly `load`; whether they can be packed that tightly is open.
inline planner::Problem random_tight_problem(Random& random, int steps, Bytes load) {
  planner::Problem p;
  p.alignment = 1;
  std::vector<Bytes> left(static_cast<size_t>(steps), load);
  for (;;) {
    int64_t from = pick(random, 0, steps - 1), tries = 0;
    while (left[from] == 0 && tries++ < steps) from = (from + 1) % steps;
    if (left[from] == 0) return p;
    int64_t to = from + 1;
    Bytes room = left[from];
    while (to < steps && left[to] > 0 && pick(random, 0, 3) > 0) room = std::min(room, left[to++]);
    planner::Interval v;
    v.lower = from;
    v.upper = to;
    v.size = pick(random, 1, room);
    for (int64_t s = from; s < to; ++s) left[s] -= v.size;
    p.intervals.push_back(std::move(v));
  }
}

}  // namespace arenascope::test
