// SPDX-License-Identifier: GPL-3.0-or-later
// The planning options, entered by keyboard and mouse; the curve of a search; the memory limit, dragged with the mouse.
#include <sample_session.h>
#include <views/common/format.h>
#include <views/common/parse_bytes.h>
#include <views/occupancy/occupancy_view.h>
#include <views/planners/replan_panel.h>

#include <QSignalSpy>
#include <QTest>

using namespace arenascope;
using namespace arenascope::views;

class PlannersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sizes_are_parsed() {
    QCOMPARE(parse_bytes("4096"), std::optional<Bytes>(4096));
    QCOMPARE(parse_bytes(" 96 MiB "), std::optional<Bytes>(Bytes{96} << 20));
    QCOMPARE(parse_bytes("1,5g"), std::optional<Bytes>(Bytes{3} << 29));
    QCOMPARE(parse_bytes("2kb"), std::optional<Bytes>(2048));
    for (const char* bad : {"", "MiB", "-1", "1 2", "99999999999999999999 T", "ten"}) QVERIFY(!parse_bytes(bad));
  }

  void the_panel_emits_requests() {
    Theme theme;
    ReplanPanel panel(&theme);
    panel.set_choices({"none", "search"}, {"depth-first", "ge"});
    panel.show();
    panel.set_can_plan(true);
    panel.choose("search", "ge");
    QCOMPARE(panel.request().planner, QString("search"));
    QCOMPARE(panel.request().order, QString("ge"));
    QSignalSpy plan(&panel, &ReplanPanel::plan_requested), fit(&panel, &ReplanPanel::request_changed),
        stop(&panel, &ReplanPanel::stop_requested);
    auto* field = panel.findChild<QLineEdit*>("fit_under");
    QTest::keyClicks(field, "12 MiB");
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(fit.count(), 1);
    QCOMPARE(panel.request().fit_under, Bytes{12} << 20);
    field->selectAll();
    QTest::keyClicks(field, "much");
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(fit.count(), 1);
    QVERIFY(panel.message().contains("much"));
    QTest::mouseClick(panel.findChild<QToolButton*>("plan"), Qt::LeftButton);
    QCOMPARE(plan.count(), 1);
    auto* good = panel.findChild<QToolButton*>("stop");
    QVERIFY(!good->isEnabled());
    panel.set_busy(true);
    QVERIFY(!panel.findChild<QToolButton*>("plan")->isEnabled());
    QTest::mouseClick(good, Qt::LeftButton);
    QCOMPARE(stop.count(), 1);
  }

  void the_curve_falls_towards_the_bound() {
    Theme theme;
    theme.set_mode(ThemeMode::Light);
    SearchCurve curve(&theme);
    curve.resize(300, 140);
    QVERIFY(curve.summary().isEmpty());
    curve.show_progress({{{0.1, 100 << 20, 60 << 20}, {0.5, 80 << 20, 60 << 20}}, 2, 1});
    curve.set_fit_under(70 << 20);
    QVERIFY(curve.summary().contains(format_bytes(80 << 20)) && curve.summary().contains(format_bytes(60 << 20)));
    QCOMPARE(curve.accessibleDescription(), curve.summary());
    // The left end of the curve is above its right end: found by the curve's colour.
    const QImage image = curve.grab().toImage();
    const QColor work = theme.colours()[Role::Work];
    const auto row_of = [&](int x) {
      for (int y = 22; y < image.height(); ++y) {
        const QColor c = image.pixelColor(x, y);
        if (std::abs(c.red() - work.red()) + std::abs(c.green() - work.green()) + std::abs(c.blue() - work.blue()) < 40)
          return y;
      }
      return -1;
    };
    const int left = row_of(image.width() * 35 / 100), right = row_of(image.width() * 3 / 4);
    QVERIFY2(left > 0 && right > left, qPrintable(QString("%1 %2").arg(left).arg(right)));
  }

  // Bytes upwards and seconds to the right, both to scale: positions measured in the image match the data.
  void the_curve_is_drawn_in_proportion() {
    Theme theme;
    theme.set_mode(ThemeMode::Light);
    SearchCurve curve(&theme);
    curve.resize(640, 320);
    curve.show_progress({{{0, 100 << 20, 60 << 20}, {0.5, 84 << 20, 60 << 20}, {1.5, 72 << 20, 60 << 20}}, 2, 2});
    const QImage image = curve.grab().toImage();
    const auto alike = [](const QColor& a, const QColor& b) {
      return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) < 40;
    };
    const auto row_of = [&](double x, const QColor& colour) {  // the middle of the pixels with this colour
      double sum = 0;
      int count = 0;
      for (int y = 30; y < image.height() - 24; ++y)
        if (alike(image.pixelColor(static_cast<int>(x), y), colour)) sum += y, ++count;
      return count > 0 ? sum / count : -1;
    };
    const QColor work = theme.colours()[Role::Work], bound = theme.colours().bound;
    int begin = -1, end = -1;  // range of the line
    for (int x = 0; x < image.width(); ++x)
      if (row_of(x, work) > 0) begin = begin < 0 ? x : begin, end = x;
    QVERIFY(end > begin + 300);
    const double width = end - 4 - begin;  // a disc of 4 is around the end
    const auto at = [&](double seconds) { return row_of(begin + seconds / 2 * width, work); };
    double low = -1;  // a dashed line
    for (int x = begin; x < end && low < 0; ++x) low = row_of(x, bound);
    const double top = at(0.25), middle = at(1), last = at(1.75);
    QVERIFY(top > 0 && middle > top && last > middle && low > last);
    QVERIFY2(std::abs((middle - top) / (low - top) - 16.0 / 40) < 0.015, "84 of 100 to 60");
    QVERIFY2(std::abs((last - top) / (low - top) - 28.0 / 40) < 0.015, "72 of 100 to 60");
    QVERIFY(std::abs(at(0.47) - top) < 1.5 && std::abs(at(0.53) - middle) < 1.5);  // it falls at half a second
    QVERIFY(std::abs(at(1.47) - middle) < 1.5 && std::abs(at(1.53) - last) < 1.5);
  }

  void the_memory_limit_is_dragged() {
    SessionSource source;
    SelectionModel selection;
    SharedAxis axis(&source);
    Theme theme;
    source.set_session(test::sample_session());
    OccupancyView view({&source, &selection, &axis, &theme});
    view.resize(900, 300);
    view.show();
    view.prepare_now();
    const Bytes arena = source.plan()->arena_bytes;
    view.set_fit_under(arena / 2);
    QCOMPARE(view.fit_under(), arena / 2);
    QSignalSpy dragged(&view, &OccupancyView::fit_under_dragged), dropped(&view, &OccupancyView::fit_under_set);
    QWidget* plot = view.plot();
    const QPoint at(plot->width() / 2, static_cast<int>(view.fit_line_y()));
    const auto range = axis.range();
    QTest::mousePress(plot, Qt::LeftButton, {}, at);
    QTest::mouseMove(plot, at - QPoint(0, 30));
    QTest::mouseMove(plot, at - QPoint(0, 60));
    QTest::mouseRelease(plot, Qt::LeftButton, {}, at - QPoint(0, 60));
    QVERIFY(dragged.count() >= 1);
    QCOMPARE(dropped.count(), 1);
    QVERIFY(view.fit_under() > arena / 2);
    QCOMPARE(axis.range(), range);  // nothing else moved
    QVERIFY(std::abs(view.fit_line_y() - (at.y() - 60)) <= 8);
    // Next to the line, dragging pans.
    QTest::mousePress(plot, Qt::LeftButton, {}, at + QPoint(0, 40));
    QTest::mouseRelease(plot, Qt::LeftButton, {}, at + QPoint(0, 40));
    QCOMPARE(dropped.count(), 1);
    view.set_fit_under(0);
    QCOMPARE(view.fit_under(), Bytes{0});
  }
};

QTEST_MAIN(PlannersTest)
#include "planners_test.moc"
