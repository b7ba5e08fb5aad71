// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the plotted views on the session of a small network, driven by mouse and keyboard.
#include <arenascope/trace/import.h>
#include <sample_session.h>
#include <views/arena/arena_colours.h>
#include <views/arena/arena_view.h>
#include <views/common/format.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/timeline/row_names.h>
#include <views/timeline/timeline_view.h>
#include "tests/views/plot_input.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>
#include <map>

#include "tests/engine/trace/pickled.h"

using namespace arenascope;
using namespace arenascope::views;
using test::middle_of, test::wheel;

namespace {

const std::string kCounterTrace = R"({"traceEvents":[
  {"ph":"X","pid":1,"tid":1,"ts":0,"dur":1000,"name":"step"},
  {"ph":"C","pid":1,"ts":200,"name":"tokens","args":{"tokens":4}},
  {"ph":"C","pid":1,"ts":600,"name":"tokens","args":{"tokens":10}},
  {"ph":"C","pid":1,"ts":800,"name":"loss","args":{"loss":-0.25}}]})";

// Spans named "depth0", "depth1", … in each other, on each thread.
std::string nested_trace(int threads, int depths) {
  std::string spans;
  for (int thread = 0; thread < threads; ++thread)
    for (int depth = 0; depth < depths; ++depth)
      spans +=
          (spans.empty() ? "" : ",") + QStringLiteral("{'ph':'X','pid':1,'tid':%1,'ts':%2,'dur':%3,'name':'depth%4'}")
                                           .arg(thread)
                                           .arg(10 * depth)
                                           .arg(1000 - 20 * depth)
                                           .arg(depth)
                                           .replace(u'\'', u'"')
                                           .toStdString();
  return "{\"traceEvents\":[" + spans + "]}";
}

// All plotted views over one session, as in a window.
struct Fixture {
  explicit Fixture(const test::SampleOptions& options = {})
      : axis(&source), occupancy(at()), arena(at()), lifetimes(at()), timeline(at()) {
    theme.set_mode(ThemeMode::Light);
    source.set_session(test::sample_session(options));
    for (PlotView* v : all()) v->resize(1000, 320);
  }
  ViewContext at() { return {&source, &selection, &axis, &theme, &notes}; }
  std::vector<PlotView*> all() { return {&occupancy, &arena, &lifetimes, &timeline}; }
  void show() {
    for (PlotView* v : all()) v->show();
    for (PlotView* v : all()) v->prepare_now();
  }

  SessionSource source;
  SelectionModel selection;
  SharedAxis axis;
  PinnedNotes notes{&axis};
  Theme theme;
  OccupancyView occupancy;
  ArenaView arena;
  LifetimesView lifetimes;
  TimelineView timeline;
};

// The first rectangle of a tensor in the arena map.
Rect body_of(const ArenaView& view, trace::TensorRef tensor) {
  const ArenaPicture& p = *view.picture();
  for (size_t i = 0; i < p.bodies->size(); ++i) {
    if (p.items[(*p.bodies)[i].tag].tensor == tensor) return (*p.bodies)[i];
  }
  return {};
}

}  // namespace

class PlotsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Rows of nested calls had no labels once their lanes were lower than a line of text.
  void low_lanes_have_labels() {
    const std::string trace = nested_trace(12, 4);
    auto session = std::make_shared<trace::Session>();
    const auto* bytes = reinterpret_cast<const uint8_t*>(trace.data());
    QVERIFY(trace::open_trace(trace::ByteSpan(bytes, trace.size()), "trace", *session).ok());
    Fixture d;
    d.source.set_session(session);
    d.show();
    d.timeline.grab();
    QVERIFY(!d.timeline.spans()->was_dense());
    const Rect span = (*d.timeline.spans()->data())[0];
    const QRect drawn = pixel_rect(d.timeline.spans()->keyAxis(), d.timeline.spans()->valueAxis(), span);
    QVERIFY2(drawn.height() < d.timeline.fontMetrics().height(), qPrintable(QString::number(drawn.height())));
    const QStringList& labels = d.timeline.spans()->drawn_labels();
    for (int depth = 0; depth < 4; ++depth)
      QVERIFY2(labels.contains(QStringLiteral("depth%1").arg(depth)), qPrintable(labels.join(u'|')));
  }

  // A long span had no label once thousands of short ones were in view.
  void long_spans_have_labels_among_many_short_ones() {
    auto session = std::make_shared<trace::Session>();
    session->describe(trace::NameInfo{trace::NameId(0), "epoch"});
    session->describe(trace::NameInfo{trace::NameId(1), "op"});
    session->describe(trace::ThreadInfo{trace::TrackId(0), "worker"});
    std::vector<trace::Event> events{trace::slice(0, 1'000'000, trace::NameId(0), 0)};
    for (int i = 0; i < 20'000; ++i) events.push_back(trace::slice(50 * i, 50 * i + 40, trace::NameId(1), 1));
    session->events(trace::TrackId(0), events);
    Fixture d;
    d.source.set_session(session);
    d.show();
    d.timeline.grab();
    QVERIFY(d.timeline.spans()->data()->size() > 1'000);
    QVERIFY2(d.timeline.spans()->drawn_labels().contains("epoch"),
             qPrintable(d.timeline.spans()->drawn_labels().join(u'|')));
  }

  void counters_of_a_trace_are_curves() {
    auto session = std::make_shared<trace::Session>();
    const auto* bytes = reinterpret_cast<const uint8_t*>(kCounterTrace.data());
    QVERIFY(trace::open_trace(trace::ByteSpan(bytes, kCounterTrace.size()), "trace", *session).ok());
    Fixture d;
    d.source.set_session(session);
    d.show();
    d.timeline.prepare_now();
    const TimelinePicture& t = *d.timeline.picture();
    QCOMPARE(t.curves.size(), 2u);
    const auto& tokens = t.curves[0];
    QCOMPARE(d.timeline.row_name(t.rows[1]), QString("tokens"));
    QCOMPARE(tokens.low, 0.0);
    QCOMPARE(tokens.high, 10.0);
    QCOMPARE(t.curves[1].low, -0.25);
    QVERIFY(!tokens.points.empty() && tokens.points.front().x0 >= 200'000);  // no value before the first sample
    for (const CounterPoint& point : tokens.points) {
      if (point.x1 < 599'999) QCOMPARE(point.max, 4.0);
      if (point.x0 > 600'001) QCOMPARE(point.min, 10.0);
    }
    // The value under the cursor.
    const auto pixel = [&](double x, const CounterCurve& curve) {
      return QPointF(d.timeline.plot()->xAxis->coordToPixel(x),
                     d.timeline.plot()->yAxis->coordToPixel(-curve.top - curve.height / 2));
    };
    QVERIFY(d.timeline.tip(pixel(500'000, tokens)).text.startsWith("tokens\n4, at"));
    QVERIFY(d.timeline.tip(pixel(900'000, tokens)).text.startsWith("tokens\n10, at"));
    QCOMPARE(d.timeline.tip(pixel(100'000, tokens)).text, QString("tokens"));
    QVERIFY(d.timeline.tip(pixel(900'000, t.curves[1])).text.contains("-0.25"));
    QVERIFY(d.timeline.pick(pixel(500'000, tokens)).empty());
  }

  // Two threads of a program differ by their numbers, which must not be elided.
  void names_of_rows_stay_apart() {
    const QStringList names{"python, thread 40931 (python)", "python, thread 40932 (python)", "python, stream 7",
                            "thread 77 (PyTorch Profiler)",  "thread 78 (PyTorch Profiler)",  "main"};
    const QFontMetrics metrics{QFont()};
    const int width = metrics.horizontalAdvance(QStringLiteral("thread 40931 …m"));
    RowNames rows(names, metrics, width);
    QSet<QString> shown;
    for (const QString& name : names) {
      const QString text = rows.elided(rows.without_program(name));
      QVERIFY2(metrics.horizontalAdvance(text) <= width, qPrintable(text));
      shown << text;
    }
    QCOMPARE(shown.size(), names.size());
    QVERIFY(shown.contains("main"));
    QCOMPARE(RowNames({"python, thread 1"}, metrics, 10).without_program("python, thread 1"),
             QString("python, thread 1"));
  }

  // A single moment has no time to draw an axis of, and an empty plot no values.
  void axes_without_values_are_hidden() {
    auto moment = std::make_shared<trace::Session>();
    QTemporaryDir folder;
    const QString path = folder.filePath("moment.pickle");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    const std::string bytes = test::snapshot_without_history(false);
    file.write(bytes.data(), static_cast<qint64>(bytes.size()));
    file.close();
    QVERIFY(trace::open_trace(path.toStdString(), *moment).ok());
    Fixture d;
    d.source.set_session(moment);
    d.show();
    QVERIFY(d.arena.reason_if_empty().isEmpty());
    QVERIFY(d.arena.plot()->yAxis->visible() && !d.arena.plot()->xAxis->tickLabels());
    QVERIFY(!d.timeline.reason_if_empty().isEmpty());
    QVERIFY(!d.timeline.plot()->xAxis->visible() && !d.timeline.plot()->yAxis->visible());
    d.source.set_session(test::sample_session());
    for (PlotView* v : d.all()) {
      v->prepare_now();
      QVERIFY(v->plot()->xAxis->visible() && v->plot()->xAxis->tickLabels());
    }
  }

  // Allocations without reservations, and a process's resident memory.
  void unknown_reserved_memory_is_named() {
    auto session = std::make_shared<trace::Session>();
    session->describe(trace::ThreadInfo{trace::TrackId(0), "allocations", trace::TrackKind::Other});
    session->describe(trace::CounterInfo{trace::CounterId(0), "resident", "bytes", trace::CounterRole::Resident});
    session->describe(trace::DeviceInfo{trace::DeviceId(0), "host", "", "", 0, true});
    session->describe(trace::AllocatorInfo{0, "host", trace::MemoryKind::HostPageable, trace::DeviceId(0)});
    const auto kind = trace::MemoryKind::HostPageable;
    const std::array events{trace::alloc(10, kind, 4096, 1024, 0, 0), trace::counter(20, trace::CounterId(0), 1 << 20),
                            trace::alloc(30, kind, 8192, 1024, 0, 1), trace::free(40, kind, 4096, 1024, 0, 0)};
    session->events(trace::TrackId(0), events);
    Fixture d;
    d.source.set_session(session);
    d.show();
    QVERIFY(d.occupancy.picture()->reserved.empty());
    QVERIFY(!d.occupancy.picture()->outside);
    const QString facts = d.occupancy.header().facts.join(u'|');
    QVERIFY2(facts.contains("reserved memory not recorded"), qPrintable(facts));
    QVERIFY2(facts.contains("resident") && !facts.contains("outside"), qPrintable(facts));
    const QString spaces = d.arena.header().facts.join(u'|');
    QVERIFY2(spaces.contains("reserved memory not recorded"), qPrintable(spaces));
    QVERIFY2(!spaces.contains("free in spaces"), qPrintable(spaces));
  }

  void arena_shows_each_tensor_at_its_address() {
    Fixture d;
    d.show();
    const trace::PlanInfo& plan = *d.source.plan();
    QCOMPARE(d.arena.picture()->differing, size_t{0});
    QCOMPARE(d.arena.picture()->arena, plan.arena_bytes);
    for (const trace::SliceInfo& s : plan.slices) {
      const Rect r = body_of(d.arena, s.tensor);
      QCOMPARE(r.x0, static_cast<double>(s.first.value));
      QVERIFY(r.x1 <= s.last.value);  // the next tensor of the in-place chain begins earlier
      QCOMPARE(r.y0, static_cast<double>(s.offset));
      QVERIFY(r.style < kSliceStyles);  // observed style
    }
    // Rectangles do not overlap.
    const RectSet& set = *d.arena.picture()->bodies;
    for (size_t i = 0; i < set.size(); ++i) {
      for (size_t j = i + 1; j < set.size() && set[j].x0 < set[i].x1; ++j) {
        QVERIFY(set[j].y0 >= set[i].y1 || set[j].y1 <= set[i].y0);
      }
    }
    QVERIFY(!d.arena.picture()->holes->empty());
  }
  void a_memory_snapshot_without_a_history_is_a_map_of_one_moment() {
    for (const bool traces : {true, false}) {
      Fixture d;
      auto session = std::make_shared<trace::Session>();
      const std::string bytes = test::snapshot_without_history(traces);
      QVERIFY(trace::open_trace(trace::as_bytes(bytes), "made", *session).ok());
      d.source.set_session(session);
      d.show();
      QCOMPARE(d.axis.mode(), AxisMode::Time);
      QCOMPARE(d.axis.range(), d.axis.limits());
      const AxisRange all = d.axis.range();
      const auto fills = [&](double x0, double x1) { return x0 == all.lo && x1 == all.hi; };

      const OccupancyPicture& o = *d.occupancy.picture();
      QCOMPARE(o.peak, test::kHeldWithoutHistory);
      QCOMPARE(o.peak_id, std::string("memory.active.peak"));
      QCOMPARE(o.top, static_cast<double>(test::kReservedWithoutHistory));
      QCOMPARE(o.kinds.size(), size_t{1});
      QCOMPARE(value_at(o.kinds[0].levels, all.middle()), static_cast<double>(test::kHeldWithoutHistory));
      QCOMPARE(value_at(o.reserved, all.middle()), static_cast<double>(test::kReservedWithoutHistory));
      QVERIFY(d.occupancy.plot()->yAxis->range().upper > o.top);
      QVERIFY(d.occupancy.plot()->yAxis->range().upper < 1.5 * o.top);

      const ArenaPicture& map = *d.arena.picture();
      QVERIFY(map.in_spaces);
      QCOMPARE(map.totals.peak, test::kHeldWithoutHistory);
      QCOMPARE(map.totals.reserved, test::kReservedWithoutHistory);
      QCOMPARE(map.top, test::kReservedWithoutHistory);
      QCOMPARE(map.bodies->size(), size_t{2});
      QCOMPARE(map.holes->size(), size_t{2});
      for (size_t i = 0; i < 2; ++i) {
        QVERIFY(fills((*map.bodies)[i].x0, (*map.bodies)[i].x1));
        QVERIFY(fills((*map.holes)[i].x0, (*map.holes)[i].x1));
      }
    }
  }
  void arena_of_half_a_run_shows_the_rest_as_planned() {
    test::SampleOptions options;
    options.runs = 1;
    options.unfinished = true;
    Fixture d(options);
    d.show();
    const int reached = d.source.live_step().value;
    size_t seen = 0, planned = 0;
    const ArenaPicture& p = *d.arena.picture();
    for (size_t i = 0; i < p.bodies->size(); ++i) {
      const bool is_seen = (*p.bodies)[i].style < kSliceStyles;
      ++(is_seen ? seen : planned);
      if (!is_seen) QVERIFY((*p.bodies)[i].x0 > reached);
    }
    QVERIFY(seen > 10 && planned > 10);
  }
  void an_access_outside_the_plan_is_reported() {
    auto session = test::sample_session();
    const auto before = session->snapshot();
    const trace::SliceInfo& s = before->plans[0]->slices[5];
    const Nanoseconds t = before->time.end;
    session->events(trace::TrackId(0), std::array{trace::arena_write(trace::RunId(before->runs.size() - 1), t - 1000,
                                                                     s.tensor, s.offset, s.size + 4096, s.first)});
    Fixture d;
    d.source.set_session(session);
    d.axis.set_mode(AxisMode::Step);
    d.show();
    QCOMPARE(d.arena.picture()->differing, size_t{1});
    QVERIFY(d.arena.header().facts.contains(QStringLiteral("1 tensor(s) outside the plan")));
  }
  void time_mode_shows_every_run() {
    Fixture d;
    d.axis.set_mode(AxisMode::Time);
    d.axis.frame_all();
    d.show();
    int bodies = 0;
    const ArenaPicture& p = *d.arena.picture();
    for (size_t i = 0; i < p.bodies->size(); ++i)
      bodies += p.items[(*p.bodies)[i].tag].tensor == trace::TensorRef::node(NodeId(4));
    QCOMPARE(bodies, 2);
  }

  void click_selects_in_every_view() {
    Fixture d;
    d.show();
    const trace::TensorRef conv = trace::TensorRef::node(NodeId(2));
    QTest::mouseClick(d.arena.plot(), Qt::LeftButton, Qt::NoModifier, middle_of(d.arena, body_of(d.arena, conv)));
    const auto* node = d.selection.current().get<NodeSelection>();
    QVERIFY(node && node->tensor == conv);
    QElapsedTimer clock;
    clock.start();
    for (PlotView* v : d.all()) v->plot()->layer(QStringLiteral("overlay"))->replot();
    qInfo("a selection shown in four views: %.2f ms", static_cast<double>(clock.nsecsElapsed()) / 1e6);
    // The double outline is at the tensor's rectangle, also in the lifetimes.
    const QImage image = d.lifetimes.grab().toImage();
    const LifetimesPicture& l = *d.lifetimes.picture();
    for (size_t i = 0; i < l.spans->size(); ++i) {
      const Rect& r = (*l.spans)[i];
      if (!(d.source.plan()->slices[r.tag].tensor == conv)) continue;
      const int x = static_cast<int>(std::lround(d.lifetimes.plot()->xAxis->coordToPixel(r.x0))) - 1;
      const int y = middle_of(d.lifetimes, r).y();
      QCOMPARE(image.pixelColor(x, y), QColor(Qt::black));
    }
    d.selection.clear();
  }
  void hover_is_light() {
    Fixture d;
    d.show();
    const Rect r = body_of(d.arena, trace::TensorRef::node(NodeId(2)));
    QSignalSpy painted(&d.arena, &PlotView::painted);
    QTest::qWait(150);  // pending updates after showing have finished
    painted.clear();
    QTest::mouseMove(d.arena.plot(), QPoint(2, 2));
    QTest::mouseMove(d.arena.plot(), middle_of(d.arena, r));
    QTRY_VERIFY(d.selection.hovered().get<NodeSelection>());
    QVERIFY(d.selection.current().empty());
    QTest::qWait(50);
    QCOMPARE(painted.size(), 0);  // no data was repainted
    const QString text = d.arena.tip(middle_of(d.arena, r)).text;
    QVERIFY2(text.contains(QStringLiteral("pool1")) && text.contains(QStringLiteral("KiB")), qPrintable(text));
  }
  void the_shared_axis_moves_all_views() {
    Fixture d;
    d.show();
    const AxisRange all = d.axis.range();
    d.axis.zoom_in();
    QVERIFY(d.axis.range().length() < all.length());
    for (PlotView* v : d.all()) QCOMPARE(v->plot()->xAxis->range().lower, d.axis.range().lo);
    d.occupancy.show_all();
    QCOMPARE(d.axis.range(), all);
    d.selection.select(Selection::node(trace::GraphId(0), NodeId(20)));
    d.lifetimes.frame_selection();
    const trace::SliceInfo& s = d.source.plan()->slices[21];
    QVERIFY(d.axis.range().lo <= s.first.value && d.axis.range().hi >= s.last.value && d.axis.range().length() < 20);
    d.axis.toggle_mode();
    QCOMPARE(d.axis.mode(), AxisMode::Time);
    QTRY_COMPARE(d.timeline.picture()->mode, AxisMode::Time);
  }
  void wheel_zooms_under_the_pointer() {
    Fixture d;
    d.show();
    const QPoint at(400, 150);
    const double x = d.arena.plot()->xAxis->pixelToCoord(at.x());
    wheel(d.arena.plot(), at, 3);
    QVERIFY(std::abs(d.arena.plot()->xAxis->pixelToCoord(at.x()) - x) < 1e-6);
    QVERIFY(d.axis.range().length() < d.axis.limits().length() * 0.6);
    const QCPRange y = d.arena.plot()->yAxis->range();
    wheel(d.arena.plot(), at, 2, Qt::ControlModifier);
    QVERIFY(d.arena.plot()->yAxis->range().size() < y.size());
    const AxisRange before = d.axis.range();
    wheel(d.arena.plot(), at, -1, Qt::ShiftModifier);
    QVERIFY(d.axis.range().lo > before.lo);
  }
  void dragging_pans_and_shift_dragging_chooses_steps() {
    Fixture d;
    d.show();
    d.axis.set_range({10, 30});
    QWidget* plot = d.timeline.plot();
    QTest::mousePress(plot, Qt::LeftButton, Qt::NoModifier, QPoint(600, 150));
    QTest::mouseMove(plot, QPoint(550, 150));
    QTest::mouseMove(plot, QPoint(500, 150));
    QTest::mouseRelease(plot, Qt::LeftButton, Qt::NoModifier, QPoint(500, 150));
    QVERIFY(d.axis.range().lo > 11.5 && d.axis.range().lo < 13);
    QVERIFY(d.selection.current().empty());  // dragging does not select
    const auto px = [&](double x) { return static_cast<int>(d.timeline.plot()->xAxis->coordToPixel(x)); };
    QTest::mousePress(plot, Qt::LeftButton, Qt::ShiftModifier, QPoint(px(15.4), 150));
    QTest::mouseMove(plot, QPoint(px(17), 150));
    QTest::mouseMove(plot, QPoint(px(18.6), 150));
    QTest::mouseRelease(plot, Qt::LeftButton, Qt::ShiftModifier, QPoint(px(18.6), 150));
    const auto* range = d.selection.current().get<StepRangeSelection>();
    QVERIFY(range);
    QCOMPARE(range->first, Step(15));
    QCOMPARE(range->last, Step(19));
  }

  void occupancy_shows_peak_bound_and_gap() {
    Fixture d;
    d.show();
    const OccupancyPicture& o = *d.occupancy.picture();
    const auto steps = trace::Snapshot::occupancy(*d.source.plan());
    const Bytes peak = *std::max_element(steps.begin(), steps.end());
    QCOMPARE(o.peak, peak);
    QCOMPARE(o.bound, peak);
    QCOMPARE(o.gap(), o.arena - peak);
    QCOMPARE(steps[o.peak_step.index()], peak);
    for (size_t i = 0; i < steps.size(); ++i) {
      QCOMPARE(value_at(o.planned, static_cast<double>(i) + 0.5), static_cast<double>(steps[i]));
      QCOMPARE(value_at(o.live, static_cast<double>(i) + 0.5), static_cast<double>(steps[i]));
    }
    d.occupancy.set_scope(OccupancyScope::Kinds);
    d.occupancy.prepare_now();
    QCOMPARE(d.occupancy.picture()->kinds.size(), size_t{2});
    QVERIFY(d.occupancy.picture()->kinds[0].kind == trace::MemoryKind::Persistent);
    QVERIFY(value_at(d.occupancy.picture()->reserved, 3.5) >= d.source.plan()->arena_bytes);
  }
  void timeline_has_a_row_per_track_and_marks_last_arrivers() {
    Fixture d;
    d.show();
    const TimelinePicture& t = *d.timeline.picture();
    QCOMPARE(t.rows.size(), size_t{6});  // layers, nodes, three workers, the copy engine
    QVERIFY(!t.barriers.empty());
    for (const BarrierMark& b : t.barriers) {
      QCOMPARE(t.rows[b.row].track, b.barrier.last_arriver);
      QVERIFY(b.from_x <= b.x);
    }
    for (size_t i = 2; i < 5; ++i)
      QVERIFY(t.rows[i].share.busy > 0.5 && t.rows[i].share.busy + t.rows[i].share.waiting <= 1.0001);
    // A click on a wait selects its event, and the tooltip names the last arriver.
    d.axis.frame_steps(Step(8), Step(14));
    d.timeline.prepare_now();
    const TimelinePicture& near = *d.timeline.picture();
    int found = 0;
    for (size_t i = 0; i < near.spans->size(); ++i) {
      const Rect& r = (*near.spans)[i];
      const QPoint at = middle_of(d.timeline, r);
      if (r.style != kSpanWait || !d.timeline.plot()->axisRect()->rect().contains(at)) continue;
      if (d.timeline.plot()->xAxis->coordToPixel(r.x1) - d.timeline.plot()->xAxis->coordToPixel(r.x0) < 5) continue;
      QTest::mouseClick(d.timeline.plot(), Qt::LeftButton, Qt::NoModifier, at);
      const auto* event = d.selection.current().get<EventSelection>();
      QVERIFY(event && event->span == near.items[r.tag].cell.span);
      QVERIFY2(d.timeline.tip(at).text.contains(QStringLiteral("last arriver")), qPrintable(d.timeline.tip(at).text));
      ++found;
    }
    QVERIFY(found > 2);
  }
  void busy_shares_are_independent_of_the_visible_range() {
    Fixture d;
    d.show();
    const trace::Snapshot& s = *d.source.snapshot();
    const trace::RunId id = d.source.run();
    const trace::Run& run = *s.run(id);
    std::vector<double> expected(s.tracks.size(), 0);
    for (size_t t = 0; t < s.tracks.size(); ++t)
      for (size_t i = 0; i < s.tracks[t].lanes[0].rows.size(); ++i) {
        const trace::Event& e = s.tracks[t].lanes[0].rows[i];
        if (e.kind() == trace::EventKind::Work && e.run() == id)
          expected[t] += static_cast<double>(e.end() - e.begin()) / static_cast<double>(run.end - run.info.begin);
      }
    const auto check = [&] {
      d.timeline.prepare_now();
      for (const TimelineRow& row : d.timeline.picture()->rows)
        if (row.track.valid()) QVERIFY(std::abs(row.share.busy - expected[row.track.index()]) < 1e-9);
    };
    check();
    d.axis.frame_steps(Step(3), Step(5));
    check();
    d.axis.set_mode(AxisMode::Time);
    check();
    d.axis.frame_all();
    check();
  }
  void the_peak_is_the_same_by_step_and_by_time() {
    for (const OccupancyScope scope : {OccupancyScope::Arena, OccupancyScope::Kinds}) {
      Fixture d;
      d.occupancy.set_scope(scope);
      d.show();
      const Bytes peak = d.occupancy.picture()->peak;
      const Step step = d.occupancy.picture()->peak_step;
      const std::string name = d.occupancy.picture()->peak_name;
      const Bytes holes = d.arena.picture()->max_hole_bytes;
      QVERIFY(peak > 0 && step.valid() && holes > 0);
      d.axis.set_mode(AxisMode::Time);
      for (const bool zoomed : {false, true}) {
        if (zoomed) d.axis.frame_steps(Step(2), Step(4));
        d.occupancy.prepare_now();
        d.arena.prepare_now();
        QCOMPARE(d.occupancy.picture()->peak, peak);
        QCOMPARE(d.occupancy.picture()->peak_step, step);
        QCOMPARE(d.occupancy.picture()->peak_name, name);
        QCOMPARE(d.arena.picture()->max_hole_bytes, holes);
        if (scope == OccupancyScope::Arena) QCOMPARE(d.arena.picture()->peak, peak);
      }
    }
  }
  void incomplete_figures_are_marked() {
    Fixture d;
    d.show();
    QVERIFY(d.timeline.header().facts.filter("incomplete").isEmpty());
    auto session = test::sample_session();
    session->describe(trace::Loss{trace::TrackId(1), 17, 0});
    d.source.set_session(session);
    for (PlotView* v : d.all()) {
      v->prepare_now();
      QVERIFY(v->header().facts.first().contains("17"));
    }
  }
  void a_pause_is_drawn_and_excluded_from_the_run_time() {
    auto session = test::sample_session({.unfinished = true});
    const auto before = session->snapshot();
    const trace::RunId run(before->runs.size() - 1);
    const Nanoseconds t = before->time.end;
    session->events(trace::TrackId(0),
                    std::array{trace::between(run, NodeId(20), t, t + 84'500'000'000, trace::kPaused)});
    session->describe(trace::RunEnd{run, t + 84'500'000'000, trace::RunStatus::Done, true});
    Fixture d;
    d.source.set_session(session);
    d.source.choose_run(run);
    d.axis.set_mode(AxisMode::Time);
    d.show();
    d.axis.frame_all();
    d.timeline.prepare_now();
    const TimelinePicture& p = *d.timeline.picture();
    QCOMPARE(p.pauses.size(), size_t{1});
    QCOMPARE(p.pauses[0].time, Nanoseconds{84'500'000'000});
    for (size_t i = 2; i < 5; ++i) QVERIFY(p.rows[i].share.busy > 0.4);
    QVERIFY(!d.timeline.header().facts.filter(format_ns(84'500'000'000)).isEmpty());
    QVERIFY(!d.timeline.header().facts.filter("stepped").isEmpty());
  }
  void narrow_holes_have_the_same_texture_as_wide_ones() {
    RectStyle hole;
    hole.hatch = Hatch::Dots;
    hole.hatch_colour = Qt::black;
    const auto ink = [&](int width) {
      QImage image(60, 60, QImage::Format_RGB32);
      image.fill(Qt::white);
      QPainter painter(&image);
      for (int x = 0; x < 60; x += width) {
        const QRect rect(x, 0, width, 60);
        draw_styled_rect(&painter, rect, rect, hole);
      }
      painter.end();
      double sum = 0;
      for (int y = 0; y < 60; ++y)
        for (int x = 0; x < 60; ++x) sum += 255 - qGray(image.pixel(x, y));
      return sum / (255.0 * 60 * 60);
    };
    const double wide = ink(60);
    QVERIFY(wide > 0.02 && wide < 0.2);
    for (const int width : {1, 2})
      QVERIFY2(std::abs(ink(width) - wide) < 0.03, qPrintable(QString::number(ink(width))));
  }
  void steps_and_time_show_the_same_spans() {
    Fixture d;
    d.show();
    d.axis.set_range({10, 13});
    const auto spans = [&] {
      d.timeline.prepare_now();
      std::vector<std::pair<int32_t, uint32_t>> list;
      const TimelinePicture& t = *d.timeline.picture();
      for (size_t i = 0; i < t.spans->size(); ++i) {
        const TimelineItem& item = t.items[(*t.spans)[i].tag];
        const Rect& r = (*t.spans)[i];
        if (item.step.valid() || item.cell.count != 1 || r.x1 <= d.axis.range().lo || r.x0 >= d.axis.range().hi)
          continue;
        list.emplace_back(item.cell.span.track.value, item.cell.span.row);
      }
      std::sort(list.begin(), list.end());
      QVERIFY2(std::adjacent_find(list.begin(), list.end()) == list.end(), "a span was painted twice");
      return void(found_ = list);
    };
    spans();
    const auto by_step = found_;
    d.axis.set_mode(AxisMode::Time);
    spans();
    QCOMPARE(found_.size(), by_step.size());
    QVERIFY(found_ == by_step);
  }
  void lifetimes_has_a_row_per_block() {
    Fixture d;
    d.show();
    const LifetimesPicture& l = *d.lifetimes.picture();
    size_t tensors = 0;
    for (size_t i = 0; i < l.rows.size(); ++i) {
      tensors += l.rows[i].tensors;
      if (i > 0) QVERIFY(l.rows[i].size <= l.rows[i - 1].size);
    }
    QCOMPARE(tensors, d.source.plan()->slices.size());
    for (size_t i = 0; i < l.spans->size(); ++i) {
      const Rect& r = (*l.spans)[i];
      const auto row = static_cast<size_t>(-r.y1);
      QCOMPARE(l.rows[row].block, d.source.plan()->slices[r.tag].block);
    }
    // A click in the left margin selects the block.
    QTest::mouseClick(d.lifetimes.plot(), Qt::LeftButton, Qt::NoModifier,
                      QPoint(20, static_cast<int>(d.lifetimes.plot()->yAxis->coordToPixel(-1.5))));
    const auto* block = d.selection.current().get<BlockSelection>();
    QVERIFY(block);
    QCOMPARE(block->block, l.rows[1].block);
  }
  void another_plan_ghosts_the_old_one() {
    Fixture d;
    d.show();
    QVERIFY(d.arena.picture()->ghosts->empty());
    auto other = std::make_shared<trace::PlanInfo>(*d.source.plan());
    for (trace::SliceInfo& s : other->slices) s.offset += 4096;
    other->arena_bytes += 4096;
    d.source.show_plan(other);
    d.arena.prepare_now();
    QCOMPARE(d.arena.picture()->ghosts->size(), other->slices.size());
    QVERIFY(d.arena.picture()->seen.empty());
  }

  void another_session_clears_the_old_one() {
    test::SampleOptions big;
    big.blocks = 40;
    Fixture d(big);
    d.axis.set_mode(AxisMode::Time);
    d.show();
    test::SampleOptions small;
    small.blocks = 1;
    small.threads = 1;
    small.runs = 1;
    d.source.set_session(test::sample_session(small));
    QCOMPARE(d.axis.mode(), AxisMode::Time);
    for (PlotView* v : d.all()) {  // before anything is prepared again
      for (int x = 100; x < 1000; x += 50) v->pick(QPointF(x, 120)), v->tip(QPointF(x, 120));
      v->plot()->replot(QCustomPlot::rpImmediateRefresh);
      v->grab();
    }
    QVERIFY(d.timeline.picture()->spans->empty());
    QTRY_VERIFY(!d.timeline.picture()->spans->empty());
  }
  void an_empty_session_is_drawn_empty() {
    Fixture d;
    d.source.set_session(nullptr);
    d.show();
    d.source.set_session(std::make_shared<trace::Session>());
    for (PlotView* v : d.all()) {
      v->prepare_now();
      for (const int key : {Qt::Key_W, Qt::Key_S, Qt::Key_A, Qt::Key_D, Qt::Key_F, Qt::Key_T, Qt::Key_Left})
        QTest::keyClick(v, static_cast<Qt::Key>(key));
      QTest::mouseClick(v->plot(), Qt::LeftButton, Qt::NoModifier, QPoint(300, 100));
      QVERIFY(v->pick(QPointF(300, 100)).empty());
      v->tip(QPointF(300, 100));
    }
  }
  void images_are_exported_in_all_formats() {
    Fixture d;  // never shown, as in a headless export
    QTemporaryDir folder;
    for (PlotView* v : d.all()) {
      for (const char* kind : {"png", "svg", "pdf"}) {
        const QString path = folder.filePath(QStringLiteral("view.") + QLatin1String(kind));
        const Status done = export_picture(*v, path, {800, 300});
        QVERIFY2(done.ok(), done.ok() ? "" : done.error().message.c_str());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.size() > 2000);
        if (kind == std::string_view("png")) {
          const QImage image(path);
          QCOMPARE(image.size(), QSize(1600, 600));
          QSet<QRgb> colours;
          for (int x = 0; x < image.width(); x += 3)
            colours.insert(image.pixel(x, 300)), colours.insert(image.pixel(x, 520));
          QVERIFY(colours.size() >= 3);
        }
      }
    }
    QVERIFY(!export_picture(d.arena, folder.filePath(QStringLiteral("view.bmp")), {800, 300}).ok());
    QVERIFY(!export_picture(d.arena, QStringLiteral("/nowhere/at/all.png"), {800, 300}).ok());
    QVERIFY(!export_picture(d.arena, folder.filePath(QStringLiteral("view.png")), {0, 300}).ok());
  }
  // Through views, in both directions: every producer of a node lists the node among its users.
  void data_flow_is_symmetric() {
    const auto session = test::sample_session();
    const trace::GraphInfo& graph = *session->snapshot()->graphs[0];
    size_t edges = 0;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      if ((graph.nodes[i].flags & trace::kNoWork) != 0) continue;
      const Flow flow = flow_of(graph, NodeId(i));
      QCOMPARE(flow.node, NodeId(i));
      for (NodeId from : flow.from) {
        QVERIFY((graph.nodes[from.index()].flags & trace::kNoWork) == 0);
        const Flow back = flow_of(graph, from);
        QCOMPARE(std::count(back.to.begin(), back.to.end(), NodeId(i)), std::ptrdiff_t{1});
        ++edges;
      }
    }
    QVERIFY(edges > graph.nodes.size() / 2);
    QVERIFY(flow_of(graph, NodeId::none()) == Flow());
    QVERIFY(flow_of(graph, NodeId(graph.nodes.size())) == Flow());
  }
  void the_timeline_is_coloured_by_each_property() {
    Fixture d;
    d.show();
    const trace::GraphInfo& graph = *d.source.graph();
    const auto prepare = [&](TimelineColour colour) -> const TimelinePicture& {
      d.timeline.set_view_state({{}, colour});
      d.timeline.prepare_now();
      return *d.timeline.picture();
    };
    // Calls `check` with each span of work that is drawn on its own, and its style.
    const auto each_work = [&](const TimelinePicture& p, const auto& check) {
      int seen = 0;
      for (size_t i = 0; i < p.spans->size(); ++i) {
        const TimelineItem& item = p.items[(*p.spans)[i].tag];
        if (item.step.valid() || item.cell.count != 1 || item.cell.kind != trace::EventKind::Work) continue;
        check(item.cell.span, d.source.snapshot()->event(item.cell.span), (*p.spans)[i].style);
        ++seen;
      }
      QVERIFY(seen > 10);
    };
    const size_t legend = d.timeline.header().legend.size();
    std::map<std::string, uint32_t> of_op;
    const TimelinePicture& by_op = prepare(TimelineColour::Op);
    each_work(by_op, [&](const auto&, const trace::Event& e, uint32_t style) {
      const auto [it, fresh] = of_op.try_emplace(graph.nodes[e.node().index()].op, style);
      QCOMPARE(it->second, style);
      QVERIFY(style >= kSpanNamed0 && style < kSpanNamed0 + kSpanCategories - 1);
    });
    QVERIFY(of_op.size() > 2);
    QStringList named;
    for (const LegendChip& chip : d.timeline.header().legend) named << chip.text;
    for (const auto& [op, style] : of_op) QVERIFY2(named.contains(QString::fromStdString(op)), op.c_str());
    // Zooming does not change colours.
    d.axis.frame_steps(Step(3), Step(9));
    each_work(prepare(TimelineColour::Op), [&](const auto&, const trace::Event& e, uint32_t style) {
      QCOMPARE(of_op.at(graph.nodes[e.node().index()].op), style);
    });
    d.axis.frame_all();
    each_work(prepare(TimelineColour::Thread), [&](const trace::SpanRef& span, const trace::Event&, uint32_t style) {
      QCOMPARE(style, kSpanNamed0 + static_cast<uint32_t>(span.track.value) % (kSpanCategories - 1));
    });
    each_work(prepare(TimelineColour::Duration), [&](const auto&, const trace::Event& e, uint32_t style) {
      QCOMPARE(style, kSpanShade0 + shade_of_duration(e.end() - e.begin()));
    });
    std::map<std::string, uint32_t> of_layer;
    each_work(prepare(TimelineColour::Layer), [&](const auto&, const trace::Event& e, uint32_t style) {
      const std::string& layer = graph.nodes[e.node().index()].layer;
      if (!layer.empty()) QCOMPARE(of_layer.try_emplace(layer, style).first->second, style);
    });
    QVERIFY(of_layer.size() > 2);
    prepare(TimelineColour::Activity);
    QCOMPARE(d.timeline.header().legend.size(), legend);
    QCOMPARE(shade_of_duration(0), 0u);
    QCOMPARE(shade_of_duration(999), 0u);
    QCOMPARE(shade_of_duration(1'000), 1u);
    QCOMPARE(shade_of_duration(5'000'000'000), kSpanShades - 1);
    QCOMPARE(TimelineColourNames::shade(1), QStringLiteral("≥ ") + format_ns(1'000));
  }

  // A recording of a growing cache: its counter is a curve over the runs.
  void counters_are_drawn_over_the_runs() {
    Fixture d({.runs = 4});
    const auto session = test::sample_session({.runs = 4});
    const auto snapshot = session->snapshot();
    const trace::CounterId cache(static_cast<int32_t>(snapshot->counters.size()));
    session->describe(trace::CounterInfo{cache, "cache", "bytes", trace::CounterRole::Other});
    std::vector<trace::Event> samples;
    for (size_t i = 0; i < 4; ++i)
      samples.push_back(trace::counter(snapshot->runs[i].info.begin, cache, 1000.0 * static_cast<double>(i + 1)));
    const auto track = static_cast<int32_t>(snapshot->tracks.size());
    session->describe(trace::ThreadInfo{trace::TrackId(track), "counters"});
    session->events(trace::TrackId(track), samples);
    d.source.set_session(session);
    d.show();
    d.axis.set_mode(AxisMode::Time);
    d.timeline.prepare_now();
    QVERIFY(d.timeline.picture()->curves.empty());  // of a run, other views show the memory
    d.axis.set_mode(AxisMode::Time, true);
    d.axis.frame_all();
    for (PlotView* v : d.all()) v->prepare_now();
    const auto& curves = d.timeline.picture()->curves;
    const auto curve = std::ranges::find(curves, cache, &CounterCurve::counter);
    QVERIFY(curve != curves.end());
    for (int i = 0; i < 4; ++i) {
      const auto point =
          std::ranges::find_if(curve->points, [&](const CounterPoint& p) { return p.x0 <= i + 0.5 && p.x1 > i + 0.5; });
      QVERIFY(point != curve->points.end());
      QCOMPARE(point->max, 1000.0 * (i + 1));
    }
    // Each run has spans in its part of the axis.
    for (int i = 0; i < 4; ++i) {
      const auto& spans = *d.timeline.picture()->spans;
      bool any = false;
      for (size_t r = 0; r < spans.size(); ++r)
        any = any || (spans[r].x0 >= i - 1e-6 && spans[r].x1 <= i + 1 &&
                      d.timeline.picture()->items[spans[r].tag].cell.count > 0);
      QVERIFY2(any, qPrintable(QString::number(i)));
    }
    QVERIFY(d.occupancy.picture()->top > 0);
  }
  void the_map_is_coloured_by_each_property() {
    Fixture d;
    d.show();
    const trace::GraphInfo& graph = *d.source.graph();
    const auto style_of = [&](trace::TensorRef tensor) { return body_of(d.arena, tensor).style; };
    const size_t legend = d.arena.header().legend.size();
    d.arena.set_colour(ArenaColour::Op);
    d.arena.prepare_now();
    std::map<std::string, uint32_t> of_op;
    for (const trace::SliceInfo& s : d.source.plan()->slices) {
      if (!s.tensor.is_node()) continue;
      const std::string& op = graph.nodes[s.tensor.index()].op;
      const auto [it, fresh] = of_op.try_emplace(op, style_of(s.tensor));
      QCOMPARE(it->second, style_of(s.tensor));  // one op, one colour
      QVERIFY(it->second >= kArenaCategory0 && it->second < kArenaShade0);
    }
    QVERIFY(of_op.size() > 2);
    QVERIFY(d.arena.header().legend.size() != legend);
    QStringList named;
    for (const LegendChip& chip : d.arena.header().legend) named << chip.text;
    for (const auto& [op, style] : of_op) QVERIFY2(named.contains(QString::fromStdString(op)), op.c_str());
    for (const ArenaColour colour : {ArenaColour::Size, ArenaColour::Age, ArenaColour::Time}) {
      d.arena.set_colour(colour);
      d.arena.prepare_now();
      const auto amount = [&](const trace::SliceInfo& s) {
        return colour == ArenaColour::Size  ? static_cast<double>(s.size)
               : colour == ArenaColour::Age ? static_cast<double>(s.last.value - s.first.value)
                                            : d.source.snapshot()->stats(graph.id, NodeId(s.tensor.index())).mean;
      };
      for (const trace::SliceInfo& a : d.source.plan()->slices)
        for (const trace::SliceInfo& b : d.source.plan()->slices)
          if (a.tensor.is_node() && b.tensor.is_node() && amount(a) > amount(b))
            QVERIFY(style_of(a.tensor) >= style_of(b.tensor));  // a larger value is never paler
      QVERIFY(style_of(d.source.plan()->slices.back().tensor) >= kArenaShade0);
    }
    d.arena.set_colour(ArenaColour::Kind);
    d.arena.prepare_now();
    QCOMPARE(d.arena.header().legend.size(), legend);
  }

  void a_legend_that_does_not_fit_wraps() {
    Fixture d;
    d.arena.resize(1400, 400);
    d.arena.show();
    d.arena.prepare_now();
    const int wide = d.arena.plot()->axisRect()->top();
    d.arena.resize(420, 400);
    QCoreApplication::processEvents();
    d.arena.prepare_now();
    QVERIFY2(d.arena.plot()->axisRect()->top() > wide, "the legend has no row of its own");
    d.arena.resize(420, 90);  // too small for a legend: the plot keeps its height
    QCoreApplication::processEvents();
    d.arena.prepare_now();
    QCOMPARE(d.arena.plot()->axisRect()->top(), wide);
  }

  void line_labels_do_not_overlap() {
    QCOMPARE(spread({50}, 10, 0, 100), (std::vector<double>{45}));
    const std::vector<double> close = spread({50, 52, 53}, 10, 0, 100);
    for (size_t i = 1; i < close.size(); ++i) QVERIFY(close[i] >= close[i - 1] + 10);
    const std::vector<double> low = spread({96, 98, 99}, 10, 0, 100);
    for (size_t i = 1; i < low.size(); ++i) QVERIFY(low[i] >= low[i - 1] + 10);
    QVERIFY(low.back() <= 90);
  }

  void a_note_is_pinned_to_its_position() {
    Fixture d;
    d.show();
    QSignalSpy changed(&d.notes, &PinnedNotes::changed);
    d.notes.pin(12.5, QStringLiteral("  the first convolution "), 0.1);
    QCOMPARE(d.notes.all().size(), size_t{1});
    QCOMPARE(d.notes.all()[0].text, QStringLiteral("the first convolution"));
    QCOMPARE(d.notes.x_of(d.notes.all()[0]), 12.5);
    d.axis.set_mode(AxisMode::Time);
    QCOMPARE(d.notes.x_of(d.notes.all()[0]), d.axis.frame().mapping.time_of(12.5));
    d.axis.set_mode(AxisMode::Step);
    d.notes.pin(12.55, QStringLiteral("the same place"), 0.1);  // replaces the previous note
    QCOMPARE(d.notes.all().size(), size_t{1});
    QCOMPARE(d.notes.all()[0].text, QStringLiteral("the same place"));
    QVERIFY(d.notes.at(20, 0.1) == nullptr);
    d.notes.pin(12.5, {}, 0.1);
    QVERIFY(d.notes.all().empty());
    QCOMPARE(changed.count(), 3);
  }

  void an_edited_note_keeps_its_range() {
    Fixture d;
    d.show();
    d.notes.pin_range({12, 20}, QStringLiteral("slow"));
    d.notes.pin_range({12, 16}, QStringLiteral("its first half"));
    QCOMPARE(d.notes.all().size(), size_t{2});
    QVERIFY(d.notes.of_range({12, 18}) == nullptr);
    d.notes.pin_range({12, 20}, QStringLiteral("very slow"));
    QCOMPARE(d.notes.of_range({12, 20})->text, QStringLiteral("very slow"));
    QCOMPARE(d.notes.of_range({12, 16})->text, QStringLiteral("its first half"));
    d.notes.pin_range({12, 16}, {});
    d.notes.pin(12.05, QStringLiteral("slowest"), 0.1);  // near the start
    QCOMPARE(d.notes.all().size(), size_t{1});
    QCOMPARE(d.notes.x_end_of(d.notes.all()[0]), 20.0);
    const PinnedNote old = d.notes.all()[0];
    d.notes.edit(old, QStringLiteral("fast"));
    QCOMPARE(d.notes.of_range({12, 20})->text, QStringLiteral("fast"));
    d.notes.edit(old, {});  // no longer there
    QCOMPARE(d.notes.all()[0].text, QStringLiteral("fast"));
    d.notes.set({});
    d.notes.edit(old, QStringLiteral("again"));
    QCOMPARE(d.notes.of_range({12, 20})->text, QStringLiteral("again"));
  }

  void a_pinned_row_comes_first() {
    Fixture d;
    d.show();
    const auto names = [&] {
      QStringList out;
      for (const TimelineRow& row : d.timeline.picture()->rows)
        if (row.track.valid()) out << QString::fromStdString(d.source.snapshot()->tracks[row.track.index()].info.name);
      return out;
    };
    const QStringList before = names();
    QVERIFY(before.size() > 2);
    d.timeline.pin_row(before.back(), true);
    d.timeline.prepare_now();
    QCOMPARE(names().front(), before.back());
    QCOMPARE(names().size(), before.size());
    // Pinned rows stay visible when scrolled; hit tests there find the pinned row.
    d.timeline.resize(700, 130);
    d.timeline.prepare_now();
    QCoreApplication::processEvents();
    const TimelinePicture& p = *d.timeline.picture();
    const TimelineRow& pinned = *std::find_if(p.rows.begin(), p.rows.end(), [](auto& r) { return r.track.valid(); });
    QVERIFY(pinned.pinned && p.pinned && !p.pinned->empty());
    QVERIFY(!d.timeline.pinned_rows_cover());
    QCPAxis* y = d.timeline.plot()->yAxis;
    const auto under = [&] {
      const auto of_row = [&](const Rect& r) { return p.items[r.tag].cell.count == 1 && !p.items[r.tag].step.valid(); };
      for (size_t i = 0; i < p.pinned->size(); ++i)
        if (of_row((*p.pinned)[i]))
          return QPointF(d.timeline.plot()->xAxis->coordToPixel(((*p.pinned)[i].x0 + (*p.pinned)[i].x1) / 2),
                         y->coordToPixel(((*p.pinned)[i].y0 + (*p.pinned)[i].y1) / 2));
      return QPointF();
    }();
    const Selection there = d.timeline.pick(under);
    QVERIFY(there.get<EventSelection>() != nullptr);
    const QCPRange at_top = y->range();
    y->setRange(at_top.lower - 2, at_top.upper - 2);
    QVERIFY(d.timeline.pinned_rows_cover());
    QCOMPARE(d.timeline.pick(under), there);
    y->setRange(at_top);
    d.timeline.pin_row(before.back(), false);
    d.timeline.prepare_now();
    QCOMPARE(names(), before);
  }

  void high_contrast_colours_are_distinguishable() {
    const ThemeColours c = ThemeColours::high_contrast();
    const auto luminance = [](const QColor& q) {  // relative luminance by WCAG 2.1
      const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
      return 0.2126 * linear(q.redF()) + 0.7152 * linear(q.greenF()) + 0.0722 * linear(q.blueF());
    };
    const auto ratio = [&](const QColor& a, const QColor& b) {
      return (std::max(luminance(a), luminance(b)) + 0.05) / (std::min(luminance(a), luminance(b)) + 0.05);
    };
    for (const QColor& text : {c.text, c.dim_text, c.bound, c.capacity, c.axis})
      QVERIFY(ratio(text, c.background) >= 7);
    for (const QColor& fill : c.categories) QVERIFY(ratio(fill, c.background) >= 3);
    for (const Role role : {Role::Work, Role::Wait, Role::Copy, Role::Input, Role::Output, Role::Hole})
      QVERIFY(ratio(c[role], c.background) >= 3);
  }

  void dark_and_light_differ() {
    Fixture d;
    d.show();
    const QColor light = d.arena.grab().toImage().pixelColor(5, 200);
    d.theme.set_mode(ThemeMode::Dark);
    QTest::qWait(60);
    const QColor dark = d.arena.grab().toImage().pixelColor(5, 200);
    QVERIFY(light.lightness() > 200 && dark.lightness() < 60);
  }

 private:
  std::vector<std::pair<int32_t, uint32_t>> found_;
};

QTEST_MAIN(PlotsTest)
#include "plots_test.moc"
