// SPDX-License-Identifier: MIT
#include <arenascope/base/step_number.h>
#include <arenascope/planner/check.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace arenascope::planner {
namespace {

// A stretch of a buffer's life in which it needs the absolute bytes [lo, hi).
struct Stretch {
  int64_t lower, upper;
  Bytes lo, hi;
  int32_t buffer;
};

void append_stretches(const Interval& v, Bytes offset, int32_t i, std::vector<Stretch>& out) {
  int64_t from = v.lower;
  for (const Gap& g : v.gaps) {
    if (g.lower > from) out.push_back({from, g.lower, offset, offset + v.size, i});
    if (g.window_lower < g.window_upper) {
      out.push_back({g.lower, g.upper, offset + g.window_lower, offset + g.window_upper, i});
    }
    from = g.upper;
  }
  if (from < v.upper) out.push_back({from, v.upper, offset, offset + v.size, i});
}

class Sweep {
 public:
  Sweep(const Problem& p, const Plan& plan) : p_(p), plan_(plan), shares_(p.size(), false) {
    for (const InPlace& s : p.in_place) {
      shares_[s.source] = shares_[s.target] = true;
      if (plan.offsets[s.target] == plan.offsets[s.source] + s.shift) allow(s.source, s.target);
    }
    for (const Attachment& a : p.attachments) shares_[a.part] = shares_[a.whole] = true;
    for (const Attachment& a : p.attachments) {
      // A part of a part shares with every whole above it.
      for (int32_t whole = a.whole; whole >= 0; whole = whole_of(whole)) allow(a.part, whole);
    }
  }

  Status run() {
    std::vector<Stretch> all;
    all.reserve(p_.size());
    for (size_t i = 0; i < p_.size(); ++i) {
      append_stretches(p_.intervals[i], plan_.offsets[i], static_cast<int32_t>(i), all);
    }
    std::vector<std::pair<int64_t, int32_t>> begins, ends;
    begins.reserve(all.size());
    ends.reserve(all.size());
    for (size_t k = 0; k < all.size(); ++k) {
      begins.emplace_back(all[k].lower, static_cast<int32_t>(k));
      ends.emplace_back(all[k].upper, static_cast<int32_t>(k));
    }
    std::sort(begins.begin(), begins.end());
    std::sort(ends.begin(), ends.end());
    size_t e = 0;
    for (const auto& [step, k] : begins) {
      for (; e < ends.size() && ends[e].first <= step; ++e) remove(all[ends[e].second]);
      if (Status s = insert(all[k]); !s) return s;
    }
    return {};
  }

 private:
  void allow(int32_t a, int32_t b) { allowed_.insert({std::min(a, b), std::max(a, b)}); }
  int32_t whole_of(int32_t part) {
    if (whole_.empty()) {
      whole_.assign(p_.size(), -1);
      for (const Attachment& a : p_.attachments) whole_[a.part] = a.whole;
    }
    return whole_[part];
  }

  Status collision(const Stretch& a, const Stretch& b) const {
    return Error{fmt::format("Buffers {} (bytes {} to {}) and {} (bytes {} to {}) overlap while both live at step {}.",
                             p_.name_of(a.buffer), a.lo, a.hi, p_.name_of(b.buffer), b.lo, b.hi,
                             step_number(std::max(a.lower, b.lower)))};
  }

  // Live buffers that share with none are disjoint, so a new one can only overlap its neighbours in the map. The few
  // that share are kept in a list.
  Status insert(const Stretch& s) {
    const auto above = solid_.lower_bound(s.lo);
    if (above != solid_.end() && above->first < s.hi) return collision(*above->second, s);
    if (above != solid_.begin() && std::prev(above)->second->hi > s.lo) return collision(*std::prev(above)->second, s);
    for (const Stretch* o : sharing_) {
      if (o->lo >= s.hi || s.lo >= o->hi || o->buffer == s.buffer) continue;
      if (allowed_.count({std::min(o->buffer, s.buffer), std::max(o->buffer, s.buffer)}) == 0) return collision(*o, s);
    }
    if (shares_[s.buffer]) {
      sharing_.push_back(&s);
    } else {
      solid_.emplace_hint(above, s.lo, &s);
    }
    return {};
  }
  void remove(const Stretch& s) {
    if (shares_[s.buffer]) {
      std::erase(sharing_, &s);
    } else {
      solid_.erase(s.lo);
    }
  }

  const Problem& p_;
  const Plan& plan_;
  std::vector<bool> shares_;
  std::set<std::pair<int32_t, int32_t>> allowed_;
  std::vector<int32_t> whole_;
  std::map<Bytes, const Stretch*> solid_;
  std::vector<const Stretch*> sharing_;
};

}  // namespace

Status check(const Problem& p, const Plan& plan) {
  if (plan.offsets.size() != p.size()) {
    return Error{fmt::format("The plan has {} offsets for {} buffers.", plan.offsets.size(), p.size())};
  }
  for (size_t i = 0; i < p.size(); ++i) {
    const Interval& v = p.intervals[i];
    const Bytes o = plan.offsets[i];
    if (v.upper <= v.lower || v.size <= 0) {
      return Error{fmt::format("Buffer {} has no bytes or no lifetime.", p.name_of(i))};
    }
    if (o < 0 || o > plan.arena_bytes - v.size) {
      return Error{fmt::format("Buffer {} ({} bytes at {}) leaves the arena of {} bytes.", p.name_of(i), v.size, o,
                               plan.arena_bytes)};
    }
    if (o % p.alignment_of(i) != 0) {
      return Error{fmt::format("Buffer {} is at {}, which is not a multiple of its alignment {}.", p.name_of(i), o,
                               p.alignment_of(i))};
    }
    if (v.fixed_offset && *v.fixed_offset != o) {
      return Error{fmt::format("Buffer {} is at {}, but is fixed at {}.", p.name_of(i), o, *v.fixed_offset)};
    }
  }
  for (const Attachment& a : p.attachments) {
    if (plan.offsets[a.part] != plan.offsets[a.whole] + a.shift) {
      return Error{fmt::format("Buffer {} is at {}, but is attached to {} at {}.", p.name_of(a.part),
                               plan.offsets[a.part], p.name_of(a.whole), plan.offsets[a.whole] + a.shift)};
    }
  }
  return Sweep(p, plan).run();
}

}  // namespace arenascope::planner
