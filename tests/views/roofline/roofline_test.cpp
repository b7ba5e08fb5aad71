// SPDX-License-Identifier: GPL-3.0-or-later
// The roofline plot: positions as data, then texts, mouse, keys and selection of the view.
#include <sample_session.h>
#include <views/roofline/roofline_view.h>
#include <views/tables/table.h>

#include <QSignalSpy>
#include <QTest>

using namespace arenascope;
using namespace arenascope::views;
using trace::RooflineGap;

namespace {

trace::Roofline roofline_with(const std::vector<std::pair<double, double>>& points) {
  trace::Roofline out;
  for (size_t i = 0; i < points.size(); ++i)
    out.points.push_back({NodeId(i), points[i].first, points[i].second, static_cast<Nanoseconds>(1000 + i), 3, false});
  return out;
}

struct RooflineFixture {
  explicit RooflineFixture(const std::shared_ptr<trace::Session>& session) : axis(&source) {
    source.set_session(session);
    view = std::make_unique<RooflineView>(ViewContext{&source, &selection, &axis, &theme});
    view->resize(700, 400);
    view->show();
    view->prepare_now();
  }
  RooflineCanvas& canvas() { return *view->canvas(); }
  NodeId selected() {
    const auto* node = selection.current().get<NodeSelection>();
    return node == nullptr ? NodeId() : NodeId(node->tensor.index());
  }
  const RooflineDot& dot(size_t i) { return canvas().picture().dots[i]; }
  NodeId node(const RooflineDot& of) { return canvas().data()->roofline.points[of.point].node; }

  SessionSource source;
  SelectionModel selection;
  SharedAxis axis;
  Theme theme;
  std::unique_ptr<RooflineView> view;
};

}  // namespace

class RooflineTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void positions_are_logarithmic() {
    const LogAxis axis{1, 100, 0, 200};
    QCOMPARE(axis.position(1), 0.0);
    QCOMPARE(axis.position(10), 100.0);
    QCOMPARE(axis.position(100), 200.0);
    QVERIFY(std::abs(axis.value(150) - std::sqrt(1000.0)) < 1e-9);
    const QRectF area(50, 10, 600, 300);
    const RooflinePicture picture = lay_out_roofline(roofline_with({{0.1, 1}, {1, 10}, {10, 100}}), {}, area);
    QCOMPARE(picture.dots.size(), 3u);
    for (const RooflineDot& dot : picture.dots) QVERIFY(area.contains(dot.centre));
    // Equal factors are equal distances, and more is to the right and above.
    const auto at = [&](size_t point) { return std::ranges::find(picture.dots, point, &RooflineDot::point)->centre; };
    QVERIFY(std::abs((at(1).x() - at(0).x()) - (at(2).x() - at(1).x())) < 1e-6);
    QVERIFY(at(1).x() > at(0).x() && at(1).y() < at(0).y());
    QVERIFY(picture.roof.isEmpty());  // peaks that were not measured are not drawn
    for (const RooflineTick& tick : picture.x_ticks)
      QVERIFY(tick.position >= area.left() - 1e-6 && tick.position <= area.right() + 1e-6);
    QVERIFY(std::ranges::count_if(picture.x_ticks, &RooflineTick::labelled) >= 2);
  }

  void roofs_meet_at_the_ridge() {
    const QRectF area(0, 0, 500, 500);
    const RooflinePicture picture = lay_out_roofline(roofline_with({{0.1, 1}, {100, 40}}), {100, 20}, area);
    QCOMPARE(picture.roof.size(), 3);
    QVERIFY(std::abs(picture.x.value(picture.roof[1].x()) - 5) < 1e-6);
    QVERIFY(std::abs(picture.y.value(picture.roof[1].y()) - 100) < 1e-6);
    QVERIFY(std::abs(picture.roof[2].y() - picture.roof[1].y()) < 1e-6);
    QVERIFY(picture.roof[0].y() > picture.roof[1].y());
    // The area of a point is the share of its time; the longest is the first.
    trace::Roofline uneven = roofline_with({{1, 1}, {2, 2}});
    uneven.points[1].median = 99'000;
    const RooflinePicture shares = lay_out_roofline(uneven, {}, area);
    QCOMPARE(shares.dots[0].point, size_t{1});
    QVERIFY(shares.dots[0].radius > 3 * shares.dots[1].radius);
    QCOMPARE(shares.dot_at(shares.dots[1].centre, 8), &shares.dots[1]);
    QVERIFY(shares.dot_at({-100, -100}, 8) == nullptr);
  }

  void extreme_values_stay_in_the_area() {
    const QRectF area(0, 0, 300, 200);
    for (const auto& points : std::vector<std::vector<std::pair<double, double>>>{
             {}, {{1, 1}}, {{1e-300, 1e-300}, {1e300, 1e300}}, {{1, 1}, {1, 1}}}) {
      const RooflinePicture picture = lay_out_roofline(roofline_with(points), {1e12, 1e-3}, area);
      QVERIFY(picture.x.hi > picture.x.lo && picture.y.hi > picture.y.lo);
      QVERIFY(picture.x_ticks.size() < 60 && picture.y_ticks.size() < 60);
      for (const QPointF& corner : picture.roof) QVERIFY(area.adjusted(-1, -1, 1, 1).contains(corner));
    }
  }

  void texts_count_what_is_missing_and_name_the_sources() {
    trace::Roofline roofline = roofline_with({{1, 1}});
    roofline.missing = {{NodeId(1), RooflineGap::NoOperations},
                        {NodeId(2), RooflineGap::NoOperations},
                        {NodeId(3), RooflineGap::UnknownTime}};
    roofline.times.runs = 3;
    QCOMPARE(RooflineText::missing(roofline),
             QStringLiteral("3 of 4 nodes have no point: 2 no operations, 1 no time observed"));
    QVERIFY(RooflineText::sources(roofline).startsWith(QStringLiteral("times observed, median of 3 run")));
    roofline.times.cold = true;
    QVERIFY(RooflineText::sources(roofline).startsWith(QStringLiteral("times observed in a cold run")));
    ShownPeaks peaks{{100, 20}, 2, QStringLiteral("Zen 4")};
    QVERIFY(
        RooflineText::peaks(peaks).startsWith(QStringLiteral("peaks 100 GFLOP/s and 20.0 GB/s, float32, 2 thread")));
    QVERIFY(RooflineText::mismatch(roofline, peaks).isEmpty());
    roofline.processor = "Zen 2";
    QVERIFY(RooflineText::mismatch(roofline, peaks).contains(QStringLiteral("Zen 2")));
    roofline.points[0].on_device = true;
    QVERIFY(RooflineText::mismatch(roofline, peaks).contains(QStringLiteral("device")));
    QVERIFY(RooflineText::mismatch(roofline, peaks).contains(QStringLiteral("Zen 2")));
  }

  void a_click_selects_the_node_in_all_views() {
    RooflineFixture f(test::sample_session());
    QVERIFY(f.canvas().picture().dots.size() > 3);
    QCOMPARE(f.view->missing_label()->isHidden(), f.canvas().data()->roofline.missing.empty());
    QVERIFY(f.view->sources_label()->text().contains(QStringLiteral("observed")));
    const RooflineDot last = f.canvas().picture().dots.back();  // on top of others
    QTest::mouseMove(&f.canvas(), last.centre.toPoint());
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, last.centre.toPoint());
    QVERIFY(f.selected().valid());
    QCOMPARE(f.canvas().selected(), f.selected());
    QVERIFY(!f.canvas().accessibleDescription().isEmpty());
    // A selection in another view is marked; one without a point is not.
    f.selection.select(Selection::node(f.canvas().data()->roofline.graph, f.node(f.dot(0))));
    QCOMPARE(f.canvas().selected(), f.node(f.dot(0)));
    f.selection.clear();
    QVERIFY(!f.canvas().selected().valid());
  }

  void arrow_keys_go_through_the_points_by_intensity() {
    RooflineFixture f(test::sample_session());
    const auto& points = f.canvas().data()->roofline.points;
    double before = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      QTest::keyClick(&f.canvas(), Qt::Key_Right);
      const auto found = std::ranges::find(points, f.selected(), &trace::RooflinePoint::node);
      QVERIFY(found != points.end());
      QVERIFY(found->intensity >= before);
      before = found->intensity;
    }
    const NodeId last = f.selected();
    QTest::keyClick(&f.canvas(), Qt::Key_Left);
    QVERIFY(f.selected() != last);
  }

  void peaks_are_measured_on_request() {
    RooflineFixture f(test::sample_session());
    QSignalSpy requested(f.view.get(), &RooflineView::measure_requested);
    QVERIFY(f.canvas().picture().roof.isEmpty());
    QTest::mouseClick(f.view->measure_button(), Qt::LeftButton);
    QCOMPARE(requested.size(), 1);
    f.view->set_measuring(true);
    QVERIFY(!f.view->measure_button()->isEnabled());
    f.view->set_measuring(false);
    f.view->set_peaks(ShownPeaks{{100, 20}, 2, QStringLiteral("Zen 4")});
    QCOMPARE(f.canvas().picture().roof.size(), 3);
    QVERIFY(f.view->peaks_label()->text().contains(QStringLiteral("100 GFLOP/s")));
  }

  void a_document_without_times_has_an_explanation_and_no_points() {
    test::SampleOptions options;
    options.runs = 0;
    RooflineFixture f(test::sample_session(options));
    QVERIFY(f.canvas().picture().dots.empty());
    QVERIFY(f.view->missing_label()->text().contains(QStringLiteral("no time observed")));
    QVERIFY(f.view->grab().width() > 0);
  }

  void the_table_has_every_node_once() {
    const auto session = test::sample_session();
    SessionSource source;
    source.set_session(session);
    const TablePtr table = roofline_table(TableInput::of(source));
    const trace::Roofline roofline = trace::roofline_of(*session->snapshot(), source.graph_id());
    QCOMPARE(table->rows, source.graph()->nodes.size());
    QCOMPARE(table->rows, roofline.points.size() + roofline.missing.size());
    QVERIFY(table->columns.back().text(0).isEmpty());
    for (size_t r = 0; r < table->rows; ++r)
      QCOMPARE(table->columns.back().text(r).isEmpty(), r < roofline.points.size());
    QCOMPARE(table->selection(0), Selection::node(source.graph_id(), roofline.points[0].node));
  }
};

QTEST_MAIN(RooflineTest)
#include "roofline_test.moc"
