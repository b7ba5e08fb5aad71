// SPDX-License-Identifier: MIT
// Flame trees: weights against sums of the raw events, nesting, and the path of each frame.
#include <arenascope/trace/difference.h>
#include <arenascope/trace/flame_tree.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>
#include "sample_session.h"
#include "support/random_events.h"
#include "test_data.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <random>

using namespace arenascope;
using namespace arenascope::trace;

namespace {

// Frames as "all;a;b" with self weight, total weight and count.
struct FlameRow {
  double self, total;
  int64_t count;
  bool operator==(const FlameRow&) const = default;
};
std::ostream& operator<<(std::ostream& out, const FlameRow& row) {
  return out << "{" << row.self << ", " << row.total << ", " << row.count << "}";
}

std::map<std::string, FlameRow> rows_of(const FlameTree& tree) {
  std::vector<std::string> paths;
  std::map<std::string, FlameRow> out;
  for (const FlameFrame& f : tree.frames) {
    paths.push_back(paths.empty() ? tree.name(f) : paths[f.parent] + ";" + tree.name(f));
    out[paths.back()] = {f.self, f.total, f.count};
  }
  return out;
}

// The shape that every tree has.
void check_shape(const FlameTree& tree) {
  REQUIRE(!tree.frames.empty());
  CHECK(tree.root().kind == FlameKind::All);
  size_t wrong = 0, frames = 1;
  for (uint32_t i = 0; i < tree.frames.size(); ++i) {
    const FlameFrame& f = tree.frames[i];
    frames += f.children;
    double sum = f.self, before = f.total;
    wrong += f.self < 0 || (i > 0 && f.total <= 0);
    for (const FlameFrame& child : tree.children(f)) {
      wrong += child.parent != i || child.depth != f.depth + 1 || child.total > before;
      sum += before = child.total;
    }
    wrong += std::abs(sum - f.total) > 1e-9 * f.total;
  }
  CHECK(wrong == 0);
  CHECK(frames == tree.frames.size());
}

FlameTree checked_tree(const Snapshot& snapshot, FlameWeight weight, std::optional<TimeRange> range = {}) {
  FlameTree tree = flame_tree(snapshot, weight, range);
  CAPTURE(name(weight));
  check_shape(tree);
  CHECK(tree.unit == unit_of(weight));
  return tree;
}

// Named slices of one track per list.
struct FlameSlice {
  const char* name;
  Nanoseconds begin, end;
  int64_t depth;
};
std::shared_ptr<const Snapshot> with_slices(const std::vector<std::vector<FlameSlice>>& tracks) {
  Session session;
  std::map<std::string, NameId> names;
  for (size_t t = 0; t < tracks.size(); ++t) {
    session.describe(ThreadInfo{TrackId(t), "thread " + std::to_string(t), TrackKind::Other});
    std::vector<Event> events;
    for (const FlameSlice& s : tracks[t]) {
      const auto [it, added] = names.try_emplace(s.name, NameId(names.size()));
      if (added) session.describe(NameInfo{it->second, s.name});
      events.push_back(slice(s.begin, s.end, it->second, s.depth));
    }
    session.events(TrackId(t), events);
  }
  return session.snapshot();
}

double durations_in_lane(const TrackView& track, size_t lane) {
  double sum = 0;
  for (size_t i = 0; lane < track.lanes.size() && i < track.lanes[lane].rows.size(); ++i)
    sum += static_cast<double>(track.lanes[lane].rows[i].end() - track.lanes[lane].rows[i].begin());
  return sum;
}

// Allocations at three stacks of frames main > load or main > run > step; number 4 has none.
std::shared_ptr<const Snapshot> with_stacks() {
  Session session;
  const char* const texts[] = {"main", "a.py", "load", "run", "step"};
  for (int32_t i = 0; i < 5; ++i) session.describe(NameInfo{NameId(i), texts[i]});
  const auto frame = [](int32_t function, int32_t line) { return StackFrame{NameId(function), NameId(1), line}; };
  session.describe(ThreadInfo{TrackId(0), "memory", TrackKind::Other});
  session.describe(StackInfo{{frame(2, 5), frame(0, 1)}, {1, 2}});
  session.describe(StackInfo{{frame(4, 9), frame(3, 7), frame(0, 1)}, {3, 5}});
  session.events(
      TrackId(0),
      std::array{alloc(10, MemoryKind::Default, 0x1000, 100, 1, 1), alloc(20, MemoryKind::Default, 0x2000, 50, 1, 2),
                 free(30, MemoryKind::Default, 0x2000, 50, 1, 2),
                 // Freed and allocated at the same time as the peak.
                 alloc(40, MemoryKind::Default, 0x3000, 300, 1, 3), alloc(40, MemoryKind::Default, 0x5000, 7, 1, 4),
                 free(40, MemoryKind::Default, 0x3000, 300, 1, 3), alloc(50, MemoryKind::Default, 0x3000, 200, 1, 5)});
  return session.snapshot();
}

}  // namespace

TEST_CASE("spans are folded by track and nesting") {
  const auto s = with_slices({{{"outer", 0, 100, 0},
                               {"a", 10, 40, 1},
                               {"b", 15, 20, 2},
                               {"a", 50, 60, 1},
                               {"outer", 200, 210, 0},
                               {"instant", 205, 205, 1}},
                              {{"a", 0, 5, 0}}});
  CHECK(rows_of(checked_tree(*s, FlameWeight::SpanTime)) ==
        std::map<std::string, FlameRow>{{"all", {0, 115, 0}},
                                        {"all;thread 0", {0, 110, 0}},
                                        {"all;thread 0;outer", {70, 110, 2}},
                                        {"all;thread 0;outer;a", {35, 40, 2}},
                                        {"all;thread 0;outer;a;b", {5, 5, 1}},
                                        {"all;thread 1", {0, 5, 0}},
                                        {"all;thread 1;a", {5, 5, 1}}});
  // Clipped to a range.
  CHECK(rows_of(checked_tree(*s, FlameWeight::SpanTime, TimeRange{18, 55})) ==
        std::map<std::string, FlameRow>{{"all", {0, 37, 0}},
                                        {"all;thread 0", {0, 37, 0}},
                                        {"all;thread 0;outer", {10, 37, 1}},
                                        {"all;thread 0;outer;a", {25, 27, 2}},
                                        {"all;thread 0;outer;a;b", {2, 2, 1}}});
  const FlameTree tree = flame_tree(*s, FlameWeight::SpanTime);
  const FlameFrame& track = tree.children(tree.root())[0];
  CHECK(std::get<TrackId>(track.origin) == TrackId(0));
  CHECK(std::get<SpanRef>(tree.children(track)[0].origin) == SpanRef{TrackId(0), 0, 0});  // the longest
}

TEST_CASE("a span belongs to the innermost one that contains it") {
  // Overlapping requests are siblings; a child that ends up to 1 µs late was rounded.
  const auto s = with_slices({{{"p", 0, 100'000, 0},
                               {"x", 10'000, 50'000, 1},
                               {"y", 40'000, 60'000, 2},
                               {"z", 90'000, 100'900, 1},
                               {"q", 200'000, 210'000, 0},
                               {"r", 205'000, 230'000, 1}}});
  CHECK(rows_of(checked_tree(*s, FlameWeight::SpanTime)) ==
        std::map<std::string, FlameRow>{{"all", {0, 145'000, 0}},
                                        {"all;thread 0", {0, 145'000, 0}},
                                        {"all;thread 0;p", {40'000, 110'000, 1}},
                                        {"all;thread 0;p;x", {40'000, 40'000, 1}},
                                        {"all;thread 0;p;y", {20'000, 20'000, 1}},
                                        {"all;thread 0;p;z", {10'000, 10'000, 1}},
                                        {"all;thread 0;q", {10'000, 10'000, 1}},
                                        {"all;thread 0;r", {25'000, 25'000, 1}}});
}

TEST_CASE("allocations are folded by call stack") {
  const auto s = with_stacks();
  CHECK(flame_weights(*s) == std::vector{FlameWeight::LiveAtPeak, FlameWeight::Allocated});
  const FlameTree live = checked_tree(*s, FlameWeight::LiveAtPeak);
  CHECK(rows_of(live) == std::map<std::string, FlameRow>{{"all", {0, 407, 0}},
                                                         {"all;main a.py:1", {0, 400, 0}},
                                                         {"all;main a.py:1;load a.py:5", {100, 100, 1}},
                                                         {"all;main a.py:1;run a.py:7", {0, 300, 0}},
                                                         {"all;main a.py:1;run a.py:7;step a.py:9", {300, 300, 1}},
                                                         {"all;no call stack", {7, 7, 1}}});
  CHECK(live.root().total == highest(*s, s->all_active)->value);
  // All frames of a stack lead to its largest allocation.
  const FlameFrame& main = live.children(live.root())[0];
  CHECK(s->event(std::get<EventRef>(main.origin)).id == 3);
  CHECK(rows_of(checked_tree(*s, FlameWeight::Allocated)) ==
        std::map<std::string, FlameRow>{{"all", {0, 657, 0}},
                                        {"all;main a.py:1", {0, 650, 0}},
                                        {"all;main a.py:1;load a.py:5", {150, 150, 2}},
                                        {"all;main a.py:1;run a.py:7", {0, 500, 0}},
                                        {"all;main a.py:1;run a.py:7;step a.py:9", {500, 500, 2}},
                                        {"all;no call stack", {7, 7, 1}}});
  // The peak of a range, which may be the state at its begin.
  CHECK(checked_tree(*s, FlameWeight::LiveAtPeak, TimeRange{25, 35}).root().total == 150);
  CHECK(checked_tree(*s, FlameWeight::LiveAtPeak, TimeRange{31, 35}).root().total == 100);
  CHECK(checked_tree(*s, FlameWeight::Allocated, TimeRange{15, 40}).root().total == 50);
}

TEST_CASE("frames of libraries are left out on request") {
  Session session;
  const char* const texts[] = {"_start", "train", "a.py", "_PyEval_EvalFrameDefault", "at::native::empty(long)"};
  for (int32_t i = 0; i < 5; ++i) session.describe(NameInfo{NameId(i), texts[i]});
  session.describe(ThreadInfo{TrackId(0), "memory", TrackKind::Other});
  const StackFrame start{NameId(0), {}, 0}, train{NameId(1), NameId(2), 3}, eval{NameId(3), {}, 0},
      empty{NameId(4), {}, 0};
  session.describe(StackInfo{{empty, eval, train, start}, {1}});
  session.describe(StackInfo{{empty, start}, {2}});
  session.events(TrackId(0), std::array{alloc(10, MemoryKind::Default, 0x1000, 100, 1, 1),
                                        alloc(20, MemoryKind::Default, 0x2000, 50, 1, 2)});
  const auto s = session.snapshot();
  const auto folded = rows_of(flame_tree(*s, FlameWeight::LiveAtPeak, {}, FlameStacks::User));
  CHECK(folded == std::map<std::string, FlameRow>{{"all", {0, 150, 0}},
                                                  {"all;train a.py:3", {100, 100, 1}},
                                                  {"all;at::native::empty", {50, 50, 1}}});
  CHECK(rows_of(flame_tree(*s, FlameWeight::LiveAtPeak)).contains("all;_start;train a.py:3;_PyEval_EvalFrameDefault"));
}

TEST_CASE("nodes are folded by layer") {
  Session session;
  test::fill(session, {.runs = 3});
  auto s = session.snapshot();
  CHECK(flame_weights(*s) ==
        std::vector{FlameWeight::SpanTime, FlameWeight::NodeTime, FlameWeight::NodeWait, FlameWeight::NodeFlops});
  const FlameTree time = checked_tree(*s, FlameWeight::NodeTime);
  double sum = 0, wait = 0;
  for (const NodeStats& stats : s->stats(GraphId(0))) sum += static_cast<double>(stats.median), wait += stats.wait;
  CHECK(rows_of(time).at("all;layer 0").total == sum);
  CHECK(rows_of(time).at("all;layer 0;ADD n2") == FlameRow{120, 120, 1});
  CHECK(checked_tree(*s, FlameWeight::NodeWait).root().total == doctest::Approx(wait));
  CHECK(checked_tree(*s, FlameWeight::NodeFlops).root().total == 1000);
  const FlameFrame& layer = time.children(time.root())[0];
  CHECK(time.layer(layer) == "layer 0");
  CHECK(std::get<FlameOfGraph>(layer.origin) == FlameOfGraph{GraphId(0), NodeId::none()});
  CHECK(std::get<FlameOfGraph>(time.children(layer)[0].origin) == FlameOfGraph{GraphId(0), NodeId(0)});

  // A second graph, with nested layers.
  auto graph = std::make_shared<GraphInfo>();
  graph->id = GraphId(1);
  graph->model = "second";
  for (const char* within : {"loop / iteration 1", "loop / iteration 2", "loop", ""})
    graph->nodes.push_back({.name = "n", .op = "ADD", .layer = within, .flops = 10});
  session.describe(std::shared_ptr<const GraphInfo>(graph));
  s = session.snapshot();
  const FlameTree flops = checked_tree(*s, FlameWeight::NodeFlops);
  CHECK(rows_of(flops).at("all;second #1;loop;iteration 2;ADD n") == FlameRow{10, 10, 1});
  CHECK(rows_of(flops).at("all;second #1;loop").total == 30);
  CHECK(rows_of(flops).at("all;sample #0;layer 0").total == 1000);
  const auto nested =
      std::ranges::find_if(flops.frames, [&](const FlameFrame& f) { return flops.name(f) == "iteration 1"; });
  CHECK(flops.layer(*nested) == "loop / iteration 1");
}

TEST_CASE("two trees are compared by path") {
  const auto a = with_slices({{{"f", 0, 100, 0}, {"g", 10, 40, 1}, {"h", 50, 60, 1}}});
  const auto b = with_slices({{{"f", 0, 70, 0}, {"g", 10, 15, 1}, {"g", 80, 90, 0}}});
  const FlameTree of_a = flame_tree(*a, FlameWeight::SpanTime), of_b = flame_tree(*b, FlameWeight::SpanTime);
  std::map<std::string, double> totals;
  const std::vector<double> in_b = totals_in(of_b, of_a);
  for (size_t i = 0; i < of_a.frames.size(); ++i) totals[of_a.name(of_a.frames[i])] = in_b[i];
  CHECK(totals == std::map<std::string, double>{{"all", 80}, {"thread 0", 80}, {"f", 70}, {"g", 5}, {"h", 0}});
}

TEST_CASE("without data there is only the root") {
  const Snapshot empty;
  CHECK(flame_weights(empty).empty());
  for (size_t i = 0; i < kFlameWeights; ++i) {
    const auto weight = static_cast<FlameWeight>(i);
    CHECK(checked_tree(empty, weight).empty());
    CHECK(parse_flame_weight(name(weight)) == weight);
  }
  CHECK(!parse_flame_weight("mass"));
}

TEST_CASE("flame trees of random recordings have the sums of their events") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Session session;
    test::random_events(seed).play(session);
    const auto s = session.snapshot();
    double spans = 0, flops = 0;
    for (const TrackView& track : s->tracks)
      for (size_t lane = 0; lane < track.lanes.size(); ++lane) spans += durations_in_lane(track, lane);
    for (const auto& graph : s->graphs)
      for (const TensorInfo& node : graph->nodes) flops += static_cast<double>(node.flops);
    // Work and waits of a thread do not nest.
    const FlameTree time = checked_tree(*s, FlameWeight::SpanTime);
    double self = 0;
    for (const FlameFrame& f : time.frames) self += f.self;
    CHECK(time.root().total == self);
    CHECK(self <= spans);
    CHECK(checked_tree(*s, FlameWeight::NodeFlops).root().total == flops);
    for (const FlameWeight weight : {FlameWeight::NodeTime, FlameWeight::NodeWait, FlameWeight::LiveAtPeak})
      checked_tree(*s, weight);
  }
}

TEST_CASE("a million spans are folded within three seconds") {
  Session session;
  constexpr int kNames = 500, kThreads = 4, kSpans = 250'000;
  for (int i = 0; i < kNames; ++i) session.describe(NameInfo{NameId(i), "function " + std::to_string(i)});
  std::mt19937 random(1);
  double outermost = 0;
  for (int t = 0; t < kThreads; ++t) {
    session.describe(ThreadInfo{TrackId(t), "thread " + std::to_string(t), TrackKind::Other});
    std::vector<Event> events;
    std::vector<Nanoseconds> ends;
    Nanoseconds now = 0;
    while (events.size() < kSpans) {
      while (!ends.empty() && ends.back() <= now) ends.pop_back();
      const Nanoseconds most = ends.empty() ? 10'000'000 : ends.back() - now;
      const Nanoseconds length = std::max<Nanoseconds>(1, most * (random() % 90 + 1) / 100);
      if (ends.empty()) outermost += static_cast<double>(length);
      events.push_back(slice(now, now + length, NameId(static_cast<int32_t>(random() % kNames % (ends.size() * 9 + 1))),
                             static_cast<int64_t>(ends.size())));
      if (ends.size() < 12) ends.push_back(now + length);
      now += ends.size() < 12 ? 1 : length;
    }
    session.events(TrackId(t), events);
  }
  const auto s = session.snapshot();
  const auto start = std::chrono::steady_clock::now();
  const FlameTree tree = flame_tree(*s, FlameWeight::SpanTime);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  MESSAGE("folded in " << seconds.count() << " s, " << tree.frames.size() << " frames");
#ifdef NDEBUG
  CHECK(seconds.count() < 3);
#endif
  check_shape(tree);
  CHECK(tree.root().total == outermost);
}

TEST_CASE("flame trees of real traces have the sums of their events") {
  const std::map<std::string, FlameWeight> files{
      {"kineto_resnet50_gpu.pt.trace.json.gz", FlameWeight::SpanTime},
      {"pytorch_cuda_snapshot_small.pickle", FlameWeight::LiveAtPeak},
      {"pytorch_cuda_snapshot_transformer_3GB.pickle", FlameWeight::LiveAtPeak}};
  for (const auto& [file, weight] : files) {
    CAPTURE(file);
    const std::string path = "traces/" + file;
    ARENASCOPE_NEEDS_DATA(path);
    Session session;
    REQUIRE(open_trace(test::data_folder() / path, session).ok());
    const auto s = session.snapshot();
    const std::vector<FlameWeight> weights = flame_weights(*s);
    CHECK(std::ranges::find(weights, weight) != weights.end());
    const FlameTree tree = checked_tree(*s, weight);
    if (weight == FlameWeight::LiveAtPeak) {
      CHECK(tree.root().total == highest(*s, s->all_active)->value);
      double allocated = 0;
      for (size_t i = 0; i < s->memory_events.size(); ++i)
        if (const Event& e = s->event(s->memory_events[i]); e.kind() == EventKind::Alloc)
          allocated += static_cast<double>(e.b);
      CHECK(checked_tree(*s, FlameWeight::Allocated).root().total == allocated);
      continue;
    }
    double outermost = 0;
    for (const TrackView& track : s->tracks) outermost += durations_in_lane(track, 0);
    CHECK(tree.root().total == doctest::Approx(outermost).epsilon(0.001));
  }
}
