// SPDX-License-Identifier: GPL-3.0-or-later
// The real window, driven with mouse and keys: open, run, pause, step, break, replan, save, reopen, compare; every
// action reachable; nothing cut short by bad files; both languages complete.
#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QStandardPaths>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTranslator>
#include <QXmlStreamReader>

#include <arenascope/planner/csv.h>
#include <arenascope/planner/planner.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include <views/occupancy/occupancy_view.h>
#include <QDropEvent>
#include <QMimeData>

#include "app/window/intervals_file.h"
#include "app/window/language.h"
#include "app/window/main_window.h"
#include "app/window/tensor_floats.h"
#include "sample_session.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

class WindowTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-test"); }

  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void a_model_runs_and_every_view_has_it() {
    open("zoo:mul_mat");
    QTRY_VERIFY(window_->table("nodes")->model()->rowCount() > 0);
    QCOMPARE(window_->table("nodes")->model()->rowCount(), static_cast<int>(window_->source()->graph()->nodes.size()));
    QTRY_VERIFY_WITH_TIMEOUT(window_->graph_view()->canvas()->scene().ready(), kPatience);
    QVERIFY(window_->inspector()->text().contains("lower bound"));
    QVERIFY(window_->windowTitle().contains("mul_mat"));
    QVERIFY(window_->messages()->sentences().isEmpty());
    QCOMPARE(recent_files().value(0), QString("zoo:mul_mat"));
  }

  void run_pause_step_and_stop_by_keys() {
    open("zoo:squeezenet");
    RunController* controller = window_->controller();
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(controller->state() == RunState::Running, kPatience);
    const auto runs_before = controller->session()->snapshot()->runs.size();
    QTRY_VERIFY_WITH_TIMEOUT(controller->session()->snapshot()->runs.size() > runs_before + 2, kPatience);
    QTest::keyClick(window_.get(), Qt::Key_F6);
    QTRY_VERIFY_WITH_TIMEOUT(controller->state() == RunState::Paused, kPatience);
    const Step at = window_->axis()->current();
    QTest::keyClick(window_.get(), Qt::Key_F10);
    QTRY_VERIFY_WITH_TIMEOUT(controller->state() == RunState::Paused && window_->axis()->current() != at, kPatience);
    const auto* chosen = window_->selection()->current().get<NodeSelection>();
    QVERIFY(chosen != nullptr);  // the node before which it stands
    QTest::keyClick(window_.get(), Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(controller->state() == RunState::Ready, kPatience);
    QCOMPARE(controller->session()->snapshot()->lost, int64_t{0});
  }

  void a_breakpoint_on_an_op_pauses_there() {
    open("zoo:squeezenet");
    window_->set_breakpoints({Breakpoint{Breakpoint::Kind::Op, "MAX_POOL", 0, true}});
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window_->controller()->state() == RunState::Paused, kPatience);
    const auto* chosen = window_->selection()->current().get<NodeSelection>();
    QVERIFY(chosen != nullptr);
    QCOMPARE(window_->source()->graph()->nodes[chosen->tensor.index()].op, std::string("MAX_POOL"));
    QVERIFY(!window_->messages()->sentences().isEmpty());
    // To the next of them, and then without any.
    const auto first = chosen->tensor;
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(window_->controller()->state() == RunState::Paused &&
                                 window_->selection()->current().get<NodeSelection>() != nullptr &&
                                 window_->selection()->current().get<NodeSelection>()->tensor != first,
                             kPatience);
    window_->set_breakpoints({});
    QTest::keyClick(window_.get(), Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(window_->controller()->state() == RunState::Ready, kPatience);
  }

  void f9_sets_and_takes_a_breakpoint() {
    open("zoo:mul_mat");
    QTest::keyClick(window_.get(), Qt::Key_F9);
    QVERIFY(window_->breakpoints().empty());
    QCOMPARE(window_->messages()->sentences().size(), 1);  // said, not boxed
    window_->selection()->select(Selection::node(window_->source()->graph_id(), NodeId(0)));
    QTest::keyClick(window_.get(), Qt::Key_F9);
    QCOMPARE(window_->breakpoints().size(), size_t{1});
    QTest::keyClick(window_.get(), Qt::Key_F9);
    QVERIFY(window_->breakpoints().empty());
  }

  void breakpoints_match() {
    trace::GraphInfo g = test::sample_graph({});
    QCOMPARE(nodes_to_break(g, {Breakpoint{Breakpoint::Kind::Node, "conv1", 0, true}}).size(), size_t{1});
    QVERIFY(nodes_to_break(g, {Breakpoint{Breakpoint::Kind::Node, "conv1", 0, false}}).empty());
    const auto in_b3 = std::count_if(g.nodes.begin(), g.nodes.end(),
                                     [](const trace::TensorInfo& n) { return n.name.starts_with("b3."); });
    QCOMPARE(static_cast<long>(nodes_to_break(g, {Breakpoint{Breakpoint::Kind::Name, "b3.*", 0, true}}).size()),
             static_cast<long>(in_b3));
    QVERIFY(!nodes_to_break(g, {Breakpoint{Breakpoint::Kind::Op, "relu", 0, true}}).empty());
    QVERIFY(nodes_to_break(g, {Breakpoint{Breakpoint::Kind::Bytes, {}, INT64_MAX, true}}).empty());
    // A fused node stops where one of those that it holds would.
    trace::GraphInfo fused = g;
    fused.nodes[2].op = "CONV+ADD+RELU";
    fused.nodes[2].parts = {{"CONV", 0, "inner"}, {"ADD", 0, "plus"}, {"RELU", 0, "last, and more"}};
    for (const char* op : {"conv", "add", "relu", "conv+add+relu"})
      QVERIFY2(nodes_to_break(fused, {Breakpoint{Breakpoint::Kind::Op, op, 0, true}}).contains(NodeId(2)), op);
    QVERIFY(!nodes_to_break(fused, {Breakpoint{Breakpoint::Kind::Op, "mul", 0, true}}).contains(NodeId(2)));
    QCOMPARE(nodes_to_break(fused, {Breakpoint{Breakpoint::Kind::Node, "plus", 0, true}}), std::set<NodeId>{NodeId(2)});
    QCOMPARE(nodes_to_break(fused, {Breakpoint{Breakpoint::Kind::Name, "inn*", 0, true}}), std::set<NodeId>{NodeId(2)});
    QCOMPARE(nodes_to_break(fused, {Breakpoint{Breakpoint::Kind::Node, "last, and more", 0, true}}),
             std::set<NodeId>{NodeId(2)});
    for (const Breakpoint& b :
         {Breakpoint{Breakpoint::Kind::Name, "a/*=b", 0, false}, Breakpoint{Breakpoint::Kind::Bytes, {}, 77, true},
          Breakpoint{Breakpoint::Kind::NaN, {}, 0, true}})
      QVERIFY(Breakpoint::from_setting(b.to_setting()) == b);
    for (const char* bad : {"", "=", "op=", "bytes>=x", "colour=red"}) QVERIFY(!Breakpoint::from_setting(bad));
  }

  void replanning_takes_another_plan() {
    open("zoo:squeezenet");
    Preferences p = window_->preferences();
    p.run.planner = "none";
    window_->apply_preferences(p);
    QTRY_VERIFY_WITH_TIMEOUT(window_->source()->plan() != nullptr && window_->source()->plan()->planner == "none",
                             kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(window_->controller()->state() == RunState::Ready, kPatience);
    const Bytes none = window_->source()->plan()->arena_bytes;
    p.run.planner = "greedy-by-size";
    window_->apply_preferences(p);
    QTRY_VERIFY_WITH_TIMEOUT(window_->source()->plan()->planner == "greedy-by-size", kPatience);
    QVERIFY(window_->source()->plan()->arena_bytes < none);
  }

  void a_recording_shows_what_the_run_showed_and_compares() {
    open("zoo:mul_mat");
    const QString path = folder_.filePath("run.arenascope");
    window_->ask_file = [&](bool save, const QString&, const QString&) { return save ? path : path; };
    const auto nodes = window_->source()->graph()->nodes.size();
    const auto arena = window_->source()->plan()->arena_bytes;
    const auto runs = window_->source()->snapshot()->runs.size();
    window_->actions()->find("file.save_recording")->trigger();
    QVERIFY(QFile::exists(path));
    window_->open(path);
    QTRY_VERIFY_WITH_TIMEOUT(window_->controller()->state() == RunState::Recording, kPatience);
    QCOMPARE(window_->source()->graph()->nodes.size(), nodes);
    QCOMPARE(window_->source()->plan()->arena_bytes, arena);
    QCOMPARE(window_->source()->snapshot()->runs.size(), runs);
    QVERIFY(!window_->controller()->has_model());
    window_->compare_with(path);
    QTRY_COMPARE(window_->table("compare")->model()->rowCount(), static_cast<int>(nodes));
  }

  void each_file_has_a_tab_and_keeps_its_look() {
    open("zoo:mul_mat");
    QVERIFY(!window_->tabs()->isVisible());  // one file needs no tab
    open("zoo:lstm");
    QCOMPARE(window_->document_count(), size_t{2});
    QVERIFY(window_->tabs()->isVisible());
    QCOMPARE(window_->tabs()->currentIndex(), 1);
    const auto steps = window_->axis()->steps();
    window_->axis()->frame_steps(Step(3), Step(9));
    window_->axis()->set_current(Step(5));
    window_->selection()->select(Selection::node(window_->source()->graph_id(), NodeId(4)));
    const AxisRange range = window_->axis()->range();
    const Selection selected = window_->selection()->current();
    QTest::keyClick(window_.get(), Qt::Key_PageUp, Qt::ControlModifier);
    QCOMPARE(window_->tabs()->currentIndex(), 0);
    QVERIFY(window_->windowTitle().contains("mul_mat"));
    QVERIFY(window_->selection()->current().empty());
    QTest::mouseClick(window_->tabs(), Qt::LeftButton, {}, window_->tabs()->tabRect(1).center());
    QCOMPARE(window_->axis()->steps(), steps);
    QCOMPARE(window_->axis()->range(), range);
    QVERIFY(window_->selection()->current() == selected);
    // A run does not go on unseen.
    QTest::keyClick(window_.get(), Qt::Key_F5);
    RunController* lstm = window_->controller();
    QTRY_VERIFY_WITH_TIMEOUT(lstm->state() == RunState::Running, kPatience);
    window_->show_document(0);
    QTRY_VERIFY_WITH_TIMEOUT(lstm->state() == RunState::Paused, kPatience);
    QTest::keyClick(window_.get(), Qt::Key_W, Qt::ControlModifier);
    QCOMPARE(window_->document_count(), size_t{1});
    QCOMPARE(window_->controller(), lstm);
    QCOMPARE(window_->controller()->state(), RunState::Paused);
    QTest::keyClick(window_.get(), Qt::Key_W, Qt::ControlModifier);  // the last one leaves nothing open
    QCOMPARE(window_->document_count(), size_t{1});
    QCOMPARE(window_->controller()->state(), RunState::Empty);
    QCOMPARE(window_->axis()->steps(), 0);
  }

  void dropped_files_are_opened_each_in_a_tab() {
    QList<QUrl> urls;
    for (const char* name : {"one", "two", "three"}) {
      const QString path = folder_.filePath(QStringLiteral("%1.arenascope").arg(QString::fromLatin1(name)));
      QVERIFY(RunController::save_recording(*test::sample_session()->snapshot(), path).ok());
      urls << QUrl::fromLocalFile(path);
    }
    urls.insert(1, QUrl::fromLocalFile(folder_.filePath("nothing.arenascope")));  // said, and the others are opened
    QMimeData data;
    data.setUrls(urls);
    QDragEnterEvent enter({400, 300}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop({400, 300}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window_.get(), &drop);
    QTRY_COMPARE_WITH_TIMEOUT(window_->document_count(), size_t{3}, kPatience);
    QStringList titles;
    for (int i = 0; i < 3; ++i) titles << window_->tabs()->tabText(i);
    QVERIFY2(
        titles.join(u' ').contains("one") && titles.join(u' ').contains("two") && titles.join(u' ').contains("three"),
        qPrintable(titles.join(u' ')));
  }

  void messages_stand_below_the_tool_bar() {
    const int arena = window_->plot_view("arena")->mapTo(window_.get(), QPoint()).y();
    window_->messages()->say(MessageKind::Note, "Something happened that is worth a sentence.");
    QTRY_VERIFY(window_->messages()->isVisible() && window_->messages()->width() > window_->width() / 2);
    QVERIFY(window_->messages()->mapTo(window_.get(), QPoint()).y() >= window_->playback()->geometry().bottom());
    QTRY_VERIFY(window_->plot_view("arena")->mapTo(window_.get(), QPoint()).y() > arena);  // it covers nothing
    auto* close = window_->messages()->findChild<QToolButton*>();
    QTest::mouseClick(close, Qt::LeftButton);
    QTRY_VERIFY(!window_->messages()->isVisible());
    QVERIFY(window_->messages()->sentences().isEmpty());
  }

  void the_playhead_stands_at_the_peak_of_what_was_opened() {
    open("zoo:squeezenet");
    QTRY_COMPARE(window_->axis()->current(), Step(window_->playback()->slider()->peak_step()));
    const auto* occupancy = static_cast<OccupancyView*>(window_->plot_view("occupancy"));
    QTRY_VERIFY(occupancy->picture() && occupancy->picture()->peak > 0);
    QCOMPARE(occupancy->picture()->peak_step, window_->axis()->current());
  }

  void breadcrumbs_lead_back_out() {
    open("zoo:squeezenet");
    Breadcrumbs* path = window_->breadcrumbs();
    QTRY_COMPARE(path->crumbs().size(), size_t{1});
    const trace::GraphInfo& graph = *window_->source()->graph();
    QCOMPARE(path->crumbs()[0].text, QString::fromStdString(graph.model));
    const NodeId node(20);
    window_->selection()->select(Selection::node(window_->source()->graph_id(), node));
    QCOMPARE(path->crumbs().size(), size_t{3});
    QCOMPARE(path->crumbs()[1].text, QString::fromStdString(graph.nodes[20].layer));
    QVERIFY(path->crumbs()[2].text.contains(QString::fromStdString(graph.nodes[20].name)));
    // By key: Tab goes to the first link, and to the next; Return follows it.
    window_->activateWindow();
    path->setFocus();
    QTest::keyClick(path, Qt::Key_Tab);
    if (path->selectedText() == path->crumbs()[0].text) QTest::keyClick(path, Qt::Key_Tab);
    QTest::keyClick(path, Qt::Key_Return);
    const auto* range = window_->selection()->current().get<StepRangeSelection>();
    QVERIFY(range != nullptr);
    for (int32_t s = range->first.value; s < range->last.value; ++s) {
      const NodeId at = window_->source()->plan()->order[static_cast<size_t>(s)];
      QCOMPARE(graph.nodes[at.index()].layer, graph.nodes[20].layer);
    }
    QVERIFY(window_->axis()->range() != window_->axis()->limits());
    QCOMPARE(path->crumbs().size(), size_t{2});
    path->follow(0);
    QVERIFY(window_->selection()->current().empty());
    QCOMPARE(window_->axis()->range(), window_->axis()->limits());
    // What is zoomed in has a way out too.
    window_->axis()->frame_steps(Step(3), Step(9));
    QTRY_COMPARE(path->crumbs().size(), size_t{2});
    path->follow(0);
    QCOMPARE(window_->axis()->range(), window_->axis()->limits());
  }

  void numbers_of_every_type_are_shown() {
    const auto bytes = [](auto... values) {
      const std::array all{values...};
      std::vector<std::byte> b(sizeof(all));
      std::memcpy(b.data(), all.data(), b.size());
      return b;
    };
    using V = std::vector<float>;
    QCOMPARE(*floats_of(DType::F32, bytes(1.5F, -2.0F)), (V{1.5F, -2.0F}));
    QCOMPARE(*floats_of(DType::F64, bytes(0.25)), V{0.25F});
    QCOMPARE(*floats_of(DType::F16, bytes(uint16_t{0x3C00}, uint16_t{0xC100}, uint16_t{1})),
             (V{1.0F, -2.5F, std::ldexp(1.0F, -24)}));
    QCOMPARE(*floats_of(DType::BF16, bytes(uint16_t{0x3FC0})), V{1.5F});
    QCOMPARE(*floats_of(DType::I64, bytes(int64_t{-7})), V{-7.0F});
    QCOMPARE(*floats_of(DType::U8, bytes(uint8_t{200})), V{200.0F});
    QCOMPARE(*floats_of(DType::Bool, bytes(uint8_t{2}, uint8_t{0})), (V{1.0F, 0.0F}));
    QVERIFY(!floats_of(DType::Q4_0, {}));
    QVERIFY(std::isinf(floats_of(DType::F16, bytes(uint16_t{0x7C00}))->front()));
    QVERIFY(std::isnan(floats_of(DType::F16, bytes(uint16_t{0x7E00}))->front()));
    QVERIFY(all_finite(DType::F16, bytes(uint16_t{0x7BFF}, uint16_t{0})) &&
            !all_finite(DType::F16, bytes(uint16_t{0}, uint16_t{0x7C01})));
    QVERIFY(all_finite(DType::F32, bytes(3e38F)) && !all_finite(DType::F32, bytes(1.0F, std::nanf(""))));
    QVERIFY(!all_finite(DType::BF16, bytes(uint16_t{0xFF80})) && !all_finite(DType::F64, bytes(std::nan(""))));
  }

  // minimalloc's CSV: two buffers are alive together exactly if the file says so, whatever plans it.
  void intervals_of_another_tool_are_opened_by_their_content() {
    const QString path = folder_.filePath("some.data");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    std::mt19937 random(7);
    QByteArray text("id,lower,upper,size\n");
    for (int i = 0; i < 300; ++i) {
      const int lower = static_cast<int>(random() % 90) * 11, length = 1 + static_cast<int>(random() % 500);
      text +=
          QStringLiteral("buffer%1,%2,%3,%4\n").arg(i).arg(lower).arg(lower + length).arg(1 + random() % 4096).toUtf8();
    }
    file.write(text);
    file.close();
    window_->open(path);
    QTRY_VERIFY_WITH_TIMEOUT(window_->controller()->state() == RunState::Recording, kPatience);
    const auto problem = planner::read_csv(std::string_view(text.constData(), static_cast<size_t>(text.size())));
    QVERIFY(problem.ok());
    const trace::PlanInfo& plan = *window_->source()->plan();
    QCOMPARE(plan.slices.size(), problem->size());
    QVERIFY(plan.arena_bytes >= plan.lower_bound_bytes && plan.lower_bound_bytes > 0);
    std::map<std::string, const trace::SliceInfo*> slice_of;
    for (const trace::SliceInfo& s : plan.slices)
      slice_of[window_->source()->graph()->nodes[s.tensor.index()].name] = &s;
    for (size_t i = 0; i < problem->size(); ++i)
      for (size_t k = 0; k < i; ++k) {
        const auto &a = problem->intervals[i], &b = problem->intervals[k];
        const auto *x = slice_of[problem->ids[i]], *y = slice_of[problem->ids[k]];
        QCOMPARE(x->first < y->last && y->first < x->last, a.lower < b.upper && b.lower < a.upper);
      }
    QVERIFY(window_->plot_view("arena")->isVisible());
    // Where it says where each lies, that is the plan.
    const auto answer = planner::find_planner("greedy-by-size")->plan(*problem, {});
    QVERIFY(answer.ok());
    const QString placed = folder_.filePath("placed.csv");
    QFile other(placed);
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write(QByteArray::fromStdString(planner::write_csv(*problem, &*answer)));
    other.close();
    window_->open(placed);
    QTRY_COMPARE_WITH_TIMEOUT(window_->document_count(), size_t{2}, kPatience);
    QCOMPARE(window_->source()->plan()->planner, std::string("given"));
    QCOMPARE(window_->source()->plan()->arena_bytes, answer->arena_bytes);
    QVERIFY(!is_intervals_file(QStringLiteral("/no/such/file")));
  }

  void bad_files_are_said_and_what_was_open_stays() {
    open("zoo:mul_mat");
    const auto session = window_->source()->session();
    const QString empty = folder_.filePath("empty.onnx"), garbage = folder_.filePath("garbage.onnx");
    QFile(empty).open(QIODevice::WriteOnly);
    QFile file(garbage);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(5000, '\x5a'));
    file.close();
    for (const QString& bad :
         {QString("/no/such/model.onnx"), empty, garbage, QString("zoo:no_such_network"), folder_.path()}) {
      window_->messages()->clear();
      window_->open(bad);
      QTRY_VERIFY_WITH_TIMEOUT(!window_->messages()->sentences().isEmpty(), kPatience);
      QTRY_VERIFY_WITH_TIMEOUT(window_->controller()->state() == RunState::Ready, kPatience);
      QCOMPARE(window_->source()->session(), session);
      QVERIFY(QApplication::activeModalWidget() == nullptr);
    }
    window_->messages()->clear();
    window_->compare_with("/no/such/recording");
    QTRY_COMPARE_WITH_TIMEOUT(window_->messages()->sentences().size(), 1, kPatience);
  }

  void the_playhead_walks_by_keys_and_mouse() {
    window_->show_session(test::sample_session(), "sample");
    const int steps = window_->axis()->steps();
    QVERIFY(steps > 10);
    QTest::keyClick(window_.get(), Qt::Key_Left, Qt::ControlModifier);
    QCOMPARE(window_->axis()->current(), Step(0));
    QTest::keyClick(window_.get(), Qt::Key_Right);
    QTest::keyClick(window_.get(), Qt::Key_Right);
    QCOMPARE(window_->axis()->current(), Step(2));
    QTest::keyClick(window_.get(), Qt::Key_Left);
    QCOMPARE(window_->axis()->current(), Step(1));
    StepSlider* slider = window_->playback()->slider();
    QTest::mouseClick(slider, Qt::LeftButton, {}, QPoint(slider->width() / 2, slider->height() / 2));
    QVERIFY(std::abs(window_->axis()->current().value - steps / 2) <= 1);
    QTest::keyClick(window_.get(), Qt::Key_P, Qt::ShiftModifier);
    QCOMPARE(window_->axis()->current().value, slider->peak_step());
    QVERIFY(window_->playback()->step_text().contains(QString::number(steps)));
    const AxisMode mode = window_->axis()->mode();
    QTest::keyClick(window_.get(), Qt::Key_T);
    QVERIFY(window_->axis()->mode() != mode);
    const double length = window_->axis()->range().length();
    QTest::keyClick(window_.get(), Qt::Key_W);
    QVERIFY(window_->axis()->range().length() < length);
    QTest::keyClick(window_.get(), Qt::Key_Space);
    const Step at = window_->axis()->current();
    QTRY_VERIFY(window_->axis()->current() != at);
    QTest::keyClick(window_.get(), Qt::Key_Space);
  }

  void one_selection_and_its_history() {
    window_->show_session(test::sample_session(), "sample");
    const trace::GraphId graph = window_->source()->graph_id();
    for (int i : {1, 4, 9}) window_->selection()->select(Selection::node(graph, NodeId(i)));
    QVERIFY(window_->inspector()->text().contains(QString::fromStdString(window_->source()->graph()->nodes[9].name)));
    QTest::keyClick(window_.get(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(window_->selection()->current(), Selection::node(graph, NodeId(4)));
    QTest::keyClick(window_.get(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(window_->selection()->current(), Selection::node(graph, NodeId(9)));
    QTest::keyClick(window_.get(), Qt::Key_G);
    QVERIFY(window_->selection()->current() != Selection::node(graph, NodeId(9)));
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QVERIFY(window_->selection()->current().empty());
  }

  void every_action_is_named_once_and_found() {
    QSet<QString> ids, keys;
    for (const auto& entry : window_->actions()->all()) {
      QVERIFY2(!ids.contains(entry.id), entry.id);
      ids.insert(entry.id);
      QVERIFY2(!entry.action->text().isEmpty() && !entry.action->toolTip().isEmpty(), entry.id);
      for (const QKeySequence& key : entry.action->shortcuts()) {
        QVERIFY2(!keys.contains(key.toString()), entry.id);
        keys.insert(key.toString());
      }
    }
    QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    CommandPalette* palette = window_->palette_of_commands();
    QVERIFY(palette->isVisible());
    QCOMPARE(palette->shown(), static_cast<int>(window_->actions()->all().size()));
    auto* line = palette->findChild<QLineEdit*>();
    QTest::keyClicks(line, "layout memory");
    QVERIFY(palette->shown() >= 1 && palette->shown() < 10);
    QTest::keyClick(line, Qt::Key_Return);
    QVERIFY(!palette->isVisible());
    QVERIFY(!window_->dock("graph")->isVisible());
    QVERIFY(window_->dock("arena")->isVisible());
    window_->actions()->find("help.keys")->trigger();
    auto* list = window_->findChild<QTableWidget*>();
    QVERIFY(list != nullptr);
    QCOMPARE(list->rowCount(), static_cast<int>(window_->actions()->all().size()));
  }

  void letters_in_a_filter_are_letters() {
    window_->show_session(test::sample_session(), "sample");
    auto* filter = window_->table("nodes")->findChild<QLineEdit*>();
    filter->setFocus();
    const Step before = window_->axis()->current();
    QTest::keyClicks(filter, "gust padf");
    QCOMPARE(filter->text(), QString("gust padf"));
    QCOMPARE(window_->axis()->current(), before);
  }

  void fit_scores_prefer_words() {
    QCOMPARE(fit_score("xyz", "Run a Node"), 0);
    QVERIFY(fit_score("run", "Run") > fit_score("run", "Reset unused nodes"));
    QVERIFY(fit_score("sn", "Step Node") > fit_score("sn", "basin"));
  }

  void chinese_is_complete_and_live() {
    for (const char* name : {"zh_CN", "en"}) {
      QFile file(QStringLiteral(ARENASCOPE_SOURCE_DIR "/translations/arenascope_%1.ts").arg(name));
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QByteArray text = file.readAll();
      QVERIFY(!text.contains("type=\"unfinished\""));
      QVERIFY(!text.contains("<translation></translation>") && !text.contains("<translation />"));
    }
    Preferences p = window_->preferences();
    p.language = "zh_CN";
    window_->apply_preferences(p);
    QTRY_COMPARE(window_->dock("graph")->windowTitle(), QString("计算图"));
    QVERIFY(window_->actions()->find("run.run")->text().contains("运行"));
    for (const auto& entry : window_->actions()->all())
      QVERIFY2(entry.action->text() != QString::fromUtf8(entry.text), entry.id);
    p.language = "en";
    window_->apply_preferences(p);
    QTRY_COMPARE(window_->dock("graph")->windowTitle(), QString("Graph"));
  }

  void layouts_are_kept() {
    window_->apply_layout("memory");
    QVERIFY(!window_->dock("graph")->isVisible());
    window_->close();
    window_ = std::make_unique<MainWindow>();
    window_->show();
    QVERIFY(!window_->dock("graph")->isVisible());
    window_->actions()->find("view.layout_default")->trigger();
    QVERIFY(window_->dock("graph")->isVisible());
  }

  void dark_and_light() {
    Preferences p = window_->preferences();
    p.theme = ThemeMode::Dark;
    window_->apply_preferences(p);
    QVERIFY(window_->theme()->dark());
    QTRY_VERIFY(window_->palette().window().color().lightness() < 100);
    p.theme = ThemeMode::Light;
    window_->apply_preferences(p);
    QTRY_VERIFY(window_->palette().window().color().lightness() > 150);
  }
};

QTEST_MAIN(WindowTest)
#include "window_test.moc"
