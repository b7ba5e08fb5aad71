// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the value types used by the views: axis mapping, culling and hit test, sweeps, selection, formats.
#include <sample_session.h>
#include <views/common/background.h>
#include <views/common/call_sites.h>
#include <views/common/format.h>
#include <views/common/paint_density.h>
#include <views/common/selection.h>
#include <views/common/shared_axis.h>
#include <views/common/slices.h>
#include <views/common/sweep.h>
#include <views/common/tickers.h>

#include <QImage>
#include <QSignalSpy>
#include <QTest>
#include <random>
#include <thread>

using namespace arenascope;
using namespace arenascope::views;

class CommonTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // --- tasks

  void a_task_reports_in_order_and_ends() {
    TaskList list;
    Task task(&list);
    QStringList log;
    connect(&task, &Task::finished, this, [&] { log << "finished"; });
    task.start("Counting…", [&log](const TaskRun& run) {
      for (int i = 0; i < 3; ++i) run.post([&log, i] { log << QString::number(i); });
      for (int i = 0; i <= 100'000; ++i) run.progress(i / 100'000.0, QStringLiteral("Counting to %1…").arg(i));
    });
    QVERIFY(task.running());
    QCOMPARE(list.running(), std::vector<Task*>{&task});
    QTRY_VERIFY(!task.running());
    QCOMPARE(log, QStringList({"0", "1", "2", "finished"}));
    QCOMPARE(task.share(), 1.0);  // the last of many reports is delivered
    QCOMPARE(task.title(), QStringLiteral("Counting to 100000…"));
    QVERIFY(list.running().empty());
  }

  // cancel() discards the results, or keeps those so far, as the task determines.
  void a_cancelled_task_discards_or_keeps_its_results() {
    for (const Task::OnCancel mode : {Task::OnCancel::Discard, Task::OnCancel::Keep}) {
      Task task(nullptr, mode);
      QSignalSpy cancelled(&task, &Task::cancelled), finished(&task, &Task::finished);
      std::atomic<bool> ended{false};
      bool reported = false;
      task.start({}, [&](const TaskRun& run) {
        while (!run.stop().stop_requested()) std::this_thread::yield();
        run.post([&] { reported = true; });
        ended = true;
      });
      task.cancel();
      QCOMPARE(cancelled.count(), 1);
      QCOMPARE(task.running(), mode == Task::OnCancel::Keep);
      QTRY_VERIFY(ended && !task.running());
      QTest::qWait(20);
      QCOMPARE(reported, mode == Task::OnCancel::Keep);
      QCOMPARE(finished.count(), mode == Task::OnCancel::Keep ? 1 : 0);
    }
  }

  // Reports of an earlier execution do not reach a later one, and a destroyed task receives none.
  void a_new_execution_replaces_the_earlier_one() {
    auto task = std::make_unique<Task>();
    QSignalSpy finished(task.get(), &Task::finished);
    int heard = 0;
    const TaskRun first = task->begin("first");
    const TaskRun second = task->begin("second");
    QVERIFY(!first.active() && first.stop().stop_requested() && second.active());
    first.post([&] { heard = 1; });
    first.progress(0.5, "first");
    first.finish();
    QTest::qWait(20);
    QCOMPARE(heard, 0);
    QVERIFY(task->running());
    QCOMPARE(task->title(), QStringLiteral("second"));
    second.post([&] { heard = 2; });
    second.finish();
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(heard, 2);
    const TaskRun third = task->begin("third");
    task.reset();
    third.post([&] { heard = 3; });
    QVERIFY(third.stop().stop_requested());
    QTest::qWait(20);
    QCOMPARE(heard, 2);
  }

  // A dropped request does not remain in the list.
  void a_task_ends_with_the_last_copy_of_its_run() {
    Task task;
    {
      const TaskRun run = task.begin("waiting");
      auto copy = std::make_unique<TaskRun>(run);
      QTest::qWait(10);
      QVERIFY(task.running());
    }
    QTRY_VERIFY(!task.running());
  }

  // The frame of an allocation that its reader knows, among those of libraries and of the interpreter.
  void call_sites_data() {
    using Frames = std::vector<std::tuple<const char*, const char*, int>>;  // the innermost first
    QTest::addColumn<Frames>("frames");
    QTest::addColumn<QString>("site");
    QTest::newRow("python") << Frames{{"c10::cuda::malloc(long)", "", 0},
                                      {"void at::native::fill<float>(at::Tensor&)", "Fill.cpp", 0},
                                      {"_PyEval_EvalFrameDefault", "ceval.c", 2},
                                      {"call", "/tmp/torchinductor_a/c6/x.py", 94},
                                      {"step", "/home/a/lib/python3.12/site-packages/torch/optim/adam.py", 407},
                                      {"step", "/home/a/work/optimizer.py", 78},
                                      {"main", "/home/a/work/train.py", 12}}
                            << "step optimizer.py:78";
    QTest::newRow("native") << Frames{{"malloc", "", 0},
                                      {"operator new(unsigned long)", "", 0},
                                      {"std::vector<int>::reserve(unsigned long)", "", 0},
                                      {"make_batch", "/home/a/batch.cpp", 31},
                                      {"main", "/home/a/main.cpp", 3},
                                      {"__libc_start_main", "", 0}}
                            << "make_batch batch.cpp:31";
    QTest::newRow("a name that begins like a library")
        << Frames{{"malloc", "", 0}, {"attention(int)", "??", 0}} << "attention";
    QTest::newRow("libraries alone") << Frames{{"c10::alloc()", "libc10.so", 0}, {"at::empty()", "", 0}}
                                     << "c10::alloc libc10.so";
    QTest::newRow("nothing") << Frames{} << "";
  }
  void call_sites() {
    using Frames = std::vector<std::tuple<const char*, const char*, int>>;
    QFETCH(Frames, frames);
    QFETCH(QString, site);
    trace::Session session;
    trace::StackInfo stack{{}, {3, 9}};
    size_t names = 0;
    const auto name = [&](const char* text) {
      session.describe(trace::NameInfo{trace::NameId(names), text});
      return trace::NameId(names++);
    };
    for (const auto& [function, file, line] : frames) stack.frames.push_back({name(function), name(file), line});
    session.describe(stack);
    const auto snapshot = session.snapshot();
    const CallSites sites(*snapshot);
    QCOMPARE(QString::fromStdString(sites.name(sites.of(9))), site);
    QCOMPARE(sites.of(3), sites.of(9));
    QCOMPARE(sites.of(4), CallSites::kUnknown);
    QCOMPARE(sites.empty(), site.isEmpty());
  }

  void mapping_data() {
    QTest::addColumn<double>("step");
    QTest::addColumn<double>("time");
    QTest::newRow("first anchor") << 0.0 << 100.0;
    QTest::newRow("between") << 0.5 << 150.0;
    QTest::newRow("second anchor") << 1.0 << 200.0;
    QTest::newRow("over a step that was skipped") << 2.0 << 300.0;
    QTest::newRow("last anchor") << 4.0 << 900.0;
    QTest::newRow("beyond, mean slope") << 5.0 << 1100.0;
    QTest::newRow("before, mean slope") << -1.0 << -100.0;
  }
  void mapping() {
    QFETCH(double, step);
    QFETCH(double, time);
    // Unsorted anchors, one of which goes back in time and one that does not advance.
    const AxisMapping map({{4, 900}, {0, 100}, {1, 200}, {1, 250}, {3, 400}, {3.5, 390}}, 4);
    QCOMPARE(map.anchors().size(), size_t{4});
    QCOMPARE(map.time_of(step), time);
    QCOMPARE(map.step_at(time), step);
  }
  void mapping_is_monotone_and_inverts() {
    const auto session = test::sample_session();
    const auto snapshot = session->snapshot();
    const auto map = AxisMapping::from(snapshot->steps(trace::RunId(1)), snapshot->time.begin, 0);
    QVERIFY(!map.empty());
    double before = -1e300;
    for (double s = -3; s < map.steps() + 3; s += 0.13) {
      const double t = map.time_of(s);
      QVERIFY(t > before);
      before = t;
      QVERIFY(std::abs(map.step_at(t) - s) < 1e-6);
    }
  }
  void empty_mapping_is_the_identity() {
    const AxisMapping map;
    QVERIFY(map.empty());
    QCOMPARE(map.time_of(7), 7.0);
  }

  void zoom_and_pan_data() {
    QTest::addColumn<double>("factor");
    QTest::addColumn<double>("centre");
    QTest::addColumn<double>("lo");
    QTest::addColumn<double>("hi");
    QTest::newRow("closer in the middle") << 0.5 << 50.0 << 45.0 << 55.0;
    QTest::newRow("closer at the left edge") << 0.5 << 40.0 << 40.0 << 50.0;
    QTest::newRow("not closer than the shortest") << 0.001 << 50.0 << 49.0 << 51.0;
    QTest::newRow("not beyond the limits") << 100.0 << 50.0 << 0.0 << 100.0;
    QTest::newRow("stopped at the left") << 4.0 << 60.0 << 0.0 << 80.0;
    QTest::newRow("nonsense") << -1.0 << 50.0 << 40.0 << 60.0;
  }
  void zoom_and_pan() {
    QFETCH(double, factor);
    QFETCH(double, centre);
    QFETCH(double, lo);
    QFETCH(double, hi);
    const AxisRange r = zoomed({40, 60}, factor, centre, {0, 100}, 2);
    QCOMPARE(r.lo, lo);
    QCOMPARE(r.hi, hi);
  }
  void panning_keeps_the_length() {
    QCOMPARE(panned({40, 60}, 1000, {0, 100}), (AxisRange{80, 100}));
    QCOMPARE(panned({40, 60}, -1000, {0, 100}), (AxisRange{0, 20}));
    QCOMPARE(bounded({-50, 500}, {0, 100}, 2), (AxisRange{0, 100}));
    QCOMPARE(bounded({std::nan(""), 1}, {0, 100}, 2), (AxisRange{0, 100}));
    QCOMPARE(bounded({0, 1}, {0, 1}, 2), (AxisRange{0, 1}));  // a plot of one step has no empty half
    QCOMPARE(zoomed({0, 1}, 0.5, 0.5, {0, 1}, 2), (AxisRange{0, 1}));
  }

  void culling_and_hits_agree_with_brute_force() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> at(0, 1000), length(0.01, 1);
    std::vector<Rect> rects;
    for (uint32_t i = 0; i < 3000; ++i) {
      const double x = at(random), y = at(random);
      const double w =
          i % 50 == 0 ? 400 : 5 * length(random);  // a few long ones, which a binary search by x0 alone would miss
      rects.push_back({x, x + w, y, y + 20 * length(random), 0, i});
    }
    const RectSet set(rects);
    for (int k = 0; k < 300; ++k) {
      const double x0 = at(random), x1 = x0 + 30, y = at(random);
      const auto span = set.candidates(x0, x1);
      std::vector<bool> in(rects.size(), false);
      for (size_t i = span.first; i < span.last; ++i) in[set[i].tag] = true;
      double best = 1e300;
      for (const Rect& r : rects) {
        if (r.x1 > x0 && r.x0 < x1) QVERIFY(in[r.tag]);
        if (r.x0 <= x0 && x0 < r.x1 && r.y0 <= y && y < r.y1) best = std::min(best, (r.x1 - r.x0) * (r.y1 - r.y0));
      }
      const auto hit = set.hit(x0, y);
      QCOMPARE(hit.has_value(), best < 1e300);
      if (hit) QCOMPARE((set[*hit].x1 - set[*hit].x0) * (set[*hit].y1 - set[*hit].y0), best);
    }
    QVERIFY(set.candidates(5000, 6000).count() == 0);
    QVERIFY(RectSet().candidates(0, 1).count() == 0);
    QVERIFY(!RectSet().hit(0, 0));
  }
  void slack_finds_rectangles_thinner_than_a_pixel() {
    const RectSet set({{10, 10.001, 0, 1, 0, 7}});
    QVERIFY(!set.hit(11, 0.5));
    QVERIFY(set.hit(11, 0.5, 2));
    QVERIFY(!set.hit(11, 1.5, 2));
  }
  void density_blends_thin_rectangles() {
    QImage image(10, 4, QImage::Format_ARGB32_Premultiplied);
    image.fill(0);
    const RectSet set({{0, 3, 0, 2, 0, 0}, {5, 5.01, 0, 4, 0, 1}});
    paint_density(image, set, {0, 2}, PixelMap{1, 0, 1, 0}, {0xff0000ffu});
    QCOMPARE(image.pixel(1, 1), 0xff0000ffu);
    QCOMPARE(qAlpha(image.pixel(1, 3)), 0);
    const int thin = qAlpha(image.pixel(5, 2));
    QVERIFY(thin > 60 && thin < 200);  // visible, but lighter than one that is a pixel wide
    QCOMPARE(qAlpha(image.pixel(8, 2)), 0);
  }

  // 6,000 steps on 900 pixels: each tensor is thinner than a pixel, and all pixels look alike, wherever edges fall.
  void density_of_thin_neighbours_is_even() {
    constexpr int kWidth = 900;
    for (const double count : {950.0, 1300.0, 6000.0}) {
      std::vector<Rect> rects;
      for (int i = 0; i < static_cast<int>(count); ++i)
        rects.push_back({i + 0.0, i + 1.0, 0, 4, 0, static_cast<uint32_t>(i)});
      const RectSet set(std::move(rects));
      QImage image(kWidth, 4, QImage::Format_ARGB32_Premultiplied);
      image.fill(0);
      paint_density(image, set, {0, set.size()}, PixelMap{kWidth / count, 0, 1, 0}, {0x80404080u});
      for (int x = 0; x < kWidth; ++x)
        QVERIFY2(
            std::abs(qAlpha(image.pixel(x, 2)) - 0x80) <= 8,
            qPrintable(QStringLiteral("%1 rectangles: %2 at %3").arg(count).arg(qAlpha(image.pixel(x, 2))).arg(x)));
    }
  }

  void sweep_counts_shared_bytes_once_and_finds_holes() {
    // a [0,100) for x 0..4, b [200,300) for 2..6, c shares b's bytes for 5..6 (in place)
    const auto r = sweep({{0, 4, 0, 100}, {2, 6, 200, 300}, {5, 6, 200, 300}}, true);
    QCOMPARE(r.live.size(), size_t{3});
    QCOMPARE(r.live[0], (CurveSegment{0, 2, 100, 100}));
    QCOMPARE(r.live[1], (CurveSegment{2, 4, 200, 200}));
    QCOMPARE(r.live[2], (CurveSegment{4, 6, 100, 100}));
    QCOMPARE(r.top, Bytes{300});
    QCOMPARE(r.holes.size(), size_t{2});
    QCOMPARE(r.holes[0].lo, Bytes{100});
    QCOMPARE(r.holes[0].hi, Bytes{200});
    QCOMPARE(r.holes[0].x0, 2.0);
    QCOMPARE(r.holes[1].lo, Bytes{0});
    QCOMPARE(r.holes[1].x1, 6.0);
  }
  void sweep_agrees_with_the_plans_occupancy() {
    const auto graph = test::sample_graph({});
    const auto plan = test::sample_plan(graph);
    const auto steps = trace::Snapshot::occupancy(plan);
    AxisFrame axis;
    const auto r = sweep(planned_rects(plan, axis), false);
    for (size_t i = 0; i < steps.size(); ++i) {
      double v = 0;
      for (const CurveSegment& l : r.live) {
        if (l.x0 <= static_cast<double>(i) && static_cast<double>(i) < l.x1) v = l.max;
      }
      QCOMPARE(v, static_cast<double>(steps[i]));
    }
  }
  void reducing_keeps_the_extremes() {
    std::vector<CurveSegment> many;
    for (int i = 0; i < 10000; ++i) many.push_back({i * 1.0, i + 1.0, 10.0 + i % 7, 10.0 + i % 7});
    many[5003].max = many[5003].min = 99;
    const auto few = reduced(many, {0, 10000}, 100);
    QVERIFY(few.size() <= 101);
    double top = 0;
    for (size_t i = 0; i < few.size(); ++i) {
      top = std::max(top, few[i].max);
      QVERIFY(few[i].x1 > few[i].x0);
      if (i > 0) QVERIFY(few[i].x0 >= few[i - 1].x1 - 1e-9);
    }
    QCOMPARE(top, 99.0);
  }
  void in_place_chains_are_followed() {
    const auto graph = test::sample_graph({});
    const auto plan = test::sample_plan(graph);
    const Chains c = chains_of(plan);
    QCOMPARE(c.root[2], 1u);  // relu1 reuses conv1 in place
    QVERIFY(c.has_followers[1]);
    QCOMPARE(c.reused_at[1], plan.slices[2].first.value);
    QCOMPARE(c.next[1], 2);
  }

  void selection_history_goes_back_and_forward() {
    SelectionModel model;
    QSignalSpy changed(&model, &SelectionModel::current_changed);
    const auto node = [](int i) { return Selection::node(trace::GraphId(0), NodeId(i)); };
    model.select(node(1));
    model.select(node(1));
    QCOMPARE(changed.size(), 1);
    model.select(node(2));
    model.select(StepRangeSelection{Step(3), Step(5)});
    QVERIFY(model.can_go_back() && !model.can_go_forward());
    model.back();
    model.back();
    QCOMPARE(model.current(), node(1));
    QVERIFY(!model.can_go_back());
    model.forward();
    QCOMPARE(model.current(), node(2));
    model.select(BlockSelection{trace::PlanId(0), BlockId(4)});  // discards the forward history
    QVERIFY(!model.can_go_forward());
    model.hover(node(9));
    QCOMPARE(model.current().get<BlockSelection>()->block, BlockId(4));
    for (int i = 0; i < 1000; ++i) model.select(node(i));
    int steps = 0;
    while (model.can_go_back()) model.back(), ++steps;
    QVERIFY(steps < 300);
    model.forget();
    QVERIFY(model.current().empty() && !model.can_go_back() && !model.can_go_forward());
  }

  void axis_takes_its_mapping_from_the_session() {
    SessionSource source;
    SharedAxis axis(&source);
    QVERIFY(!axis.has_steps() && !axis.has_time());
    axis.toggle_mode();  // there is no other mode
    QCOMPARE(axis.mode(), AxisMode::Step);
    source.set_session(test::sample_session());
    QVERIFY(axis.has_steps() && axis.has_time());
    QCOMPARE(axis.steps(), static_cast<int>(source.graph()->nodes.size()));
    QCOMPARE(axis.range(), axis.limits());
    axis.set_range({10, 20});
    axis.set_mode(AxisMode::Time);
    const auto [first, last] = axis.visible_steps();
    QCOMPARE(first, Step(10));
    QCOMPARE(last.value, 20);
    axis.set_mode(AxisMode::Step);
    QVERIFY(std::abs(axis.range().lo - 10) < 1e-3 && std::abs(axis.range().hi - 20) < 1e-3);
    axis.set_current(Step(100000));
    QCOMPARE(axis.current(), Step(axis.steps() - 1));
    axis.step_by(-1);
    QCOMPARE(axis.current(), Step(axis.steps() - 2));
    source.set_session(nullptr);
    QVERIFY(!axis.has_steps());
  }
  void an_axis_of_runs_shows_the_whole_recording() {
    SessionSource source;
    SharedAxis axis(&source);
    axis.set_mode(AxisMode::Time, true);  // without a session there are none
    QVERIFY(!axis.frame().by_runs());
    test::SampleOptions options;
    options.runs = 5;
    source.set_session(test::sample_session(options));
    axis.set_range({10, 20});
    const auto steps = axis.visible_steps();
    axis.set_mode(AxisMode::Time, true);
    QVERIFY(axis.frame().by_runs());
    QCOMPARE(axis.mode(), AxisMode::Time);
    // The visible content stays visible; the newest run is the last one.
    QCOMPARE(axis.visible_steps(), steps);
    QVERIFY(axis.range().lo > 3.5 && axis.range().hi <= 5.0);
    axis.frame_all();
    const trace::Snapshot& snapshot = *source.snapshot();
    const AxisFrame& frame = axis.frame();
    for (size_t i = 0; i < 5; ++i) {
      const trace::Run& run = snapshot.runs[i];
      const double begin = frame.x_of_time(run.info.begin), end = frame.x_of_time(run.until());
      QVERIFY(std::abs(begin - static_cast<double>(i)) < 1e-6);
      QVERIFY(end > begin + 0.9 && end < begin + 1);
      const double middle = (begin + end) / 2;
      QVERIFY(std::abs(frame.x_of_time(frame.time_of_x(middle)) - middle) < 1e-3);
    }
    QVERIFY(axis.limits().hi >= 5 - 0.03 && axis.limits().lo <= 0);
    // Each stretch of the axis is part of one run or of several whole ones.
    for (const int pixels : {10, 1000}) {
      const auto stretches = stretches_of(frame, pixels);
      QVERIFY(stretches.size() > 1);
      for (size_t i = 1; i < stretches.size(); ++i) QCOMPARE(stretches[i].time.begin, stretches[i - 1].time.end);
    }
    const double before = frame.x_of_time(snapshot.runs[2].info.begin);
    axis.set_mode(AxisMode::Time);
    QVERIFY(!axis.frame().by_runs());
    QCOMPARE(axis.range(), axis.limits());
    QVERIFY(std::abs(before - 2) < 1e-6);
    axis.set_mode(AxisMode::Time, true);
    axis.set_mode(AxisMode::Step);
    QVERIFY(!axis.frame().by_runs());
    source.set_session(nullptr);
    QVERIFY(!axis.has_steps());
  }
  void axis_survives_a_session_of_spans_only() {
    SessionSource source;
    SharedAxis axis(&source);
    auto session = std::make_shared<trace::Session>();
    session->describe(trace::ThreadInfo{trace::TrackId(0), "t"});
    session->describe(trace::NameInfo{trace::NameId(0), "load"});
    session->events(trace::TrackId(0), std::array{trace::slice(100, 5000, trace::NameId(0), 0)});
    source.set_session(session);
    QCOMPARE(axis.mode(), AxisMode::Time);
    axis.toggle_mode();
    QCOMPARE(axis.mode(), AxisMode::Time);
  }
  void the_time_axis_ends_with_what_was_recorded() {
    SessionSource source;
    SharedAxis axis(&source);
    const auto session = test::sample_session();
    const trace::TimeRange recorded = session->snapshot()->time;
    const auto tracks = static_cast<int32_t>(session->snapshot()->tracks.size());
    const auto counters = static_cast<int32_t>(session->snapshot()->counters.size());
    const trace::TrackId process(tracks);
    const trace::CounterId resident(counters);
    session->describe(trace::ThreadInfo{process, "process"});
    session->describe(trace::CounterInfo{resident, "resident memory", "bytes", trace::CounterRole::Resident});
    source.set_session(session);
    axis.set_mode(AxisMode::Time);
    axis.frame_all();
    const AxisRange before = axis.limits();
    // Sampling goes on while nothing runs.
    const Nanoseconds now = recorded.end + 4'500'000'000;
    session->events(process,
                    std::array{trace::counter(recorded.end + 1, resident, 1e6), trace::counter(now, resident, 2e6)});
    source.refresh();
    QCOMPARE(source.snapshot()->time.end, now);
    const auto text = [](AxisRange r) { return QStringLiteral("%1 to %2").arg(r.lo).arg(r.hi); };
    QCOMPARE(text(axis.limits()), text(before));
    QCOMPARE(axis.range(), axis.limits());
  }
  void source_picks_the_finished_run_and_shows_other_plans() {
    SessionSource source;
    test::SampleOptions options;
    options.unfinished = true;
    options.runs = 3;
    source.set_session(test::sample_session(options));
    QCOMPARE(source.run(), trace::RunId(1));
    QVERIFY(source.live_step().valid());
    source.choose_run(trace::RunId(0));
    QCOMPARE(source.run(), trace::RunId(0));
    auto other = std::make_shared<trace::PlanInfo>(*source.plan());
    other->planner = "other";
    source.show_plan(other);
    QCOMPARE(source.plan(), other.get());
    QVERIFY(source.ghost_plan() && source.ghost_plan()->planner != "other");
    source.show_plan(nullptr);
    QVERIFY(!source.ghost_plan());
  }
  void a_file_with_several_graphs_shows_the_chosen_one() {
    auto session = std::make_shared<trace::Session>();
    session->describe(trace::SourceInfo{"ExecuTorch program", 3});
    for (int id = 0; id < 3; ++id) {
      auto graph = std::make_shared<trace::GraphInfo>();
      graph->id = trace::GraphId(id);
      graph->nodes.resize(static_cast<size_t>(id));  // the first one has no nodes
      session->describe(std::shared_ptr<const trace::GraphInfo>(graph));
    }
    for (int id = 0; id < 2; ++id) {
      auto plan = std::make_shared<trace::PlanInfo>();
      plan->id = trace::PlanId(id);
      plan->graph = trace::GraphId(id + 1);
      session->describe(std::shared_ptr<const trace::PlanInfo>(plan));
    }
    SessionSource source;
    source.set_session(session);
    QCOMPARE(source.graph_id(), trace::GraphId(1));
    QCOMPARE(source.plan_id(), trace::PlanId(0));
    source.choose_graph(trace::GraphId(2));
    QCOMPARE(source.graph_id(), trace::GraphId(2));
    QCOMPARE(source.plan_id(), trace::PlanId(1));
    source.choose_graph(trace::GraphId(0));
    QCOMPARE(source.graph_id(), trace::GraphId(0));
    QVERIFY(source.plan() == nullptr);
    QCOMPARE(ComparisonSide::of(source.snapshot(), {}).graph->id, trace::GraphId(1));
    // A graph that ran is shown with its newest run, and can be left for one that did not run.
    session->describe(trace::ThreadInfo{trace::TrackId(0), "t"});
    for (int run = 0; run < 2; ++run) {
      session->describe(trace::RunInfo{trace::RunId(run), trace::GraphId(2), trace::PlanId(1), 10 * run, 1, "x", ""});
      session->describe(trace::RunEnd{trace::RunId(run), 10 * run + 5, trace::RunStatus::Done});
    }
    source.refresh();
    QCOMPARE(source.graph_id(), trace::GraphId(0));
    source.choose_graph(trace::GraphId(2));
    QCOMPARE(source.run(), trace::RunId(1));
    source.choose_graph(trace::GraphId(1));
    QVERIFY(!source.run().valid());
    QCOMPARE(source.plan_id(), trace::PlanId(0));
    source.choose_run(trace::RunId(0));
    QCOMPARE(source.graph_id(), trace::GraphId(2));
    source.choose_graph({});
    QCOMPARE(source.run(), trace::RunId(1));
  }
  void a_loop_shows_its_first_graph_until_its_events_are_discarded() {
    SessionSource source;
    auto session = std::make_shared<trace::Session>(trace::Session::Options{.max_bytes = 1 << 20});
    for (int id = 0; id < 2; ++id) {
      auto graph = std::make_shared<trace::GraphInfo>();
      graph->id = trace::GraphId(id);
      if (id == 1) graph->continuation_of = trace::GraphId(0);
      graph->nodes.resize(4);
      session->describe(std::shared_ptr<const trace::GraphInfo>(graph));
    }
    session->describe(trace::ThreadInfo{trace::TrackId(0), "t"});
    Nanoseconds now = 1000;
    int iterations = 0;
    const auto iteration = [&] {
      const trace::RunId run(iterations);
      session->describe(trace::RunInfo{run, trace::GraphId(iterations == 0 ? 0 : 1), {}, now, 1, "cpu", "planned"});
      for (int i = 0; i < 4; ++i) {
        session->events(trace::TrackId(0), std::array{trace::step(run, now, Step(i), NodeId(i)),
                                                      trace::work(run, NodeId(i), now, now + 50, 0)});
        now += 60;
      }
      session->describe(trace::RunEnd{run, now, trace::RunStatus::Done});
      ++iterations;
    };
    for (int i = 0; i < 5; ++i) iteration();
    source.set_session(session);
    QCOMPARE(source.run(), trace::RunId(0));
    while (!session->snapshot()->runs[0].evicted && iterations < 100'000) iteration();
    source.refresh();
    QVERIFY(source.snapshot()->runs[0].evicted);
    QCOMPARE(source.run(), trace::RunId(iterations - 1));
    QVERIFY(!source.snapshot()->runs[source.run().index()].evicted);
    QVERIFY(source.graph()->continuation_of.valid());
    source.choose_run(trace::RunId(0));  // an explicitly chosen run still shows the remaining data
    QCOMPARE(source.run(), trace::RunId(0));
  }
  void the_playhead_follows_a_run_and_returns() {
    SessionSource source;
    SharedAxis axis(&source);
    test::SampleOptions options;
    options.unfinished = true;
    options.runs = 2;
    source.set_session(test::sample_session(options));
    axis.set_current(Step(2));
    QVERIFY(source.live_step().value > 2);
    source.set_live(true, 1000);
    source.choose_run({});  // back to the default run
    QCOMPARE(axis.current(), source.live_step());
    axis.restore_position();
    QCOMPARE(axis.current(), Step(2));
    source.choose_run({});
    axis.set_current(Step(3));  // moved by the user while following: it stays there
    axis.restore_position();
    QCOMPARE(axis.current(), Step(3));
  }
  void source_refreshes_while_live() {
    SessionSource source;
    auto session = std::make_shared<trace::Session>();
    session->describe(trace::ThreadInfo{trace::TrackId(0), "t"});
    source.set_session(session);
    source.set_live(true, 10);
    QSignalSpy changed(&source, &SessionSource::changed);
    session->describe(trace::NameInfo{trace::NameId(0), "load"});
    session->events(trace::TrackId(0), std::array{trace::slice(100, 5000, trace::NameId(0), 0)});
    QVERIFY(changed.wait(2000));
    QCOMPARE(source.snapshot()->event_count, int64_t{1});
  }

  void background_delivers_the_latest_result() {
    Background background;
    int last = 0, results = 0;
    connect(&background, &Background::done, this, [&](const std::shared_ptr<const void>& r) {
      last = *std::static_pointer_cast<const int>(r);
      ++results;
    });
    for (int i = 1; i <= 50; ++i)
      background.request([i](const std::stop_token&) { return std::make_shared<const int>(i); });
    QTRY_COMPARE(last, 50);
    QVERIFY(results <= 3);
  }

  void formats() {
    const auto plain = [](QString s) { return s.replace(QChar(0xa0), QLatin1Char(' ')); };
    QCOMPARE(plain(format_bytes(0)), QStringLiteral("0 B"));
    QCOMPARE(plain(format_bytes(1023)), QStringLiteral("1,023 B"));
    QCOMPARE(plain(format_bytes(1024)), QStringLiteral("1 KiB"));
    QCOMPARE(plain(format_bytes(43201536)), QStringLiteral("41.2 MiB"));
    QCOMPARE(plain(format_bytes(INT64_MAX)), QStringLiteral("8 EiB"));
    QCOMPARE(plain(format_ns(999)), QStringLiteral("999 ns"));
    QCOMPARE(plain(format_ns(1250000)), QStringLiteral("1.25 ms"));
    QCOMPARE(plain(format_ns(12500)), QStringLiteral("12.5 µs"));
    QCOMPARE(plain(format_time(1500000, 100000)), QStringLiteral("1.5 ms"));
    QCOMPARE(plain(format_percent(0.0731)), QStringLiteral("7.3 %"));
    QCOMPARE(format_address(0x2a0000), QStringLiteral("0x2a0000"));
    QCOMPARE(format_shape({1, 64, 56}), QStringLiteral("1 × 64 × 56"));
    QCOMPARE(nice_step(3), 5.0);
    QCOMPARE(nice_step(0.02), 0.02);
    QCOMPARE(nice_step(0), 1.0);
  }
};

QTEST_MAIN(CommonTest)
#include "common_test.moc"
