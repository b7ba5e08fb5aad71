// SPDX-License-Identifier: MIT
#include "engine/planner/skyline.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace arenascope::planner {
namespace {

constexpr Bytes kOpen = std::numeric_limits<Bytes>::max() / 4;  // a wall without end
constexpr int32_t kMaxSeen = 512;                               // maximum number of items examined in a wide valley

bool better(const Valley& x, const Valley& y) {
  return y.a < 0 || x.ways < y.ways || (x.ways == y.ways && x.tight > y.tight);
}

}  // namespace

Skyline::Skyline(const Sections& p, const StopCheck& stop_check) : p_(p) {
  const size_t n = p.items(), m = static_cast<size_t>(p.count);
  by_lower.resize(n);
  std::iota(by_lower.begin(), by_lower.end(), 0);
  by_upper = by_lower;
  // Larger ones first; items with equal lifetimes are adjacent.
  std::sort(by_lower.begin(), by_lower.end(), [&](int32_t a, int32_t b) {
    stop_check();
    return std::make_tuple(p.lower[a], -p.upper[a], -p.size[a], a) <
           std::make_tuple(p.lower[b], -p.upper[b], -p.size[b], b);
  });
  std::sort(by_upper.begin(), by_upper.end(), [&](int32_t a, int32_t b) {
    stop_check();
    return std::make_tuple(p.upper[a], p.lower[a], -p.size[a], a) <
           std::make_tuple(p.upper[b], p.lower[b], -p.size[b], b);
  });
  lower_at.assign(m + 2, 0);
  upper_at.assign(m + 2, 0);
  std::vector<Bytes> change(m + 1, 0);
  std::vector<int32_t> cross(m + 2, 0);
  for (size_t i = 0; i < n; ++i) {
    ++lower_at[p.lower[i] + 1];
    ++upper_at[p.upper[i] + 1];
    change[p.lower[i]] += p.size[i];
    change[p.upper[i]] -= p.size[i];
    ++cross[p.lower[i] + 1];
    --cross[p.upper[i]];
  }
  std::partial_sum(lower_at.begin(), lower_at.end(), lower_at.begin());
  std::partial_sum(upper_at.begin(), upper_at.end(), upper_at.begin());
  std::partial_sum(change.begin(), change.end(), change.begin());
  std::partial_sum(cross.begin(), cross.end(), cross.begin());
  all_.assign(change.begin(), change.begin() + static_cast<std::ptrdiff_t>(m));
  all_crossing_.assign(cross.begin(), cross.begin() + static_cast<std::ptrdiff_t>(m) + 1);
  group_.resize(n);
  int32_t groups = 0;
  for (size_t k = 0; k < n; ++k) {
    const int32_t i = by_lower[k], before = k > 0 ? by_lower[k - 1] : i;
    if (p.lower[i] != p.lower[before] || p.upper[i] != p.upper[before]) ++groups;
    group_[i] = groups;
  }
  group_top_.resize(static_cast<size_t>(groups) + 1);
  if (n > 0) min_size_ = *std::min_element(p.size.begin(), p.size.end());
  chunk_.resize(m / kChunk + 1);
  dirty_.resize(chunk_.size());
  inner_.resize(kMaxSeen + 1);
}

bool Skyline::reset(Bytes capacity) {
  capacity_ = capacity;
  rest_ = all_;
  crossing_ = all_crossing_;
  floor_.assign(static_cast<size_t>(p_.count), 0);
  offset_.assign(p_.items(), -1);
  std::fill(group_top_.begin(), group_top_.end(), -1);
  std::fill(dirty_.begin(), dirty_.end(), 1);
  trail_.clear();
  return all_.empty() || *std::max_element(all_.begin(), all_.end()) <= capacity;
}

// Marks what must be recomputed: valleys that begin in [from, to], and the one that contains from - 1.
void Skyline::touch(int32_t from, int32_t to) {
  int32_t s = std::max(from - 1, 0);
  while (s > 0 && floor_[s - 1] == floor_[s] && rest_[s - 1] > 0 && crossing_[s] > 0) --s;
  std::fill(dirty_.begin() + s / kChunk, dirty_.begin() + std::min(to, p_.count - 1) / kChunk + 1, 1);
}

bool Skyline::place(int32_t i) {
  const int32_t l = p_.lower[i], u = p_.upper[i];
  const Bytes at = floor_[l], size = p_.size[i], end = at + size;
  trail_.push_back({i, l, u, group_top_[group_[i]], at});
  touch(l, u);
  offset_[i] = at;
  group_top_[group_[i]] = i;
  Bytes most = 0;
  for (int32_t s = l; s < u; ++s) {
    rest_[s] -= size;
    most = std::max(most, rest_[s]);
    floor_[s] = end;
  }
  for (int32_t s = l + 1; s < u; ++s) --crossing_[s];
  return end + most <= capacity_;
}

bool Skyline::raise(int32_t from, int32_t to, Bytes floor) {
  trail_.push_back({-1, from, to, 0, floor_[from]});
  touch(from, to);
  Bytes most = 0;
  for (int32_t s = from; s < to; ++s) {
    floor_[s] = floor;
    most = std::max(most, rest_[s]);
  }
  return floor + most <= capacity_;
}

void Skyline::undo(size_t mark) {
  while (trail_.size() > mark) {
    const Change c = trail_.back();
    trail_.pop_back();
    std::fill(floor_.begin() + c.from, floor_.begin() + c.to, c.floor);
    if (c.item >= 0) {
      offset_[c.item] = -1;
      group_top_[group_[c.item]] = c.before;
      for (int32_t s = c.from; s < c.to; ++s) rest_[s] += p_.size[c.item];
      for (int32_t s = c.from + 1; s < c.to; ++s) ++crossing_[s];
    }
    touch(c.from, c.to);
  }
}

// True if some section of the valley must waste more than allowed: only items that stay within the valley can fill
// it up to its lower wall.
bool Skyline::starved(const Valley& v) const {
  const Bytes m = floor_[v.a], depth = std::min(v.left, v.right) - m;
  if (depth > kOpen / 2 || v.b - v.a > kMaxSeen) return false;
  std::fill_n(inner_.begin(), v.b - v.a + 1, 0);
  for (int32_t k = lower_at[v.a]; k < lower_at[v.b]; ++k) {
    const int32_t i = by_lower[k];
    if (offset_[i] >= 0 || p_.upper[i] > v.b) continue;
    inner_[p_.lower[i] - v.a] += p_.size[i];
    inner_[p_.upper[i] - v.a] -= p_.size[i];
  }
  Bytes sum = 0;
  for (int32_t s = v.a; s < v.b; ++s) {
    sum += inner_[s - v.a];
    if (sum < depth - (capacity_ - m - rest_[s])) return true;
  }
  return false;
}

// Offset of the next item over the first (last) section if none starts at floor level there: on a wall, or, if it
// stays within the valley, on another one in it. No item begins in the sections between the first and `to`, so they
// share its fate. A section in the middle that is shared by what is excluded only where an item begins there keeps its
// floor; one that is merely beyond the first section can be reached by items that begin at it and cross the far wall.
Skyline::End Skyline::first_end(const Valley& v) const {
  const int32_t a = v.a, b = v.b;
  const Bytes floor = floor_[a];
  int32_t ways = 0, reach = a + 1, to = b, seen = 0;
  bool longer = false;
  for (int32_t k = lower_at[a]; k < lower_at[a + 1]; ++k) {
    const int32_t i = by_lower[k];
    if (offset_[i] >= 0) continue;
    if (p_.upper[i] > b) {
      longer = true;
    } else {
      ++ways;
      reach = std::max(reach, p_.upper[i]);
    }
  }
  Bytes raise = std::min(v.left, longer || ways > 0 ? v.right : kOpen);
  for (int32_t k = lower_at[a + 1]; k < lower_at[b]; ++k) {
    const int32_t i = by_lower[k];
    if (offset_[i] >= 0 || p_.upper[i] > b) continue;
    if (to == b) to = p_.lower[i];
    if (p_.lower[i] >= reach) break;
    raise = std::min(raise, floor + p_.size[i]);
    if (++seen == kMaxSeen) {
      raise = std::min(raise, floor + min_size_);
      break;
    }
  }
  if (to > a + 1) raise = std::min(raise, v.right);
  return {ways + (raise + rest_[a] <= capacity_ ? 1 : 0), floor + rest_[a], raise, a, to};
}

Skyline::End Skyline::last_end(const Valley& v) const {
  const int32_t a = v.a, b = v.b;
  const Bytes floor = floor_[a];
  int32_t ways = 0, reach = b - 1, from = a, seen = 0;
  bool longer = false;
  for (int32_t k = upper_at[b]; k < upper_at[b + 1]; ++k) {
    const int32_t i = by_upper[k];
    if (offset_[i] >= 0) continue;
    if (p_.lower[i] < a) {
      longer = true;
    } else {
      ++ways;
      reach = std::min(reach, p_.lower[i]);
    }
  }
  Bytes raise = std::min(v.right, longer || ways > 0 ? v.left : kOpen);
  for (int32_t k = upper_at[b] - 1; k >= upper_at[a + 1]; --k) {
    const int32_t i = by_upper[k];
    if (offset_[i] >= 0 || p_.lower[i] < a) continue;
    if (from == a) from = p_.upper[i];
    if (p_.upper[i] <= reach) break;
    raise = std::min(raise, floor + p_.size[i]);
    if (++seen == kMaxSeen) {
      raise = std::min(raise, floor + min_size_);
      break;
    }
  }
  if (from < b - 1) raise = std::min(raise, v.left);
  return {ways + (raise + rest_[b - 1] <= capacity_ ? 1 : 0), floor + rest_[b - 1], raise, from, b};
}

// Counts the candidates at both ends of a valley, and keeps the better end if it beats the best so far.
void Skyline::consider(Valley v, Valley& best) const {
  for (const bool at_end : {false, true}) {
    const End end = at_end ? last_end(v) : first_end(v);
    v.at_end = at_end;
    v.ways = end.ways;
    v.tight = end.tight;
    v.raise = end.raise;
    v.from = end.from;
    v.to = end.to;
    if (better(v, best)) best = v;
  }
  if (best.ways > 0 && starved(v)) {
    best = v;
    best.ways = 0;
  }
}

Valley Skyline::scan(int32_t from, int32_t to) const {
  Valley best;
  for (int32_t s = from; s < to;) {
    if (rest_[s] == 0) {
      ++s;
      continue;
    }
    const bool closed = s == 0 || rest_[s - 1] == 0 || crossing_[s] == 0;
    int32_t e = s + 1;
    while (e < p_.count && floor_[e] == floor_[s] && rest_[e] > 0 && crossing_[e] > 0) ++e;
    if (closed || floor_[s - 1] != floor_[s]) {  // else it began before
      Valley v;
      v.a = s;
      v.b = e;
      v.left = closed ? kOpen : floor_[s - 1];
      v.right = e == p_.count || rest_[e] == 0 || crossing_[e] == 0 ? kOpen : floor_[e];
      if (v.left > floor_[s] && v.right > floor_[s]) consider(v, best);
      if (best.a >= 0 && best.ways == 0) return best;
    }
    s = e;
  }
  return best;
}

Valley Skyline::best(int32_t from, int32_t to) {
  Valley best;
  for (int32_t c = from / kChunk; c <= (to - 1) / kChunk; ++c) {
    const int32_t begin = c * kChunk, end = std::min(begin + kChunk, p_.count);
    if (dirty_[c]) {
      chunk_[c] = scan(begin, end);
      dirty_[c] = 0;
    }
    const Valley& known = chunk_[c];
    const bool inside = known.a < 0 || (known.a >= from && known.a < to);
    const Valley v = inside ? known : scan(std::max(begin, from), std::min(end, to));
    if (v.a >= 0 && better(v, best)) best = v;
    if (best.a >= 0 && best.ways == 0) break;
  }
  return best;
}

}  // namespace arenascope::planner
