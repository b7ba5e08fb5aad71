// SPDX-License-Identifier: MIT
#include "engine/planner/items.h"
#include <arenascope/base/checked.h>
#include <arenascope/base/step_number.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace arenascope::planner {
namespace {

constexpr Bytes kMaxJointAlignment = Bytes{1} << 60;

// Groups of intervals at fixed distances from each other.
class Groups {
 public:
  Groups(const Problem& p) : p_(p), group_(p.size()), shift_(p.size(), 0), members_(p.size()) {
    std::iota(group_.begin(), group_.end(), 0);
    for (size_t i = 0; i < p.size(); ++i) members_[i] = {static_cast<int32_t>(i)};
    std::map<int32_t, const Attachment*> whole;
    for (const Attachment& a : p.attachments) whole[a.part] = &a;
    for (const Attachment& a : p.attachments) {
      // A part of a part shares with every whole above it.
      Bytes shift = a.shift;
      for (const Attachment* link = &a;;) {
        allow(link->whole, a.part, shift);
        const auto above = whole.find(link->whole);
        if (above == whole.end()) break;
        link = above->second;
        shift += link->shift;
      }
    }
    for (const InPlace& s : p.in_place) allow(s.source, s.target, s.shift);
  }

  // Puts b's group at `distance` above a (counted from a's and b's own starts). The error gives the reason.
  Status join(int32_t a, int32_t b, Bytes distance) {
    const int32_t ga = group_[a], gb = group_[b];
    const Bytes move = shift_[a] + distance - shift_[b];  // added to the shifts of gb's members
    if (ga == gb) {
      if (move == 0) return {};
      return Error{
          fmt::format("Buffers {} and {} are attached at two different distances.", p_.name_of(a), p_.name_of(b))};
    }
    Bytes base = 0;
    for (int32_t m : members_[ga]) base = std::min(base, shift_[m]);
    for (int32_t m : members_[gb]) base = std::min(base, shift_[m] + move);
    std::optional<Bytes> fixed;
    for (const bool second : {false, true}) {
      for (int32_t m : members_[second ? gb : ga]) {
        const Bytes s = shift_[m] + (second ? move : 0) - base;
        if (s % p_.alignment_of(m) != 0) {
          return Error{fmt::format("Buffer {} would be placed {} bytes into its group, against its alignment of {}.",
                                   p_.name_of(m), s, p_.alignment_of(m))};
        }
        if (const auto& f = p_.intervals[m].fixed_offset) {
          if (*f < s || (fixed && *fixed != *f - s)) {
            return Error{
                fmt::format("Buffer {} is fixed at {}, which contradicts what it is attached to.", p_.name_of(m), *f)};
          }
          fixed = *f - s;
        }
      }
    }
    for (const bool second : {false, true}) {
      for (int32_t m : members_[second ? gb : ga]) {
        const Bytes s = shift_[m] + (second ? move : 0) - base;
        if (fixed && (*fixed + s) % p_.alignment_of(m) != 0) {
          return Error{
              fmt::format("Buffer {} would be fixed at {} by what it is attached to, against its alignment of {}.",
                          p_.name_of(m), *fixed + s, p_.alignment_of(m))};
        }
      }
    }
    for (int32_t m : members_[ga]) {
      for (int32_t k : members_[gb]) {
        if (collide(m, k, shift_[k] + move - shift_[m])) {
          return Error{fmt::format("Buffers {} and {} are attached to the same bytes and live at the same time.",
                                   p_.name_of(m), p_.name_of(k))};
        }
      }
    }
    for (int32_t m : members_[gb]) {
      shift_[m] += move;
      group_[m] = ga;
    }
    members_[ga].insert(members_[ga].end(), members_[gb].begin(), members_[gb].end());
    members_[gb].clear();
    for (int32_t m : members_[ga]) shift_[m] -= base;
    return {};
  }

  // True if a buffer of i's group has a fixed offset.
  bool fixed(int32_t i) const {
    const std::vector<int32_t>& all = members_[group_[i]];
    return std::any_of(all.begin(), all.end(), [&](int32_t m) { return p_.intervals[m].fixed_offset.has_value(); });
  }
  const std::vector<int32_t>& members(size_t g) const { return members_[g]; }
  Bytes shift(int32_t i) const { return shift_[i]; }
  size_t group_size(int32_t i) const { return members_[group_[i]].size(); }

 private:
  // a and b may overlap if b is at exactly this distance above a.
  void allow(int32_t a, int32_t b, Bytes b_above_a) {
    allowed_.insert(a < b ? std::make_tuple(a, b, b_above_a) : std::make_tuple(b, a, -b_above_a));
  }
  bool allowed(int32_t a, int32_t b, Bytes b_above_a) const {
    return allowed_.count(a < b ? std::make_tuple(a, b, b_above_a) : std::make_tuple(b, a, -b_above_a)) != 0;
  }

  bool collide(int32_t a, int32_t b, Bytes b_above_a) const {
    const Interval &va = p_.intervals[a], &vb = p_.intervals[b];
    if (va.lower >= vb.upper || vb.lower >= va.upper || b_above_a >= va.size || -b_above_a >= vb.size) return false;
    if (allowed(a, b, b_above_a)) return false;
    std::vector<Piece> pa, pb;
    append_pieces(va, pa);
    append_pieces(vb, pb);
    for (const Piece& x : pa) {
      for (const Piece& y : pb) {
        if (x.lower < y.upper && y.lower < x.upper && x.lo < y.hi + b_above_a && y.lo + b_above_a < x.hi) return true;
      }
    }
    return false;
  }

  const Problem& p_;
  std::vector<int32_t> group_;
  std::vector<Bytes> shift_;
  std::vector<std::vector<int32_t>> members_;
  std::set<std::tuple<int32_t, int32_t, Bytes>> allowed_;
};

// Items that are fixed to the same bytes at the same time because of their attachments.
Status check_fixed_items(const Problem& p, const Items& out) {
  std::vector<std::pair<Piece, int32_t>> all;
  for (size_t i = 0; i < out.items.size(); ++i) {
    const Item& item = out.items[i];
    if (item.fixed < 0) continue;
    for (int32_t k = item.first; k < item.last; ++k) {
      const Piece& q = out.pieces[k];
      all.push_back({{q.lower, q.upper, q.lo + item.fixed, q.hi + item.fixed}, static_cast<int32_t>(i)});
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first.lower < b.first.lower; });
  const auto name = [&](int32_t item) {
    return p.name_of(
        static_cast<size_t>(std::find(out.item_of.begin(), out.item_of.end(), item) - out.item_of.begin()));
  };
  for (size_t x = 0; x < all.size(); ++x) {
    for (size_t y = x + 1; y < all.size() && all[y].first.lower < all[x].first.upper; ++y) {
      const Piece &a = all[x].first, &b = all[y].first;
      if (all[x].second == all[y].second || a.lo >= b.hi || b.lo >= a.hi || b.lower >= b.upper) continue;
      return Error{
          fmt::format("The fixed offsets of buffers {} and {}, or of what is attached to them, overlap at step {}.",
                      name(all[x].second), name(all[y].second), step_number(b.lower))};
    }
  }
  return {};
}

// Pieces over the same bytes that touch in time become one.
void merge_pieces(std::vector<Piece>& pieces, size_t from) {
  const auto begin = pieces.begin() + static_cast<std::ptrdiff_t>(from);
  std::sort(begin, pieces.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.lo, a.hi, a.lower, a.upper) < std::tie(b.lo, b.hi, b.lower, b.upper);
  });
  size_t out = from;
  for (size_t i = from + 1; i < pieces.size(); ++i) {
    Piece& last = pieces[out];
    if (pieces[i].lo == last.lo && pieces[i].hi == last.hi && pieces[i].lower <= last.upper) {
      last.upper = std::max(last.upper, pieces[i].upper);
    } else {
      pieces[++out] = pieces[i];
    }
  }
  pieces.resize(out + 1);
}

void finish_item(Items& out, Item item) {
  item.last = static_cast<int32_t>(out.pieces.size());
  item.lower = out.pieces[item.first].lower;
  item.upper = out.pieces[item.first].upper;
  for (int32_t k = item.first; k < item.last; ++k) {
    item.lower = std::min(item.lower, out.pieces[k].lower);
    item.upper = std::max(item.upper, out.pieces[k].upper);
  }
  const Piece& only = out.pieces[item.first];
  if (item.last - item.first != 1 || only.lo != 0 || only.hi != item.size) out.simple = false;
  if (item.fixed >= 0) out.any_fixed = true;
  out.items.push_back(item);
}

// Each interval as an item of its own.
void add_single_items(const Problem& p, const StopCheck& stop_check, Items& out) {
  std::vector<Piece> own;
  for (size_t i = 0; i < p.size(); ++i) {
    const Interval& v = p.intervals[i];
    stop_check();
    const auto first = static_cast<int32_t>(out.pieces.size());
    if (v.gaps.empty()) {
      out.pieces.push_back({v.lower, v.upper, 0, v.size});
    } else {
      own.clear();
      append_pieces(v, own);
      out.pieces.insert(out.pieces.end(), own.begin(), own.end());
    }
    out.item_of[i] = static_cast<int32_t>(i);
    finish_item(out, {first, 0, 0, 0, v.size, p.alignment_of(i), v.fixed_offset.value_or(-1)});
  }
}

// Merges in-place pairs of which the smaller fits in the larger one. Fixed buffers are unchanged: a buffer merged
// with one might collide with other fixed ones. Pairs that cannot be merged are placed separately.
void coalesce_in_place(const Problem& p, Groups& groups) {
  constexpr size_t kMaxMembers = 256;
  for (const InPlace& s : p.in_place) {
    const Bytes a = p.intervals[s.source].size, b = p.intervals[s.target].size;
    const bool inside = s.shift >= 0 ? s.shift + b <= a || (s.shift == 0 && a <= b) : -s.shift + a <= b;
    if (inside && !groups.fixed(s.source) && !groups.fixed(s.target) &&
        groups.group_size(s.source) + groups.group_size(s.target) <= kMaxMembers) {
      static_cast<void>(groups.join(s.source, s.target, s.shift));
    }
  }
}

// All members of a group as one item.
Status add_group_item(const Problem& p, const Groups& groups, size_t group, Items& out) {
  Item item{static_cast<int32_t>(out.pieces.size()), 0, 0, 0, 0, 1, -1};
  std::vector<Piece> own;
  for (int32_t m : groups.members(group)) {
    const Interval& v = p.intervals[m];
    const Bytes shift = groups.shift(m);
    own.clear();
    append_pieces(v, own);
    for (const Piece& q : own) out.pieces.push_back({q.lower, q.upper, q.lo + shift, q.hi + shift});
    const auto both = checked_mul(item.alignment / std::gcd(item.alignment, p.alignment_of(m)), p.alignment_of(m));
    if (!both || *both > kMaxJointAlignment) {
      return Error{
          fmt::format("Buffer {} is attached to others whose alignments cannot be met together.", p.name_of(m))};
    }
    item.alignment = *both;
    item.size = std::max(item.size, shift + v.size);
    if (v.fixed_offset) item.fixed = *v.fixed_offset - shift;
    out.item_of[m] = static_cast<int32_t>(out.items.size());
    out.shift_of[m] = shift;
  }
  merge_pieces(out.pieces, item.first);
  finish_item(out, item);
  return {};
}

}  // namespace

void append_pieces(const Interval& v, std::vector<Piece>& out) {
  int64_t from = v.lower;
  for (const Gap& g : v.gaps) {
    if (g.lower > from) out.push_back({from, g.lower, 0, v.size});
    if (g.window_lower < g.window_upper) out.push_back({g.lower, g.upper, g.window_lower, g.window_upper});
    from = g.upper;
  }
  if (from < v.upper) out.push_back({from, v.upper, 0, v.size});
  if (v.gaps.empty()) return;
  // A buffer that consists of gaps only has an offset, but collides with nothing.
  if (out.empty()) out.push_back({v.lower, v.lower, 0, v.size});
}

std::vector<Bytes> Items::to_intervals(const std::vector<Bytes>& item_offsets) const {
  std::vector<Bytes> offsets(item_of.size());
  for (size_t i = 0; i < item_of.size(); ++i) {
    offsets[i] = item_offsets[item_of[i]] + (shift_of.empty() ? 0 : shift_of[i]);
  }
  return offsets;
}

Result<Items> make_items(const Problem& p, bool in_place, const StopCheck& stop_check) {
  Items out;
  out.items.reserve(p.size());
  out.pieces.reserve(p.size());
  out.item_of.resize(p.size());
  if (p.attachments.empty() && (p.in_place.empty() || !in_place)) {
    add_single_items(p, stop_check, out);
    return out;
  }
  Groups groups(p);
  for (const Attachment& a : p.attachments) {
    if (Status s = groups.join(a.whole, a.part, a.shift); !s) return s.error();
  }
  if (in_place) coalesce_in_place(p, groups);
  out.shift_of.resize(p.size());
  for (size_t g = 0; g < p.size(); ++g) {
    if (groups.members(g).empty()) continue;
    if (Status s = add_group_item(p, groups, g, out); !s) return s.error();
  }
  if (out.any_fixed) {
    if (Status s = check_fixed_items(p, out); !s) return s.error();
  }
  return out;
}

}  // namespace arenascope::planner
