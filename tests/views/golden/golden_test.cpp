// SPDX-License-Identifier: GPL-3.0-or-later
// Compares each painted view of a synthetic session with a reviewed golden image. The comparison uses a grid of mean
// colours: positions and colours count, the fonts of the machine do not. ARENASCOPE_GOLDEN=write regenerates the
// images; review them before committing.
#include "golden_image.h"

#include <QImage>
#include <QPainter>
#include <QTest>

using namespace arenascope;
using namespace arenascope::views;

namespace {

using test::kGrid;
using test::kSize;

QImage picture_of(Paintable& view) {
  QImage image(kSize, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  view.paint(&painter, kSize);
  painter.end();
  return image;
}

// The mean colour of each cell; computed here, so that it is the same on all machines.
QImage grid_of(const QImage& image) {
  QImage grid(kGrid, QImage::Format_RGB32);
  const int w = image.width() / kGrid.width(), h = image.height() / kGrid.height();
  for (int y = 0; y < kGrid.height(); ++y)
    for (int x = 0; x < kGrid.width(); ++x) {
      int sum[3] = {0, 0, 0};
      for (int j = 0; j < h; ++j)
        for (int i = 0; i < w; ++i) {
          const QRgb c = image.pixel(x * w + i, y * h + j);
          sum[0] += qRed(c), sum[1] += qGreen(c), sum[2] += qBlue(c);
        }
      grid.setPixel(x, y, qRgb(sum[0] / (w * h), sum[1] / (w * h), sum[2] / (w * h)));
    }
  return grid;
}

struct Difference {
  double mean = 0;  // per channel, 0 to 255
  int far_off = 0;  // number of cells that differ by more than a fifth of the scale
};

Difference difference(const QImage& a, const QImage& b) {
  Difference d;
  double sum = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) {
      const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
      const int r = std::abs(qRed(p) - qRed(q)), g = std::abs(qGreen(p) - qGreen(q)), l = std::abs(qBlue(p) - qBlue(q));
      sum += r + g + l;
      if (std::max({r, g, l}) > 51) ++d.far_off;
    }
  d.mean = sum / (3.0 * a.width() * a.height());
  return d;
}

}  // namespace

class GoldenTest : public QObject {
  Q_OBJECT

 private:
  SessionSource source_;
  SelectionModel selection_;
  SharedAxis axis_{&source_};
  Theme theme_;

  QImage drawn(const QString& name) {
    const auto view = test::make_view(name, {&source_, &selection_, &axis_, &theme_});
    if (auto* graph = qobject_cast<GraphView*>(view.get()))
      for (int i = 0; i < 200 && (graph->layout_job()->running() || !graph->canvas()->scene().ready()); ++i)
        QTest::qWait(10);
    return picture_of(dynamic_cast<Paintable&>(*view));
  }

 private Q_SLOTS:
  void initTestCase() {
    QFont font = QGuiApplication::font();
    font.setPixelSize(12);
    QGuiApplication::setFont(font);
    const auto session = test::sample_session();
    test::describe_objects(*session, [](int i) { return "t" + std::to_string(i); });
    source_.set_session(session);
    axis_.frame_all();
    axis_.set_current(Step(20));
    selection_.select(Selection::node(source_.graph_id(), NodeId(11)));
  }

  void matches_the_golden_image_data() {
    QTest::addColumn<QString>("view");
    QTest::addColumn<bool>("dark");
    QTest::addColumn<bool>("time");
    for (const char* view : {"graph", "occupancy", "arena", "lifetimes", "timeline", "objects"})
      for (const bool dark : {false, true})
        for (const bool time : {false, true}) {
          if (time && (dark || qstrcmp(view, "graph") == 0 || qstrcmp(view, "objects") == 0)) continue;
          QTest::addRow("%s%s%s", view, dark ? "-dark" : "", time ? "-time" : "")
              << QString::fromLatin1(view) << dark << time;
        }
  }
  void matches_the_golden_image() {
    QFETCH(QString, view);
    QFETCH(bool, dark);
    QFETCH(bool, time);
    theme_.set_mode(dark ? ThemeMode::Dark : ThemeMode::Light);
    axis_.set_mode(time ? AxisMode::Time : AxisMode::Step);
    axis_.frame_all();
    const QImage now = grid_of(drawn(view));
    const QString path = QStringLiteral(ARENASCOPE_GOLDEN "/%1.png").arg(QString::fromLatin1(QTest::currentDataTag()));
    if (qgetenv("ARENASCOPE_GOLDEN") == "write") {
      QVERIFY(now.save(path));
      return;
    }
    QImage golden(path);
    QVERIFY2(!golden.isNull(), qPrintable(path));
    golden = golden.convertToFormat(QImage::Format_RGB32);
    QCOMPARE(golden.size(), now.size());
    const Difference d = difference(golden, now);
    qInfo("%s: mean difference %.2f of 255, %d of %d cells far off", QTest::currentDataTag(), d.mean, d.far_off,
          kGrid.width() * kGrid.height());
    // Another font moves the header and the labels: a few cells. A view with other content changes many.
    QVERIFY2(d.mean < 6 && d.far_off < kGrid.width() * kGrid.height() * 4 / 100, qPrintable(path));
  }

  // The tolerance distinguishes views, themes and data.
  void a_different_image_is_rejected() {
    theme_.set_mode(ThemeMode::Light);
    axis_.set_mode(AxisMode::Step);
    axis_.frame_all();
    const QImage all = grid_of(drawn("arena"));
    axis_.frame_steps(Step(10), Step(20));
    const QImage near = grid_of(drawn("arena"));
    QVERIFY(difference(all, near).mean >= 6);
    axis_.frame_all();
    QVERIFY(difference(all, grid_of(drawn("lifetimes"))).mean >= 6);
    theme_.set_mode(ThemeMode::Dark);
    QVERIFY(difference(all, grid_of(drawn("arena"))).mean >= 6);
  }
};

QTEST_MAIN(GoldenTest)
#include "golden_test.moc"
