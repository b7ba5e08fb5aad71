// SPDX-License-Identifier: GPL-3.0-or-later
#include "row_layout.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace arenascope::views {
namespace {

constexpr double kGapX = 22, kGapY = 30, kWayWidth = 8;
constexpr int kOrderSweeps = 16, kPlaceSweeps = 8;

// A box, or a point on the path of links that cross its row.
struct Spot {
  size_t item = SIZE_MAX;  // none: a point on a path
  size_t row = 0;
  double width = kWayWidth, x = 0;
  bool is_way() const { return item == SIZE_MAX; }
};

// A link segment between spots of adjacent rows.
struct Thread {
  size_t from = 0, to = 0;
  double from_port = 0, to_port = 0, weight = 1;
};

class Rows {
 public:
  Rows(const std::vector<RowItem>& items, const std::vector<RowLink>& links) : items_(items), links_(links) {}

  RowLayout run() {
    find_loops();
    rank();
    make_spots();
    order();
    for (int i = 0; i < kPlaceSweeps; ++i) place(i % 2 == 0, i + 1 == kPlaceSweeps);
    return finish();
  }

 private:
  // --- ranks

  // Iterative depth-first search, because chains may be long; a link to an item on the stack closes a cycle.
  void find_loops() {
    const size_t n = items_.size();
    std::vector<std::vector<size_t>> out(n);
    for (size_t l = 0; l < links_.size(); ++l) out[links_[l].from].push_back(l);
    closes_.assign(links_.size(), 0);
    enum : char { New, Open, Done };
    std::vector<char> state(n, New);
    std::vector<std::pair<size_t, size_t>> stack;
    for (size_t root = 0; root < n; ++root) {
      if (state[root] != New) continue;
      state[root] = Open;
      stack.push_back({root, 0});
      while (!stack.empty()) {
        auto& [item, next] = stack.back();
        if (next == out[item].size()) {
          state[item] = Done;
          stack.pop_back();
          continue;
        }
        const size_t link = out[item][next++], to = links_[link].to;
        if (state[to] == Open) {
          closes_[link] = 1;
        } else if (state[to] == New) {
          state[to] = Open;
          stack.push_back({to, 0});
        }
      }
    }
  }

  void rank() {
    const size_t n = items_.size();
    std::vector<std::vector<size_t>> out(n), in(n);
    for (size_t l = 0; l < links_.size(); ++l) {
      if (closes_[l]) continue;
      out[links_[l].from].push_back(links_[l].to);
      in[links_[l].to].push_back(links_[l].from);
    }
    rank_.assign(n, 0);
    std::vector<size_t> missing(n), order;
    for (size_t v = 0; v < n; ++v)
      if ((missing[v] = in[v].size()) == 0) order.push_back(v);
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t to : out[order[i]]) {
        rank_[to] = std::max(rank_[to], rank_[order[i]] + 1);
        if (--missing[to] == 0) order.push_back(to);
      }
    // Move items down if they have more outgoing than incoming links: that shortens the links.
    for (size_t i = order.size(); i-- > 0;) {
      const size_t v = order[i];
      if (out[v].size() <= in[v].size() || items_[v].pin == RowItem::Pin::First) continue;
      size_t low = SIZE_MAX;
      for (size_t to : out[v]) low = std::min(low, rank_[to]);
      rank_[v] = low - 1;
    }
    size_t last = 0;
    for (size_t v = 0; v < n; ++v) last = std::max(last, rank_[v]);
    for (size_t v = 0; v < n; ++v)
      if (items_[v].pin == RowItem::Pin::Last) rank_[v] = last;
  }

  // --- rows

  void make_spots() {
    for (size_t v = 0; v < items_.size(); ++v) spots_.push_back({v, rank_[v], items_[v].size.width(), 0});
    // If there would be too many points, the longest links are drawn without them.
    std::vector<size_t> by_length;
    for (size_t l = 0; l < links_.size(); ++l)
      if (!closes_[l]) by_length.push_back(l);
    const auto length = [&](size_t l) { return rank_[links_[l].to] - rank_[links_[l].from]; };
    std::stable_sort(by_length.begin(), by_length.end(), [&](size_t a, size_t b) { return length(a) < length(b); });
    std::map<std::pair<size_t, size_t>, std::vector<size_t>> ways;  // by item and bundle
    size_t left = 4 * items_.size() + 2000;
    way_.assign(links_.size(), {});
    for (size_t l : by_length) {
      const RowLink& link = links_[l];
      std::vector<size_t>& way = ways[{link.from, link.bundle}];
      const size_t points = length(l) - 1;
      if (points > way.size() && points - way.size() > left) continue;
      size_t at = link.from;
      for (size_t i = 0; i < points; ++i) {
        if (i == way.size()) {
          way.push_back(spots_.size());
          spots_.push_back({SIZE_MAX, rank_[link.from] + i + 1, kWayWidth, 0});
          threads_.push_back({at, way.back(), at == link.from ? link.from_port : 0, 0, at == link.from ? 2.0 : 8.0});
          --left;
        }
        at = way[i];
      }
      way_[l].assign(way.begin(), way.begin() + static_cast<std::ptrdiff_t>(points));
      threads_.push_back(
          {at, link.to, at == link.from ? link.from_port : 0, link.to_port, at == link.from ? 1.0 : 2.0});
    }
    above_.assign(spots_.size(), {});
    below_.assign(spots_.size(), {});
    for (size_t t = 0; t < threads_.size(); ++t) {
      below_[threads_[t].from].push_back(t);
      above_[threads_[t].to].push_back(t);
    }
    size_t rows = 0;
    for (const Spot& spot : spots_) rows = std::max(rows, spot.row + 1);
    rows_.assign(rows, {});
    for (size_t s = 0; s < spots_.size(); ++s) rows_[spots_[s].row].push_back(s);
  }

  // --- order within rows

  // The preferred x of a spot: the mean of its neighbours in one direction.
  double preferred_x(size_t spot, bool by_above, double otherwise) const {
    double sum = 0, weight = 0;
    for (size_t t : by_above ? above_[spot] : below_[spot]) {
      const Thread& thread = threads_[t];
      const double x = by_above ? spots_[thread.from].x + thread.from_port - thread.to_port
                                : spots_[thread.to].x + thread.to_port - thread.from_port;
      sum += x * thread.weight;
      weight += thread.weight;
    }
    return weight > 0 ? sum / weight : otherwise;
  }

  void pack(const std::vector<size_t>& row) {
    double width = 0;
    for (size_t s : row) width += spots_[s].width + kGapX;
    double left = -width / 2;
    for (size_t s : row) {
      spots_[s].x = left + spots_[s].width / 2;
      left += spots_[s].width + kGapX;
    }
  }

  // The number of crossings between all adjacent rows.
  int64_t crossings() const {
    int64_t sum = 0;
    std::vector<std::pair<double, double>> ends;
    std::vector<double> passed;
    for (const std::vector<size_t>& row : rows_) {
      ends.clear();
      for (size_t s : row)
        for (size_t t : below_[s])
          ends.push_back({spots_[s].x + threads_[t].from_port, spots_[threads_[t].to].x + threads_[t].to_port});
      std::sort(ends.begin(), ends.end());
      passed.clear();
      for (const auto& [from, to] : ends) {
        const auto place = std::upper_bound(passed.begin(), passed.end(), to);
        sum += passed.end() - place;
        passed.insert(place, to);
      }
    }
    return sum;
  }

  void sweep_order(bool down) {
    std::vector<std::pair<double, size_t>> keys;
    for (size_t i = 0; i < rows_.size(); ++i) {
      std::vector<size_t>& row = rows_[down ? i : rows_.size() - 1 - i];
      keys.clear();
      for (size_t s : row) keys.push_back({preferred_x(s, down, spots_[s].x), s});
      std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t k = 0; k < row.size(); ++k) row[k] = keys[k].second;
      pack(row);
    }
  }

  // Sweeps down and up; keeps the order with the fewest crossings.
  void order() {
    for (const auto& row : rows_) pack(row);
    std::vector<std::vector<size_t>> best = rows_;
    int64_t least = crossings();
    for (int sweep = 0; sweep < kOrderSweeps && least > 0; ++sweep) {
      sweep_order(sweep % 2 == 0);
      const int64_t now = crossings();
      if (now >= least) continue;
      least = now;
      best = rows_;
    }
    rows_ = std::move(best);
    for (const auto& row : rows_) pack(row);
  }

  // --- x positions

  double weight_of(size_t spot, bool by_above) const {
    double weight = 0;
    for (size_t t : by_above ? above_[spot] : below_[spot]) weight += threads_[t].weight;
    return std::max(weight, 0.05);
  }

  // Positions as close as possible to the preferred ones in the given order without overlaps: after subtracting the
  // widths, this is an isotonic regression.
  void place_row(const std::vector<size_t>& row, bool by_above, bool by_both) {
    struct Pool {
      double sum, weight;
      size_t count;
      double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    std::vector<double> left(row.size(), 0);
    for (size_t k = 0; k < row.size(); ++k) {
      const Spot& spot = spots_[row[k]];
      if (k > 0) {
        const Spot& before = spots_[row[k - 1]];
        left[k] = left[k - 1] + (before.width + spot.width) / 2 + (spot.is_way() && before.is_way() ? 6 : kGapX);
      }
      double target = preferred_x(row[k], by_above, spot.x), weight = weight_of(row[k], by_above);
      if (by_both) {
        const double other = weight_of(row[k], !by_above);
        target = (target * weight + preferred_x(row[k], !by_above, spot.x) * other) / (weight + other);
        weight += other;
      }
      pools.push_back({(target - left[k]) * weight, weight, 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight,
                        pools.back().count + last.count};
      }
    }
    size_t k = 0;
    for (const Pool& pool : pools)
      for (size_t i = 0; i < pool.count; ++i, ++k) spots_[row[k]].x = pool.mean() + left[k];
  }

  void place(bool down, bool by_both) {
    for (size_t i = 0; i < rows_.size(); ++i) place_row(rows_[down ? i : rows_.size() - 1 - i], down, by_both);
  }

  // --- curves

  // The height of each row and the gap below it: larger where links span far or carry badges.
  void find_heights() {
    top_.assign(rows_.size(), 0);
    bottom_.assign(rows_.size(), 0);
    std::vector<double> height(rows_.size(), 0), swing(rows_.size(), 0), room(rows_.size(), 0);
    for (const Spot& spot : spots_)
      if (!spot.is_way()) height[spot.row] = std::max(height[spot.row], items_[spot.item].size.height());
    for (const Thread& t : threads_) {
      const size_t row = spots_[t.from].row;
      swing[row] = std::max(swing[row], std::abs(spots_[t.from].x + t.from_port - spots_[t.to].x - t.to_port));
    }
    for (size_t l = 0; l < links_.size(); ++l)
      if (!closes_[l]) room[rank_[links_[l].from]] = std::max(room[rank_[links_[l].from]], links_[l].room);
    double y = 0;
    for (size_t r = 0; r < rows_.size(); ++r) {
      top_[r] = y;
      bottom_[r] = y + height[r];
      y = bottom_[r] + kGapY + room[r] + std::min(swing[r] * 0.06, 60.0);
    }
  }

  // Appends a segment with vertical tangents.
  static void lead(std::vector<QPointF>& curve, const QPointF& to) {
    const QPointF from = curve.back();
    const double bend = (to.y() - from.y()) * 0.45;
    curve.insert(curve.end(), {from + QPointF(0, bend), to - QPointF(0, bend), to});
  }

  // An upward curve on the right of all boxes that it passes; each further curve is a little farther out.
  std::vector<QPointF> back(const QPointF& from, const QPointF& to, size_t l) const {
    double right = std::max(from.x(), to.x());
    const auto [first, last] = std::minmax(spots_[links_[l].from].row, spots_[links_[l].to].row);
    for (size_t r = first; r <= last; ++r)
      for (size_t s : rows_[r])
        if (!spots_[s].is_way()) right = std::max(right, spots_[s].x + spots_[s].width / 2);
    const auto before = std::count(closes_.begin(), closes_.begin() + static_cast<std::ptrdiff_t>(l), char{1});
    const double x = right + kGapX + kWayWidth * static_cast<double>(before % 4);
    const QPointF bend(0, kGapY), low(x, from.y()), high(x, to.y()), third = (high - low) / 3;
    return {from, from + bend, low + bend, low, low + third, high - third, high, high - bend, to - bend, to};
  }

  std::vector<QPointF> curve_of(size_t l) const {
    const RowLink& link = links_[l];
    const auto end = [&](size_t item, double port, double side) {
      const Spot& spot = spots_[item];
      const double middle = (top_[spot.row] + bottom_[spot.row]) / 2;
      return QPointF(spot.x + port, middle + side * items_[item].size.height() / 2);
    };
    std::vector<QPointF> curve{end(link.from, link.from_port, 1)};
    const QPointF to = end(link.to, link.to_port, -1);
    if (closes_[l] != 0) return back(curve.front(), to, l);
    if (to.y() <= curve.front().y()) {  // to the frame's edge, from a box in the adjacent row
      const QPointF bend(0, kGapY);
      curve.insert(curve.end(), {curve.front() + bend, to - bend, to});
      return curve;
    }
    for (size_t s : way_[l]) {
      const Spot& spot = spots_[s];
      lead(curve, {spot.x, top_[spot.row]});
      if (bottom_[spot.row] > top_[spot.row]) lead(curve, {spot.x, bottom_[spot.row]});
    }
    lead(curve, to);
    return curve;
  }

  RowLayout finish() {
    find_heights();
    RowLayout layout;
    for (size_t v = 0; v < items_.size(); ++v) {
      const Spot& spot = spots_[v];
      layout.centres.push_back({spot.x, (top_[spot.row] + bottom_[spot.row]) / 2});
      const QSizeF size = items_[v].size;
      layout.bounds |= QRectF(layout.centres[v] - QPointF(size.width(), size.height()) / 2, size);
    }
    for (const Spot& spot : spots_)
      if (spot.is_way()) layout.bounds |= QRectF(spot.x - kWayWidth / 2, top_[spot.row], kWayWidth, 1);
    for (size_t l = 0; l < links_.size(); ++l) {
      layout.curves.push_back(curve_of(l));
      if (!closes_[l]) continue;
      for (const QPointF& point : layout.curves.back()) layout.bounds |= QRectF(point - QPointF(1, 1), QSizeF(2, 2));
    }
    return layout;
  }

  const std::vector<RowItem>& items_;
  const std::vector<RowLink>& links_;
  std::vector<char> closes_;  // per link: whether it closes a cycle
  std::vector<size_t> rank_;  // per item
  std::vector<Spot> spots_;   // the items first
  std::vector<Thread> threads_;
  std::vector<std::vector<size_t>> way_;            // per link, as spots
  std::vector<std::vector<size_t>> above_, below_;  // segments per spot
  std::vector<std::vector<size_t>> rows_;
  std::vector<double> top_, bottom_;  // per row
};

}  // namespace

RowLayout lay_rows(const std::vector<RowItem>& items, const std::vector<RowLink>& links) {
  return items.empty() ? RowLayout{} : Rows(items, links).run();
}

}  // namespace arenascope::views
