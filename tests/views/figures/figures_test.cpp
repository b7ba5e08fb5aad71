// SPDX-License-Identifier: GPL-3.0-or-later
// Compares everything on the screen with the audit: each number in a header or a table is a figure with an id, and
// equals the value that the auditor computes from the same events for this id. In both axis modes and at random zooms,
// for random recordings, recordings of each memory strategy, and traces of other tools.
#include <four_plots.h>
#include <sample_session.h>
#include <views/inspector/inspector_facts.h>
#include <views/tables/table.h>

#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <random>
#include <set>

#include "audited_figures.h"
#include "tests/test_data.h"

using namespace arenascope;
using namespace arenascope::views;
using test::Against;
using test::FourPlots;
using test::from_file;
using test::from_stream;
using test::Recorded;

namespace {

constexpr QSize kSize{1600, 320};

// A planned network, of which one half was run with steps reported by its executor (`derived`), or with its tensors in
// an allocator's space (`eager`), or not at all.
std::shared_ptr<trace::Session> planned_network(bool run, bool eager) {
  auto session = std::make_shared<trace::Session>();
  auto graph = std::make_shared<const trace::GraphInfo>(test::sample_graph({}));
  auto plan = std::make_shared<trace::PlanInfo>(test::sample_plan(*graph));
  for (trace::SliceInfo& slice : plan->slices) slice.bound = true, slice.bound_offset = slice.offset;
  session->describe(trace::ThreadInfo{trace::TrackId(0), "worker"});
  session->describe(trace::AllocatorInfo{1, "heap", trace::MemoryKind::Workspace, {}});
  session->describe(graph);
  session->describe(std::shared_ptr<const trace::PlanInfo>(plan));
  if (!run) return session;
  trace::RunInfo info{trace::RunId(0), graph->id, plan->id, 1000, 1, "cpu", eager ? "eager" : "planned"};
  info.lead = trace::TrackId(0);
  info.steps_derived = true;
  session->describe(info);
  std::vector<trace::Event> events;
  for (size_t i = 0; i < plan->order.size() / 2; ++i) {
    const auto t = static_cast<Nanoseconds>(1000 + 1000 * i);
    if (eager)
      events.push_back(
          trace::alloc(t, trace::MemoryKind::Workspace, 0x1000 * (i + 1), 256, 1, static_cast<uint32_t>(i + 1)));
    events.push_back(trace::work(trace::RunId(0), plan->order[i], t, t + 900));
  }
  session->events(trace::TrackId(0), events);
  session->describe(trace::RunEnd{trace::RunId(0), 1'000'000, trace::RunStatus::Aborted});
  return session;
}

}  // namespace

class FiguresTest : public QObject {
  Q_OBJECT

  Against against_;

  void check_headers(const Recorded& r, std::mt19937_64& random, int zooms) {
    FourPlots d(r.session, kSize);
    std::uniform_real_distribution<double> part(0, 1);
    for (const AxisMode mode : {AxisMode::Step, AxisMode::Time}) {
      d.axis.set_mode(mode);
      for (int zoom = 0; zoom < zooms; ++zoom) {
        d.axis.frame_all();
        const AxisRange all = d.axis.range();
        if (zoom > 0) d.axis.zoom(std::pow(0.02, part(random)), all.lo + all.length() * part(random));
        for (PlotView* v : d.all()) {
          v->prepare_now();
          const QString wrong = test::header_differs(against_, r, v->header(), d.source.plan());
          QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
      }
    }
  }

  void check_table(const Recorded& r, const char* name, const TablePtr& table, const std::set<QString>& described) {
    const QString wrong = test::table_differs(against_, r, name, table, described);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
  }

  void check_tables(const Recorded& r) {
    SessionSource source;
    source.set_session(r.session);
    for (size_t run = 0; run < std::max<size_t>(1, source.snapshot()->runs.size()); ++run) {
      if (source.snapshot()->run(trace::RunId(run))) source.choose_run(trace::RunId(run));
      const TableInput input = TableInput::of(source);
      check_table(r, "nodes", nodes_table(input), {"Step", "Bytes", "Offset", "Block", "Tasks", "Flops", "FLOP/B"});
      check_table(r, "barriers", barriers_table(input), {});
      check_table(r, "blocks", blocks_table(input), {"Block", "Offset", "Steps", "Address"});
      check_table(r, "allocators", allocators_table(input), {});
      check_table(r, "planners", planners_table(input), {"Δ vs. current"});
      check_table(r, "counters", counters_table(input), {});
      check_table(r, "occupancy", occupancy_table(input), {"Step", "Time"});
      if (QTest::currentTestFailed()) return;
    }
  }

  // Checks the inspector's figures of runs, plans, the recording and node times; its other values repeat descriptions.
  // Limited to the first nodes, because extracting the text takes time.
  void check_inspector(const Recorded& r, bool foreign = false) {
    static const std::set<QString> measured{"Time", "Run", "Memory plan", "Recording", "Kernels in this run"};
    static const std::set<QString> described{
        "planner",           "order",      "backend", "strategy",           "threads",
        "threads requested", "incomplete", "shown",   "threads and queues", "last at the barrier",
        "usually last"};
    SessionSource source;
    source.set_session(r.session);
    const auto check = [&](const Selection& selection) {
      const InspectorInput input{source.snapshot(), source.run(), source.graph(), source.plan()};
      for (const InspectorFact& fact : inspector_facts(input, selection)) {
        for (const Figure& f : fact.figures) {
          // An importer may create several events from one of another tool, such as for a block older than the trace.
          if (foreign && f.id == "imported.events") continue;
          QVERIFY2(against_.differs(r, f).isEmpty(), qPrintable(r.name + ", inspector: " + against_.differs(r, f)));
        }
        if (!measured.contains(fact.section) || described.contains(fact.key) || fact.key.startsWith("replay on"))
          continue;
        QString left = fact.value;
        left.replace(QChar::Nbsp, u' ');
        QStringList texts;
        for (const Figure& f : fact.figures) texts << QString(f.text).replace(QChar::Nbsp, u' ');
        std::sort(texts.begin(), texts.end(), [](const QString& x, const QString& y) { return x.size() > y.size(); });
        for (const QString& text : texts) left.remove(text);
        QVERIFY2(!left.contains(QRegularExpression("[0-9]")),
                 qPrintable(r.name + ", inspector: " + fact.key + ": " + fact.value));
      }
    };
    for (size_t run = 0; run < std::max<size_t>(1, source.snapshot()->runs.size()); ++run) {
      if (source.snapshot()->run(trace::RunId(run))) source.choose_run(trace::RunId(run));
      check(Selection());
      for (size_t i = 0; source.graph() && i < std::min<size_t>(source.graph()->nodes.size(), 6); ++i)
        check(Selection::node(source.graph_id(), NodeId(i)));
      if (QTest::currentTestFailed()) return;
    }
  }

  // A network recorded by the command line; null on failure.
  static std::shared_ptr<Recorded> recorded(const QTemporaryDir& folder, const QStringList& arguments) {
    const QString file = folder.filePath(arguments.join(u'_').replace(u':', u'_') + ".pftrace");
    QProcess cli;
    cli.start(ARENASCOPE_CLI, QStringList{"run"} + arguments + QStringList{"--repeat", "3", "--record", file});
    if (!cli.waitForFinished(300'000) || cli.exitCode() != 0) return nullptr;
    return from_file(file.toStdString());
  }

 private Q_SLOTS:
  void random_recordings() {
    std::mt19937_64 random(1);
    for (uint64_t seed = 0; seed < 200; ++seed) {
      const auto r = from_stream(seed);
      QVERIFY(r);
      check_tables(*r);
      if (seed % 5 == 0) check_inspector(*r);
      check_headers(*r, random, 3);
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(against_.compared > 20'000);
    for (const char* kind : {"run..busy_share", "run..arena.peak_by_step", "plan..gap", "node...median_wall",
                             "run..barrier..waited", "plan..block..filled", "kind.Workspace.active.peak"})
      QVERIFY2(against_.kinds.count(kind) == 1, kind);
  }

  // Every third random run does not end: the inspector shows its elapsed time.
  void an_unfinished_run_shows_its_elapsed_time() {
    int checked = 0;
    for (uint64_t seed = 1; seed < 60 && checked < 3; seed += 2) {
      const auto r = from_stream(seed);
      QVERIFY(r);
      SessionSource source;
      source.set_session(r->session);
      for (size_t run = 0; run < source.snapshot()->runs.size(); ++run) {
        if (source.snapshot()->runs[run].finished) continue;
        source.choose_run(trace::RunId(run));
        const InspectorInput input{source.snapshot(), source.run(), source.graph(), source.plan()};
        for (const InspectorFact& fact : inspector_facts(input, {})) {
          if (fact.key != "running for") continue;
          ++checked;
          QCOMPARE(fact.figures.size(), size_t{1});
          QVERIFY2(against_.differs(*r, fact.figures.front()).isEmpty(),
                   qPrintable(against_.differs(*r, fact.figures.front())));
        }
      }
    }
    QVERIFY(checked > 0);
  }

  void recordings_of_each_strategy_data() {
    QTest::addColumn<QStringList>("arguments");
    for (const char* strategy : {"planned", "eager", "none"})
      QTest::newRow(strategy) << QStringList{"zoo:squeezenet", "--threads", "2", "--memory", strategy};
    QTest::newRow("reference") << QStringList{"zoo:mnist_cnn", "--backend", "reference"};
    QTest::newRow("opencl") << QStringList{"zoo:squeezenet", "--backend", "opencl"};
    const QStringList on_device{"zoo:mnist_cnn", "--backend", "opencl"};
    QTest::newRow("opencl, eager") << on_device + QStringList{"--memory", "eager"};
    QTest::newRow("opencl, images") << on_device + QStringList{"--backend-option", "memory=image"};
    QTest::newRow("opencl and the host") << on_device + QStringList{"--host-ops", "MAX_POOL"};
  }
  void recordings_of_each_strategy() {
    QFETCH(QStringList, arguments);
    QTemporaryDir folder;
    const auto r = recorded(folder, arguments);
    if (!r) QSKIP("this machine has no such device");
    QVERIFY2(r->contradictions.empty(), r->contradictions.empty() ? "" : r->contradictions.front().c_str());
    std::mt19937_64 random(2);
    check_tables(*r);
    check_inspector(*r);
    check_headers(*r, random, 5);
  }

  void headers_distinguish_observed_and_derived_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QStringList>("said");  // in the order occupancy, arena map, lifetimes, timeline
    const QString derived = "addresses observed, times derived";
    QTest::newRow("a plan") << "plan" << QStringList{"planned", "planned", "planned", {}};
    QTest::newRow("a run with reported steps") << "sample" << QStringList(4, "observed");
    QTest::newRow("a run whose steps are derived") << "derived" << QStringList{derived, derived, derived, "observed"};
    QTest::newRow("blocks of an allocator") << "eager" << QStringList(4, "observed");
    QTest::newRow("a plan in place of the run's")
        << "shown" << QStringList{"planned", "planned", "planned", "observed"};
    QTest::newRow("nothing") << "nothing" << QStringList{"observed", {}, "no plan", {}};
  }
  void headers_distinguish_observed_and_derived() {
    QFETCH(QString, what);
    QFETCH(QStringList, said);
    FourPlots d(what == "sample"    ? test::sample_session()
                : what == "nothing" ? std::make_shared<trace::Session>()
                                    : planned_network(what != "plan", what == "eager"),
                kSize);
    if (what == "shown") {
      auto other = std::make_shared<trace::PlanInfo>(*d.source.plan());
      other->id = trace::PlanId(1);
      d.source.show_plan(other);
    }
    const std::vector<PlotView*> views = d.all();
    for (const AxisMode mode : {AxisMode::Step, AxisMode::Time}) {
      d.axis.set_mode(mode);
      d.axis.frame_all();
      for (size_t i = 0; i < views.size(); ++i) {
        views[i]->prepare_now();
        if (said[static_cast<int>(i)].isNull()) continue;
        QStringList facts = views[i]->header().facts;
        if (facts.value(0).startsWith("incomplete")) facts.removeFirst();
        QCOMPARE(facts.value(0), said[static_cast<int>(i)]);
        const bool lifetimes = views[i] == &d.lifetimes;
        QCOMPARE(facts.contains("unobserved tensors as planned"), lifetimes && what == "derived");
      }
    }
  }

  void traces_of_other_tools() {
    const auto traces = test::data_folder() / "traces";
    if (test::data_folder().empty() || !std::filesystem::exists(traces)) QSKIP("no traces in ARENASCOPE_DATA");
    std::mt19937_64 random(3);
    int opened = 0;
    for (const auto& entry : std::filesystem::directory_iterator(traces)) {
      const auto r = from_file(entry.path());
      if (!r) continue;  // a damaged dump
      ++opened;
      check_tables(*r);
      check_inspector(*r, true);
      check_headers(*r, random, 3);
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(opened >= 4);
    QVERIFY(against_.kinds.contains("recording.entries"));
  }
};

QTEST_MAIN(FiguresTest)
#include "figures_test.moc"
