// SPDX-License-Identifier: MIT
#include <arenascope/trace/durations.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>

using namespace arenascope;
using namespace arenascope::trace;

TEST_CASE("quantiles are interpolated between sorted values") {
  CHECK(quantile({}, 0.5) == 0);
  CHECK(quantile({7}, 0.99) == 7);
  CHECK(quantile({0, 100}, 0) == 0);
  CHECK(quantile({0, 100}, 0.9) == 90);
  CHECK(quantile({0, 100}, 1) == 100);
}

TEST_CASE("each duration is in one bin of the histogram") {
  for (const std::vector<Nanoseconds>& values :
       std::vector<std::vector<Nanoseconds>>{{}, {5}, {5, 5, 5}, {0, 1, 2}, {1, 10, 100, 1'000'000}, {0, 1'000'000}}) {
    const DurationHistogram histogram = histogram_of(values, 8);
    size_t next = 0;
    for (const DurationBin& bin : histogram.bins) {
      CHECK(bin.first == next);
      for (size_t i = bin.first; i < bin.first + bin.count; ++i) {
        CHECK(static_cast<double>(values[i]) >= bin.begin);
        CHECK(static_cast<double>(values[i]) <= bin.end);
      }
      next += bin.count;
    }
    CHECK(next == values.size());
    CHECK(histogram.bins.size() <= 8);
    CHECK(histogram.bins.empty() == values.empty());
  }
  CHECK(histogram_of({1, 10, 100, 1'000'000}).logarithmic);
  CHECK_FALSE(histogram_of({100, 120, 150}).logarithmic);
  CHECK_FALSE(histogram_of({0, 1'000'000}).logarithmic);  // 0 has no logarithm
  std::vector<Nanoseconds> hundred(101);
  std::iota(hundred.begin(), hundred.end(), 0);
  const DurationHistogram uniform = histogram_of(hundred, 10);
  CHECK(uniform.p50 == 50);
  CHECK(uniform.p90 == 90);
  CHECK(uniform.p99 == 99);
  CHECK(std::ranges::all_of(uniform.bins, [](const DurationBin& bin) { return bin.count >= 10; }));
}

TEST_CASE("the durations of a span are those of all spans with its name, on every track") {
  Session session;
  session.describe(ThreadInfo{TrackId(0), "a", TrackKind::Other});
  session.describe(ThreadInfo{TrackId(1), "b", TrackKind::Other});
  session.describe(NameInfo{NameId(0), "read"});
  session.describe(NameInfo{NameId(1), "write"});
  session.events(TrackId(0), std::array{slice(0, 30, NameId(0), 0), slice(40, 50, NameId(1), 0)});
  session.events(TrackId(1), std::array{slice(0, 20, NameId(0), 0)});
  const auto snapshot = session.snapshot();
  const Durations reads = durations_of_label(*snapshot, {TrackId(0), 0, 0});
  CHECK(reads.values == std::vector<Nanoseconds>{20, 30});
  REQUIRE(reads.spans.size() == 2);
  CHECK(reads.spans[0] == SpanRef{TrackId(1), 0, 0});
  CHECK(durations_of_label(*snapshot, {TrackId(0), 0, 1}).values == std::vector<Nanoseconds>{10});
  std::stop_source stop;
  stop.request_stop();
  CHECK(durations_of_label(*snapshot, {TrackId(0), 0, 0}, stop.get_token()).values.empty());
}
