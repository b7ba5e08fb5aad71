// SPDX-License-Identifier: MIT
#include <arenascope/base/step_number.h>
#include <arenascope/planner/explain.h>
#include <arenascope/planner/lower_bound.h>
#include <fmt/format.h>
#include "engine/planner/items.h"

#include <algorithm>

namespace arenascope::planner {
namespace {

struct Taken {
  Bytes lo, hi;
  int32_t buffer;
};

// The absolute bytes that buffer i needs at a step, or nothing.
std::optional<Taken> taken_at(const Interval& v, Bytes offset, int32_t i, int64_t step) {
  if (step < v.lower || step >= v.upper) return std::nullopt;
  for (const Gap& g : v.gaps) {
    if (step < g.lower || step >= g.upper) continue;
    if (g.window_lower == g.window_upper) return std::nullopt;
    return Taken{offset + g.window_lower, offset + g.window_upper, i};
  }
  return Taken{offset, offset + v.size, i};
}

bool overlap(const Interval& v, Bytes v_offset, const Interval& w, Bytes w_offset, int64_t& step) {
  std::vector<Piece> pv, pw;
  append_pieces(v, pv);
  append_pieces(w, pw);
  for (const Piece& x : pv) {
    for (const Piece& y : pw) {
      if (x.lower < y.upper && y.lower < x.upper && v_offset + x.lo < w_offset + y.hi &&
          w_offset + y.lo < v_offset + x.hi) {
        step = std::max(x.lower, y.lower);
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string explain_placement(const Problem& p, const Plan& plan, size_t a, size_t b) {
  const Interval &va = p.intervals[a], &vb = p.intervals[b];
  const std::string na = p.name_of(a), nb = p.name_of(b);
  const Bytes there = plan.offsets[b];
  if (a == b || plan.offsets[a] == there) return fmt::format("{} is where {} is, at {}.", na, nb, there);
  if (va.fixed_offset) return fmt::format("{} is fixed at {}, and {} is at {}.", na, *va.fixed_offset, nb, there);
  if (there % p.alignment_of(a) != 0) {
    return fmt::format("{} must be aligned to {} bytes, and {} is at {}.", na, p.alignment_of(a), nb, there);
  }
  int64_t step = 0;
  if (overlap(va, there, vb, there, step)) {
    return fmt::format("{} lives from step {} to {} and {} from step {} to {}: at step {} both need those bytes.", na,
                       step_number(va.lower), last_step_number(va.upper), nb, step_number(vb.lower),
                       last_step_number(vb.upper), step_number(step));
  }
  for (const Attachment& x : p.attachments) {
    if (x.part == static_cast<int32_t>(a)) {
      return fmt::format("{} is part of {} and must be placed {} bytes into it.", na, p.name_of(x.whole), x.shift);
    }
  }
  // Its lifetime does not overlap b's; then a third buffer is in the way. The one that shares most bytes is named.
  int32_t blocker = -1;
  Bytes most = 0;
  int64_t blocked_at = 0;
  int others = 0;
  for (size_t k = 0; k < p.size(); ++k) {
    if (k == a) continue;
    const Bytes o = plan.offsets[k];
    const Bytes shared = std::min(there + va.size, o + p.intervals[k].size) - std::max(there, o);
    if (shared <= 0 || !overlap(va, there, p.intervals[k], o, step)) continue;
    ++others;
    if (shared > most) {
      most = shared;
      blocker = static_cast<int32_t>(k);
      blocked_at = step;
    }
  }
  if (blocker >= 0) {
    return fmt::format("{} and {} are never alive together, but {} (bytes {} to {}) is in the way at step {}{}.", na,
                       nb, p.name_of(blocker), plan.offsets[blocker], plan.offsets[blocker] + p.intervals[blocker].size,
                       step_number(blocked_at), others > 1 ? fmt::format(", and {} more", others - 1) : "");
  }
  if (p.capacity && there + va.size > *p.capacity) {
    return fmt::format("{} would end at {}, beyond the capacity of {}.", na, there + va.size, *p.capacity);
  }
  if (there + va.size > plan.arena_bytes) {
    return fmt::format("{} would end at {} there and make the arena larger, which now ends at {}.", na, there + va.size,
                       plan.arena_bytes);
  }
  return fmt::format("{} could be placed where {} is: bytes {} to {} are free during its whole lifetime.", na, nb,
                     there, there + va.size);
}

Result<size_t> find_interval(const Problem& p, std::string_view name) {
  for (size_t i = 0; i < p.size(); ++i) {
    if (p.ids.empty() ? p.name_of(i) == name : p.ids[i] == name) return i;
  }
  return Error{fmt::format("There is no buffer named {}.", name)};
}

Peak find_peak(const Problem& p) {
  Peak peak;
  for (const auto& [step, bytes] : live_bytes(p)) {
    if (bytes > peak.live_bytes) peak = {step, bytes, {}};
  }
  for (size_t i = 0; i < p.size(); ++i) {
    if (taken_at(p.intervals[i], 0, 0, peak.step)) peak.buffers.push_back(static_cast<int32_t>(i));
  }
  std::stable_sort(peak.buffers.begin(), peak.buffers.end(),
                   [&](int32_t a, int32_t b) { return p.intervals[a].size > p.intervals[b].size; });
  return peak;
}

std::vector<Hole> holes_at(const Problem& p, const Plan& plan, int64_t step) {
  std::vector<Taken> taken;
  for (size_t i = 0; i < p.size(); ++i) {
    if (const auto t = taken_at(p.intervals[i], plan.offsets[i], static_cast<int32_t>(i), step)) taken.push_back(*t);
  }
  std::sort(taken.begin(), taken.end(), [](const Taken& a, const Taken& b) { return a.lo < b.lo; });
  std::vector<Hole> holes;
  Bytes end = 0;
  for (const Taken& t : taken) {
    if (t.lo > end) holes.push_back({step, step + 1, end, t.lo - end, t.buffer});
    end = std::max(end, t.hi);
  }
  return holes;
}

}  // namespace arenascope::planner
