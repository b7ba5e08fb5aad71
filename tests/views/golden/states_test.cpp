// SPDX-License-Identifier: GPL-3.0-or-later
// What each state of a view adds to its picture: the playhead, an outline, a range, the ghost of a plan, what is compared
// with, a run that goes on, nothing at all. Of each the cells that change are compared with those that were looked at and
// kept, light and dark: a playhead or an outline that is lost changes none. One picture a view: a row of cells a state, the
// light theme left, the dark one right. ARENASCOPE_GOLDEN=write makes them anew.
#include <sample_session.h>
#include <views/arena/arena_view.h>
#include <views/graph/graph_view.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/tables/objects_view.h>
#include <views/timeline/timeline_view.h>

#include <QImage>
#include <QTest>

using namespace arenascope;
using namespace arenascope::views;

namespace {

constexpr QSize kSize(640, 320);
constexpr QSize kGrid(80, 40);
const QStringList kStates{"playhead", "selection", "hover", "range", "layer", "ghost", "comparison", "live", "empty"};

// Which states a view must show.
bool must_show(const QString& view, const QString& state) {
  if (state == u"empty" || state == u"selection") return true;
  if (view == u"objects") return false;
  if (state == u"playhead" || state == u"hover" || state == u"range" || state == u"layer") return true;
  if (state == u"ghost") return view == u"arena" || view == u"occupancy";
  if (state == u"comparison") return view != u"graph";
  return state == u"live" && view == u"timeline";
}

// A cell is on where any of its pixels changed by more than a twentieth.
QImage changed(const QImage& a, const QImage& b) {
  QImage cells(kGrid, QImage::Format_RGB32);
  cells.fill(Qt::black);
  const int w = kSize.width() / kGrid.width(), h = kSize.height() / kGrid.height();
  for (int y = 0; y < kSize.height(); ++y)
    for (int x = 0; x < kSize.width(); ++x) {
      const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
      const int most =
          std::max({std::abs(qRed(p) - qRed(q)), std::abs(qGreen(p) - qGreen(q)), std::abs(qBlue(p) - qBlue(q))});
      if (most > 12) cells.setPixel(x / w, y / h, qRgb(255, 255, 255));
    }
  return cells;
}

int lit(const QImage& cells) {
  int n = 0;
  for (int y = 0; y < cells.height(); ++y)
    for (int x = 0; x < cells.width(); ++x) n += qRed(cells.pixel(x, y)) > 127;
  return n;
}

// Cells that are on in both, of those that are on in either.
double overlap(const QImage& a, const QImage& b) {
  int both = 0, either = 0;
  for (int y = 0; y < a.height(); ++y)
    for (int x = 0; x < a.width(); ++x) {
      const bool p = qRed(a.pixel(x, y)) > 127, q = qRed(b.pixel(x, y)) > 127;
      both += p && q;
      either += p || q;
    }
  return either == 0 ? 1 : static_cast<double>(both) / either;
}

}  // namespace

class StatesTest : public QObject {
  Q_OBJECT

 private:
  SessionSource source_;
  SelectionModel selection_;
  SharedAxis axis_{&source_};
  Theme theme_;
  std::shared_ptr<trace::Session> session_;

  std::unique_ptr<QWidget> make(const QString& view) {
    const ViewContext context{&source_, &selection_, &axis_, &theme_};
    if (view == u"occupancy") return std::make_unique<OccupancyView>(context, nullptr);
    if (view == u"arena") return std::make_unique<ArenaView>(context, nullptr);
    if (view == u"lifetimes") return std::make_unique<LifetimesView>(context, nullptr);
    if (view == u"timeline") return std::make_unique<TimelineView>(context, nullptr);
    if (view == u"objects") return std::make_unique<ObjectsView>(&source_, &selection_, &theme_);
    return std::make_unique<GraphView>(&source_, &selection_, &axis_, &theme_);
  }
  QImage picture(QWidget& widget) {
    if (auto* plot = qobject_cast<PlotView*>(&widget)) plot->prepare_now();
    if (auto* graph = qobject_cast<GraphView*>(&widget)) {
      for (int i = 0; i < 200 && graph->layout_job()->running(); ++i) QTest::qWait(10);
      QTest::qWait(80);  // colours follow a moment later
    }
    QTest::qWait(20);
    return widget.grab().toImage().convertToFormat(QImage::Format_RGB32).scaled(kSize);
  }
  void settle() {
    if (source_.session() != session_) source_.set_session(session_);
    source_.show_plan(nullptr);
    source_.compare_with(nullptr);
    selection_.select({});
    selection_.hover({});
    axis_.frame_all();
    axis_.set_current(Step(2));
  }
  void enter(const QString& state) {
    const trace::GraphId graph = source_.graph_id();
    if (state == u"playhead") axis_.set_current(Step(30));
    if (state == u"selection") selection_.select(Selection::node(graph, NodeId(11)));
    if (state == u"hover") selection_.hover(Selection::node(graph, NodeId(17)));
    if (state == u"range") selection_.select(StepRangeSelection{Step(15), Step(30)});
    if (state == u"layer") {
      const std::string name = source_.graph()->nodes[11].layer;
      LayerSelection layer{graph, name, {}};
      for (size_t i = 0; i < source_.graph()->nodes.size(); ++i)
        if (source_.graph()->nodes[i].layer == name) layer.nodes.push_back(NodeId(i));
      selection_.select(layer);
    }
    if (state == u"ghost") {
      auto plan = std::make_shared<trace::PlanInfo>(*source_.plan());
      for (trace::SliceInfo& slice : plan->slices) slice.offset += plan->arena_bytes / 3;
      plan->arena_bytes += plan->arena_bytes / 3;
      source_.show_plan(plan);
    }
    if (state == u"comparison") {
      test::SampleOptions other;
      other.threads = 1;
      other.runs = 1;
      source_.compare_with(std::make_shared<const Other>(Other::of(test::sample_session(other)->snapshot(), "B")));
    }
    if (state == u"live") {
      test::SampleOptions going_on;
      going_on.unfinished = true;
      source_.set_session(test::sample_session(going_on));
      axis_.set_current(Step(2));
    }
    if (state == u"empty") source_.set_session(nullptr);
  }

 private Q_SLOTS:
  void initTestCase() {
    QFont font = QGuiApplication::font();
    font.setPixelSize(12);
    QGuiApplication::setFont(font);
    session_ = test::sample_session();
    trace::ContextInfo context;
    context.id = trace::ContextId(0);
    context.name = "graph";
    context.mem_size = 64 * 400;
    const auto nodes = session_->snapshot()->graphs[0]->nodes;
    for (size_t i = 0; i < nodes.size(); ++i) {
      trace::ObjectInfo object;
      object.header_offset = static_cast<Bytes>(i) * 400;
      object.header_size = 32;
      object.offset = object.header_offset + 32;
      object.size = 368;
      object.type = "tensor";
      object.next = i + 1 < nodes.size() ? static_cast<int32_t>(i) + 1 : -1;
      object.name = nodes[i].name;
      context.objects.push_back(object);
    }
    context.used_mem = static_cast<Bytes>(nodes.size()) * 400;
    session_->describe(std::make_shared<const trace::ContextInfo>(context));
  }

  void each_state_is_seen_data() {
    QTest::addColumn<QString>("view");
    for (const char* view : {"graph", "occupancy", "arena", "lifetimes", "timeline", "objects"})
      QTest::newRow(view) << QString::fromLatin1(view);
  }
  void each_state_is_seen() {
    QFETCH(QString, view);
    QImage all(kGrid.width() * 2, kGrid.height() * static_cast<int>(kStates.size()), QImage::Format_RGB32);
    all.fill(Qt::black);
    for (const bool dark : {false, true}) {
      theme_.set_mode(dark ? ThemeMode::Dark : ThemeMode::Light);
      axis_.set_mode(view == u"timeline" ? AxisMode::Time : AxisMode::Step);
      settle();
      const std::unique_ptr<QWidget> widget = make(view);
      widget->resize(kSize);
      widget->show();
      QVERIFY(QTest::qWaitForWindowExposed(widget.get()));
      const QImage plain = picture(*widget);
      for (qsizetype s = 0; s < kStates.size(); ++s) {
        enter(kStates[s]);
        const QImage cells = changed(plain, picture(*widget));
        settle();
        if (must_show(view, kStates[s])) QVERIFY2(lit(cells) >= 3, qPrintable(view + u' ' + kStates[s]));
        for (int y = 0; y < kGrid.height(); ++y)
          for (int x = 0; x < kGrid.width(); ++x)
            all.setPixel(x + (dark ? kGrid.width() : 0), y + static_cast<int>(s) * kGrid.height(), cells.pixel(x, y));
      }
    }
    const QString path = QStringLiteral(ARENASCOPE_GOLDEN "/states/%1.png").arg(view);
    if (qgetenv("ARENASCOPE_GOLDEN") == "write") {
      QVERIFY(all.convertToFormat(QImage::Format_Mono).save(path));
      return;
    }
    QImage wanted(path);
    QVERIFY2(!wanted.isNull(), qPrintable(path));
    wanted = wanted.convertToFormat(QImage::Format_RGB32);
    QCOMPARE(wanted.size(), all.size());
    for (qsizetype s = 0; s < kStates.size(); ++s)
      for (const int left : {0, kGrid.width()}) {
        const QRect part(QPoint(left, static_cast<int>(s) * kGrid.height()), kGrid);
        const double same = overlap(wanted.copy(part), all.copy(part));
        // Texts that change are wider or narrower in another font; where nothing is to be seen, nothing is.
        QVERIFY2(same >= 0.5, qPrintable(QStringLiteral("%1, %2, %3: %4 of the cells are those that were kept")
                                             .arg(view, kStates[s], QString::fromLatin1(left == 0 ? "light" : "dark"))
                                             .arg(same)));
      }
  }
};

QTEST_MAIN(StatesTest)
#include "states_test.moc"
