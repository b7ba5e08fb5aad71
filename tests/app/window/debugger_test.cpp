// SPDX-License-Identifier: GPL-3.0-or-later
// The node debugger in the real window: breakpoints are typed, listed and switched; the same keys on a recording of a
// network and on a live run.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include <views/common/plot_view.h>

#include "app/window/language/language.h"
#include "app/window/main_window.h"
#include "sample_session.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

namespace {

// Protobuf fields: bytes, and a small integer.
QByteArray field(int number, const QByteArray& bytes) {
  QByteArray out(1, static_cast<char>(number << 3 | 2));
  qsizetype size = bytes.size();
  for (; size >= 0x80; size >>= 7) out += static_cast<char>((size & 0x7f) | 0x80);
  return out + static_cast<char>(size) + bytes;
}
QByteArray field(int number, int value) {
  return QByteArray(1, static_cast<char>(number << 3)) + static_cast<char>(value);
}

// An ONNX model whose second node gives infinities: relu(log(x - x)).
QByteArray model_with_infinities(bool twice = false) {
  const auto value = [](const char* name) {
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, field(1, field(1, 4)))));
  };
  const auto node = [](const char* op, const QList<QByteArray>& inputs, const char* output) {
    QByteArray bytes;
    for (const QByteArray& input : inputs) bytes += field(1, input);
    return field(1, bytes + field(2, output) + field(3, output) + field(4, op));
  };
  const QByteArray graph = node("Sub", {"x", "x"}, "nought") + node("Log", {"nought"}, "endless") +
                           (twice ? node("Neg", {"endless"}, "more") : QByteArray()) +
                           node("Relu", {twice ? "more" : "endless"}, "z") + field(2, "g") + field(11, value("x")) +
                           field(12, value("z"));
  return field(1, 8) + field(7, graph) + field(8, field(2, 13));
}

}  // namespace

class DebuggerTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  void open_recording() {
    WindowFixture::open_recording();
    doc().axis()->set_current(Step(0));
  }
  void key(Qt::Key k, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(window_.get(), k, modifiers); }
  const trace::TensorInfo& node_at(int32_t step) const {
    return doc().source()->graph()->nodes[doc().source()->plan()->order[static_cast<size_t>(step)].index()];
  }
  int32_t now() const { return doc().axis()->current().value; }
  int32_t last() const { return doc().axis()->steps() - 1; }

  // Adds a breakpoint as a user does: kind, text, Return.
  void add(int kind, const QString& text) {
    key(Qt::Key_F9, Qt::ControlModifier);
    BreakpointPanel* panel = panels().widgets().breakpoints;
    auto* kinds = panel->findChild<QComboBox*>();
    kinds->setCurrentIndex(kind);
    auto* line = panel->findChild<QLineEdit*>();
    line->clear();
    QTest::keyClicks(line, text);
    if (text.isEmpty())
      QTest::mouseClick(panel->findChild<QPushButton*>(), Qt::LeftButton);  // the first button is Add
    else
      QTest::keyClick(line, Qt::Key_Return);
  }
  void click_check(int row) {
    QTreeView* list = panels().widgets().breakpoints->list();
    const QRect rect = list->visualRect(list->model()->index(row, 0));
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, rect.topLeft() + QPoint(10, rect.height() / 2));
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-debugger-test"); }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void the_model_passes_the_model_tester() {
    BreakpointModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set({{Breakpoint::Kind::Op, "CONV", 0, true}, {Breakpoint::Kind::NaN, {}, 0, false}}, {26, -1});
    QCOMPARE(model.rowCount(), 2);
    QVERIFY(model.setData(model.index(1, 0), Qt::Checked, Qt::CheckStateRole));
    QVERIFY(model.breakpoints()[1].on);
    QVERIFY(!model.setData(model.index(1, 1), Qt::Checked, Qt::CheckStateRole));
    model.set({}, {});
    QCOMPARE(model.rowCount(), 0);
  }

  void names_and_operators_of_the_file_are_breakpoints() {
    trace::GraphInfo graph;
    graph.nodes.resize(3);
    graph.nodes[0].name = "h2", graph.nodes[0].op = "SUB", graph.nodes[0].file_nodes = {{"Sub", "shift"}};
    graph.nodes[1].name = "h3", graph.nodes[1].op = "SQRT", graph.nodes[1].file_nodes = {{"Sqrt", "root_of_negative"}};
    graph.nodes[2].name = "p", graph.nodes[2].op = "SOFT_MAX";
    graph.nodes[2].file_nodes = {{"Add", "mask"}, {"Softmax", "prob"}};
    using Kind = Breakpoint::Kind;
    const auto hit = [&](Kind kind, const char* text, bool on = true) {
      return nodes_to_break(graph, {{kind, text, 0, on}});
    };
    QCOMPARE(hit(Kind::Node, "root_of_negative"), std::set<NodeId>{NodeId(1)});
    QCOMPARE(hit(Kind::Node, "h3"), std::set<NodeId>{NodeId(1)});
    QCOMPARE(hit(Kind::Name, "root*"), std::set<NodeId>{NodeId(1)});
    QCOMPARE(hit(Kind::Name, "mask"), std::set<NodeId>{NodeId(2)});
    QCOMPARE(hit(Kind::Op, "Softmax"), std::set<NodeId>{NodeId(2)});
    QCOMPARE(hit(Kind::Op, "soft_max"), std::set<NodeId>{NodeId(2)});
    QVERIFY(hit(Kind::Node, "root_of_negative", false).empty());
  }

  void every_kind_is_listed_and_switched() {
    open_recording();
    const QString name = QString::fromStdString(node_at(7).name);
    add(0, "max_pool");
    add(1, "features.1?*");
    add(2, name);
    add(3, "1 MiB");
    add(4, {});
    BreakpointModel* model = panels().widgets().breakpoints->model();
    QCOMPARE(model->rowCount(), 5);
    const auto nodes = [&](int row) { return model->index(row, 1).data().toString(); };
    QVERIFY(nodes(0).toInt() >= 3);
    QVERIFY(nodes(1).toInt() > 5);
    QCOMPARE(nodes(2), QString("1"));
    QVERIFY(nodes(3).toInt() > 0);
    QCOMPARE(nodes(4), QString("–"));  // NaN is checked at run time
    add(0, "max_pool");
    QCOMPARE(model->rowCount(), 5);  // duplicates are rejected
    add(3, "many");
    QCOMPARE(model->rowCount(), 5);
    // All except the node breakpoint are disabled with the mouse: the run stops only there.
    for (int row : {0, 1, 3, 4}) {
      click_check(row);
      QTRY_VERIFY(!doc().debugger()->breakpoints()[static_cast<size_t>(row)].on);
    }
    plot_view(PanelId::Arena)->setFocus();
    key(Qt::Key_F5);
    QCOMPARE(now(), 7);
    key(Qt::Key_F5);
    QCOMPARE(now(), last());
    click_check(0);
    QTRY_VERIFY(doc().debugger()->breakpoints()[0].on);
    plot_view(PanelId::Arena)->setFocus();
    key(Qt::Key_F5, Qt::ControlModifier);
    QCOMPARE(node_at(now()).op, std::string("MAX_POOL"));
    // Delete removes it.
    QTreeView* list = panels().widgets().breakpoints->list();
    list->setFocus();
    list->setCurrentIndex(model->index(0, 0));
    QTest::keyClick(list, Qt::Key_Delete);
    QTRY_COMPARE(doc().debugger()->breakpoints().size(), size_t{4});
  }

  void a_recording_is_walked_through_both_ways() {
    open_recording();
    std::vector<int32_t> convolutions;
    for (int32_t s = 0; s <= last(); ++s)
      if (node_at(s).op == "CONV") convolutions.push_back(s);
    QVERIFY(convolutions.size() > 10);
    doc().debugger()->set_breakpoints({{Breakpoint::Kind::Op, "CONV", 0, true}});
    doc().axis()->set_current(Step(0));
    key(Qt::Key_F5);
    key(Qt::Key_F5);
    QCOMPARE(now(), convolutions[2]);  // the playback began at the third convolution
    const auto* chosen = doc().selection()->current().get<NodeSelection>();
    QVERIFY(chosen != nullptr && doc().source()->graph()->nodes[chosen->tensor.index()].op == "CONV");
    key(Qt::Key_F10);
    QCOMPARE(now(), convolutions[2] + 1);
    key(Qt::Key_F5, Qt::ControlModifier);
    key(Qt::Key_F5, Qt::ControlModifier);
    QCOMPARE(now(), convolutions[1]);
    doc().debugger()->set_breakpoints({});
    // To the end of the layer: the first step of another layer.
    const std::string layer = node_at(now()).layer;
    key(Qt::Key_F11, Qt::ShiftModifier);
    QVERIFY(node_at(now()).layer != layer);
    QCOMPARE(node_at(now() - 1).layer, layer);
    // To the selected node.
    doc().selection()->clear();
    doc().selection()->select(Selection::node(doc().source()->graph_id(), doc().source()->plan()->order[40]));
    doc().axis()->set_current(Step(2));
    key(Qt::Key_F10, Qt::ControlModifier);
    QCOMPARE(now(), 40);
    // Playback up to a breakpoint, forwards and backwards.
    doc().debugger()->set_breakpoints({{Breakpoint::Kind::Node, QString::fromStdString(node_at(44).name), 0, true}});
    plot_view(PanelId::Arena)->setFocus();
    key(Qt::Key_Space);
    QTRY_COMPARE_WITH_TIMEOUT(now(), 44, kPatience);
    doc().debugger()->set_breakpoints({{Breakpoint::Kind::Node, QString::fromStdString(node_at(38).name), 0, true}});
    key(Qt::Key_Space, Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(now(), 38, kPatience);
  }

  void stepping_into_threads_selects_their_parts_in_order() {
    open_recording();
    const NodeId node = doc().source()->plan()->order[0];
    doc().selection()->select(Selection::node(doc().source()->graph_id(), node));
    const trace::Snapshot& s = *doc().source()->snapshot();
    Nanoseconds before = 0;
    std::set<uint32_t> tracks;
    int parts = 0;
    for (; parts < 6; ++parts) {
      key(Qt::Key_F11);
      const auto* part = doc().selection()->current().get<EventSelection>();
      QVERIFY(part != nullptr);
      QVERIFY(s.event(part->span).begin() >= before);
      before = s.event(part->span).begin();
      tracks.insert(static_cast<uint32_t>(part->span.track.index()));
    }
    QVERIFY(tracks.size() > 1);  // tracks of several threads
    QCOMPARE(doc().axis()->mode(), AxisMode::Time);
    const auto here = doc().selection()->current();
    key(Qt::Key_F11);
    key(Qt::Key_F11, Qt::ControlModifier);
    QVERIFY(doc().selection()->current() == here);
  }

  void a_live_run_pauses_steps_and_continues() {
    open("zoo:squeezenet");
    add(0, "CONV");
    plot_view(PanelId::Arena)->setFocus();
    const QSignalSpy pauses(doc().runner(), &RunController::paused_at);
    std::vector<int32_t> stops;
    for (int i = 0; i < 3; ++i) {
      key(Qt::Key_F5);
      QTRY_COMPARE_WITH_TIMEOUT(pauses.count(), i + 1, kPatience);
      QCOMPARE(doc().runner()->state(), RunState::Paused);
      QCOMPARE(now(), pauses[i][0].toInt());
      QCOMPARE(node_at(now()).op, std::string("CONV"));
      stops.push_back(now());
    }
    int convolutions = 0;
    for (int32_t s = 0; s < stops[2]; ++s) convolutions += node_at(s).op == "CONV";
    QCOMPARE(convolutions, 2);  // paused before the third
    doc().debugger()->set_breakpoints({});
    key(Qt::Key_F10);
    QTRY_COMPARE_WITH_TIMEOUT(now(), stops[2] + 1, kPatience);
    const std::string layer = node_at(now()).layer;
    key(Qt::Key_F11, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Paused && node_at(now()).layer != layer, kPatience);
    QCOMPARE(node_at(now() - 1).layer, layer);
    key(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
  }

  void a_breakpoint_set_while_paused_counts_in_that_run() {
    open("zoo:squeezenet");
    plot_view(PanelId::Arena)->setFocus();
    const QSignalSpy pauses(doc().runner(), &RunController::paused_at);
    key(Qt::Key_F10);  // a stepped run without breakpoints
    QTRY_COMPARE_WITH_TIMEOUT(pauses.count(), 1, kPatience);
    const int32_t at = now();
    doc().debugger()->set_breakpoints({{Breakpoint::Kind::Node, QString::fromStdString(node_at(40).name), 0, true},
                                       {Breakpoint::Kind::Node, QString::fromStdString(node_at(52).name), 0, true}});
    QVERIFY(at < 40);
    for (const int expected : {40, 52}) {
      key(Qt::Key_F5);
      QTRY_COMPARE_WITH_TIMEOUT(pauses.count(), expected == 40 ? 2 : 3, kPatience);
      QCOMPARE(now(), expected);
      QCOMPARE(pauses.last()[1].value<BreakReason>(), BreakReason::Before);
      QCOMPARE(doc().source()->session()->snapshot()->runs.size(), size_t{2});  // the stepped one
    }
    key(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
  }

  void stepping_into_a_node_that_comes_next_runs_it() {
    open("zoo:squeezenet");
    add(0, "MAX_POOL");
    plot_view(PanelId::Arena)->setFocus();
    key(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Paused, kPatience);
    const int32_t before = now();
    key(Qt::Key_F10);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Paused && now() == before + 1, kPatience);
    QTest::qWait(400);  // until the current run is observed
    doc().source()->refresh();
    const NodeId next = selected_node(doc().context());  // paused before this node
    QVERIFY(next.valid());
    key(Qt::Key_F11);
    QTRY_VERIFY_WITH_TIMEOUT(doc().selection()->current().get<EventSelection>() != nullptr, kPatience);
    const trace::TensorRef of = tensor_of(doc().selection()->current(), *doc().source()->snapshot());
    QCOMPARE(of.index(), next.index());
    key(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
  }

  void values_are_not_read_while_re_planning() {
    open("zoo:squeezenet");
    doc().selection()->select(Selection::node(doc().source()->graph_id(), NodeId(3)));
    for (int i = 0; i < 6; ++i) {
      key(Qt::Key_F10);
      QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Paused, kPatience);
      doc().debugger()->set_breakpoints({{Breakpoint::Kind::Op, i % 2 ? "CONV" : "RELU", 0, true}});
      RunSettings settings = doc().runner()->settings();
      settings.planner = i % 2 ? "none" : "greedy-by-size";
      doc().replan(settings);
      QVERIFY(doc().runner()->state() != RunState::Paused);  // not treated as paused
      doc().runner()->read_values(trace::TensorRef::node(NodeId(3)));
      QTRY_VERIFY_WITH_TIMEOUT(doc().source()->plan()->planner == settings.planner.toStdString(), kPatience);
    }
    key(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
  }

  // The message must say "after" for an existing result.
  void a_recording_stops_after_non_finite_results() {
    const auto session = test::sample_session();
    const NodeId node(5);
    const std::string name = session->snapshot()->graphs[0]->nodes[node.index()].name;
    session->describe(not_finite(node, trace::RunId(0), name));
    doc().show_session(session, "not finite");
    doc().debugger()->set_breakpoints({{Breakpoint::Kind::NaN, {}, 0, true}});
    doc().axis()->set_current(Step(0));
    doc().debugger()->run(1);
    QCOMPARE(doc().selection()->current(), Selection::node(doc().source()->graph_id(), node));
    QCOMPARE(doc().messages()->texts().last(), pause_message(BreakReason::NotFinite, QString::fromStdString(name)));
    QVERIFY(pause_message(BreakReason::NotFinite, "x") != pause_message(BreakReason::Before, "x"));
  }

  // Names of nodes need not be unique.
  void a_pause_shows_its_node_among_nodes_of_one_name() {
    trace::GraphInfo graph = test::sample_graph({});
    graph.id = trace::GraphId(0);
    graph.nodes[3].name = graph.nodes[5].name = "twice";
    auto plan = std::make_shared<trace::PlanInfo>();
    plan->id = trace::PlanId(0);
    plan->graph = graph.id;
    for (size_t i = 0; i < graph.nodes.size(); ++i) plan->order.emplace_back(i);
    auto session = std::make_shared<trace::Session>();
    session->describe(std::make_shared<const trace::GraphInfo>(graph));
    session->describe(std::shared_ptr<const trace::PlanInfo>(plan));
    doc().show_session(session, "twice");
    Q_EMIT doc().runner()->paused_at(4, BreakReason::NotFinite, NodeId(3));
    QCOMPARE(doc().selection()->current(), Selection::node(graph.id, NodeId(3)));
    QCOMPARE(doc().messages()->texts().last(), pause_message(BreakReason::NotFinite, "twice"));
  }

  // Each selection while the run is paused copies values; the window does not wait for the copies, and the run does not
  // continue during one.
  void values_are_read_while_the_run_continues() {
    open("zoo:squeezenet");
    plot_view(PanelId::Arena)->setFocus();
    QSignalSpy values(doc().runner(), &RunController::values);
    for (int i = 0; i < 12; ++i) {
      key(Qt::Key_F10);
      QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Paused && now() > i, kPatience);
      values.clear();
      for (int leaf = 0; leaf < 4; ++leaf) doc().runner()->read_values(trace::TensorRef::leaf(LeafId(leaf)));
      QCOMPARE(values.count(), 0);  // nothing was read on this thread
    }
    QTRY_VERIFY_WITH_TIMEOUT(values.count() > 0 && doc().runner()->state() == RunState::Paused, kPatience);
    values.clear();
    doc().runner()->read_values(trace::TensorRef::leaf(LeafId(0)));
    QTRY_VERIFY_WITH_TIMEOUT(values.count() > 0, kPatience);  // an earlier read may still report, too
    QVERIFY(values.last()[0].value<std::shared_ptr<const TensorValues>>() != nullptr);
    key(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
  }

  void infinities_stop_a_live_run() {
    const QString path = folder_.filePath("endless.onnx");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(model_with_infinities());
    file.close();
    open(path);
    QVERIFY2(doc().runner()->has_model(), qPrintable(doc().messages()->texts().join(u' ')));
    doc().debugger()->set_breakpoints({{Breakpoint::Kind::NaN, {}, 0, true}});
    plot_view(PanelId::Arena)->setFocus();
    key(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Paused, kPatience);
    QVERIFY2(doc().messages()->texts().join(u' ').contains("NaN"), qPrintable(doc().messages()->texts().join(u' ')));
    QVERIFY2(doc().messages()->texts().join(u' ').contains("endless"),
             qPrintable(doc().messages()->texts().join(u' ')));
    // The node with the result is selected, and its values are available.
    const auto* chosen = doc().selection()->current().get<NodeSelection>();
    QVERIFY(chosen != nullptr);
    QCOMPARE(doc().source()->graph()->nodes[chosen->tensor.index()].name, std::string("endless"));
    std::shared_ptr<const TensorValues> seen;
    const auto connection = connect(&doc(), &Document::values, this, [&](const auto& values) { seen = values; });
    doc().runner()->read_values(chosen->tensor);
    QTRY_VERIFY_WITH_TIMEOUT(seen != nullptr, kPatience);
    disconnect(connection);
    key(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
    // The recording contains it and stops there too.
    QTRY_COMPARE_WITH_TIMEOUT(nodes_not_finite(*doc().source()->snapshot()).size(), size_t{1}, kPatience);
    const NodeId found = *nodes_not_finite(*doc().source()->snapshot()).begin();
    const QString saved = folder_.filePath("endless.arenascope");
    QVERIFY(trace::save_recording(*doc().source()->snapshot(), saved.toStdString()).ok());
    open(saved);
    QVERIFY(!doc().runner()->has_model());
    doc().debugger()->set_breakpoints({{Breakpoint::Kind::NaN, {}, 0, true}});
    const QAbstractItemModel* listed = panels().widgets().breakpoints->list()->model();
    QCOMPARE(listed->index(0, 1).data().toString(), QString("1"));
    doc().axis()->set_current(Step(0));
    plot_view(PanelId::Arena)->setFocus();
    key(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(now() > 0 && doc().source()->plan()->order[static_cast<size_t>(now() - 1)] == found,
                             kPatience);
  }

  // Unticked while the run is paused: it goes on, though there are infinities in every run.
  void a_breakpoint_that_is_switched_off_does_not_stop() {
    const QString path = folder_.filePath("endless_twice.onnx");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(model_with_infinities(true));
    file.close();
    open(path);
    QVERIFY2(doc().runner()->has_model(), qPrintable(doc().messages()->texts().join(u' ')));
    doc().debugger()->set_breakpoints({{Breakpoint::Kind::NaN, {}, 0, true}});
    plot_view(PanelId::Arena)->setFocus();
    key(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Paused, kPatience);
    QSignalSpy paused(doc().runner(), &RunController::paused_at);
    doc().debugger()->set_breakpoints({{Breakpoint::Kind::NaN, {}, 0, false}});
    const auto runs_now = [this] {
      doc().source()->refresh();
      return doc().source()->snapshot()->runs.size();
    };
    const size_t runs = runs_now();
    key(Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(runs_now() > runs + 2, 10'000);
    QCOMPARE(paused.count(), 0);
    // Breakpoints of every other kind.
    for (const Breakpoint& b :
         {Breakpoint{Breakpoint::Kind::Op, "LOG", 0, true}, Breakpoint{Breakpoint::Kind::Name, "more", 0, true},
          Breakpoint{Breakpoint::Kind::Node, "z", 0, true}, Breakpoint{Breakpoint::Kind::Bytes, {}, 1, true}}) {
      doc().debugger()->set_breakpoints({b});
      QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Paused, kPatience);
      Breakpoint off = b;
      off.on = false;
      doc().debugger()->set_breakpoints({off});
      paused.clear();
      const size_t before = runs_now();
      key(Qt::Key_F5);
      QTRY_VERIFY_WITH_TIMEOUT(runs_now() > before + 2, 10'000);
      QCOMPARE(paused.count(), 0);
    }
    key(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
  }
};

QTEST_MAIN(DebuggerTest)
#include "debugger_test.moc"
