// SPDX-License-Identifier: GPL-3.0-or-later
// The flame graph: its boxes, search and text forms as data, then mouse, keys, colours and selection of the view.
#include <sample_session.h>
#include <views/common/flame_text.h>
#include <views/flame/flame_view.h>
#include <views/tables/table.h>

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

using namespace arenascope;
using namespace arenascope::views;
using trace::FlameWeight;

namespace {

struct NamedSpan {
  const char* name;
  Nanoseconds begin, end;
  int64_t depth;
};

std::shared_ptr<trace::Session> session_of(const std::vector<NamedSpan>& spans) {
  auto session = std::make_shared<trace::Session>();
  session->describe(trace::ThreadInfo{trace::TrackId(0), "main", trace::TrackKind::Other});
  std::map<std::string, trace::NameId> names;
  std::vector<trace::Event> events;
  for (const NamedSpan& s : spans) {
    const auto [it, added] = names.try_emplace(s.name, trace::NameId(names.size()));
    if (added) session->describe(trace::NameInfo{it->second, s.name});
    events.push_back(trace::slice(s.begin, s.end, it->second, s.depth));
  }
  session->events(trace::TrackId(0), events);
  return session;
}

// main > step > { forward > conv, backward }, then idle > 400 spans too narrow for a box each.
std::vector<NamedSpan> spans() {
  std::vector<NamedSpan> out{{"step", 0, 700'000, 0},
                             {"forward", 0, 300'000, 1},
                             {"conv", 50'000, 250'000, 2},
                             {"backward", 300'000, 600'000, 1},
                             {"idle", 700'000, 1'000'000, 0}};
  static std::vector<std::string> names;
  if (names.empty())
    for (int i = 0; i < 400; ++i) names.push_back("tick " + std::to_string(i));
  for (int i = 0; i < 400; ++i)
    out.push_back({names[static_cast<size_t>(i)].c_str(), 700'000 + 700 * i, 700'000 + 700 * i + 600, 1});
  return out;
}

uint32_t frame_named(const trace::FlameTree& tree, const std::string& name) {
  for (uint32_t i = 0; i < tree.frames.size(); ++i)
    if (tree.name(tree.frames[i]) == name) return i;
  return UINT32_MAX;
}

struct Fixture {
  explicit Fixture(const std::shared_ptr<trace::Session>& session) : axis(&source) {
    source.set_session(session);
    view = std::make_unique<FlameView>(ViewContext{&source, &selection, &axis, &theme});
    view->resize(1000, 300);
    view->show();
    view->prepare_now();
  }
  FlameCanvas& canvas() { return *view->canvas(); }
  const trace::FlameTree& tree() { return canvas().data()->tree; }
  uint32_t frame(const std::string& name) { return frame_named(tree(), name); }
  QRectF rect_of(const std::string& name) {
    for (const FlameBox& box : canvas().boxes())
      if (box.frames == 1 && tree().name(tree().frames[box.frame]) == name) return box.rect;
    return {};
  }
  void click(const std::string& name) {
    QTest::mouseClick(canvas().viewport(), Qt::LeftButton, {}, rect_of(name).center().toPoint());
  }
  QStringList zoomed() { return path_of(tree(), canvas().zoomed()); }

  SessionSource source;
  SelectionModel selection;
  SharedAxis axis;
  Theme theme;
  std::unique_ptr<FlameView> view;
};

}  // namespace

class FlameTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void boxes_are_as_wide_as_their_weight() {
    const auto snapshot = session_of(spans())->snapshot();
    const trace::FlameTree tree = trace::flame_tree(*snapshot, FlameWeight::SpanTime);
    for (const bool icicle : {true, false}) {
      const FlameLayout layout = lay_out_flame(tree, 0, {1000, 10, icicle});
      QCOMPARE(layout.rows, 5);  // all, main, step, forward, conv
      for (const FlameBox& box : layout.boxes) {
        const trace::FlameFrame& frame = tree.frames[box.frame];
        QCOMPARE(box.rect.top(), icicle ? 10.0 * frame.depth : 10.0 * (4 - frame.depth));
        if (box.frames == 1) QVERIFY(std::abs(box.rect.width() - frame.total / 1000) < 1e-6);
        for (const FlameBox& other : layout.boxes)
          QVERIFY(&other == &box || !other.rect.adjusted(0.01, 0.01, -0.01, -0.01).intersects(box.rect));
      }
      // 400 spans of 0.6 pixels each are one box, without the 60 pixels of the weight of "idle" itself.
      const auto narrow = std::ranges::find_if(layout.boxes, [](const FlameBox& box) { return box.frames > 1; });
      QVERIFY(narrow != layout.boxes.end());
      QCOMPARE(narrow->frames, 400u);
      QVERIFY(std::abs(narrow->rect.width() - 240) < 1e-6);
    }
    // Zoomed: ancestors have the whole width.
    const uint32_t forward = frame_named(tree, "forward");
    const FlameLayout zoomed = lay_out_flame(tree, forward, {900, 10, true});
    QCOMPARE(zoomed.boxes.size(), 5u);  // all, main, step, forward, conv
    QCOMPARE(zoomed.boxes[2].rect.width(), 900.0);
    QCOMPARE(zoomed.boxes[4].rect.width(), 600.0);
    QVERIFY(lay_out_flame({}, 0, {100, 10, true}).boxes.empty());
  }

  void a_search_finds_frames_and_their_share() {
    const trace::FlameTree tree = trace::flame_tree(*session_of(spans())->snapshot(), FlameWeight::SpanTime);
    const FlameMatch match = match_frames(tree, QStringLiteral("  WARD "));
    QCOMPARE(match.frames, 2u);
    QCOMPARE(match.share, 0.6);
    // A match within a match counts once.
    QCOMPARE(match_frames(tree, QStringLiteral("o")).share, 0.3);  // forward, which encloses conv
    QCOMPARE(match_frames(tree, QStringLiteral("nothing")).frames, 0u);
    QVERIFY(match_frames(tree, QString()).matched.empty());
  }

  void stacks_are_written_as_text() {
    const trace::FlameTree tree =
        trace::flame_tree(*session_of({{"a;b", 0, 10, 0}, {"c", 2, 5, 1}})->snapshot(), FlameWeight::SpanTime);
    QCOMPARE(folded_stacks(tree, 0), QStringLiteral("main;a,b 7\nmain;a,b;c 3\n"));
    QCOMPARE(flame_csv(tree, frame_named(tree, "c")),
             QStringLiteral("path,self (ns),total (ns),count\nmain;a;b;c,3,3,1\n"));
    QCOMPARE(frame_on_path(tree, {"main", "a;b", "c"}), frame_named(tree, "c"));
    QCOMPARE(frame_on_path(tree, {"main", "gone", "c"}), frame_named(tree, "main"));
  }

  void values_have_units() {
    QCOMPARE(FlameText::value(1'451'680'768, trace::FlameUnit::Flops), QStringLiteral("1.45 GFLOP"));
    QCOMPARE(FlameText::value(250, trace::FlameUnit::Flops), QStringLiteral("250 FLOP"));
    QCOMPARE(FlameText::value(2048, trace::FlameUnit::Bytes), QStringLiteral("2\u00a0KiB"));
  }

  void only_weights_of_the_document_are_offered() {
    Fixture trace(session_of(spans()));
    QCOMPARE(trace.view->weights()->count(), 1);
    Fixture model(test::sample_session());
    QVERIFY(model.view->weight() == FlameWeight::NodeTime);
    QVERIFY(model.view->weights()->count() >= 3);
    QSignalSpy changed(model.view.get(), &FlameView::choice_changed);
    model.view->weights()->setCurrentIndex(model.view->weights()->findData(static_cast<int>(FlameWeight::NodeFlops)));
    Q_EMIT model.view->weights()->activated(model.view->weights()->currentIndex());
    QCOMPARE(changed.size(), 1);
    QVERIFY(!model.view->libraries_button()->isVisible());  // of call stacks
    QTRY_VERIFY(model.canvas().data()->weight == FlameWeight::NodeFlops);
    const auto table = flame_table(TableInput::of(model.source), FlameWeight::NodeFlops);
    QCOMPARE(table->rows + 1, model.tree().frames.size());
  }

  void a_click_selects_and_zooms_and_the_path_leads_back() {
    Fixture f(session_of(spans()));
    f.click("forward");
    QCOMPARE(f.zoomed(), QStringList({"main", "step", "forward"}));
    const auto* span = f.selection.current().get<EventSelection>();
    QVERIFY(span != nullptr);
    QCOMPARE(f.source.snapshot()->label(f.source.snapshot()->event(span->span)), std::string("forward"));
    QVERIFY(f.view->breadcrumb()->text().contains("forward"));
    Q_EMIT f.view->breadcrumb()->linkActivated(QString::number(f.frame("main")));
    QCOMPARE(f.zoomed(), QStringList({"main"}));
    f.click("all");
    QVERIFY(f.zoomed().isEmpty());
    // A box of several narrow frames zooms to the frame around them.
    for (const FlameBox& box : f.canvas().boxes())
      if (box.frames > 1) QTest::mouseClick(f.canvas().viewport(), Qt::LeftButton, {}, box.rect.center().toPoint());
    QCOMPARE(f.zoomed(), QStringList({"main", "idle"}));
  }

  // A refresh of a live recording between press and release dropped the click.
  void a_click_survives_a_refresh() {
    Fixture f(session_of(spans()));
    const QPoint point = f.rect_of("idle").center().toPoint();
    QSignalSpy chosen(&f.canvas(), &FlameCanvas::chosen);
    QTest::mousePress(f.canvas().viewport(), Qt::LeftButton, {}, point);
    f.canvas().set_data(std::make_shared<FlameData>(*f.canvas().data()));
    QTest::mouseRelease(f.canvas().viewport(), Qt::LeftButton, {}, point);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(f.zoomed().last(), QStringLiteral("idle"));
    // A button that is released over another frame chooses none.
    f.canvas().zoom_to(0);
    QTest::mousePress(f.canvas().viewport(), Qt::LeftButton, {}, point);
    QTest::mouseRelease(f.canvas().viewport(), Qt::LeftButton, {}, f.rect_of("main").center().toPoint());
    QCOMPARE(chosen.count(), 1);
  }

  void keys_walk_through_frames() {
    Fixture f(session_of(spans()));
    f.canvas().setFocus();
    const auto press = [&](Qt::Key key) { QTest::keyClick(&f.canvas(), key); };
    press(Qt::Key_Down);
    press(Qt::Key_Down);
    QCOMPARE(f.canvas().current(), f.frame("step"));
    QVERIFY(f.selection.current().get<EventSelection>() != nullptr);
    press(Qt::Key_Down);
    QVERIFY(f.canvas().accessibleDescription().contains("total"));
    press(Qt::Key_Right);
    QVERIFY(f.canvas().current() == f.frame("backward") || f.canvas().current() == f.frame("forward"));
    press(Qt::Key_Left);
    press(Qt::Key_Return);
    QCOMPARE(f.canvas().zoomed(), f.canvas().current());
    const uint32_t first = f.canvas().current();
    press(Qt::Key_Right);  // its sibling is not drawn while it is zoomed to
    QCOMPARE(f.canvas().current(), first + 1);
    QCOMPARE(f.canvas().zoomed(), f.frame("step"));
    press(Qt::Key_Left);
    press(Qt::Key_Return);
    press(Qt::Key_Backspace);
    QCOMPARE(f.canvas().zoomed(), f.frame("step"));
    press(Qt::Key_Home);
    QCOMPARE(f.canvas().zoomed(), 0u);
    // In a flame graph callees are above.
    f.view->icicle_button()->setChecked(false);
    f.canvas().set_current(f.frame("main"));
    press(Qt::Key_Up);
    QCOMPARE(f.canvas().current(), f.frame("step"));
    QVERIFY(f.rect_of("step").top() < f.rect_of("main").top());
    QVERIFY(std::abs(f.rect_of("all").bottom() - f.canvas().viewport()->height()) < 1);  // stands on the lower edge
  }

  void a_search_highlights() {
    Fixture f(session_of(spans()));
    f.view->search_field()->setText("conv");
    QTRY_COMPARE(f.canvas().match().frames, 1u);
    QVERIFY(f.view->match_label()->text().contains("20.0 %"));
    const FlameBox conv{f.frame("conv"), 1, {}}, step{f.frame("step"), 1, {}};
    QCOMPARE(f.canvas().fill_of(conv), f.theme[Role::Output]);
    QVERIFY(f.canvas().fill_of(step) != f.theme[Role::Output]);
    f.view->search_field()->clear();
    QTRY_VERIFY(f.canvas().match().matched.empty());
    QVERIFY(f.view->match_label()->text().isEmpty());
  }

  void tips_have_self_total_and_share() {
    Fixture f(session_of(spans()));
    const QString tip = f.canvas().tip({f.frame("forward"), 1, {}});
    QCOMPARE(tip,
             QStringLiteral("forward\ntotal 300\u00a0µs (30.0\u00a0%)\nself 100\u00a0µs (10.0\u00a0%)\n1 span(s)"));
  }

  void a_comparison_colours_the_difference() {
    Fixture f(session_of(spans()));
    auto other = spans();
    other[1].end = 150'000;  // forward
    other[2].end = 100'000;  // conv
    f.source.compare_with(std::make_shared<const ComparisonSide>(
        ComparisonSide::of(session_of(other)->snapshot(), QStringLiteral("other"))));
    f.view->prepare_now();
    QVERIFY(!f.canvas().data()->in_other.empty());
    QVERIFY(f.canvas().tip({f.frame("forward"), 1, {}}).contains("+100"));
    QVERIFY(f.canvas().tip({f.frame("backward"), 1, {}}).contains("as in B"));
    const QColor more = f.canvas().fill_of({f.frame("forward"), 1, {}});
    QVERIFY(more.red() > more.blue());  // orange
    f.source.compare_with(nullptr);
    f.view->prepare_now();
    QVERIFY(f.canvas().data()->in_other.empty());
  }

  void nodes_and_layers_are_selected_both_ways() {
    Fixture f(test::sample_session());
    const auto& frames = f.tree().frames;
    const auto node = std::ranges::find(frames, trace::FlameKind::Node, &trace::FlameFrame::kind);
    const auto layer = std::ranges::find(frames, trace::FlameKind::Layer, &trace::FlameFrame::kind);
    QVERIFY(node != frames.end() && layer != frames.end());
    const auto index = [&](const auto& it) { return static_cast<uint32_t>(it - frames.begin()); };
    const Selection of_node = selection_of(*f.source.snapshot(), f.tree(), index(node));
    QVERIFY(of_node.get<NodeSelection>() != nullptr);
    f.selection.select(of_node);
    QCOMPARE(f.canvas().current(), index(node));
    const Selection of_layer = selection_of(*f.source.snapshot(), f.tree(), index(layer));
    QVERIFY(of_layer.get<LayerSelection>() != nullptr && !of_layer.get<LayerSelection>()->nodes.empty());
    f.selection.select(of_layer);
    QCOMPARE(f.canvas().current(), index(layer));
    const trace::Snapshot& s = *f.source.snapshot();
    for (uint32_t i = 0; i < frames.size(); ++i)
      for (uint32_t j = 0; j < frames.size(); ++j) {
        const Selection other = selection_of(s, f.tree(), j);
        if (!other.empty()) QCOMPARE(is_selected(s, f.tree(), i, other), selection_of(s, f.tree(), i) == other);
      }
    f.selection.clear();
    QCOMPARE(f.canvas().current(), 0u);
  }

  void a_selected_range_is_aggregated() {
    Fixture f(session_of(spans()));
    f.selection.select(TimeRangeSelection{100'000, 400'000});
    QTRY_COMPARE(f.tree().root().total, 300'000.0);
    QCOMPARE(f.tree().frames[f.frame("conv")].total, 150'000.0);
    f.click("conv");  // keeps the range
    QVERIFY(f.selection.current().get<EventSelection>() != nullptr && f.view->range());
    f.selection.select(EventSelection{{trace::TrackId(0), 0, 0}});
    QTRY_COMPARE(f.tree().root().total, 1'000'000.0);
  }

  void the_menu_copies_and_zooms() {
    Fixture f(session_of(spans()));
    f.canvas().set_current(f.frame("forward"));
    QMenu menu;
    f.view->add_context_menu_actions(menu);
    QStringList texts;
    for (QAction* action : menu.actions()) {
      if (action->isSeparator()) continue;
      texts << action->text();
      if (action->text() == u"Copy Folded Stacks") action->trigger();
      if (action->text() == u"Reset Zoom") QVERIFY(!action->isEnabled());
      if (action->text() == u"Zoom to Frame") action->trigger();
    }
    QCOMPARE(texts.size(), 4);
    QCOMPARE(f.zoomed(), QStringList({"main", "step", "forward"}));
    QVERIFY(QApplication::clipboard()->text().contains("main;step;forward;conv 200000\n"));
  }

  void the_state_belongs_to_the_document() {
    Fixture f(session_of(spans()));
    f.click("forward");
    f.view->icicle_button()->setChecked(false);
    f.view->search_field()->setText("conv");
    const FlameView::ViewState state = f.view->view_state();
    SessionSource other;
    SharedAxis other_axis(&other);
    f.view->set_context({&other, &f.selection, &other_axis, &f.theme}, {});
    QTRY_VERIFY(f.canvas().data() == nullptr);
    QVERIFY(f.view->search_field()->text().isEmpty() && f.canvas().icicle());
    f.view->set_context({&f.source, &f.selection, &f.axis, &f.theme}, state);
    f.view->prepare_now();
    QCOMPARE(f.zoomed(), QStringList({"main", "step", "forward"}));
    QVERIFY(f.view->view_state() == state);
    QImage image(400, 200, QImage::Format_RGB32);
    QPainter painter(&image);
    f.view->paint(&painter, image.size());
  }
};

QTEST_MAIN(FlameTest)
#include "flame_test.moc"
