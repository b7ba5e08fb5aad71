// SPDX-License-Identifier: GPL-3.0-or-later
// Performance of the real window, offscreen at 1600x900: prints a row per metric with its target. Where wall-clock
// time depends on other load, the following row is the CPU time of the UI thread, which is compared with the budget.
// Failing means 1.5 times the target, twice for waits, three consecutive times: wake-up latency of the kernel and time
// stolen by the host vary, whereas a regression fails every time.
//   ARENASCOPE_FILES        colon-separated files whose first display is timed as well
//   ARENASCOPE_FIGURES=all  also 10,000,000 spans; test names can be given on the command line
#include <arenascope/trace/recorder.h>
#include <arenascope/trace/recording.h>
#include <sample_session.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QTest>

#include <ctime>
#include <thread>

#include <views/timeline/timeline_view.h>
#include "app/window/events/wait_until.h"
#include "tests/engine/models/onnx_transformer.h"
#include "tests/test_data.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

namespace {

double cpu_ms() {  // CPU time of this thread
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

void row(const char* name, double value, const char* unit, double target, bool at_most = true) {
  const bool met = at_most ? value <= target : value >= target;
  std::printf("%-64s %10.2f %-8s %s %8.2f  %s\n", name, value, unit, at_most ? "<=" : ">=", target,
              met ? "met" : "NOT MET");
  std::fflush(stdout);
}

double percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<size_t>(part * static_cast<double>(values.size())))];
}

// 10,000 nodes: an embedding, `layers` transformer layers of 27 nodes, a head.
std::shared_ptr<trace::Session> transformer_session(int layers) {
  using trace::TensorRef;
  auto graph = std::make_shared<trace::GraphInfo>();
  graph->id = trace::GraphId(0);
  graph->model = "transformer";
  auto leaf = [&](const std::string& name) {
    trace::TensorInfo t;
    t.name = name;
    t.dtype = "f32";
    t.shape = {768, 768};
    t.bytes = 768 * 768 * 4;
    t.flags = trace::kWeight;
    graph->leafs.push_back(t);
    return TensorRef::leaf(LeafId(graph->leafs.size() - 1));
  };
  auto node = [&](const std::string& name, const char* op, const std::string& layer, std::vector<TensorRef> sources,
                  uint32_t flags = 0) {
    trace::TensorInfo t;
    t.name = name;
    t.op = op;
    t.layer = layer;
    t.dtype = "f32";
    t.shape = {128, 768};
    t.bytes = 128 * 768 * 4;
    t.sources = std::move(sources);
    t.flags = flags;
    t.backend = "cpu";
    graph->edges += static_cast<int64_t>(t.sources.size());
    graph->nodes.push_back(t);
    return TensorRef::node(NodeId(graph->nodes.size() - 1));
  };
  const TensorRef positions = leaf("positions");
  TensorRef x = node("embed", "GET_ROWS", "", {leaf("token_embd.weight")});
  for (int l = 0; l < layers; ++l) {
    const std::string layer = "blk." + std::to_string(l), p = layer + ".";
    auto n = [&](const char* name, const char* op, std::vector<TensorRef> sources, uint32_t flags = 0) {
      return node(p + name, op, layer, std::move(sources), flags);
    };
    const TensorRef norm = n("attn_norm", "RMS_NORM", {x}),
                    scaled = n("attn_norm_w", "MUL", {norm, leaf(p + "attn_norm.weight")});
    TensorRef heads[3];
    for (int i = 0; i < 3; ++i) {
      const std::string which(1, "qkv"[i]);
      const TensorRef product =
          n(("attn_" + which).c_str(), "MUL_MAT", {leaf(p + "attn_" + which + ".weight"), scaled});
      const TensorRef view = n((which + "_reshaped").c_str(), "RESHAPE", {product}, trace::kView | trace::kNoWork);
      heads[i] = i < 2 ? n((which + "_rope").c_str(), "ROPE", {view, positions})
                       : n("v_t", "TRANSPOSE", {view}, trace::kView | trace::kNoWork);
    }
    const TensorRef kq = n("kq", "MUL_MAT", {heads[1], heads[0]}),
                    soft = n("kq_soft", "SOFT_MAX", {n("kq_scaled", "SCALE", {kq})});
    const TensorRef kqv = n("kqv", "MUL_MAT", {heads[2], soft}),
                    merged = n("kqv_merged", "PERMUTE", {kqv}, trace::kView | trace::kNoWork);
    const TensorRef out = n("attn_out", "MUL_MAT", {leaf(p + "attn_output.weight"), n("kqv_cont", "CONT", {merged})}),
                    first = n("attn_add", "ADD", {out, x});
    const TensorRef fnorm = n("ffn_norm", "RMS_NORM", {first}),
                    fscaled = n("ffn_norm_w", "MUL", {fnorm, leaf(p + "ffn_norm.weight")});
    const TensorRef gate = n("ffn_gate", "MUL_MAT", {leaf(p + "ffn_gate.weight"), fscaled}),
                    up = n("ffn_up", "MUL_MAT", {leaf(p + "ffn_up.weight"), fscaled});
    const TensorRef both = n("ffn_mul", "MUL", {n("ffn_silu", "SILU", {gate}), up}),
                    down = n("ffn_down", "MUL_MAT", {leaf(p + "ffn_down.weight"), both});
    x = n("l_out", "ADD", {down, first});
  }
  node("output", "MUL_MAT", "", {leaf("output.weight"), node("output_norm", "RMS_NORM", "", {x})});
  auto session = std::make_shared<trace::Session>();
  session->describe(std::shared_ptr<const trace::GraphInfo>(graph));
  trace::PlanInfo plan = test::sample_plan(*graph);
  plan.id = trace::PlanId(0);
  plan.graph = graph->id;
  session->describe(std::make_shared<const trace::PlanInfo>(plan));
  return session;
}

}  // namespace

constexpr double kSlack = 1.5, kWaitSlack = 2;

class Figures : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  std::unique_ptr<UiWatch> watch_;
  std::vector<std::string> missed_;  // misses of the current attempt

  template <class F>
  bool until(F done, int ms = 120'000) {
    return wait_until(done, ms);
  }
  void settle(int ms = 600) {
    QEventLoop loop;
    QTimer::singleShot(ms, &loop, &QEventLoop::quit);
    loop.exec();
  }
  void fresh() {
    window_.reset();
    make_window();
    window_->keep_no_copies();
    settle(300);
    watch_->reset();
  }
  void blocked(const char* what) {
    row((std::string("UI thread busy at most, ") + what).c_str(), watch_->longest_busy_ms(), "ms", 50);
    row((std::string("  of which it worked, ") + what).c_str(), watch_->longest_cpu_ms(), "ms", 50);
    row((std::string("UI thread waited at most, ") + what).c_str(), watch_->longest_wait_ms(), "ms", 5);
    hold(watch_->longest_busy_ms() <= kSlack * 50, std::string("the UI thread is too long busy, ") + what);
    hold(watch_->longest_wait_ms() <= kWaitSlack * 5, std::string("the UI thread waits too long, ") + what);
  }
  void hold(bool met, const std::string& otherwise) {
    if (!met) missed_.push_back(otherwise);
  }
  // Repeats the measurement up to three times until all targets are met; other failures are not repeated.
  template <class F>
  void measured(F measure) {
    for (int round = 0; round < 3; ++round) {
      missed_.clear();
      measure();
      if (missed_.empty() || QTest::currentTestFailed()) return;
      for (const std::string& sentence : missed_) std::printf("round %d: %s\n", round + 1, sentence.c_str());
    }
    QFAIL(missed_.front().c_str());
  }

 private Q_SLOTS:
  void initTestCase() {
    set_up("arenascope-figures");
    qputenv("XDG_CACHE_HOME", folder_.path().toUtf8());
    watch_ = std::make_unique<UiWatch>();
  }
  void cleanup() { window_.reset(); }
  void opening_a_recording_of_1000000_events() {
    measured([this] { measure_opening(); });
  }
  void a_transformer_of_10000_nodes() {
    measured([this] { measure_transformer(); });
  }
  void a_tab_is_switched_to() {
    measured([this] { measure_tab_switches(); });
  }
  void a_selection_in_every_view() {
    measured([this] { measure_selections(); });
  }
  void spans_panned_and_zoomed() {
    measured([this] { measure_panning(); });
  }
  void first_pictures_of_files() {
    measured([this] { measure_first_pictures(); });
  }
  void live_200000_events_a_second() {
    measured([this] { measure_live_events(); });
  }
  void live_while_resnet50_loops() {
    measured([this] { measure_live_runs(); });
  }

 private:
  void measure_opening() {
    const QString path = folder_.filePath("million.arenascope");
    {
      const auto session = test::span_session(1'000'000);
      const auto snapshot = session->snapshot();
      row("memory an event, 1,000,000 spans",
          static_cast<double>(session->bytes()) / static_cast<double>(snapshot->event_count), "bytes", 80);
      QVERIFY(trace::save_recording(*snapshot, path.toStdString()).ok());
    }
    fresh();
    int drawn = 0, drawn_whole = 0;
    PlotView* timeline = plot_view(PanelId::Timeline);
    connect(timeline, &PlotView::painted, this, [&] {
      const auto events = doc().source()->snapshot()->event_count;
      if (events > 0 && static_cast<TimelineView*>(timeline)->picture() &&
          !static_cast<TimelineView*>(timeline)->picture()->spans->empty())
        ++drawn, drawn_whole += events >= 1'000'000 ? 1 : 0;
    });
    QElapsedTimer clock;
    clock.start();
    window_->open(path);
    QVERIFY(until([&] { return drawn > 0; }));
    row("a recording of 1,000,000 events: first picture", static_cast<double>(clock.elapsed()), "ms", 300);
    QVERIFY(until([&] {
      return doc().source()->snapshot()->event_count >= 1'000'000 && doc().runner()->state() == RunState::Recording;
    }));
    QVERIFY(until([&] { return drawn_whole > 0; }));  // possibly while it was still being opened
    row("a recording of 1,000,000 events: open", static_cast<double>(clock.elapsed()), "ms", 2000);
    settle();
    blocked("opening it");
  }

  void measure_transformer() {
    fresh();
    GraphView* graph = panels().widgets().graph;
    const auto session = transformer_session(371);
    QElapsedTimer clock;
    clock.start();
    doc().show_session(session, "transformer");
    QVERIFY(until([&] { return graph->canvas()->scene().ready() && !graph->layout_job()->running(); }));
    QCoreApplication::processEvents();
    QCOMPARE(doc().source()->graph()->nodes.size(), size_t{371 * 27 + 3});
    row("10,020 nodes: first picture", static_cast<double>(clock.nsecsElapsed()) / 1e6, "ms", 1000);
    settle();
    blocked("taking in 10,020 nodes");
    std::vector<double> expand;
    for (const int layer : {200, 10, 360}) {
      watch_->reset();
      std::set<int32_t> open = graph->expanded();
      open.insert(layer);
      const size_t before = graph->canvas()->scene().folded->vertices.size();
      clock.restart();
      graph->set_open_layers(open);
      QVERIFY(until([&] { return graph->canvas()->scene().folded->vertices.size() > before; }));
      graph->canvas()->repaint();
      expand.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
      QVERIFY(graph->canvas()->scene().layout->layers.contains(layer));
    }
    row("10,020 nodes: a layer expanded, median of 3", percentile(expand, 0.5), "ms", 100);
    blocked("expanding");
    clock.restart();
    graph->expand_all();
    QVERIFY(until([&] { return !graph->layout_job()->running(); }));
    graph->canvas()->repaint();
    row("10,020 nodes: all of them laid out and drawn", static_cast<double>(clock.nsecsElapsed()) / 1e6, "ms", 1000);
    blocked("expanding all");
    auto* search = graph->findChild<QLineEdit*>();
    std::vector<double> searched;
    for (const char* text : {"ffn_gate", "blk.17", "soft", "x", "MUL_MAT"}) {
      clock.restart();
      search->setText(QString::fromLatin1(text));
      QCoreApplication::processEvents();
      searched.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    QVERIFY(graph->matches() > 100);
    row("10,020 nodes: a search, longest of 5", percentile(searched, 1), "ms", 50);
    search->clear();
  }

  // Switches between a planned model, a recording and a trace, with every view of the group visible.
  void measure_tab_switches() {
    fresh();
    doc().show_session(transformer_session(371), "transformer");
    window_->documents()->open(QStringLiteral("lesson:two_level"), window_->shell().preferences.run);
    QVERIFY(until([&] { return window_->documents()->size() == 2; }));
    doc().show_session(test::span_session(1'000'000), "spans");
    window_->documents()->open(QStringLiteral("zoo:mul_mat"), window_->shell().preferences.run);
    QVERIFY(until([&] { return window_->documents()->size() == 3; }));
    doc().show_session(test::sample_session({100, 4, 2, false, true}), "sample");
    std::vector<double> worked;
    watch_->reset();
    for (const char* layout : {"default", "memory", "time"}) {
      window_->shell().layouts->apply(QString::fromLatin1(layout));
      for (int i = 0; i < 9; ++i) {
        settle(400);
        const double before = cpu_ms();
        window_->documents()->show(static_cast<size_t>(i) % 3);
        for (int round = 0; round < 4; ++round) QCoreApplication::processEvents();
        worked.push_back(cpu_ms() - before);
      }
    }
    row("a tab switched to: the UI thread works, median", percentile(worked, 0.5), "ms", 50);
    row("a tab switched to: the UI thread works, longest of 27", percentile(worked, 1), "ms", 50);
    hold(percentile(worked, 1) <= kSlack * 50, "a switch of tabs works too long");
    settle();
    blocked("switching tabs");
  }

  void measure_selections() {
    fresh();
    doc().show_session(test::sample_session({100, 4, 2, false, true}), "sample");
    QVERIFY(until([&] {
      return panels().widgets().graph->canvas()->scene().ready() && !panels().widgets().graph->layout_job()->running();
    }));
    settle();
    const size_t nodes = doc().source()->graph()->nodes.size();
    std::vector<double> wall, worked;
    QElapsedTimer clock;
    for (int i = 0; i < 60; ++i) {
      const NodeId node((static_cast<size_t>(i) * 97 + 13) % nodes);
      const double before = cpu_ms();
      clock.restart();
      doc().selection()->select(Selection::node(doc().source()->graph_id(), node));
      // Processes everything that follows: zero timers, queued repaints, paint events.
      for (int round = 0; round < 4; ++round) QCoreApplication::processEvents();
      wall.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
      worked.push_back(cpu_ms() - before);
      settle(10);
    }
    row("a selection shown in every view, median", percentile(wall, 0.5), "ms", 16);
    row("  of which the UI thread worked, median", percentile(worked, 0.5), "ms", 16);
    hold(percentile(worked, 0.5) <= kSlack * 16, "a selection works too long");
  }

#ifdef ARENASCOPE_HAS_ONNX
  // 3,875 operators: 31 layers, exported op by op.
  QString expanded_transformer() {
    const models::test::ExpandedTransformer made(31, 32, 128, 4);
    hold(made.operators() > 3800, "the transformer has too few operators");
    const auto bytes = made.maker().bytes();
    const QString path = folder_.filePath(QStringLiteral("transformer-%1.onnx").arg(made.operators()));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<qint64>(bytes.size()));
    return path;
  }
#endif

  // From the file name to the graph on the screen.
  void measure_first_pictures() {
    QStringList files = QString::fromLocal8Bit(qgetenv("ARENASCOPE_FILES")).split(u':', Qt::SkipEmptyParts);
    const auto data = test::data_folder();
    if (data.empty()) std::printf("first display: no data directory\n");
    for (const char* name : {"ocr_ppocrv4/ch_PP-OCRv4_rec_infer.onnx", "audio_silero_vad/silero_vad_v6_with_If.onnx",
                             "misc_magika_v3_3/magika_standard_v3_3.onnx"})
      if (const auto file = data / "models" / name; !data.empty() && std::filesystem::exists(file))
        files << QString::fromStdString(file.string());
#ifdef ARENASCOPE_HAS_ONNX
    files << expanded_transformer();
#endif
    for (const QString& file : files) {
      fresh();
      GraphView* graph = panels().widgets().graph;
      QElapsedTimer clock;
      clock.start();
      window_->open(file);
      QVERIFY(until([&] {
        return doc().source()->graph() != nullptr && graph->canvas()->scene().ready() &&
               !graph->layout_job()->running();
      }));
      QCoreApplication::processEvents();
      const auto ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
      row(qPrintable(QFileInfo(file).fileName() + ": first picture"), ms, "ms", 1000);
      hold(ms <= kSlack * 1000, "a first picture comes late");
      QVERIFY(until([&] { return doc().runner()->state() == RunState::Ready; }));
    }
  }

  void measure_panning() {
    std::vector<int64_t> counts{1'000'000};
    if (qgetenv("ARENASCOPE_FIGURES") == "all") counts.push_back(10'000'000);
    for (const int64_t spans : counts) {
      fresh();
      const auto session = test::span_session(spans);
      const std::string name = spans == 1'000'000 ? "1,000,000 spans" : "10,000,000 spans";
      const auto snapshot = session->snapshot();
      if (spans > 1'000'000)
        row("memory an event, 10,000,000 spans",
            static_cast<double>(session->bytes()) / static_cast<double>(snapshot->event_count), "bytes", 80);
      window_->shell().layouts->apply("time");
      doc().show_session(session, "spans");
      SharedAxis* axis = doc().axis();
      axis->set_mode(AxisMode::Time);
      axis->frame_all();
      settle(1500);
      watch_->reset();
      PlotView* timeline = plot_view(PanelId::Timeline);
      int drawn = 0;
      connect(timeline, &PlotView::painted, this, [&] { ++drawn; });
      std::vector<double> wall, worked;
      QElapsedTimer clock;
      auto frame = [&](auto change) {
        const double before = cpu_ms();
        clock.restart();
        drawn = 0;
        change();
        while (drawn == 0) QCoreApplication::processEvents();
        QCoreApplication::processEvents();
        wall.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        worked.push_back(cpu_ms() - before);
      };
      const AxisRange all = axis->range();
      for (int level = 0; level < 5; ++level) {
        const double length = all.length() / std::pow(6.0, level);
        axis->set_range({all.middle() - length / 2, all.middle() + length / 2});
        settle(50);
        if (level > 0)
          for (int i = 0; i < 24; ++i) frame([&] { axis->pan(i < 12 ? 0.04 : -0.04); });
        for (int i = 0; i < 24; ++i) frame([&] { axis->zoom(i < 12 ? 1 / 1.08 : 1.08, axis->range().middle()); });
      }
      const bool one = spans == 1'000'000;
      row((name + ": frame of the whole window, median").c_str(), percentile(wall, 0.5), "ms", one ? 16 : 33);
      row((name + ": frame of the whole window, 99th percentile").c_str(), percentile(wall, 0.99), "ms", one ? 33 : 66);
      row("  of which the UI thread worked, median", percentile(worked, 0.5), "ms", one ? 16 : 33);
      row("  of which the UI thread worked, 99th percentile", percentile(worked, 0.99), "ms", one ? 33 : 66);
      blocked("panning and zooming");
      window_.reset();
    }
  }

  void measure_live_events() {
    fresh();
    window_->shell().layouts->apply("time");
    auto recorder = std::make_unique<trace::Recorder>();
    auto session = std::make_shared<trace::Session>();
    recorder->add_sink(session);
    trace::GraphInfo graph = test::sample_graph({});
    const size_t nodes = graph.nodes.size();
    const trace::GraphId id = recorder->describe(std::move(graph));
    constexpr int kThreads = 4;
    std::vector<trace::ThreadRing*> rings;
    for (int t = 0; t < kThreads; ++t) rings.push_back(recorder->register_thread("worker " + std::to_string(t)));
    const trace::RunId run = recorder->begin_run({{}, id, {}, 0, kThreads, "cpu", "eager"});
    recorder->start();
    doc().show_session(session, "live");
    doc().axis()->set_mode(AxisMode::Time);
    doc().source()->set_live(true, 16);
    settle(500);
    PlotView* timeline = plot_view(PanelId::Timeline);
    int drawn = 0;
    std::vector<double> costs;
    connect(timeline, &PlotView::painted, this, [&] {
      ++drawn;
      costs.push_back(timeline->last_frame_ms());
    });
    watch_->reset();
    std::atomic<bool> stop{false};
    std::atomic<int64_t> written{0};
    std::thread writer([&] {
      const auto begin = std::chrono::steady_clock::now();
      int64_t done = 0;
      Nanoseconds last = recorder->now();
      while (!stop) {
        const auto due = static_cast<int64_t>(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() * 200'000);
        while (done < due) {
          const Nanoseconds now = std::max(recorder->now(), last + 200);
          for (int t = 0; t < kThreads; ++t)
            rings[static_cast<size_t>(t)]->record(
                trace::work(run, NodeId(static_cast<size_t>(done / kThreads) % nodes), last, now, t));
          last = now;
          done += kThreads;
        }
        written = done;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    QElapsedTimer clock;
    clock.start();
    const double before = cpu_ms();
    settle(4000);
    const double seconds = static_cast<double>(clock.nsecsElapsed()) / 1e9, busy = cpu_ms() - before;
    const int frames = drawn;
    stop = true;
    writer.join();
    recorder->end_run(run);
    recorder->drain();
    recorder->drain();
    row("live: events a second", static_cast<double>(written.load()) / seconds, "1/s", 195'000, false);
    row("live: events lost",
        static_cast<double>(recorder->lost() + std::max<int64_t>(written.load() - session->snapshot()->event_count, 0)),
        "", 0);
    row("live: frames a second", frames / seconds, "1/s", 60, false);
    row("  the UI thread's work a frame", frames > 0 ? busy / frames : 0, "ms", 1000.0 / 60);
    blocked("live");
    QCOMPARE(recorder->lost(), int64_t{0});
    doc().source()->set_live(false);
    doc().show_session(nullptr, {});
    recorder->stop();
  }

  void measure_live_runs() {
    fresh();
    window_->open(QStringLiteral("zoo:resnet50"));
    QVERIFY(until([&] { return doc().runner()->state() == RunState::Ready && doc().axis()->steps() > 0; }));
    settle(1500);
    blocked("opening resnet50");
    doc().axis()->set_mode(AxisMode::Time);
    doc().source()->set_live(true, 16);
    PlotView* timeline = plot_view(PanelId::Timeline);
    int drawn = 0;
    connect(timeline, &PlotView::painted, this, [&] { ++drawn; });
    doc().runner()->run();
    settle(1000);
    drawn = 0;
    watch_->reset();
    QElapsedTimer clock;
    clock.start();
    const double before = cpu_ms();
    settle(5000);
    const double seconds = static_cast<double>(clock.nsecsElapsed()) / 1e9, busy = cpu_ms() - before;
    row("resnet50 in a loop: frames a second", drawn / seconds, "1/s", 30, false);
    row("  the UI thread's work a frame", drawn > 0 ? busy / drawn : 0, "ms", 1000.0 / 30);
    row("resnet50 in a loop: events lost", static_cast<double>(doc().source()->snapshot()->lost), "", 0);
    blocked("while resnet50 loops");
    doc().runner()->stop();
    QVERIFY(until([&] { return doc().runner()->state() == RunState::Ready; }));
  }
};

QTEST_MAIN(Figures)
#include "figures.moc"
