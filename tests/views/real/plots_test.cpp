// SPDX-License-Identifier: GPL-3.0-or-later
// The plotted views and the inspector on a recording of squeezenet, driven by mouse and keyboard: they show the
// contents of the recording.
#include <views/arena/arena_view.h>
#include <views/common/format.h>
#include <views/graph/graph_view.h>
#include <views/inspector/breadcrumbs.h>
#include <views/inspector/inspector_view.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/tables/objects_view.h>
#include <views/timeline/timeline_view.h>

#include <QApplication>
#include <QStandardPaths>
#include <QTest>
#include <QWheelEvent>

#include "real_recording.h"
#include "tests/views/plot_input.h"

using namespace arenascope;
using namespace arenascope::views;
using test::middle_of, test::wheel;
using trace::TensorRef;

namespace {

struct Fixture {
  Fixture() : axis(&source), at{&source, &selection, &axis, &theme} {
    theme.set_mode(ThemeMode::Light);
    source.set_session(test::real_recording().session);
  }
  template <class View>
  void show(View& view, QSize size = {1000, 360}) {
    view.resize(size);
    view.show();
    if constexpr (std::is_base_of_v<PlotView, View>) view.prepare_now();
  }
  NodeId named(const char* name) const {
    const auto& nodes = source.graph()->nodes;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].name == name) return NodeId(i);
    return NodeId::none();
  }
  const trace::SliceInfo* slice(NodeId node) const {
    for (const auto& s : source.plan()->slices)
      if (s.tensor == TensorRef::node(node)) return &s;
    return nullptr;
  }
  SessionSource source;
  SelectionModel selection;
  SharedAxis axis;
  Theme theme;
  ViewContext at;
};

void drag(QWidget* at, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  QTest::mousePress(at, Qt::LeftButton, modifiers, from);
  QTest::mouseMove(at, (from + to) / 2);
  QTest::mouseMove(at, to);
  QTest::mouseRelease(at, Qt::LeftButton, modifiers, to);
}

// The number of pixels of an image with the given colour.
int count(const QImage& image, QColor colour) {
  int n = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) n += image.pixelColor(x, y) == colour;
  return n;
}

}  // namespace

class RealDrawnTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
  void init() { ARENASCOPE_NEEDS_RECORDING(test::real_recording()); }

  void graph() {
    Fixture d;
    GraphView view(&d.source, &d.selection, &d.axis, &d.theme);
    d.show(view, {460, 760});
    const GraphScene& scene = view.canvas()->scene();
    QTRY_VERIFY_WITH_TIMEOUT(scene.ready() && !view.layout_job()->running(), 30'000);
    view.expand_all();
    QTRY_VERIFY_WITH_TIMEOUT(!view.layout_job()->running(), 30'000);
    // A click on the box of the first concatenation selects and outlines it.
    const NodeId joins = d.named("r9");
    const int32_t v = vertex_showing(*scene.info, *scene.folded, joins);
    QVERIFY(v >= 0);
    QCOMPARE(scene.texts[static_cast<size_t>(v)].title, QString("CONCAT"));
    QCOMPARE(scene.texts[static_cast<size_t>(v)].second, QString("n9"));  // its name in the file
    QVERIFY(scene.texts[static_cast<size_t>(v)].third.startsWith(QString::fromUtf8("1×128×55×55")));
    view.canvas()->show_vertex(v, true);
    const QRectF box = scene.rect_of(v);
    const QRect seen(view.canvas()->to_widget(box.topLeft()).toPoint(), (box.size() * view.canvas()->scale()).toSize());
    const QImage before = view.canvas()->grab(seen.adjusted(-4, -4, 4, 4)).toImage();
    QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, seen.center());
    QCOMPARE(d.selection.current(), Selection::node(scene.info->id, joins));
    QCOMPARE(view.canvas()->marks().selected, std::vector<int32_t>{v});
    QVERIFY(view.canvas()->grab(seen.adjusted(-4, -4, 4, 4)).toImage() != before);
    // Typing searches: Return visits all eight matches one after the other.
    view.focus_search();
    auto* line = view.findChild<QLineEdit*>();
    QTest::keyClicks(line, "CONCAT");
    QCOMPARE(view.matches(), 8);
    QTest::keyClick(line, Qt::Key_Return);
    QCOMPARE(d.selection.current(), Selection::node(scene.info->id, joins));
    QTest::keyClick(line, Qt::Key_Return);
    QCOMPARE(d.selection.current(), Selection::node(scene.info->id, d.named("r16")));
    bool says = false;
    for (const QLabel* label : view.findChildren<QLabel*>()) says = says || label->text() == "2/8";
    QVERIFY(says);
    // Ctrl+wheel zooms at the pointer.
    const double scale = view.canvas()->scale();
    const QPointF under = view.canvas()->to_scene({200, 300});
    wheel(view.canvas(), {200, 300}, 2, Qt::ControlModifier);
    QVERIFY(view.canvas()->scale() > scale);
    QVERIFY(QLineF(view.canvas()->to_scene({200, 300}), under).length() < 1);
  }

  void occupancy() {
    Fixture d;
    OccupancyView view(d.at);
    d.show(view);
    const std::vector<Bytes> live = trace::Snapshot::occupancy(*d.source.plan());
    const Bytes peak = *std::max_element(live.begin(), live.end());
    QCOMPARE(view.picture()->peak, peak);
    QCOMPARE(view.picture()->bound, d.source.plan()->lower_bound_bytes);
    QVERIFY2(view.header().facts.join(u' ').contains(format_bytes(peak)), qPrintable(view.header().facts.join(u' ')));
    // The tooltip of each step shows its bytes, and a click selects its node.
    for (const int step : {0, 9, 40}) {
      const QPoint at(static_cast<int>(view.plot()->xAxis->coordToPixel(step + 0.5)), 150);
      QVERIFY2(view.tip(at).text.contains(format_bytes_exact(live[static_cast<size_t>(step)])),
               qPrintable(view.tip(at).text));
      QTest::mouseClick(view.plot(), Qt::LeftButton, {}, at);
      QCOMPARE(d.selection.current(),
               Selection::node(d.source.graph_id(), d.source.plan()->order[static_cast<size_t>(step)]));
    }
    // Shift+drag selects steps; W zooms in and Home out again.
    const auto x = [&](double step) { return static_cast<int>(view.plot()->xAxis->coordToPixel(step)); };
    drag(view.plot(), {x(20.5), 150}, {x(29.5), 150}, Qt::ShiftModifier);
    QCOMPARE(d.selection.current(), Selection(StepRangeSelection{Step(20), Step(30)}));
    const AxisRange all = d.axis.range();
    view.frame_selection();
    QVERIFY(d.axis.range().lo > 10 && d.axis.range().hi < 45);
    view.show_all();
    QCOMPARE(d.axis.range(), all);
  }

  void arena_map() {
    Fixture d;
    ArenaView view(d.at);
    d.show(view);
    const ArenaPicture& p = *view.picture();
    QCOMPARE(p.arena, d.source.plan()->arena_bytes);
    QCOMPARE(p.differing, size_t{0});
    QVERIFY(view.header().facts.join(u' ').contains(format_bytes(p.arena)));
    int clicked = 0;
    for (const char* name : {"r0", "r1", "r17", "r32"}) {
      const NodeId node = d.named(name);
      const trace::SliceInfo* s = d.slice(node);
      QVERIFY(s);
      for (size_t i = 0; i < p.bodies->size(); ++i) {
        const Rect& r = (*p.bodies)[i];
        if (p.items[r.tag].tensor != TensorRef::node(node)) continue;
        QCOMPARE(r.y0, static_cast<double>(s->offset));
        const QPoint at = middle_of(view, r);
        if (!(view.pick(at) == Selection::node(d.source.graph_id(), node))) continue;  // another one shares its bytes
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, at);
        QCOMPARE(d.selection.current(), Selection::node(d.source.graph_id(), node));
        QVERIFY2(
            view.tip(at).text.contains(QString::fromUtf8(name)) && view.tip(at).text.contains(format_bytes(s->size)),
            qPrintable(view.tip(at).text));
        // The double outline is at its right edge.
        const int right = static_cast<int>(std::lround(view.plot()->xAxis->coordToPixel(r.x1)));
        view.plot()->layer(QStringLiteral("overlay"))->replot();
        const QImage image = view.plot()->grab().toImage();
        int dark = 0;
        for (int x = right - 4; x <= right + 4; ++x)
          dark += image.pixelColor(x, at.y()) == d.theme.colours().selection_outer;
        QVERIFY2(dark > 0, name);
        ++clicked;
        break;
      }
    }
    QVERIFY(clicked >= 3);
    const AxisRange all = d.axis.range();
    wheel(view.plot(), {500, 150}, 3);
    QVERIFY(d.axis.range().length() < all.length() * 0.6);
    view.show_all();
    QCOMPARE(d.axis.range(), all);
  }

  void lifetimes() {
    Fixture d;
    LifetimesView view(d.at);
    d.show(view, {1000, 500});
    const LifetimesPicture& l = *view.picture();
    size_t tensors = 0;
    for (const LifetimesRow& row : l.rows) tensors += row.tensors;
    QCOMPARE(tensors, d.source.plan()->slices.size());
    // A click in the left margin selects a block, and all its tensors are in that row.
    QTest::mouseClick(view.plot(), Qt::LeftButton, {},
                      QPoint(20, static_cast<int>(view.plot()->yAxis->coordToPixel(-0.5))));
    QCOMPARE(d.selection.current(), Selection(BlockSelection{d.source.plan_id(), l.rows[0].block}));
    d.selection.clear();
    QVERIFY(d.selection.current().empty());
    int clicked = 0;
    for (size_t i = 0; i < l.spans->size() && clicked < 5; ++i) {
      const Rect& r = (*l.spans)[i];
      const QPoint at = middle_of(view, r);
      const trace::SliceInfo& s = d.source.plan()->slices[r.tag];
      if (!view.plot()->axisRect()->rect().contains(at) ||
          !(view.pick(at) == Selection(NodeSelection{d.source.graph_id(), s.tensor})))
        continue;
      QCOMPARE(l.rows[static_cast<size_t>(-r.y1)].block, s.block);
      QTest::mouseClick(view.plot(), Qt::LeftButton, {}, at);
      QCOMPARE(d.selection.current(), Selection(NodeSelection{d.source.graph_id(), s.tensor}));
      ++clicked;
    }
    QCOMPARE(clicked, 5);
  }

  void timeline() {
    Fixture d;
    TimelineView view(d.at);
    d.axis.set_mode(AxisMode::Time);
    d.axis.frame_all();
    d.show(view);
    const trace::Snapshot& s = *d.source.snapshot();
    QStringList names;
    for (const TimelineRow& row : view.picture()->rows)
      if (row.track.valid()) names << QString::fromStdString(s.tracks[row.track.index()].info.name);
    int workers = 0;
    for (const trace::TrackView& track : s.tracks)
      if (track.info.kind == trace::TrackKind::Worker && !track.lanes.empty() && track.lanes[0].rows.size() > 0) {
        ++workers;
        QVERIFY2(names.contains(QString::fromStdString(track.info.name)), qPrintable(names.join(u',')));
      }
    QCOMPARE(workers, 2);
    // The convolution of the first fire module, zoomed in: a click on its work selects that span.
    const NodeId conv = d.named("r7");
    const auto when = s.time_of(d.source.run(), conv);
    QVERIFY(when);
    d.axis.frame_time(when->begin, when->end);
    view.prepare_now();
    const TimelinePicture& p = *view.picture();
    int clicked = 0;
    for (size_t i = 0; i < p.spans->size() && clicked == 0; ++i) {
      const Rect& r = (*p.spans)[i];
      const TimelineItem& item = p.items[r.tag];
      if (item.step.valid() || item.cell.count != 1) continue;
      const trace::Event& event = s.event(item.cell.span);
      const QPoint at = middle_of(view, r);
      if (event.kind() != trace::EventKind::Work || event.node() != conv ||
          !view.plot()->axisRect()->rect().contains(at))
        continue;
      QTest::mouseClick(view.plot(), Qt::LeftButton, {}, at);
      QCOMPARE(d.selection.current(), Selection(EventSelection{item.cell.span}));
      QVERIFY2(view.tip(at).text.contains("r7"), qPrintable(view.tip(at).text));
      QVERIFY(count(view.grab().toImage(), d.theme.colours()[Role::Work]) > 100);
      ++clicked;
    }
    QCOMPARE(clicked, 1);
    const AxisRange near = d.axis.range();
    d.axis.zoom_in();
    QVERIFY(d.axis.range().length() < near.length());
    d.axis.toggle_mode();
    QCOMPARE(d.axis.mode(), AxisMode::Step);
    QVERIFY(d.axis.range().lo <= 8 && d.axis.range().hi >= 7);  // the visible range is kept
  }

  void objects() {
    Fixture d;
    ObjectsView view(&d.source, &d.selection, &d.theme);
    d.show(view, {900, 700});
    QVERIFY(!d.source.snapshot()->contexts.empty());
    const trace::ContextInfo& context = *d.source.snapshot()->contexts.back();
    QVERIFY(context.objects.size() >= d.source.graph()->nodes.size());
    int clicked = 0;
    for (int i = 0; i < static_cast<int>(context.objects.size()) && clicked < 4; ++i) {
      const trace::ObjectInfo& object = context.objects[static_cast<size_t>(i)];
      const NodeId node = d.named(object.name.c_str());
      const QRect box = view.rect_of(i);
      if (object.type != "tensor" || !node.valid() || !view.viewport()->rect().contains(box.center())) continue;
      QCOMPARE(view.object_at(box.center()), i);
      QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, box.center());
      const auto* chosen = d.selection.current().get<NodeSelection>();
      QVERIFY(chosen != nullptr);
      QCOMPARE(chosen->tensor, TensorRef::node(node));
      ++clicked;
    }
    QCOMPARE(clicked, 4);
  }

  void inspector() {
    Fixture d;
    InspectorView view(&d.source, &d.selection, &d.theme);
    d.show(view, {420, 900});
    QVERIFY(view.text().contains("squeezenet"));
    const NodeId joins = d.named("r9");
    d.selection.select(Selection::node(d.source.graph_id(), joins));
    const trace::SliceInfo* s = d.slice(joins);
    for (const QString& expected :
         {QString("CONCAT"), QString("axis 1"), QString("r6"), QString("r8"),
          format_bytes_exact(d.source.graph()->nodes[joins.index()].bytes), format_address(s->offset)})
      QVERIFY2(view.text().contains(expected), qPrintable(expected));
    // A click on an input's name selects it.
    const auto* model = static_cast<const InspectorModel*>(view.tree()->model());
    QModelIndex link;
    for (QModelIndex at = model->index(0, 0); at.isValid() && !link.isValid(); at = view.tree()->indexBelow(at))
      if (const InspectorFact* fact = model->fact(at);
          fact != nullptr && fact->link == Selection::node(d.source.graph_id(), d.named("r6")))
        link = at;
    QVERIFY(link.isValid());
    view.tree()->scrollTo(link);
    QTest::mouseClick(view.tree()->viewport(), Qt::LeftButton, {}, view.tree()->visualRect(link).center());
    QCOMPARE(d.selection.current(), Selection::node(d.source.graph_id(), d.named("r6")));
    QVERIFY(view.text().contains("RELU"));
    d.selection.back();
    // The same facts as a table.
    const QStringList lines = view.csv_maker()().split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.first(), QString("Section,Property,Value"));
    QVERIFY2(lines.contains("Work,parameters,axis 1"), qPrintable(view.csv_maker()()));
    QVERIFY(lines.filter("Inputs (2)").size() == 2);
    QVERIFY(!view.csv_maker()().contains('<'));
  }

  void breadcrumbs() {
    Fixture d;
    Breadcrumbs crumbs(&d.source, &d.selection, &d.axis, &d.theme);
    d.show(crumbs, {420, 30});
    d.selection.select(Selection::node(d.source.graph_id(), d.named("r9")));
    QTRY_VERIFY(crumbs.crumbs().size() >= 2);
    QVERIFY(crumbs.text().contains("r9"));
    crumbs.follow(0);
    QVERIFY(d.selection.current().empty());
  }
};

QTEST_MAIN(RealDrawnTest)
#include "plots_test.moc"
