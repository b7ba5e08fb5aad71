// SPDX-License-Identifier: MIT
#include <arenascope/planner/fit.h>
#include <arenascope/planner/placement.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <tuple>

namespace arenascope::planner {

Placer::Placer(const Items& items) : items_(items), lower_(items.pieces.size()), upper_(items.pieces.size()) {
  std::vector<int64_t> steps;
  steps.reserve(2 * items.pieces.size());
  for (const Piece& p : items.pieces) {
    steps.push_back(p.lower);
    steps.push_back(p.upper);
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  const auto rank = [&](int64_t step) {
    return static_cast<int32_t>(std::lower_bound(steps.begin(), steps.end(), step) - steps.begin());
  };
  for (size_t k = 0; k < items.pieces.size(); ++k) {
    lower_[k] = rank(items.pieces[k].lower);
    upper_[k] = rank(items.pieces[k].upper);
  }
  size_t bins = 0;
  for (size_t width = 1;; width *= 2) {
    level_.push_back(bins);
    bins += steps.size() / width + 1;
    if (width >= steps.size()) break;
  }
  heads_.assign(bins, -1);
}

void Placer::clear() {
  entries_.clear();
  for (int32_t head : used_heads_) heads_[head] = -1;
  used_heads_.clear();
}

void Placer::put(int32_t item, Bytes offset) {
  for (int32_t k = items_.items[item].first; k < items_.items[item].last; ++k) {
    if (lower_[k] >= upper_[k]) continue;
    const auto level = static_cast<size_t>(std::bit_width(static_cast<uint32_t>(upper_[k] - lower_[k] - 1)));
    const size_t from = static_cast<size_t>(lower_[k]) >> level, to = static_cast<size_t>(upper_[k] - 1) >> level;
    for (size_t bin = from; bin <= to; ++bin) {
      int32_t& head = heads_[level_[level] + bin];
      if (head < 0) used_heads_.push_back(static_cast<int32_t>(level_[level] + bin));
      const Piece& p = items_.pieces[k];
      entries_.push_back({lower_[k], upper_[k], head, offset + p.lo, offset + p.hi});
      head = static_cast<int32_t>(entries_.size()) - 1;
    }
  }
}

void Placer::collect(int32_t k, Bytes lo, Bytes hi) {
  const int32_t lower = lower_[k], upper = upper_[k];
  if (lower >= upper) return;
  for (size_t level = 0; level < level_.size(); ++level) {
    const size_t from = static_cast<size_t>(lower) >> level, to = static_cast<size_t>(upper - 1) >> level;
    for (size_t bin = from; bin <= to; ++bin) {
      for (int32_t e = heads_[level_[level] + bin]; e >= 0; e = entries_[e].next) {
        const Entry& x = entries_[e];
        if (x.lower < upper && lower < x.upper) taken_.push_back({x.lo - hi + 1, x.hi - lo});
      }
    }
  }
}

Bytes Placer::place(int32_t i, Fit fit) {
  const Item& item = items_.items[i];
  if (item.fixed >= 0) {
    put(i, item.fixed);
    return item.fixed;
  }
  taken_.clear();
  for (int32_t k = item.first; k < item.last; ++k) collect(k, items_.pieces[k].lo, items_.pieces[k].hi);
  std::sort(taken_.begin(), taken_.end(), [](const Range& a, const Range& b) { return a.from < b.from; });
  Bytes at = 0, best = -1, tightest = std::numeric_limits<Bytes>::max();
  for (const Range& r : taken_) {
    if (r.from > at) {  // offsets from `at` up to r.from are free
      if (fit == Fit::first) break;
      if (r.from - at < tightest) {
        tightest = r.from - at;
        best = at;
      }
    }
    if (r.to > at) at = round_up(r.to, item.alignment);
  }
  if (best < 0) best = at;
  put(i, best);
  return best;
}

std::vector<Bytes> Placer::place_all(const std::vector<int32_t>& order, Fit fit) {
  return *place_all(order, fit, [] { return false; });
}

std::optional<std::vector<Bytes>> Placer::place_all(const std::vector<int32_t>& order, Fit fit,
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

std::vector<int32_t> order_by(const Items& items, Key key) {
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
      case Key::size:
        k = -static_cast<double>(v.size);
        break;
      case Key::area:
        k = -static_cast<double>(v.size) * length;
        break;
      case Key::length:
        k = -length;
        break;
      case Key::begin:
        k = static_cast<double>(v.lower);
        break;
      case Key::end:
        k = static_cast<double>(v.upper);
        break;
    }
    rows[i] = {k, v.lower, v.upper, v.size, static_cast<int32_t>(i)};
  }
  // Among equals the earlier one first (as TFLite does; on training graphs, where thousands are equal, it matters
  // much), then the longer-lived, then the larger.
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::make_tuple(a.key, a.lower, -a.upper, -a.size, a.index) <
           std::make_tuple(b.key, b.lower, -b.upper, -b.size, b.index);
  });
  std::vector<int32_t> order(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) order[i] = rows[i].index;
  return order;
}

}  // namespace arenascope::planner
