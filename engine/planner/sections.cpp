// SPDX-License-Identifier: MIT
#include "engine/planner/sections.h"
#include "engine/planner/placement.h"

#include <algorithm>
#include <numeric>

namespace arenascope::planner {

Bytes Sections::peak() const {
  std::vector<Bytes> change(static_cast<size_t>(count) + 1, 0);
  for (size_t i = 0; i < items(); ++i) {
    change[lower[i]] += size[i];
    change[upper[i]] -= size[i];
  }
  Bytes live = 0, most = 0;
  for (Bytes c : change) most = std::max(most, live += c);
  return most;
}

std::optional<Sections> make_sections(const Items& items, const StopCheck& stop_check) {
  if (!items.simple || items.any_fixed) return std::nullopt;
  const size_t n = items.items.size();
  Sections out;
  Bytes alignment = n > 0 ? items.items[0].alignment : 1;
  for (const Item& item : items.items) {
    if (item.alignment != alignment) return std::nullopt;
  }
  out.unit = 0;
  out.size.resize(n);
  for (size_t i = 0; i < n; ++i) {
    out.size[i] = round_up(items.items[i].size, alignment);
    out.unit = std::gcd(out.unit, out.size[i]);
  }
  if (out.unit == 0) out.unit = 1;
  for (Bytes& s : out.size) s /= out.unit;

  // Walking the steps in order of time, a section ends where something begins after something ended.
  std::vector<int32_t> begins(n), ends(n);
  std::iota(begins.begin(), begins.end(), 0);
  ends = begins;
  const std::vector<Item>& v = items.items;
  std::sort(begins.begin(), begins.end(), [&](int32_t a, int32_t b) {
    stop_check();
    return v[a].lower < v[b].lower;
  });
  std::sort(ends.begin(), ends.end(), [&](int32_t a, int32_t b) {
    stop_check();
    return v[a].upper < v[b].upper;
  });
  out.lower.resize(n);
  out.upper.resize(n);
  size_t e = 0;
  bool ended = false;
  int32_t section = 0;
  for (size_t b = 0; b < n; ++b) {
    const int64_t now = v[begins[b]].lower;
    for (; e < n && v[ends[e]].upper <= now; ++e) {
      out.upper[ends[e]] = section + 1;
      ended = true;
    }
    if (ended) {
      ++section;
      ended = false;
    }
    out.lower[begins[b]] = section;
  }
  for (; e < n; ++e) out.upper[ends[e]] = section + 1;
  out.count = n > 0 ? section + 1 : 0;
  return out;
}

}  // namespace arenascope::planner
