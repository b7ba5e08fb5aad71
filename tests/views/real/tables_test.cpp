// SPDX-License-Identifier: GPL-3.0-or-later
// The tables, findings and planners on a recording of squeezenet, and the device tables on a recording of an OpenCL
// device: driven by mouse and keyboard, with the contents of the recording in their cells.
#include <arenascope/trace/recording.h>
#include <views/common/format.h>
#include <views/findings/findings_view.h>
#include <views/planners/replan_panel.h>
#include <views/tables/pools_view.h>
#include <views/tables/table_panel.h>
#include <views/timeline/timeline_view.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>

#include <set>

#include "real_recording.h"

using namespace arenascope;
using namespace arenascope::views;
using trace::TensorRef;

namespace {

// A table in its panel over a session, with its model under Qt's model tester.
struct Fixture {
  Fixture(const char* name, TablePanel::TableFactory factory, std::shared_ptr<trace::Session> session)
      : axis(&source),
        panel(QString::fromLatin1(name), std::move(factory), &source, &selection, &axis),
        tester(panel.model(), QAbstractItemModelTester::FailureReportingMode::QtTest) {
    panel.resize(1200, 400);
    panel.show();
    panel.activateWindow();
    (void)QTest::qWaitForWindowActive(&panel);  // needed for key events
    source.set_session(std::move(session));
    panel.refresh();
  }
  QTableView* view() { return panel.table_view(); }
  TableModel* model() { return panel.model(); }
  int column(const QString& title) const {
    for (int c = 0; c < panel.model()->columnCount(); ++c)
      if (panel.model()->headerData(c, Qt::Horizontal).toString() == title) return c;
    return -1;
  }
  QString cell(int row, const char* title) {
    return model()->index(row, column(QString::fromUtf8(title))).data().toString();
  }
  double number(int row, const char* title) {
    return model()->index(row, column(QString::fromUtf8(title))).data(TableModel::kNumberRole).toDouble();
  }
  void click(int row, int col = 0) {
    view()->scrollTo(model()->index(row, col));
    QTest::mouseClick(view()->viewport(), Qt::LeftButton, {}, view()->visualRect(model()->index(row, col)).center());
  }
  void click_header(const char* title) {
    const int c = column(QString::fromUtf8(title));
    QHeaderView* header = view()->horizontalHeader();
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                      QPoint(header->sectionViewportPosition(c) + 12, header->height() / 2));
  }
  void type(const char* text) { QTest::keyClicks(panel.findChild<QLineEdit*>(), QString::fromUtf8(text)); }
  // A message below or instead of the rows.
  bool says(const QString& text) {
    for (const QLabel* label : panel.findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(text)) return true;
    return false;
  }
  NodeId named(const char* name) const {
    const auto& nodes = source.graph()->nodes;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].name == name) return NodeId(i);
    return NodeId::none();
  }
  SessionSource source;
  SelectionModel selection;
  SharedAxis axis;
  TablePanel panel;
  QAbstractItemModelTester tester;
};

}  // namespace

class RealTablesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
  void init() { ARENASCOPE_NEEDS_RECORDING(test::real_recording()); }

  void nodes() {
    Fixture d("nodes", nodes_table, test::real_recording().session);
    QCOMPARE(d.model()->rowCount(), 65);
    QVERIFY(d.says("65"));
    d.type("CONCAT");
    QCOMPARE(d.model()->rowCount(), 8);
    QCOMPARE(d.model()->index(0, 1).data().toString(), QString("r9"));
    QCOMPARE(d.number(0, "Bytes"), 1548800.0);
    d.click(0, 1);
    QCOMPARE(d.selection.current(), Selection::node(d.source.graph_id(), d.named("r9")));
    QTest::keyClick(d.view(), Qt::Key_Down);
    QCOMPARE(d.selection.current(), Selection::node(d.source.graph_id(), d.named("r16")));
    QTest::keyClick(d.view(), Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QApplication::clipboard()->text().contains("r16"));
    d.panel.findChild<QLineEdit*>()->clear();
    // A click on the header sorts, another one reverses.
    d.click_header("Bytes");
    const double first = d.number(0, "Bytes"), last = d.number(64, "Bytes");
    QCOMPARE(std::max(first, last), 3154176.0);
    d.click_header("Bytes");
    QCOMPARE(d.number(0, "Bytes"), last);
    QCOMPARE(d.number(64, "Bytes"), first);
    // It has run, so there are times.
    double time = 0;
    for (int r = 0; r < 65; ++r) time += d.number(r, "Mean time");
    QVERIFY(time > 0);
    d.selection.select(StepRangeSelection{Step(10), Step(14)});
    QCOMPARE(d.model()->rowCount(), 4);
    QTest::mouseClick(d.panel.findChild<QToolButton*>(), Qt::LeftButton);  // "selected range only ✕"
    QCOMPARE(d.model()->rowCount(), 65);
  }

  void blocks() {
    Fixture d("blocks", blocks_table, test::real_recording().session);
    std::set<BlockId> all;
    Bytes top = 0;
    for (const trace::SliceInfo& s : d.source.plan()->slices) {
      all.insert(s.block);
      top = std::max(top, s.offset + s.size);
    }
    QCOMPARE(d.model()->rowCount(), static_cast<int>(all.size()));
    d.click(0);
    const auto* chosen = d.selection.current().get<BlockSelection>();
    QVERIFY(chosen != nullptr);
    QCOMPARE(chosen->plan, d.source.plan_id());
    QCOMPARE(QString::number(chosen->block.value), d.cell(0, "Block"));
    d.selection.select(AddressRangeSelection{top - 1, top});
    QVERIFY(d.model()->rowCount() >= 1 && d.model()->rowCount() < static_cast<int>(all.size()));
  }

  void barriers() {
    Fixture d("barriers", barriers_table, test::real_recording().session);
    const int all = d.model()->rowCount();
    QVERIFY(all > 10 && all <= 66);
    std::set<QString> last;
    for (int r = 0; r < all; ++r) {
      last.insert(d.cell(r, "Last arriver"));
      QCOMPARE(d.number(r, "Threads"), 2.0);
      QVERIFY(d.number(r, "Waited") >= 0 && d.number(r, "Spread") >= 0);
    }
    for (const QString& name : last) {
      bool known = false;
      for (const auto& track : d.source.snapshot()->tracks)
        known = known || QString::fromStdString(track.info.name) == name;
      QVERIFY2(known, qPrintable(name));
    }
    d.click_header("Waited");
    d.click_header("Waited");
    d.click(0);
    const auto* chosen = d.selection.current().get<NodeSelection>();
    QVERIFY(chosen != nullptr);
    QCOMPARE(QString::fromStdString(d.source.graph()->nodes[chosen->tensor.index()].name), d.cell(0, "Node"));
    d.selection.select(StepRangeSelection{Step(0), Step(5)});
    QVERIFY(d.model()->rowCount() < all);
  }

  void allocators() {
    Fixture d("allocators", allocators_table, test::real_recording().session);
    QVERIFY(d.model()->rowCount() >= 2);
    bool arena = false;
    for (int r = 0; r < d.model()->rowCount(); ++r) {
      if (d.cell(r, "Kind") !=
          DisplayNames::kind(trace::MemoryKind::Mapped))  // pages of a mapped file are not reserved
        QVERIFY(d.number(r, "Reserved") >= d.number(r, "Active"));
      if (d.cell(r, "Kind") == DisplayNames::kind(trace::MemoryKind::Workspace))
        arena = d.number(r, "Reserved") >= static_cast<double>(d.source.plan()->arena_bytes);
    }
    QVERIFY(arena);
    d.type(qPrintable(DisplayNames::kind(trace::MemoryKind::Workspace)));
    QCOMPARE(d.model()->rowCount(), 1);
  }

  void pools() {
    Fixture d("pools", pools_table, test::real_recording().session);
    QVERIFY(d.model()->rowCount() > 0);
    double held = 0;
    for (int r = 0; r < d.model()->rowCount(); ++r) held += d.number(r, "Bytes");
    double reserved = 0;
    const auto& s = *d.source.snapshot();
    for (size_t k = 0; k < trace::kMemoryKinds; ++k) {
      const auto& samples = s.series(static_cast<trace::MemoryKind>(k), trace::MemoryCount::Reserved).samples;
      if (samples.size() > 0) reserved += samples[samples.size() - 1].value;
    }
    QCOMPARE(held, reserved);
    d.click_header("Bytes");
    d.click_header("Bytes");
    QVERIFY(std::max(d.number(0, "Bytes"), d.number(d.model()->rowCount() - 1, "Bytes")) >=
            static_cast<double>(d.source.plan()->arena_bytes));
  }

  void tuning_is_empty_on_the_cpu() {
    Fixture d("tuning", tuning_table, test::real_recording().session);
    QCOMPARE(d.model()->rowCount(), 0);
    QVERIFY(d.says("only device kernels"));
  }

  void planners() {
    Fixture d("planners", planners_table, test::real_recording().session);
    QCOMPARE(d.model()->rowCount(), 1);
    QCOMPARE(d.cell(0, "Planner"), QString("search"));
    QCOMPARE(d.number(0, "Arena"), static_cast<double>(d.source.plan()->arena_bytes));
    QCOMPARE(d.cell(0, "Ratio"), QString::number(static_cast<double>(d.source.plan()->arena_bytes) /
                                                     static_cast<double>(d.source.plan()->lower_bound_bytes),
                                                 'f', 3));
    QSignalSpy activated(&d.panel, &TablePanel::activated);
    d.click(0, 1);
    QTest::keyClick(d.view(), Qt::Key_Return);
    QCOMPARE(activated.count(), 1);
    // The planning options in the panel next to it.
    Theme theme;
    ReplanPanel replan(&theme);
    replan.set_choices({"search", "none"}, {"depth-first", "ge"});
    replan.set_can_plan(d.source.graph() != nullptr);
    replan.show();
    QSignalSpy requested(&replan, &ReplanPanel::plan_requested);
    auto* field = replan.findChild<QLineEdit*>("fit_under");
    QTest::keyClicks(field, QString::number(d.source.plan()->lower_bound_bytes));
    QTest::keyClick(field, Qt::Key_Return);
    QTest::mouseClick(replan.findChild<QToolButton*>("plan"), Qt::LeftButton);
    QCOMPARE(requested.count(), 1);
    QCOMPARE(replan.request().fit_under, d.source.plan()->lower_bound_bytes);
  }

  void findings() {
    SessionSource source;
    SelectionModel selection;
    SharedAxis axis(&source);
    FindingsSearch search(&source);
    FindingsView view(&search, {&source, &selection, &axis, nullptr});
    QAbstractItemModelTester tester(view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    view.resize(1200, 400);
    view.show();
    QSignalSpy found(&view, &FindingsView::found);
    source.set_session(test::real_recording().session);
    QTRY_VERIFY_WITH_TIMEOUT(found.count() > 0, 60'000);
    QVERIFY(view.model()->rowCount() > 0);
    bool peak = false;
    const std::vector<Bytes> live = trace::Snapshot::occupancy(*source.plan());
    const auto at = std::max_element(live.begin(), live.end()) - live.begin();
    for (int row = 0; row < view.model()->rowCount(); ++row) {
      const Finding& f = *view.model()->at(row);
      if (!view.show_button(row) || f.tensors.empty()) continue;
      view.table_view()->scrollTo(view.model()->index(row, 0));
      QTest::mouseClick(view.show_button(row), Qt::LeftButton);
      QCOMPARE(selection.current(), Selection(NodeSelection{source.graph_id(), f.tensors[0]}));
      const QString sentence = view.model()->index(row, FindingsModel::kSentence).data().toString();
      if (f.kind == Finding::Kind::AtPeak) {
        peak = true;
        QCOMPARE(f.step.value, static_cast<int32_t>(at));
        QCOMPARE(f.bytes, live[static_cast<size_t>(at)]);
        QVERIFY2(sentence.contains(format_bytes(f.bytes)), qPrintable(sentence));
      }
      if (f.plan) QCOMPARE(f.saved, source.plan()->arena_bytes - f.plan->arena_bytes);
    }
    QVERIFY(peak);
  }

  void compare() {
    Fixture d("compare", compare_table, test::real_recording().session);
    QCOMPARE(d.model()->rowCount(), 0);
    d.source.compare_with(std::make_shared<const ComparisonSide>(ComparisonSide::of(d.source.snapshot(), "again")));
    d.panel.refresh();
    QCOMPARE(d.model()->rowCount(), 65);
    QVERIFY(d.source.comparison() != nullptr);
    QCOMPARE(d.source.comparison()->only_ours + d.source.comparison()->only_theirs, size_t{0});
    d.type("r16");
    QCOMPARE(d.model()->rowCount(), 1);
    d.click(0, 1);
    QCOMPARE(d.selection.current(), Selection::node(d.source.graph_id(), d.named("r16")));
  }

  void problems() {
    auto session = std::make_shared<trace::Session>();
    trace::replay(*test::real_recording().session->snapshot(), *session);
    const auto before = static_cast<int>(session->snapshot()->problems.size());
    session->describe(trace::Problem{trace::Severity::Warning, "something is odd", 0, {}, NodeId(9)});
    session->describe(trace::TuningInfo{.kernel = "k", .sizes = "1x1x1", .level = "fast"});
    Fixture d("problems", problems_table, session);
    QCOMPARE(d.model()->rowCount(), before + 1);  // tuning results are in a table of their own
    d.type("odd");
    QCOMPARE(d.model()->rowCount(), 1);
    d.click(0, 1);
    QCOMPARE(d.selection.current(), Selection::node(d.source.graph_id(), NodeId(9)));
    Fixture tuned("tuning", tuning_table, session);
    QCOMPARE(tuned.model()->rowCount(), 1);
  }

  void a_device_has_rows_copies_pools_and_tuning() {
    ARENASCOPE_NEEDS_RECORDING(test::device_recording());
    const auto session = test::device_recording().session;
    const auto snapshot = session->snapshot();
    // Device rows in the timeline, with work and copy spans.
    SessionSource source;
    SelectionModel selection;
    SharedAxis axis(&source);
    Theme theme;
    theme.set_mode(ThemeMode::Light);
    source.set_session(session);
    axis.set_mode(AxisMode::Time);
    axis.frame_all();
    TimelineView timeline({&source, &selection, &axis, &theme});
    timeline.resize(1000, 360);
    timeline.show();
    timeline.prepare_now();
    std::set<trace::TrackKind> kinds;
    for (const TimelineRow& row : timeline.picture()->rows)
      if (row.track.valid()) kinds.insert(snapshot->tracks[row.track.index()].info.kind);
    QStringList tracks;
    for (const trace::TrackView& track : snapshot->tracks)
      tracks << QStringLiteral("%1: %2")
                    .arg(QString::fromStdString(track.info.name))
                    .arg(track.lanes.empty() ? 0 : track.lanes[0].rows.size());
    QVERIFY2(kinds.contains(trace::TrackKind::DeviceQueue) && kinds.contains(trace::TrackKind::CopyEngine),
             qPrintable(tracks.join(u'\n')));
    QVERIFY(snapshot->copies.size() > 0);
    // A click on each of the device's spans, zoomed in, selects it.
    int work = 0, copies = 0;
    for (size_t t = 0; t < snapshot->tracks.size(); ++t) {
      const auto kind = snapshot->tracks[t].info.kind;
      if (kind != trace::TrackKind::DeviceQueue && kind != trace::TrackKind::CopyEngine) continue;
      const auto spans = snapshot->spans_exact(trace::TrackId(t), snapshot->time.begin, snapshot->time.end, 100);
      if (spans.empty()) continue;
      const trace::Event& event = snapshot->event(spans.back());
      axis.frame_time(event.begin(), event.end());
      timeline.prepare_now();
      const TimelinePicture& p = *timeline.picture();
      for (size_t i = 0; i < p.spans->size(); ++i) {
        const Rect& r = (*p.spans)[i];
        if (p.items[r.tag].step.valid() || !(p.items[r.tag].cell.span == spans.back())) continue;
        const QPoint at(static_cast<int>(timeline.plot()->xAxis->coordToPixel((r.x0 + r.x1) / 2)),
                        static_cast<int>(timeline.plot()->yAxis->coordToPixel((r.y0 + r.y1) / 2)));
        QTest::mouseClick(timeline.plot(), Qt::LeftButton, {}, at);
        QCOMPARE(selection.current(), Selection(EventSelection{spans.back()}));
        ++(kind == trace::TrackKind::CopyEngine ? copies : work);
        break;
      }
    }
    QVERIFY(work > 0 && copies > 0);
    // A memory kind that both host and device use names the allocators of both.
    Fixture allocators("allocators", allocators_table, session);
    int shared = 0;
    for (int r = 0; r < allocators.model()->rowCount(); ++r) {
      QStringList names;
      for (const trace::AllocatorInfo& a : snapshot->allocators)
        for (const trace::Space& space : snapshot->spaces_in(snapshot->time.begin, snapshot->time.end + 1, 100'000)) {
          if (space.allocator != a.id || DisplayNames::kind(space.kind) != allocators.cell(r, "Kind")) continue;
          names << QString::fromStdString(a.name);
          break;
        }
      QCOMPARE(allocators.cell(r, "Allocator"), names.join(QStringLiteral(", ")));
      shared += names.size() > 1 ? 1 : 0;
    }
    QVERIFY(shared > 0);
    // Its pools: held, free and reused memory.
    Fixture pools("pools", pools_table, session);
    QVERIFY(pools.model()->rowCount() > 0);
    double uses = 0;
    for (int r = 0; r < pools.model()->rowCount(); ++r) uses += pools.number(r, "Uses");
    QVERIFY(uses >= pools.model()->rowCount());
    // The rows equal the blocks that the backend reported.
    const std::vector<PoolRow> rows = pool_rows(*snapshot);
    QVERIFY(!snapshot->pools.empty());
    size_t matched = 0;
    std::set<trace::StorageType> storages;
    for (const trace::PoolInfo& pool : snapshot->pools)
      for (const trace::PoolBlockInfo& block : pool.blocks) {
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&](const PoolRow& r) { return r.address == block.address; });
        storages.insert(block.storage);
        if (row == rows.end()) continue;  // freed after the last run
        ++matched;
        QCOMPARE(row->bytes, block.bytes);
        QCOMPARE(row->uses, block.uses);
        QCOMPARE(row->requested(), block.requested > 0 ? block.requested : block.last);
        QCOMPARE(row->waste(), block.bytes - row->requested());
        QCOMPARE(row->storage, block.storage);
        QCOMPARE(row->image.valid(), block.width > 0);
      }
    QVERIFY2(matched >= 3, qPrintable(QString::number(matched)));
    QVERIFY(storages.contains(trace::StorageType::Dynamic) && storages.contains(trace::StorageType::Separate));
    // The bars are to scale, with the requested part and waste side by side.
    PoolsView picture(&source, &theme);
    picture.resize(900, 400);
    const auto bars = picture.bars(900);
    QCOMPARE(bars.size(), rows.size());
    const double scale = bars[0].whole.width() / static_cast<double>(bars[0].row.bytes);
    for (const PoolsView::Bar& bar : bars) {
      QVERIFY(std::abs(bar.whole.width() - scale * static_cast<double>(bar.row.bytes)) < 1e-6);
      QVERIFY(std::abs(bar.requested.width() - scale * static_cast<double>(bar.row.requested())) < 1e-6);
      QVERIFY(std::abs(bar.waste.width() - scale * static_cast<double>(bar.row.waste())) < 1e-6);
    }
    // A view that was hidden while the memory was recorded has it when it is shown.
    SessionSource later;
    PoolsView hidden(&later, &theme);
    later.set_session(session);
    later.refresh();
    QVERIFY(hidden.bars(900).empty());
    hidden.show();
    QCOMPARE(hidden.bars(900).size(), rows.size());
    // Tuning results, measured or remembered.
    Fixture tuning("tuning", tuning_table, session);
    QVERIFY(tuning.model()->rowCount() > 0);
    for (int r = 0; r < tuning.model()->rowCount(); ++r) {
      QVERIFY(!tuning.cell(r, "Kernel").isEmpty() && !tuning.cell(r, "Group size").isEmpty());
      QCOMPARE(tuning.cell(r, "Level"), QString("fast"));
      if (tuning.number(r, "Tried") > 0)
        QCOMPARE(tuning.cell(r, "Candidates").count(u':'), static_cast<qsizetype>(tuning.number(r, "Tried")));
      if (tuning.cell(r, "From") == "this run") QVERIFY(tuning.number(r, "Tried") > 0 && tuning.number(r, "Time") > 0);
    }
    tuning.click_header("Time");
    tuning.type("no kernel is called so");
    QCOMPARE(tuning.model()->rowCount(), 0);
  }
};

QTEST_MAIN(RealTablesTest)
#include "tables_test.moc"
