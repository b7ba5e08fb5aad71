// SPDX-License-Identifier: MIT
#include <arenascope/base/checked.h>
#include <arenascope/planner/lower_bound.h>
#include "engine/planner/items.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace arenascope::planner {
namespace {

struct Change {
  int64_t step;
  Bytes bytes;
};

// Changes of the live bytes in time order: bytes of all pieces minus those that two buffers may share.
std::vector<Change> changes(const Problem& p, const StopCheck& stop_check = {}) {
  std::vector<Change> out;
  out.reserve(2 * p.size());
  std::vector<Piece> pieces;
  for (const Interval& v : p.intervals) {
    stop_check();
    if (v.gaps.empty()) {
      out.push_back({v.lower, v.size});
      out.push_back({v.upper, -v.size});
      continue;
    }
    pieces.clear();
    append_pieces(v, pieces);
    for (const Piece& q : pieces) {
      out.push_back({q.lower, q.hi - q.lo});
      out.push_back({q.upper, q.lo - q.hi});
    }
  }
  // The smaller of two that share is not counted while both live. With gaps or longer chains this may take away too
  // much, which leaves the bound valid.
  const auto shared = [&](int32_t a, int32_t b) {
    const Interval &x = p.intervals[a], &y = p.intervals[b];
    const int64_t from = std::max(x.lower, y.lower), to = std::min(x.upper, y.upper);
    if (from >= to) return;
    out.push_back({from, -std::min(x.size, y.size)});
    out.push_back({to, std::min(x.size, y.size)});
  };
  for (const InPlace& s : p.in_place) shared(s.source, s.target);
  for (const Attachment& a : p.attachments) shared(a.part, a.whole);
  std::sort(out.begin(), out.end(), [&](const Change& a, const Change& b) {
    stop_check();
    return a.step < b.step;
  });
  return out;
}

// Each buffer starts at a multiple of g, so all but the highest take up whole multiples of g.
Bytes padded_peak(const Problem& p, Bytes g, const StopCheck& stop_check) {
  struct Event {
    int64_t step;
    int32_t i;
    bool begins;
  };
  std::vector<Event> events;
  events.reserve(2 * p.size());
  for (size_t i = 0; i < p.size(); ++i) {
    events.push_back({p.intervals[i].lower, static_cast<int32_t>(i), true});
    events.push_back({p.intervals[i].upper, static_cast<int32_t>(i), false});
  }
  std::sort(events.begin(), events.end(), [&](const Event& a, const Event& b) {
    stop_check();
    return std::tie(a.step, a.begins) < std::tie(b.step, b.begins);
  });
  const auto padding = [&](int32_t i) { return (g - p.intervals[i].size % g) % g; };
  std::map<Bytes, int32_t> paddings;  // paddings of the live ones
  Bytes live = 0, peak = 0;
  for (const Event& e : events) {
    stop_check();
    const Bytes pad = padding(e.i), size = p.intervals[e.i].size + pad;
    if (e.begins) {
      live += size;
      ++paddings[pad];
      peak = std::max(peak, live - paddings.rbegin()->first);
    } else {
      live -= size;
      if (--paddings[pad] == 0) paddings.erase(pad);
    }
  }
  return peak;
}

}  // namespace

Bytes lower_bound(const Problem& p, const StopCheck& stop_check) {
  Bytes live = 0, peak = 0;
  const std::vector<Change> all = changes(p, stop_check);
  for (size_t i = 0; i < all.size(); ++i) {
    live += all[i].bytes;
    if (i + 1 == all.size() || all[i + 1].step != all[i].step) peak = std::max(peak, live);
  }
  Bytes g = 0;
  bool plain = p.in_place.empty() && p.attachments.empty(), padded = false;
  for (size_t i = 0; i < p.size(); ++i) {
    g = std::gcd(g, p.alignment_of(i));
    plain &= p.intervals[i].gaps.empty();
  }
  for (size_t i = 0; plain && g > 1 && i < p.size() && !padded; ++i) padded = p.intervals[i].size % g != 0;
  if (padded) peak = std::max(peak, padded_peak(p, g, stop_check));
  for (const Interval& v : p.intervals) {
    peak = std::max(peak, v.fixed_offset.value_or(0) + v.size);
  }
  return peak;
}

std::vector<std::pair<int64_t, Bytes>> live_bytes(const Problem& p) {
  std::vector<std::pair<int64_t, Bytes>> curve;
  Bytes live = 0;
  for (const Change& c : changes(p)) {
    live += c.bytes;
    if (!curve.empty() && curve.back().first == c.step) {
      curve.back().second = live;
    } else {
      curve.emplace_back(c.step, live);
    }
  }
  return curve;
}

}  // namespace arenascope::planner
