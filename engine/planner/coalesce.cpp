// SPDX-License-Identifier: MIT
#include "engine/planner/coalesce.h"
#include "engine/planner/fit_allocator.h"
#include "engine/planner/restart_portfolio.h"

#include <algorithm>
#include <map>
#include <queue>
#include <random>
#include <tuple>

namespace arenascope::planner {
namespace {

// Coalesced parts: the first n are the items, each later one consists of two.
struct Part {
  int32_t lower, upper;  // sections
  Bytes size;            // units
  int32_t a = -1, b = -1;
  bool on_top = false;  // b is above a, rather than after it
};

class Coalescer {
 public:
  Coalescer(const Sections& s, uint64_t seed, const StopCheck& stop_check)
      : stop_check_(stop_check), random_(seed), noise_(seed > 0) {
    parts_.reserve(2 * s.items());
    for (size_t i = 0; i < s.items(); ++i) add({s.lower[i], s.upper[i], s.size[i]});
  }

  // Takes over bytes as long as it can; then puts one pair on top of each other, the longest-lived first, for these
  // are the least likely to be equal by coincidence.
  void run() {
    for (;;) {
      while (!fresh_.empty()) {
        stop_check_();
        const int32_t k = fresh_.back();
        fresh_.pop_back();
        if (!gone_[k]) find_successors(k);
      }
      if (!on_top()) return;
    }
  }

  std::vector<int32_t> left() const {
    std::vector<int32_t> out;
    for (size_t k = 0; k < parts_.size(); ++k)
      if (!gone_[k]) out.push_back(static_cast<int32_t>(k));
    return out;
  }
  const Part& part(int32_t k) const { return parts_[k]; }

  // Offsets of the items if part k is at `offset`, all in units.
  void place(int32_t k, Bytes offset, std::vector<Bytes>& offsets) const {
    std::vector<std::pair<int32_t, Bytes>> open{{k, offset}};
    while (!open.empty()) {
      const auto [q, at] = open.back();
      open.pop_back();
      const Part& p = parts_[q];
      if (p.a < 0) {
        offsets[q] = at;
        continue;
      }
      open.emplace_back(p.a, at);
      open.emplace_back(p.b, p.on_top ? at + parts_[p.a].size : at);
    }
  }

 private:
  using Edge = std::pair<int32_t, Bytes>;              // a section and a size
  using Life = std::tuple<int32_t, int32_t, int32_t>;  // shorter ones first, so that the longest is last

  void add(Part p) {
    const auto k = static_cast<int32_t>(parts_.size());
    parts_.push_back(p);
    gone_.push_back(0);
    begins_.emplace(Edge(p.lower, p.size), k);
    ends_.emplace(Edge(p.upper, p.size), k);
    std::vector<int32_t>& equal_lifetimes = lives_[{p.lower, p.upper}];
    equal_lifetimes.push_back(k);
    if (equal_lifetimes.size() == 2) pairs_.emplace(p.upper - p.lower + shake(p.upper - p.lower), p.lower, p.upper);
    fresh_.push_back(k);
  }
  int32_t shake(int32_t length) {
    return noise_ ? static_cast<int32_t>(random_() % static_cast<uint64_t>(length / 2 + 4)) : 0;
  }

  void take(int32_t k) {
    const Part& p = parts_[k];
    gone_[k] = 1;
    const auto erase = [&](std::multimap<Edge, int32_t>& map, Edge edge) {
      auto [from, to] = map.equal_range(edge);
      map.erase(std::find_if(from, to, [&](const auto& e) { return e.second == k; }));
    };
    erase(begins_, {p.lower, p.size});
    erase(ends_, {p.upper, p.size});
    std::erase(lives_[{p.lower, p.upper}], k);
  }

  // Joins part k to one of its size that ends where it begins, or begins where it ends.
  void find_successors(int32_t k) {
    const Part p = parts_[k];
    int32_t a = k, b = k;
    if (const auto before = ends_.find({p.lower, p.size}); before != ends_.end())
      a = before->second;
    else if (const auto after = begins_.find({p.upper, p.size}); after != begins_.end())
      b = after->second;
    else
      return;
    take(a);
    take(b);
    add({parts_[a].lower, parts_[b].upper, p.size, a, b, false});
  }

  bool on_top() {
    while (!pairs_.empty()) {
      const auto [key, lower, upper] = pairs_.top();
      const std::vector<int32_t>& equal_lifetimes = lives_[{lower, upper}];
      if (equal_lifetimes.size() < 2) {
        pairs_.pop();
        continue;
      }
      const int32_t a = equal_lifetimes[equal_lifetimes.size() - 2], b = equal_lifetimes[equal_lifetimes.size() - 1];
      take(a);
      take(b);
      add({lower, upper, parts_[a].size + parts_[b].size, a, b, true});
      return true;
    }
    return false;
  }

  const StopCheck& stop_check_;
  std::mt19937_64 random_;
  bool noise_;
  std::vector<Part> parts_;
  std::vector<char> gone_;
  std::vector<int32_t> fresh_;
  std::multimap<Edge, int32_t> begins_, ends_;
  std::map<std::pair<int32_t, int32_t>, std::vector<int32_t>> lives_;
  std::priority_queue<Life> pairs_;
};

}  // namespace

void try_coalesced(const Items& items, const Sections& sections, int threads, Incumbent& best) {
  const size_t n = items.items.size();
  if (n < 3 || best.done()) return;
  const Deadline& deadline = best.deadline();
  const StopCheck stop_check = deadline.stop_check();
  constexpr int kAttempts = 24;
  const double until = deadline.seconds() + 0.15 * deadline.left();
  for (int attempt = 0; attempt < kAttempts && !best.done() && deadline.seconds() < until; ++attempt) {
    Coalescer coalescer(sections, static_cast<uint64_t>(attempt), stop_check);
    coalescer.run();
    const std::vector<int32_t> left = coalescer.left();
    if (left.size() > n - n / 8) return;
    Items joined;
    for (size_t k = 0; k < left.size(); ++k) {
      const Part& p = coalescer.part(left[k]);
      const auto at = static_cast<int32_t>(k);
      joined.pieces.push_back({p.lower, p.upper, 0, p.size});
      joined.items.push_back({at, at + 1, p.lower, p.upper, p.size, 1, -1});
      joined.item_of.push_back(at);
    }
    const std::function<void(const Progress&)> quiet;
    const Bytes unit = sections.unit;
    std::optional<Bytes> goal;
    if (best.capacity()) goal = *best.capacity() / unit;
    Incumbent inner(joined, (best.bound() + unit - 1) / unit, goal, deadline.ending_at(until), quiet);
    inner.offer(FitAllocator(joined, stop_check).place_all(order_by(joined, Key::size, stop_check), Fit::first));
    if (!inner.done()) {
      if (const std::optional<Sections> shape = make_sections(joined, stop_check))
        run_restart_portfolio(joined, *shape, threads, inner, 2);
    }
    std::vector<Bytes> offsets(n);
    for (size_t k = 0; k < left.size(); ++k) coalescer.place(left[k], inner.offsets()[k], offsets);
    for (Bytes& offset : offsets) offset *= unit;
    best.offer(std::move(offsets));
  }
}

}  // namespace arenascope::planner
