// SPDX-License-Identifier: GPL-3.0-or-later
// Compares tooltips of the plots, and the inspector's pages of ranges, layers, times and allocations, with the audit:
// in both axis modes, at random positions and zooms, for random recordings, recordings of each memory strategy and
// traces of other tools. A number that is not a figure, or a figure unknown to the audit, fails.
#include <four_plots.h>
#include <sample_session.h>
#include <views/graph/graph_view.h>
#include <views/inspector/inspector_facts.h>

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <random>

#include "audited_figures.h"
#include "tests/engine/trace/sample_traces.h"
#include "tests/test_data.h"

using namespace arenascope;
using namespace arenascope::views;
using test::Against;
using test::FourPlots;
using test::from_file;
using test::from_stream;
using test::NamesOf;
using test::Recorded;

namespace {

constexpr QSize kSize{1200, 300}, kNarrow{240, 300};

std::shared_ptr<Recorded> recorded(const QTemporaryDir& folder, const QStringList& arguments) {
  const QString file = folder.filePath("run.pftrace");
  QProcess cli;
  cli.start(ARENASCOPE_CLI, QStringList{"run"} + arguments + QStringList{"--repeat", "2", "--record", file});
  if (!cli.waitForFinished(300'000) || cli.exitCode() != 0) return nullptr;
  return from_file(file.toStdString());
}

}  // namespace

class TipsTest : public QObject {
  Q_OBJECT

  Against against_;
  int compared_texts_ = 0;

  void check(const Recorded& r, const FigureText& text, const NamesOf& names, const QString& where) {
    if (!text.text.isEmpty()) ++compared_texts_;
    const QString wrong = against_.differs(r, text, names);
    QVERIFY2(wrong.isEmpty(), qPrintable(r.name + ", " + where + ": " + wrong));
  }

  // At random positions of each plot, at random zooms.
  void check_tips(const Recorded& r, std::mt19937_64& random, int zooms, int ranges) {
    FourPlots p(r.session, kSize);
    const NamesOf names(*p.source.snapshot());
    std::uniform_real_distribution<double> part(0, 1);
    for (const AxisMode mode : {AxisMode::Step, AxisMode::Time}) {
      p.axis.set_mode(mode);
      for (int zoom = 0; zoom < zooms; ++zoom) {
        p.axis.frame_all();
        const AxisRange all = p.axis.range();
        if (zoom > 0) p.axis.zoom(std::pow(0.02, part(random)), all.lo + all.length() * part(random));
        for (PlotView* v : p.all()) {
          v->prepare_now();
          const QRect area = v->plot()->axisRect()->rect();
          for (int i = 0; i < ranges; ++i) {
            const QPointF at(area.left() + area.width() * part(random), area.top() + area.height() * part(random));
            check(r, v->tip(at), names, v->view_name() + (mode == AxisMode::Step ? " by step" : " by time"));
            if (QTest::currentTestFailed()) return;
          }
        }
      }
    }
  }

  // Along each row of the timeline over the whole recording; in a narrow view spans share pixels.
  void check_rows(const Recorded& r, QSize size) {
    FourPlots p(r.session, size);
    const NamesOf names(*p.source.snapshot());
    p.axis.set_mode(AxisMode::Time);
    p.axis.frame_all();
    p.timeline.prepare_now();
    const QRect area = p.timeline.plot()->axisRect()->rect();
    for (int y = area.top() + 8; y < area.bottom(); y += 12)
      for (int x = area.left(); x < area.right(); x += 2) {
        check(r, p.timeline.tip(QPointF(x, y)), names, "a row of the timeline");
        if (QTest::currentTestFailed()) return;
      }
  }

  void check_scopes(const Recorded& r, std::mt19937_64& random) {
    FourPlots p(r.session, kSize);
    const NamesOf names(*p.source.snapshot());
    std::uniform_real_distribution<double> part(0, 1);
    for (const auto scope :
         {OccupancyScope::Kinds, OccupancyScope::Allocators, OccupancyScope::Devices, OccupancyScope::Classes}) {
      p.occupancy.set_scope(scope);
      for (const AxisMode mode : {AxisMode::Step, AxisMode::Time}) {
        p.axis.set_mode(mode);
        p.axis.frame_all();
        p.occupancy.prepare_now();
        const QRect area = p.occupancy.plot()->axisRect()->rect();
        for (int i = 0; i < 4; ++i) {
          const QPointF at(area.left() + area.width() * part(random), area.top() + 20);
          check(r, p.occupancy.tip(at), names, QStringLiteral("scope %1").arg(static_cast<int>(scope)));
          if (QTest::currentTestFailed()) return;
        }
      }
    }
  }

  // Pages of step and time ranges, layers, addresses and allocations; links to tensors repeat descriptions.
  void check_page(const Recorded& r, const SessionSource& source, const Selection& selection, const NamesOf& names) {
    const InspectorInput input{source.snapshot(), source.run(), source.graph(), source.plan()};
    for (const InspectorFact& fact : inspector_facts(input, selection)) {
      if (fact.key.isEmpty() && (fact.section.contains(u'(') || fact.section == "Allocated by")) continue;
      check(r, {fact.value, fact.figures, fact.names}, names, "inspector, " + fact.section + ", " + fact.key);
      if (QTest::currentTestFailed()) return;
    }
  }

  void check_ranges(const Recorded& r, std::mt19937_64& random) {
    SessionSource source;
    source.set_session(r.session);
    const trace::Snapshot& s = *source.snapshot();
    const NamesOf names(s);
    const auto number = [&](int64_t most) { return std::uniform_int_distribution<int64_t>(0, most)(random); };
    const int steps = source.plan() ? static_cast<int>(source.plan()->order.size()) : 0;
    for (int i = 0; i < 3; ++i) {
      const auto a = static_cast<int32_t>(number(std::max(steps - 1, 0)));
      if (steps > 0)
        check_page(r, source, StepRangeSelection{Step(a), Step(a + 1 + static_cast<int32_t>(number(steps - a - 1)))},
                   names);
      const Nanoseconds t = s.time.begin + number(s.time.length());
      check_page(r, source, TimeRangeSelection{t, t + 1 + number(s.time.length())}, names);
      check_page(r, source, AddressRangeSelection{number(1000), 1000 + number(100'000)}, names);
      if (QTest::currentTestFailed()) return;
    }
    check_layers(r, source, names);
    int allocations = 0;
    for (const trace::SpaceAllocation& slice : s.space_slices_in(s.time.begin, s.time.end + 1, 1000))
      if (!slice.tensor.valid() && ++allocations <= 5)
        check_page(r, source, AllocationSelection{slice.device, slice.address, slice.begin}, names);
  }

  void check_layers(const Recorded& r, const SessionSource& source, const NamesOf& names) {
    if (source.graph() == nullptr) return;
    std::map<std::string, std::vector<NodeId>> layers;
    for (size_t i = 0; i < source.graph()->nodes.size(); ++i)
      layers[source.graph()->nodes[i].layer].push_back(NodeId(i));
    int shown = 0;
    for (const auto& [name, nodes] : layers)
      if (++shown <= 4) check_page(r, source, LayerSelection{source.graph_id(), name, nodes}, names);
  }

  // Histograms of the times of all nodes of an op: the bins add up to the count in the heading.
  void check_histograms(const Recorded& r) {
    SessionSource source;
    source.set_session(r.session);
    if (source.graph() == nullptr) return;
    const NamesOf names(*source.snapshot());
    const InspectorInput input{source.snapshot(), source.run(), source.graph(), source.plan()};
    for (size_t i = 0; i < source.graph()->nodes.size(); i += 3) {
      double counted = 0;
      QString heading;
      for (const InspectorFact& fact : inspector_facts(input, Selection::node(source.graph_id(), NodeId(i)))) {
        if (!fact.section.startsWith("Times of ")) continue;
        heading = fact.section;
        check(r, {fact.key + " " + fact.value, fact.figures, fact.names}, names, heading);
        for (const Figure& f : fact.figures) counted += f.unit == FigureUnit::Number ? f.value : 0;
      }
      if (heading.isEmpty()) continue;
      const auto all = r.auditor->ask(figure_id("graph", source.graph_id().value, "node", i, "times"));
      QVERIFY(all && all->value == counted);
      QVERIFY2(heading.contains(", " + QString::number(counted) + " node"), qPrintable(heading));
    }
  }

  void check_graph(const Recorded& r) {
    SessionSource source;
    SelectionModel selection;
    SharedAxis axis(&source);
    Theme theme;
    GraphView view(&source, &selection, &axis, &theme);
    source.set_session(r.session);
    view.resize(900, 700);
    view.show();
    if (source.graph() == nullptr) return;
    QTRY_VERIFY_WITH_TIMEOUT(view.canvas()->scene().ready() && !view.layout_job()->running(), 20'000);
    NamesOf names(*source.snapshot());
    const GraphScene& scene = view.canvas()->scene();
    for (const std::string& layer : scene.layers->names) names.add(layer), names.add("Nodes " + layer);
    for (size_t v = 0; v < scene.folded->vertices.size(); ++v) {
      const QRectF box = scene.rect_of(static_cast<int32_t>(v));
      for (const QPointF& at : {box.center(), QPointF(box.left() + 20, box.bottom() - 8)}) {
        check(r, view.canvas()->tip(static_cast<int32_t>(v), at), names, "graph");
        if (QTest::currentTestFailed()) return;
      }
    }
  }

 private Q_SLOTS:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

  void random_recordings() {
    std::mt19937_64 random(11);
    for (uint64_t seed = 0; seed < 60; ++seed) {
      const auto r = from_stream(seed);
      QVERIFY(r);
      check_tips(*r, random, 2, 8);
      if (!r->lost) check_ranges(*r, random);
      if (seed % 6 == 0 && !r->lost) check_scopes(*r, random);
      if (!r->lost) check_histograms(*r);
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(compared_texts_ > 2000);
    QVERIFY(against_.compared > 8000);
    for (const char* kind :
         {"run..step..live", "run..at..live", "run..at..step", "plan..slice.node..bytes", "run..residency.node...lived",
          "span.....lasts", "plan..block..used", "plan..steps...mean", "time...most_allocated", "run..steps...lasts"})
      QVERIFY2(against_.kinds.contains(kind), kind);
  }

  void recordings_of_each_strategy_data() {
    QTest::addColumn<QStringList>("arguments");
    for (const char* strategy : {"planned", "eager", "none"})
      QTest::newRow(strategy) << QStringList{"zoo:mnist_cnn", "--threads", "2", "--memory", strategy};
    QTest::newRow("layers") << QStringList{"zoo:nano_gpt", "--threads", "2"};
    QTest::newRow("opencl") << QStringList{"zoo:mnist_cnn", "--backend", "opencl"};
    QTest::newRow("opencl, images") << QStringList{"zoo:mnist_cnn", "--backend", "opencl", "--backend-option",
                                                   "memory=image"};
  }
  void recordings_of_each_strategy() {
    QFETCH(QStringList, arguments);
    QTemporaryDir folder;
    const auto r = recorded(folder, arguments);
    if (!r) QSKIP("this machine has no such device");
    std::mt19937_64 random(12);
    check_tips(*r, random, 3, 12);
    check_rows(*r, kSize);
    check_rows(*r, kNarrow);
    QVERIFY(against_.kinds.contains("spans.....count"));
    check_scopes(*r, random);
    check_ranges(*r, random);
    check_histograms(*r);
    if (arguments.contains("zoo:nano_gpt")) QVERIFY(against_.kinds.contains("graph..node..bin..nodes"));
    check_graph(*r);
  }

  void traces_of_other_tools() {
    const auto traces = test::data_folder() / "traces";
    if (test::data_folder().empty() || !std::filesystem::exists(traces)) QSKIP("no traces in ARENASCOPE_DATA");
    std::mt19937_64 random(13);
    int opened = 0;
    for (const auto& entry : std::filesystem::directory_iterator(traces)) {
      const auto r = from_file(entry.path());
      if (!r) continue;  // a damaged dump
      ++opened;
      check_tips(*r, random, 2, 6);
      check_ranges(*r, random);
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(opened >= 4);
    for (const char* kind : {"asked.CUDA:", "waste.CUDA:", "time...track.count.", "time...name.time."})
      QVERIFY2(std::any_of(against_.kinds.begin(), against_.kinds.end(),
                           [&](const std::string& k) { return k.find(kind) != std::string::npos; }),
               kind);
  }

  // Small traces that contain each kind of event.
  void synthetic_traces_data() {
    QTest::addColumn<QByteArray>("bytes");
    const auto add = [](const char* name, const std::string& bytes) {
      QTest::newRow(name) << QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size()));
    };
    add("Chrome", test::kChromeJson);
    add("ONNX Runtime", test::kOnnxRuntimeProfile);
    add("Perfetto", test::perfetto_trace());
    add("PyTorch memory snapshot", test::snapshot_pickle());
  }
  void synthetic_traces() {
    QFETCH(QByteArray, bytes);
    QTemporaryDir folder;
    QFile file(folder.filePath("made"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    file.close();
    const auto r = from_file(file.fileName().toStdString());
    QVERIFY(r);
    std::mt19937_64 random(14);
    check_tips(*r, random, 2, 12);
    check_rows(*r, kSize);
    check_scopes(*r, random);
    for (int i = 0; i < 10 && !QTest::currentTestFailed(); ++i) check_ranges(*r, random);
  }

  // Exemptions are by name; a number without an id, or with an id unknown to the audit, is detected.
  void numbers_without_figures_are_detected() {
    const auto r = from_stream(2);
    QVERIFY(r);
    const NamesOf names(*r->session->snapshot());
    Against against;
    const auto wrong = [&](const FigureText& text) { return !against.differs(*r, text, names).isEmpty(); };
    QVERIFY(wrong(plain_text("12 spans")));
    QVERIFY(wrong(figure_text(figure("", 3, FigureUnit::Count))));
    QVERIFY(wrong(figure_text(figure("run.0.missing", 3, FigureUnit::Count))));
    QVERIFY(wrong(figure_text(figure("chosen.something", 3, FigureUnit::Count))));
    QVERIFY(wrong(figure_text(figure("recording.events", 1, FigureUnit::Count))));
    QVERIFY(wrong(name_text("worker 77")));
    QVERIFY(!wrong(name_text("node 1")));
    QVERIFY(!wrong(figure_text(figure("chosen.step", 3, FigureUnit::Count))));
  }
};

QTEST_MAIN(TipsTest)
#include "tips_test.moc"
