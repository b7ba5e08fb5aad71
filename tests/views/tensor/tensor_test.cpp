// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/tensor/tensor_view.h>

#include <QAbstractItemModelTester>
#include <QPainter>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <limits>

using namespace arenascope::views;

class TensorTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void statistics() {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const std::vector<float> v = {1, 2, 3, 4, 0, nan, inf, -inf, inf};
    const TensorStats s = stats_of(v);
    QCOMPARE(s.count, int64_t{9});
    QCOMPARE(s.nan, int64_t{1});
    QCOMPARE(s.plus_inf, int64_t{2});
    QCOMPARE(s.minus_inf, int64_t{1});
    QCOMPARE(s.zeros, int64_t{1});
    QCOMPARE(s.min, 0.0);
    QCOMPARE(s.max, 4.0);
    QCOMPARE(s.mean, 2.0);
    QVERIFY(std::abs(s.deviation - std::sqrt(2.0)) < 1e-12);
    const Histogram h = histogram_of(v, s, 4);
    QCOMPARE(h.bins, (std::vector<int64_t>{1, 1, 1, 2}));
    QCOMPARE(h.edge(4), 4.0);
  }
  void statistics_of_a_large_mean() {
    std::vector<float> v(1000, 1e6f);
    for (size_t i = 0; i < v.size(); i += 2) v[i] += 1;
    QVERIFY(std::abs(stats_of(v).deviation - 0.5) < 1e-9);
  }
  void nothing_finite() {
    const std::vector<float> v(5, std::numeric_limits<float>::quiet_NaN());
    const TensorStats s = stats_of(v);
    QCOMPARE(s.finite(), int64_t{0});
    QVERIFY(histogram_of(v, s, 8).bins.empty());
    QCOMPARE(stats_of({}).count, int64_t{0});
  }
  void all_equal_is_one_bin() {
    const std::vector<float> v(7, 3.5f);
    const Histogram h = histogram_of(v, stats_of(v), 16);
    QCOMPARE(h.bins, std::vector<int64_t>{7});
    QVERIFY(h.lo < 3.5 && h.hi > 3.5);
  }
  void shapes_data() {
    QTest::addColumn<int>("values");
    QTest::addColumn<QList<int>>("shape");
    QTest::addColumn<int>("slices");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::newRow("matrix") << 6 << QList<int>{2, 3} << 1 << 2 << 3;
    QTest::newRow("four dimensions") << 120 << QList<int>{2, 3, 4, 5} << 6 << 4 << 5;
    QTest::newRow("vector") << 4 << QList<int>{4} << 1 << 1 << 4;
    QTest::newRow("scalar") << 1 << QList<int>{} << 1 << 1 << 1;
    QTest::newRow("empty") << 0 << QList<int>{3, 0} << 0 << 0 << 0;
    QTest::newRow("does not fit") << 5 << QList<int>{100, 100} << 1 << 1 << 5;
    QTest::newRow("negative") << 5 << QList<int>{-1, 5} << 1 << 1 << 5;
    QTest::newRow("overflowing") << 5 << QList<int>{2000000000, 2000000000, 2000000000} << 1 << 1 << 5;
  }
  void shapes() {
    QFETCH(int, values);
    QFETCH(QList<int>, shape);
    const TensorValues v(std::vector<float>(static_cast<size_t>(values), 1.f), {shape.begin(), shape.end()});
    QTEST(static_cast<int>(v.slices()), "slices");
    QTEST(static_cast<int>(v.rows()), "rows");
    QTEST(static_cast<int>(v.columns()), "columns");
    const QImage image = heat_map(v, 0, stats_of(v.values()), ThemeColours::light());
    QCOMPARE(image.isNull(), v.slices() == 0);
  }
  void slices_are_named() {
    const TensorValues v(std::vector<float>(120), {2, 3, 4, 5});
    QCOMPARE(v.slice_name(0), QStringLiteral("[0, 0, :, :]"));
    QCOMPARE(v.slice_name(5), QStringLiteral("[1, 2, :, :]"));
  }
  void heat_map_highlights_nan_and_infinities() {
    std::vector<float> values(1000 * 1000, 0.5f);
    values[123456] = std::numeric_limits<float>::quiet_NaN();
    const TensorValues v(std::move(values), {1000, 1000});
    const QImage image = heat_map(v, 0, stats_of(v.values()), ThemeColours::light(), 100);
    QCOMPARE(image.size(), QSize(100, 100));
    QCOMPARE(image.pixel(45, 12), qRgb(255, 0, 255));  // one NaN among a hundred values is not averaged away
    QVERIFY(image.pixel(46, 12) != qRgb(255, 0, 255));
  }
  void table_model() {
    TensorTable table;
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    std::vector<float> values(24);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 4;
    const auto v = std::make_shared<const TensorValues>(values, std::vector<int64_t>{2, 3, 4});
    table.set_values(v, stats_of(v->values()));
    QCOMPARE(table.rowCount(), 3);
    QCOMPARE(table.columnCount(), 4);
    QCOMPARE(table.data(table.index(1, 2)).toString(), QStringLiteral("1.5"));
    table.set_slice(1);
    QCOMPARE(table.data(table.index(1, 2)).toString(), QStringLiteral("4.5"));
    table.set_slice(7);
    QCOMPARE(table.data(table.index(1, 2)).toString(), QStringLiteral("4.5"));
    table.set_values(nullptr, {});
    QCOMPARE(table.rowCount(), 0);
  }
  void without_finite_values_there_is_no_minimum() {
    Theme theme;
    TensorView view(&theme);
    QSignalSpy ready(&view, &TensorView::ready);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    std::vector<float> values(6, std::numeric_limits<float>::quiet_NaN());
    values[1] = kInfinity, values[2] = -kInfinity;
    view.set_values(std::make_shared<const TensorValues>(values, std::vector<int64_t>{2, 3}), QStringLiteral("h3"));
    QVERIFY(ready.wait(5000));
    const QStringList lines = view.figures();
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[1], QStringLiteral("no finite values"));
    QVERIFY2(lines[2].startsWith(QStringLiteral("NaN 4 · +Inf 1 · −Inf 1")), qPrintable(lines[2]));
  }
  void view_measures_and_shows() {
    Theme theme;
    TensorView view(&theme);
    view.resize(420, 400);
    view.show();
    QSignalSpy ready(&view, &TensorView::ready);
    std::vector<float> values(2 * 16 * 16);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 37) - 18;
    view.set_values(std::make_shared<const TensorValues>(values, std::vector<int64_t>{2, 16, 16}),
                    QStringLiteral("conv1"));
    QVERIFY(ready.wait(5000));
    QCOMPARE(view.stats().min, -18.0);
    QCOMPARE(view.stats().max, 18.0);
    auto* box = view.findChild<QSpinBox*>();
    QVERIFY(box && box->isVisible());
    QTest::keyClick(box, Qt::Key_Up);
    QCOMPARE(view.table()->data(view.table()->index(0, 0)).toString(), QString::number(static_cast<int>(values[256])));
    QImage image(600, 300, QImage::Format_RGB32);
    image.fill(Qt::red);
    QPainter painter(&image);
    view.paint(&painter, image.size());
    painter.end();
    QVERIFY(image.pixel(590, 290) != QColor(Qt::red).rgb());
    view.clear(QStringLiteral("gone"));
    QCOMPARE(view.table()->rowCount(), 0);
  }
};

QTEST_MAIN(TensorTest)
#include "tensor_test.moc"
