// SPDX-License-Identifier: MIT
#include <arenascope/trace/durations.h>
#include <arenascope/trace/span_label.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arenascope::trace {

namespace {
constexpr double kWideSpread = 30;  // ratio of the longest to the shortest from which bins are logarithmic
}  // namespace

Nanoseconds quantile(const std::vector<Nanoseconds>& sorted, double share) {
  if (sorted.empty()) return 0;
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = position - static_cast<double>(below);
  return sorted[below] + static_cast<Nanoseconds>(part * static_cast<double>(sorted[below + 1] - sorted[below]));
}

Durations durations_of_label(const Snapshot& snapshot, const SpanRef& span, const std::stop_token& stop) {
  const SpanLabelKey key = SpanLabelKey::of(snapshot, snapshot.event(span));
  Durations found;
  for (size_t t = 0; t < snapshot.tracks.size(); ++t)
    for (uint32_t lane = 0; lane < snapshot.tracks[t].lanes.size(); ++lane) {
      if (stop.stop_requested()) return {};
      const auto& rows = snapshot.tracks[t].lanes[lane].rows;
      for (uint32_t row = 0; row < rows.size(); ++row) {
        if (!rows[row].is_span() || SpanLabelKey::of(snapshot, rows[row]) != key) continue;
        found.values.push_back(rows[row].end() - rows[row].begin());
        found.spans.push_back({TrackId(t), lane, row});
      }
    }
  std::vector<size_t> order(found.values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return found.values[i]; });
  Durations out;
  for (const size_t i : order) {
    out.values.push_back(found.values[i]);
    out.spans.push_back(found.spans[i]);
  }
  return out;
}

DurationHistogram histogram_of(const std::vector<Nanoseconds>& sorted, size_t bins) {
  DurationHistogram out;
  if (sorted.empty() || bins == 0) return out;
  out.p50 = quantile(sorted, 0.5);
  out.p90 = quantile(sorted, 0.9);
  out.p99 = quantile(sorted, 0.99);
  const auto least = static_cast<double>(sorted.front()), most = static_cast<double>(sorted.back());
  out.logarithmic = least > 0 && most / least > kWideSpread;
  const double all = std::max(std::ceil(2 * std::sqrt(static_cast<double>(sorted.size()))), 1.0);
  const size_t count = most > least ? std::min(bins, static_cast<size_t>(all)) : 1;
  const auto edge = [&](size_t i) {
    if (i == count) return most;
    const double share = static_cast<double>(i) / static_cast<double>(count);
    return out.logarithmic ? least * std::pow(most / least, share) : least + share * (most - least);
  };
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    DurationBin bin{edge(i), edge(i + 1), next, 0};
    while (next < sorted.size() && (i + 1 == count || static_cast<double>(sorted[next]) < bin.end)) ++next;
    bin.count = next - bin.first;
    out.bins.push_back(bin);
  }
  return out;
}

}  // namespace arenascope::trace
