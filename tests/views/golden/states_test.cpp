// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the effect of each state on each painted view: selection, playhead, hover, range, note, ghost, comparison,
// live, colours with their legend, and no document. Compares the difference to the same view without the state, painted
// on the same machine, which cancels out its fonts; per cell, so that a missing playhead, outline or ghost fails.
// ARENASCOPE_GOLDEN=write regenerates the differences, and ARENASCOPE_GOLDEN_SEEN=FOLDER saves the whole images for
// review.
#include "golden_image.h"

#include <QDir>
#include <QImage>
#include <QTest>

#include <functional>

using namespace arenascope;
using namespace arenascope::views;

namespace {

using test::kGrid;
using test::kSize;
constexpr int kSeen = 5;  // of 127: minimum difference of a marked cell

// The mean colour of each cell of `now` minus that of `before`: 128 means no difference.
QImage difference(const QImage& before, const QImage& now) {
  QImage out(kGrid, QImage::Format_RGB32);
  const int w = kSize.width() / kGrid.width(), h = kSize.height() / kGrid.height();
  for (int y = 0; y < kGrid.height(); ++y)
    for (int x = 0; x < kGrid.width(); ++x) {
      int sum[3] = {0, 0, 0};
      for (int j = 0; j < h; ++j)
        for (int i = 0; i < w; ++i) {
          const QRgb a = before.pixel(x * w + i, y * h + j), b = now.pixel(x * w + i, y * h + j);
          sum[0] += qRed(b) - qRed(a), sum[1] += qGreen(b) - qGreen(a), sum[2] += qBlue(b) - qBlue(a);
        }
      const auto byte = [&](int s) { return std::clamp(128 + s / (2 * w * h), 0, 255); };
      out.setPixel(x, y, qRgb(byte(sum[0]), byte(sum[1]), byte(sum[2])));
    }
  return out;
}

int size_of(QRgb p) { return std::max({std::abs(qRed(p) - 128), std::abs(qGreen(p) - 128), std::abs(qBlue(p) - 128)}); }

struct Verdict {
  int marked = 0;  // marked cells of the golden image
  int lost = 0;    // marked cells without the same difference here
  int extra = 0;   // cells that differ only here
  // Tolerates texts in another font, which change a few cells.
  bool good() const { return marked > 0 && lost * 5 <= marked && extra * 4 <= marked + 48; }
};

Verdict verdict_of(const QImage& golden, const QImage& now) {
  Verdict v;
  for (int y = 0; y < kGrid.height(); ++y)
    for (int x = 0; x < kGrid.width(); ++x) {
      const QRgb a = golden.pixel(x, y), b = now.pixel(x, y);
      const int size = size_of(a);
      if (size < kSeen) {
        v.extra += size_of(b) >= 3 * kSeen ? 1 : 0;
        continue;
      }
      ++v.marked;
      const int off =
          std::max({std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
      v.lost += off * 3 > size * 2 ? 1 : 0;
    }
  return v;
}

}  // namespace

class StatesTest : public QObject {
  Q_OBJECT

 private:
  SessionSource source_;
  SelectionModel selection_;
  SharedAxis axis_{&source_};
  PinnedNotes notes_{&axis_};
  Theme theme_;
  std::unique_ptr<QWidget> view_;

  static std::shared_ptr<trace::Session> session(const test::SampleOptions& options = {}) {
    const auto made = test::sample_session(options);
    const auto snapshot = made->snapshot();
    const auto& nodes = snapshot->graphs.front()->nodes;
    test::describe_objects(*made, [&](int i) {
      return static_cast<size_t>(i) < nodes.size() ? nodes[static_cast<size_t>(i)].name : std::string("graph");
    });
    return made;
  }
  void without_states(std::shared_ptr<const trace::Session> shown) {
    source_.set_live(false);
    source_.compare_with(nullptr);
    source_.set_session(std::move(shown));
    axis_.set_mode(AxisMode::Step);
    axis_.frame_all();
    axis_.set_current(Step());
    selection_.clear();
    selection_.hover({});
    notes_.set({});
  }
  void make(const QString& view) {
    view_ = test::make_view(view, {&source_, &selection_, &axis_, &theme_, &notes_});
    view_->resize(kSize);
    view_->show();
  }
  QImage picture() {
    QCoreApplication::processEvents();
    if (auto* plot = qobject_cast<PlotView*>(view_.get())) plot->prepare_now();
    if (auto* graph = qobject_cast<GraphView*>(view_.get())) {
      const auto there = [&] {
        return !graph->layout_job()->running() && graph->canvas()->scene().ready() == (source_.graph() != nullptr);
      };
      for (int i = 0; i < 500 && !there(); ++i) QTest::qWait(10);
      QTest::qWait(80);  // its colours follow the playhead after a short delay
    }
    for (int i = 0; i < 4; ++i) QCoreApplication::processEvents();
    return view_->grab().toImage().convertToFormat(QImage::Format_RGB32).scaled(kSize);
  }

  void put(const QString& state) {
    if (state == "playhead") axis_.set_current(Step(20));
    if (state == "selection") selection_.select(Selection::node(source_.graph_id(), NodeId(11)));
    if (state == "hover") selection_.hover(Selection::node(source_.graph_id(), NodeId(16)));
    if (state == "range") selection_.select(StepRangeSelection{Step(12), Step(30)});
    if (state == "ghost") {
      auto plan = *source_.plan();  // another plan of the same graph
      plan.id = trace::PlanId(plan.id.index() + 1);
      plan.arena_bytes = plan.arena_bytes * 5 / 4;
      for (size_t i = 0; i < plan.slices.size(); i += 3) plan.slices[i].offset += plan.arena_bytes / 5;
      source_.show_plan(std::make_shared<const trace::PlanInfo>(std::move(plan)));
    }
    if (state == "comparison") {
      test::SampleOptions other;
      other.threads = 2;
      other.blocks = 9;
      source_.compare_with(
          std::make_shared<const ComparisonSide>(ComparisonSide::of(session(other)->snapshot(), "other")));
      if (auto* graph = qobject_cast<GraphView*>(view_.get())) graph->set_colour(GraphColour::Difference);
    }
    if (state == "live") {
      test::SampleOptions going_on;
      going_on.unfinished = true;
      going_on.runs = 1;
      source_.set_session(session(going_on));
      source_.set_live(true);
    }
    if (state == "legend") {
      if (auto* graph = qobject_cast<GraphView*>(view_.get())) graph->set_colour(GraphColour::Op);
      if (auto* occupancy = qobject_cast<OccupancyView*>(view_.get())) occupancy->set_scope(OccupancyScope::Kinds);
      if (auto* arena = qobject_cast<ArenaView*>(view_.get())) arena->set_colour(ArenaColour::Op);
    }
    if (state == "note") notes_.pin(30.5, QStringLiteral("note"), 0.1);
    if (state == "empty") source_.set_session(std::make_shared<trace::Session>());
  }
  // States that a view does not show by design.
  static bool shows(const QString& view, const QString& state) {
    if (view == "objects") return state == "selection" || state == "empty";
    if (state == "legend") return view == "graph" || view == "occupancy" || view == "arena";
    if (state == "note") return view != "graph";
    if (state == "ghost") return view != "graph" && view != "timeline";
    return true;
  }

 private Q_SLOTS:
  void initTestCase() {
    QFont font = QGuiApplication::font();
    font.setPixelSize(12);
    QGuiApplication::setFont(font);
  }
  void cleanup() { view_.reset(); }

  void matches_the_golden_image_data() {
    QTest::addColumn<QString>("view");
    QTest::addColumn<QString>("state");
    QTest::addColumn<bool>("dark");
    for (const char* view : {"graph", "occupancy", "arena", "lifetimes", "timeline", "objects"})
      for (const char* state :
           {"playhead", "selection", "hover", "range", "note", "ghost", "comparison", "live", "legend", "empty"})
        for (const bool dark : {false, true})
          if (shows(QString::fromLatin1(view), QString::fromLatin1(state)))
            QTest::addRow("%s-%s%s", view, state, dark ? "-dark" : "")
                << QString::fromLatin1(view) << QString::fromLatin1(state) << dark;
  }
  void matches_the_golden_image() {
    QFETCH(QString, view);
    QFETCH(QString, state);
    QFETCH(bool, dark);
    theme_.set_mode(dark ? ThemeMode::Dark : ThemeMode::Light);
    without_states(session());
    make(view);
    const QImage before = picture();
    put(state);
    const QImage seen = picture(), now = difference(before, seen);
    const QString name = QString::fromLatin1(QTest::currentDataTag()) + QStringLiteral(".png");
    if (const QString folder = qEnvironmentVariable("ARENASCOPE_GOLDEN_SEEN"); !folder.isEmpty())
      QVERIFY(QDir().mkpath(folder) && seen.save(folder + QLatin1Char('/') + name));
    const QString path = QStringLiteral(ARENASCOPE_GOLDEN "/states/") + name;
    if (qgetenv("ARENASCOPE_GOLDEN") == "write") {
      QVERIFY(now.save(path));
      return;
    }
    QImage golden(path);
    QVERIFY2(!golden.isNull(), qPrintable(path));
    golden = golden.convertToFormat(QImage::Format_RGB32);
    QCOMPARE(golden.size(), kGrid);
    const Verdict v = verdict_of(golden, now);
    QVERIFY2(v.good(), qPrintable(QStringLiteral("%1: of %2 cells %3 are lost, and %4 are new")
                                      .arg(path)
                                      .arg(v.marked)
                                      .arg(v.lost)
                                      .arg(v.extra)));
    QVERIFY(!verdict_of(golden, difference(before, before)).good());  // the same image without the state is rejected
  }

  // A line one pixel wide and an outline two pixels wide are distinguished from each other.
  void a_missing_playhead_or_outline_is_detected() {
    theme_.set_mode(ThemeMode::Light);
    for (const char* view : {"occupancy", "arena", "lifetimes", "timeline"}) {
      without_states(session());
      make(QString::fromLatin1(view));
      const QImage before = picture();
      put("playhead");
      const QImage playhead = difference(before, picture());
      put("selection");
      const QImage both = difference(before, picture());
      axis_.set_current(Step());
      const QImage selection = difference(before, picture());
      QVERIFY2(verdict_of(both, both).good(), view);
      const Verdict lost = verdict_of(playhead, selection);
      QVERIFY2(!lost.good(),
               qPrintable(QStringLiteral("%1: %2 %3 %4").arg(view).arg(lost.marked).arg(lost.lost).arg(lost.extra)));
      QVERIFY2(!verdict_of(selection, playhead).good(), view);
    }
  }
};

QTEST_MAIN(StatesTest)
#include "states_test.moc"
