// SPDX-License-Identifier: MIT
#include <arenascope/trace/snapshot.h>
#include <doctest/doctest.h>

#include <random>

using namespace arenascope;
using namespace arenascope::trace;

TEST_CASE("a view is unchanged while its column grows and changes") {
  Column<int> column;
  std::vector<ColumnView<int>> views;
  for (int i = 0; i < 5000; ++i) {
    column.push_back(i);
    if (i % 777 == 0) views.push_back(column.view());
  }
  for (int i = 0; i < 5000; i += 3) column.mutate(static_cast<size_t>(i)) = -1;
  for (size_t v = 0; v < views.size(); ++v) {
    REQUIRE(views[v].size() == v * 777 + 1);
    for (size_t i = 0; i < views[v].size(); ++i) REQUIRE(views[v][i] == static_cast<int>(i));
  }
  const auto now = column.view();
  for (size_t i = 0; i < now.size(); ++i) REQUIRE(now[i] == (i % 3 == 0 ? -1 : static_cast<int>(i)));
  CHECK(ColumnView<int>().empty());
}

TEST_CASE("partition_point finds the first row that fails the predicate") {
  Column<int> column;
  for (int i = 0; i < 2000; ++i) column.push_back(2 * i);
  const auto view = column.view();
  for (int x : {-1, 0, 1, 2, 1999, 2000, 3998, 3999, 5000}) {
    const size_t at = view.partition_point([&](int v) { return v < x; });
    CHECK((at == view.size() || view[at] >= x));
    CHECK((at == 0 || view[at - 1] < x));
  }
}

TEST_CASE("the tree finds every row that overlaps a range, visiting few others") {
  std::mt19937_64 random(1);
  for (size_t rows :
       {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{17}, size_t{255}, size_t{4097}, size_t{70000}}) {
    Column<Range64> column;
    SummaryTree<Range64> tree;
    for (size_t i = 0; i < rows; ++i) {
      const auto lo = static_cast<int64_t>(i * 10 + random() % 7);
      column.push_back({lo, lo + static_cast<int64_t>(random() % 30)});
      tree.add(column[i]);
    }
    const auto view = column.view();
    const auto tree_view = tree.view();
    CHECK(tree_view.rows() == rows);
    for (int query = 0; query < 20; ++query) {
      const auto q0 = static_cast<int64_t>(random() % (rows * 10 + 1));
      const auto q1 = q0 + static_cast<int64_t>(random() % 500);
      std::vector<size_t> found, expected;
      size_t walked = 0;
      tree_view.visit([&](const Range64& s, size_t, size_t) { return ++walked, s.lo < q1 && s.hi > q0; },
                      [&](size_t i) {
                        ++walked;
                        if (view[i].lo < q1 && view[i].hi > q0) found.push_back(i);
                      });
      for (size_t i = 0; i < rows; ++i) {
        if (view[i].lo < q1 && view[i].hi > q0) expected.push_back(i);
      }
      CHECK(found == expected);
      CHECK(walked < 400);
    }
  }
}

TEST_CASE("curves hold the extremes of every pixel as a linear scan finds them") {
  std::mt19937_64 random(2);
  Column<Sample> samples;
  SummaryTree<SampleSummary> tree;
  Nanoseconds t = 1000;
  for (int i = 0; i < 20000; ++i) {
    const double v = static_cast<double>(random() % 1000);
    samples.push_back({t, v});
    tree.add({t, t, v, v, v, true});
    t += static_cast<Nanoseconds>(random() % 50);
  }
  const SeriesView series{samples.view(), tree.view()};
  CHECK(series.at(999) == 0);
  CHECK(series.at(1000) >= 0);
  for (int pixels : {1, 7, 300, 1600}) {
    const Nanoseconds t0 = 5000, t1 = 400'000;
    const auto points = series.curve(t0, t1, pixels);
    REQUIRE(points.size() == static_cast<size_t>(pixels));
    CHECK(points.front().begin == t0);
    CHECK(points.back().end == t1);
    double lowest = 1e9, highest = -1;
    for (const CurvePoint& p : points) {
      CHECK(p.min <= p.max);
      CHECK(p.last <= p.max);
      lowest = std::min(lowest, p.min);
      highest = std::max(highest, p.max);
    }
    double true_low = series.at(t0), true_high = series.at(t0);
    for (size_t i = 0; i < samples.size(); ++i) {
      if (samples[i].time < t0 || samples[i].time >= t1) continue;
      true_low = std::min(true_low, samples[i].value);
      true_high = std::max(true_high, samples[i].value);
    }
    CHECK(lowest == true_low);
    CHECK(highest == true_high);
    CHECK(points.back().last == series.at(t1 - 1));
  }
}

TEST_CASE("blank rows share their memory, and earlier views keep theirs") {
  Column<int> column;
  column.append_blank(1500, -1);
  CHECK(column.size() == 1500);
  for (int i = 1500; i < 5000; ++i) column.push_back(i);
  const auto before = column.view();
  const size_t bytes = column.bytes();
  CHECK(column.blank_front(4000, -1) == 3584 - 1024);  // whole chunks; the first two were blank
  CHECK(column.blank_front(4000, -1) == 0);
  CHECK(column.bytes() == bytes - 5 * kColumnRows * sizeof(int));
  column.push_back(5000);
  column.mutate(4999) = 7;
  column.mutate(100) = 8;
  for (size_t i = 0; i < 5000; ++i) REQUIRE(before[i] == (i < 1500 ? -1 : static_cast<int>(i)));
  const auto after = column.view();
  for (size_t i = 0; i < 3584; ++i) REQUIRE(after[i] == (i == 100 ? 8 : -1));
  for (size_t i = 3584; i < 4999; ++i) REQUIRE(after[i] == static_cast<int>(i));
  CHECK(after[4999] == 7);
  CHECK(column.drop_front(2048) == 2048);
  CHECK(column[0] == -1);
  CHECK(column[1536] == 3584);
}
