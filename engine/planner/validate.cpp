// SPDX-License-Identifier: MIT
#include <arenascope/base/checked.h>
#include <arenascope/base/step_number.h>
#include <fmt/format.h>
#include "engine/planner/items.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_set>

namespace arenascope::planner {
namespace {

constexpr Bytes kMaxAlignment = Bytes{1} << 40;
constexpr Bytes kMaxTotal = Bytes{1} << 62;  // offsets, rounded up, stay far from the end of int64

Status bad(std::string message) { return Error{std::move(message)}; }

Status check_interval(const Problem& p, size_t i) {
  const Interval& v = p.intervals[i];
  const auto who = [&] { return p.name_of(i); };
  if (v.upper <= v.lower) {
    return bad(fmt::format("Buffer {} has an empty lifetime [{}, {}).", who(), v.lower, v.upper));
  }
  if (v.lower < -kMaxTotal || v.upper > kMaxTotal) {
    return bad(
        fmt::format("Buffer {} lives in [{}, {}), beyond the steps that can be counted.", who(), v.lower, v.upper));
  }
  if (v.size <= 0) return bad(fmt::format("Buffer {} has {} bytes; a buffer needs at least one.", who(), v.size));
  if (v.alignment < 0 || p.alignment_of(i) > kMaxAlignment) {
    return bad(fmt::format("Buffer {} has an alignment of {} bytes; it must be between 1 and {}.", who(), v.alignment,
                           kMaxAlignment));
  }
  if (v.fixed_offset) {
    const Bytes o = *v.fixed_offset;
    if (o < 0 || o > kMaxTotal) return bad(fmt::format("Buffer {} is fixed at {}, outside any arena.", who(), o));
    if (o % p.alignment_of(i) != 0) {
      return bad(fmt::format("Buffer {} is fixed at {}, which is not a multiple of its alignment {}.", who(), o,
                             p.alignment_of(i)));
    }
    if (p.capacity && o + v.size > *p.capacity) {
      return bad(fmt::format("Buffer {} is fixed at {} and ends at {}, beyond the capacity of {}.", who(), o,
                             o + v.size, *p.capacity));
    }
  }
  int64_t from = v.lower;
  for (const Gap& g : v.gaps) {
    if (g.upper <= g.lower || g.lower < from || g.upper > v.upper) {
      return bad(
          fmt::format("Buffer {} has a gap [{}, {}) that is empty, out of order or outside its lifetime [{}, {}).",
                      who(), g.lower, g.upper, v.lower, v.upper));
    }
    if (g.window_lower < 0 || g.window_upper < g.window_lower || g.window_upper > v.size) {
      return bad(fmt::format("Buffer {} keeps the bytes [{}, {}) in a gap, but has only {} bytes.", who(),
                             g.window_lower, g.window_upper, v.size));
    }
    from = g.upper;
  }
  return {};
}

// Two buffers that are fixed to overlapping bytes at overlapping steps: a sweep over time, as in check(). Buffers
// that may share bytes are left to check().
Status check_fixed(const Problem& p) {
  std::vector<bool> shares(p.size(), false);
  for (const InPlace& s : p.in_place) shares[s.source] = shares[s.target] = true;
  for (const Attachment& a : p.attachments) shares[a.part] = shares[a.whole] = true;
  struct Stretch {
    int64_t lower, upper;
    Bytes lo, hi;
    int32_t buffer;
  };
  std::vector<Stretch> all;
  std::vector<Piece> pieces;
  for (size_t i = 0; i < p.size(); ++i) {
    if (!p.intervals[i].fixed_offset || shares[i]) continue;
    const Bytes o = *p.intervals[i].fixed_offset;
    pieces.clear();
    append_pieces(p.intervals[i], pieces);
    for (const Piece& q : pieces) {
      if (q.lower < q.upper) all.push_back({q.lower, q.upper, o + q.lo, o + q.hi, static_cast<int32_t>(i)});
    }
  }
  std::sort(all.begin(), all.end(), [](const Stretch& a, const Stretch& b) { return a.lower < b.lower; });
  std::vector<int32_t> by_end(all.size());
  std::iota(by_end.begin(), by_end.end(), 0);
  std::sort(by_end.begin(), by_end.end(), [&](int32_t a, int32_t b) { return all[a].upper < all[b].upper; });
  std::map<Bytes, const Stretch*> live;
  size_t next_end = 0;
  for (const Stretch& s : all) {
    for (; all[by_end[next_end]].upper <= s.lower; ++next_end) live.erase(all[by_end[next_end]].lo);
    const auto above = live.lower_bound(s.lo);
    const Stretch* other = nullptr;
    if (above != live.end() && above->first < s.hi) other = above->second;
    if (above != live.begin() && std::prev(above)->second->hi > s.lo) other = std::prev(above)->second;
    if (other != nullptr) {
      return bad(
          fmt::format("Buffers {} and {} are fixed to overlapping bytes (at {} and {}) and both live at step {}.",
                      p.name_of(other->buffer), p.name_of(s.buffer), *p.intervals[other->buffer].fixed_offset,
                      *p.intervals[s.buffer].fixed_offset, step_number(s.lower)));
    }
    live.emplace(s.lo, &s);
  }
  return {};
}

Status check_sharing(const Problem& p) {
  const auto n = static_cast<int64_t>(p.size());
  const auto inside = [&](int32_t i) { return i >= 0 && i < n; };
  std::vector<int32_t> part_of(p.attachments.empty() ? 0 : p.size(), -1);
  for (const Attachment& a : p.attachments) {
    if (!inside(a.part) || !inside(a.whole) || a.part == a.whole) {
      return bad(fmt::format("An attachment names buffers {} and {}, but there are {}.", a.part, a.whole, n));
    }
    const Interval& part = p.intervals[a.part];
    if (a.shift < 0 || a.shift > p.intervals[a.whole].size - part.size) {
      return bad(fmt::format("Buffer {} ({} bytes) attached at {} is not inside {} ({} bytes).", p.name_of(a.part),
                             part.size, a.shift, p.name_of(a.whole), p.intervals[a.whole].size));
    }
    if (a.shift % p.alignment_of(a.part) != 0) {
      return bad(fmt::format("Buffer {} is attached at {}, which is not a multiple of its alignment {}.",
                             p.name_of(a.part), a.shift, p.alignment_of(a.part)));
    }
    if (part_of[a.part] >= 0) {
      return bad(fmt::format("Buffer {} is attached to both {} and {}.", p.name_of(a.part), p.name_of(part_of[a.part]),
                             p.name_of(a.whole)));
    }
    part_of[a.part] = a.whole;
  }
  for (size_t i = 0; i < part_of.size(); ++i) {
    int64_t steps = 0;
    for (int32_t j = static_cast<int32_t>(i); part_of[j] >= 0; j = part_of[j]) {
      if (++steps > n) return bad(fmt::format("Buffer {} is attached to itself through others.", p.name_of(i)));
      if (steps > 64) return bad(fmt::format("Buffer {} is attached through more than 64 others.", p.name_of(i)));
    }
  }
  for (const InPlace& s : p.in_place) {
    if (!inside(s.source) || !inside(s.target) || s.source == s.target) {
      return bad(fmt::format("An in-place pair names buffers {} and {}, but there are {}.", s.source, s.target, n));
    }
    if (s.shift < -kMaxTotal || s.shift > kMaxTotal) {
      return bad(fmt::format("Buffer {} reuses the memory of {} at an impossible shift of {}.", p.name_of(s.target),
                             p.name_of(s.source), s.shift));
    }
  }
  return {};
}

}  // namespace

std::string Problem::name_of(size_t i) const { return i < ids.size() ? ids[i] : fmt::format("#{}", i); }

Status validate(const Problem& p) {
  if (p.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max() / 4)) {
    return bad(fmt::format("{} buffers are more than can be planned.", p.size()));
  }
  if (p.alignment < 1 || p.alignment > kMaxAlignment) {
    return bad(fmt::format("An alignment of {} bytes is not between 1 and {}.", p.alignment, kMaxAlignment));
  }
  if (p.capacity && *p.capacity < 0) return bad(fmt::format("A capacity of {} bytes is below zero.", *p.capacity));
  if (!p.ids.empty() && p.ids.size() != p.size()) {
    return bad(fmt::format("There are {} names for {} buffers.", p.ids.size(), p.size()));
  }
  Bytes total = 0;
  bool any_fixed = false;
  for (size_t i = 0; i < p.size(); ++i) {
    any_fixed |= p.intervals[i].fixed_offset.has_value();
    if (Status s = check_interval(p, i); !s) return s;
    const Bytes start = p.intervals[i].fixed_offset.value_or(0);
    const auto padded = checked_add(p.intervals[i].size, p.alignment_of(i) - 1);
    const auto with_start = padded ? checked_add(*padded, start) : std::nullopt;
    const auto sum = with_start ? checked_add(total, *with_start) : std::nullopt;
    if (!sum || *sum > kMaxTotal) {
      return bad(fmt::format("The sizes add up to more than 2^62 bytes at buffer {}.", p.name_of(i)));
    }
    total = *sum;
  }
  if (!p.ids.empty()) {
    std::unordered_set<std::string_view> seen;
    seen.reserve(p.ids.size());
    for (const std::string& id : p.ids) {
      if (!seen.insert(id).second) return bad(fmt::format("Two buffers are named {}.", id));
    }
  }
  if (Status s = check_sharing(p); !s) return s;
  return any_fixed ? check_fixed(p) : Status();
}

}  // namespace arenascope::planner
