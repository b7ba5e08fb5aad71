// SPDX-License-Identifier: MIT
#include "engine/planner/fit_allocator.h"
#include "engine/planner/placement.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace arenascope::planner {

namespace {

// Each piece's sections: one ends where something begins after something ended, so that two pieces meet in time where
// they share a section. Returns the number of sections.
int32_t cut_sections(const std::vector<Piece>& pieces, std::vector<int32_t>& lower, std::vector<int32_t>& upper,
                     const StopCheck& stop_check) {
  const size_t n = pieces.size();
  std::vector<std::pair<int64_t, int32_t>> begins, ends;
  begins.reserve(n);
  ends.reserve(n);
  for (size_t k = 0; k < n; ++k) {
    lower[k] = upper[k] = 0;
    if (pieces[k].lower >= pieces[k].upper) continue;
    begins.emplace_back(pieces[k].lower, static_cast<int32_t>(k));
    ends.emplace_back(pieces[k].upper, static_cast<int32_t>(k));
  }
  const auto earlier = [&](const auto& a, const auto& b) {
    stop_check();
    return a < b;
  };
  std::sort(begins.begin(), begins.end(), earlier);
  std::sort(ends.begin(), ends.end(), earlier);
  int32_t section = 0;
  size_t e = 0;
  for (const auto& [step, k] : begins) {
    bool ended = false;
    for (; e < ends.size() && ends[e].first <= step; ++e) {
      upper[ends[e].second] = section + 1;
      ended = true;
    }
    if (ended) ++section;
    lower[k] = section;
    stop_check();
  }
  for (; e < ends.size(); ++e) upper[ends[e].second] = section + 1;
  return section + 1;
}

}  // namespace

FitAllocator::FitAllocator(const Items& items, const StopCheck& stop_check)
    : items_(items), lower_(items.pieces.size()), upper_(items.pieces.size()) {
  const auto sections = static_cast<size_t>(cut_sections(items.pieces, lower_, upper_, stop_check));
  int32_t longest = 1;
  for (size_t k = 0; k < lower_.size(); ++k) longest = std::max(longest, upper_[k] - lower_[k]);
  size_t nodes = 0;
  for (int32_t width = 1; width > 0 && width <= longest; width *= 2) {
    level_.push_back(nodes);
    nodes += sections / static_cast<size_t>(width) + 1;
  }
  nodes_.reserve(nodes);
  constexpr size_t kAtOnce = 1 << 16;  // so that an interruption need not wait for all of it
  while (nodes_.size() < nodes) {
    nodes_.resize(std::min(nodes, nodes_.size() + kAtOnce));
    stop_check.now();
  }
}

void FitAllocator::clear() {
  for (size_t node : used_) {
    nodes_[node].any.clear();
    nodes_[node].all.clear();
  }
  used_.clear();
}

// The largest nodes that compose a piece's lifetime, and the nodes that it covers in part.
template <typename Whole, typename Part>
void FitAllocator::visit(int32_t k, const Whole& whole, const Part& part) {
  const int32_t lower = lower_[k], upper = upper_[k];
  if (lower >= upper) return;
  auto a = static_cast<size_t>(lower), b = static_cast<size_t>(upper);
  for (size_t level = 0; level < level_.size(); ++level) {
    const size_t base = level_[level], left = static_cast<size_t>(lower) >> level,
                 right = static_cast<size_t>(upper - 1) >> level;
    if (a < b && (a & 1) != 0) whole(base + a++);
    if (a < b && (b & 1) != 0) whole(base + --b);
    a /= 2;
    b /= 2;
    const auto cut = [&](size_t node) {
      return node << level < static_cast<size_t>(lower) || (node + 1) << level > static_cast<size_t>(upper);
    };
    if (cut(left)) part(base + left);
    if (right != left && cut(right)) part(base + right);
  }
}

void FitAllocator::add(size_t node, bool all, Range x) {
  Node& n = nodes_[node];
  if (n.any.empty() && n.all.empty()) used_.push_back(node);
  Ranges& ranges = all ? n.all : n.any;
  auto from = std::lower_bound(ranges.begin(), ranges.end(), x.from, [](const Range& r, Bytes v) { return r.to < v; });
  if (from == ranges.end() || from->from > x.to) {
    ranges.insert(from, x);
    return;
  }
  auto to = from + 1;
  while (to != ranges.end() && to->from <= x.to) ++to;
  from->from = std::min(from->from, x.from);
  from->to = std::max((to - 1)->to, x.to);
  ranges.erase(from + 1, to);
}

void FitAllocator::put(int32_t item, Bytes offset) {
  for (int32_t k = items_.items[item].first; k < items_.items[item].last; ++k) {
    const Range taken{offset + items_.pieces[k].lo, offset + items_.pieces[k].hi};
    visit(
        k,
        [&](size_t node) {
          add(node, true, taken);
          add(node, false, taken);
        },
        [&](size_t node) { add(node, false, taken); });
  }
}

// The lowest multiple of the alignment from `from` on (which is one) where no cursor's ranges are in the way. Each
// cursor is left at its first range that ends above.
Bytes FitAllocator::first_free(Bytes x, Bytes alignment) {
  const size_t n = cursors_.size();
  for (size_t clear = 0, i = 0; clear < n; i = i + 1 < n ? i + 1 : 0) {
    Cursor& c = cursors_[i];
    ++clear;
    for (;;) {
      for (int near = 0; near < 4 && c.at != c.end && c.at->to - c.lo <= x; ++near) ++c.at;
      if (c.at != c.end && c.at->to - c.lo <= x) {
        c.at = std::upper_bound(c.at, c.end, x + c.lo, [](Bytes v, const Range& r) { return v < r.to; });
      }
      if (c.at == c.end || c.at->from >= x + c.hi) break;
      x = round_up(c.at->to - c.lo, alignment);
      clear = 1;
    }
  }
  return x;
}

Bytes FitAllocator::place(int32_t i, Fit fit) {
  const Item& item = items_.items[i];
  if (item.fixed >= 0) {
    put(i, item.fixed);
    return item.fixed;
  }
  cursors_.clear();
  for (int32_t k = item.first; k < item.last; ++k) {
    const Piece& p = items_.pieces[k];
    const auto look = [&](const Ranges& r) {
      if (!r.empty()) cursors_.push_back({r.data(), r.data() + r.size(), p.lo, p.hi});
    };
    visit(
        k, [&](size_t node) { look(nodes_[node].any); }, [&](size_t node) { look(nodes_[node].all); });
  }
  Bytes at = first_free(0, item.alignment), best = at;
  Bytes tightest = std::numeric_limits<Bytes>::max();
  while (fit == Fit::best) {
    Bytes end = std::numeric_limits<Bytes>::max();  // offsets from `at` up to `end` are free
    for (const Cursor& c : cursors_) {
      if (c.at != c.end) end = std::min(end, c.at->from - c.hi + 1);
    }
    if (end == std::numeric_limits<Bytes>::max()) {
      if (tightest == end) best = at;
      break;
    }
    if (end - at < tightest) {
      tightest = end - at;
      best = at;
    }
    at = first_free(round_up(end, item.alignment), item.alignment);
  }
  put(i, best);
  return best;
}

std::vector<Bytes> FitAllocator::place_all(const std::vector<int32_t>& order, Fit fit) {
  return *place_all(order, fit, [] { return false; });
}

std::optional<std::vector<Bytes>> FitAllocator::place_all(const std::vector<int32_t>& order, Fit fit,
                                                          const std::function<bool()>& stop) {
  std::vector<Bytes> offsets(items_.items.size(), 0);
  if (items_.any_fixed) {
    for (int32_t i : order) {
      if (items_.items[i].fixed >= 0) offsets[i] = place(i, fit);
    }
  }
  int count = 0;
  for (int32_t i : order) {
    if (items_.items[i].fixed < 0) offsets[i] = place(i, fit);
    if ((++count & 15) == 0 && stop()) return std::nullopt;
  }
  return offsets;
}

std::vector<int32_t> order_by(const Items& items, Key key, const StopCheck& stop_check) {
  struct Row {
    double key;
    int64_t lower, upper;
    Bytes size;
    int32_t index;
  };
  std::vector<Row> rows(items.items.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const Item& v = items.items[i];
    const auto length = static_cast<double>(v.upper - v.lower);
    double k = 0;
    switch (key) {
      case Key::size: k = -static_cast<double>(v.size); break;
      case Key::area: k = -static_cast<double>(v.size) * length; break;
      case Key::length: k = -length; break;
      case Key::begin: k = static_cast<double>(v.lower); break;
      case Key::end: k = static_cast<double>(v.upper); break;
    }
    stop_check();
    rows[i] = {k, v.lower, v.upper, v.size, static_cast<int32_t>(i)};
  }
  // Ties: the earlier item first (as in TFLite; on training graphs with thousands of equal items this matters much), then
  // the longer-lived, then the larger.
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    stop_check();
    return std::make_tuple(a.key, a.lower, -a.upper, -a.size, a.index) <
           std::make_tuple(b.key, b.lower, -b.upper, -b.size, b.index);
  });
  std::vector<int32_t> order(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) order[i] = rows[i].index;
  return order;
}

}  // namespace arenascope::planner
