// SPDX-License-Identifier: MIT
#include <arenascope/planner/generate.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <random>

namespace arenascope::planner {
namespace {

// From [from, to], the same on every platform.
int64_t pick(std::mt19937_64& random, int64_t from, int64_t to) {
  return from + static_cast<int64_t>(random() % static_cast<uint64_t>(to - from + 1));
}

double fraction(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

}  // namespace

Problem perfect_packing(int n, uint64_t seed, int64_t steps, Bytes bytes) {
  struct Part {
    int64_t t0, t1;
    Bytes b0, b1;
    int order;
    double area() const { return static_cast<double>(t1 - t0) * static_cast<double>(b1 - b0); }
    bool operator<(const Part& o) const { return area() < o.area() || (area() == o.area() && order > o.order); }
  };
  std::mt19937_64 random(seed);
  std::priority_queue<Part> parts;
  std::vector<Part> whole;  // too small to be cut
  int order = 0;
  parts.push({0, steps, 0, bytes, order++});
  while (!parts.empty() && parts.size() + whole.size() < static_cast<size_t>(n)) {
    const Part p = parts.top();
    parts.pop();
    bool in_time = pick(random, 0, 1) == 0;
    if (in_time ? p.t1 - p.t0 < 2 : p.b1 - p.b0 < 2) in_time = !in_time;
    if (in_time ? p.t1 - p.t0 < 2 : p.b1 - p.b0 < 2) {
      whole.push_back(p);
      continue;
    }
    if (in_time) {
      const int64_t t = pick(random, p.t0 + 1, p.t1 - 1);
      parts.push({p.t0, t, p.b0, p.b1, order++});
      parts.push({t, p.t1, p.b0, p.b1, order++});
    } else {
      const Bytes b = pick(random, p.b0 + 1, p.b1 - 1);
      parts.push({p.t0, p.t1, p.b0, b, order++});
      parts.push({p.t0, p.t1, b, p.b1, order++});
    }
  }
  for (; !parts.empty(); parts.pop()) whole.push_back(parts.top());
  for (size_t i = whole.size(); i > 1; --i) std::swap(whole[i - 1], whole[random() % i]);
  Problem out;
  out.alignment = 1;
  for (const Part& p : whole) out.intervals.push_back({p.t0, p.t1, p.b1 - p.b0});
  return out;
}

Problem many_buffers(int n, uint64_t seed) {
  std::mt19937_64 random(seed);
  Problem out;
  out.alignment = 1;
  out.intervals.reserve(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    Interval v;
    v.lower = i / 2;
    // Lifetimes fall off as a power of their length, up to a thousandth of the whole; some are there for longer.
    const double longest = std::max(4.0, static_cast<double>(n) / 2000);
    v.upper = v.lower + 1 + static_cast<int64_t>(std::pow(longest, fraction(random)));
    v.size = static_cast<Bytes>(256 * std::pow(2.0, 14 * fraction(random)));
    out.intervals.push_back(std::move(v));
  }
  return out;
}

}  // namespace arenascope::planner
