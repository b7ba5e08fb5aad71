// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the figures that views show for the other side of a comparison with the audit of that recording: headers,
// tooltips, columns of tables, and the inspector's page of a tensor.
#include <four_plots.h>
#include <views/graph/graph_view.h>
#include <views/inspector/inspector_facts.h>

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <random>

#include "audited_figures.h"

using namespace arenascope;
using namespace arenascope::views;
using test::Against;
using test::FourPlots;
using test::NamesOf;
using test::Recorded;
using RecordedPtr = std::shared_ptr<Recorded>;

class ComparisonTest : public QObject {
  Q_OBJECT

  Against against_;
  QTemporaryDir folder_;
  std::map<QString, RecordedPtr> recordings_;

  // Each recording is made once.
  RecordedPtr recorded(const QString& arguments) {
    RecordedPtr& known = recordings_[arguments];
    if (known) return std::make_shared<Recorded>(*known);
    const QString file = folder_.filePath(QString::number(recordings_.size()) + ".pftrace");
    const QString command = arguments.startsWith("plan") ? arguments : "run " + arguments + " --repeat 2";
    QProcess cli;
    cli.start(ARENASCOPE_CLI, command.split(u' ') + QStringList{"--record", file});
    if (!cli.waitForFinished(300'000) || cli.exitCode() != 0) return nullptr;
    known = test::from_file(file.toStdString());
    return known ? std::make_shared<Recorded>(*known) : nullptr;
  }

  static std::shared_ptr<const ComparisonSide> other_of(const Recorded& r) {
    return std::make_shared<const ComparisonSide>(
        ComparisonSide::of(r.session->snapshot(), "what it is compared with"));
  }
  static NamesOf names_of(const Recorded& r) {
    NamesOf names(*r.session->snapshot());
    names.take(*r.other->session->snapshot());
    return names;
  }

  void check(const Recorded& r, const FigureText& text, const NamesOf& names, const QString& where) {
    const QString wrong = against_.differs(r, text, names);
    QVERIFY2(wrong.isEmpty(), qPrintable(r.name + ", " + where + ": " + wrong));
  }

  void check_plots(const Recorded& r, std::mt19937_64& random) {
    FourPlots p(r.session, {1200, 300});
    p.source.compare_with(other_of(*r.other));
    const NamesOf names = names_of(r);
    std::uniform_real_distribution<double> part(0, 1);
    for (const AxisMode mode : {AxisMode::Step, AxisMode::Time}) {
      p.axis.set_mode(mode);
      for (int zoom = 0; zoom < 3; ++zoom) {
        p.axis.frame_all();
        const AxisRange all = p.axis.range();
        if (zoom > 0) p.axis.zoom(std::pow(0.05, part(random)), all.lo + all.length() * part(random));
        for (PlotView* v : p.all()) {
          v->prepare_now();
          const QString wrong = test::header_differs(against_, r, v->header(), p.source.plan());
          QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
          const QRect area = v->plot()->axisRect()->rect();
          for (int i = 0; i < 10; ++i) {
            const QPointF at(area.left() + area.width() * part(random), area.top() + area.height() * part(random));
            check(r, v->tip(at), names, v->view_name() + (mode == AxisMode::Step ? " by step" : " by time"));
            if (QTest::currentTestFailed()) return;
          }
        }
      }
    }
    p.axis.frame_all();  // at the rows of both sides
    p.timeline.prepare_now();
    const QRect area = p.timeline.plot()->axisRect()->rect();
    for (int y = area.top() + 6; y < area.bottom(); y += 10)
      for (int x = area.left(); x < area.right() && !QTest::currentTestFailed(); x += 12)
        check(r, p.timeline.tip(QPointF(x, y)), names, "a row of the timeline");
  }

  void check_tables(const Recorded& r) {
    SessionSource source;
    source.set_session(r.session);
    source.compare_with(other_of(*r.other));
    const TableInput input = TableInput::of(source);
    const auto check = [&](const char* name, const TablePtr& table, const std::set<QString>& described) {
      const QString wrong = test::table_differs(against_, r, name, table, described);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    };
    check("nodes", nodes_table(input), {"Step", "Bytes", "Offset", "Block", "Tasks", "Flops", "FLOP/B"});
    check("barriers", barriers_table(input), {});
    check("blocks", blocks_table(input), {"Block", "Offset", "Steps", "Address", "Block B"});
    check("allocators", allocators_table(input), {});
    check("planners", planners_table(input), {"Δ vs. current"});
    check("compare", compare_table(input), {});
  }

  // The page of a tensor shows the values of its counterpart.
  void check_inspector(const Recorded& r) {
    SessionSource source;
    source.set_session(r.session);
    source.compare_with(other_of(*r.other));
    if (source.graph() == nullptr) return;
    InspectorInput input{source.snapshot(), source.run(), source.graph(), source.plan()};
    input.comparison = source.comparison();
    const NamesOf names = names_of(r);
    for (size_t i = 0; i < std::min<size_t>(source.graph()->nodes.size(), 8); ++i)
      for (const InspectorFact& fact : inspector_facts(input, Selection::node(source.graph_id(), NodeId(i)))) {
        if (!fact.section.startsWith("In B") || fact.key == "name" || fact.key == "shape") continue;
        check(r, {fact.value, fact.figures, fact.names}, names, "inspector, " + fact.key);
        if (QTest::currentTestFailed()) return;
      }
  }

  void check_graph(const Recorded& r) {
    SessionSource source;
    SelectionModel selection;
    SharedAxis axis(&source);
    Theme theme;
    GraphView view(&source, &selection, &axis, &theme);
    source.set_session(r.session);
    source.compare_with(other_of(*r.other));
    view.resize(900, 700);
    view.show();
    if (source.graph() == nullptr) return;
    QTRY_VERIFY_WITH_TIMEOUT(view.canvas()->scene().ready() && !view.layout_job()->running(), 20'000);
    NamesOf names = names_of(r);
    const GraphScene& scene = view.canvas()->scene();
    for (const std::string& layer : scene.layers->names) names.add(layer), names.add("Nodes " + layer);
    for (size_t v = 0; v < scene.folded->vertices.size() && !QTest::currentTestFailed(); ++v)
      check(r, view.canvas()->tip(static_cast<int32_t>(v), scene.rect_of(static_cast<int32_t>(v)).center()), names,
            "graph");
  }

 private Q_SLOTS:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

  void two_runs_data() {
    QTest::addColumn<QString>("ours");
    QTest::addColumn<QString>("theirs");
    const QString cnn = "zoo:mnist_cnn --threads 2";
    QTest::newRow("another planner") << cnn << cnn + " --planner none";
    QTest::newRow("another memory") << cnn << cnn + " --memory eager";
    QTest::newRow("an eager run with a planned one") << cnn + " --memory eager" << cnn;
    QTest::newRow("another network") << cnn << "zoo:nano_gpt --threads 2";
  }
  void two_runs() {
    QFETCH(QString, ours);
    QFETCH(QString, theirs);
    const RecordedPtr r = recorded(ours);
    QVERIFY(r);
    r->other = recorded(theirs);
    QVERIFY(r->other);
    std::mt19937_64 random(21);
    check_plots(*r, random);
    if (!QTest::currentTestFailed()) check_tables(*r);
    if (!QTest::currentTestFailed()) check_inspector(*r);
    if (!QTest::currentTestFailed()) check_graph(*r);
  }

  void random_recordings() {
    std::mt19937_64 random(22);
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const RecordedPtr r = test::from_stream(seed);
      QVERIFY(r);
      r->other = test::from_stream(seed + 1);
      QVERIFY(r->other);
      check_plots(*r, random);
      if (!QTest::currentTestFailed()) check_tables(*r);
      if (!QTest::currentTestFailed()) check_inspector(*r);
      if (QTest::currentTestFailed()) return;
    }
  }

  // Each kind occurred at least once.
  void cleanupTestCase() {
    for (const char* kind :
         {"B.run..arena.top", "B.run..busy_share", "B.run..arena.peak_by_step", "B.run..spaces.working.reserved",
          "B.run..step..live", "B.tensor..node..bytes", "B.node...mean_wall", "B.span.....lasts",
          "B-A:node...mean_wall|node...mean_wall", "B/A:node...mean_wall|node...mean_wall",
          "B-A:plan..arena|plan..arena", "B.plan..block..bytes"})
      if (!QTest::currentTestFailed()) QVERIFY2(against_.kinds.contains(kind), kind);
  }
};

QTEST_MAIN(ComparisonTest)
#include "comparison_test.moc"
